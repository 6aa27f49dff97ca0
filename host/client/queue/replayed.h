/* Records that a later connection gets again (on demand). */
#ifndef TD_HOST_CLIENT_QUEUE_REPLAYED_H
#define TD_HOST_CLIENT_QUEUE_REPLAYED_H
#include "host/client/queue/compose.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* What the record is about: of a kind's records about the same the last one is kept. */
uint64_t td_replayed_about(const struct td_mark *mark);
void td_replayed_add_locked(const struct td_mark *mark, uint64_t about); /* under TD_FORK_LOCK_REPLAYED */
void td_replayed_forget_lock(uint32_t id);
/* Lines of application information that the connection did not get, since there were too many before it. */
unsigned td_replayed_left_out(void);
void td_replayed_forked(void); /* in the child, under the lock: nobody goes through them there */
/* 1: something that was kept has a name in that memory. */
int td_replayed_refers(uint64_t start, uint64_t end);
/* Makes the connection the one that events are for, and goes through everything kept, in order: nothing comes
 * twice or not at all. *since: records with times before it are of the time before. */
int td_replayed_connect(uint32_t live, int64_t *since, int (*each)(void *self, const struct td_rec *rec),
                        void *self);
extern atomic_uint td_frame_count; /* marks of the main frame set so far */
#endif
