/* The time axis: grid, ruler and the overview of the whole trace. */
#include "host/viewer/lod.h"
#include "host/viewer/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_PIXELS        104.0
#define OVERVIEW_PIXELS     2.f
#define MAX_OVERVIEW_TRACKS 96

static struct td_ticks visible_ticks(const struct td_view *view)
{
    return td_ticks_for(view->camera.start_ns, view->camera.end_ns, view->ns_per_pixel,
                        TD_U(view, LABEL_PIXELS));
}

void td_draw_grid(struct td_view *view)
{
    struct td_ticks ticks = visible_ticks(view);
    double step = ticks.step_ns * ticks.major;
    for (double t = ceil(view->camera.start_ns / step); t * step <= view->camera.end_ns; t++) {
        float x = floorf(td_view_x(view, t * step));
        td_ui_rect(view->ui, x, view->top, x + 1, view->bottom, TD_C(GRID), 0);
    }
}

void td_draw_ruler(struct td_view *view, float y, float height)
{
    struct td_ui *ui = view->ui;
    struct td_ticks ticks = visible_ticks(view);
    char text[TD_FORMAT_BYTES], label[2 * TD_FORMAT_BYTES];
    float small = td_ui_text_height(ui, TD_FONT_SMALL), bottom = y + height;
    td_ui_rect(ui, view->panel_area.left, y, view->panel_area.right, bottom, TD_C(GUTTER), 0);
    td_ui_clip(ui, view->left, y, view->panel_area.right, bottom);
    for (double n = ceil(view->camera.start_ns / ticks.step_ns); n * ticks.step_ns <= view->camera.end_ns;
         n++) {
        double time = n * ticks.step_ns;
        bool major = fabs(remainder(n, ticks.major)) < .5;
        float x = floorf(td_view_x(view, time)), long_mark = TD_U(view, major ? 8 : 4);
        td_ui_rect(ui, x, bottom - long_mark, x + 1, bottom, major ? TD_C(TEXT_FAINT) : TD_C(EDGE), 0);
        if (!major)
            continue;
        double step = ticks.step_ns * ticks.major;
        td_format_time(text, ticks.relative ? time - ticks.base_ns : time, step);
        snprintf(label, sizeof label, "%s%s", ticks.relative ? "+" : "", text);
        if (x + TD_U(view, 4) + td_ui_text_width(ui, TD_FONT_SMALL, label) > view->panel_area.right)
            continue;
        td_ui_text(ui, TD_FONT_SMALL, x + TD_U(view, 4), bottom - TD_U(view, 6) - small, TD_C(TEXT_DIM),
                   label);
    }
    td_ui_unclip(ui);
    /* In the corner: the length of the visible range, or the time that the labels are relative to. */
    double span = view->camera.end_ns - view->camera.start_ns;
    if (ticks.relative)
        snprintf(label, sizeof label, "%s +", td_format_time(text, ticks.base_ns, span));
    else
        snprintf(label, sizeof label, "%s wide", td_format_ns(text, span));
    td_ui_text_fit(ui, TD_FONT_SMALL, view->panel_area.left + TD_U(view, 12), bottom - TD_U(view, 6) - small,
                   view->left - view->panel_area.left - TD_U(view, 20), TD_C(TEXT_FAINT), label);
    td_ui_rect(ui, view->panel_area.left, bottom - 1, view->panel_area.right, bottom, TD_C(EDGE), 0);
}

/* Marks the cells in which lost data begins, in `waits`, which the overview does not use otherwise. */
static void mark_losses(const struct td_view *view, struct td_density *d)
{
    for (size_t r = 0; r < view->lost.row_count; r++) {
        const struct td_mark_row *row = &view->lost.rows[r];
        for (size_t i = 0; i < row->count; i++) {
            struct td_zone z =
                td_trace_zone(view->trace, row->track, row->row, view->lost.index[row->first + i]);
            double cell = ((double)z.start_ns - d->start_ns) / d->cell_ns;
            if (cell >= 0 && cell < d->cells)
                d->waits[(int)cell] = 1;
        }
    }
}

/* How busy the tracks are over the whole trace; computed again when the width changes. */
static int fill_overview(struct td_view *view, int cells)
{
    struct td_density *d = &view->overview;
    if (d->busy && d->cells == cells)
        return 0;
    float *room = realloc(d->busy, 2 * (size_t)cells * sizeof *room);
    if (!room)
        return -1;
    memset(room, 0, 2 * (size_t)cells * sizeof *room);
    double start = view->camera.full_start_ns, span = view->camera.full_end_ns - start;
    *d = (struct td_density){start, span / cells, cells, room, room + cells};
    int tracks = 0, seen = 0;
    for (int i = 0; i < view->layout.count; i++)
        tracks += view->layout.nodes[i].kind == TD_NODE_TRACK && view->layout.nodes[i].rows;
    int step = 1 + (tracks - 1) / MAX_OVERVIEW_TRACKS;
    for (int i = 0; i < view->layout.count; i++) {
        const struct td_node *n = &view->layout.nodes[i];
        if (n->kind == TD_NODE_TRACK && n->rows && seen++ % step == 0)
            td_lod_density(view->trace, n->number, start, d->cell_ns, cells, d->busy, NULL);
    }
    float most = 0;
    for (int c = 0; c < cells; c++)
        most = fmaxf(most, room[c]);
    for (int c = 0; c < cells && most > 0; c++)
        room[c] /= most;
    mark_losses(view, d);
    return 0;
}

void td_draw_overview(struct td_view *view, float y, float height)
{
    struct td_ui *ui = view->ui;
    float wide = view->right - view->left, bottom = y + height, cell = TD_U(view, OVERVIEW_PIXELS);
    int cells = (int)(wide / cell);
    td_ui_rect(ui, view->panel_area.left, y, view->panel_area.right, bottom, TD_C(GUTTER), 0);
    if (cells < 1 || fill_overview(view, cells) < 0)
        return;
    td_ui_text(ui, TD_FONT_SMALL, view->panel_area.left + TD_U(view, 12),
               y + (height - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, TD_C(TEXT_FAINT), "Overview");
    const struct td_density *d = &view->overview;
    double full = view->camera.full_end_ns - view->camera.full_start_ns;
    float scale = (float)(wide / full);
    float x0 = view->left + (float)(view->camera.start_ns - view->camera.full_start_ns) * scale;
    float x1 = view->left + (float)(view->camera.end_ns - view->camera.full_start_ns) * scale;
    x0 = fmaxf(x0, view->left);
    x1 = fminf(fmaxf(x1, x0 + TD_U(view, 3)), view->right);
    td_ui_rect(ui, x0, y, x1, bottom, 0xff222a36, 0);
    for (int c = 0; c < cells; c++) {
        if (d->busy[c] <= 0)
            continue;
        float x = view->left + (float)c * cell, high = fmaxf(d->busy[c] * (height - TD_U(view, 6)), 1);
        bool inside = x + cell > x0 && x < x1;
        td_ui_rect(ui, x, bottom - TD_U(view, 2) - high, x + cell, bottom - TD_U(view, 2),
                   inside ? TD_C(DENSITY) : 0xff35475a, 0);
    }
    for (int c = 0; c < cells; c++) {
        float x = view->left + (float)c * cell;
        if (d->waits[c] > 0)
            td_ui_rect(ui, x, y + 1, x + cell, y + TD_U(view, 5), TD_C(LOST), 0);
    }
    if (x1 - x0 < wide - 2) {
        td_ui_rect(ui, x0, y, x0 + TD_U(view, 1.5f), bottom, TD_C(ACCENT), 0);
        td_ui_rect(ui, x1 - TD_U(view, 1.5f), y, x1, bottom, TD_C(ACCENT), 0);
    }
    td_ui_rect(ui, view->panel_area.left, bottom - 1, view->panel_area.right, bottom, TD_C(EDGE), 0);
}
