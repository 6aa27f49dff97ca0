/* Sums of samples of a made-up trace: processor time of each kind of sum, next to one plain pass over the samples.
 * Options: --samples N (default 10,000,000), --quick (200,000), --json. */
#include "bench/report.h"
#include "host/query/code/call_tree.h"
#include "host/query/code/line_sums.h"
#include "host/query/code/symbol_sums.h"
#include "host/query/code/wait_stacks.h"
#include "host/trace/tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACKS    20000
#define DEPTH     24
#define FUNCTIONS 3000
#define TRACKS    8
#define LIMIT_S   1.0 /* of the sums that a viewer makes for 10 M samples; scaled with their number */
#define USUAL     10000000.

static int64_t add_string(struct td_trace *trace, const char *format, unsigned number)
{
    char text[32];
    snprintf(text, sizeof text, format, number);
    return td_dict_string(td_trace_fill_dict(trace), text, strlen(text));
}

static int add_functions(struct td_trace *trace)
{
    struct td_series *lines = td_trace_fill_table(trace, TD_TABLE_STACK_LINE),
                     *frames = td_trace_fill_table(trace, TD_TABLE_STACK_FRAME);
    int rc = lines && frames ? 0 : -1;
    for (unsigned f = 1; rc == 0 && f <= FUNCTIONS; f++) {
        const int64_t line[] = {add_string(trace, "function_%u", f), add_string(trace, "file_%u.c", f % 50),
                                f % 400, (int64_t)f << 8};
        rc = td_series_append(lines, line);
        const int64_t frame[] = {(int64_t)f << 8 | 16, 0, (int64_t)lines->count};
        rc = rc ? rc : td_series_append(frames, frame);
    }
    return rc;
}

static struct td_trace *make_trace(uint64_t samples)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_err err = {0};
    unsigned seed = 7;
    if (!trace || add_functions(trace) < 0)
        return NULL;
    for (uint32_t t = 0; t < TRACKS; t++)
        td_dict_track(td_trace_fill_dict(trace), &(struct td_track){.thread = t + 1});
    for (unsigned s = 0; s < STACKS; s++) {
        uint64_t frames[DEPTH];
        for (unsigned i = 0; i < DEPTH; i++)
            frames[i] = (uint64_t)(1 + (unsigned)rand_r(&seed) % FUNCTIONS) << 8 | 16;
        td_trace_fill_stack(trace, frames, DEPTH);
    }
    const uint64_t stacks = td_series_count(td_trace_table(trace, TD_TABLE_STACK)) - 1;
    for (uint64_t i = 0; i < samples; i++) {
        const int64_t row[] = {(int64_t)i * 100, (int64_t)(1 + (uint64_t)rand_r(&seed) % stacks)};
        if (td_series_append(td_trace_fill_list(trace, TD_TABLE_SAMPLE, i % TRACKS), row) < 0 ||
            (i % 16 == 0 &&
             td_series_append(td_trace_fill_list(trace, TD_TABLE_SWITCH_SAMPLE, i % TRACKS), row) < 0))
            return NULL;
    }
    return td_trace_finish(trace, &err) < 0 ? NULL : trace;
}

static int pass(void *self, uint32_t track, const int64_t *times, const int64_t *stacks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        *(int64_t *)self += stacks[i];
    return 0;
}

static void measure(struct report *r, const struct td_trace *trace, uint64_t samples)
{
    const struct td_samples_choice running = {0}, all = {.kind = TD_SAMPLES_ALL};
    struct td_stack_counts counts;
    struct td_symbol_sums symbols;
    struct td_line_sums lines;
    struct td_call_tree tree;
    struct td_wait_stacks waits;
    int64_t sum = 0;
    const double limit = LIMIT_S * fmax((double)samples / USUAL, 0.1);
    double begin = cpu_seconds();
    td_samples_walk(trace, &all, NULL, pass, &sum);
    const double plain = cpu_seconds() - begin;
    begin = cpu_seconds();
    int rc = td_stack_counts_make(trace, &running, NULL, &counts, NULL);
    report_most(r, "samples_count", "s", cpu_seconds() - begin, plain, limit);
    begin = cpu_seconds();
    rc |= td_symbol_sums_make(trace, &running, &counts, true, NULL, &symbols, NULL);
    report_most(r, "samples_functions", "s", cpu_seconds() - begin, plain, limit);
    begin = cpu_seconds();
    rc |= td_line_sums_make(trace, &counts, symbols.at[0].file, 0, NULL, &lines, NULL);
    report_most(r, "samples_lines", "s", cpu_seconds() - begin, plain, limit);
    begin = cpu_seconds();
    rc |=
        td_call_tree_make(trace, &counts, &(struct td_call_tree_choice){.anywhere = true}, NULL, &tree, NULL);
    report_most(r, "samples_callers_of_all", "s", cpu_seconds() - begin, plain, limit);
    begin = cpu_seconds();
    rc |= td_wait_stacks_make(trace, &running, NULL, &waits, NULL);
    report_most(r, "samples_waits", "s", cpu_seconds() - begin, plain, limit);
    if (rc != 0 || counts.total + (samples + 15) / 16 != samples || waits.waits != (samples + 15) / 16)
        report_failure(r, "sums", "their numbers are wrong");
    td_stack_counts_free(&counts);
    td_symbol_sums_free(&symbols);
    td_line_sums_free(&lines);
    td_call_tree_free(&tree);
    td_wait_stacks_free(&waits);
}

int main(int argc, char **argv)
{
    struct report r = {.program = "bench/samples"};
    uint64_t samples = 10000000;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            r.json = 1;
        else if (!strcmp(argv[i], "--quick"))
            samples = 200000, r.lenient = 1;
        else if (!strcmp(argv[i], "--samples") && i + 1 < argc)
            samples = strtoull(argv[++i], NULL, 10);
        else
            return report_failure(&r, argv[i], "no such option"), 1;
    }
    struct td_trace *trace = make_trace(samples);
    if (!trace)
        return report_failure(&r, "trace", "out of memory"), 1;
    report_head(&r);
    measure(&r, trace, samples);
    td_trace_destroy(trace);
    return r.failed;
}
