/* info --waits and --op as JSON (docs/info-json.md). */
#include "host/tools/info/info_waits.h"

#include <stdlib.h>

static void put_track(struct info_waits *w, const char *key, uint32_t track)
{
    const struct td_track *t = td_dict_get_track(td_trace_dict(w->trace), track);
    td_json_object(w->json, key);
    td_json_uint(w->json, "thread", t->thread);
    td_json_string(w->json, "name", INFO_WAITS_TRACK(w, track));
    td_json_end_object(w->json);
}

int info_json_pairs(struct info_waits *w, int64_t from_ns, int64_t to_ns, struct td_err *err)
{
    struct info_wait_pairs pairs;
    struct td_json *j = w->json;
    const int rc = info_waits_pairs(w, from_ns, to_ns, &pairs, err);
    if (rc) {
        info_waits_free(&pairs);
        return rc;
    }
    td_query_json(j, "pairs", pairs.rows, &pairs.order);
    if (pairs.most.waited_ns > 0) {
        td_json_object(j, "most_awaited");
        put_track(w, "giver", pairs.most.giver);
        td_json_uint(j, "waiters", pairs.most.count);
        td_json_int(j, "waited_ns", pairs.most.waited_ns);
        td_json_end_object(j);
    } else {
        td_json_null(j, "most_awaited");
    }
    td_json_uint(j, "without_sender", td_waits_of(pairs.rows)->lone);
    td_json_uint(j, "launches_without_sender", td_waits_of(pairs.rows)->lone_launches);
    info_waits_free(&pairs);
    return 0;
}

static void put_time(struct td_json *j, const char *key, int64_t time)
{
    if (time == TD_OP_NO_TIME)
        td_json_null(j, key);
    else
        td_json_int(j, key, time);
}

static void put_tiles(struct td_json *j, const struct td_operation *op)
{
    td_json_array(j, "tiles");
    for (uint32_t i = 0; i < op->tiles; i++) {
        const struct td_op_core *core = &op->cores[i];
        td_json_object(j, NULL);
        td_json_uint(j, "x", core->x);
        td_json_uint(j, "y", core->y);
        put_time(j, "start_ns", core->start);
        put_time(j, "end_ns", core->end);
        td_json_int(j, "busy_ns", core->busy);
        td_json_int(j, "wait_ns", core->wait);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static int put_chain(struct info_waits *w, const struct td_operation *op, const struct td_op_core *last,
                     struct td_err *err)
{
    struct td_json *j = w->json;
    struct td_chain chain;
    const int rc = info_waits_chain(w, op, last, &chain, err);
    td_json_array(j, "chain");
    for (size_t i = 0; i < chain.count; i++) {
        const struct td_flow_pair *link = &chain.links[i];
        char name[100];
        td_json_object(j, NULL);
        put_track(w, "receiver", link->to->zone.track);
        td_json_string(j, "flow", td_flow_name(w->trace, link->to, name, sizeof name));
        put_track(w, "sender", link->from->zone.track);
        td_json_int(j, "sent_ns", td_flow_sent_ns(&w->flows, link));
        td_json_int(j, "received_ns", link->to->start_ns);
        td_json_end_object(j);
    }
    td_json_end_array(j);
    td_chain_free(&chain);
    return rc;
}

int info_json_op(struct info_waits *w, const struct td_query_rows *rows, uint64_t row, struct td_err *err)
{
    struct td_json *j = w->json;
    const struct td_operation *op = &td_operations_of(rows)->operation[row];
    const struct td_op_core *last = info_waits_last(op);
    int rc = 0;
    td_json_object(j, NULL);
    td_query_json_row(j, rows, row);
    if (last) {
        td_json_object(j, "last_tile");
        td_json_uint(j, "x", last->x);
        td_json_uint(j, "y", last->y);
        td_json_int(j, "after_first_ns", td_op_length(op->first_end_ns, last->end));
        td_json_end_object(j);
    } else {
        td_json_null(j, "last_tile");
    }
    put_tiles(j, op);
    if (last) {
        rc = info_json_pairs(w, op->start_ns, op->end_ns, err);
        rc = rc ? rc : put_chain(w, op, last, err);
    }
    td_json_end_object(j);
    return rc;
}
