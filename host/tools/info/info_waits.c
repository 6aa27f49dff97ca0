/* info --waits and --op: who waited for whom, in all of the trace or in the launches of one operation. */
#include "host/tools/info/info_waits.h"
#include "host/base/plain_text.h"
#include "host/base/time_text.h"

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
    if (rc == 0 && pairs.rows->count)
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

static int print_chain(const struct info_waits *w, const struct td_operation *op,
                       const struct td_op_core *last, struct td_err *err)
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
        print_duration(", sent ", td_flow_sent_ns(&w->flows, link) - op->start_ns);
        print_duration(" and received ", link->to->start_ns - op->start_ns);
        puts(" after the start");
    }
    td_chain_free(&chain);
    return rc;
}

static int print_op(struct info_waits *w, const struct td_query_rows *rows, uint64_t row, struct td_err *err)
{
    const struct td_operation *op = &td_operations_of(rows)->operation[row];
    const struct td_op_core *last = info_waits_last(op);
    char room[TD_QUERY_ROOM];
    const struct td_query_value name =
        td_query_get(rows, row, td_query_column_named(rows->table, "name"), room);
    const bool has_name = name.kind == TD_IS_TEXT;
    printf("\n  op %" PRIu64 "%s%s on device %" PRIu32 ": %" PRIu32 " tiles, %" PRIu32 " launches", op->id,
           has_name ? " " : "", TD_PLAIN(has_name ? name.text : ""), op->device, op->tiles, op->launches);
    print_duration(", kernels ", td_op_length(op->start_ns, op->end_ns));
    if (op->tiles) {
        print_duration(", tiles ", op->tile_min_ns);
        print_duration(" to ", op->tile_max_ns);
    }
    putchar('\n');
    if (op->doubt)
        printf("  implausible times: %s\n", td_op_doubt_text(op->doubt));
    if (op->shared_ns > 0) {
        print_duration("  an operation before it ran meanwhile, for ", op->shared_ns);
        putchar('\n');
    }
    if (op->busy_ns > 0)
        printf("  waits: %.1f %% of the kernels' time\n", 100.0 * (double)op->wait_ns / (double)op->busy_ns);
    if (!last)
        return 0;
    printf("  last to end: tile %u,%u", last->x, last->y);
    print_duration(", ", td_op_length(op->first_end_ns, last->end));
    puts(" after the first core");
    if (!w->flows.count)
        return 0;
    const int rc = print_pairs(w, op->start_ns, op->end_ns, err);
    return rc ? rc : print_chain(w, op, last, err);
}

static struct td_query_rows *make_ops(const struct info_waits *w, int *rc)
{
    struct td_query_request of = td_query_all(w->trace);
    struct td_operations_wanted *wanted = calloc(1, sizeof *wanted);
    *rc = TD_E_NOMEM;
    if (!wanted)
        return NULL;
    *wanted = (struct td_operations_wanted){.flows = td_flows_share(&w->flows), .one = true, .op = w->op};
    of.with = wanted;
    return td_query_make(&td_table_operations, &of, rc);
}

static int print_ops(struct info_waits *w, struct td_err *err)
{
    int rc = 0;
    struct td_query_rows *rows = make_ops(w, &rc);
    if (!rows)
        return td_fail_no_memory(err, "for operations");
    rc = rows->count ? 0 : td_fail(err, TD_E_NOTFOUND, "the trace has no operation %" PRIu32, w->op);
    for (uint64_t i = 0; rc == 0 && i < rows->count && i < w->limit; i++)
        rc = w->json ? info_json_op(w, rows, i, err) : print_op(w, rows, i, err);
    if (!w->json && rc == 0)
        td_text_more(stdout, rows->count > w->limit ? rows->count - w->limit : 0);
    td_query_free(rows);
    return rc;
}

/* ---- both ---- */

static int print_text(struct info_waits *w, bool waits, long op, struct td_err *err)
{
    int rc = 0;
    if (!w->flows.count)
        print_no_flows();
    if (waits) {
        if (w->flows.count)
            putchar('\n');
        rc = print_pairs(w, INT64_MIN, INT64_MAX, err);
    }
    if (rc == 0 && op >= 0)
        rc = print_ops(w, err);
    return rc;
}

static int put_ops(struct info_waits *w, struct td_err *err)
{
    td_json_uint(w->json, "op", w->op);
    td_json_array(w->json, "operations");
    const int rc = print_ops(w, err);
    td_json_end_array(w->json);
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
    if (rc == 0 && op >= 0)
        rc = put_ops(w, err);
    td_json_end_object(j);
    return rc;
}

int info_json_operation(struct td_json *j, const struct td_trace *trace, uint32_t op, size_t limit,
                        struct td_err *err)
{
    struct info_waits w = {.trace = trace, .limit = limit, .op = op, .json = j};
    int rc = td_flows_build(&w.flows, trace, err);
    if (rc == 0) {
        td_json_uint(j, "flow_ends", w.flows.count);
        rc = put_ops(&w, err);
    }
    td_flows_free(&w.flows);
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
