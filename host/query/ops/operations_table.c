/* The table of operations of devices. A request may be with a struct td_operations_wanted on the heap. */
#include "host/query/ops/operations_table.h"

#include <stdlib.h>

struct operation_rows {
    struct td_query_rows rows;
    struct td_operations operations;
};
#define ROWS      struct operation_rows
#define OPERATION (&r->operations.operation[i])

static struct td_zone_ref last_of(const struct operation_rows *r, uint64_t i)
{
    return r->operations.member[OPERATION->last].zone;
}

/* The name of the host's zone that launched it, or of the kernel that ended last. */
static const char *name_of(const struct operation_rows *r, uint64_t i)
{
    const struct td_zone_ref ref = td_ref_valid(OPERATION->launch) ? OPERATION->launch : last_of(r, i);
    const struct td_zone zone = td_trace_zone(r->rows.of.trace, ref.track, ref.row, ref.index);
    return td_zone_label(r->rows.dict, &zone);
}

/* clang-format off */
#define OPERATION_COLUMNS(X)                                                                                  \
    X(launch,      "Launch",        ID,       70,  td_is_uint(OPERATION->id))                                 \
    X(name,        "Operation",     TEXT,     0,   td_is_text(name_of(r, i)))                                 \
    X(start_ns,    "Start",         TIME,     98,  td_is_int(OPERATION->start_ns))                            \
    X(duration_ns, "Duration",      DURATION, 88,  td_is_int(OPERATION->end_ns - OPERATION->start_ns))        \
    X(cores,       "Cores",         COUNT,    56,  td_is_uint(OPERATION->count))                              \
    X(spread_ns,   "Last - median", DURATION, 96,  td_is_int(OPERATION->end_ns - OPERATION->median_ns))       \
    X(last,        "Last core",     TRACK,    150, td_is_uint(last_of(r, i).track))                           \
    X(implausible, "Implausible",   TEXT,     150,                                                            \
      td_is_part(OPERATION->doubt != 0, td_is_text(td_op_doubt_text(OPERATION->doubt))))
/* clang-format on */
TD_QUERY_COLUMNS(OPERATION_COLUMNS)

static int make_operations(struct td_query_rows *rows)
{
    struct operation_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    const struct td_operations_wanted *wanted = of->with;
    struct td_flows own = {0};
    int rc = wanted ? 0 : td_flows_build(&own, of->trace, NULL);
    if (rc == 0)
        rc = td_operations_make(&r->operations, of->trace, wanted ? &wanted->flows : &own,
                                wanted ? &wanted->lanes : NULL, of->now_ns, of->job);
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
    return (struct td_query_place){.kind = TD_AT_RANGE,
                                   .track = UINT32_MAX,
                                   .start_ns = OPERATION->start_ns,
                                   .end_ns = OPERATION->end_ns};
}

const struct td_operations *td_operations_of(const struct td_query_rows *rows)
{
    return &((const struct operation_rows *)rows)->operations;
}

const struct td_query_table td_table_operations = {
    .name = "operations",
    .about = "one launch of a device's cores",
    TD_QUERY_WITH_COLUMNS,
    .make = make_operations,
    .free = free_operations,
    .free_with = free_wanted,
    .place_of_row = place_of_operation,
};
