#include "host/client/platform/fork_locks.h"

#include <pthread.h>

static pthread_mutex_t mutexes[TD_FORK_LOCK_COUNT] = {[0 ... TD_FORK_LOCK_COUNT - 1] =
                                                          PTHREAD_MUTEX_INITIALIZER};

void td_fork_lock_acquire(enum td_fork_lock lock)
{
    pthread_mutex_lock(&mutexes[lock]);
}

void td_fork_lock_release(enum td_fork_lock lock)
{
    pthread_mutex_unlock(&mutexes[lock]);
}

void td_fork_locks_before_fork(void)
{
    for (unsigned i = 0; i < TD_FORK_LOCK_COUNT; i++)
        pthread_mutex_lock(&mutexes[i]);
}

void td_fork_locks_after_fork(void)
{
    for (unsigned i = TD_FORK_LOCK_COUNT; i-- > 0;)
        pthread_mutex_unlock(&mutexes[i]);
}
