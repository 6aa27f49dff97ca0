/* The bytes in use over time, below the timeline and in its scale, and the map of addresses. */
#include "host/viewer/ui/data_colors.h"
#include "host/viewer/panels/memory.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/tooltip.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define CELL_ROW     5 /* height of a page in pixels */
#define ROWS_A_LABEL 4
#define OLD_PART     .3f /* brightness of what happened first */

/* ---- use over time ---- */

static void describe_sums(struct td_view *view, const struct memory_sums_job *s, char *first, char *second,
                          size_t bytes)
{
    const struct td_memory_sums *m = &s->shown;
    char count[TD_FORMAT_BYTES], active[TD_FORMAT_BYTES], use[TD_FORMAT_BYTES], peak[TD_FORMAT_BYTES],
        span[TD_FORMAT_BYTES];
    second[0] = 0;
    if (!s->any) {
        snprintf(first, bytes, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
        return;
    }
    snprintf(first, bytes, "%s allocations, %s active", td_format_count(count, m->count),
             td_format_count(active, m->active));
    snprintf(second, bytes, "%s in use, most %s, span %s", td_format_value(use, (double)m->active_bytes, 1),
             td_format_value(peak, (double)m->peak_bytes, 1),
             td_format_value(span, (double)(m->high - m->low), 1));
}

static void set_usage_tip(struct td_view *view, const struct td_memory_sums *m, const struct td_rect *area)
{
    const float mx = td_ui_mouse_x(view->ui), my = td_ui_mouse_y(view->ui);
    char time[TD_FORMAT_BYTES], use[TD_FORMAT_BYTES];
    if (!td_ui_region_hovered(view->ui) || mx < area->left || mx >= area->right || my < area->top ||
        my >= area->bottom)
        return;
    const double ns = td_view_time(view, mx);
    const size_t at = td_usage_at(m, td_lod_time(ns));
    td_tip(view, "Memory in use", "at\t%s\nin use\t%s\n", td_format_time(time, ns, view->area.ns_per_pixel),
           td_format_value(use, at == SIZE_MAX ? 0 : (double)m->usage[at].last, 1));
}

void memory_draw_usage(struct td_view *view, const struct td_rect *place)
{
    const struct memory_panel *s = memory_panel_of(view);
    const struct td_memory_sums *m = &s->sums.shown;
    struct td_ui *ui = view->ui;
    char first[160], second[160];
    const float pad = TD_U(view, 8), text_right = fmaxf(view->area.left, place->left + TD_U(view, 260));
    const struct td_rect area = {text_right, place->top + TD_U(view, 2), view->area.right, place->bottom};
    describe_sums(view, &s->sums, first, second, sizeof first);
    td_ui_text_fit(ui, TD_FONT_SMALL, place->left + pad, place->top + TD_U(view, 5),
                   text_right - place->left - 2 * pad, TD_C(TEXT), first);
    td_ui_text_fit(ui, TD_FONT_SMALL, place->left + pad, place->top + TD_U(view, 22),
                   text_right - place->left - 2 * pad, TD_C(TEXT_DIM), second);
    if (area.right <= area.left || !m->points || m->peak_bytes <= 0)
        return;
    td_ui_rect(ui, area.left, area.top, area.right, area.bottom, TD_C(GUTTER), 0);
    const float high = area.bottom - area.top - TD_U(view, 2);
    for (float x = floorf(area.left); x < area.right; x++) {
        int64_t low, most;
        const double from = td_view_time(view, x), to = td_view_time(view, x + 1);
        if (to > (double)view->model.last_ns ||
            !td_usage_between(m, td_lod_time(from), td_lod_time(to), &low, &most))
            continue;
        const float y0 = area.bottom - high * (float)((double)most / (double)m->peak_bytes);
        const float y1 = area.bottom - high * (float)((double)low / (double)m->peak_bytes);
        td_ui_rect(ui, x, y1, x + 1, area.bottom, TD_C(SHARE), 0);
        td_ui_rect(ui, x, fminf(y0, y1 - 1), x + 1, y1, TD_C(ACCENT), 0);
    }
    set_usage_tip(view, m, &area);
}

/* ---- map ---- */

static void make_map(void *self, struct td_job *job)
{
    struct memory_map_job *s = self;
    td_memory_map_free(&s->made);
    /* Without memory the map is empty. */
    if (td_memory_map_make(&s->made, &s->request, job) < 0)
        td_memory_map_free(&s->made);
}

static void update_map(struct td_view *view, struct memory_map_job *s)
{
    bool fresh;
    const uint64_t key = memory_key(view);
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_memory_map_free);
        s->any = true;
    }
    if (state != TD_JOB_WANTED)
        return;
    s->request = memory_range(view);
    td_job_start(&s->job, key, make_map, s);
}

static td_rgba color_of_cell(const struct td_memory_map *map, const struct td_map_cell *cell)
{
    const double all = (double)map->last_ns - (double)map->first_ns;
    const float part = all > 0 ? (float)(((double)cell->time_ns - (double)map->first_ns) / all) : 1;
    return td_color_mix(TD_C(BACK), cell->active ? TD_DATA_IN_USE : TD_DATA_FREED,
                        OLD_PART + (1 - OLD_PART) * part);
}

static void draw_page(struct td_view *view, const struct td_memory_map *map, size_t page,
                      const struct td_rect *area)
{
    const struct td_map_cell *cell = &map->cell[page * TD_MAP_CELLS];
    const float wide = (area->right - area->left) / (float)TD_MAP_CELLS;
    for (unsigned c = 0, end; c < TD_MAP_CELLS; c = end) {
        for (end = c + 1; end < TD_MAP_CELLS && cell[end].time_ns == cell[c].time_ns &&
                          cell[end].active == cell[c].active;)
            end++;
        if (cell[c].time_ns != INT64_MIN)
            td_ui_rect(view->ui, area->left + wide * (float)c, area->top, area->left + wide * (float)end,
                       area->bottom - 1, color_of_cell(map, &cell[c]), 0);
    }
}

static void set_map_tip(struct td_view *view, const struct td_memory_map *map, size_t page,
                        const struct td_rect *area)
{
    const float part = (td_ui_mouse_x(view->ui) - area->left) / (area->right - area->left);
    const unsigned c = (unsigned)fminf(part * TD_MAP_CELLS, TD_MAP_CELLS - 1);
    const struct td_map_cell *cell = &map->cell[page * TD_MAP_CELLS + c];
    const uint64_t bytes = map->page_bytes / TD_MAP_CELLS;
    char title[60], time[TD_FORMAT_BYTES], size[TD_FORMAT_BYTES];
    snprintf(title, sizeof title, "0x%" PRIx64, map->page[page] * map->page_bytes + c * bytes);
    td_tip(view, title, "bytes\t%s\nstate\t%s\n%s%s\n", td_format_value(size, (double)bytes, 1),
           cell->time_ns == INT64_MIN ? "never used"
           : cell->active             ? "in use"
                                      : "freed",
           cell->time_ns == INT64_MIN ? ""
           : cell->active             ? "allocated at\t"
                                      : "freed at\t",
           cell->time_ns == INT64_MIN ? "" : td_format_time(time, (double)cell->time_ns, 1));
}

/* A click shows the allocations at that place. */
static void open_address(struct memory_panel *s, size_t page, float part)
{
    const struct td_memory_map *map = &s->map.shown;
    const uint64_t bytes = map->page_bytes / TD_MAP_CELLS;
    const uint64_t c = (uint64_t)fminf(part * TD_MAP_CELLS, TD_MAP_CELLS - 1);
    snprintf(s->address, sizeof s->address, "0x%" PRIx64, map->page[page] * map->page_bytes + c * bytes);
    s->page = MEMORY_ALLOCATIONS;
}

void memory_draw_map(struct td_view *view, const struct td_rect *place)
{
    struct memory_panel *s = memory_panel_of(view);
    const struct td_memory_map *map = &s->map.shown;
    struct td_ui *ui = view->ui;
    char text[160], number[TD_FORMAT_BYTES], cell[TD_FORMAT_BYTES];
    update_map(view, &s->map);
    const float pad = TD_U(view, 8), labels = TD_U(view, 120), row = roundf(TD_U(view, CELL_ROW));
    struct td_rect area = {place->left + pad, place->top + TD_U(view, 20), place->right - pad, place->bottom};
    snprintf(text, sizeof text,
             "a line is %s, a cell %s; green: in use, red: freed; brighter is later; lines without "
             "allocations are left out",
             td_format_value(number, (double)map->page_bytes, 1),
             td_format_value(cell, (double)(map->page_bytes / TD_MAP_CELLS), 1));
    if (!s->map.any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->map.job) * 100);
    td_ui_text_fit(ui, TD_FONT_SMALL, area.left, place->top + TD_U(view, 3), area.right - area.left,
                   TD_C(TEXT_FAINT), text);
    if (area.bottom - area.top < row || area.right - area.left < 2 * labels)
        return;
    int first, last;
    float top;
    td_ui_list_begin(ui, "memory map", area.left, area.top, area.right - area.left, area.bottom - area.top,
                     (int)map->pages, row, &first, &last, &top);
    for (int i = first; i < last; i++) {
        const struct td_rect line = {area.left + labels, top + row * (float)(i - first),
                                     area.right - TD_U(view, 14), top + row * (float)(i - first + 1)};
        char id[32];
        bool hovered;
        snprintf(id, sizeof id, "page %d", i);
        if (i % ROWS_A_LABEL == 0) {
            snprintf(text, sizeof text, "0x%" PRIx64, map->page[i] * map->page_bytes);
            td_ui_text_fit(ui, TD_FONT_SMALL, area.left, line.top, labels, TD_C(TEXT_FAINT), text);
        }
        td_ui_rect(ui, line.left, line.top, line.right, line.bottom - 1, TD_C(GUTTER), 0);
        draw_page(view, map, (size_t)i, &line);
        if (td_ui_click_area(ui, id, line.left, line.top, line.right - line.left, row, &hovered))
            open_address(s, (size_t)i, (td_ui_mouse_x(ui) - line.left) / (line.right - line.left));
        if (hovered)
            set_map_tip(view, map, (size_t)i, &line);
    }
    td_ui_list_end(ui);
}

void memory_free_map(struct memory_panel *s)
{
    td_job_stop(&s->map.job);
    td_memory_map_free(&s->map.made);
    td_memory_map_free(&s->map.shown);
}
