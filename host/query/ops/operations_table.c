/* The table of operations of devices. A request may be with a struct td_operations_wanted on the heap. */
#include "host/query/ops/operations_table.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

struct operation_rows {
    struct td_query_rows rows;
    struct td_operations operations;
};
#define ROWS      struct operation_rows
#define OPERATION (&r->operations.operation[i])

static struct td_query_value time_of(int64_t time)
{
    return td_is_known(time != TD_OP_NO_TIME, td_is_int(time));
}

/* Its own name, else that of the host's zone that launched it. */
static struct td_query_value name_of(const struct operation_rows *r, uint64_t i)
{
    const struct td_zone_ref ref = OPERATION->launch;
    if (*OPERATION->name)
        return td_is_text(OPERATION->name);
    if (!td_ref_valid(ref))
        return td_is_said("unnamed");
    const struct td_zone zone = td_trace_zone(r->rows.of.trace, ref.track, ref.row, ref.index);
    return td_is_text(td_zone_label(r->rows.dict, &zone));
}

static struct td_query_value last_of(const struct operation_rows *r, uint64_t i)
{
    return td_is_uint(td_ref_valid(OPERATION->last) ? OPERATION->last.track : TD_NO_TRACK);
}

static struct td_query_value doubt_of(const struct operation_rows *r, uint64_t i)
{
    return OPERATION->doubt ? td_is_text(td_op_doubt_text(OPERATION->doubt)) : td_is_said("");
}

static bool has_times(const struct operation_rows *r, uint64_t i)
{
    return OPERATION->start_ns != TD_OP_NO_TIME && OPERATION->end_ns != TD_OP_NO_TIME;
}

static struct td_query_value since(const struct operation_rows *r, uint64_t i, int64_t from_ns)
{
    return td_is_known(has_times(r, i), td_is_int(td_op_length(from_ns, OPERATION->end_ns)));
}

/* clang-format off */
#define OPERATION_COLUMNS(X)                                                                                  \
    X(run_id,       "Op",            ID,       70,  td_is_uint(OPERATION->id))                                \
    X(name,         "Operation",     TEXT,     0,   name_of(r, i))                                            \
    X(device,       "Device",        ID,       60,  td_is_uint(OPERATION->device))                            \
    X(trace,        "Trace",         ID,       60,                                                            \
      td_is_part(OPERATION->trace != TD_OP_NO_TRACE, td_is_uint(OPERATION->trace)))                           \
    X(replay,       "Replay",        ID,       60,                                                            \
      td_is_part(OPERATION->replay != TD_OP_NO_TRACE, td_is_uint(OPERATION->replay)))                         \
    X(tile_count,   "Tiles",         COUNT,    56,  td_is_uint(OPERATION->tiles))                             \
    X(launches,     "Launches",      COUNT,    72,  td_is_uint(OPERATION->launches))                          \
    X(open,         "Open",          COUNT,    56,  td_is_uint(OPERATION->open))                              \
    X(implausible,  "Implausible",   TEXT,     150, doubt_of(r, i))                                           \
    X(gap_ns,       "Gap before",    DURATION, 88,  time_of(OPERATION->gap_ns))                               \
    X(shared_ns,    "Overlap",       DURATION, 88,  td_is_int(OPERATION->shared_ns))                          \
    X(start_ns,     "Start",         TIME,     98,  time_of(OPERATION->start_ns))                             \
    X(end_ns,       "End",           TIME,     98,  time_of(OPERATION->end_ns))                               \
    X(duration_ns,  "Duration",      DURATION, 88,  since(r, i, OPERATION->start_ns))                         \
    X(tile_min_ns,  "Tile, least",   DURATION, 88,  td_is_int(OPERATION->tile_min_ns))                        \
    X(tile_max_ns,  "Tile, most",    DURATION, 88,  td_is_int(OPERATION->tile_max_ns))                        \
    X(tile_mean_ns, "Tile, mean",    MEAN,     88,  td_is_real(OPERATION->tile_mean_ns))                      \
    X(busy_ns,      "Busy",          DURATION, 88,  td_is_int(OPERATION->busy_ns))                            \
    X(wait_ns,      "Waits",         DURATION, 88,  td_is_int(OPERATION->wait_ns))                            \
    X(spread_ns,    "Last - median", DURATION, 96,  since(r, i, OPERATION->median_ns))                        \
    X(last,         "Last core",     TRACK,    150, last_of(r, i))
/* clang-format on */
TD_QUERY_COLUMNS(OPERATION_COLUMNS)

static int make_operations(struct td_query_rows *rows)
{
    struct operation_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    const struct td_operations_wanted *wanted = of->with;
    struct td_flows own = {0};
    int rc = wanted ? 0 : td_flows_build(&own, of->trace, NULL);
    const struct td_operations_request request = {.trace = of->trace,
                                                  .flows = wanted ? &wanted->flows : &own,
                                                  .lanes = wanted ? &wanted->lanes : NULL,
                                                  .one = wanted && wanted->one,
                                                  .op = wanted ? wanted->op : 0,
                                                  .now_ns = of->now_ns,
                                                  .job = of->job};
    rc = rc ? rc : td_operations_make(&r->operations, &request);
    td_flows_free(&own);
    rows->count = r->operations.count;
    return rc;
}

TD_QUERY_FREES(free_operations, td_operations_free(&r->operations))

static void free_wanted(void *with)
{
    struct td_operations_wanted *wanted = with;
    if (!wanted)
        return;
    td_flows_free(&wanted->flows);
    td_lane_choice_free(&wanted->lanes);
    free(wanted);
}

static struct td_query_place place_of_operation(const struct td_query_rows *rows, uint64_t i)
{
    const struct operation_rows *r = (const void *)rows;
    return td_at_range(UINT32_MAX, OPERATION->from_ns, OPERATION->to_ns);
}

const struct td_operations *td_operations_of(const struct td_query_rows *rows)
{
    return &((const struct operation_rows *)rows)->operations;
}

const struct td_query_table td_table_operations = {
    .name = "operations",
    .about = "one program of a device, on all cores that it ran on",
    TD_QUERY_WITH_COLUMNS,
    .make = make_operations,
    .free = free_operations,
    .free_with = free_wanted,
    .place_of_row = place_of_operation,
    .text = "op=run_id name start_ns duration_ns tiles=tile_count spread_ns last implausible",
};
