/* Threads of our own inside somebody's program. */
#ifndef TD_HOST_BASE_THREAD_H
#define TD_HOST_BASE_THREAD_H
#include <pthread.h>

/* As pthread_create(), but no signal is delivered to the thread: these are for those of the program. */
int td_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                     void *argument);
#endif
