/* Work that falls into items, on several threads. */
#pragma once
#include <stddef.h>

/* The number of threads, 1 to 256, for a setting: `threads` itself, or, for 0, one for each processor that
 * this process may use; fewer, where the stacks would take more than a small part of limited address space. */
unsigned td_parallel_threads(unsigned threads);

/* Calls function(self, item, worker) for each item below `count`, in up to `threads` threads (0: one for
 * each processor), and returns when all calls have returned. The caller's thread is one of them. Items
 * begin in order. `worker` is less than td_parallel_threads(threads), and no two calls with the same
 * worker run at once, so each worker can have a place of its own for results. After a call that returned a
 * negative number no further items begin. Returns 0, or the result of the lowest item that failed. Works
 * with fewer threads, at least with the caller's, if threads cannot be made. */
int td_parallel(unsigned threads, size_t count, int (*function)(void *self, size_t item, unsigned worker),
                void *self);
