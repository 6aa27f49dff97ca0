/* Writes any record of the calling thread. */
#ifndef TD_HOST_CLIENT_API_MARK_H
#define TD_HOST_CLIENT_API_MARK_H
#include "host/client/queue/compose.h"

#include <stddef.h>
#include <stdint.h>

void td_mark_record(struct td_mark *mark);
/* The short way for a kind of thread's records that is one word and a text: `word` without the count. time 0:
 * none. */
void td_mark_text(uint32_t kind, uint64_t word, const char *text, size_t bytes, uint64_t time);
/* The same for what later connections must see, too (on demand). */
void td_mark_replayed(struct td_mark *mark);
#endif
