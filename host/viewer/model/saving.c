#include "host/viewer/model/saving.h"
#include "host/base/plain_text.h"
#include "host/file/out_file.h"
#include "host/trace/copy.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct td_saving {
    const struct td_trace *trace;
    struct td_session_facts facts;
    struct td_save_options options;
    pthread_t thread;
    int state, stop;      /* atomic; state: enum td_saving_state */
    uint64_t done, total; /* atomic */
    char text[5000];
};

static void set_state(struct td_saving *saving, enum td_saving_state state)
{
    __atomic_store_n(&saving->state, state, __ATOMIC_RELEASE);
}

static int on_step(void *self, uint64_t done, uint64_t total)
{
    struct td_saving *saving = self;
    __atomic_store_n(&saving->done, done, __ATOMIC_RELAXED);
    __atomic_store_n(&saving->total, total, __ATOMIC_RELAXED);
    return __atomic_load_n(&saving->stop, __ATOMIC_RELAXED);
}

/* A copy of what the trace has now, which is not finished. NULL: an error. */
static struct td_trace *copy_trace(struct td_saving *saving, struct td_err *err)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *copy = dict ? td_trace_create(dict) : NULL;
    struct td_copier *copier = copy ? td_copier_create(copy, err) : NULL;
    int rc = copier ? td_copier_add(copier, saving->trace, &(struct td_copy_options){0}, err)
                    : td_fail_no_memory(err, NULL);
    if (rc == 0)
        rc = td_copier_end(copier, err);
    td_copier_destroy(copier);
    if (rc == 0)
        return copy;
    td_trace_destroy(copy);
    return NULL;
}

static int write_trace(struct td_saving *saving, const struct td_trace *trace, struct td_err *err)
{
    const char *path = saving->options.path;
    struct td_file_notice notice = {0};
    struct td_file_options options = {.packing = saving->options.packing,
                                      .level = saving->options.level,
                                      .progress = {on_step, saving},
                                      .notice = &notice};
    if (td_file_format(td_session_format(saving->facts.release), &options, NULL) != 0)
        options.version = TD_FILE_VERSION_NEWEST;
    options.file = td_out_file_open(path, saving->options.replace ? TD_OUT_REPLACE : TD_OUT_NEW, err);
    if (!options.file)
        return TD_E_IO;
    int rc = td_file_write(trace, path, &options, err);
    td_out_file_close(options.file);
    snprintf(saving->text, sizeof saving->text, "saved to %s%s%s", TD_PLAIN(path), notice.text[0] ? "; " : "",
             notice.text);
    return rc;
}

static void *save(void *self)
{
    struct td_saving *saving = self;
    struct td_err err = {0};
    struct td_trace *copy = NULL;
    int rc = 0;
    if (!td_trace_is_finished(saving->trace)) {
        copy = copy_trace(saving, &err);
        set_state(saving, TD_SAVING_WRITES);
        rc = copy ? td_session_describe(&saving->facts, copy) : err.code;
        rc = rc < 0 ? rc : td_trace_finish(copy, &err);
    }
    if (rc == 0)
        rc = write_trace(saving, copy ? copy : saving->trace, &err);
    td_trace_destroy(copy);
    if (rc < 0)
        snprintf(saving->text, sizeof saving->text, "%s", err.code ? TD_PLAIN(err.text) : "out of memory");
    set_state(saving, rc < 0 ? TD_SAVING_FAILED : TD_SAVING_DONE);
    return NULL;
}

struct td_saving *td_saving_start(const struct td_trace *trace, const struct td_session_facts *facts,
                                  const struct td_save_options *options, struct td_err *err)
{
    struct td_saving *saving = calloc(1, sizeof *saving);
    if (!saving) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    saving->trace = trace;
    saving->facts = *facts;
    saving->options = *options;
    saving->state = td_trace_is_finished(trace) ? TD_SAVING_WRITES : TD_SAVING_COPIES;
    if (pthread_create(&saving->thread, NULL, save, saving) == 0)
        return saving;
    td_fail(err, TD_E_IO, "no thread can be started to save the trace");
    free(saving);
    return NULL;
}

enum td_saving_state td_saving_get_state(const struct td_saving *saving)
{
    return (enum td_saving_state)__atomic_load_n(&saving->state, __ATOMIC_ACQUIRE);
}

double td_saving_part(const struct td_saving *saving)
{
    const uint64_t done = __atomic_load_n(&saving->done, __ATOMIC_RELAXED),
                   total = __atomic_load_n(&saving->total, __ATOMIC_RELAXED);
    return !total ? 0 : done < total ? (double)done / (double)total : 1;
}

const char *td_saving_text(const struct td_saving *saving)
{
    return saving->text;
}

void td_saving_close(struct td_saving *saving)
{
    if (!saving)
        return;
    __atomic_store_n(&saving->stop, 1, __ATOMIC_RELAXED);
    pthread_join(saving->thread, NULL);
    free(saving);
}
