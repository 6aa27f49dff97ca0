/* Tendril's own threads in a user's program, and what they wait for. */
#pragma once
#include <pthread.h>

#define TD_THREAD_SMALL_STACK ((size_t)1 << 20)

/* As pthread_create(), but the thread blocks all signals, so that the program's threads get them. */
int td_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                     void *argument);
/* The same with a stack that is small, and as large on every machine: for functions that do not recurse. Where address
 * space is limited, the usual stack of 8 MB is room that others lack. */
int td_thread_create_small(pthread_t *thread, void *(*function)(void *), void *argument);
/* Makes a condition whose pthread_cond_timedwait() takes times of CLOCK_MONOTONIC: a step of the machine's time of
 * day neither shortens nor lengthens a wait. */
void td_condition_init(pthread_cond_t *condition);
