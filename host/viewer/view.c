/* The viewer's state: initial values, and the steps of a frame. */
#include "host/viewer/view.h"

#include <math.h>
#include <stdlib.h>

#define LOST_LIMIT     2000000
#define EXPANDED_CORES 24 /* with more cores, tiles are collapsed at first */
#define SCROLL_SECONDS 0.05

static bool is_lost(void *self, const struct td_zone *zone)
{
    return (td_dict_get_srcloc(self, zone->srcloc)->flags & TD_SRCLOC_LOST) != 0;
}

/* Finds the first and last time in the trace, and counts zones and cores. */
static void find_times(struct td_view *view)
{
    const struct td_trace *trace = view->trace;
    int64_t first = INT64_MAX, last = td_trace_get_info(trace)->last_time_ns;
    for (uint32_t t = 0; t < td_dict_track_count(view->dict); t++) {
        uint64_t zones = td_trace_track_zones(trace, t);
        size_t row = td_trace_row_zones(trace, t, 0);
        view->zones += zones;
        view->cores += zones && td_dict_get_track(view->dict, t)->kind == TD_TRACK_CORE;
        if (!row)
            continue;
        struct td_zone begin = td_trace_zone(trace, t, 0, 0), end = td_trace_zone(trace, t, 0, row - 1);
        first = begin.start_ns < first ? begin.start_ns : first;
        int64_t end_ns = end.end_ns == TD_OPEN ? end.start_ns : end.end_ns;
        last = end_ns > last ? end_ns : last;
    }
    size_t messages = td_trace_messages(trace);
    if (messages) {
        struct td_message m = td_trace_message(trace, 0), n = td_trace_message(trace, messages - 1);
        first = m.time_ns < first ? m.time_ns : first;
        last = n.time_ns > last ? n.time_ns : last;
    }
    for (uint32_t p = 0; p < td_dict_plot_count(view->dict); p++) {
        size_t points = td_trace_plot_points(trace, p);
        if (!points)
            continue;
        int64_t begin = td_trace_plot_point(trace, p, 0).time_ns;
        int64_t end = td_trace_plot_point(trace, p, points - 1).time_ns;
        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    view->first_ns = first == INT64_MAX ? 0 : first;
    view->last_ns = last > view->first_ns ? last : view->first_ns + 1;
}

static int find_plot_ranges(struct td_view *view, struct td_err *err)
{
    uint32_t plots = td_dict_plot_count(view->dict);
    view->plot_range = calloc(2 * (size_t)plots + 1, sizeof *view->plot_range);
    if (!view->plot_range)
        return td_fail_no_memory(err, NULL);
    for (uint32_t p = 0; p < plots; p++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < td_trace_plot_points(view->trace, p); i++) {
            double value = td_trace_plot_point(view->trace, p, i).value;
            if (isfinite(value)) {
                low = fmin(low, value);
                high = fmax(high, value);
            }
        }
        if (low > high)
            low = high = 0;
        /* Positive values are drawn from zero on unless they vary little. */
        view->plot_range[2 * p] = low > 0 && low < high * .75 ? 0 : low;
        view->plot_range[2 * p + 1] = high;
    }
    return 0;
}

static int find_flags(struct td_view *view, struct td_err *err)
{
    const struct td_stat *stats;
    bool lost = false;
    for (int gpu = 0; gpu < 2; gpu++) {
        size_t count = gpu ? td_trace_gpu_stats(view->trace, &stats) : td_trace_stats(view->trace, &stats);
        for (size_t i = 0; i < count; i++) {
            uint32_t flags = td_dict_get_srcloc(view->dict, stats[i].srcloc)->flags;
            view->has_waits |= (flags & TD_SRCLOC_WAIT) != 0;
            lost |= (flags & TD_SRCLOC_LOST) != 0;
        }
    }
    return lost ? td_marks_collect(&view->lost, view->trace, is_lost, (void *)view->dict, LOST_LIMIT, err)
                : 0;
}

int td_view_init(struct td_view *view, struct td_ui *ui, struct td_trace *trace, const char *path,
                 struct td_err *err)
{
    *view = (struct td_view){.ui = ui, .trace = trace, .dict = td_trace_dict(trace), .path = path};
    view->scale = td_ui_scale(ui);
    view->hover = view->selected = view->self_of = TD_NO_ZONE;
    view->hover_node = -1;
    find_times(view);
    int rc = find_plot_ranges(view, err);
    if (rc == 0)
        rc = find_flags(view, err);
    if (rc == 0)
        rc = td_flows_build(&view->flows, trace, err);
    if (rc == 0)
        rc = td_layout_build(&view->layout, trace, err);
    if (rc == 0 && !(view->density = calloc((size_t)view->layout.count + 1, sizeof *view->density)))
        rc = td_fail_no_memory(err, NULL);
    if (rc == 0 && td_panels_init(view, td_panels) < 0)
        rc = td_fail_no_memory(err, NULL);
    if (rc < 0) {
        td_view_free(view);
        return rc;
    }
    view->metrics = td_metrics_for(view->scale);
    td_view_collapse(view, view->cores > EXPANDED_CORES);
    td_camera_init(&view->camera, (double)view->first_ns, (double)view->last_ns);
    return 0;
}

void td_view_free(struct td_view *view)
{
    for (int i = 0; view->density && i < view->layout.count; i++)
        free(view->density[i].busy);
    free(view->density);
    td_panels_free(view);
    free(view->overview.busy);
    free(view->plot_range);
    td_layout_free(&view->layout);
    td_marks_free(&view->lost);
    td_flows_free(&view->flows);
    td_find_free(&view->find);
}

static void step_scroll(struct td_view *view, double seconds)
{
    float off = view->to_scroll - view->scroll;
    if (fabsf(off) < .5f) {
        view->scroll = view->to_scroll;
        return;
    }
    view->scroll += off * (float)(1 - exp(-fmin(seconds, .03) / SCROLL_SECONDS));
}

bool td_view_frame(struct td_view *view)
{
    double seconds = td_ui_seconds(view->ui);
    td_view_keys(view);
    td_camera_step(&view->camera, seconds);
    step_scroll(view, seconds);
    td_panels_draw(view);
    return view->camera.start_ns != view->camera.to_start_ns ||
           view->camera.end_ns != view->camera.to_end_ns || view->scroll != view->to_scroll;
}
