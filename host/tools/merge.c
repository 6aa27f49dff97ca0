/* tendril merge: one trace of several. */
#include "host/base/options.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/tools/commands.h"
#include "host/tools/merge/merge_run.h"
#include "host/tools/files/format_option.h"
#include "host/tools/files/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merge_command {
    struct td_load_options load;
    struct output output;
    const char *align, *format;
    struct td_words offsets, names;
    int quiet;
};

/* The source of "FILE=VALUE", where FILE is a path or the last part of one, and *value. */
static struct merge_source *find_source(struct merge *m, const char *word, const char *option,
                                        const char **value, struct td_err *err)
{
    const char *equals = strrchr(word, '=');
    struct merge_source *found = NULL;
    size_t bytes = equals ? (size_t)(equals - word) : 0;
    if (!bytes) {
        td_fail(err, TD_E_USAGE, "%s: '%.200s' is not FILE=VALUE", option, word);
        return NULL;
    }
    *value = equals + 1;
    for (size_t i = 0; i < m->count; i++) {
        const char *path = m->sources[i].path, *last = td_path_name(path);
        bool whole = strlen(path) == bytes && !memcmp(path, word, bytes);
        if (!whole && (strlen(last) != bytes || memcmp(last, word, bytes) != 0))
            continue;
        if (found && !whole) {
            td_fail(err, TD_E_USAGE, "%s: several files are called '%.*s'", option, (int)bytes, word);
            return NULL;
        }
        found = &m->sources[i];
        if (whole)
            return found;
    }
    if (!found)
        td_fail(err, TD_E_USAGE, "%s: '%.*s' is not one of the files", option, (int)bytes, word);
    return found;
}

static int apply_offsets(struct merge *m, const struct td_words *words, struct td_err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *value;
        char *end;
        struct merge_source *s = find_source(m, words->words[i], "--offset", &value, err);
        if (!s)
            return err->code;
        s->added_ns = strtoll(value, &end, 10);
        if (end == value || *end || s->added_ns > INT64_MAX / 8 || s->added_ns < -(INT64_MAX / 8))
            return td_fail(err, TD_E_USAGE, "--offset: '%.100s' is not a number of ns", value);
    }
    return 0;
}

static int apply_names(struct merge *m, const struct td_words *words, struct td_err *err)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *value;
        struct merge_source *s = find_source(m, words->words[i], "--name", &value, err);
        if (!s)
            return err->code;
        if (!*value || strlen(value) >= 100)
            return td_fail(err, TD_E_USAGE, "--name: a name has 1 to 99 bytes");
        snprintf(s->label, sizeof s->label, "%s", value);
        s->named = true;
    }
    return 0;
}

static int check_sources(const struct merge *m, struct td_err *err)
{
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(m->sources[i].path, m->sources[k].path))
                return td_fail(err, TD_E_USAGE, "%s is given twice", m->sources[i].path);
            if (m->sources[i].named && m->sources[k].named &&
                !strcmp(m->sources[i].label, m->sources[k].label))
                return td_fail(err, TD_E_USAGE, "--name: two files are called %s", m->sources[i].label);
        }
    return 0;
}

static int merge_and_write(struct merge_command *c, struct merge *m, struct td_err *err)
{
    struct td_file_notice notice = {0};
    struct td_file_options options = {.notice = &notice, .threads = (int)c->load.threads};
    struct td_trace *trace;
    if (td_file_format(c->format, &options, err) < 0 || output_open(&c->output, TD_OUT_KEEP_OLD, err) < 0)
        return err->code;
    int rc = merge_run(m, &trace, err);
    if (rc == 0) {
        rc = output_write(&c->output, trace, &options, err);
        if (notice.text[0])
            fprintf(stderr, "tendril merge: %s\n", TD_PLAIN(notice.text));
        if (m->notice[0])
            fprintf(stderr, "tendril merge: %s\n", TD_PLAIN(m->notice));
        td_trace_destroy(trace);
    }
    output_close(&c->output);
    return rc;
}

static const char details[] =
    "Each file is a process of the merged trace: tracks are called \"PROGRAM: thread\", plots and frame sets "
    "\"name (PROGRAM)\". PROGRAM is the name in the trace; where several have the same, the file's name "
    "follows. Ids of threads, chips, locks and addresses that several files have are kept apart. One file "
    "alone keeps its contents.\n"
    "\n"
    "--align says how the times are related. clock: by the clock that Tendril's recorders store (exact on "
    "one "
    "machine; else by the times of day), or by the second in which a stock trace's program began. first: the "
    "first zones or messages begin together. message:TEXT: the first messages that contain TEXT are at one "
    "time. frame:SET:N: the N-th frames (from 0) of that set begin together; the set without a name is "
    "Frame. "
    "For each file, a line says how it was aligned and how far it may be wrong; `tendril info` shows these "
    "lines.\n"
    "\n"
    "The result does not depend on the order of the files. With --memory, files of any size can be merged: "
    "each is read twice, and what does not fit is in a temporary file.\n"
    "\n"
    "  tendril merge node1.tracy node2.tracy -o both.tracy\n"
    "  tendril merge --align message:start --offset b.tracy=1500 a.tracy b.tracy -o ab.tracy";

const char td_summary_merge[] = "Merges traces of several processes or machines into one.";

int td_cmd_merge(int argc, char **argv, struct td_err *err)
{
    struct merge_command c = {.format = "any", .output = {.command = "tendril merge"}};
    const struct td_option options[] = {
        {'o', "output", TD_OPT_STRING, &c.output.path, "FILE", "trace to write", NULL, 0, 0},
        {'a', "align", TD_OPT_STRING, &c.align, "HOW", "clock (default), first, message:TEXT or frame:SET:N",
         NULL, 0, 0},
        {0, "offset", TD_OPT_WORDS, &c.offsets, "FILE=NS", "add NS to all times of FILE; may be repeated",
         NULL, 0, 0},
        {0, "name", TD_OPT_WORDS, &c.names, "FILE=NAME", "call the process of FILE so; may be repeated", NULL,
         0, 0},
        FORMAT_OPTION_ANY(&c.format),
        {'q', "quiet", TD_OPT_FLAG, &c.quiet, NULL, "no line for each file", NULL, 0, 0},
        TD_LOAD_OPTIONS(&c.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril merge",
        .usage = "-o OUT [options] FILE...",
        .summary = td_summary_merge,
        .options = options,
        .min_args = 1,
        .max_args = -1,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (!c.output.path)
        return td_fail(err, TD_E_USAGE, "-o FILE is missing: which trace to write");
    struct merge m = {.command = "tendril merge",
                      .load = &c.load,
                      .quiet = c.quiet,
                      .count = (size_t)args.count,
                      .sources = calloc((size_t)args.count, sizeof *m.sources)};
    if (!m.sources)
        return td_fail_no_memory(err, NULL);
    for (size_t i = 0; i < m.count; i++)
        m.sources[i].path = argv[1 + i];
    int rc = merge_rule_parse(c.align, &m.rule, err);
    rc = rc < 0 ? rc : apply_names(&m, &c.names, err);
    rc = rc < 0 ? rc : apply_offsets(&m, &c.offsets, err);
    rc = rc < 0 ? rc : check_sources(&m, err);
    rc = rc < 0 ? rc : merge_and_write(&c, &m, err);
    free(m.sources);
    return rc;
}
