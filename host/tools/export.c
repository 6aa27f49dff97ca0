/* tendril export: traces in formats of other programs. */
#include "host/base/nearest.h"
#include "host/base/options.h"
#include "host/base/progress_bar.h"
#include "host/file/load.h"
#include "host/tools/commands.h"
#include "host/tools/export/export.h"

#include <string.h>

static const struct export_format {
    const char *name;
    int (*write)(const struct export_work *work, struct td_err *err);
} formats[] = {
#define TD_X(name) {#name, export_##name},
    EXPORT_FORMATS(TD_X)
#undef TD_X
};
#define TD_X(name) "|" #name
static const char names[] = EXPORT_FORMATS(TD_X); /* with "|" before the first */
#undef TD_X

static const struct export_format *find_format(const char *name, struct td_err *err)
{
    struct td_nearest nearest = {.word = name};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (!strcmp(formats[i].name, name))
            return &formats[i];
        td_nearest_offer(&nearest, formats[i].name);
    }
    if (nearest.name)
        td_fail(err, TD_E_USAGE, "--to '%.60s': did you mean %s?", name, nearest.name);
    else
        td_fail(err, TD_E_USAGE, "--to '%.60s' is not one of %s", name, names + 1);
    return NULL;
}

static const char details[] =
    "csv is a folder OUT with a file for each table, NAME.csv, in which the first line has the names of the "
    "columns. sqlite is a database with the same tables. docs/query-tables.md describes them. Times are ns "
    "since the start of the trace.\n"
    "\n"
    "folded is a file of folded stacks for flamegraph.pl and speedscope: TRACK;OUTER;INNER, and the own time "
    "of the "
    "zones in ns, or with --stacks samples the number of samples.\n"
    "\n"
    "speedscope is a file for https://www.speedscope.app, with a profile for each track that has zones.\n"
    "\n"
    "chrome is a trace of Chrome in JSON, for https://ui.perfetto.dev and chrome://tracing: zones, messages, "
    "plots and flows. "
    "If OUT ends in .gz, it is packed.\n"
    "\n"
    "OUT appears when it is complete. A file of that name becomes OUT.old. A folder must be new or empty.\n"
    "\n"
    "  tendril export --to sqlite -o trace.db trace.tracy\n"
    "  tendril export --to chrome -o trace.json.gz trace.tracy\n"
    "  tendril export --to folded -o trace.folded trace.tracy\n"
    "  tendril export --to csv -o tables trace.tracy";

const char td_summary_export[] = "Writes a trace in formats of other programs.";

int td_cmd_export(int argc, char **argv, struct td_err *err)
{
    struct td_load_options load = {0};
    const char *to = NULL;
    struct export_work work = {0};
    int stacks = 0;
    const struct td_option options[] = {
        {0, "to", TD_OPT_STRING, &to, "FORMAT", "what to write", names + 1, 0, 0},
        {'o', "output", TD_OPT_STRING, &work.path, "FILE", "file or folder to write", NULL, 0, 0},
        {0, "stacks", TD_OPT_CHOICE, &stacks, "WHAT", "folded: of what (default zones)", "zones|samples", 0,
         0},
        TD_LOAD_OPTIONS(&load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril export",
        .usage = "--to FORMAT -o OUT [options] TRACE",
        .summary = td_summary_export,
        .options = options,
        .min_args = 1,
        .max_args = 1,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (!to)
        return td_fail(err, TD_E_USAGE, "--to FORMAT is missing: one of %s", names + 1);
    if (!work.path || !*work.path)
        return td_fail(err, TD_E_USAGE, "-o OUT is missing: what to write");
    const struct export_format *format = find_format(to, err);
    if (!format)
        return err->code;
    struct td_trace *trace = NULL;
    int rc = td_load(argv[1], &load, "tendril export", &trace, err);
    if (rc == 0) {
        struct td_progress_bar bar;
        const struct td_progress progress = td_progress_bar_begin(&bar, "writing", 0);
        work.trace = trace;
        work.samples = stacks != 0;
        work.progress = &progress;
        rc = format->write(&work, err);
        td_progress_bar_end(&bar);
    }
    td_trace_destroy(trace);
    return rc;
}
