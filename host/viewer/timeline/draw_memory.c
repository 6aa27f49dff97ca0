/* Rows of memory pools: the bytes in use, and how long the allocation under the mouse and the chosen one lived. */
#include "host/query/rows/memory_pool.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NEAR_PIXELS 6

/* From where it was made to where it was freed, with its size. */
static void draw_lifetime(struct td_view *view, uint32_t pool, uint64_t row, float y, float height,
                          td_rgba color)
{
    const struct td_allocation a = td_allocation_get(view->model.trace, pool, row);
    const bool active = a.free_ns < 0;
    const double end = active ? (double)view->model.last_ns : (double)a.free_ns;
    const float from = td_view_x(view, (double)a.time_ns), to = td_view_x(view, end), edge = TD_U(view, 1.5f),
                left = fmaxf(floorf(from), view->area.left), right = fminf(ceilf(to), view->area.right);
    char size[TD_FORMAT_BYTES], life[TD_FORMAT_BYTES], text[2 * TD_FORMAT_BYTES + 20];
    if (right < left)
        return;
    td_ui_rect(view->ui, left, y, fmaxf(right, left + 1), y + height, td_color_alpha(color, .18f), 0);
    if (from >= view->area.left)
        td_ui_rect(view->ui, left, y, left + edge, y + height, color, 0);
    if (!active && to <= view->area.right)
        td_ui_rect(view->ui, right - edge, y, right, y + height, color, 0);
    snprintf(text, sizeof text, "%s for %s%s", td_format_value(size, (double)a.bytes, 1),
             td_format_ns(life, end - (double)a.time_ns), active ? ", active" : "");
    const float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text);
    if (right - left > wide + TD_U(view, 12))
        td_ui_text(view->ui, TD_FONT_SMALL, left + TD_U(view, 6),
                   y + height - td_ui_text_height(view->ui, TD_FONT_SMALL) - 2, TD_C(TEXT), text);
}

/* The one that was made or freed at the mouse. */
static void point_at_allocation(struct td_view *view, uint32_t pool)
{
    const uint64_t row =
        td_allocation_near(view->model.trace, pool, td_view_time(view, td_ui_mouse_x(view->ui)),
                           view->area.ns_per_pixel * TD_U(view, NEAR_PIXELS));
    view->hover.allocation = row == UINT64_MAX ? 0 : row + 1;
}

static const char *allocation_text(const struct td_view *view, uint32_t pool, char *text, size_t bytes)
{
    char size[TD_FORMAT_BYTES], life[TD_FORMAT_BYTES];
    *text = 0;
    if (!view->hover.allocation)
        return text;
    const struct td_allocation a = td_allocation_get(view->model.trace, pool, view->hover.allocation - 1);
    td_format_value(size, (double)a.bytes, 1);
    if (a.free_ns < 0)
        snprintf(text, bytes, "here\t%s at 0x%" PRIx64 ", active\n", size, a.address);
    else
        snprintf(text, bytes, "here\t%s at 0x%" PRIx64 ", for %s\n", size, a.address,
                 td_format_ns(life, (double)(a.free_ns - a.time_ns)));
    return text;
}

static void set_memory_tip(struct td_view *view, const struct td_node *node,
                           const struct td_memory_sums *sums)
{
    char here[120], time[TD_FORMAT_BYTES], use[TD_FORMAT_BYTES], peak[TD_FORMAT_BYTES],
        count[TD_FORMAT_BYTES];
    const double ns = td_view_time(view, td_ui_mouse_x(view->ui));
    const size_t at = td_usage_at(sums, td_lod_time(ns));
    td_tip(view, node->label, "in use\t%s\nat\t%s\nmost\t%s\nallocations\t%s\n%s\tclick: the panel Memory\n",
           td_format_value(use, at == SIZE_MAX ? 0 : (double)sums->usage[at].last, 1),
           td_format_time(time, ns, view->area.ns_per_pixel),
           td_format_value(peak, (double)sums->peak_bytes, 1), td_format_count(count, sums->count),
           allocation_text(view, node->number, here, sizeof here));
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
    const bool chosen = view->selection.allocation && view->selection.pool == node->number,
               over = td_view_is_over(view, node) && td_ui_mouse_y(view->ui) >= y;
    if (over)
        point_at_allocation(view, node->number);
    if (chosen)
        draw_lifetime(view, node->number, view->selection.allocation - 1, y + 2, node->height - 4,
                      TD_C(SELECTED));
    if (over && view->hover.allocation && (!chosen || view->hover.allocation != view->selection.allocation))
        draw_lifetime(view, node->number, view->hover.allocation - 1, y + 2, node->height - 4, TD_C(MATCH));
    if (over)
        set_memory_tip(view, node, sums);
}
