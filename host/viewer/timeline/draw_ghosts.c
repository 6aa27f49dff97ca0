/* Draws ghost zones: functions of sampled call stacks, below the zones of their track. */
#include "host/base/plain_text.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/zone_name.h"
#include "host/viewer/timeline/pixels.h"
#include "host/viewer/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LEAST_PIXELS 3
#define KERNEL_TEXT  0xffff8f86u
#define COLORS       64 /* that are kept: most ghost zones are of few functions */

struct ghost_row {
    struct td_view *view;
    const struct td_node *node;
    float y0, y1, mx;
    bool hovered;
    struct ghost_color {
        td_rgba color; /* 0: none */
        uint32_t line, entry;
    } colors[COLORS];
    float run0, run1; /* narrow zones of one colour, drawn as one; run1 <= run0: none */
    td_rgba run_fill;
};

td_rgba td_ghost_color(const struct td_view *view, const struct td_ghost *ghost)
{
    char room[32];
    td_rgba color = td_color_of_name(td_ghost_name(view->trace, ghost, room));
    if (td_ghost_is_kernel(view->trace, ghost))
        color = td_color_mix(0xff5a2f33u, color, .15f);
    /* Paler than zones; those that are inlined are darker still. */
    return td_color_mix(TD_C(BACK), color, td_ghost_is_inline(view->trace, ghost) ? .28f : .46f);
}

/* The row of SAMPLE at or before that time. */
static uint64_t sample_at(const struct td_view *view, uint32_t track, int64_t time_ns)
{
    const struct td_series *samples = td_trace_list(view->trace, TD_TABLE_SAMPLE, track);
    const uint64_t after = td_series_after(samples, TD_SAMPLE_TIME, time_ns);
    return after ? after - 1 : 0;
}

static void set_tip(struct td_view *view, const struct td_node *node, const struct td_ghost *g)
{
    const struct td_series *lines = td_trace_table(view->trace, TD_TABLE_STACK_LINE);
    char room[32], length[TD_FORMAT_BYTES], start[TD_FORMAT_BYTES], place[260] = "";
    if (g->line != TD_GHOST_NO_LINE) {
        const char *file =
            td_dict_text(view->dict, (uint32_t)td_series_get(lines, g->line, TD_STACK_LINE_FILE));
        if (*file)
            snprintf(place, sizeof place, "source\t%.200s:%" PRId64 "\n", TD_PLAIN(file),
                     td_series_get(lines, g->line, TD_STACK_LINE_LINE));
    }
    td_tip(view, td_ghost_name(view->trace, g, room),
           "sampled for\t%s\nstart\t%s\n%skind\t%s%s\naddress\t0x%" PRIx64 "\n",
           td_format_ns(length, (double)(g->end_ns - g->start_ns)),
           td_format_time(start, (double)g->start_ns, 1), place,
           td_ghost_is_kernel(view->trace, g) ? "kernel" : "program",
           td_ghost_is_inline(view->trace, g) ? ", inlined" : "", td_ghost_address(view->trace, g));
    view->hover_span = (struct td_time_span){true, (double)g->start_ns, (double)g->end_ns};
    view->hover_stack =
        (struct td_stack_spot){TD_STACK_SAMPLE, node->number, sample_at(view, node->number, g->start_ns)};
}

static void draw_name(struct td_view *view, const struct td_ghost *g, float x0, float x1, float y0, float y1,
                      td_rgba fill)
{
    char room[32];
    const float pad = TD_U(view, 5), left = fmaxf(x0, view->left) + pad, right = fminf(x1, view->right) - pad;
    if (right - left < TD_U(view, 14))
        return;
    const bool kernel = td_ghost_is_kernel(view->trace, g);
    td_ui_text_fit(view->ui, TD_FONT_TEXT, left, (y0 + y1 - td_ui_text_height(view->ui, TD_FONT_TEXT)) / 2,
                   right - left, kernel ? KERNEL_TEXT : td_color_mix(fill, 0xffffffff, .75f),
                   td_ghost_name(view->trace, g, room));
}

static td_rgba color_in_row(struct ghost_row *r, const struct td_ghost *g)
{
    struct ghost_color *known = &r->colors[(g->line * 7 + g->entry) % COLORS];
    if (!known->color || known->line != g->line || known->entry != g->entry)
        *known = (struct ghost_color){td_ghost_color(r->view, g), g->line, g->entry};
    return known->color;
}

static void draw_run(struct ghost_row *r)
{
    if (r->run1 > r->run0)
        td_ui_rect(r->view->ui, r->run0, r->y0, r->run1, r->y1, r->run_fill, 0);
    r->run1 = r->run0;
}

/* Zones that are drawn as one, from the first to the last. */
static void draw_narrow(struct ghost_row *r, float x0, float x1, td_rgba fill)
{
    if (fill != r->run_fill || x0 > r->run1) {
        draw_run(r);
        r->run0 = x0;
        r->run_fill = fill;
    }
    r->run1 = x1;
}

static void draw_zone(struct ghost_row *r, const struct td_ghost *g, int64_t end_ns, bool narrow)
{
    struct td_view *view = r->view;
    const float x0 = td_pixel_nearest(td_view_x(view, (double)g->start_ns)),
                x1 = td_pixel_nearest(td_view_x(view, (double)end_ns)),
                right = x1 - x0 > 3 ? x1 - 1 : fmaxf(x1, x0 + 1);
    const bool under = r->hovered && r->mx >= x0 && r->mx < right + 1;
    td_rgba fill = color_in_row(r, g);
    if (under)
        fill = td_color_mix(fill, 0xffffffff, .12f);
    if (narrow) {
        draw_narrow(r, x0, right, fill);
    } else {
        td_ui_rect(view->ui, x0, r->y0, right, r->y1, fill,
                   right - x0 > TD_U(view, 9) ? TD_U(view, 2.5f) : 0);
        draw_name(view, g, x0, right, r->y0, r->y1, fill);
    }
    if (under)
        set_tip(view, r->node, g);
    view->drawn++;
}

static void draw_row(struct ghost_row *r, const struct td_ghost_row *row)
{
    const struct td_view *view = r->view;
    const double least = view->ns_per_pixel * TD_U(view, LEAST_PIXELS);
    size_t next;
    for (size_t i = td_ghosts_after(row, 0, view->camera.start_ns); i < row->count; i = next) {
        const struct td_ghost *g = &row->zones[i];
        if ((double)g->start_ns > view->camera.end_ns)
            break;
        const bool narrow = (double)(g->end_ns - g->start_ns) < least;
        next = i + 1;
        if (narrow) /* those within a cell are drawn as one */
            next = td_ghosts_after(row, next, (floor((double)g->start_ns / least) + 1) * least);
        draw_zone(r, g, row->zones[next - 1].end_ns, narrow);
    }
    draw_run(r);
}

void td_draw_ghosts(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_ghosts *ghosts = td_ghost_cache_get(&view->ghosts, view->trace, node->number);
    const float first = y + view->metrics.pad / 2, my = td_ui_mouse_y(view->ui);
    struct ghost_row row = {.view = view, .node = node, .mx = td_ui_mouse_x(view->ui)};
    const bool hovered =
        view->hover_node >= 0 && &view->layout.nodes[view->hover_node] == node && row.mx >= view->left;
    for (uint32_t r = 0; ghosts && r < ghosts->row_count && r < node->rows; r++) {
        const float row_y = first + (float)r * view->metrics.row;
        if (row_y > view->bottom)
            break;
        row.y0 = row_y + 1;
        row.y1 = row_y + view->metrics.row - 1;
        row.hovered = hovered && my >= row.y0 && my < row.y1;
        if (row_y + view->metrics.row >= view->pins_top)
            draw_row(&row, &ghosts->rows[r]);
    }
}
