/* The table of flows that arrived. */
#include "host/query/flows/waits_table.h"

struct flow_rows {
    struct td_query_rows rows;
    struct td_flows flows;
    struct td_waits waits;
};
#define ROWS struct flow_rows
#define FLOW (&r->waits.list[i])

/* clang-format off */
#define FLOW_COLUMNS(X)                                                                                        \
    X(time_ns,   "Time",          TIME,     120, td_is_int(FLOW->to->start_ns))                                \
    X(flow,      "Flow",          TEXT,     0,                                                                 \
      td_is_text(td_flow_name(rows->of.trace, FLOW->to, room, TD_QUERY_ROOM)))                                 \
    X(waited_ns, "Waited",        DURATION, 100, td_is_int(FLOW->waited_ns))                                   \
    X(after_ns,  "After sending", DURATION, 110, td_is_int(FLOW->to->start_ns - FLOW->sent_ns))                \
    X(waiter,    "Who waited",    TRACK,    200, td_is_uint(FLOW->to->zone.track))                             \
    X(giver,     "For whom",      TRACK,    200, td_is_uint(FLOW->from->zone.track))
/* clang-format on */
TD_QUERY_COLUMNS(FLOW_COLUMNS)

static int make_flows(struct td_query_rows *rows)
{
    struct flow_rows *r = (void *)rows;
    const struct td_waits_wanted *wanted = rows->of.with;
    const int rc = td_waits_find(&rows->of, &r->flows, &r->waits);
    for (size_t i = 0; rc == 0 && i < r->waits.count; i++) {
        const struct td_wait wait = r->waits.list[i];
        if (!wanted || !wanted->only_pair ||
            (wait.to->zone.track == wanted->waiter && wait.from->zone.track == wanted->giver))
            r->waits.list[rows->count++] = wait;
    }
    return rc;
}

static void free_flows(struct td_query_rows *rows)
{
    struct flow_rows *r = (void *)rows;
    td_waits_free(&r->waits);
    td_flows_free(&r->flows);
}

/* The zone that received it. */
static struct td_query_place place_of_flow(const struct td_query_rows *rows, uint64_t i)
{
    const struct flow_rows *r = (const void *)rows;
    const struct td_zone_ref zone = FLOW->to->zone;
    return td_at_zone(zone.track, zone.row, zone.index);
}

const struct td_query_table td_table_flows = {
    .name = "flows",
    .about = "a flow that arrived, and how long its receiver waited",
    TD_QUERY_WITH_COLUMNS,
    .make = make_flows,
    .free = free_flows,
    .free_with = td_waits_wanted_free,
    .place_of_row = place_of_flow,
    .lines = "time_ns flow waited_ns after_ns waiter giver",
};
