#include "host/query/task/job.h"
#include "host/base/thread.h"

static struct td_job *jobs_running;
static void (*jobs_wake)(void);

void td_jobs_wake(void (*wake)(void))
{
    jobs_wake = wake;
}

static void forget_running(const struct td_job *job)
{
    for (struct td_job **at = &jobs_running; *at; at = &(*at)->next)
        if (*at == job) {
            *at = job->next;
            return;
        }
}

static void *work(void *argument)
{
    struct td_job *job = argument;
    job->run(job->self, job);
    __atomic_store_n(&job->done, 1, __ATOMIC_RELEASE);
    if (jobs_wake)
        jobs_wake();
    return NULL;
}

/* Takes note of the end of the thread. */
static void reap(struct td_job *job)
{
    if (!job->running || !__atomic_load_n(&job->done, __ATOMIC_ACQUIRE))
        return;
    pthread_join(job->thread, NULL);
    forget_running(job);
    job->running = false;
    job->finished = !td_job_cancelled(job);
}

enum td_job_state td_job_want(struct td_job *job, uint64_t key, bool *fresh)
{
    reap(job);
    *fresh = false;
    if (job->key == key && job->finished) {
        *fresh = !job->taken;
        job->taken = true;
        return TD_JOB_READY;
    }
    if (!job->running)
        return TD_JOB_WANTED;
    if (job->key != key)
        __atomic_store_n(&job->cancelled, 1, __ATOMIC_RELAXED);
    return TD_JOB_RUNNING;
}

void td_job_run(struct td_job *job, uint64_t key, void (*run)(void *self, struct td_job *job), void *self)
{
    *job = (struct td_job){.run = run, .self = self, .key = key};
    run(self, job);
    job->finished = true;
}

void td_job_start(struct td_job *job, uint64_t key, void (*run)(void *self, struct td_job *job), void *self)
{
    *job = (struct td_job){.run = run, .self = self, .key = key, .running = true};
    if (td_thread_create(&job->thread, NULL, work, job) == 0) {
        job->next = jobs_running;
        jobs_running = job;
        return;
    }
    td_job_run(job, key, run, self);
}

void td_job_stop(struct td_job *job)
{
    __atomic_store_n(&job->cancelled, 1, __ATOMIC_RELAXED);
    if (job->running) {
        pthread_join(job->thread, NULL);
        forget_running(job);
    }
    *job = (struct td_job){0};
}

void td_jobs_stop(void)
{
    while (jobs_running)
        td_job_stop(jobs_running);
}

float td_job_progress(const struct td_job *job)
{
    return (float)__atomic_load_n(&job->progress, __ATOMIC_RELAXED) / 1000;
}

bool td_job_cancelled(const struct td_job *job)
{
    return __atomic_load_n(&job->cancelled, __ATOMIC_RELAXED) != 0;
}

void td_job_set_progress(struct td_job *job, uint64_t done, uint64_t all)
{
    unsigned progress = all ? (unsigned)((double)done / (double)all * 1000) : 0;
    __atomic_store_n(&job->progress, progress, __ATOMIC_RELAXED);
}

static int step_job(void *self, uint64_t done, uint64_t all)
{
    td_job_set_progress(self, done, all);
    return td_job_cancelled(self);
}

struct td_progress td_job_progress_of(struct td_job *job)
{
    return (struct td_progress){job ? step_job : NULL, job};
}
