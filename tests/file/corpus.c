#include "tests/file/corpus.h"
#include "tests/file/support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

const char *const corpus_versions[CORPUS_VERSIONS] = {"0.9.1",  "0.10",   "ttfork", "0.11.1",
                                                      "0.12.2", "0.13.1", "0.14.0"};

int corpus_before(size_t version, const char *folder)
{
    for (size_t v = 0; v < CORPUS_VERSIONS; v++) {
        if (!strcmp(corpus_versions[v], folder))
            return version < v;
    }
    fail_msg("no folder %s", folder);
    return 0;
}

static const char *corpus(void)
{
    const char *path = getenv("TD_CORPUS");
    return path ? path : TD_SOURCE_DIR "/../shared/corpus";
}

const char *corpus_path(const char *folder, const char *name)
{
    static char path[1200];
    snprintf(path, sizeof path, TD_SOURCE_DIR "/tests/data/trace/%s/%s.tracy", folder, name);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%s/%s/%s.tracy", corpus(), folder, name);
    return access(path, R_OK) == 0 ? path : NULL;
}

struct td_trace *corpus_read(const char *path)
{
    struct td_trace *trace;
    struct td_err err = {0};
    if (td_file_read(path, &trace, &err) < 0)
        fail_msg("%s", err.text);
    if (broken_rule(trace))
        fail_msg("%s: %s", path, broken_rule(trace));
    return trace;
}

void corpus_each(const char *name, void (*check)(const struct td_trace *trace, size_t version))
{
    for (size_t v = 0; v < CORPUS_VERSIONS; v++) {
        const char *path = corpus_path(corpus_versions[v], name);
        if (!path) {
            print_message("skipped: no %s of %s\n", name, corpus_versions[v]);
            continue;
        }
        struct td_trace *trace = corpus_read(path);
        print_message("%s\n", path);
        check(trace, v);
        td_trace_destroy(trace);
    }
}

static unsigned each_file(const char *folder, void (*visit)(const char *path))
{
    unsigned files = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 6, ".tracy"))
            continue;
        char path[1300];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        visit(path);
        files++;
    }
    if (dir)
        closedir(dir);
    return files;
}

unsigned corpus_all(void (*visit)(const char *path))
{
    unsigned own = 0, others = 0;
    for (size_t v = 0; v < CORPUS_VERSIONS; v++) {
        char folder[1000];
        snprintf(folder, sizeof folder, TD_SOURCE_DIR "/tests/data/trace/%s", corpus_versions[v]);
        own += each_file(folder, visit);
        snprintf(folder, sizeof folder, "%s/%s", corpus(), corpus_versions[v]);
        others += each_file(folder, visit);
    }
    if (!others)
        print_message("skipped: no corpus at %s\n", corpus());
    return own;
}

/* ---- looking into a model ---- */

const char *text_of(const struct td_trace *trace, uint32_t string)
{
    return td_dict_text(td_trace_dict(trace), string);
}

int64_t at(const struct td_trace *trace, enum td_table table, uint64_t row, unsigned column)
{
    assert_true(row < rows(trace, table));
    return td_series_get(td_trace_table(trace, table), row, column);
}

int64_t in(const struct td_trace *trace, enum td_table table, uint64_t parent, uint64_t row, unsigned column)
{
    assert_true(row < rows_in(trace, table, parent));
    return td_series_get(td_trace_list(trace, table, parent), row, column);
}

const char *text_at(const struct td_trace *trace, enum td_table table, uint64_t row, unsigned column)
{
    return text_of(trace, (uint32_t)at(trace, table, row, column));
}

uint64_t rows(const struct td_trace *trace, enum td_table table)
{
    return td_series_count(td_trace_table(trace, table));
}

uint64_t rows_in(const struct td_trace *trace, enum td_table table, uint64_t parent)
{
    return parent < td_trace_lists(trace, table) ? td_series_count(td_trace_list(trace, table, parent)) : 0;
}

void each_zone(const struct td_trace *trace, uint32_t context, const char *name, zone_check *check)
{
    const struct td_dict *d = td_trace_dict(trace);
    for (uint32_t t = 0; t < td_dict_track_count(d); t++) {
        if (td_dict_get_track(d, t)->context != context)
            continue;
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++) {
            for (size_t i = 0; i < td_trace_row_zones(trace, t, r); i++) {
                struct td_zone z = td_trace_zone(trace, t, r, i);
                if (!name || !strcmp(td_dict_zone_name(d, z.srcloc), name))
                    check(trace, t, z);
            }
        }
    }
}

static uint64_t counted, open;

static void count_zone(const struct td_trace *trace, uint32_t track, struct td_zone zone)
{
    counted++;
    open += zone.end_ns == TD_OPEN;
}

uint64_t zones_of(const struct td_trace *trace, uint32_t context, const char *name)
{
    counted = 0;
    each_zone(trace, context, name, count_zone);
    return counted;
}

uint64_t open_zones(const struct td_trace *trace)
{
    open = 0;
    each_zone(trace, 0, NULL, count_zone);
    return open;
}

int64_t track_named(const struct td_trace *trace, const char *name)
{
    const struct td_dict *d = td_trace_dict(trace);
    for (uint32_t t = 0; t < td_dict_track_count(d); t++) {
        if (!td_dict_get_track(d, t)->context && !strcmp(text_of(trace, td_dict_get_track(d, t)->name), name))
            return t;
    }
    return -1;
}

int64_t plot_named(const struct td_trace *trace, const char *name)
{
    const struct td_dict *d = td_trace_dict(trace);
    for (uint32_t p = 0; p < td_dict_plot_count(d); p++) {
        if (!strcmp(text_of(trace, td_dict_get_plot(d, p)->name), name))
            return p;
    }
    return -1;
}

int64_t frames_named(const struct td_trace *trace, const char *name)
{
    const struct td_dict *d = td_trace_dict(trace);
    for (uint32_t f = 0; f < td_dict_frame_set_count(d); f++) {
        if (!strcmp(text_of(trace, td_dict_get_frame_set(d, f, NULL)), name))
            return f;
    }
    return -1;
}

int64_t context_named(const struct td_trace *trace, const char *name)
{
    for (uint64_t c = 0; c < rows(trace, TD_TABLE_GPU_CONTEXT); c++) {
        if (!strcmp(text_at(trace, TD_TABLE_GPU_CONTEXT, c, TD_GPU_CONTEXT_NAME), name))
            return (int64_t)c + 1;
    }
    return -1;
}

uint64_t messages_with(const struct td_trace *trace, const char *begin)
{
    uint64_t found = 0;
    for (size_t i = 0; i < td_trace_messages(trace); i++) {
        struct td_message m = td_trace_message(trace, i);
        found += !strncmp(text_of(trace, m.text), begin, strlen(begin));
    }
    return found;
}
