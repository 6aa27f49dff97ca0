#include "host/base/parallel.h"
#include "host/base/address_space.h"
#include "host/base/thread.h"

#include <pthread.h>
#include <sched.h>

#define MOST       256u
#define SPACE_PART 16u /* 1 / SPACE_PART of limited address space may be stacks */

/* One for each processor, if there is room for their stacks. */
static unsigned usual_threads(void)
{
    const uint64_t room = td_address_space() / SPACE_PART / TD_THREAD_SMALL_STACK;
    cpu_set_t set;
    CPU_ZERO(&set);
    unsigned threads = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    return threads < room ? threads : (unsigned)room;
}

unsigned td_parallel_threads(unsigned threads)
{
    threads = threads ? threads : usual_threads();
    return threads < 1 ? 1 : threads < MOST ? threads : MOST;
}

struct parallel_job {
    int (*function)(void *self, size_t item, unsigned worker);
    void *self;
    size_t count, next; /* next: atomic */
    unsigned workers;   /* atomic */
    pthread_mutex_t lock;
    size_t failed; /* the lowest item that failed, or count */
    int rc;        /* its result */
};

static void *work(void *of)
{
    struct parallel_job *job = of;
    unsigned worker = __atomic_fetch_add(&job->workers, 1, __ATOMIC_RELAXED);
    for (;;) {
        size_t item = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        if (item >= job->count)
            return NULL;
        int rc = job->function(job->self, item, worker);
        if (rc >= 0)
            continue;
        pthread_mutex_lock(&job->lock);
        if (item < job->failed) {
            job->failed = item;
            job->rc = rc;
        }
        pthread_mutex_unlock(&job->lock);
        __atomic_store_n(&job->next, job->count, __ATOMIC_RELAXED);
    }
}

int td_parallel(unsigned threads, size_t count, int (*function)(void *self, size_t item, unsigned worker),
                void *self)
{
    struct parallel_job job = {.function = function, .self = self, .count = count, .failed = count};
    pthread_t thread[MOST];
    size_t started = 0, wanted = td_parallel_threads(threads);
    wanted = wanted < count ? wanted : count;
    pthread_mutex_init(&job.lock, NULL);
    while (started + 1 < wanted && td_thread_create_small(&thread[started], work, &job) == 0)
        started++;
    work(&job);
    while (started)
        pthread_join(thread[--started], NULL);
    pthread_mutex_destroy(&job.lock);
    return job.rc;
}
