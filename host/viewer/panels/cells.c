/* The chosen range as a matrix: names of zones by lanes, tiles, kinds of core or chips, stragglers first. */
#include "host/base/cell_text.h"
#include "host/event/map.h"
#include "host/query/ops/spread_table.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"
#include "host/base/stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_CELL 2 /* pixels; with more columns than fit, some share a cell */
#define MOST_CELL  92
#define LATE       1.25 /* ratio to the mean of its like from which a cell has another colour */

/* How the columns are drawn: `joined` of them share a cell. */
struct cells_strip {
    struct td_rect place; /* of a row */
    uint32_t joined, count;
    float wide;
};

struct cells_panel {
    struct td_table_list table;
    int by;                   /* enum td_cells_by */
    struct cells_strip strip; /* of the row that was drawn last */
};

TD_PANEL_STATE(cells_panel, CELLS)

/* ---- rows ---- */

static uint64_t cells_key(const struct td_view *view)
{
    return (td_mix64(td_mix64(view->sums.version) ^ view->lanes.version ^ td_lanes_key(view)) &
            ~UINT64_C(3)) +
           (uint64_t)state_of(view)->by;
}

static void release_sums(void *self)
{
    td_range_sums_release(self);
}

/* Once the sums of the range are there. */
static bool ask_for_cells(struct td_view *view, struct td_query_request *of)
{
    const struct td_sums *sums = td_view_sums(view);
    if (!sums || view->sums.job.running || !view->lanes.table.lane)
        return false;
    struct td_spread_wanted *wanted = calloc(1, sizeof *wanted);
    if (!wanted || !td_lanes_copy(view, &wanted->lanes)) {
        free(wanted);
        return false;
    }
    wanted->by = (enum td_cells_by)state_of(view)->by;
    wanted->sums = sums;
    wanted->table = &view->lanes.table;
    wanted->release = release_sums;
    wanted->self = &view->sums;
    td_view_hold_sums(view);
    of->with = wanted;
    return true;
}

/* ---- the matrix ---- */

static struct cells_strip strip_of(const struct td_view *view, const struct td_cells *cells,
                                   const struct td_rect *place)
{
    struct cells_strip strip = {.place = *place, .joined = 1};
    const float room = place->right - place->left, least = TD_U(view, LEAST_CELL);
    const uint32_t all = (uint32_t)cells->columns;
    if (!all || room < least)
        return strip;
    const uint32_t most = (uint32_t)(room / least);
    strip.joined = (all + most - 1) / most;
    strip.count = (all + strip.joined - 1) / strip.joined;
    strip.wide = fminf(room / (float)strip.count, TD_U(view, MOST_CELL));
    return strip;
}

/* The cell of a drawn column: the one with most time of those that share it. */
static const struct td_range_cell *strip_cell(const struct td_cells *cells, const struct cells_strip *strip,
                                              const struct td_cells_row *row, size_t *at, uint32_t column)
{
    const struct td_range_cell *most = NULL;
    const uint32_t end = (column + 1) * strip->joined;
    for (; *at < row->first + row->cells && cells->cell[*at].column < end; ++*at)
        if (!most || cells->cell[*at].total_ns > most->total_ns)
            most = &cells->cell[*at];
    return most;
}

static void draw_cells(struct td_list_drawing *d, const struct td_cells *cells,
                       const struct cells_strip *strip, const struct td_cells_row *row)
{
    struct td_ui *ui = d->view->ui;
    double most = 0;
    char text[TD_FORMAT_BYTES];
    for (size_t i = row->first; i < row->first + row->cells; i++)
        most = fmax(most, (double)cells->cell[i].total_ns);
    size_t at = row->first;
    const float top = strip->place.top + 2, bottom = strip->place.bottom - 1, gap = strip->wide > 6 ? 1 : 0;
    for (uint32_t c = 0; c < strip->count; c++) {
        const struct td_range_cell *cell = strip_cell(cells, strip, row, &at, c);
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
static const struct td_range_cell *cell_at_mouse(const struct td_view *view, const struct td_cells *cells,
                                                 const struct td_cells_row *row)
{
    const struct cells_panel *s = state_of(view);
    const struct cells_strip *strip = &s->strip;
    const float x = td_ui_mouse_x(view->ui) - strip->place.left;
    if (!s->table.pointed || strcmp(s->table.pointed, "matrix") || x < 0 || strip->wide <= 0 ||
        x >= strip->wide * (float)strip->count)
        return NULL;
    const uint32_t column = (uint32_t)(x / strip->wide);
    const struct td_range_cell *most = NULL;
    for (uint32_t c = column * strip->joined; c < (column + 1) * strip->joined; c++) {
        const struct td_range_cell *cell = td_cells_at(cells, row, c);
        if (cell && (!most || cell->total_ns > most->total_ns))
            most = cell;
    }
    return most;
}

/* A lane, its straggler or the cell under the mouse. */
static void set_tip(struct td_view *view, const struct td_query_rows *rows, uint64_t row)
{
    const struct td_cells *cells = td_spread_cells(rows);
    const struct td_cells_row *name = &cells->row[row];
    const struct td_range_cell *cell = cell_at_mouse(view, cells, name);
    const char *pointed = state_of(view)->table.pointed;
    char label[TD_QUERY_ROOM], text[4][TD_FORMAT_BYTES];
    if (!cell && pointed && !strcmp(pointed, "straggler"))
        view->lanes.lit = name->straggler;
    if (!cell)
        return;
    const struct td_cells_column *column = &cells->column[cell->column];
    view->lanes.lit = td_ref_valid(cell->longest) ? cell->longest.track : column->track;
    td_tip(view, name->name, "on\t%s%s\ncount\t%s\ntotal\t%s\nmean\t%s\nlongest\t%s\nto the mean\t%.2f\n",
           td_spread_label(rows, cell->column, label), column->lanes > 1 ? " (several lanes)" : "",
           td_format_count(text[0], cell->count), td_format_ns(text[1], (double)cell->total_ns),
           td_format_ns(text[2], (double)cell->total_ns / (double)cell->count),
           td_format_ns(text[3], (double)cell->max_ns), cell->ratio);
}

/* Names the kinds of cores above the lanes of each. */
static void draw_kinds(struct td_view *view, const struct td_cells *cells, const struct cells_strip *strip,
                       float y)
{
    for (uint32_t c = 0, end; c < cells->columns; c = end) {
        const char *kind = cells->column[c].lane.facts.kind;
        for (end = c + 1; end < cells->columns && !strcmp(cells->column[end].lane.facts.kind, kind);)
            end++;
        const float wide = strip->wide / (float)strip->joined, x = strip->place.left + wide * (float)c;
        td_ui_rect(view->ui, x, y, x + 1, y + TD_U(view, 18), TD_C(EDGE), 0);
        td_ui_text_fit(view->ui, TD_FONT_SMALL, x + TD_U(view, 4), y, wide * (float)(end - c) - TD_U(view, 6),
                       TD_C(TEXT_DIM), kind);
    }
}

/* Labels above the cells, where they fit. */
static void draw_strip_head(struct td_view *view, const struct td_query_rows *rows,
                            const struct cells_strip *strip, float top)
{
    static const char *const what[] = {"lanes", "tiles", "kinds", "chips"};
    const int by = state_of(view)->by;
    struct td_ui *ui = view->ui;
    char text[TD_QUERY_ROOM], number[TD_FORMAT_BYTES];
    const float y = top + TD_U(view, 4), room = strip->wide - 4;
    if (!rows || !strip->count)
        return;
    if (by == TD_CELLS_LANE) {
        draw_kinds(view, td_spread_cells(rows), strip, y);
        return;
    }
    snprintf(text, sizeof text, "%s %s%s", td_format_count(number, td_spread_cells(rows)->columns), what[by],
             strip->joined > 1 ? ", the longest in each cell" : "");
    if (strip->joined > 1 || td_ui_text_width(ui, TD_FONT_SMALL, "TRISC0") > room) {
        td_ui_text_fit(ui, TD_FONT_SMALL, strip->place.left, y, strip->place.right - strip->place.left,
                       TD_C(TEXT_DIM), text);
        return;
    }
    for (uint32_t c = 0; c < strip->count; c++)
        td_ui_text_fit(ui, TD_FONT_SMALL, strip->place.left + strip->wide * (float)c + 2, y, room,
                       TD_C(TEXT_DIM), td_spread_label(rows, c, text));
}

/* ---- the list ---- */

static bool draw_cell(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row, int column,
                      const char *key)
{
    const struct td_cells *cells = td_spread_cells(rows);
    const struct td_cells_row *name = &cells->row[row];
    struct cells_strip *strip = &state_of(d->view)->strip;
    struct td_rect cell;
    char text[TD_FORMAT_BYTES];
    if (!strcmp(key, "spread")) {
        snprintf(text, sizeof text, "%.2f", name->spread);
        td_list_text(d, column, name->spread > LATE ? TD_C(STALL) : TD_C(TEXT),
                     name->spread > 0 ? text : "-");
        return true;
    }
    if (!strcmp(key, "straggler")) { /* a link */
        char room[TD_TRACK_NAME_BYTES];
        td_list_text(d, column, TD_C(ACCENT), td_track_name(rows->dict, name->straggler, room));
        return true;
    }
    if (strcmp(key, "matrix"))
        return false;
    if (td_list_cell(d, column, &cell)) {
        *strip = strip_of(d->view, cells, &cell);
        draw_cells(d, cells, strip, name);
    }
    return true;
}

static void look_of_name(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                         struct td_row_look *look)
{
    const struct td_zone zone = {.srcloc = td_spread_cells(rows)->row[row].srcloc};
    look->box = td_color_of_zone(rows->dict, &zone);
}

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

/* A cell and the straggler show their longest zone; a name is searched. */
static void choose_name(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                        enum td_row_choice how)
{
    const struct td_cells *cells = td_spread_cells(rows);
    const struct td_cells_row *name = &cells->row[row];
    const char *pointed = state_of(view)->table.pointed;
    const struct td_range_cell *cell = how == TD_ROW_BY_CLICK ? cell_at_mouse(view, cells, name) : NULL;
    if (cell)
        go(view, cells->column[cell->column].track, cell->longest);
    else if (how == TD_ROW_BY_ENTER || (how == TD_ROW_BY_CLICK && pointed && !strcmp(pointed, "straggler")))
        go(view, name->straggler, name->longest);
    else
        td_view_search_name(view, name->name);
}

/* The matrix, totals in ns. */
static void print_matrix(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order)
{
    const struct td_cells *cells = td_spread_cells(rows);
    char room[TD_QUERY_ROOM];
    fprintf(to, "name\tcount\ttotal_ns\tlanes\tspread\tstraggler");
    for (uint32_t c = 0; c < cells->columns; c++)
        fprintf(to, "\t%s", TD_CELL(td_spread_label(rows, c, room)));
    for (uint64_t i = 0; i < order->count; i++) {
        const struct td_cells_row *r = &cells->row[order->rows[i]];
        fprintf(to, "\n%s\t%" PRIu64 "\t%" PRId64 "\t%" PRIu32 "\t%.4f\t%s", TD_CELL(r->name), r->count,
                r->total_ns, r->lanes, r->spread, TD_CELL(td_track_name(rows->dict, r->straggler, room)));
        for (uint32_t c = 0; c < cells->columns; c++) {
            const struct td_range_cell *cell = td_cells_at(cells, r, c);
            fputc('\t', to);
            if (cell)
                fprintf(to, "%" PRId64, cell->total_ns);
        }
    }
    fputc('\n', to);
}

/* A line for each name and column that has zones of it; the wait is that of the column's first lane. */
static void copy_cells(struct td_view *view, const struct td_table_list *t)
{
    char *text = NULL, room[TD_QUERY_ROOM];
    size_t bytes = 0;
    FILE *f = t->shown ? open_memstream(&text, &bytes) : NULL;
    if (!f)
        return;
    const struct td_cells *cells = td_spread_cells(t->shown);
    fprintf(f, "name\tcolumn\tcount\ttotal_ns\tlongest_ns\tratio\tlane_wait_ns\n");
    for (uint64_t i = 0; i < t->rows.count; i++) {
        const struct td_cells_row *r = &cells->row[t->rows.rows[i]];
        for (size_t c = r->first; c < r->first + r->cells; c++) {
            const struct td_range_cell *cell = &cells->cell[c];
            fprintf(f, "%s\t%s\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%.4f\t%" PRId64 "\n", TD_CELL(r->name),
                    TD_CELL(td_spread_label(t->shown, cell->column, room)), cell->count, cell->total_ns,
                    cell->max_ns, cell->ratio, cells->column[cell->column].lane.sum.wait_ns);
        }
    }
    if (td_text_close(f, &text))
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void describe_cells(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                           char *text, size_t bytes)
{
    char number[TD_FORMAT_BYTES];
    const float progress = td_view_sums_progress(view);
    if (progress >= 0)
        snprintf(text, bytes, "counting, %.0f %%", (double)progress * 100);
    else
        snprintf(text, bytes, "%s name%s", td_format_count(number, listed), listed == 1 ? "" : "s");
}

static float draw_filter(struct td_view *view, float x, float y, float width, float height)
{
    return td_draw_lane_filter(view, "##cells filter", x, y, width, height, false);
}

static const struct td_table_button buttons[] = {
    TD_CHOICE_BUTTON('4', struct cells_panel, by, TD_CELLS_CHIP, "Chips"),
    TD_CHOICE_BUTTON('3', struct cells_panel, by, TD_CELLS_KIND, "Kinds"),
    TD_CHOICE_BUTTON('2', struct cells_panel, by, TD_CELLS_TILE, "Tiles"),
    TD_CHOICE_BUTTON('1', struct cells_panel, by, TD_CELLS_LANE, "Lanes"),
    {0}};

static const struct td_table_panel cells = {
    .table = &td_table_spread,
    .id = TD_PANEL_CELLS,
    .columns = "name spread straggler matrix count total_ns mean_ns lanes",
    .sort = "spread",
    .filter = "name",
    .hint = "Filter: name, -not",
    .row = "name",
    .buttons = buttons,
    .draw_field = draw_filter,
    .key = cells_key,
    .ask = ask_for_cells,
    .look = look_of_name,
    .draw = draw_cell,
    .tip = set_tip,
    .choose = choose_name,
    .print_lines = print_matrix,
    .describe = describe_cells,
};
TD_TABLE_PANEL(cells)

static void draw_cells_panel(struct td_view *view, const struct td_rect *place)
{
    struct cells_panel *s = state_of(view);
    td_view_sums(view);
    draw_table(view, place);
    draw_strip_head(view, s->table.shown, &s->strip, place->top + TD_TABLE_TOOLS(view));
}

static bool take_cells_key(struct td_view *view, const struct td_key_press *press)
{
    if (!td_panel_has_keys(view, TD_PANEL_CELLS) || td_panel_is_open(view, TD_PANEL_GROUPING))
        return false;
    if (press->ctrl && press->shift && press->key == 'c') {
        copy_cells(view, &state_of(view)->table);
        return true;
    }
    return take_table_key(view, press);
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
    .group = TD_GROUP_CORES,
    .page = "Is it the same on every core?",
    .lacks = td_lacks_zones,
    .keys = {{.key = 'r'}},
    .help = cells_help,
    .state_bytes = sizeof(struct cells_panel),
    .draw = draw_cells_panel,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_cells_key,
};
