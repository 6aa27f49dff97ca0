/* Draws how exact the times of a zone are, where the picture is so large that it can be seen: what recording
 * the zone cost, the resolution of the program's clock, and the bound on the error of a device's times. */
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_PIXELS 4 /* what is shorter is not drawn */
#define COST         0x70d03030u
#define BAR          0xffffc9c2u
#define BAR_BACK     0xa0000000u

struct td_time_errors td_time_errors_read(const struct td_trace *trace)
{
    const struct td_trace_info *info = td_trace_get_info(trace);
    const char *bound = td_trace_get_note(trace, TD_NOTE_CLOCK_ERROR_NS, 0);
    const double device = bound ? strtod(bound, NULL) : 0;
    return (struct td_time_errors){.cost_ns = fmax((double)info->delay_ns, 0),
                                   .resolution_ns = fmax((double)info->resolution_ns, 0),
                                   .device_ns = device > 0 && device < 1e18 ? device : 0};
}

/* A bar from `half` pixels before x to `half` after it. */
static void draw_bar(struct td_view *view, float x, float half, float y0, float y1)
{
    const float high = roundf((y1 - y0) * .36f), y = y1 - roundf((y1 - y0) * .28f), left = roundf(x - half),
                right = roundf(x + half), thick = fmaxf(TD_U(view, 1), 1);
    td_ui_rect(view->ui, left - 1, y - 1, right + 1, y + thick + 1, BAR_BACK, 0);
    td_ui_rect(view->ui, left, y, right, y + thick, BAR, 0);
    for (int i = 0; i < 2; i++) {
        const float at = i ? right - thick : left;
        td_ui_rect(view->ui, at, y + (thick - high) / 2, at + thick, y + (thick + high) / 2, BAR, 0);
    }
}

void td_draw_zone_errors(struct td_view *view, const struct td_track *track, const struct td_zone *zone,
                         bool chosen, float y0, float y1)
{
    const struct td_time_errors *e = &view->model.errors;
    const bool is_core = td_track_is_core(track), ended = zone->end_ns != TD_OPEN;
    if (track->kind == TD_TRACK_GPU)
        return;
    const double least_ns = view->area.ns_per_pixel * TD_U(view, LEAST_PIXELS);
    const double half_ns = is_core ? e->device_ns : e->resolution_ns / 2, cost_ns = is_core ? 0 : e->cost_ns;
    if (half_ns * 2 < least_ns && cost_ns < least_ns)
        return;
    const double end_ns = td_view_zone_end(view, zone), length_ns = end_ns - (double)zone->start_ns;
    const float start = td_view_x(view, (double)zone->start_ns), end = td_view_x(view, end_ns);
    if (cost_ns >= least_ns) {
        td_ui_rect(view->ui, start, y0, td_view_x(view, (double)zone->start_ns + fmin(cost_ns, length_ns)),
                   y1, COST, 0);
        if (ended)
            td_ui_rect(view->ui, end, y0, td_view_x(view, end_ns + cost_ns), y1, COST, 0);
    }
    /* Bars of short zones would cover them and those beside them. */
    if (half_ns * 2 < least_ns || (!chosen && length_ns < half_ns * 2))
        return;
    const float half = (float)(half_ns / view->area.ns_per_pixel);
    if (start > view->area.left - 30)
        draw_bar(view, start, half, y0, y1);
    if (ended && end < view->area.right + 30)
        draw_bar(view, end, half, y0, y1);
}
