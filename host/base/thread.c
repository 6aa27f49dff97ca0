#include "host/base/thread.h"

#include <signal.h>

int td_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                     void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(thread, attributes, function, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

void td_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}
