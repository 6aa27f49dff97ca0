/* Draws when a thread, or a core, was sampled: a strip of marks above its zones. A click shows the call stack. */
#include "host/trace/tables.h"
#include "host/query/code/code_origin.h"
#include "host/query/code/stack_text.h"
#include "host/viewer/timeline/pixels.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_PIXELS 3
#define TIP_FRAMES  8
#define LOOKED_AT   5 /* of several samples, to find whose code most of them are in */

static int64_t time_of(const struct td_series *samples, uint64_t row)
{
    return td_series_get(samples, row, TD_SAMPLE_TIME);
}

/* ---- whose code ---- */

static enum td_code_origin origin_of(struct td_view *view, uint32_t stack)
{
    struct td_stack_origins *o = &view->drawn.origins;
    const struct td_trace *trace = view->model.trace;
    const uint64_t stacks = td_series_count(td_trace_table(trace, TD_TABLE_STACK)),
                   key = td_series_count(td_trace_table(trace, TD_TABLE_STACK_LINE)) + 1;
    if (o->key != key || o->stacks < stacks) {
        uint8_t *of = realloc(o->of, stacks + 1);
        if (!of)
            return td_code_origin_of_stack(trace, stack);
        o->of = of;
        memset(o->of, 0, stacks + 1);
        o->stacks = stacks;
        o->key = key;
    }
    if (stack >= stacks)
        return TD_CODE_OWN;
    if (!o->of[stack])
        o->of[stack] = (uint8_t)(td_code_origin_of_stack(trace, stack) + 1);
    return (enum td_code_origin)(o->of[stack] - 1);
}

/* That of most samples from `first` on, of some that lie evenly among them. */
static enum td_code_origin origin_of_most(struct td_view *view, const struct td_series *samples,
                                          uint64_t first, uint64_t count)
{
    unsigned votes[TD_CODE_ORIGINS_COUNT] = {0};
    enum td_code_origin most = TD_CODE_OWN;
    const uint64_t looks = count < LOOKED_AT ? count : LOOKED_AT;
    for (uint64_t i = 0; i < looks; i++)
        votes[origin_of(view,
                        (uint32_t)td_series_get(samples, first + i * count / looks, TD_SAMPLE_STACK))]++;
    for (int o = 1; o < TD_CODE_ORIGINS_COUNT; o++)
        if (votes[o] > votes[most])
            most = (enum td_code_origin)o;
    return most;
}

static td_rgba color_of(enum td_code_origin origin, bool several)
{
    const td_rgba color = origin == TD_CODE_KERNEL    ? TD_C(KERNEL)
                          : origin == TD_CODE_LIBRARY ? TD_C(LIBRARY)
                                                      : TD_C(TEXT_DIM);
    return several ? td_color_mix(TD_C(BACK), color, .75f) : color;
}

static void set_tip(struct td_view *view, const struct td_node *node, const struct td_series *samples,
                    uint64_t first, uint64_t count)
{
    char time[TD_FORMAT_BYTES], number[TD_FORMAT_BYTES], frames[700];
    const uint32_t stack = (uint32_t)td_series_get(samples, first, TD_SAMPLE_STACK);
    td_format_time(time, (double)time_of(samples, first), 1);
    if (count > 1)
        td_tip(view, "Samples", "of\t%.80s\nnumber\t%s\nfirst\t%s\nmost in\t%s\n", node->label,
               td_format_count(number, count), time,
               td_code_origin_text(origin_of_most(view, samples, first, count)));
    else
        td_tip(view, "Sample", "at\t%s\nin\t%s\n%s\n", time, td_code_origin_text(origin_of(view, stack)),
               td_stack_text(view->model.trace, stack, "\n", TIP_FRAMES, frames, sizeof frames));
    view->hover.stack = (struct td_stack_spot){TD_STACK_SAMPLE, node->number, first};
}

struct sample_strip {
    struct td_view *view;
    const struct td_node *node;
    const struct td_series *samples;
    float y0, y1, half;
    bool hovered;
    uint64_t next; /* samples before were drawn */
    struct td_pixel_strip strip;
};

static void draw_mark(void *self, const struct td_band_item *item, int64_t end_ns, double cell_ns)
{
    struct sample_strip *s = self;
    const float x = td_pixel_below(td_view_x(s->view, (double)item->start_ns)),
                mx = td_ui_mouse_x(s->view->ui);
    td_strip_fill(&s->strip, x - s->half, x + s->half + 1,
                  color_of(origin_of_most(s->view, s->samples, item->first, item->count), item->count > 1));
    if (s->hovered && mx >= x - s->half - 1 && mx < x + s->half + 2)
        set_tip(s->view, s->node, s->samples, item->first, item->count);
}

void td_draw_samples(struct td_view *view, const struct td_node *node, float y)
{
    struct sample_strip s = {.view = view,
                             .node = node,
                             .samples = td_trace_list(view->model.trace, TD_TABLE_SAMPLE, node->number),
                             .y0 = y + td_layout_samples_y(node, &view->metrics) - node->y,
                             .half = floorf(TD_U(view, CELL_PIXELS) / 2)};
    const float my = td_ui_mouse_y(view->ui);
    s.y1 = s.y0 + view->metrics.samples - TD_U(view, 2);
    s.strip = td_view_strip(view, s.y0, s.y1);
    s.hovered = td_view_is_over(view, node) && my >= s.y0 - 1 && my < s.y1 + 1;
    td_draw_items(view, node->number, TD_BAND_SAMPLES, CELL_PIXELS, &s.next, draw_mark, &s);
}
