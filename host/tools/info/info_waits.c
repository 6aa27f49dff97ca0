/* info --waits and --op: who waited for whom, in all of the trace or in the launches of one operation. */
#include "host/tools/info/info_waits.h"
#include "host/base/plain_text.h"
#include "host/base/time_text.h"
#include "host/report/ops/trace_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_duration(const char *before, int64_t ns)
{
    char text[32];
    printf("%s%s", before, td_time_text(text, sizeof text, (double)ns, TD_TIME_WHOLE));
}

static int print_pairs(struct info_waits *w, int64_t from_ns, int64_t to_ns, struct td_err *err)
{
    struct info_wait_pairs pairs;
    const int rc = info_waits_pairs(w, from_ns, to_ns, &pairs, err);
    uint64_t waited = 0; /* the rest did not wait */
    while (rc == 0 && waited < pairs.order.count &&
           td_waits_pair(pairs.rows, pairs.order.rows[waited]).waited_ns > 0)
        waited++;
    if (rc == 0)
        td_query_text(stdout, pairs.rows, &pairs.order,
                      w->limit == SIZE_MAX || waited > w->limit ? w->limit : waited);
    if (rc == 0 && pairs.most.waited_ns > 0) {
        printf("  most awaited: %s, by %" PRIu64 " %s", TD_PLAIN(INFO_WAITS_TRACK(w, pairs.most.giver)),
               pairs.most.count, pairs.most.count == 1 ? "core or thread" : "cores or threads");
        print_duration(", for ", pairs.most.waited_ns);
        puts(" in all");
    }
    const struct td_waits *waits = rc == 0 ? td_waits_of(pairs.rows) : NULL;
    if (waits && waits->lone)
        printf("  without a sender in the trace: %" PRIu64 " receivers\n", waits->lone);
    if (waits && waits->lone_launches)
        printf("  without a sender in the trace: %" PRIu64 " launches\n", waits->lone_launches);
    info_waits_free(&pairs);
    return rc;
}

static void print_no_flows(void)
{
    puts("\n  no flows: which waits end through whom is known from flows (TD_FLOW_OUT, TD_FLOW_IN, or "
         "kernels built with TD_DATAFLOW_WAITS)");
}

/* ---- one operation ---- */

static int print_chain(const struct info_waits *w, const struct td_op_sum *op, const struct td_op_core *last,
                       struct td_err *err)
{
    struct td_chain chain;
    const int rc = info_waits_chain(w, op, last, &chain, err);
    if (chain.count)
        puts("  chain of waits, from the end back:");
    for (size_t i = 0; i < chain.count; i++) {
        const struct td_flow_pair *link = &chain.links[i];
        char name[100];
        printf("    %s received %s of ", TD_PLAIN(INFO_WAITS_TRACK(w, link->to->zone.track)),
               TD_PLAIN(td_flow_name(w->trace, link->to, name, sizeof name)));
        printf("%s", TD_PLAIN(INFO_WAITS_TRACK(w, link->from->zone.track)));
        print_duration(", sent ", td_flow_sent_ns(&w->flows, link) - op->kernel.first_start);
        print_duration(" and received ", link->to->start_ns - op->kernel.first_start);
        puts(" after the start");
    }
    td_chain_free(&chain);
    return rc;
}

static int print_op(struct info_waits *w, const struct td_op_sum *op, struct td_err *err)
{
    const struct td_op_core *last = info_waits_last(op);
    const char *name = op->name ? op->name : "";
    printf("\n  op %" PRIu32 "%s%s on device %" PRIu32 ": %" PRIu32 " tiles, %" PRIu32 " launches",
           op->run_id, name[0] ? " " : "", TD_PLAIN(name), op->device, op->core_count, op->launches);
    print_duration(", kernels ", td_op_length(op->kernel.first_start, op->kernel.last_end));
    print_duration(", tiles ", op->per_core_min);
    print_duration(" to ", op->per_core_max);
    putchar('\n');
    if (op->doubt)
        printf("  implausible times: %s\n", td_op_doubt_text(op->doubt));
    if (op->shared > 0)
        print_duration("  an operation before it ran meanwhile, for ", op->shared);
    if (op->shared > 0)
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
    const int rc = print_pairs(w, op->kernel.first_start, op->kernel.last_end, err);
    return rc ? rc : print_chain(w, op, last, err);
}

static int take_op(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct info_waits *w = self;
    if (!info_waits_is_op(w, op) || ++w->found > w->limit)
        return 0;
    return w->json ? info_json_op(w, op, err) : print_op(w, op, err);
}

static int print_ops(struct info_waits *w, struct td_err *err)
{
    const struct td_op_sums_options options = {.self = w, .give = take_op};
    struct td_op_sums *sums = td_op_sums_create(&options);
    uint64_t zones;
    int rc = sums ? td_trace_source_read(w->trace, sums, NULL, &zones, err) : td_fail_no_memory(err, NULL);
    td_op_sums_destroy(sums);
    if (rc == 0 && !w->found)
        rc = td_fail(err, TD_E_NOTFOUND, "the trace has no operation %" PRIu32, w->op);
    return rc;
}

/* ---- both ---- */

static int print_text(struct info_waits *w, bool waits, long op, struct td_err *err)
{
    int rc = 0;
    if (!w->flows.count)
        print_no_flows();
    if (waits) {
        putchar('\n');
        rc = print_pairs(w, INT64_MIN, INT64_MAX, err);
    }
    if (rc == 0 && op >= 0)
        rc = print_ops(w, err);
    if (rc == 0 && op >= 0)
        td_text_more(stdout, w->found > w->limit ? w->found - w->limit : 0);
    return rc;
}

static int print_json(struct info_waits *w, const char *path, bool waits, long op, struct td_err *err)
{
    struct td_json *j = w->json;
    int rc = 0;
    td_json_object(j, NULL);
    td_json_uint(j, "schema", 1);
    td_json_string(j, "file", path);
    td_json_uint(j, "flow_ends", w->flows.count);
    if (waits) {
        td_json_object(j, "waits");
        rc = info_json_pairs(w, INT64_MIN, INT64_MAX, err);
        td_json_end_object(j);
    }
    if (rc == 0 && op >= 0) {
        td_json_uint(j, "op", w->op);
        td_json_array(j, "operations");
        rc = print_ops(w, err);
        td_json_end_array(j);
    }
    td_json_end_object(j);
    return rc;
}

int info_print_waits(const struct td_trace *trace, const struct info_waits_request *request,
                     struct td_err *err)
{
    struct td_json json = {.to = stdout};
    struct info_waits w = {.trace = trace,
                           .limit = request->json_path ? SIZE_MAX : request->limit,
                           .op = (uint32_t)request->op,
                           .json = request->json_path ? &json : NULL};
    int rc = td_flows_build(&w.flows, trace, err);
    if (rc == 0)
        rc = w.json ? print_json(&w, request->json_path, request->waits, request->op, err)
                    : print_text(&w, request->waits, request->op, err);
    td_flows_free(&w.flows);
    return rc;
}
