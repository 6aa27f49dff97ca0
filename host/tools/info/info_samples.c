/* Samples, wait stacks and context switches, for tendril info. */
#include "host/query/code/symbol_sums.h"
#include "host/query/code/wait_stacks.h"
#include "host/tools/info/info.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct sample_facts {
    struct td_stack_counts counts;
    struct td_symbol_sums sums;
    struct td_wait_stacks waits;
    uint64_t kernel, unknown; /* samples in functions of the kernel, and in functions of no known name */
};

static void free_facts(struct sample_facts *f)
{
    td_symbol_sums_free(&f->sums);
    td_stack_counts_free(&f->counts);
    td_wait_stacks_free(&f->waits);
}

/* Clients send names such as "[unknown] + 4096" for code without symbols. */
static bool is_unknown(const struct td_trace *trace, const struct td_symbol_sum *sum)
{
    static const char head[] = "[un";
    return !strncmp(td_symbol_sum_name(trace, sum), head, sizeof head - 1);
}

/* 0 or TD_E_NOMEM. Free in any case. */
static int make_facts(const struct td_trace *trace, struct sample_facts *f, struct td_err *err)
{
    const struct td_samples_choice all = {0};
    *f = (struct sample_facts){0};
    int rc = td_stack_counts_make(trace, &all, NULL, &f->counts, err);
    rc = rc ? rc : td_symbol_sums_make(trace, &all, &f->counts, false, NULL, &f->sums, err);
    rc = rc ? rc : td_wait_stacks_make(trace, &all, NULL, &f->waits, err);
    for (size_t i = 0; rc == 0 && i < f->sums.count; i++) {
        f->kernel += f->sums.at[i].is_kernel ? f->sums.at[i].self : 0;
        f->unknown += is_unknown(trace, &f->sums.at[i]) ? f->sums.at[i].self : 0;
    }
    return rc;
}

static void print_switches(const struct td_trace *trace)
{
    const uint64_t switches = td_trace_table_rows(trace, TD_TABLE_SWITCH),
                   runs = td_trace_table_rows(trace, TD_TABLE_CPU_SWITCH);
    uint64_t cpus = 0;
    for (uint64_t cpu = 0; cpu < td_trace_lists(trace, TD_TABLE_CPU_SWITCH); cpu++)
        cpus += td_series_count(td_trace_list(trace, TD_TABLE_CPU_SWITCH, cpu)) != 0;
    if (switches)
        printf("switches  %" PRIu64 " of %" PRIu64 " threads\n", switches,
               td_trace_table_rows(trace, TD_TABLE_SWITCH_THREAD));
    if (runs)
        printf("cpus      %" PRIu64 ", on which threads ran %" PRIu64 " times\n", cpus, runs);
}

int info_print_samples(const struct td_trace *trace, struct td_err *err)
{
    struct sample_facts f;
    int rc = make_facts(trace, &f, err);
    if (rc == 0 && f.counts.total)
        printf("samples   %" PRIu64 " of call stacks in %zu functions, %" PRIu64 " in the kernel, %" PRIu64
               " in code of no known name\n",
               f.counts.total, f.sums.count, f.kernel, f.unknown);
    if (rc == 0 && f.waits.waits) {
        printf("waits     %" PRIu64 " with %zu call stacks", f.waits.waits, f.waits.count);
        if (f.waits.timed)
            printf(", %.3f ms in all", (double)f.waits.total_ns / 1e6);
        putchar('\n');
    }
    print_switches(trace);
    free_facts(&f);
    return rc;
}

/* ---- JSON ---- */

static void json_samples(struct td_json *j, const struct td_trace *trace, const struct sample_facts *f)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_samples_choice running = {0}, waiting = {.kind = TD_SAMPLES_WAITING};
    td_json_object(j, "samples");
    td_json_uint(j, "running", f->counts.total);
    td_json_uint(j, "waiting", f->waits.waits);
    td_json_uint(j, "kernel", f->kernel);
    td_json_uint(j, "unknown", f->unknown);
    td_json_uint(j, "functions", f->sums.count);
    td_json_int(j, "period_ns", td_trace_get_info(trace)->sampling_period_ns);
    td_json_array(j, "threads");
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        if (!td_series_count(td_trace_list(trace, TD_TABLE_SAMPLE, t)))
            continue;
        td_json_object(j, NULL);
        td_json_uint(j, "thread", track->thread);
        td_json_string(j, "name", td_dict_text(dict, track->name));
        td_json_uint(j, "running", td_samples_of_track(trace, &running, t));
        td_json_uint(j, "waiting", td_samples_of_track(trace, &waiting, t));
        td_json_end_object(j);
    }
    td_json_end_array(j);
    td_json_end_object(j);
    td_json_object(j, "wait_stacks");
    td_json_uint(j, "stacks", f->waits.count);
    td_json_uint(j, "waits", f->waits.waits);
    td_json_uint(j, "timed", f->waits.timed);
    td_json_int(j, "total_ns", f->waits.total_ns);
    td_json_end_object(j);
}

int info_json_samples(struct td_json *j, const struct td_trace *trace, struct td_err *err)
{
    struct sample_facts f;
    int rc = make_facts(trace, &f, err);
    if (rc == 0)
        json_samples(j, trace, &f);
    free_facts(&f);
    return rc;
}
