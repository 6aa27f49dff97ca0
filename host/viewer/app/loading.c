#include "host/viewer/app/loading.h"
#include "host/base/debug_log.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct td_loading {
    char *path;
    struct td_load_options load;
    struct td_file_read_options options;
    pthread_t thread;
    bool started;
    int stop;               /* atomic */
    int state;              /* atomic: enum td_loading_state */
    uint64_t done, total;   /* atomic: progress */
    struct td_trace *trace; /* set before TD_LOADING_GROWS */
    /* Of the thread, after it has ended. */
    struct td_trace *finished;
    struct td_err why;
    /* The thread waits until the viewer reads no more. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool left;
    struct td_loadings *shared; /* NULL: one user */
    struct td_loading *next;    /* of `shared` */
    unsigned users, leaving;    /* leaving: those that have called td_loading_begin_finish() */
};

static void set_state(struct td_loading *loading, enum td_loading_state state)
{
    __atomic_store_n(&loading->state, state, __ATOMIC_RELEASE);
}

static int on_step(void *self, uint64_t done, uint64_t total)
{
    struct td_loading *loading = self;
    __atomic_store_n(&loading->done, done, __ATOMIC_RELAXED);
    __atomic_store_n(&loading->total, total, __ATOMIC_RELAXED);
    return __atomic_load_n(&loading->stop, __ATOMIC_RELAXED);
}

static void on_begun(void *self, struct td_trace *trace)
{
    struct td_loading *loading = self;
    loading->trace = trace;
    td_debug(viewer, "the names of the file are read");
    set_state(loading, TD_LOADING_GROWS);
}

static void on_ending(void *self)
{
    struct td_loading *loading = self;
    td_debug(viewer, "the file is read");
    set_state(loading, TD_LOADING_ENDED);
    pthread_mutex_lock(&loading->lock);
    while (!loading->left)
        pthread_cond_wait(&loading->changed, &loading->lock);
    pthread_mutex_unlock(&loading->lock);
}

static void *load_file(void *self)
{
    struct td_loading *loading = self;
    td_load_with(loading->path, &loading->load, &loading->options, &loading->finished, &loading->why);
    set_state(loading, TD_LOADING_DONE);
    return NULL;
}

static struct td_loading *find_shared(const struct td_loadings *shared, const char *path)
{
    struct td_loading *found = shared && strcmp(path, "-") != 0 ? shared->first : NULL;
    while (found && (strcmp(found->path, path) != 0 || found->why.code))
        found = found->next;
    return found;
}

struct td_loading *td_loading_open(const char *path, const struct td_load_options *options,
                                   struct td_loadings *shared, struct td_err *err)
{
    struct td_loading *found = find_shared(shared, path);
    if (found) {
        found->users++;
        return found;
    }
    if (strcmp(path, "-") && access(path, R_OK) != 0) {
        td_fail_errno(err, "cannot open '%s'", path);
        return NULL;
    }
    struct td_loading *loading = calloc(1, sizeof *loading);
    if (!loading) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    pthread_mutex_init(&loading->lock, NULL);
    pthread_cond_init(&loading->changed, NULL);
    loading->load = *options;
    loading->options.progress = (struct td_progress){on_step, loading};
    loading->options.growth = (struct td_file_growth){on_begun, on_ending, loading};
    loading->users = 1;
    loading->path = strdup(path);
    if (!loading->path) {
        td_fail_no_memory(err, NULL);
        td_loading_close(loading, false);
        return NULL;
    }
    loading->shared = shared;
    if (shared) {
        loading->next = shared->first;
        shared->first = loading;
    }
    return loading;
}

int td_loading_start(struct td_loading *loading, struct td_err *err)
{
    if (loading->started || td_loading_get_state(loading) == TD_LOADING_FINISHED)
        return 0;
    if (pthread_create(&loading->thread, NULL, load_file, loading) != 0)
        return td_fail(err, TD_E_IO, "no thread can be started to read '%s'", loading->path);
    loading->started = true;
    return 0;
}

enum td_loading_state td_loading_get_state(const struct td_loading *loading)
{
    return (enum td_loading_state)__atomic_load_n(&loading->state, __ATOMIC_ACQUIRE);
}

double td_loading_part(const struct td_loading *loading)
{
    const uint64_t done = __atomic_load_n(&loading->done, __ATOMIC_RELAXED),
                   total = __atomic_load_n(&loading->total, __ATOMIC_RELAXED);
    return !total ? -1 : done < total ? (double)done / (double)total : 1;
}

struct td_trace *td_loading_trace(const struct td_loading *loading)
{
    return loading->trace;
}

static void let_finish(struct td_loading *loading)
{
    pthread_mutex_lock(&loading->lock);
    loading->left = true;
    pthread_cond_signal(&loading->changed);
    pthread_mutex_unlock(&loading->lock);
}

void td_loading_begin_finish(struct td_loading *loading)
{
    if (++loading->leaving >= loading->users)
        let_finish(loading);
}

/* Lets the thread end, and waits for that. */
static void join_thread(struct td_loading *loading)
{
    let_finish(loading);
    if (loading->started)
        pthread_join(loading->thread, NULL);
    loading->started = false;
}

int td_loading_finish(struct td_loading *loading, struct td_err *err)
{
    join_thread(loading);
    set_state(loading, TD_LOADING_FINISHED);
    loading->trace = loading->finished;
    return loading->trace ? 0 : td_fail(err, loading->why.code, "%s", loading->why.text);
}

uint32_t td_loading_version(const struct td_loading *loading)
{
    return loading->options.version;
}

const char *td_loading_salvaged(const struct td_loading *loading)
{
    return loading->options.salvaged;
}

static void leave_shared(struct td_loading *loading)
{
    struct td_loading **at = loading->shared ? &loading->shared->first : NULL;
    while (at && *at && *at != loading)
        at = &(*at)->next;
    if (at && *at)
        *at = loading->next;
}

void td_loading_close(struct td_loading *loading, bool begun)
{
    if (!loading)
        return;
    if (--loading->users) {
        loading->leaving -= begun;
        if (loading->leaving >= loading->users && td_loading_get_state(loading) == TD_LOADING_ENDED)
            let_finish(loading);
        return;
    }
    leave_shared(loading);
    __atomic_store_n(&loading->stop, 1, __ATOMIC_RELAXED);
    join_thread(loading);
    td_trace_destroy(loading->finished);
    pthread_cond_destroy(&loading->changed);
    pthread_mutex_destroy(&loading->lock);
    free(loading->path);
    free(loading);
}
