/* Records that each later connection gets again: what a program says once, such as settings of plots,
 * locks and GPU contexts. Used on demand only. Thread-safe, except td_replayed_connect(). */
#pragma once
#include "host/client/queue/compose.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The subject of a record. Of each kind, the last record about a subject is kept. Reads the mark's names. */
uint64_t td_replayed_about(const struct td_mark *mark);
/* Keeps a copy of the record. The caller holds TD_FORK_LOCK_REPLAYED. */
void td_replayed_add_locked(const struct td_mark *mark, uint64_t about);
void td_replayed_forget_lock(uint32_t id); /* the program's lock of that number is gone */
/* The number of lines of application information that the connection lacks: they exceeded the limit. */
unsigned td_replayed_left_out(void);
void td_replayed_forked(void); /* in the child of fork(), under the lock: no replay runs there */
/* Whether a kept record names something in the memory from `start` to before `end`. */
bool td_replayed_refers(uint64_t start, uint64_t end);
/* Session's thread. Makes `live` the connection that events are for, and calls each() for every kept
 * record in order. Events from *since on come through the queues: none is missing, none comes twice. If
 * each() returns other than 0, that ends the replay and is returned. */
int td_replayed_connect(uint32_t live, int64_t *since, int (*each)(void *self, const struct td_rec *rec),
                        void *self);
extern atomic_uint td_frame_count; /* marks of the main frame set since the start */
