/* Compare: the zones, frames and tracks of this trace beside those of another one. */
#include "host/viewer/panels/compare_charts.h"
#include "host/viewer/panels/compare_state.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/query/table/text_filter.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ALERT_HEIGHT 20
#define SIDE_WIDTH   330
#define LEAST_LIST   420
#define WIDE_PANEL   (LEAST_LIST + 2 * SIDE_WIDTH) /* from here on, frames and lengths are both shown */

/* ---- rows ---- */

static void choose_entry(struct td_view *view, struct compare_state *s, size_t entry)
{
    td_compare_choose(s, entry);
    if (td_compare_chosen(s)->side[1].count)
        td_view_search_name(view, td_compare_chosen(s)->name);
}

static void choose_row(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                       enum td_row_choice how)
{
    choose_entry(view, td_compare_state_of(view), row);
    if (how == TD_ROW_BY_ENTER)
        td_view_next_match(view, true);
}

/* A search for a whole name chooses it. */
static void follow_search(const struct td_view *view, struct compare_state *s)
{
    if (!s->other || !strcmp(s->followed, view->find.text))
        return;
    snprintf(s->followed, sizeof s->followed, "%s", view->find.text);
    for (size_t i = 0; i < s->shown.table.count; i++)
        if (td_text_is_name(s->followed, s->shown.table.entries[i].name)) {
            if (i + 1 != s->chosen)
                td_compare_choose(s, i);
            s->shows_chosen = true;
            return;
        }
}

/* The name whose zones have become slower by the most time. */
static void find_worst(struct td_view *view)
{
    struct compare_state *s = td_compare_state_of(view);
    const struct td_compare_table *all = &s->shown.table;
    size_t worst = 0;
    td_table_list_sort(&s->table, "slowdown_ns", true);
    s->table.order.filter[0] = 0;
    for (size_t i = 1; i < all->count; i++)
        if (td_comparison_slowdown_ns(&all->entries[i]) > td_comparison_slowdown_ns(&all->entries[worst]))
            worst = i;
    if (!all->count)
        return;
    choose_entry(view, s, worst);
    s->shows_chosen = true;
}

static uint64_t compare_key(const struct td_view *view)
{
    return td_compare_state_of(view)->loads;
}

static bool ask_for_entries(struct td_view *view, struct td_query_request *of)
{
    struct compare_state *s = td_compare_state_of(view);
    of->with = s->other ? &s->shown.table : NULL;
    return true;
}

/* ---- drawing ---- */

static const char *format_change(char out[TD_FORMAT_BYTES], double ns)
{
    char text[TD_FORMAT_BYTES];
    snprintf(out, TD_FORMAT_BYTES, "%s%.40s", ns > 0 ? "+" : ns < 0 ? "-" : "", td_format_ns(text, fabs(ns)));
    return out;
}

static void look_of_entry(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                          struct td_row_look *look)
{
    look->box = td_color_of_name(td_compared_at(rows, row)->name);
}

static void draw_change(struct td_list_drawing *d, int column, double ns)
{
    char text[TD_FORMAT_BYTES];
    td_list_text(d, column, td_change_color(ns), format_change(text, ns));
}

/* Changes have signs and colours. */
static bool draw_entry(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row, int column,
                       const char *key)
{
    const struct td_compare_entry *e = td_compared_at(rows, row);
    const struct td_compare_side *before = &e->side[0], *now = &e->side[1];
    char text[TD_FORMAT_BYTES];
    if (!strcmp(key, "impact_ns"))
        draw_change(d, column, (double)td_compare_impact_ns(e));
    else if (!strcmp(key, "self_change_ns"))
        draw_change(d, column, (double)now->self_ns - (double)before->self_ns);
    else if (!strcmp(key, "slowdown_ns") && before->count && now->count)
        draw_change(d, column, td_comparison_slowdown_ns(e));
    else if (!strcmp(key, "ratio") && before->count && now->count) {
        const double ratio = before->mean_ns > 0 ? now->mean_ns / before->mean_ns : INFINITY;
        snprintf(text, sizeof text, "%.2f x", ratio);
        td_list_text(d, column, td_change_color(ratio - 1), text);
    } else if (!strcmp(key, "ratio"))
        td_list_text(d, column, TD_C(ACCENT), now->count ? "new" : "gone");
    else /* what it is not in has no numbers */
        return (strstr(key, "_a") && !before->count) || (strstr(key, "_b") && !now->count) ||
               !strcmp(key, "slowdown_ns");
    return true;
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
    const bool wide = s->wide, frames = td_view_has_frames(view, view->selection.frame_set);
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

static void describe_compare(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                             char *text, size_t bytes)
{
    const struct compare_state *s = td_compare_state_of(view);
    char number[TD_FORMAT_BYTES];
    if (s->other && s->source.on)
        td_compare_source_describe(&s->source, text, bytes);
    else if (s->load.running)
        snprintf(text, bytes, "reading, %.0f %%", (double)td_job_progress(&s->load) * 100);
    else if (s->other)
        snprintf(text, bytes, "%s names; this trace%s%.80s beside %.200s%s%.80s",
                 td_format_count(number, listed), *s->shown_ranges[1] ? ", " : "",
                 TD_PLAIN(s->shown_ranges[1]), td_path_name(s->reads), *s->shown_ranges[0] ? ", " : "",
                 TD_PLAIN(s->shown_ranges[0]));
    else
        snprintf(text, bytes, "the path of the trace to compare with, Enter");
}

/* What is wrong with the other trace. */
static float draw_alert(struct td_view *view, const struct compare_state *s, const struct td_rect *place)
{
    char text[600];
    if (!s->err.code && !*s->salvaged)
        return place->top;
    snprintf(text, sizeof text, "%.200s%s%.340s", s->err.code ? "" : td_path_name(s->reads),
             s->err.code ? "" : " is ", s->err.code ? s->err.text : TD_PLAIN(s->salvaged));
    td_ui_text_fit(view->ui, TD_FONT_SMALL, place->left + TD_U(view, 8), place->top + TD_U(view, 2),
                   place->right - place->left - TD_U(view, 16), TD_C(LOST), text);
    return place->top + TD_U(view, ALERT_HEIGHT);
}

static float draw_path(struct td_view *view, float x, float y, float width, float height)
{
    struct compare_state *s = td_compare_state_of(view);
    const int input = td_ui_input(view->ui, "##compare path", "Other trace   Enter", x, y, width, height,
                                  s->path, sizeof s->path, false);
    if ((input & TD_INPUT_ENTER) && s->path[0] && td_compare_open(view, s->path, &s->err) < 0)
        td_compare_drop(s);
    return x + width;
}

static const char *label_of_worst(const struct td_view *view, bool *on)
{
    return td_compare_state_of(view)->other ? "Worst slow-down" : NULL;
}

/* A panel that is wide shows both. */
static const char *label_of_side(const struct td_view *view, bool *on)
{
    const struct compare_state *s = td_compare_state_of(view);
    return !s->other || s->wide ? NULL : s->lengths ? "Frames" : "Lengths";
}

static void change_side(struct td_view *view)
{
    struct compare_state *s = td_compare_state_of(view);
    s->lengths = !s->lengths;
}

static const char *label_of_ranges(const struct td_view *view, bool *on)
{
    const struct compare_state *s = td_compare_state_of(view);
    *on = *s->wants[0] || *s->wants[1];
    return s->other ? "Ranges" : NULL;
}

/* Entries for one side, whose other side stays as it is. */
static void add_ranges(struct td_menu *menu, const struct compare_state *s, int side)
{
    char words[2][TD_MENU_WORD];
    const struct td_named_ranges *names = &s->names[side];
    const size_t most = TD_MENU_ENTRIES / 2 - 2;
    for (int i = 0; i < 2; i++)
        td_menu_word(words[i], *s->wants[i] ? s->wants[i] : "all");
    td_menu_head(menu, side ? "Now, in this trace" : "Before");
    for (size_t i = 0; i <= names->count && i < most; i++) {
        const char *name = i ? names->at[i - 1].name : "all";
        td_menu_word(words[side], name);
        struct td_menu_entry *entry = td_menu_add(menu, name,
                                                  !i                         ? NULL
                                                  : names->at[i - 1].is_note ? "note"
                                                                             : "section",
                                                  "between %s %s", words[0], words[1]);
        if (entry)
            entry->mark = strcmp(name, *s->wants[side] ? s->wants[side] : "all") ? TD_MENU_OFF : TD_MENU_ON;
    }
}

static void show_ranges(struct td_view *view)
{
    struct compare_state *s = td_compare_state_of(view);
    struct td_menu *menu = td_menu_begin(view, td_ui_mouse_x(view->ui), td_ui_mouse_y(view->ui));
    add_ranges(menu, s, 0);
    add_ranges(menu, s, 1);
}

static const char *label_of_source(const struct td_view *view, bool *on)
{
    const struct compare_state *s = td_compare_state_of(view);
    *on = s->source.on;
    return s->other && (s->chosen || s->source.on) ? "Source" : NULL;
}

/* The file of the chosen name, in both traces, or the list again. */
static void change_source(struct td_view *view)
{
    struct compare_state *s = td_compare_state_of(view);
    const struct td_compare_entry *e = td_compare_chosen(s);
    s->source.on = !s->source.on;
    if (!e || !s->source.on)
        return;
    snprintf(s->source.file, sizeof s->source.file, "%s", e->file);
    s->source.line = e->side[1].line;
}

int td_compare_beside(struct td_view *view, const char *file, struct td_err *err)
{
    struct compare_state *s = td_compare_state_of(view);
    if (!s->other)
        return td_fail(err, TD_E_USAGE, "there is no comparison; begin one with: compare FILE");
    s->source.on = file != NULL;
    if (!file)
        return 0;
    snprintf(s->source.file, sizeof s->source.file, "%s", file);
    s->source.line = 0;
    td_panel_set_open(view, TD_PANEL_COMPARE, true);
    return 0;
}

static const struct td_table_button buttons[] = {TD_BUTTON('w', label_of_worst, find_worst),
                                                 TD_BUTTON('y', label_of_side, change_side),
                                                 TD_BUTTON('x', label_of_ranges, show_ranges),
                                                 TD_BUTTON('q', label_of_source, change_source),
                                                 {0}};

static const struct td_table_panel compare = {
    .table = &td_table_compared,
    .id = TD_PANEL_COMPARE,
    .columns = "name slowdown_ns ratio mean_a_ns mean_b_ns impact_ns count_a count_b self_change_ns "
               "total_a_ns total_b_ns",
    .sort = "impact_ns",
    .filter = "name",
    .hint = "Filter: name, -not",
    .row = "name",
    .whole = true,
    .buttons = buttons,
    .draw_field = draw_path,
    .key = compare_key,
    .ask = ask_for_entries,
    .look = look_of_entry,
    .draw = draw_entry,
    .choose = choose_row,
    .describe = describe_compare,
};

static char *copy_entries(struct td_view *view, enum td_copy_form form)
{
    const struct compare_state *s = td_compare_state_of(view);
    return !s->other || !s->source.on                      ? td_table_panel_copy(view, &compare, form)
           : form == TD_COPY_LINES || form == TD_COPY_TEXT ? td_compare_source_copy(&s->source)
                                                           : NULL;
}

static bool take_compare_key(struct td_view *view, const struct td_key_press *press)
{
    struct compare_state *s = td_compare_state_of(view);
    if (td_panel_has_keys(view, TD_PANEL_COMPARE) && s->other && s->source.on &&
        td_compare_source_key(&s->source, press))
        return true;
    if (!td_panel_has_keys(view, TD_PANEL_COMPARE) || press->key != 'v' || press->ctrl || press->alt)
        return td_table_panel_key(view, &compare, press);
    td_view_next_frame_set(view);
    return true;
}

static void draw_compare(struct td_view *view, const struct td_rect *place)
{
    struct compare_state *s = td_compare_state_of(view);
    struct td_rect rows = *place;
    s->wide = place->right - place->left > TD_U(view, WIDE_PANEL);
    td_compare_update(view, s);
    td_table_panel_update(view, &compare);
    follow_search(view, s);
    if (s->shows_chosen && !s->table.job.running) {
        td_table_select(&s->table, s->chosen - 1);
        s->shows_chosen = false;
    }
    rows.top = td_table_panel_draw_tools(view, &compare, place);
    rows.top = draw_alert(view, s, &rows);
    if (s->other && s->source.on) {
        td_compare_source_draw(view, &s->source, &rows);
        return;
    }
    draw_sides(view, s, &rows);
    td_table_panel_draw_rows(view, &compare, &rows);
}

static bool toggle_column(struct td_view *view, const char *title)
{
    return td_table_toggle_column(view, &compare, title);
}

static const struct td_help_line compare_help[] = {
    {":compare FILE", "compare with another trace, :compare this with itself"},
    {"X, :between A B", "in the list: compare sections or notes only"},
    {"Up, Down, Enter", "in the list: choose a zone, go to it"},
    {"W", "in the list: the worst slow-down"},
    {"V, Y in it", "frame set, frames or lengths"},
    {"Q in it", "the source file of the chosen name in both traces, or the list"},
    {". and ,", "in the source: the next part that differs, the one before"},
    {0},
};

const struct td_panel td_panel_compare = {
    .name = "compare",
    .dock = TD_DOCK_BOTTOM,
    .title = "Compare",
    .group = TD_GROUP_ZONES,
    .page = "What has become slower?",
    .help = compare_help,
    .state_bytes = sizeof(struct compare_state),
    .draw = draw_compare,
    .free_state = td_compare_free,
    .is_busy = td_compare_is_busy,
    .copy = copy_entries,
    .toggle_column = toggle_column,
    .take_key = take_compare_key,
};
