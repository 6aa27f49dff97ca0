#include "host/client/client.h"

#include <pthread.h>

static pthread_mutex_t guards[TD_FORK_LOCK_COUNT] = {[0 ... TD_FORK_LOCK_COUNT - 1] =
                                                         PTHREAD_MUTEX_INITIALIZER};

void td_fork_lock_acquire(enum td_fork_lock lock)
{
    pthread_mutex_lock(&guards[guard]);
}

void td_fork_lock_release(enum td_fork_lock lock)
{
    pthread_mutex_unlock(&guards[guard]);
}

void td_fork_locks_before_fork(void)
{
    for (unsigned i = 0; i < TD_FORK_LOCK_COUNT; i++)
        pthread_mutex_lock(&guards[i]);
}

void td_fork_locks_after_fork(void)
{
    for (unsigned i = TD_FORK_LOCK_COUNT; i-- > 0;)
        pthread_mutex_unlock(&guards[i]);
}
