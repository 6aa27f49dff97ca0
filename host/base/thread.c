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

int td_thread_create_small(pthread_t *thread, void *(*function)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, TD_THREAD_SMALL_STACK);
    int bad = td_thread_create(thread, &attributes, function, argument);
    pthread_attr_destroy(&attributes);
    return bad;
}

void td_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}
