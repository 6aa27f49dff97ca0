/* tendril export: traces in formats of other programs. */
#include "host/base/nearest.h"
#include "host/base/options.h"
#include "host/base/progress_bar.h"
#include "host/file/load.h"
#include "host/tools/commands.h"
#include "host/tools/export/export.h"
#include "host/tools/export/export_fleet.h"
#include "host/tools/export/export_part.h"

#include <stdlib.h>
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
    "parquet is a folder OUT with the same tables, NAME.parquet, or if OUT ends in .parquet, a file with one "
    "of "
    "them, by default zones. With --fleet, OUT is a folder of many traces for DuckDB, Spark and pandas: each "
    "is "
    "in a new folder OUT/host=NAME/run=ID.\n"
    "\n"
    "folded is a file of folded stacks for flamegraph.pl and speedscope: TRACK;OUTER;INNER, and the own time "
    "of the "
    "zones in ns, or with --stacks samples the number of samples.\n"
    "\n"
    "pprof is a profile of the same for go tool pprof.\n"
    "\n"
    "speedscope is a file for https://www.speedscope.app, with a profile for each track that has zones.\n"
    "\n"
    "chrome is a trace of Chrome in JSON, for https://ui.perfetto.dev and chrome://tracing: zones, messages, "
    "plots and flows. "
    "If OUT ends in .gz, it is packed. perfetto is the same in Perfetto's own format, with samples and call "
    "stacks.\n"
    "\n"
    "OUT appears when it is complete. A file of that name becomes OUT.old. A folder must be new or empty.\n"
    "\n"
    "  tendril export --to sqlite -o trace.db trace.tracy\n"
    "  tendril export --to chrome -o trace.json.gz trace.tracy\n"
    "  tendril export --to folded -o trace.folded trace.tracy\n"
    "  tendril export --to csv -o tables trace.tracy\n"
    "  tendril export --to parquet -o zones.parquet trace.tracy\n"
    "  tendril export --to parquet --fleet -o fleet --host node7 run1.tracy run2.tracy";

const char td_summary_export[] = "Writes a trace in formats of other programs.";

struct export_command {
    const struct export_format *format;
    struct td_load_options load;
    struct export_work work;
    struct export_part part;
    int fleet;
    const char *host; /* NULL: the trace's */
};

static int write_trace(const struct export_command *c, const char *file, struct td_trace *trace,
                       struct td_err *err)
{
    struct export_work work = c->work;
    struct td_progress_bar bar;
    char *path = NULL;
    int rc = c->fleet ? export_fleet_path(work.path, trace, c->host, file, &path, err) : 0;
    if (rc < 0)
        return rc;
    const struct td_progress progress = td_progress_bar_begin(&bar, "writing", 0);
    work.trace = trace;
    work.path = path ? path : work.path;
    work.progress = &progress;
    rc = c->format->write(&work, err);
    td_progress_bar_end(&bar);
    free(path);
    return rc;
}

static int export_trace(const struct export_command *c, const char *file, struct td_err *err)
{
    struct td_load_options load = c->load;
    struct td_trace *trace = NULL;
    int rc = td_load(file, &load, "tendril export", &trace, err);
    struct export_part part = c->part;
    part.memory_bytes = load.memory_bytes;
    rc = rc ? rc : export_part_take(&part, &trace, err);
    rc = rc ? rc : write_trace(c, file, trace, err);
    td_trace_destroy(trace);
    return rc;
}

static int check_command(const struct export_command *c, const char *to, size_t traces, struct td_err *err)
{
    if (!to)
        return td_fail(err, TD_E_USAGE, "--to FORMAT is missing: one of %s", names + 1);
    if (!c->work.path || !*c->work.path)
        return td_fail(err, TD_E_USAGE, "-o OUT is missing: what to write");
    if (c->fleet && strcmp(to, "parquet") != 0)
        return td_fail(err, TD_E_USAGE, "--fleet is for --to parquet");
    if (!strcmp(c->work.path, "-") && (c->fleet || !strcmp(to, "csv")))
        return td_fail(err, TD_E_USAGE, "-o -: what is written is a folder, not one file");
    if (!c->fleet && (traces > 1 || c->host))
        return td_fail(err, TD_E_USAGE, "%s only with --fleet",
                       c->host ? "--host is" : "several traces are exported");
    return 0;
}

int td_cmd_export(int argc, char **argv, struct td_err *err)
{
    struct export_command c = {0};
    const char *to = NULL;
    int stacks = 0;
    const struct td_option options[] = {
        {0, "to", TD_OPT_STRING, &to, "FORMAT", "what to write", names + 1, 0, 0},
        {'o', "output", TD_OPT_STRING, &c.work.path, "FILE", "file or folder to write", NULL, 0, 0},
        {0, "table", TD_OPT_WORDS, &c.work.tables, "NAME",
         "csv, sqlite, parquet: only this table; may be repeated", NULL, 0, 0},
        {0, "fleet", TD_OPT_FLAG, &c.fleet, NULL, "parquet: add the traces to a folder of many", NULL, 0, 0},
        {0, "host", TD_OPT_STRING, &c.host, "NAME", "with --fleet: the machine, instead of the trace's", NULL,
         0, 0},
        {'r', "range", TD_OPT_STRING, &c.part.range, "FROM..TO",
         "only what overlaps these times, as in 1.5s..2s", NULL, 0, 0},
        {'l', "lanes", TD_OPT_STRING, &c.part.lanes, "EXPR",
         "only tracks that pass, as in 'chip 0 and not BRISC'", NULL, 0, 0},
        {0, "stacks", TD_OPT_CHOICE, &stacks, "WHAT", "folded, pprof: of what (default zones)",
         "zones|samples", 0, 0},
        TD_LOAD_OPTIONS(&c.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril export",
        .usage = "--to FORMAT -o OUT [options] TRACE ...",
        .summary = td_summary_export,
        .options = options,
        .min_args = 1,
        .max_args = -1,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    const size_t traces = (size_t)args.count;
    int rc = check_command(&c, to, traces, err);
    rc = rc ? rc : export_part_check(&c.part, err);
    if (rc == 0 && !(c.format = find_format(to, err)))
        rc = err->code;
    c.work.samples = stacks != 0;
    for (size_t t = 1; rc == 0 && t <= traces; t++)
        rc = export_trace(&c, argv[t], err);
    return rc;
}
