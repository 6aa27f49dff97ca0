/* The table of plots. */
#include "host/query/rows/plot_sums.h"
#include "host/query/table/tables.h"

struct plot_rows {
    struct td_query_rows rows;
    struct td_plot_sums sums;
};
#define ROWS struct plot_rows

static double plot_mean(const struct td_plot_sum *sum)
{
    return sum->finite ? sum->sum / (double)sum->finite : 0;
}

static double plot_rate(const struct td_plot_sum *sum)
{
    return sum->last_ns > sum->first_ns
               ? (double)(sum->points - 1) * 1e9 / (double)(sum->last_ns - sum->first_ns)
               : 0;
}

static const struct td_plot *plot_at(const struct plot_rows *r, uint64_t plot)
{
    return td_dict_get_plot(r->rows.dict, (uint32_t)plot);
}

/* 0 if no point has a finite value. */
static struct td_query_value value_at(const struct plot_rows *r, uint64_t plot, double value)
{
    return td_is_real_as(value, r->sums.of[plot].finite ? plot_at(r, plot)->format : TD_NO_NUMBER);
}

/* clang-format off */
#define PLOT_COLUMNS(X)                                                                                                  \
    X(name,   "Plot",         TEXT,   0,  td_is_string(rows->dict, plot_at(r, i)->name))                                 \
    X(min,    "Min",          NUMBER, 96, value_at(r, i, r->sums.of[i].min))                                             \
    X(mean,   "Mean",         NUMBER, 96, value_at(r, i, plot_mean(&r->sums.of[i])))                                     \
    X(max,    "Max",          NUMBER, 96, value_at(r, i, r->sums.of[i].max))                                             \
    X(last,   "Last",         NUMBER, 96, value_at(r, i, r->sums.of[i].last))                                            \
    X(points, "Points",       COUNT,  84, td_is_uint(r->sums.of[i].points))                                              \
    X(rate,   "Points per s", NUMBER, 96, td_is_real(plot_rate(&r->sums.of[i])))                                         \
    X(sum,    "Sum",          NUMBER, 96, td_is_real(r->sums.of[i].sum))
/* clang-format on */
TD_QUERY_COLUMNS(PLOT_COLUMNS)

static int make_plots(struct td_query_rows *rows)
{
    struct plot_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    const int rc = td_plot_sums_make(&r->sums, of->trace, of->from_ns, of->to_ns, of->job);
    rows->count = r->sums.plots;
    return rc;
}

TD_QUERY_FREES(free_plots, td_plot_sums_free(&r->sums))

const struct td_query_table td_table_plots = {
    .name = "plots",
    .about = "a plot, with what its points are in the range",
    TD_QUERY_WITH_COLUMNS,
    .make = make_plots,
    .free = free_plots,
    .json = "name points min max sum",
    .lines = "plot=name points min mean max last",
};
