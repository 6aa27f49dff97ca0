/* Draws when a fiber ran, or when fibers ran on a thread: a strip above the zones. */
#include "host/query/rows/fiber_runs.h"
#include "host/query/table/track_name.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define YIELDED TD_C(EDGE)
#define SEVERAL 0xff7f8a99u /* more than one run in a pixel */

static double end_of(const struct td_view *view, const struct td_fiber_run *run)
{
    return run->end_ns == TD_OPEN ? fmax((double)view->model.last_ns, (double)run->start_ns)
                                  : (double)run->end_ns;
}

static const char *name_of(const struct td_view *view, uint32_t track, char *text, size_t bytes)
{
    if (track == TD_NO_FIBER_TRACK)
        return "not recorded";
    const struct td_track *t = td_dict_get_track(view->model.dict, track);
    const char *name = td_dict_text(view->model.dict, t->name);
    if (*name)
        return name;
    snprintf(text, bytes, "%" PRIu64, t->thread);
    return text;
}

static void set_run_tip(struct td_view *view, const struct td_node *node, const struct td_track_runs *runs,
                        size_t at, size_t count)
{
    const struct td_fiber_run *run = &runs->runs[at];
    const bool is_fiber = td_dict_get_track(view->model.dict, node->number)->fiber;
    char name[40], length[TD_FORMAT_BYTES], start[TD_FORMAT_BYTES], number[TD_FORMAT_BYTES];
    const double end = end_of(view, &runs->runs[at + count - 1]);
    td_format_ns(length, end - (double)run->start_ns);
    td_format_time(start, (double)run->start_ns, 1);
    if (count > 1)
        td_tip(view, node->label, "runs\t%s\nwithin\t%s\nstart\t%s\n", td_format_count(number, count), length,
               start);
    else
        td_tip(view, node->label, "%s\t%.100s\nrun\t%s\nstart\t%s\n", is_fiber ? "runs on" : "runs fiber",
               name_of(view, run->other, name, sizeof name), length, start);
    view->hover.span = (struct td_time_span){true, (double)run->start_ns, end};
}

static void set_yield_tip(struct td_view *view, const struct td_node *node, double from, double to)
{
    char length[TD_FORMAT_BYTES], start[TD_FORMAT_BYTES];
    td_tip(view, node->label, "yielded for\t%s\nsince\t%s\n", td_format_ns(length, to - from),
           td_format_time(start, from, 1));
    view->hover.span = (struct td_time_span){true, from, to};
}

void td_draw_runs(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_track_runs *runs = td_fiber_runs_of(&view->model.fibers, node->number);
    const bool is_fiber = td_dict_get_track(view->model.dict, node->number)->fiber;
    struct td_ui *ui = view->ui;
    if (!runs)
        return;
    const float y0 = y + view->metrics.pad + (node->has_messages ? view->metrics.messages : 0),
                y1 = y0 + view->metrics.runs - TD_U(view, 2), middle = floorf((y0 + y1) / 2);
    const float mx = td_ui_mouse_x(ui), my = td_ui_mouse_y(ui);
    const bool hovered = td_view_is_over(view, node) && my >= y0 - 1 && my < y1 + 1;
    size_t i = td_fiber_runs_after(runs, 0, view->camera.start_ns), next;
    double before = i ? end_of(view, &runs->runs[i - 1]) : NAN;
    for (; i < runs->count; i = next) {
        const struct td_fiber_run *run = &runs->runs[i];
        const double start = (double)run->start_ns;
        const float x0 = floorf(td_view_x(view, start));
        /* A fiber that does not run has yielded. */
        if (is_fiber && before < start) {
            const float from = floorf(td_view_x(view, before));
            td_ui_rect(ui, from, middle, x0, middle + 1, YIELDED, 0);
            if (hovered && mx >= from && mx < x0)
                set_yield_tip(view, node, before, start);
        }
        if (start > view->camera.end_ns)
            break;
        next = i + 1;
        if (end_of(view, run) - start < view->area.ns_per_pixel) {
            next = td_fiber_runs_after(runs, next, start + view->area.ns_per_pixel);
            if (next > i + 1 && (double)runs->runs[next - 1].start_ns > start + view->area.ns_per_pixel)
                next--;
        }
        before = end_of(view, &runs->runs[next - 1]);
        const float x1 = fmaxf(ceilf(td_view_x(view, before)), x0 + 1);
        td_rgba color = SEVERAL;
        if (next == i + 1 && run->other != TD_NO_FIBER_TRACK)
            color = td_color_of_row(td_dict_get_track(view->model.dict, run->other), 0);
        td_ui_rect(ui, x0, y0, x1, y1, color, 0);
        if (hovered && mx >= x0 - 1 && mx < x1 + 1)
            set_run_tip(view, node, runs, i, next - i);
    }
}
