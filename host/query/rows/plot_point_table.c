#include "host/query/table/list_rows.h"
#include "host/query/table/tables.h"

struct point_rows {
    struct td_query_rows rows;
    struct td_list_rows lists;
};
#define ROWS struct point_rows

static uint64_t plot_of(const struct point_rows *r, uint64_t i)
{
    return td_list_rows_find(&r->lists, &i);
}

static struct td_plot_point point_at(const struct point_rows *r, uint64_t i)
{
    const uint64_t plot = td_list_rows_find(&r->lists, &i);
    return td_trace_plot_point(r->rows.of.trace, (uint32_t)plot, i);
}

static const struct td_plot *plot_at(const struct point_rows *r, uint64_t i)
{
    return td_dict_get_plot(r->rows.dict, (uint32_t)plot_of(r, i));
}

/* clang-format off */
#define POINT_COLUMNS(X)                                                                     \
    X(plot_id, "Id",    ID,     60,  td_is_uint(plot_of(r, i)))                              \
    X(plot,    "Plot",  TEXT,   0,   td_is_string(rows->dict, plot_at(r, i)->name))          \
    X(time_ns, "Time",  TIME,   106, td_is_int(point_at(r, i).time_ns))                      \
    X(value,   "Value", NUMBER, 106, td_is_real_as(point_at(r, i).value, plot_at(r, i)->format))
/* clang-format on */
TD_QUERY_COLUMNS(POINT_COLUMNS)

static int make_points(struct td_query_rows *rows)
{
    return td_list_rows_make(&((struct point_rows *)rows)->lists, rows->of.trace, TD_TABLE_POINT,
                             &rows->count);
}

TD_QUERY_FREES(free_points, td_list_rows_free(&r->lists))

const struct td_query_table td_table_plot_points = {
    .name = "plot_points",
    .about = "a point of a plot",
    TD_QUERY_WITH_COLUMNS,
    .make = make_points,
    .free = free_points,
    .rises = "plot_id time_ns",
};
