#include "host/viewer/timeline/label_tip.h"
#include "host/base/plain_text.h"
#include "host/event/dict.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TIP_BYTES 900

struct tip_text {
    char text[TIP_BYTES];
    size_t used;
};

static void put(struct tip_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct tip_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(t->text + t->used, sizeof t->text - t->used, format, args);
    va_end(args);
    t->used = n > 0 && t->used + (size_t)n < sizeof t->text ? t->used + (size_t)n : t->used;
    t->text[t->used] = 0;
}

/* From the start of its first outermost zone to the end of the last one, and what it is in. */
static void put_lifetime(const struct td_view *view, uint32_t track, struct tip_text *t)
{
    const struct td_trace *trace = view->model.trace;
    const size_t zones = td_trace_rows(trace, track) ? td_trace_row_zones(trace, track, 0) : 0;
    char from[TD_FORMAT_BYTES], to[TD_FORMAT_BYTES];
    if (!zones)
        return;
    const struct td_zone first = td_trace_zone(trace, track, 0, 0),
                         last = td_trace_zone(trace, track, 0, zones - 1);
    put(t, "from, to\t%s, %s\n", td_format_time(from, (double)first.start_ns, 1),
        td_format_time(to, td_view_zone_end(view, &last), 1));
    if (last.end_ns == TD_OPEN)
        put(t, "state\tstill in %.80s\n", TD_PLAIN(td_zone_label(view->model.dict, &last)));
    else
        put(t, "state\tended\n");
}

static void put_lane(const struct td_view *view, uint32_t track, struct tip_text *t)
{
    const struct td_lane *lane = td_lanes_get(view, track);
    if (!lane || !view->lanes.table.lane || !view->sums.shown.lane)
        return;
    put(t, "busy, waits\t%.1f %%, %.1f %% of the counted range\n", lane->facts.busy * 100,
        lane->facts.wait * 100);
    if (lane->facts.lost > 0)
        put(t, "lost, stalled\t%.1f %%\n", lane->facts.lost * 100);
}

static void put_track(const struct td_view *view, uint32_t track, struct tip_text *t)
{
    const struct td_track *of = td_dict_get_track(view->model.dict, track);
    char number[TD_FORMAT_BYTES];
    if (td_track_is_core(of))
        put(t, "core\tchip %u, tile %u,%u, core %u\n", of->chip, of->x, of->y, of->core);
    else
        put(t, "%s\t%" PRIu64 "\n", of->fiber ? "fiber" : "thread", of->thread & 0xffffffffu);
    put(t, "zones\t%s", td_format_count(number, td_trace_track_zones(view->model.trace, track)));
    put(t, ", %u deep\n", td_trace_rows(view->model.trace, track));
    const size_t messages = td_trace_track_messages(view->model.trace, track);
    if (messages)
        put(t, "messages\t%s\n", td_format_count(number, messages));
    put_lifetime(view, track, t);
    put_lane(view, track, t);
}

static void put_group(const struct td_view *view, int group, struct tip_text *t)
{
    const struct td_layout *layout = &view->layout;
    char number[TD_FORMAT_BYTES];
    uint64_t zones = 0;
    uint32_t rows = 0;
    for (int i = group + 1; i < layout->nodes[group].end; i++) {
        rows += layout->nodes[i].kind != TD_NODE_GROUP;
        if (layout->nodes[i].kind == TD_NODE_TRACK)
            zones += td_trace_track_zones(view->model.trace, layout->nodes[i].number);
    }
    put(t, "rows\t%u\n", rows);
    if (zones)
        put(t, "zones\t%s\n", td_format_count(number, zones));
}

void td_label_tip(struct td_view *view)
{
    const int number = view->hover.node;
    struct tip_text t = {.used = 0};
    if (number < 0 || td_ui_mouse_x(view->ui) >= view->area.left || view->hover.tip[0] ||
        view->drag.kind != TD_DRAG_NONE)
        return;
    const struct td_node *node = &view->layout.nodes[number];
    if (node->kind == TD_NODE_TRACK)
        put_track(view, node->number, &t);
    else if (node->kind == TD_NODE_GROUP)
        put_group(view, number, &t);
    else if (node->kind == TD_NODE_PLOT)
        put(&t, "points\t%zu\n", td_trace_plot_points(view->model.trace, node->number));
    else if (node->kind == TD_NODE_FRAMES)
        put(&t, "frames\t%zu\n", td_trace_frames(view->model.trace, node->number));
    td_tip(view, node->label, "%sRight button: pin, hide, move ...\n", t.text);
}

void td_ruler_tip(struct td_view *view, float top, float bottom)
{
    const float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    char time[TD_FORMAT_BYTES], from[TD_FORMAT_BYTES], to[TD_FORMAT_BYTES], pixel[TD_FORMAT_BYTES];
    if (y < top || y >= bottom || x < view->area.left || x >= view->area.right || view->hover.tip[0] ||
        !td_ui_region_hovered(view->ui) || view->drag.kind != TD_DRAG_NONE)
        return;
    td_tip(view, td_format_time(time, td_view_time(view, x), 1), "visible\t%s to %s\na pixel\t%s\n",
           td_format_time(from, view->camera.start_ns, 1), td_format_time(to, view->camera.end_ns, 1),
           td_format_ns(pixel, view->area.ns_per_pixel));
}
