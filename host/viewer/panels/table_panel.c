#include "host/viewer/panels/table_panel.h"
#include "host/query/table/text_filter.h"
#include "host/query/table/value_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define ROW_COLUMN   0 /* "on" or "off": whether the timeline shows the row */

static struct td_table_list *table_list_of(const struct td_view *view, const struct td_table_panel *panel)
{
    return view->panels.slot[panel->id].state;
}

/* The column of the table that the list's column shows; NULL: it is "Row". */
static const struct td_query_column *column_at(const struct td_table_list *s, int column)
{
    return column == ROW_COLUMN ? NULL : s->choice.at[column - 1].column;
}

static bool is_number(enum td_query_type type)
{
    return type != TD_AS_TEXT && type != TD_AS_TRACK && type != TD_AS_BOOL;
}

static void begin_list(const struct td_table_panel *panel, struct td_table_list *s)
{
    s->table = panel->table;
    td_query_choose(&s->choice, panel->table, panel->columns);
    s->columns[s->column_count++] = (struct td_column){.title = "Row", .width = 46, .fixed = true};
    for (size_t c = 0; c < s->choice.count && s->column_count < TD_LIST_COLUMNS; c++) {
        const struct td_query_column *column = s->choice.at[c].column;
        if (!strcmp(column->key, panel->sort)) {
            s->list.sort = s->column_count;
            s->list.descending = is_number(column->type);
        }
        s->columns[s->column_count++] = (struct td_column){
            .title = column->title, .width = column->width, .right = is_number(column->type)};
    }
}

/* ---- rows ---- */

static void make_table(void *self, struct td_job *job)
{
    struct td_table_list *s = self;
    int rc;
    s->of.job = job;
    /* Without memory there are no rows. */
    s->made = td_query_make(s->table, &s->of, &rc);
}

/* looks_at: the columns of the filter. */
static bool row_passes(const struct td_table_panel *panel, const struct td_table_list *s,
                       const struct td_query_choice *looks_at, uint64_t row)
{
    char room[2][TD_QUERY_ROOM];
    const char *text[2] = {NULL, NULL};
    for (size_t i = 0; i < looks_at->count && i < 2; i++)
        text[i] = td_query_get(s->shown, row, looks_at->at[i].column, room[i]).text;
    return (!panel->lists || panel->lists(s->shown, row, s->group)) &&
           td_text_passes(s->filter, text[0], text[1]);
}

static void sort_list(struct td_table_list *s)
{
    if (s->shown && column_at(s, s->list.sort))
        td_query_order_sort(&s->rows, s->shown, column_at(s, s->list.sort), s->list.descending);
}

static void make_list(const struct td_table_panel *panel, struct td_table_list *s)
{
    const uint64_t selected = s->list.selected ? s->rows.rows[s->list.selected - 1] : UINT64_MAX;
    td_query_order_free(&s->rows);
    s->list.selected = 0;
    if (s->shown && td_query_order_all(&s->rows, s->shown) == 0) {
        struct td_query_choice looks_at;
        size_t passing = 0;
        td_query_choose(&looks_at, panel->table, panel->filter);
        for (uint64_t i = 0; i < s->rows.count; i++)
            if (row_passes(panel, s, &looks_at, i))
                s->rows.rows[passing++] = i;
        s->rows.count = passing;
    }
    memcpy(s->made_with, s->filter, sizeof s->made_with);
    s->made_group = s->group;
    sort_list(s);
    for (uint64_t i = 0; i < s->rows.count; i++)
        if (s->rows.rows[i] == selected)
            s->list.selected = (int)i + 1;
}

static void update_list(struct td_view *view, const struct td_table_panel *panel, struct td_table_list *s)
{
    bool fresh;
    if (!s->column_count)
        begin_list(panel, s);
    const uint64_t key = td_view_limits_key(view) + 1;
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        td_query_free(s->shown);
        s->shown = s->made;
        s->made = NULL;
    }
    if (fresh || s->group != s->made_group || strcmp(s->filter, s->made_with))
        make_list(panel, s);
    if (state != TD_JOB_WANTED)
        return;
    td_query_free(s->made);
    s->made = NULL;
    s->of = (struct td_query_request){.trace = view->model.trace, .now_ns = view->model.last_ns};
    td_view_limits(view, &s->of.from_ns, &s->of.to_ns);
    td_job_start(&s->job, key, make_table, s);
}

/* ---- the rows in the timeline ---- */

static int node_of(const struct td_view *view, const struct td_table_panel *panel, uint64_t row)
{
    return td_layout_row_node(&view->layout, panel->node, (uint32_t)row);
}

static void toggle_row(struct td_view *view, const struct td_table_panel *panel, uint64_t row)
{
    const int node = node_of(view, panel, row);
    if (node >= 0 && view->layout.nodes[node].hidden)
        td_view_show_row(view, node, 0);
    else if (node >= 0)
        td_lanes_hide(view, node);
}

static void show_row(struct td_view *view, const struct td_table_panel *panel, uint64_t row,
                     const char *column)
{
    const int node = node_of(view, panel, row);
    if (node >= 0)
        td_view_show_row(view, node, 0);
    if (panel->show)
        panel->show(view, table_list_of(view, panel)->shown, row, column);
}

/* ---- drawing ---- */

static void draw_row(struct td_list_drawing *d, const struct td_table_panel *panel,
                     const struct td_table_list *s, uint64_t row)
{
    const int node = node_of(d->view, panel, row);
    const bool hidden = node < 0 || d->view->layout.nodes[node].hidden;
    td_list_text(d, ROW_COLUMN, hidden ? TD_C(TEXT_FAINT) : TD_C(ACCENT), hidden ? "off" : "on");
    for (int c = ROW_COLUMN + 1; c < s->column_count; c++) {
        char room[2][TD_QUERY_ROOM];
        const struct td_query_column *column = column_at(s, c);
        const struct td_query_value value = td_query_get(s->shown, row, column, room[0]);
        const char *text = td_query_value_text(s->shown, column, &value, room[1]);
        const bool is_name = c == ROW_COLUMN + 1;
        const bool bright = is_name || column->type == TD_AS_DURATION || column->type == TD_AS_NUMBER;
        const td_rgba color = is_name && hidden ? TD_C(TEXT_FAINT) : bright ? TD_C(TEXT) : TD_C(TEXT_DIM);
        if (is_name && panel->color)
            td_list_name(d, c, panel->color(d->view, s->shown, row), color, text);
        else
            td_list_text(d, c, color, text);
    }
}

/* The list as lines with tabs. */
static void copy_list(struct td_view *view, const struct td_table_list *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = s->shown ? open_memstream(&text, &bytes) : NULL;
    if (!f)
        return;
    td_query_lines(f, s->shown, &s->rows);
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void next_group(const struct td_table_panel *panel, struct td_table_list *s)
{
    s->group = (s->group + 1) % panel->group_count;
}

static void draw_tools(struct td_view *view, const struct td_table_panel *panel, struct td_table_list *s,
                       const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[100], number[TD_FORMAT_BYTES], id[60];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3), x = place->left + pad;
    float text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, button = TD_U(view, 56);
    const float groups = panel->groups ? TD_U(view, 126) : 0;
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    const float field = fminf(TD_U(view, 190), fmaxf(right - x - groups, TD_U(view, 60)));
    snprintf(id, sizeof id, "##%.40s filter", panel->table->name);
    td_ui_input(ui, id, panel->hint, x, y, field, high, s->filter, sizeof s->filter, false);
    x += field + pad;
    if (groups > 0 && x + groups <= right + pad + TD_U(view, 2) &&
        td_ui_button(ui, panel->groups[s->group], x, y, groups - TD_U(view, 10), high))
        next_group(panel, s);
    x += groups;
    if (right - button >= x && td_ui_button(ui, "Copy", right - button, y, button, high))
        copy_list(view, s);
    right -= button + pad;
    if (!s->shown)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else
        snprintf(text, sizeof text, "%s %s%s", td_format_count(number, s->rows.count), panel->row,
                 s->rows.count == 1 ? "" : "s");
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

/* The list's column at the mouse. */
static int column_at_mouse(struct td_list_drawing *d, const struct td_table_list *s)
{
    const float x = td_ui_mouse_x(d->view->ui);
    struct td_rect cell;
    for (int c = s->column_count - 1; c > ROW_COLUMN; c--)
        if (td_list_cell(d, c, &cell) && x >= cell.left)
            return x < cell.right ? c : ROW_COLUMN + 1;
    return td_list_cell(d, ROW_COLUMN, &cell) && x < cell.right ? ROW_COLUMN : ROW_COLUMN + 1;
}

void td_table_panel_draw(struct td_view *view, const struct td_table_panel *panel,
                         const struct td_rect *place)
{
    struct td_table_list *s = table_list_of(view, panel);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    int chosen = -1, column = 0;
    update_list(view, panel, s);
    draw_tools(view, panel, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    for (int i = td_list_begin(view, &s->list, s->columns, s->column_count, (int)s->rows.count, &rows, &d);
         i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED) {
            chosen = i;
            column = column_at_mouse(&d, s);
        }
        draw_row(&d, panel, s, s->rows.rows[i]);
    }
    td_list_end(&d);
    if (chosen >= 0 && column == ROW_COLUMN)
        toggle_row(view, panel, s->rows.rows[chosen]);
    else if (chosen >= 0)
        show_row(view, panel, s->rows.rows[chosen], column_at(s, column)->key);
    if (d.sorted)
        sort_list(s);
}

bool td_table_panel_key(struct td_view *view, const struct td_table_panel *panel,
                        const struct td_key_press *press)
{
    struct td_table_list *s = table_list_of(view, panel);
    bool enter;
    if (!td_panel_has_keys(view, panel->id))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_list(view, s);
        return true;
    }
    if (press->key == 'v' && !press->shift && panel->groups) {
        next_group(panel, s);
        return true;
    }
    if (press->key == 'x' && !press->shift && s->list.selected) {
        toggle_row(view, panel, s->rows.rows[s->list.selected - 1]);
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->rows.count, &enter) || !s->list.selected)
        return false;
    show_row(view, panel, s->rows.rows[s->list.selected - 1], enter ? NULL : "");
    return true;
}

void td_table_panel_free(struct td_view *view, const struct td_table_panel *panel)
{
    struct td_table_list *s = table_list_of(view, panel);
    td_job_stop(&s->job);
    td_query_free(s->made);
    td_query_free(s->shown);
    td_query_order_free(&s->rows);
}
