/* Which rows of a table a form has, and in which order. */
#pragma once
#include "host/query/table/query_table.h"

struct td_query_order {
    uint64_t *rows; /* numbers of rows; NULL: all, as they were made */
    uint64_t count;
    bool backwards; /* without `rows`: the last one first */
};

/* All rows. 0 or TD_E_NOMEM. */
int td_query_order_all(struct td_query_order *order, const struct td_query_rows *rows);
/* Sorts by a column: texts with numbers in them by these; values that are not known are the least. Rows of equal values
 * are in the order in which they were made. */
void td_query_order_sort(struct td_query_order *order, const struct td_query_rows *rows,
                         const struct td_query_column *column, bool descending);
void td_query_order_free(struct td_query_order *order);

/* The rows of a form: those of the order, or with NULL all, as they were made. */
static inline uint64_t td_query_order_count(const struct td_query_order *order,
                                            const struct td_query_rows *rows)
{
    return order ? order->count : rows->count;
}

static inline uint64_t td_query_order_row(const struct td_query_order *order, uint64_t at)
{
    if (!order)
        return at;
    return order->rows ? order->rows[at] : order->backwards ? order->count - 1 - at : at;
}
