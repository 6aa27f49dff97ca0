/* Draws when a thread, or a core, was sampled: a strip of marks above its zones. A click shows the call stack. */
#include "host/trace/tables.h"
#include "host/viewer/analysis/stack_text.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/view.h"

#include <math.h>
#include <stdio.h>

#define CELL_PIXELS 3
#define SAMPLE      0xffc9d1dcu
#define SEVERAL     0xff8f9aabu
#define TIP_FRAMES  8

static int64_t time_of(const struct td_series *samples, uint64_t row)
{
    return td_series_get(samples, row, TD_SAMPLE_TIME);
}

/* The first row from `from` on that is at time_ns or later. */
static uint64_t first_from(const struct td_series *samples, uint64_t from, int64_t time_ns)
{
    const uint64_t count = td_series_count(samples);
    uint64_t low = from, high = from, step = 1;
    while (high < count && time_of(samples, high) < time_ns) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = high < count ? high : count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (time_of(samples, middle) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void set_tip(struct td_view *view, const struct td_node *node, const struct td_series *samples,
                    uint64_t first, uint64_t count)
{
    char time[TD_FORMAT_BYTES], number[TD_FORMAT_BYTES], frames[700];
    const uint32_t stack = (uint32_t)td_series_get(samples, first, TD_SAMPLE_STACK);
    td_format_time(time, (double)time_of(samples, first), 1);
    if (count > 1)
        td_tip(view, "Samples", "of\t%.80s\nnumber\t%s\nfirst\t%s\n", node->label,
               td_format_count(number, count), time);
    else
        td_tip(view, "Sample", "at\t%s\n%s\n", time,
               td_stack_text(view->trace, stack, "\n", TIP_FRAMES, frames, sizeof frames));
    view->hover_stack = (struct td_stack_spot){TD_STACK_SAMPLE, node->number, first};
}

void td_draw_samples(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_series *samples = td_trace_list(view->trace, TD_TABLE_SAMPLE, node->number);
    const uint64_t count = td_series_count(samples);
    const float y0 = y + td_layout_samples_y(node, &view->metrics) - node->y,
                y1 = y0 + view->metrics.samples - TD_U(view, 2), mx = td_ui_mouse_x(view->ui),
                my = td_ui_mouse_y(view->ui), half = floorf(TD_U(view, CELL_PIXELS) / 2);
    const bool hovered = view->hover_node >= 0 && &view->layout.nodes[view->hover_node] == node &&
                         mx >= view->left && my >= y0 - 1 && my < y1 + 1;
    const double cell = view->ns_per_pixel * TD_U(view, CELL_PIXELS);
    uint64_t next;
    for (uint64_t i = first_from(samples, 0, td_lod_time(view->camera.start_ns - cell)); i < count;
         i = next) {
        const int64_t time = time_of(samples, i);
        if ((double)time > view->camera.end_ns + cell)
            break;
        next = first_from(samples, i + 1, td_lod_time(ceil((floor((double)time / cell) + 1) * cell)));
        const float x = floorf(td_view_x(view, (double)time));
        td_ui_rect(view->ui, x - half, y0, x + half + 1, y1, next > i + 1 ? SEVERAL : SAMPLE, 0);
        if (hovered && mx >= x - half - 1 && mx < x + half + 2)
            set_tip(view, node, samples, i, next - i);
    }
}
