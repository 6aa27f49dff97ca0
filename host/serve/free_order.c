#include "host/serve/free_order.h"
#include "host/base/compare.h"
#include "host/trace/trace.h"

#include <stdlib.h>

struct td_free_order {
    struct td_store *store;
    uint64_t pools; /* of a finished trace; else 0 */
    struct td_series *series;
};

struct freed {
    int64_t ns;
    uint64_t row;
};

TD_COMPARE(by_time, struct freed, TD_UP(ns) TD_UP(row))

static size_t find_freed(const struct td_series *rows, struct freed *to)
{
    size_t count = 0;
    for (uint64_t i = 0, n = td_series_count(rows); i < n; i++) {
        int64_t ns = td_series_get(rows, i, TD_MEMORY_FREE_TIME);
        if (ns >= 0)
            to[count++] = (struct freed){ns, i};
    }
    return count;
}

/* A free comes before allocations of the same time, except its own. */
static int add_frees(struct td_series *to, const struct td_series *rows, const struct freed *freed,
                     size_t count)
{
    uint64_t after = 0, allocations = td_series_count(rows);
    for (size_t i = 0; i < count; i++) {
        while (after < allocations &&
               (after <= freed[i].row || td_series_get(rows, after, TD_MEMORY_TIME) < freed[i].ns))
            after++;
        const int64_t row[TD_MEMORY_FREE_COLUMN_COUNT] = {
            [TD_MEMORY_FREE_ROW] = (int64_t)freed[i].row, [TD_MEMORY_FREE_AFTER] = (int64_t)after};
        if (td_series_append(to, row) < 0)
            return TD_E_NOMEM;
    }
    return td_series_seal(to);
}

static int order_pool(struct td_series *to, const struct td_series *rows)
{
    uint64_t count = td_series_count(rows);
    if (!count)
        return 0;
    struct freed *freed = malloc(count * sizeof *freed);
    if (!freed)
        return TD_E_NOMEM;
    size_t found = find_freed(rows, freed);
    qsort(freed, found, sizeof *freed, by_time);
    int rc = add_frees(to, rows, freed, found);
    free(freed);
    return rc;
}

struct td_free_order *td_free_order_create(const struct td_trace *trace)
{
    struct td_free_order *order = calloc(1, sizeof *order);
    if (!order || !td_trace_is_finished(trace) || td_trace_lists(trace, TD_TABLE_MEMORY_FREE))
        return order;
    uint64_t pools = td_trace_lists(trace, TD_TABLE_MEMORY);
    if (!pools)
        return order;
    order->store = td_store_create(0);
    order->series = calloc(pools, sizeof *order->series);
    int rc = order->store && order->series ? 0 : TD_E_NOMEM;
    for (uint64_t i = 0; i < pools && rc == 0; i++) {
        td_series_init(&order->series[i], order->store, TD_MEMORY_FREE_COLUMN_COUNT, 0);
        rc = order_pool(&order->series[i], td_trace_list(trace, TD_TABLE_MEMORY, i));
    }
    order->pools = pools;
    if (rc == 0)
        return order;
    td_free_order_destroy(order);
    return NULL;
}

void td_free_order_destroy(struct td_free_order *order)
{
    if (!order)
        return;
    free(order->series);
    td_store_destroy(order->store);
    free(order);
}

const struct td_series *td_free_order_of(const struct td_free_order *order, const struct td_trace *trace,
                                         uint64_t pool)
{
    return pool < order->pools ? &order->series[pool] : td_trace_list(trace, TD_TABLE_MEMORY_FREE, pool);
}
