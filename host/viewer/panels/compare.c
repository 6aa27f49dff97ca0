/* Compare: the zones, frames and tracks of this trace beside those of another one. */
#include "host/viewer/panels/compare_charts.h"
#include "host/viewer/panels/compare_state.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/query/table/text_filter.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define SIDE_WIDTH   330
#define LEAST_LIST   420
#define WIDE_PANEL   (LEAST_LIST + 2 * SIDE_WIDTH) /* from here on, frames and lengths are both shown */

enum compare_column {
    NAME,
    SLOWDOWN,
    RATIO,
    MEAN0,
    MEAN1,
    IMPACT,
    COUNT0,
    COUNT1,
    SELF,
    TOTAL0,
    TOTAL1,
    COLUMNS
};

static const struct td_column columns[COLUMNS] = {
    [NAME] = {.title = "Zone"},
    [SLOWDOWN] = {.title = "Slow-down", .width = 96, .right = true},
    [RATIO] = {.title = "Ratio", .width = 70, .right = true},
    [MEAN0] = {.title = "Mean before", .width = 92, .right = true},
    [MEAN1] = {.title = "Mean now", .width = 86, .right = true},
    [IMPACT] = {.title = "Total change", .width = 100, .right = true},
    [COUNT0] = {.title = "Count before", .width = 92, .right = true},
    [COUNT1] = {.title = "Count now", .width = 86, .right = true},
    [SELF] = {.title = "Self change", .width = 96, .right = true},
    [TOTAL0] = {.title = "Total before", .width = 92, .right = true},
    [TOTAL1] = {.title = "Total now", .width = 86, .right = true},
};

/* ---- rows ---- */

static double value_of(const struct td_compare_entry *e, int column)
{
    switch (column) {
    case SLOWDOWN:
        return td_comparison_slowdown_ns(e);
    case RATIO:
        return e->side[0].mean_ns > 0 ? e->side[1].mean_ns / e->side[0].mean_ns
               : e->side[0].count     ? 0
                                      : INFINITY;
    case MEAN0:
        return e->side[0].mean_ns;
    case MEAN1:
        return e->side[1].mean_ns;
    case COUNT0:
        return (double)e->side[0].count;
    case COUNT1:
        return (double)e->side[1].count;
    case SELF:
        return (double)e->side[1].self_ns - (double)e->side[0].self_ns;
    case TOTAL0:
        return (double)e->side[0].total_ns;
    case TOTAL1:
        return (double)e->side[1].total_ns;
    default:
        return (double)td_compare_impact_ns(e);
    }
}

static int compare_entries(const void *a, const void *b, void *self)
{
    const struct compare_state *s = self;
    const struct td_compare_entry *x = &s->shown.table.entries[*(const size_t *)a],
                                  *y = &s->shown.table.entries[*(const size_t *)b];
    double p = value_of(x, s->list.sort), q = value_of(y, s->list.sort);
    int order = s->list.sort == NAME ? strcmp(x->name, y->name) : p < q ? -1 : p > q;
    if (s->list.descending)
        order = -order;
    return order ? order : x < y ? -1 : x > y;
}

static void sort_entries(struct compare_state *s)
{
    if (s->count)
        qsort_r(s->rows, s->count, sizeof *s->rows, compare_entries, s);
    s->list.selected = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i] + 1 == s->chosen)
            s->list.selected = (int)i + 1;
    s->list.show = true;
}

/* Without memory the list is empty. */
static void make_rows(struct compare_state *s)
{
    size_t *rows = realloc(s->rows, (s->shown.table.count + 1) * sizeof *rows);
    s->count = 0;
    memcpy(s->made_with, s->filter, sizeof s->made_with);
    if (!rows)
        return;
    s->rows = rows;
    for (size_t i = 0; i < s->shown.table.count; i++)
        if (td_text_passes(s->filter, s->shown.table.entries[i].name, NULL))
            rows[s->count++] = i;
    sort_entries(s);
}

static void choose_row(struct td_view *view, struct compare_state *s, int row)
{
    td_compare_choose(s, s->rows[row]);
    if (td_compare_chosen(s)->side[1].count)
        td_view_search_name(view, td_compare_chosen(s)->name);
}

/* A search for a whole name chooses it. */
static void follow_search(const struct td_view *view, struct compare_state *s)
{
    if (!s->other || !strcmp(s->followed, view->find.text))
        return;
    snprintf(s->followed, sizeof s->followed, "%s", view->find.text);
    for (size_t r = 0; r < s->count; r++)
        if (td_text_is_name(s->followed, s->shown.table.entries[s->rows[r]].name)) {
            if (s->rows[r] + 1 != s->chosen)
                td_compare_choose(s, s->rows[r]);
            s->list.selected = (int)r + 1;
            s->list.show = true;
            return;
        }
}

/* The name whose zones have become slower by the most time. */
static void find_worst(struct td_view *view, struct compare_state *s)
{
    s->filter[0] = 0;
    s->list.sort = SLOWDOWN;
    s->list.descending = true;
    make_rows(s);
    if (!s->count)
        return;
    choose_row(view, s, 0);
    s->list.selected = 1;
}

/* ---- drawing ---- */

static bool compare_is_wide(const struct td_view *view, const struct td_rect *place)
{
    return place->right - place->left > TD_U(view, WIDE_PANEL);
}

static const char *format_change(char out[TD_FORMAT_BYTES], double ns)
{
    char text[TD_FORMAT_BYTES];
    snprintf(out, TD_FORMAT_BYTES, "%s%.40s", ns > 0 ? "+" : ns < 0 ? "-" : "", td_format_ns(text, fabs(ns)));
    return out;
}

static void draw_entry(struct td_list_drawing *d, const struct td_compare_entry *e)
{
    char text[TD_FORMAT_BYTES];
    bool both = e->side[0].count && e->side[1].count;
    double ratio = value_of(e, RATIO), slowdown = value_of(e, SLOWDOWN);
    td_list_name(d, NAME, td_color_of_name(e->name), TD_C(TEXT), e->name);
    if (both) {
        td_list_text(d, SLOWDOWN, td_change_color(slowdown), format_change(text, slowdown));
        snprintf(text, sizeof text, "%.2f x", ratio);
        td_list_text(d, RATIO, td_change_color(ratio - 1), text);
    } else {
        td_list_text(d, RATIO, TD_C(ACCENT), e->side[1].count ? "new" : "gone");
    }
    for (int s = 0; s < 2; s++) {
        if (!e->side[s].count)
            continue;
        td_list_text(d, MEAN0 + s, TD_C(TEXT), td_format_ns(text, e->side[s].mean_ns));
        td_list_text(d, COUNT0 + s, TD_C(TEXT_DIM), td_format_count(text, e->side[s].count));
        td_list_text(d, TOTAL0 + s, TD_C(TEXT_DIM), td_format_ns(text, (double)e->side[s].total_ns));
    }
    double impact = value_of(e, IMPACT), self = value_of(e, SELF);
    td_list_text(d, IMPACT, td_change_color(impact), format_change(text, impact));
    td_list_text(d, SELF, td_change_color(self), format_change(text, self));
}

static float draw_side_line(struct td_view *view, const struct td_rect *r, float y, td_rgba color,
                            const char *text)
{
    float high = td_ui_text_height(view->ui, TD_FONT_SMALL);
    if (y + high <= r->bottom)
        td_ui_text_fit(view->ui, TD_FONT_SMALL, r->left, y, r->right - r->left, color, text);
    return y + high + TD_U(view, 4);
}

/* The lengths of the chosen name, and its tracks. */
static void draw_chosen(struct td_view *view, const struct compare_state *s, const struct td_rect *place)
{
    const struct td_compare_entry *e = td_compare_chosen(s);
    const float gap = TD_U(view, 6);
    const struct td_rect r = *place;
    float y = r.top;
    if (!e) {
        draw_side_line(view, &r, y, TD_C(TEXT_FAINT), "Click a zone to see how its lengths have changed.");
        return;
    }
    struct td_rect name = r;
    name.right = td_draw_sides_legend(view->ui, r.right, y) - gap;
    y = draw_side_line(view, &name, y, TD_C(TEXT), e->name);
    float rest = r.bottom - y, line = td_ui_text_height(view->ui, TD_FONT_SMALL) + TD_U(view, 4);
    float charts = fmaxf(rest - 2 * line, 0);
    if (s->has_bins)
        td_draw_length_bins(view->ui, &s->bins, &(struct td_rect){r.left, y, r.right, y + charts * .6f});
    y += charts * .6f + gap;
    char text[200], number[TD_FORMAT_BYTES];
    if (s->track_count) {
        const struct td_track_change *worst = &s->tracks[0];
        snprintf(text, sizeof text, "%zu track%s; most change: %.100s %s", s->track_count,
                 s->track_count == 1 ? "" : "s", TD_PLAIN(worst->name),
                 format_change(number, (double)worst->total_ns[1] - (double)worst->total_ns[0]));
        y = draw_side_line(view, &r, y, TD_C(TEXT_DIM), text);
    }
    td_draw_track_changes(view->ui, s->tracks, s->track_count,
                          &(struct td_rect){r.left, y, r.right, r.bottom});
}

/* Cuts a column off the list. */
static struct td_rect cut_side(struct td_view *view, struct td_rect *rows)
{
    const float pad = TD_U(view, 10), gap = TD_U(view, 6);
    const struct td_rect side = td_dock_cut(rows, TD_DOCK_RIGHT, TD_U(view, SIDE_WIDTH));
    td_ui_rect(view->ui, side.left, side.top, side.left + 1, side.bottom, TD_C(EDGE), 0);
    return (struct td_rect){side.left + pad, side.top + gap, side.right - pad, side.bottom - gap};
}

static void draw_sides(struct td_view *view, struct compare_state *s, struct td_rect *rows)
{
    const bool wide = compare_is_wide(view, rows),
               frames = td_view_has_frames(view, view->selection.frame_set);
    if (!s->other || rows->right - rows->left <= TD_U(view, SIDE_WIDTH + LEAST_LIST))
        return;
    if (wide || s->lengths || !frames) {
        const struct td_rect side = cut_side(view, rows);
        draw_chosen(view, s, &side);
    }
    if (frames && (wide || !s->lengths)) {
        const struct td_rect side = cut_side(view, rows);
        td_draw_compare_frames(view, &s->frames, &side);
    }
}

static void draw_status(struct td_view *view, const struct compare_state *s, float x, float y, float right)
{
    char text[600], number[TD_FORMAT_BYTES];
    td_rgba color = TD_C(TEXT_FAINT);
    if (s->load.running)
        snprintf(text, sizeof text, "reading, %.0f %%", (double)td_job_progress(&s->load) * 100);
    else if (s->err.code)
        snprintf(text, sizeof text, "%s", s->err.text);
    else if (s->other)
        snprintf(text, sizeof text, "%s names; this trace beside %.200s%s%.240s",
                 td_format_count(number, s->count), td_path_name(s->reads), *s->salvaged ? ", which is " : "",
                 TD_PLAIN(s->salvaged));
    else
        snprintf(text, sizeof text, "the path of the trace to compare with, Enter");
    if (s->err.code || *s->salvaged)
        color = TD_C(LOST);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, x, y + TD_U(view, 5), right - x, color, text);
}

static void draw_compare_tools(struct td_view *view, struct compare_state *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3), x = place->left + pad;
    float room = place->right - place->left, field = fminf(TD_U(view, 240), room * .35f);
    int input = td_ui_input(ui, "##compare path", "Other trace   Enter", x, y, field, high, s->path,
                            sizeof s->path, false);
    if ((input & TD_INPUT_ENTER) && s->path[0] && td_compare_open(view, s->path, &s->err) < 0)
        td_compare_drop(s);
    x += field + pad;
    field = fminf(TD_U(view, 150), room * .25f);
    td_ui_input(ui, "##compare filter", "Filter: name, -not", x, y, field, high, s->filter, sizeof s->filter,
                false);
    x += field + pad;
    if (s->other && x + TD_U(view, 130) < place->right) {
        if (td_ui_button(ui, "Worst slow-down", x, y, TD_U(view, 126), high))
            find_worst(view, s);
        x += TD_U(view, 126) + pad;
    }
    if (s->other && !compare_is_wide(view, place) && x + TD_U(view, 80) < place->right) {
        if (td_ui_button(ui, s->lengths ? "Frames" : "Lengths", x, y, TD_U(view, 76), high))
            s->lengths = !s->lengths;
        x += TD_U(view, 76) + pad;
    }
    draw_status(view, s, x, y, place->right - pad);
}

static void draw_compare(struct td_view *view, const struct td_rect *place)
{
    struct compare_state *s = td_compare_state_of(view);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    int clicked = -1;
    if (!s->started) {
        s->list.sort = IMPACT;
        s->list.descending = s->started = true;
    }
    td_compare_update(view, s);
    if (s->other && strcmp(s->made_with, s->filter) != 0)
        make_rows(s);
    follow_search(view, s);
    draw_compare_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    draw_sides(view, s, &rows);
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->count, &rows, &d); i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            clicked = i;
        draw_entry(&d, &s->shown.table.entries[s->rows[i]]);
    }
    td_list_end(&d);
    if (clicked >= 0)
        choose_row(view, s, clicked);
    if (d.sorted)
        sort_entries(s);
}

static bool take_compare_key(struct td_view *view, const struct td_key_press *press)
{
    struct compare_state *s = td_compare_state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_COMPARE))
        return false;
    if (press->key == 'w' && s->other) {
        find_worst(view, s);
        return true;
    }
    if (press->key == 'v' || press->key == 'y') {
        if (press->key == 'v')
            td_view_next_frame_set(view);
        else
            s->lengths = !s->lengths;
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->count, &enter))
        return false;
    choose_row(view, s, s->list.selected - 1);
    if (enter)
        td_view_next_match(view, true);
    return true;
}

static const struct td_help_line compare_help[] = {
    {":compare FILE", "compare with another trace"},
    {"Up, Down, Enter", "in the list: choose a zone, go to it"},
    {"W", "in the list: the worst slow-down"},
    {"V, Y in it", "frame set, frames or lengths"},
    {0},
};

const struct td_panel td_panel_compare = {
    .name = "compare",
    .dock = TD_DOCK_BOTTOM,
    .title = "Compare",
    .help = compare_help,
    .state_bytes = sizeof(struct compare_state),
    .draw = draw_compare,
    .free_state = td_compare_free,
    .is_busy = td_compare_is_busy,
    .take_key = take_compare_key,
};
