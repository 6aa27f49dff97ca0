/* tendril annotate: functions, source lines and instructions with their samples. */
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/base/time_text.h"
#include "host/file/load.h"
#include "host/file/out_file.h"
#include "host/tools/annotate/annotate.h"
#include "host/tools/commands.h"
#include "host/base/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct annotate_command {
    struct annotate annotate;
    struct td_load_options load;
    struct td_words threads, path_rules, elfs;
    const char *output, *range, *zone;
    int json, intel;
    const char *input, *symbol; /* symbol NULL: the list */
    uint32_t *tracks;
};

/* ---- threads and times ---- */

static bool is_track(const struct td_dict *dict, uint32_t track, const char *name)
{
    const struct td_track *t = td_dict_get_track(dict, track);
    char id[24];
    snprintf(id, sizeof id, "%" PRIu64, t->thread);
    return !strcmp(id, name) || !strcmp(td_dict_text(dict, t->name), name);
}

/* Adds the threads of this name or number. False: there are none. */
static bool add_tracks(struct annotate_command *c, const char *name)
{
    struct td_samples_choice *choice = &c->annotate.choice;
    bool is_found = false;
    for (uint32_t t = 0; t < td_dict_track_count(c->annotate.dict); t++) {
        size_t known = 0;
        if (!is_track(c->annotate.dict, t, name))
            continue;
        while (known < choice->track_count && c->tracks[known] != t)
            known++;
        if (known == choice->track_count)
            c->tracks[choice->track_count++] = t;
        is_found = true;
    }
    return is_found;
}

static int choose_threads(struct annotate_command *c, struct td_err *err)
{
    if (!c->threads.count)
        return 0;
    c->tracks = malloc((td_dict_track_count(c->annotate.dict) + 1) * sizeof *c->tracks);
    if (!c->tracks)
        return td_fail_no_memory(err, NULL);
    for (size_t w = 0; w < c->threads.count; w++)
        if (!add_tracks(c, c->threads.words[w]))
            return td_fail(err, TD_E_NOTFOUND, "no thread has the name or number '%.200s'",
                           c->threads.words[w]);
    c->annotate.choice.tracks = c->tracks;
    return 0;
}

static int choose_range(struct annotate_command *c, struct td_err *err)
{
    double from_ns, to_ns;
    if (!c->range)
        return 0;
    if (td_range_parse(c->range, &from_ns, &to_ns) < 0 || from_ns < 0)
        return td_fail(err, TD_E_USAGE, "--range %.200s: not FROM..TO with times such as 1.5s or 300us",
                       c->range);
    c->annotate.choice.from_ns = (int64_t)from_ns;
    c->annotate.choice.to_ns = (int64_t)to_ns;
    return 0;
}

/* ---- printing ---- */

static int find_function(struct annotate_command *c, const struct td_symbol_sum **found, struct td_err *err)
{
    struct annotate *a = &c->annotate;
    size_t others;
    *found = td_symbol_sums_find(&a->sums, a->trace, c->symbol, &others);
    if (!*found && !a->inlines) { /* it may be known as an inlined function only */
        a->inlines = 1;
        td_symbol_sums_free(&a->sums);
        if (td_symbol_sums_make(a->trace, &a->choice, &a->counts, true, NULL, &a->sums, err) < 0)
            return err->code;
        *found = td_symbol_sums_find(&a->sums, a->trace, c->symbol, &others);
    }
    if (!*found)
        return td_fail(err, TD_E_NOTFOUND,
                       "no sample is in a function '%.200s'; without SYMBOL, those with samples are listed",
                       c->symbol);
    if (others)
        fprintf(stderr,
                "tendril annotate: %zu more function%s of this name; the one with most samples is shown\n",
                others, others == 1 ? "" : "s");
    return 0;
}

static int print_function(struct annotate_command *c, struct td_err *err)
{
    const struct td_symbol_sum *sum;
    struct annotate_function function = {0};
    int rc = find_function(c, &sum, err);
    rc = rc ? rc : annotate_function_make(&c->annotate, sum, &function, err);
    if (rc == 0 && c->json)
        rc = annotate_json(&c->annotate, NULL, &function, NULL, err);
    else if (rc == 0)
        annotate_print_function(&c->annotate, &function);
    annotate_function_free(&function);
    return rc;
}

static int print_waits(struct annotate_command *c, struct td_err *err)
{
    struct td_wait_stacks waits;
    int rc = td_wait_stacks_make(c->annotate.trace, &c->annotate.choice, NULL, &waits, err);
    if (rc == 0 && c->json)
        rc = annotate_json(&c->annotate, NULL, NULL, &waits, err);
    else if (rc == 0)
        annotate_print_waits(&c->annotate, &waits);
    td_wait_stacks_free(&waits);
    return rc;
}

static int print_zone(struct annotate_command *c, struct td_trace *trace, struct td_err *err)
{
    struct annotate_zone zone = {.name = c->zone};
    struct annotate_function function = {0};
    int rc = annotate_zone_make(&c->annotate, trace, &c->elfs, &zone, &function, err);
    if (rc == 0 && c->json)
        rc = annotate_json(&c->annotate, &zone, &function, NULL, err);
    else if (rc == 0)
        annotate_print_zone(&c->annotate, &zone, &function);
    annotate_function_free(&function);
    annotate_zone_free(&zone);
    return rc;
}

static int print_all(struct annotate_command *c, struct td_trace *trace, struct td_err *err)
{
    struct annotate *a = &c->annotate;
    int rc = choose_threads(c, err);
    rc = rc ? rc : choose_range(c, err);
    if (rc == 0 && a->waits)
        return print_waits(c, err);
    rc = rc ? rc : td_stack_counts_make(a->trace, &a->choice, NULL, &a->counts, err);
    if (rc == 0)
        rc = td_symbol_sums_make(a->trace, &a->choice, &a->counts, a->inlines != 0, NULL, &a->sums, err);
    if (rc == 0 && c->zone)
        return print_zone(c, trace, err);
    if (rc == 0 && c->symbol)
        return print_function(c, err);
    if (rc == 0 && c->json)
        return annotate_json(a, NULL, NULL, NULL, err);
    if (rc == 0 && annotate_print_list(a) < 0)
        rc = td_fail_no_memory(err, NULL);
    return rc;
}

/* The text is made whole before anything is written. */
static int write_text(struct annotate_command *c, const char *text, size_t bytes, struct td_err *err)
{
    struct td_out_file *file = td_out_file_open(c->output ? c->output : "-", TD_OUT_TEXT, err);
    int rc = file ? td_out_file_write(file, text, bytes, NULL, NULL, err) : err->code;
    rc = rc ? rc : td_out_file_commit(file, err);
    td_out_file_close(file);
    return rc;
}

static int annotate_trace(struct annotate_command *c, struct td_err *err)
{
    struct annotate *a = &c->annotate;
    struct td_trace *trace = NULL;
    char *text = NULL;
    size_t bytes = 0;
    int rc = td_path_substitutions_init(&a->paths, &c->path_rules, err);
    rc = rc ? rc : td_load(c->input, &c->load, "tendril annotate", &trace, err);
    if (rc == 0) {
        a->trace = trace;
        a->dict = td_trace_dict(trace);
        a->path = c->input;
        a->to = open_memstream(&text, &bytes);
        rc = a->to ? print_all(c, trace, err) : td_fail_no_memory(err, NULL);
        if (a->to && !td_text_close(a->to, &text) && rc == 0)
            rc = td_fail_no_memory(err, NULL);
    }
    rc = rc ? rc : write_text(c, text, bytes, err);
    free(text);
    free(c->tracks);
    td_symbol_sums_free(&a->sums);
    td_stack_counts_free(&a->counts);
    td_path_substitutions_free(&a->paths);
    td_trace_destroy(trace);
    return rc;
}

static const char details[] =
    "Without SYMBOL, the functions with samples are listed. SYMBOL is a function's name, with or without its "
    "parameters, or its address (0x...). Percentages are of all samples that --thread and --range choose. "
    "Samples that were taken at context switches are not among them; --waits shows those.\n"
    "\n"
    "Source texts are those in the trace. Where it has none, the file is read from this machine.\n"
    "\n"
    "  tendril annotate trace.tracy\n"
    "  tendril annotate trace.tracy matmul_tile\n"
    "  tendril annotate --zone multiply --kernel build/math.elf trace.tracy\n"
    "  tendril annotate --thread worker --range 1.5s..2s --json trace.tracy matmul_tile\n"
    "  tendril annotate --path '^/build/(.*);/src/$1' -o listing.txt trace.tracy 'ns::f(int)'";

const char td_summary_annotate[] =
    "Shows where a program spent its time: functions, source lines, instructions.";

int td_cmd_annotate(int argc, char **argv, struct td_err *err)
{
    struct annotate_command c = {0};
    struct annotate *a = &c.annotate;
    const struct td_option options[] = {
        {0, "att", TD_OPT_FLAG | TD_OPT_LOOKS, &a->att, NULL, "x86 code in AT&T's notation", NULL, 0, 0},
        {0, "intel", TD_OPT_FLAG | TD_OPT_LOOKS, &c.intel, NULL, "x86 code in Intel's notation (default)",
         NULL, 0, 0},
        {0, "cpu", TD_OPT_STRING, &a->processor, "NAME",
         "what each instruction costs on this processor (skylake, znver3 ...), by llvm-mca", NULL, 0, 0},
        {'i', "inlines", TD_OPT_FLAG, &a->inlines, NULL,
         "inlined functions have samples of their own, not the functions around them", NULL, 0, 0},
        {'z', "zone", TD_OPT_STRING, &c.zone, "NAME", "the source and the code at the marker of this zone",
         NULL, 0, 0},
        {'k', "kernel", TD_OPT_WORDS, &c.elfs, "ELF",
         "with --zone: a kernel that may have the marker; may be repeated", NULL, 0, 0},
        {'t', "thread", TD_OPT_WORDS, &c.threads, "THREAD",
         "only samples of this thread, a name or a number; may be repeated", NULL, 0, 0},
        {'r', "range", TD_OPT_STRING, &c.range, "FROM..TO",
         "only samples between these times, as in 1.5s..2s", NULL, 0, 0},
        {'c', "callers", TD_OPT_FLAG, &a->callers, NULL, "who calls SYMBOL, as a tree", NULL, 0, 0},
        {'w', "waits", TD_OPT_FLAG, &a->waits, NULL,
         "call stacks with which threads stopped running, instead of functions", NULL, 0, 0},
        {0, "source", TD_OPT_FLAG | TD_OPT_LOOKS, &a->source_only, NULL, "no machine code", NULL, 0, 0},
        {0, "assembly", TD_OPT_FLAG | TD_OPT_LOOKS, &a->assembly_only, NULL, "no source text", NULL, 0, 0},
        {'p', "path", TD_OPT_WORDS, &c.path_rules, "REGEX;REPLACEMENT",
         "where source files are on this machine; may be repeated", NULL, 0, 0},
        {'j', "json", TD_OPT_FLAG | TD_OPT_LOOKS, &c.json, NULL, "everything, for programs (docs/samples.md)",
         NULL, 0, 0},
        {'a', "all", TD_OPT_FLAG | TD_OPT_LOOKS, &a->all, NULL, "whole lists, not only the first 40 rows",
         NULL, 0, 0},
        {'o', "output", TD_OPT_STRING, &c.output, "FILE", "write to a file", NULL, 0, 0},
        TD_LOAD_OPTIONS(&c.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril annotate",
        .usage = "[options] FILE [SYMBOL]",
        .summary = td_summary_annotate,
        .options = options,
        .min_args = 1,
        .max_args = 2,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (a->att && c.intel)
        return td_fail(err, TD_E_USAGE, "--att and --intel exclude each other");
    if (a->processor && (a->source_only || (!c.zone && args.count < 2)))
        return td_fail(err, TD_E_USAGE, "--cpu is for machine code: give SYMBOL or --zone, without --source");
    if (a->source_only && a->assembly_only)
        return td_fail(err, TD_E_USAGE, "--source and --assembly exclude each other");
    c.input = argv[1];
    c.symbol = args.count == 2 ? argv[2] : NULL;
    if (c.zone && (c.symbol || a->waits))
        return td_fail(err, TD_E_USAGE, "--zone excludes SYMBOL and --waits");
    if (c.elfs.count && !c.zone)
        return td_fail(err, TD_E_USAGE, "--kernel is for --zone");
    if (c.symbol && a->waits)
        return td_fail(err, TD_E_USAGE, "--waits is for all functions: leave SYMBOL out");
    return annotate_trace(&c, err);
}
