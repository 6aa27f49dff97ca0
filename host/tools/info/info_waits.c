/* info --waits and --op: who waited for whom, in all of the trace or in the launches of one operation. */
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/flows/chain.h"
#include "host/flows/waits.h"
#include "host/report/op.h"
#include "host/report/trace_source.h"
#include "host/tools/info/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUN_ID_DEVICE_BITS 10 /* tt-metal's run host id is op << 10 | device */

struct wait_info {
    const struct td_trace *trace;
    struct td_flows flows;
    size_t limit;
    uint32_t op; /* that is asked for */
    size_t found;
};

static const char *track_name(const struct wait_info *w, uint32_t track)
{
    const struct td_dict *dict = td_trace_dict(w->trace);
    return info_track_name(dict, td_dict_get_track(dict, track));
}

static void print_duration(const char *before, int64_t ns)
{
    char text[32];
    printf("%s%s", before, info_duration(text, sizeof text, (double)ns));
}

static int by_waited(const void *a, const void *b)
{
    const struct td_wait_pair *x = a, *y = b;
    if (x->waited_ns != y->waited_ns)
        return x->waited_ns < y->waited_ns ? 1 : -1;
    return x->waiter != y->waiter ? (x->waiter > y->waiter) - (x->waiter < y->waiter)
                                  : (x->giver > y->giver) - (x->giver < y->giver);
}

/* The core for which all others together waited longest. */
static void print_most_awaited(const struct wait_info *w, const struct td_waits *waits)
{
    const uint32_t tracks = td_dict_track_count(td_trace_dict(w->trace));
    struct td_wait_pair *givers = calloc(tracks + 1, sizeof *givers);
    const struct td_wait_pair *most = givers;
    for (size_t i = 0; givers && i < waits->pair_count; i++) {
        const struct td_wait_pair *p = &waits->pairs[i];
        if (p->waiter == p->giver || p->giver >= tracks)
            continue;
        givers[p->giver].count += p->waited_ns > 0;
        givers[p->giver].waited_ns += p->waited_ns;
        givers[p->giver].giver = p->giver;
    }
    for (uint32_t t = 0; givers && t < tracks; t++)
        if (givers[t].waited_ns > most->waited_ns)
            most = &givers[t];
    if (givers && most->waited_ns > 0) {
        printf("  most awaited: %s, by %" PRIu64 " cores or threads", TD_PLAIN(track_name(w, most->giver)),
               most->count);
        print_duration(", for ", most->waited_ns);
        puts(" together");
    }
    free(givers);
}

static int print_pairs(const struct wait_info *w, int64_t from_ns, int64_t to_ns, struct td_err *err)
{
    struct td_waits waits;
    const int64_t now_ns = td_trace_get_info(w->trace)->last_time_ns;
    if (td_waits_make(&waits, w->trace, &w->flows, from_ns, to_ns, now_ns, NULL) < 0) {
        td_waits_free(&waits);
        return td_fail_no_memory(err, "for the waits");
    }
    if (waits.pair_count)
        qsort(waits.pairs, waits.pair_count, sizeof *waits.pairs, by_waited);
    printf("  %-34s %-34s %9s %12s %12s\n", "waited", "for", "flows", "total", "longest");
    size_t shown = 0;
    for (; shown < waits.pair_count && shown < w->limit; shown++) {
        char total[32], longest[32];
        const struct td_wait_pair *p = &waits.pairs[shown];
        if (p->waited_ns <= 0 && w->limit != SIZE_MAX)
            break; /* the rest did not wait either */
        fputs("  ", stdout);
        info_print_cell(track_name(w, p->waiter), 34);
        putchar(' ');
        info_print_cell(track_name(w, p->giver), 34);
        printf(" %9" PRIu64 " %12s %12s\n", p->count,
               info_duration(total, sizeof total, (double)p->waited_ns),
               info_duration(longest, sizeof longest, (double)p->longest_ns));
    }
    info_print_more(waits.pair_count - shown);
    print_most_awaited(w, &waits);
    td_waits_free(&waits);
    return 0;
}

static int begin_waits(struct wait_info *w, struct td_err *err)
{
    const int rc = td_flows_build(&w->flows, w->trace, err);
    if (rc == 0 && !w->flows.count)
        puts("\n  no flows: which waits end through whom is known from flows (TD_FLOW_OUT, TD_FLOW_IN, or "
             "kernels built "
             "with TD_DATAFLOW_WAITS)");
    return rc;
}

int info_print_waits(const struct td_trace *trace, size_t limit, struct td_err *err)
{
    struct wait_info w = {.trace = trace, .limit = limit};
    int rc = begin_waits(&w, err);
    if (rc == 0 && w.flows.count) {
        putchar('\n');
        rc = print_pairs(&w, INT64_MIN, INT64_MAX, err);
    }
    td_flows_free(&w.flows);
    return rc;
}

/* ---- one operation ---- */

static bool is_on(const struct wait_info *w, uint32_t track, const struct td_op_sum *op,
                  const struct td_op_core *core)
{
    const struct td_track *t = td_dict_get_track(td_trace_dict(w->trace), track);
    return td_track_is_core(t) && t->chip == op->device && t->x == core->x && t->y == core->y;
}

/* What the core received last before the operation ended there. */
static const struct td_flow_end *last_received(const struct wait_info *w, const struct td_op_sum *op,
                                               const struct td_op_core *core)
{
    const struct td_flow_end *last = NULL;
    const uint32_t tracks = td_dict_track_count(td_trace_dict(w->trace));
    for (uint32_t t = 0; t < tracks; t++) {
        size_t at, end;
        if (!is_on(w, t, op, core))
            continue;
        for (td_flows_of_track(&w->flows, t, &at, &end); at < end; at++) {
            const struct td_flow_end *e = &w->flows.ends[w->flows.by_zone[at]];
            if (!td_flow_is_out(e) && e->start_ns >= op->kernel.first_start && e->start_ns <= core->end &&
                (!last || e->start_ns > last->start_ns))
                last = e;
        }
    }
    return last;
}

/* From the last core's last wait back in time, to the operation's start. */
static int print_chain(const struct wait_info *w, const struct td_op_sum *op, const struct td_op_core *last,
                       struct td_err *err)
{
    const struct td_flow_end *end = last_received(w, op, last);
    struct td_chain *chain = malloc(sizeof *chain);
    if (!chain)
        return td_fail_no_memory(err, "for the chain of waits");
    if (end)
        td_chain_make(chain, &w->flows, w->trace, end->zone);
    if (end)
        puts("  chain of waits, from the end back:");
    for (size_t i = 0; end && i < chain->count; i++) {
        const struct td_flow_pair *link = &chain->links[i];
        char name[100];
        if (link->to->start_ns > end->start_ns || link->from->start_ns < op->kernel.first_start)
            continue;
        printf("    %s received %s of ", TD_PLAIN(track_name(w, link->to->zone.track)),
               TD_PLAIN(td_flow_name(w->trace, link->to, name, sizeof name)));
        printf("%s", TD_PLAIN(track_name(w, link->from->zone.track)));
        print_duration(", sent ", td_flow_sent_ns(&w->flows, link) - op->kernel.first_start);
        print_duration(" and received ", link->to->start_ns - op->kernel.first_start);
        puts(" after the start");
    }
    free(chain);
    return 0;
}

static int print_op(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct wait_info *w = self;
    const struct td_op_core *last = NULL;
    if (op->run_id != w->op && op->run_id >> RUN_ID_DEVICE_BITS != w->op)
        return 0;
    for (uint32_t i = 0; i < op->core_count; i++)
        if (op->cores[i].end != TD_OP_NO_TIME && (!last || op->cores[i].end > last->end))
            last = &op->cores[i];
    const char *name = op->name ? op->name : "";
    w->found++;
    if (w->found > w->limit)
        return 0;
    printf("\n  op %" PRIu32 "%s%s on device %" PRIu32 ": %" PRIu32 " tiles, %" PRIu32 " launches",
           op->run_id, name[0] ? " " : "", TD_PLAIN(name), op->device, op->core_count, op->launches);
    print_duration(", kernels ", td_op_length(op->kernel.first_start, op->kernel.last_end));
    print_duration(", tiles ", op->per_core_min);
    print_duration(" to ", op->per_core_max);
    putchar('\n');
    if (op->busy > 0)
        printf("  waits: %.1f %% of the kernels' time\n", 100.0 * (double)op->wait / (double)op->busy);
    if (!last)
        return 0;
    printf("  last to end: tile %u,%u", last->x, last->y);
    print_duration(", ", td_op_length(op->kernel.first_end, last->end));
    puts(" after the first core");
    if (!w->flows.count)
        return 0;
    int rc = print_pairs(w, op->kernel.first_start, op->kernel.last_end, err);
    return rc ? rc : print_chain(w, op, last, err);
}

int info_print_op(const struct td_trace *trace, uint32_t number, size_t limit, struct td_err *err)
{
    struct wait_info w = {.trace = trace, .limit = limit, .op = number};
    const struct td_op_sums_options options = {.self = &w, .give = print_op};
    struct td_op_sums *sums = td_op_sums_create(&options);
    uint64_t zones;
    int rc = sums ? begin_waits(&w, err) : td_fail_no_memory(err, NULL);
    if (rc == 0)
        rc = td_trace_source_read(trace, sums, NULL, &zones, err);
    if (rc == 0 && !w.found)
        rc = td_fail(err, TD_E_NOTFOUND, "the trace has no operation %" PRIu32, number);
    if (rc == 0)
        info_print_more(w.found > limit ? w.found - limit : 0);
    td_op_sums_destroy(sums);
    td_flows_free(&w.flows);
    return rc;
}
