/* The lanes (tracks) in the chosen range: how busy each is, what it runs, its longest zone. */
#include "host/event/map.h"
#include "host/base/grow.h"
#include "host/query/sums/lanes_table.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/table_panel.h"

#include <stdio.h>
#include <stdlib.h>

struct lanes_panel {
    struct td_table_list table;
    bool focus;
};

TD_PANEL_STATE(lanes_panel, LANES)

/* ---- rows ---- */

static uint64_t lanes_key(const struct td_view *view)
{
    return td_mix64(view->lanes.version);
}

/* By place, and others by their rows of the timeline. */
static int compare_places(const void *a, const void *b, void *self)
{
    const struct td_layout *layout = self;
    const struct td_lane_row *x = a, *y = b;
    const struct td_lane_facts *p = &x->lane.facts, *q = &y->lane.facts;
    if (p->is_core != q->is_core || !p->is_core)
        return p->is_core != q->is_core
                   ? (int)p->is_core - (int)q->is_core
                   : td_layout_track_node(layout, x->track) - td_layout_track_node(layout, y->track);
    const unsigned left[4] = {p->chip, p->y, p->x, p->core}, right[4] = {q->chip, q->y, q->x, q->core};
    for (int i = 0; i < 4; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return x->track < y->track ? -1 : x->track > y->track;
}

/* The lanes that pass. */
static bool ask_for_lanes(struct td_view *view, struct td_query_request *of)
{
    struct td_lanes_wanted *wanted = calloc(1, sizeof *wanted);
    if (!wanted || td_grow(&wanted->at, &wanted->capacity, (size_t)view->lanes.table.tracks + 1,
                           sizeof *wanted->at) < 0) {
        free(wanted);
        return false;
    }
    for (uint32_t t = 0; t < view->lanes.table.tracks; t++)
        if (td_lanes_get(view, t) && td_lanes_passes(view, t))
            wanted->at[wanted->count++] = (struct td_lane_row){t, *td_lanes_get(view, t)};
    if (wanted->count)
        qsort_r(wanted->at, wanted->count, sizeof *wanted->at, compare_places, &view->layout);
    of->with = wanted;
    return true;
}

static void describe_lanes(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                           char *text, size_t bytes)
{
    char number[2][TD_FORMAT_BYTES];
    const float progress = td_view_sums_progress(view);
    if (progress >= 0)
        snprintf(text, bytes, "counting, %.0f %%", (double)progress * 100);
    else
        snprintf(text, bytes, "%s of %s lanes", td_format_count(number[0], listed),
                 td_format_count(number[1], view->lanes.lanes));
}

/* Shares have bars of three colours; the kernel has its colour. */
static bool draw_lane_cell(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row,
                           int column, const char *key)
{
    const struct td_lane_facts *facts = &td_lane_row_at(rows, row)->lane.facts;
    if (!strcmp(key, "busy") && facts->busy > 0)
        td_list_bar(d, column, (float)facts->busy, TD_C(SHARE));
    else if (!strcmp(key, "wait") && facts->wait > 0)
        td_list_bar(d, column, (float)facts->wait, TD_C(WAIT));
    else if (!strcmp(key, "lost") && facts->lost > 0)
        td_list_bar(d, column, (float)facts->lost, TD_C(LOST));
    else if (!strcmp(key, "kernel") && *facts->kernel)
        td_list_name(d, column, td_color_of_name(facts->kernel), TD_C(TEXT_DIM), facts->kernel);
    return !strcmp(key, "kernel");
}

static void light_lane(struct td_view *view, const struct td_query_rows *rows, uint64_t row)
{
    view->lanes.lit = td_lane_row_at(rows, row)->track;
}

/* Enter, or a click on the longest zone, shows that too. */
static void choose_lane(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                        enum td_row_choice how)
{
    const char *pointed = state_of(view)->table.pointed;
    const struct td_query_place place = td_query_place_of(rows, row);
    td_lanes_go(view, td_lane_row_at(rows, row)->track);
    if (how == TD_ROW_BY_ENTER || (how == TD_ROW_BY_CLICK && pointed && !strcmp(pointed, "longest_ns")))
        td_view_show_place(view, &place, false);
}

/* ---- tools ---- */

static float draw_filter(struct td_view *view, float x, float y, float width, float height)
{
    struct lanes_panel *s = state_of(view);
    const float right = td_draw_lane_filter(view, "##lanes filter", x, y, width, height, s->focus);
    s->focus = false;
    return right;
}

/* Puts the rows of the timeline in the order of the list. */
static void order_timeline(struct td_view *view)
{
    const struct td_table_list *t = &state_of(view)->table;
    uint32_t *tracks = malloc((t->rows.count + 1) * sizeof *tracks);
    for (uint64_t i = 0; tracks && i < t->rows.count; i++)
        tracks[i] = td_lane_row_at(t->shown, t->rows.rows[i])->track;
    if (tracks)
        td_lanes_order(view, tracks, t->rows.count);
    free(tracks);
}

static void order_grid(struct td_view *view)
{
    td_lanes_order(view, NULL, 0);
}

static const char *label_of_timeline(const struct td_view *view, bool *on)
{
    return "Order the timeline";
}

static const char *label_of_grid(const struct td_view *view, bool *on)
{
    return view->lanes.rank ? "Order of the grid" : NULL;
}

static const struct td_table_button buttons[] = {
    TD_BUTTON(0, label_of_timeline, order_timeline), TD_BUTTON(0, label_of_grid, order_grid), {0}};

static const struct td_table_panel lanes = {
    .table = &td_table_lanes,
    .id = TD_PANEL_LANES,
    .columns = "lane busy wait lost zones longest_ns kernel kind place first_ns last_ns",
    .sort = "busy",
    .row = "lane",
    .buttons = buttons,
    .draw_field = draw_filter,
    .key = lanes_key,
    .ask = ask_for_lanes,
    .draw = draw_lane_cell,
    .tip = light_lane,
    .choose = choose_lane,
    .describe = describe_lanes,
};
TD_TABLE_PANEL(lanes)

/* The selected row is that of the selected lane. */
static void follow_selection(const struct td_view *view, struct td_table_list *t)
{
    const uint64_t selected = td_table_selected(t);
    if (!t->shown ||
        (selected != TD_NO_ROW && td_lane_row_at(t->shown, selected)->track == view->lanes.selected))
        return;
    uint64_t row = 0;
    while (row < t->shown->count && td_lane_row_at(t->shown, row)->track != view->lanes.selected)
        row++;
    td_table_select(t, row < t->shown->count ? row : TD_NO_ROW);
    t->list.show = false;
}

static void draw_lanes(struct td_view *view, const struct td_rect *place)
{
    td_view_sums(view);
    td_table_panel_update(view, &lanes);
    follow_selection(view, &state_of(view)->table);
    draw_table(view, place);
}

static bool take_lanes_key(struct td_view *view, const struct td_key_press *press)
{
    if (press->key == 'j') {
        td_panel_set_open(view, TD_PANEL_LANES, true);
        state_of(view)->focus = true;
        return true;
    }
    if (!td_panel_has_keys(view, TD_PANEL_LANES) || press->key != '1' ||
        td_panel_is_open(view, TD_PANEL_GROUPING))
        return take_table_key(view, press);
    (view->lanes.rank ? order_grid : order_timeline)(view);
    return true;
}

static const struct td_help_line lanes_help[] = {
    {"E", "the lanes: busy, waiting, lost, longest zone"},
    {"J", "filter the lanes"},
    {"1 in Lanes", "apply the order of the table to the timeline"},
    {0},
};

const struct td_panel td_panel_lanes = {
    .name = "lanes",
    .dock = TD_DOCK_BOTTOM,
    .title = "Lanes",
    .group = TD_GROUP_CORES,
    .page = "Which cores are slow, idle or stuck?",
    .lacks = td_lacks_zones,
    .keys = {{.key = 'e'}},
    .help = lanes_help,
    .state_bytes = sizeof(struct lanes_panel),
    .draw = draw_lanes,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_lanes_key,
};
