/* The range of time that tables and histograms count. */
#include "host/event/map.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

static const char *const names[] = {"All", "Visible", "Marked"};

bool td_view_limits(const struct td_view *view, int64_t *from_ns, int64_t *to_ns)
{
    *from_ns = INT64_MIN;
    *to_ns = INT64_MAX;
    if (view->selection.limit == TD_LIMIT_VISIBLE) {
        /* The target: a range that moves for a moment is not worth counting. */
        *from_ns = td_lod_time(view->camera.to_start_ns);
        *to_ns = td_lod_time(view->camera.to_end_ns);
        return true;
    }
    if (view->selection.limit == TD_LIMIT_MARKED && view->selection.measured) {
        *from_ns = td_lod_time(fmin(view->selection.measure_from_ns, view->selection.measure_to_ns));
        *to_ns = td_lod_time(fmax(view->selection.measure_from_ns, view->selection.measure_to_ns));
        return true;
    }
    return false;
}

uint64_t td_view_limits_key(const struct td_view *view)
{
    int64_t from, to;
    td_view_limits(view, &from, &to);
    return td_mix64(td_mix64((uint64_t)from ^ view->model.counted) ^ (uint64_t)to);
}

static float limit_width(const struct td_view *view, int limit)
{
    return td_ui_text_width(view->ui, TD_FONT_SMALL, names[limit]) + TD_U(view, 14);
}

float td_limits_width(const struct td_view *view)
{
    float wide = 0;
    for (int i = TD_LIMIT_NONE; i <= TD_LIMIT_MARKED; i++)
        wide += limit_width(view, i);
    return wide;
}

float td_draw_limits(struct td_view *view, float right, float y, float height)
{
    struct td_ui *ui = view->ui;
    float text_y = y + (height - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    for (int i = TD_LIMIT_MARKED; i >= TD_LIMIT_NONE; i--) {
        float wide = limit_width(view, i), left = right - wide;
        bool hovered, usable = i != TD_LIMIT_MARKED || view->selection.measured;
        bool chosen = (int)view->selection.limit == i;
        if (td_ui_click_area(ui, names[i], left, y, wide, height, &hovered) && usable)
            view->selection.limit = (enum td_limit)i;
        if (chosen)
            td_ui_rect(ui, left, y, right, y + height, TD_C(LIT), TD_U(view, 3));
        td_ui_text(ui, TD_FONT_SMALL, left + TD_U(view, 7), text_y,
                   chosen || (hovered && usable) ? TD_C(TEXT) : TD_C(TEXT_FAINT), names[i]);
        right = left;
    }
    return right;
}
