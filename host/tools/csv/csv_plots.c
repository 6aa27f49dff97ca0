/* tendril csvexport -p: points of plots, and how much memory is in use in each pool. */
#include "host/base/compare.h"
#include "host/tools/csv/csv.h"
#include "host/trace/tables.h"

#include <stdlib.h>
#include <string.h>

static void print_point(struct csv *c, const char *name, int64_t time_ns, double value)
{
    const char *sep = c->separator;
    csv_out_text(&c->out, name);
    for (int i = 0; i < 3; i++)
        csv_out_text(&c->out, sep);
    csv_out_i64(&c->out, time_ns);
    for (int i = 0; i < 3; i++)
        csv_out_text(&c->out, sep);
    csv_out_f6(&c->out, value);
    csv_out_bytes(&c->out, "\n", 1);
    csv_out_flush_if_full(&c->out);
}

struct csv_release {
    int64_t time_ns;
    uint64_t event;
};

TD_COMPARE(by_time, struct csv_release, TD_UP(time_ns) TD_UP(event))

/* A row for each allocation and release, by time; at the same time releases first. */
static int print_pool(struct csv *c, const char *name, const struct td_series *events)
{
    uint64_t count = td_series_count(events), frees = 0, a = 0, f = 0;
    struct csv_release *releases = malloc((count + 1) * sizeof *releases);
    double usage = 0;
    if (!releases)
        return TD_E_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        int64_t time = td_series_get(events, i, TD_MEMORY_FREE_TIME);
        if (time >= 0)
            releases[frees++] = (struct csv_release){time, i};
    }
    qsort(releases, frees, sizeof *releases, by_time);
    print_point(c, name, 0, 0);
    while (a < count || f < frees) {
        int64_t time = a < count ? td_series_get(events, a, TD_MEMORY_TIME) : INT64_MAX;
        if (a < count && (f == frees || time < releases[f].time_ns)) {
            usage += (double)td_series_get(events, a++, TD_MEMORY_SIZE);
        } else {
            time = releases[f].time_ns;
            usage -= (double)td_series_get(events, releases[f++].event, TD_MEMORY_SIZE);
        }
        print_point(c, name, time, usage);
    }
    free(releases);
    return 0;
}

/* Pools come before plots, the last pool first. The default pool and CPU usage have no name, and are called
 * "Frame", as in stock csvexport. */
int csv_plots(struct csv *c, struct td_err *err)
{
    const struct td_series *pools = td_trace_table(c->trace, TD_TABLE_POOL);
    for (uint64_t p = td_series_count(pools); p-- > 0;) {
        uint32_t name = (uint32_t)td_series_get(pools, p, TD_POOL_NAME);
        const struct td_series *events = td_trace_list(c->trace, TD_TABLE_MEMORY, p);
        if (!td_series_count(events))
            continue;
        if (print_pool(c, name ? td_dict_text(c->dict, name) : "Frame", events) < 0)
            return td_fail_no_memory(err, "for a list of allocations");
    }
    for (uint32_t p = 0; p < td_dict_plot_count(c->dict); p++) {
        const struct td_plot *plot = td_dict_get_plot(c->dict, p);
        const char *name = plot->kind == TD_PLOT_CPU_USAGE ? "Frame" : td_dict_text(c->dict, plot->name);
        size_t points = td_trace_plot_points(c->trace, p);
        for (size_t i = 0; i < points; i++) {
            struct td_plot_point at = td_trace_plot_point(c->trace, p, i);
            print_point(c, name, at.time_ns, at.value);
        }
    }
    return 0;
}
