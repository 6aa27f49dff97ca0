#include "host/base/workers.h"
#include "host/base/parallel.h"
#include "host/base/thread.h"

unsigned td_workers_wanted(int threads)
{
    unsigned wanted = td_parallel_threads(threads > 0 ? (unsigned)threads : 0);
    return wanted < 2 ? 0 : wanted < TD_WORKERS_MAX ? wanted : TD_WORKERS_MAX;
}

static void *run_worker(void *argument)
{
    const struct td_worker *worker = argument;
    struct td_workers *all = worker->all;
    all->function(all->self, (unsigned)(worker - all->worker));
    return NULL;
}

void td_workers_start(struct td_workers *workers, unsigned wanted,
                      void (*function)(void *self, unsigned worker), void *self)
{
    workers->function = function;
    workers->self = self;
    while (workers->count < wanted) {
        struct td_worker *worker = &workers->worker[workers->count];
        worker->all = workers;
        if (td_thread_create_small(&worker->thread, run_worker, worker) != 0)
            break;
        workers->count++;
    }
}

void td_workers_join(struct td_workers *workers)
{
    while (workers->count)
        pthread_join(workers->worker[--workers->count].thread, NULL);
}
