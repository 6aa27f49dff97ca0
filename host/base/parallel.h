/* Work that falls into items, on several threads. */
#ifndef TD_HOST_BASE_PARALLEL_H
#define TD_HOST_BASE_PARALLEL_H
#include <stddef.h>

/* 0 < n <= 256: how many threads `threads` stands for: itself, or for 0 one a processor that we may use. */
unsigned td_parallel_threads(unsigned threads);

/* Calls function(self, item, worker) for each item below `count`, in up to `threads` threads (0: one a
 * processor), of which the caller's is one; returns when all are done. Items begin in order. `worker` is less
 * than td_parallel_threads(threads) and no two calls with the same worker run at once: room for results that
 * are put together afterwards. After a call that returned a negative number no further items begin; the
 * result is that of the lowest item that failed, or 0. Threads that cannot be made are done without. */
int td_parallel(unsigned threads, size_t count, int (*function)(void *self, size_t item, unsigned worker),
                void *self);
#endif
