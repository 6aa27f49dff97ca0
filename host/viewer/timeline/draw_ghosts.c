/* Draws ghost zones: functions of sampled call stacks, below the zones of their track. */
#include "host/base/plain_text.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/zone_name.h"
#include "host/viewer/timeline/pixels.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define CELL_PIXELS 3 /* the least width of a cell; the most is twice as much */
#define KERNEL_TEXT TD_C(KERNEL)
#define TONES       64 /* that are kept: most ghost zones are of few functions */

struct ghost_row {
    struct td_view *view;
    const struct td_node *node;
    float y0, y1, mx;
    bool hovered;
    uint64_t next; /* zones before were drawn */
    struct td_pixel_strip strip;
    struct ghost_tone {
        td_rgba fill;          /* 0: none */
        uint32_t color, flags; /* of the item */
    } tones[TONES];
};

/* Paler than zones; those that are inlined are darker still. */
static td_rgba fill_of(struct ghost_row *r, const struct td_band_item *item)
{
    const uint32_t flags = item->flags & TD_ITEM_INLINED;
    struct ghost_tone *tone = &r->tones[((item->color ^ flags) * 2654435761u >> 16) % TONES];
    if (!tone->fill || tone->color != item->color || tone->flags != flags)
        *tone = (struct ghost_tone){td_color_mix(TD_C(BACK), item->color, flags ? .28f : .46f), item->color,
                                    flags};
    return tone->fill;
}

/* The row of SAMPLE at or before that time. */
static uint64_t sample_at(const struct td_view *view, uint32_t track, int64_t time_ns)
{
    const struct td_series *samples = td_trace_list(view->model.trace, TD_TABLE_SAMPLE, track);
    const uint64_t after = td_series_after(samples, TD_SAMPLE_TIME, time_ns);
    return after ? after - 1 : 0;
}

static struct td_ghost ghost_of(const struct td_band_item *item)
{
    return (struct td_ghost){item->start_ns, item->end_ns, item->line, item->entry};
}

static void set_tip(struct td_view *view, const struct td_node *node, const struct td_band_item *item)
{
    const struct td_ghost ghost = ghost_of(item), *g = &ghost;
    const struct td_series *lines = td_trace_table(view->model.trace, TD_TABLE_STACK_LINE);
    char room[32], length[TD_FORMAT_BYTES], start[TD_FORMAT_BYTES], number[TD_FORMAT_BYTES], place[260] = "";
    char zones[60] = "";
    if (item->count > 1)
        snprintf(zones, sizeof zones, "first of\t%s\n", td_format_count(number, item->count));
    if (g->line != TD_GHOST_NO_LINE) {
        const char *file =
            td_dict_text(view->model.dict, (uint32_t)td_series_get(lines, g->line, TD_STACK_LINE_FILE));
        if (*file)
            snprintf(place, sizeof place, "source\t%.200s:%" PRId64 "\n", TD_PLAIN(file),
                     td_series_get(lines, g->line, TD_STACK_LINE_LINE));
    }
    td_tip(view, td_ghost_name(view->model.trace, g, room),
           "%ssampled for\t%s\nstart\t%s\n%skind\t%s%s\naddress\t0x%" PRIx64 "\n", zones,
           td_format_ns(length, (double)(g->end_ns - g->start_ns)),
           td_format_time(start, (double)g->start_ns, 1), place,
           td_ghost_is_kernel(view->model.trace, g) ? "kernel" : "program",
           td_ghost_is_inline(view->model.trace, g) ? ", inlined" : "",
           td_ghost_address(view->model.trace, g));
    view->hover.span = (struct td_time_span){true, (double)g->start_ns, (double)g->end_ns};
    view->hover.stack =
        (struct td_stack_spot){TD_STACK_SAMPLE, node->number, sample_at(view, node->number, g->start_ns)};
}

static void draw_name(struct td_view *view, const struct td_band_item *item, float x0, float x1, float y0,
                      float y1, td_rgba fill)
{
    const struct td_ghost ghost = ghost_of(item), *g = &ghost;
    char room[32];
    const float pad = TD_U(view, 5), left = fmaxf(x0, view->area.left) + pad,
                right = fminf(x1, view->area.right) - pad;
    if (right - left < TD_U(view, 14))
        return;
    const bool kernel = td_ghost_is_kernel(view->model.trace, g);
    td_ui_text_fit(view->ui, TD_FONT_TEXT, left, (y0 + y1 - td_ui_text_height(view->ui, TD_FONT_TEXT)) / 2,
                   right - left, kernel ? KERNEL_TEXT : td_color_mix(fill, 0xffffffff, .75f),
                   td_ghost_name(view->model.trace, g, room));
}

static void draw_item(void *self, const struct td_band_item *item, int64_t end_ns, double cell_ns)
{
    struct ghost_row *r = self;
    struct td_view *view = r->view;
    const float x0 = td_pixel_nearest(td_view_x(view, (double)item->start_ns)),
                x1 = td_pixel_nearest(td_view_x(view, (double)item->end_ns)),
                right = x1 - x0 > 3 ? x1 - 1 : fmaxf(x1, x0 + 1);
    const bool under = r->hovered && r->mx >= x0 && r->mx < right + 1;
    td_rgba fill = fill_of(r, item);
    if (under)
        fill = td_color_mix(fill, 0xffffffff, .12f);
    if (item->flags & TD_ITEM_ZONE) {
        td_ui_rect(view->ui, x0, r->y0, right, r->y1, fill,
                   right - x0 > TD_U(view, 9) ? TD_U(view, 2.5f) : 0);
        draw_name(view, item, x0, right, r->y0, r->y1, fill);
    } else {
        td_strip_fill(&r->strip, x0, right, fill);
    }
    if (under)
        set_tip(view, r->node, item);
    view->drawn.count++;
}

void td_draw_ghosts(struct td_view *view, const struct td_node *node, float y)
{
    const float first = y + view->metrics.pad / 2, my = td_ui_mouse_y(view->ui);
    struct ghost_row row = {.view = view, .node = node, .mx = td_ui_mouse_x(view->ui)};
    const bool hovered = td_view_is_over(view, node);
    if (!td_ghost_cache_has(&view->drawn.ghosts, view->model.trace, node->number))
        return;
    for (uint32_t r = 0; r < node->rows && (!node->most_rows || r < node->most_rows); r++) {
        const float row_y = first + (float)r * view->metrics.row;
        if (row_y > view->area.bottom)
            break;
        row.y0 = row_y + 1;
        row.y1 = row_y + view->metrics.row - 1;
        row.hovered = hovered && my >= row.y0 && my < row.y1;
        if (row_y + view->metrics.row < view->area.pins_top)
            continue;
        row.next = 0;
        row.strip = td_view_strip(view, row.y0, row.y1);
        td_draw_items(view, node->number, TD_BAND_GHOSTS - r, CELL_PIXELS, &row.next, draw_item, &row);
    }
}
