/* The chosen range as a matrix: names of zones by lanes, tiles, kinds of core or chips, stragglers first. */
#include "host/base/cell_text.h"
#include "host/event/map.h"
#include "host/query/ops/cells.h"
#include "host/query/table/track_name.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define LEAST_CELL   2 /* pixels; with more columns than fit, some share a cell */
#define MOST_CELL    92
#define LATE         1.25 /* ratio to the mean of its like from which a cell has another colour */

enum cells_list_column { NAME, SPREAD, STRAGGLER, MATRIX, COUNT, TOTAL, MEAN, LANES, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [NAME] = {.title = "Zone", .width = 180},
    [SPREAD] = {.title = "Max / mean", .width = 84, .right = true},
    [STRAGGLER] = {.title = "Straggler", .width = 176},
    [MATRIX] = {.title = "", .fixed = true},
    [COUNT] = {.title = "Count", .width = 80, .right = true},
    [TOTAL] = {.title = "Total", .width = 86, .right = true},
    [MEAN] = {.title = "Mean", .width = 82, .right = true},
    [LANES] = {.title = "Lanes", .width = 56, .right = true},
};

/* X(ID, name) */
#define CELLS_BY(X) X(LANE, "Lanes") X(TILE, "Tiles") X(KIND, "Kinds") X(CHIP, "Chips")
static const char *const by_names[] = {
#define TD_X(id, name) [TD_CELLS_##id] = name,
    CELLS_BY(TD_X)
#undef TD_X
};
#define BY_COUNT ((int)(sizeof by_names / sizeof *by_names))

struct cells_panel {
    struct td_list list;
    struct td_cells cells, made;
    enum td_cells_by by, made_by;
    struct td_job job;
    /* The request of the job. */
    struct td_range_sums *sums;
    const struct td_dict *dict;
    const struct td_lane_table *table;
    struct td_lane_choice lanes;
    struct td_list sorted; /* how the rows are sorted */
    enum td_cells_by wanted_by;
    bool started;
};

/* How the columns are drawn: `joined` of them share a cell. */
struct cells_strip {
    struct td_rect place; /* of the present row */
    uint32_t joined, count;
    float wide;
};

TD_PANEL_STATE(cells_panel, CELLS)

/* ---- rows ---- */

static double mean_of(const struct td_cells_row *row)
{
    return row->count ? (double)row->total_ns / (double)row->count : 0;
}

static double number_of(const struct td_cells_row *row, int column)
{
    switch (column) {
    case COUNT:
        return (double)row->count;
    case TOTAL:
        return (double)row->total_ns;
    case MEAN:
        return mean_of(row);
    case LANES:
        return row->lanes;
    default:
        return row->spread;
    }
}

struct cells_order {
    const struct td_dict *dict;
    const struct td_list *list;
};

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct cells_order *order = self;
    const struct td_cells_row *x = a, *y = b;
    int column = order->list->sort, result;
    char name[2][TD_TRACK_NAME_BYTES];
    double p = number_of(x, column), q = number_of(y, column);
    if (column == NAME)
        result = strcmp(x->name, y->name);
    else if (column == STRAGGLER)
        result = strcmp(td_track_name(order->dict, x->straggler, name[0]),
                        td_track_name(order->dict, y->straggler, name[1]));
    else
        result = p < q ? -1 : p > q;
    if (order->list->descending)
        result = -result;
    return result ? result : x->srcloc < y->srcloc ? -1 : x->srcloc > y->srcloc;
}

static void sort_rows(const struct td_dict *dict, const struct td_list *list, struct td_cells *cells)
{
    struct cells_order order = {dict, list};
    if (cells->rows)
        qsort_r(cells->row, cells->rows, sizeof *cells->row, compare_rows, &order);
}

static void make_cells(void *self, struct td_job *job)
{
    struct cells_panel *s = self;
    (void)job;
    /* Without memory there are no rows. */
    td_cells_make(&s->made, s->dict, &s->sums->shown, s->table, &s->lanes, s->wanted_by);
    sort_rows(s->dict, &s->sorted, &s->made);
    td_range_sums_release(s->sums);
}

static void update_cells(struct td_view *view, struct cells_panel *s)
{
    bool fresh;
    const uint64_t key =
        (td_mix64(td_mix64(view->sums.version) ^ view->lanes.version) & ~UINT64_C(3)) + s->by;
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->cells, &s->made, td_cells_free);
        s->made_by = s->wanted_by;
        s->list.selected = 0;
        if (s->list.sort != s->sorted.sort || s->list.descending != s->sorted.descending)
            sort_rows(view->model.dict, &s->list, &s->cells);
    }
    if (state != TD_JOB_WANTED || !view->sums.shown.lane || !td_lanes_copy(view, &s->lanes))
        return;
    s->sums = &view->sums;
    s->dict = view->model.dict;
    s->table = &view->lanes.table;
    s->sorted = s->list;
    s->wanted_by = s->by;
    td_view_hold_sums(view);
    td_job_start(&s->job, key, make_cells, s);
}

static const char *label_of(const struct td_view *view, const struct cells_panel *s, uint32_t column,
                            char text[TD_LANE_NAME_BYTES])
{
    const uint32_t track = s->cells.column[column].track;
    const struct td_lane *lane = td_lanes_get(view, track);
    if (!lane || s->made_by == TD_CELLS_LANE)
        return td_lanes_name(view, track, text);
    if (s->made_by == TD_CELLS_KIND)
        snprintf(text, TD_LANE_NAME_BYTES, "%s", lane->facts.kind);
    else if (!lane->facts.is_core)
        snprintf(text, TD_LANE_NAME_BYTES, "host");
    else if (s->made_by == TD_CELLS_CHIP)
        snprintf(text, TD_LANE_NAME_BYTES, "chip %u", lane->facts.chip);
    else
        snprintf(text, TD_LANE_NAME_BYTES, "chip %u tile %u,%u", lane->facts.chip, lane->facts.x,
                 lane->facts.y);
    return text;
}

/* ---- the matrix ---- */

static struct cells_strip strip_of(const struct td_view *view, const struct cells_panel *s,
                                   const struct td_rect *place)
{
    struct cells_strip strip = {.place = *place, .joined = 1};
    const float room = place->right - place->left, least = TD_U(view, LEAST_CELL);
    const uint32_t all = (uint32_t)s->cells.columns;
    if (!all || room < least)
        return strip;
    const uint32_t most = (uint32_t)(room / least);
    strip.joined = (all + most - 1) / most;
    strip.count = (all + strip.joined - 1) / strip.joined;
    strip.wide = fminf(room / (float)strip.count, TD_U(view, MOST_CELL));
    return strip;
}

/* The cell of a drawn column: the one with most time of those that share it. */
static const struct td_range_cell *strip_cell(const struct cells_panel *s, const struct cells_strip *strip,
                                              const struct td_cells_row *row, size_t *at, uint32_t column)
{
    const struct td_range_cell *most = NULL;
    const uint32_t end = (column + 1) * strip->joined;
    for (; *at < row->first + row->cells && s->cells.cell[*at].column < end; ++*at)
        if (!most || s->cells.cell[*at].total_ns > most->total_ns)
            most = &s->cells.cell[*at];
    return most;
}

static void draw_cells(struct td_list_drawing *d, const struct cells_panel *s,
                       const struct cells_strip *strip, const struct td_cells_row *row)
{
    struct td_ui *ui = d->view->ui;
    double most = 0;
    char text[TD_FORMAT_BYTES];
    for (size_t i = row->first; i < row->first + row->cells; i++)
        most = fmax(most, (double)s->cells.cell[i].total_ns);
    size_t at = row->first;
    const float top = strip->place.top + 2, bottom = strip->place.bottom - 1, gap = strip->wide > 6 ? 1 : 0;
    for (uint32_t c = 0; c < strip->count; c++) {
        const struct td_range_cell *cell = strip_cell(s, strip, row, &at, c);
        const float x0 = roundf(strip->place.left + strip->wide * (float)c);
        const float x1 = roundf(strip->place.left + strip->wide * (float)(c + 1)) - gap;
        if (!cell) {
            td_ui_rect(ui, x0, bottom - 2, x1, bottom, TD_C(EDGE), 0);
            continue;
        }
        const double value = (double)cell->total_ns;
        const float part = most > 0 ? (float)(value / most) : 0;
        const td_rgba full = cell->ratio > LATE ? TD_C(STALL) : TD_C(DENSITY);
        const td_rgba fill = td_color_mix(TD_C(PANEL), full, .12f + .83f * part);
        td_ui_rect(ui, x0, top, x1, bottom, fill, 0);
        td_format_ns(text, value);
        const float wide = td_ui_text_width(ui, TD_FONT_SMALL, text);
        if (wide + 4 < x1 - x0)
            td_ui_text(ui, TD_FONT_SMALL, (x0 + x1 - wide) / 2,
                       (top + bottom - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, td_color_text_on(fill),
                       text);
    }
}

/* The cell under the mouse; NULL: none. */
static const struct td_range_cell *cell_at_mouse(const struct td_view *view, const struct cells_panel *s,
                                                 const struct cells_strip *strip,
                                                 const struct td_cells_row *row)
{
    const float x = td_ui_mouse_x(view->ui) - strip->place.left;
    if (x < 0 || strip->wide <= 0 || x >= strip->wide * (float)strip->count)
        return NULL;
    const uint32_t column = (uint32_t)(x / strip->wide);
    const struct td_range_cell *most = NULL;
    for (uint32_t c = column * strip->joined; c < (column + 1) * strip->joined; c++) {
        const struct td_range_cell *cell = td_cells_at(&s->cells, row, c);
        if (cell && (!most || cell->total_ns > most->total_ns))
            most = cell;
    }
    return most;
}

static void set_tip(struct td_view *view, const struct cells_panel *s, const struct td_cells_row *row,
                    const struct td_range_cell *cell)
{
    char label[TD_LANE_NAME_BYTES], text[4][TD_FORMAT_BYTES];
    const uint32_t lanes = s->cells.column[cell->column].lanes;
    td_tip(view, row->name, "on\t%s%s\ncount\t%s\ntotal\t%s\nmean\t%s\nlongest\t%s\nto the mean\t%.2f\n",
           label_of(view, s, cell->column, label), lanes > 1 ? " (several lanes)" : "",
           td_format_count(text[0], cell->count), td_format_ns(text[1], (double)cell->total_ns),
           td_format_ns(text[2], (double)cell->total_ns / (double)cell->count),
           td_format_ns(text[3], (double)cell->max_ns), cell->ratio);
}

/* Names the kinds of cores above the lanes of each. */
static void draw_kinds(struct td_view *view, const struct cells_panel *s, const struct cells_strip *strip,
                       float y)
{
    for (uint32_t c = 0, end; c < s->cells.columns; c = end) {
        const struct td_lane *lane = td_lanes_get(view, s->cells.column[c].track), *other = lane;
        for (end = c + 1; lane && end < s->cells.columns; end++) {
            other = td_lanes_get(view, s->cells.column[end].track);
            if (!other || strcmp(other->facts.kind, lane->facts.kind))
                break;
        }
        const float wide = strip->wide / (float)strip->joined, x = strip->place.left + wide * (float)c;
        td_ui_rect(view->ui, x, y, x + 1, y + TD_U(view, 18), TD_C(EDGE), 0);
        if (lane)
            td_ui_text_fit(view->ui, TD_FONT_SMALL, x + TD_U(view, 4), y,
                           wide * (float)(end - c) - TD_U(view, 6), TD_C(TEXT_DIM), lane->facts.kind);
    }
}

/* Labels above the cells, where they fit. */
static void draw_strip_head(struct td_view *view, const struct cells_panel *s,
                            const struct cells_strip *strip, float top)
{
    struct td_ui *ui = view->ui;
    static const char *const what[] = {"lanes", "tiles", "kinds", "chips"};
    char text[TD_LANE_NAME_BYTES], number[TD_FORMAT_BYTES];
    const float y = top + TD_U(view, 4), room = strip->wide - 4;
    if (!strip->count)
        return;
    if (s->made_by == TD_CELLS_LANE) {
        draw_kinds(view, s, strip, y);
        return;
    }
    snprintf(text, sizeof text, "%s %s%s", td_format_count(number, s->cells.columns), what[s->made_by],
             strip->joined > 1 ? ", the longest in each cell" : "");
    if (strip->joined > 1 || td_ui_text_width(ui, TD_FONT_SMALL, "TRISC0") > room) {
        td_ui_text_fit(ui, TD_FONT_SMALL, strip->place.left, y, strip->place.right - strip->place.left,
                       TD_C(TEXT_DIM), text);
        return;
    }
    for (uint32_t c = 0; c < strip->count; c++)
        td_ui_text_fit(ui, TD_FONT_SMALL, strip->place.left + strip->wide * (float)c + 2, y, room,
                       TD_C(TEXT_DIM), label_of(view, s, c, text));
}

/* ---- drawing ---- */

static void go(struct td_view *view, uint32_t track, struct td_zone_ref zone)
{
    if (td_ref_valid(zone)) {
        view->lanes.selected = zone.track;
        td_view_select(view, zone);
        td_view_show_zone(view, zone, false);
    } else {
        td_lanes_go(view, track);
    }
}

static bool is_over(const struct td_list_drawing *d, int column)
{
    struct td_rect cell;
    const float x = td_ui_mouse_x(d->view->ui);
    return td_list_cell(d, column, &cell) && x >= cell.left && x < cell.right;
}

static void take_row(struct td_list_drawing *d, const struct cells_panel *s, const struct cells_strip *strip,
                     const struct td_cells_row *row, int flags)
{
    struct td_view *view = d->view;
    if (!(flags & TD_ROW_HOVERED))
        return;
    const struct td_range_cell *cell = is_over(d, MATRIX) ? cell_at_mouse(view, s, strip, row) : NULL;
    if (cell) {
        set_tip(view, s, row, cell);
        view->lanes.lit =
            td_ref_valid(cell->longest) ? cell->longest.track : s->cells.column[cell->column].track;
    } else if (is_over(d, STRAGGLER)) {
        view->lanes.lit = row->straggler;
    }
    if (!(flags & TD_ROW_CLICKED))
        return;
    if (cell)
        go(view, s->cells.column[cell->column].track, cell->longest);
    else if (is_over(d, STRAGGLER))
        go(view, row->straggler, row->longest);
    else
        td_view_search_name(view, row->name);
}

static void draw_row(struct td_list_drawing *d, const struct cells_panel *s, const struct td_cells_row *row)
{
    struct td_view *view = d->view;
    const struct td_zone zone = {.srcloc = row->srcloc};
    char text[TD_FORMAT_BYTES], name[TD_LANE_NAME_BYTES];
    td_list_name(d, NAME, td_color_of_zone(view->model.dict, &zone), TD_C(TEXT), row->name);
    snprintf(text, sizeof text, "%.2f", row->spread);
    td_list_text(d, SPREAD, row->spread > LATE ? TD_C(STALL) : TD_C(TEXT), row->spread > 0 ? text : "-");
    td_list_text(d, STRAGGLER, TD_C(ACCENT), td_lanes_name(view, row->straggler, name));
    td_list_text(d, COUNT, TD_C(TEXT), td_format_count(text, row->count));
    td_list_text(d, TOTAL, TD_C(TEXT), td_format_ns(text, (double)row->total_ns));
    td_list_text(d, MEAN, TD_C(TEXT_DIM), td_format_ns(text, mean_of(row)));
    td_list_text(d, LANES, TD_C(TEXT_DIM), td_format_count(text, row->lanes));
}

/* The matrix as tab separated lines, totals in ns. */
static void copy_table(struct td_view *view, const struct cells_panel *s)
{
    char *text = NULL, label[TD_LANE_NAME_BYTES];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "name\tcount\ttotal_ns\tlanes\tspread\tstraggler");
    for (uint32_t c = 0; c < s->cells.columns; c++)
        fprintf(f, "\t%s", TD_CELL(label_of(view, s, c, label)));
    for (size_t i = 0; i < s->cells.rows; i++) {
        const struct td_cells_row *r = &s->cells.row[i];
        fprintf(f, "\n%s\t%" PRIu64 "\t%" PRId64 "\t%" PRIu32 "\t%.4f\t%s", TD_CELL(r->name), r->count,
                r->total_ns, r->lanes, r->spread, TD_CELL(td_lanes_name(view, r->straggler, label)));
        for (uint32_t c = 0; c < s->cells.columns; c++) {
            const struct td_range_cell *cell = td_cells_at(&s->cells, r, c);
            if (cell)
                fprintf(f, "\t%" PRId64, cell->total_ns);
            else
                fprintf(f, "\t");
        }
    }
    fprintf(f, "\n");
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

/* A line for each name and column that has zones of it; the wait is that of the column's first lane. */
static void copy_cells(struct td_view *view, const struct cells_panel *s)
{
    char *text = NULL, label[TD_LANE_NAME_BYTES];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "name\tcolumn\tcount\ttotal_ns\tlongest_ns\tratio\tlane_wait_ns\n");
    for (size_t i = 0; i < s->cells.rows; i++) {
        const struct td_cells_row *r = &s->cells.row[i];
        for (size_t c = r->first; c < r->first + r->cells; c++) {
            const struct td_range_cell *cell = &s->cells.cell[c];
            const struct td_lane *lane = td_lanes_get(view, s->cells.column[cell->column].track);
            fprintf(f, "%s\t%s\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%.4f\t%" PRId64 "\n", TD_CELL(r->name),
                    TD_CELL(label_of(view, s, cell->column, label)), cell->count, cell->total_ns,
                    cell->max_ns, cell->ratio, lane ? lane->sum.wait_ns : 0);
        }
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void draw_tools(struct td_view *view, struct cells_panel *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[160], number[TD_FORMAT_BYTES];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float x = place->left + pad, text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    float edge = right;
    for (int i = 0; i < BY_COUNT; i++)
        if (td_tool_word(view, &x, &edge, y, by_names[i], by_names[i], (int)s->by == i, NULL))
            s->by = (enum td_cells_by)i;
    if (edge < right)
        return;
    x += pad;
    float field = fminf((right - x) * .5f, TD_U(view, 300));
    if (field > TD_U(view, 60))
        x = td_draw_lane_filter(view, "##cells filter", x, y, field, high, false) + pad;
    if (right - TD_U(view, 56) > x) {
        right -= TD_U(view, 56);
        if (td_ui_button(ui, "Copy", right, y, TD_U(view, 56), high))
            copy_table(view, s);
        right -= pad;
    }
    float progress = td_view_sums_progress(view);
    if (progress >= 0)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)progress * 100);
    else
        snprintf(text, sizeof text, "%s name%s", td_format_count(number, s->cells.rows),
                 s->cells.rows == 1 ? "" : "s");
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void draw_cells_panel(struct td_view *view, const struct td_rect *place)
{
    struct cells_panel *s = state_of(view);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    struct cells_strip strip = {.joined = 1}, head = strip;
    if (!s->started) {
        s->list.sort = SPREAD;
        s->list.descending = s->started = true;
    }
    td_view_sums(view);
    update_cells(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->cells.rows, &rows, &d); i < d.last;
         i++) {
        const struct td_cells_row *row = &s->cells.row[i];
        struct td_rect cell;
        int flags = td_list_row(&d, i);
        draw_row(&d, s, row);
        if (td_list_cell(&d, MATRIX, &cell)) {
            strip = strip_of(view, s, &cell);
            draw_cells(&d, s, &strip, row);
            head = strip;
        }
        take_row(&d, s, &strip, row, flags);
    }
    td_list_end(&d);
    draw_strip_head(view, s, &head, rows.top);
    if (d.sorted)
        sort_rows(view->model.dict, &s->list, &s->cells);
}

static bool take_cells_key(struct td_view *view, const struct td_key_press *press)
{
    struct cells_panel *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_CELLS) || td_panel_is_open(view, TD_PANEL_GROUPING))
        return false;
    if (press->ctrl && press->key == 'c') {
        (press->shift ? copy_cells : copy_table)(view, s);
        return true;
    }
    if (press->key >= '1' && press->key < '1' + BY_COUNT) {
        s->by = (enum td_cells_by)(press->key - '1');
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->cells.rows, &enter))
        return false;
    const struct td_cells_row *row = &s->cells.row[s->list.selected - 1];
    if (enter)
        go(view, row->straggler, row->longest);
    else
        td_view_search_name(view, row->name);
    return true;
}

static void free_cells(struct td_view *view)
{
    struct cells_panel *s = state_of(view);
    td_job_stop(&s->job);
    td_cells_free(&s->cells);
    td_cells_free(&s->made);
    td_lane_choice_free(&s->lanes);
}

static bool cells_are_busy(const struct td_view *view)
{
    const struct cells_panel *s = state_of(view);
    return s->job.running;
}

static const struct td_help_line cells_help[] = {
    {"R", "the range as a matrix of zones and lanes"},
    {"1 to 4 in Range", "columns: lanes, tiles, kinds of core, chips"},
    {"Enter in Range", "the straggler's longest zone"},
    {"Ctrl+C, with Shift in Range", "copy the matrix, a line for each of its cells"},
    {0},
};

const struct td_panel td_panel_cells = {
    .name = "cells",
    .dock = TD_DOCK_BOTTOM,
    .title = "Range",
    .keys = {{'r', false}},
    .help = cells_help,
    .state_bytes = sizeof(struct cells_panel),
    .draw = draw_cells_panel,
    .free_state = free_cells,
    .is_busy = cells_are_busy,
    .take_key = take_cells_key,
};
