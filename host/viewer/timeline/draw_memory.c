/* Rows of memory pools: the bytes in use. */
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

static void set_memory_tip(struct td_view *view, const struct td_node *node,
                           const struct td_memory_sums *sums)
{
    char time[TD_FORMAT_BYTES], use[TD_FORMAT_BYTES], peak[TD_FORMAT_BYTES], count[TD_FORMAT_BYTES];
    const double ns = td_view_time(view, td_ui_mouse_x(view->ui));
    const size_t at = td_usage_at(sums, td_lod_time(ns));
    td_tip(view, node->label, "in use\t%s\nat\t%s\nmost\t%s\nallocations\t%s\n\tclick: the panel Memory\n",
           td_format_value(use, at == SIZE_MAX ? 0 : (double)sums->usage[at].last, 1),
           td_format_time(time, ns, view->area.ns_per_pixel),
           td_format_value(peak, (double)sums->peak_bytes, 1), td_format_count(count, sums->count));
    view->hover.pool = node->number + 1;
}

static const struct td_memory_sums *sums_of(struct td_view *view, const struct td_node *node)
{
    const uint64_t key = (view->model.live ? view->model.counted : 0) + 1;
    return td_memory_curve_get(&view->drawn.memory, view->model.trace, node->number, key);
}

bool td_memory_row_peak(struct td_view *view, const struct td_node *node, double *bytes)
{
    const struct td_memory_sums *sums = sums_of(view, node);
    *bytes = sums ? (double)sums->peak_bytes : 0;
    return sums && sums->points && sums->peak_bytes > 0;
}

void td_draw_memory(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_memory_sums *sums = sums_of(view, node);
    if (!sums || !sums->points || sums->peak_bytes <= 0)
        return;
    const float pad = TD_U(view, 6), height = view->metrics.plot - 2 * pad,
                base = y + view->metrics.plot - pad;
    const td_rgba color = td_color_of_name(node->label);
    for (float x = floorf(view->area.left); x < view->area.right; x++) {
        int64_t low, most;
        const double from = td_view_time(view, x), to = td_view_time(view, x + 1);
        if (from > (double)view->model.last_ns ||
            !td_usage_between(sums, td_lod_time(from), td_lod_time(to), &low, &most))
            continue;
        const float y0 = base - height * (float)((double)most / (double)sums->peak_bytes),
                    y1 = base - height * (float)((double)low / (double)sums->peak_bytes);
        td_ui_rect(view->ui, x, y1, x + 1, base, td_color_alpha(color, .16f), 0);
        td_ui_rect(view->ui, x, fminf(y0, y1 - 1), x + 1, y1, color, 0);
    }
    if (td_view_is_over(view, node) && td_ui_mouse_y(view->ui) >= y)
        set_memory_tip(view, node, sums);
}
