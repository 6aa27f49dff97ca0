/* The table of memory pools. */
#include "host/query/rows/memory_pool.h"
#include "host/query/table/tables.h"

#include <stdlib.h>

struct pool_rows {
    struct td_query_rows rows;
    struct td_memory_sums *sums;
};
#define ROWS struct pool_rows

static int64_t pool_cell(const struct pool_rows *r, uint64_t pool, unsigned column)
{
    return td_series_get(td_trace_table(r->rows.of.trace, TD_TABLE_POOL), pool, column);
}

/* clang-format off */
#define POOL_COLUMNS(X)                                                                                                  \
    X(name,         "Pool",         TEXT,  0,  td_is_string(rows->dict, pool_cell(r, i, TD_POOL_NAME)))                  \
    X(events,       "Allocations",  COUNT, 84, td_is_uint(r->sums[i].count))                                             \
    X(active,       "Active",       COUNT, 84, td_is_uint(r->sums[i].active))                                            \
    X(active_bytes, "Active bytes", BYTES, 92, td_is_int(r->sums[i].active_bytes))                                       \
    X(peak_bytes,   "Peak",         BYTES, 92, td_is_int(r->sums[i].peak_bytes))                                         \
    X(low,          "Low",          ID,    92, td_is_uint((uint64_t)pool_cell(r, i, TD_POOL_LOW)))                       \
    X(high,         "High",         ID,    92, td_is_uint((uint64_t)pool_cell(r, i, TD_POOL_HIGH)))
/* clang-format on */
TD_QUERY_COLUMNS(POOL_COLUMNS)

static int make_pools(struct td_query_rows *rows)
{
    struct pool_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    const uint64_t pools = td_series_count(td_trace_table(of->trace, TD_TABLE_POOL));
    r->sums = calloc(pools + 1, sizeof *r->sums);
    int rc = r->sums ? 0 : TD_E_NOMEM;
    while (rc == 0 && rows->count < pools) {
        const struct td_memory_range range = {of->trace, (uint32_t)rows->count, of->from_ns, of->to_ns};
        rc = td_memory_sums_make(&r->sums[rows->count++], &range, of->job);
    }
    return rc;
}

static void free_pools(struct td_query_rows *rows)
{
    struct pool_rows *r = (void *)rows;
    for (uint64_t i = 0; i < rows->count; i++)
        td_memory_sums_free(&r->sums[i]);
    free(r->sums);
}

const struct td_query_table td_table_memory_pools = {
    .name = "memory_pools",
    .about = "a pool of memory, with sums of its allocations",
    TD_QUERY_WITH_COLUMNS,
    .make = make_pools,
    .free = free_pools,
};
