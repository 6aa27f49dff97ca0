#include "host/tools/merge/merge_run.h"
#include "host/base/memory.h"
#include "host/base/plain_text.h"

#include <stdio.h>
#include <sys/stat.h>

#define KEPT_FILE_BYTES (UINT64_C(64) << 20) /* of files that are kept in memory from look to copy */
#define TARGET_PART     2 / 3                /* of the memory limit; the rest is for a source */

static uint64_t file_bytes(const struct merge *m)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct stat st;
        sum += stat(m->sources[i].path, &st) == 0 ? (uint64_t)st.st_size : 0;
    }
    return sum;
}

/* Sources get the part of the memory that the target does not. */
static int load_source(struct merge *m, const struct merge_source *s, struct td_trace **trace,
                       struct td_err *err)
{
    struct td_load_options load = *m->load;
    if (load.memory)
        load.memory_bytes = ((load.memory_bytes - load.memory_bytes * TARGET_PART) / 1024 + 1) * 1024;
    load.memory = NULL;
    return td_load(s->path, &load, m->command, trace, err);
}

static int look_at_all(struct merge *m, bool keep, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->count; i++) {
        struct merge_source *s = &m->sources[i];
        struct td_trace *trace;
        rc = load_source(m, s, &trace, err);
        if (rc < 0)
            break;
        rc = merge_source_look(s, trace, &m->rule, err);
        if (rc == 0 && keep)
            s->trace = trace;
        else
            td_trace_destroy(trace);
    }
    return rc;
}

static int copy_source(struct merge *m, struct td_copier *copier, struct merge_source *s, struct td_err *err)
{
    struct td_copy_options options = {.clock = s->line,
                                      .label = m->count > 1 || s->named ? s->label : NULL,
                                      .threads = (unsigned)m->load->threads};
    int rc = s->trace ? 0 : load_source(m, s, &s->trace, err);
    rc = rc ? rc : td_copier_add(copier, s->trace, &options, err);
    td_trace_destroy(s->trace);
    s->trace = NULL;
    return rc;
}

static int note_source(const struct merge *m, const struct merge_source *s, struct td_trace *trace)
{
    char text[320];
    merge_describe(s, text, sizeof text);
    if (!m->quiet)
        fprintf(stderr, "%s: %s (%s, %llu zones)\n", m->command, TD_PLAIN(text), TD_PLAIN(s->path),
                (unsigned long long)s->zones);
    return m->count > 1 ? td_trace_note(trace, TD_NOTE_SOURCE, "%s", text) : 0;
}

static int copy_all(struct merge *m, struct td_trace *trace, struct td_err *err)
{
    struct td_copier *copier = td_copier_create(trace, err);
    struct td_clock_origin origin;
    int rc = copier ? 0 : TD_E_NOMEM;
    bool has_clock = merge_align(m->sources, m->count, &m->rule, &origin);
    rc = rc < 0 ? rc : merge_check_span(m->sources, m->count, err);
    for (size_t i = 0; rc == 0 && i < m->count; i++) {
        rc = copy_source(m, copier, &m->sources[i], err);
        if (rc == 0 && note_source(m, &m->sources[i], trace) < 0)
            rc = td_fail_no_memory(err, "for the merged trace");
    }
    if (rc == 0 && has_clock && m->count > 1 && td_clock_origin_note(trace, &origin) < 0)
        rc = td_fail_no_memory(err, "for the merged trace");
    rc = rc ? rc : td_copier_end(copier, err);
    if (copier)
        snprintf(m->notice, sizeof m->notice, "%s", td_copier_notice(copier));
    td_copier_destroy(copier);
    return rc < 0 ? rc : td_trace_finish(trace, err);
}

int merge_run(struct merge *m, struct td_trace **trace, struct td_err *err)
{
    struct td_load_options *load = m->load;
    *trace = NULL;
    if (load->memory && td_memory_size(load->memory, "--memory", &load->memory_bytes, err) < 0)
        return TD_E_USAGE;
    int rc = look_at_all(m, !load->memory_bytes && file_bytes(m) <= KEPT_FILE_BYTES, err);
    if (rc == 0) {
        merge_label(m->sources, m->count);
        *trace = td_trace_create_within(td_dict_create(), load->memory_bytes * TARGET_PART);
        rc = *trace ? copy_all(m, *trace, err) : td_fail_no_memory(err, "for the merged trace");
    }
    for (size_t i = 0; i < m->count; i++)
        td_trace_destroy(m->sources[i].trace);
    if (rc < 0) {
        td_trace_destroy(*trace);
        *trace = NULL;
    }
    return rc;
}
