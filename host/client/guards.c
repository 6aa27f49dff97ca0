#include "host/client/client.h"

#include <pthread.h>

static pthread_mutex_t guards[TD_GUARD_COUNT] = {[0 ... TD_GUARD_COUNT - 1] = PTHREAD_MUTEX_INITIALIZER};

void td_guard_enter(enum td_guard guard)
{
    pthread_mutex_lock(&guards[guard]);
}

void td_guard_leave(enum td_guard guard)
{
    pthread_mutex_unlock(&guards[guard]);
}

void td_guards_before_fork(void)
{
    for (unsigned i = 0; i < TD_GUARD_COUNT; i++)
        pthread_mutex_lock(&guards[i]);
}

void td_guards_after_fork(void)
{
    for (unsigned i = TD_GUARD_COUNT; i-- > 0;)
        pthread_mutex_unlock(&guards[i]);
}
