/* Work in the background: statistics, histograms, searches. A job is identified by a key made
 * from what the user asks for. When the key changes, the work for the old key is cancelled and its results
 * are dropped, so that drawing never waits.
 *
 * All functions but those for the worker are for one thread, that of the viewer. */
#pragma once
#include "host/base/progress.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct td_job { /* all zero: never ran */
    pthread_t thread;
    void (*run)(void *self, struct td_job *job);
    void *self;
    uint64_t key; /* of the work that runs or has run last */
    bool running, finished, taken;
    int cancelled, done; /* atomic */
    unsigned progress;   /* atomic; thousandths */
    struct td_job *next; /* of the jobs that run */
};

enum td_job_state {
    TD_JOB_READY,   /* the results for the key are there */
    TD_JOB_RUNNING, /* they are being made; those of an earlier key may be shown meanwhile */
    TD_JOB_WANTED   /* the caller fills in the request and calls td_job_start() */
};

/* What to do about the work for `key`. `fresh` is set once, when results have just become ready: the caller
 * then takes them. */
enum td_job_state td_job_want(struct td_job *job, uint64_t key, bool *fresh);
/* Starts run(self, job) in a thread, or calls it if no thread can be made. The request and the results in
 * `self` belong to run() until td_job_want() says that it is not TD_JOB_RUNNING. */
void td_job_start(struct td_job *job, uint64_t key, void (*run)(void *self, struct td_job *job), void *self);
/* Calls run(self, job): for work that is done at once. */
void td_job_run(struct td_job *job, uint64_t key, void (*run)(void *self, struct td_job *job), void *self);
/* Cancels and waits: afterwards `self` may be freed. */
void td_job_stop(struct td_job *job);
/* Calls wake() in the thread of each job that has ended, from now on. To be set before the first job starts. */
void td_jobs_wake(void (*wake)(void));
/* Stops all jobs: afterwards nothing reads a trace in the background. */
void td_jobs_stop(void);
float td_job_progress(const struct td_job *job); /* 0 to 1 */

/* Shows what a job has made: frees what was shown before, and leaves nothing in `made`. */
#define TD_JOB_TAKE(shown, made, free_result)                                                                \
    do {                                                                                                     \
        free_result(shown);                                                                                  \
        *(shown) = *(made);                                                                                  \
        memset((made), 0, sizeof *(made));                                                                   \
    } while (0)

/* For run(): true: the results are no longer wanted. To be asked every few milliseconds. */
bool td_job_cancelled(const struct td_job *job);
void td_job_set_progress(struct td_job *job, uint64_t done, uint64_t all);
/* Sets the job's progress, and stops the work when the job is cancelled. NULL: does neither. */
struct td_progress td_job_progress_of(struct td_job *job);
