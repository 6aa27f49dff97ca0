/* A fixed set of threads that share the work of one object until that object stops them. */
#pragma once
#include <pthread.h>

#define TD_WORKERS_MAX 64

struct td_workers {
    void (*function)(void *self, unsigned worker);
    void *self;
    unsigned count; /* threads that run */
    struct td_worker {
        struct td_workers *all;
        pthread_t thread;
    } worker[TD_WORKERS_MAX];
};

/* The number of threads to start when the user asks for `threads` (0 or less: one for each processor). 0
 * if there is only one processor: the caller then does the work itself. */
unsigned td_workers_wanted(int threads);
/* Starts up to `wanted` threads, each of which calls function(self, its number) once. workers->count is
 * the number of threads that could be started. */
void td_workers_start(struct td_workers *workers, unsigned wanted,
                      void (*function)(void *self, unsigned worker), void *self);
/* Waits for all threads; the caller has made their function return before. Does nothing for a struct of
 * zeros. */
void td_workers_join(struct td_workers *workers);
