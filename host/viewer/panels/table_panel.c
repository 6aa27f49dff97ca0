#include "host/viewer/panels/table_panel.h"
#include "host/base/hash.h"
#include "host/event/map.h"
#include "host/query/table/text_filter.h"
#include "host/query/table/track_name.h"
#include "host/query/table/value_text.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/navigate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_EVERY 4096 /* rows between two looks at whether the job is cancelled */

struct td_table_list *td_table_list_of(const struct td_view *view, const struct td_table_panel *panel)
{
    char *state = view->panels.slot[panel->id].state;
    return (void *)(state + panel->at);
}

/* ---- columns ---- */

static bool is_number(enum td_query_type type)
{
    return type != TD_AS_TEXT && type != TD_AS_TRACK && type != TD_AS_BOOL;
}

static bool can_sort(const struct td_table_panel *panel, const char *key)
{
    const size_t bytes = strlen(key);
    for (const char *at = panel->sorts; at && (at = strstr(at, key)); at += bytes)
        if ((at == panel->sorts || at[-1] == ' ') && (!at[bytes] || at[bytes] == ' '))
            return true;
    return !panel->sorts;
}

static void list_columns(struct td_table_list *s)
{
    s->column_count = 0;
    if (s->panel->has_node) /* "on" or "off": whether the timeline shows the row */
        s->columns[s->column_count++] = (struct td_column){.title = "Row", .width = 46, .fixed = true};
    s->list.sort = -1;
    for (size_t c = 0; c < s->choice.count && s->column_count < TD_LIST_COLUMNS; c++) {
        const struct td_query_column *column = s->choice.at[c].column;
        if (s->left_out >> c & 1)
            continue;
        if (column == s->order.sort)
            s->list.sort = s->column_count;
        s->listed[s->column_count] = column;
        s->columns[s->column_count++] = (struct td_column){.title = column->title,
                                                           .width = column->width,
                                                           .right = is_number(column->type),
                                                           .fixed = !can_sort(s->panel, column->key)};
    }
}

/* Those of the panel, then the table's others, which are not listed at first. */
static void begin_list(const struct td_table_panel *panel, struct td_table_list *s)
{
    const struct td_query_table *table = panel->table;
    s->panel = panel;
    td_query_choose(&s->choice, table, panel->columns);
    for (size_t c = 0; c < table->column_count && s->choice.count < TD_QUERY_COLUMNS_MAX; c++) {
        size_t i = 0;
        while (i < s->choice.count && s->choice.at[i].column != &table->columns[c])
            i++;
        if (i < s->choice.count)
            continue;
        s->left_out |= UINT32_C(1) << s->choice.count;
        s->choice.at[s->choice.count++].column = &table->columns[c];
    }
    s->order.sort = panel->sort ? td_query_column_named(table, panel->sort) : NULL;
    s->order.descending = s->list.descending = s->order.sort && is_number(s->order.sort->type);
    if (s->order.sort && s->order.sort->type == TD_AS_TIME)
        s->order.descending = s->list.descending = false;
}

/* ---- rows ---- */

static bool row_passes(const struct td_table_list *s, const struct td_query_rows *rows,
                       const struct td_query_choice *looks_at, uint64_t row)
{
    const struct td_table_panel *panel = s->panel;
    char room[TD_TABLE_FILTERS][TD_QUERY_ROOM];
    const char *text[TD_TABLE_FILTERS];
    size_t count = 0;
    if (panel->lists && !panel->lists(rows, row, s->of_order.group))
        return false;
    if (s->lanes.passes) {
        const struct td_query_place place = td_query_place_of(rows, row);
        if (place.kind != TD_AT_NOTHING && !td_lane_chosen(&s->lanes, place.track))
            return false;
    }
    for (; *s->of_order.filter && count < looks_at->count && count < TD_TABLE_FILTERS; count++) {
        const struct td_query_column *column = looks_at->at[count].column;
        const struct td_query_value value = td_query_get(rows, row, column, room[count]);
        text[count] = column->type == TD_AS_TRACK ? td_track_name(rows->dict, (uint32_t)value.u, room[count])
                                                  : value.text;
    }
    return !count || td_texts_pass(s->of_order.filter, text, count);
}

static double number_of(const struct td_query_value *value)
{
    return value->kind == TD_IS_REAL   ? value->real
           : value->kind == TD_IS_INT  ? (double)value->i
           : value->kind == TD_IS_UINT ? (double)value->u
                                       : 0;
}

static void find_most(struct td_table_list *s, const struct td_query_rows *rows)
{
    const struct td_query_column *bar =
        s->panel->bar ? td_query_column_named(rows->table, s->panel->bar) : NULL;
    char room[TD_QUERY_ROOM];
    s->made_most = 0;
    for (uint64_t i = 0; bar && i < s->made_order.count; i++) {
        const struct td_query_value value = td_query_get(rows, s->made_order.rows[i], bar, room);
        s->made_most = fmax(s->made_most, number_of(&value));
    }
    if (bar && bar->type == TD_AS_SHARE)
        s->made_most = 1;
}

/* Without memory there are no rows. */
static void make_list(void *self, struct td_job *job)
{
    struct td_table_list *s = self;
    struct td_query_choice looks_at = {0};
    uint64_t passing = 0;
    int rc;
    s->of.job = job;
    if (s->makes)
        s->made = td_query_make(s->panel->table, &s->of, &rc);
    const struct td_query_rows *rows = s->makes ? s->made : s->shown;
    if (rows && s->panel->sorts) {
        s->made_order = (struct td_query_order){NULL, rows->count, s->of_order.descending};
        return;
    }
    if (!rows || td_query_order_all(&s->made_order, rows) < 0)
        return;
    if (s->panel->filter)
        td_query_choose(&looks_at, rows->table, s->panel->filter);
    for (uint64_t i = 0; i < s->made_order.count; i++) {
        if (i % CHECK_EVERY == 0 && td_job_cancelled(job))
            return;
        if (row_passes(s, rows, &looks_at, i))
            s->made_order.rows[passing++] = i;
    }
    s->made_order.count = passing;
    if (s->of_order.sort)
        td_query_order_sort(&s->made_order, rows, s->of_order.sort, s->of_order.descending);
    find_most(s, rows);
}

uint64_t td_table_selected(const struct td_table_list *s)
{
    return s->list.selected && (uint64_t)s->list.selected <= s->rows.count
               ? td_table_row(s, (uint64_t)s->list.selected - 1)
               : TD_NO_ROW;
}

void td_table_select(struct td_table_list *s, uint64_t row)
{
    s->list.selected = 0;
    if (!s->rows.rows && row < s->rows.count) {
        s->list.selected = (int)(s->rows.backwards ? s->rows.count - row : row + 1);
        s->list.show = true;
        return;
    }
    for (uint64_t i = 0; i < s->rows.count && row != TD_NO_ROW; i++)
        if (td_table_row(s, i) == row) {
            s->list.selected = (int)i + 1;
            s->list.show = true;
            return;
        }
}

void td_table_list_sort(struct td_table_list *s, const char *key, bool descending)
{
    s->order.sort = td_query_column_named(s->panel->table, key);
    s->order.descending = s->list.descending = descending;
    list_columns(s);
}

static void take_made(struct td_table_list *s)
{
    const uint64_t selected = td_table_selected(s);
    const bool shows = s->list.show;
    if (s->makes) {
        td_query_free(s->shown);
        s->shown = s->made;
        s->shown_key = s->made_key;
        s->made = NULL;
    }
    TD_JOB_TAKE(&s->rows, &s->made_order, td_query_order_free);
    s->most = s->made_most;
    td_table_select(s, selected);
    s->list.show = shows;
}

static void ask_for_rows(struct td_view *view, struct td_table_list *s, uint64_t key, uint64_t rows_key)
{
    const struct td_table_panel *panel = s->panel;
    td_query_free(s->made);
    s->made = NULL;
    td_query_order_free(&s->made_order);
    td_lane_choice_free(&s->lanes);
    s->makes = !s->shown || s->shown_key != rows_key;
    s->made_key = rows_key;
    s->of_order = s->order;
    s->of = (struct td_query_request){
        .trace = view->model.trace, .from_ns = INT64_MIN, .to_ns = INT64_MAX, .now_ns = view->model.last_ns};
    if (!panel->whole)
        td_view_limits(view, &s->of.from_ns, &s->of.to_ns);
    if ((!panel->by_lane || td_lanes_copy(view, &s->lanes)) &&
        (!s->makes || !panel->ask || panel->ask(view, &s->of)))
        (panel->sorts ? td_job_run : td_job_start)(&s->job, key, make_list, s);
}

void td_table_panel_update(struct td_view *view, const struct td_table_panel *panel)
{
    struct td_table_list *s = td_table_list_of(view, panel);
    bool fresh;
    if (!s->panel)
        begin_list(panel, s);
    if (!s->column_count)
        list_columns(s);
    uint64_t rows_key = panel->whole ? 1 : td_view_limits_key(view) + 1;
    if (panel->key)
        rows_key = td_mix64(rows_key) ^ panel->key(view);
    uint64_t key = td_hash(s->order.filter, strlen(s->order.filter));
    key = td_mix64(key ^ rows_key) + (uint64_t)s->order.group * 2 + s->order.descending;
    key = td_mix64(key ^ (uintptr_t)s->order.sort) ^ (panel->by_lane ? td_lanes_key(view) : 0);
    if (td_job_want(&s->job, key, &fresh) == TD_JOB_WANTED) {
        ask_for_rows(view, s, key, rows_key);
        if (panel->sorts)
            td_job_want(&s->job, key, &fresh);
    }
    if (fresh)
        take_made(s);
}

/* ---- the rows in the timeline ---- */

static int node_of(const struct td_view *view, const struct td_table_panel *panel, uint64_t row)
{
    const uint32_t number =
        panel->node == TD_NODE_PLOT ? td_row_host(&view->rows.own, (uint32_t)row) : (uint32_t)row;
    return panel->has_node ? td_layout_row_node(&view->layout, panel->node, number) : -1;
}

static void toggle_row(struct td_view *view, const struct td_table_panel *panel, uint64_t row)
{
    const int node = node_of(view, panel, row);
    if (node >= 0 && view->layout.nodes[node].hidden)
        td_view_show_row(view, node, 0);
    else if (node >= 0)
        td_lanes_hide(view, node);
}

void td_table_choose(struct td_view *view, const struct td_table_panel *panel, uint64_t at,
                     enum td_row_choice how)
{
    struct td_table_list *s = td_table_list_of(view, panel);
    const uint64_t row = td_table_row(s, at);
    const int node = node_of(view, panel, row);
    const struct td_query_place place = td_query_place_of(s->shown, row);
    s->list.selected = (int)at + 1;
    if (node >= 0)
        td_view_show_row(view, node, 0);
    if (panel->choose)
        panel->choose(view, s->shown, row, how);
    else
        td_view_show_place(view, &place, how == TD_ROW_BY_ENTER);
}

/* ---- drawing ---- */

static void draw_cell(struct td_list_drawing *d, const struct td_table_list *s, uint64_t row, int column,
                      const struct td_row_look *look)
{
    char room[2][TD_QUERY_ROOM];
    const struct td_query_column *of = s->listed[column];
    const bool is_name = s->panel->name ? !strcmp(of->key, s->panel->name) : column == s->panel->has_node;
    const bool is_bright = of->type == TD_AS_DURATION || of->type == TD_AS_MEAN ||
                           of->type == TD_AS_INTEGER || of->type == TD_AS_NUMBER || of->type == TD_AS_SHARE;
    const td_rgba color = is_name ? look->name : is_bright ? look->number : look->text;
    if (s->panel->draw && s->panel->draw(d, s->shown, row, column, of->key))
        return;
    const struct td_query_value value = td_query_get(s->shown, row, of, room[0]);
    const char *text = td_query_value_text(s->shown, of, &value, room[1]);
    if (text[strcspn(text, "\n")]) { /* its first line */
        snprintf(room[1], sizeof room[1], "%.*s", (int)strcspn(text, "\n"), text);
        text = room[1];
    }
    if (s->panel->bar && s->most > 0 && !strcmp(of->key, s->panel->bar))
        td_list_bar(d, column, (float)(number_of(&value) / s->most), TD_C(SHARE));
    if (is_name && look->box)
        td_list_name(d, column, look->box, color, text);
    else if (of->type == TD_AS_DURATION)
        td_list_duration(d, column, color, text);
    else
        td_list_text(d, column, color, text);
}

static void draw_row(struct td_list_drawing *d, const struct td_table_list *s, uint64_t row)
{
    struct td_view *view = d->view;
    struct td_row_look look = {TD_C(TEXT), TD_C(TEXT), TD_C(TEXT_DIM), 0, false};
    if (s->panel->has_node) {
        const int node = node_of(view, s->panel, row);
        const bool hidden = node < 0 || view->layout.nodes[node].hidden;
        td_list_text(d, 0, hidden ? TD_C(TEXT_FAINT) : TD_C(ACCENT), hidden ? "off" : "on");
        look.name = hidden ? TD_C(TEXT_FAINT) : TD_C(TEXT);
    }
    if (s->panel->look)
        s->panel->look(view, s->shown, row, &look);
    if (look.lit)
        td_ui_rect(view->ui, d->place.left, d->y, d->place.left + TD_U(view, 3), d->y + d->height,
                   TD_C(ACCENT), 0);
    for (int c = s->panel->has_node; c < s->column_count; c++)
        draw_cell(d, s, row, c, &look);
}

static void next_group(struct td_table_list *s)
{
    s->order.group = (s->order.group + 1) % s->panel->group_count;
}

static void describe_rows(const struct td_view *view, const struct td_table_list *s, char *text, size_t bytes)
{
    const struct td_table_panel *panel = s->panel;
    char number[TD_FORMAT_BYTES], all[TD_FORMAT_BYTES], lanes[60] = "";
    if (!s->shown)
        snprintf(text, bytes, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else if (panel->empty && !s->shown->count)
        snprintf(text, bytes, "%s", panel->empty);
    else if (panel->describe)
        panel->describe(view, s->shown, s->rows.count, text, bytes);
    else if (s->lanes.passes)
        snprintf(text, bytes, "%s of %s %s%s%s", td_format_count(number, s->rows.count),
                 td_format_count(all, s->shown->count), panel->rows ? panel->rows : panel->row,
                 panel->rows ? "" : "s", td_lanes_note(view, lanes, sizeof lanes));
    else
        snprintf(text, bytes, "%s %s%s", td_format_count(number, s->rows.count),
                 panel->rows && s->rows.count != 1 ? panel->rows : panel->row,
                 panel->rows || s->rows.count == 1 ? "" : "s");
}

static struct td_sampled_tree *tree_of(const struct td_view *view, const struct td_table_panel *panel)
{
    char *state = view->panels.slot[panel->id].state;
    return panel->tree ? (void *)(state + panel->tree->at) : NULL;
}

/* The tree that is shown; NULL: the list is. */
static struct td_sampled_tree *shown_tree(const struct td_view *view, const struct td_table_panel *panel,
                                          struct td_call_tree_choice *choice)
{
    *choice = (struct td_call_tree_choice){.inlines = true};
    return panel->tree && panel->tree->choose(view, choice) ? tree_of(view, panel) : NULL;
}

char *td_table_panel_copy(struct td_view *view, const struct td_table_panel *panel, enum td_copy_form form)
{
    struct td_call_tree_choice choice;
    const struct td_sampled_tree *tree = shown_tree(view, panel, &choice);
    return !tree                   ? td_table_text(td_table_list_of(view, panel), form)
           : form == TD_COPY_LINES ? td_tree_view_text(view, &tree->view)
                                   : NULL;
}

static bool is_button(const struct td_table_button *b)
{
    return b->label || b->labels || b->title;
}

static int *value_of(const struct td_view *view, const struct td_table_panel *panel,
                     const struct td_table_button *b)
{
    char *state = view->panels.slot[panel->id].state;
    return (void *)(state + b->at);
}

static const char *label_of(const struct td_view *view, const struct td_table_panel *panel,
                            const struct td_table_button *b, bool *on)
{
    if (b->label)
        return b->label(view, on);
    const int value = *value_of(view, panel, b);
    *on = !b->labels && value == b->value;
    return b->labels ? b->labels[value] : b->title;
}

static void press(struct td_view *view, const struct td_table_panel *panel, const struct td_table_button *b)
{
    if (b->press)
        b->press(view);
    else
        *value_of(view, panel, b) = b->count ? (*value_of(view, panel, b) + 1) % b->count : b->value;
}

float td_table_panel_draw_tools(struct td_view *view, const struct td_table_panel *panel,
                                const struct td_rect *place)
{
    struct td_table_list *s = td_table_list_of(view, panel);
    struct td_ui *ui = view->ui;
    char text[300], id[60];
    const float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    const float text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    float x = place->left + pad, right = place->right - pad;
    if (!panel->whole)
        right = td_draw_limits(view, right, y, high) - pad;
    if (panel->draw_field)
        x = panel->draw_field(view, x, y, fminf((right - x) * .42f, TD_U(view, 320)), high) + pad;
    if (panel->filter) {
        const float field = fminf(TD_U(view, 190), fmaxf(right - x - TD_U(view, 60), TD_U(view, 60)));
        snprintf(id, sizeof id, "##%.40s filter", panel->table->name);
        td_ui_input(ui, id, panel->hint, x, y, field, high, s->order.filter, sizeof s->order.filter, false);
        x += field + pad;
    }
    if (td_tool_button(view, x, &right, y, "Copy", false))
        td_panel_copy(view, panel->id, TD_COPY_LINES);
    for (const struct td_table_button *b = panel->buttons; b && is_button(b); b++) {
        bool on = false;
        const char *label = label_of(view, panel, b, &on);
        if (label && td_tool_button(view, x, &right, y, label, on))
            press(view, panel, b);
    }
    if (panel->groups && td_tool_button(view, x, &right, y, panel->groups[s->order.group], false))
        next_group(s);
    describe_rows(view, s, text, sizeof text);
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
    return place->top + TD_TABLE_TOOLS(view);
}

/* Finds the list's column at the mouse; returns its number, or -1. */
static int find_pointed(const struct td_list_drawing *d, struct td_table_list *s)
{
    const float x = td_ui_mouse_x(d->view->ui);
    struct td_rect cell;
    const int first = s->panel->has_node ? 1 : 0;
    int c = d->count - 1;
    while (c >= 0 && !(td_list_cell(d, c, &cell) && x >= cell.left && x < cell.right))
        c--;
    s->pointed = c < first ? NULL : s->listed[c]->key;
    return c;
}

static void point_at_row(struct td_view *view, const struct td_table_list *s, uint64_t row)
{
    const struct td_query_place place = td_query_place_of(s->shown, row);
    td_view_point_at_place(view, &place);
    if (s->panel->tip)
        s->panel->tip(view, s->shown, row);
}

void td_table_panel_draw_rows(struct td_view *view, const struct td_table_panel *panel,
                              const struct td_rect *place)
{
    struct td_table_list *s = td_table_list_of(view, panel);
    struct td_list_drawing d;
    uint64_t pointed = TD_NO_ROW;
    td_table_fit_times(view, s);
    int chosen = -1, i = td_list_begin(view, &s->list, s->columns, s->column_count,
                                       s->rows.count < INT32_MAX ? (int)s->rows.count : INT32_MAX, place, &d);
    const int column = find_pointed(&d, s);
    for (; i < d.last; i++) {
        const int row = td_list_row(&d, i);
        if (row & TD_ROW_CLICKED)
            chosen = i;
        if (row & TD_ROW_HOVERED) {
            pointed = td_table_row(s, (uint64_t)i);
            point_at_row(view, s, pointed);
        }
        draw_row(&d, s, td_table_row(s, (uint64_t)i));
    }
    if (td_ui_region_hovered(view->ui) && td_ui_mouse_pressed(view->ui, TD_MOUSE_RIGHT))
        td_table_menu_open(view, s, pointed);
    td_list_end(&d);
    if (d.sorted) {
        s->order.sort = s->listed[s->list.sort];
        s->order.descending = s->list.descending;
    }
    if (chosen >= 0 && panel->has_node && column == 0)
        toggle_row(view, panel, td_table_row(s, (uint64_t)chosen));
    else if (chosen >= 0)
        td_table_choose(view, panel, (uint64_t)chosen, TD_ROW_BY_CLICK);
}

void td_table_panel_draw(struct td_view *view, const struct td_table_panel *panel,
                         const struct td_rect *place)
{
    struct td_rect rows = *place;
    td_table_panel_update(view, panel);
    rows.top = td_table_panel_draw_tools(view, panel, place);
    struct td_call_tree_choice choice;
    struct td_sampled_tree *tree = shown_tree(view, panel, &choice);
    if (tree)
        td_sampled_tree_draw(view, tree, &choice, panel->tree->make, &rows);
    else
        td_table_panel_draw_rows(view, panel, &rows);
}

bool td_table_toggle_column(struct td_view *view, const struct td_table_panel *panel, const char *title)
{
    struct td_table_list *s = td_table_list_of(view, panel);
    for (size_t i = 0; s->panel && i < s->choice.count; i++) {
        const uint32_t changed = s->left_out ^ UINT32_C(1) << i;
        if (strcasecmp(s->choice.at[i].column->title, title) != 0 ||
            (size_t)__builtin_popcount(changed) == s->choice.count) /* one is listed */
            continue;
        s->left_out = changed;
        s->column_count = 0;
        return true;
    }
    return false;
}

/* ---- keys ---- */

static bool press_button(struct td_view *view, const struct td_table_panel *panel,
                         const struct td_key_press *pressed)
{
    for (const struct td_table_button *b = panel->buttons; b && is_button(b); b++) {
        bool on;
        if (b->key && b->key == pressed->key && label_of(view, panel, b, &on)) {
            press(view, panel, b);
            return true;
        }
    }
    return false;
}

bool td_table_panel_key(struct td_view *view, const struct td_table_panel *panel,
                        const struct td_key_press *press)
{
    struct td_table_list *s = td_table_list_of(view, panel);
    bool enter;
    if (!td_panel_has_keys(view, panel->id) || !s->panel || press->alt)
        return false;
    if (!press->ctrl && !press->shift) {
        if (press_button(view, panel, press))
            return true;
        if (press->key == 'v' && panel->groups) {
            next_group(s);
            return true;
        }
        if (press->key == 'x' && panel->has_node && s->list.selected) {
            toggle_row(view, panel, td_table_selected(s));
            return true;
        }
    }
    struct td_call_tree_choice choice;
    struct td_sampled_tree *tree = shown_tree(view, panel, &choice);
    if (tree)
        return td_tree_view_key(view, &tree->view, press);
    if (!td_list_key(&s->list, press, (int)s->rows.count, &enter) || !s->list.selected)
        return false;
    td_table_choose(view, panel, (uint64_t)s->list.selected - 1, enter ? TD_ROW_BY_ENTER : TD_ROW_BY_ARROW);
    return true;
}

bool td_table_panel_is_busy(const struct td_view *view, const struct td_table_panel *panel)
{
    const struct td_sampled_tree *tree = tree_of(view, panel);
    return td_table_list_of(view, panel)->job.running || (tree && tree->job.running);
}

void td_table_list_free(struct td_table_list *s)
{
    td_job_stop(&s->job);
    td_query_free(s->made);
    td_query_free(s->shown);
    s->made = s->shown = NULL;
    td_query_order_free(&s->made_order);
    td_query_order_free(&s->rows);
    td_lane_choice_free(&s->lanes);
    s->job = (struct td_job){0};
    s->list.selected = 0;
}

void td_table_panel_free(struct td_view *view, const struct td_table_panel *panel)
{
    if (panel->tree)
        td_sampled_tree_free(tree_of(view, panel));
    td_table_list_free(td_table_list_of(view, panel));
}
