#include "host/query/table/row_order.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

int td_query_order_all(struct td_query_order *order, const struct td_query_rows *rows)
{
    *order = (struct td_query_order){malloc((rows->count + 1) * sizeof *order->rows), rows->count, false};
    for (uint64_t i = 0; order->rows && i < rows->count; i++)
        order->rows[i] = i;
    return order->rows ? 0 : TD_E_NOMEM;
}

static int compare_values(const struct td_query_value *a, const struct td_query_value *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    switch (a->kind) {
    case TD_IS_TEXT:
        return strverscmp(a->text, b->text);
    case TD_IS_INT:
        return a->i < b->i ? -1 : a->i > b->i;
    case TD_IS_REAL:
        return a->real < b->real ? -1 : a->real > b->real;
    default:
        return a->u < b->u ? -1 : a->u > b->u;
    }
}

struct row_comparison {
    const struct td_query_rows *rows;
    const struct td_query_column *column;
    bool descending;
};

/* Tracks are sorted by their names. */
static struct td_query_value value_of(const struct row_comparison *by, uint64_t row, char room[TD_QUERY_ROOM])
{
    const struct td_query_value value = td_query_get(by->rows, row, by->column, room);
    if (by->column->type == TD_AS_TRACK && value.kind == TD_IS_UINT)
        return td_is_text(td_track_name(by->rows->dict, (uint32_t)value.u, room));
    return value;
}

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct row_comparison *by = self;
    const uint64_t m = *(const uint64_t *)a, n = *(const uint64_t *)b;
    char room[2][TD_QUERY_ROOM];
    const struct td_query_value x = value_of(by, m, room[0]), y = value_of(by, n, room[1]);
    const int result = compare_values(&x, &y);
    if (result)
        return by->descending ? -result : result;
    return m < n ? -1 : m > n;
}

void td_query_order_sort(struct td_query_order *order, const struct td_query_rows *rows,
                         const struct td_query_column *column, bool descending)
{
    struct row_comparison by = {rows, column, descending};
    uint64_t in_order = 1;
    while (in_order < order->count &&
           compare_rows(&order->rows[in_order - 1], &order->rows[in_order], &by) < 0)
        in_order++;
    if (in_order < order->count)
        qsort_r(order->rows, order->count, sizeof *order->rows, compare_rows, &by);
}

void td_query_order_free(struct td_query_order *order)
{
    free(order->rows);
    *order = (struct td_query_order){0};
}
