/* Writes records for markers that have no code of their own. Any thread or signal handler; the calling
 * thread's queues get the record. */
#pragma once
#include "host/client/queue/compose.h"

#include <stddef.h>
#include <stdint.h>

/* Writes any record. Copies text and call stack. Ordered kinds get their number. Counts it as lost without
 * memory. */
void td_mark_record(struct td_mark *mark);
/* A fast way to write a record of one word and a text that keeps the order of its thread. `word` is
 * without the count of bytes. time 0: none. */
void td_mark_text(uint32_t kind, uint64_t word, const char *text, size_t bytes, uint64_t time);
/* As td_mark_record(), and on demand keeps the record for later connections (replayed.h). */
void td_mark_replayed(struct td_mark *mark);
