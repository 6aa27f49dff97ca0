/* The instances of a name: all its zones, with a histogram of their lengths, groups, and a list to step through. */
#include "host/base/cell_text.h"
#include "host/viewer/panels/fact_row.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/instances.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/query/table/track_name.h"
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
#define FACTS_HEIGHT 20
#define LEAST_BODY   40
#define WIDE_PANEL   1080   /* from here on, groups and zones stand side by side */
#define LEAST_PLOT   560    /* narrower panels have no histogram */
#define COPY_MOST    200000 /* zones */

TD_PANEL_STATE(instances, INSTANCES)

const struct td_instances_job *td_instances_of_panel(struct td_view *view)
{
    return &state_of(view)->set;
}

/* ---- tools ---- */

struct instances_tools {
    struct td_view *view;
    float x, y, high, right;
};

static bool draw_switch(struct instances_tools *t, const char *id, const char *label, bool on,
                        const char *tip)
{
    return td_tool_word(t->view, &t->x, &t->right, t->y, id, label, on, tip);
}

static void step_grouping(struct instances *s, int step)
{
    s->grouping =
        (enum td_instance_by)(((int)s->grouping + TD_INSTANCE_BY_COUNT + step) % TD_INSTANCE_BY_COUNT);
    s->group = SIZE_MAX;
}

static void step_length(struct td_view *view, struct instances *s)
{
    const int kinds = td_instances_can_run(view->model.trace) ? 3 : 2;
    s->length = (enum td_length)(((int)s->length + 1) % kinds);
    s->ranged = false;
}

static void draw_lengths(struct instances_tools *t, struct instances *s)
{
    static const char *const names[] = {"Whole", "Self", "Running"};
    static const char *const tips[] = {"the time from start to end", "without the time of its children",
                                       "without the time in which its thread did not run"};
    for (int i = TD_LENGTH_WHOLE; i <= TD_LENGTH_RUNNING; i++) {
        char id[24];
        snprintf(id, sizeof id, "length %d", i);
        if (i == TD_LENGTH_RUNNING && !td_instances_can_run(t->view->model.trace))
            continue;
        if (draw_switch(t, id, names[i], (int)s->length == i, tips[i]) && (int)s->length != i) {
            s->length = (enum td_length)i;
            s->ranged = false;
        }
    }
}

static void draw_grouping(struct instances_tools *t, struct instances *s)
{
    char label[40];
    float room = TD_U(t->view, 124);
    snprintf(label, sizeof label, "%s%s", s->grouping ? "By: " : "", td_instance_by_title(s->grouping));
    if (t->x + room > t->right)
        return;
    if (td_ui_button(t->view->ui, label, t->x, t->y, room, t->high))
        step_grouping(s, td_ui_shift(t->view->ui) ? -1 : 1);
    t->x += room + TD_U(t->view, 6);
}

static void draw_plot_switches(struct instances_tools *t, struct instances_plot *p)
{
    if (draw_switch(t, "log time", "Log time", !p->linear_time, "the scale of lengths is logarithmic"))
        p->linear_time = !p->linear_time;
    if (draw_switch(t, "log counts", "Log bars", !p->linear_counts, "the height of bars is logarithmic"))
        p->linear_counts = !p->linear_counts;
    if (draw_switch(t, "times", "Time", p->times, "bars show the time of the zones, not how many there are"))
        p->times = !p->times;
    if (draw_switch(t, "cumulative", "Sum", !p->no_line, "a line for the zones that are not longer"))
        p->no_line = !p->no_line;
    char label[40];
    snprintf(label, sizeof label, "Ends: %" PRIu64, td_instances_least(p));
    if (draw_switch(t, "ends", label, p->least > 0, "zones that the first and the last bin have at least"))
        p->least = (p->least + 1) % TD_PLOT_LEASTS;
}

static void draw_tools(struct td_view *view, struct instances *s, const struct td_rect *place, bool one_list)
{
    struct td_ui *ui = view->ui;
    float pad = TD_U(view, 8), wide = place->right - place->left;
    struct instances_tools t = {.view = view,
                                .x = place->left + pad,
                                .y = place->top + TD_U(view, 3),
                                .high = TD_U(view, 23),
                                .right = place->right - pad};
    float field = fminf(TD_U(view, 190), fmaxf(wide - TD_U(view, 190), TD_U(view, 60)));
    td_ui_input(ui, "##instances name", "Name of zones, -not", t.x, t.y, field, t.high, s->field,
                sizeof s->field, false);
    t.x += field + pad;
    if (t.right - t.x > TD_U(view, 160))
        t.right = td_draw_limits(view, t.right, t.y, t.high) - pad;
    if (t.right - t.x > TD_U(view, 190)) {
        t.right -= TD_U(view, 56);
        if (td_ui_button(ui, "Copy", t.right, t.y, TD_U(view, 56), t.high))
            td_panel_copy(view, TD_PANEL_INSTANCES, TD_COPY_LINES);
        t.right -= pad;
    }
    draw_grouping(&t, s);
    if (one_list && s->grouping && draw_switch(&t, "zones first", "Zones", s->zones_first, NULL))
        s->zones_first = !s->zones_first;
    draw_lengths(&t, s);
    t.x += pad;
    draw_plot_switches(&t, &s->plot);
}

static void draw_facts(struct td_view *view, const struct instances *s, const struct td_rect *place, float y)
{
    const struct td_instances *set = &s->set.shown;
    char text[500], n[4][TD_FORMAT_BYTES], more[160] = "";
    float x = place->left + TD_U(view, 10);
    const bool busy = td_instances_busy(view);
    char lanes[60];
    const float progress = s->set.job.running     ? td_job_progress(&s->set.job)
                           : s->group_job.running ? td_job_progress(&s->group_job)
                                                  : td_job_progress(&s->list_job);
    if (s->ranged) {
        size_t low, high;
        td_instances_ranks(s, &low, &high);
        snprintf(more, sizeof more, "   chosen: %s .. %s, %s zones, %s",
                 td_format_ns(n[0], (double)s->from_ns), td_format_ns(n[1], (double)s->to_ns),
                 td_format_count(n[2], high - low),
                 td_format_ns(n[3], (double)(td_instances_sum(set, high) - td_instances_sum(set, low))));
    }
    if (busy)
        snprintf(more + strlen(more), sizeof more - strlen(more), "   computing, %.0f %%",
                 (double)progress * 100);
    if (!s->name)
        snprintf(text, sizeof text, "Select a zone, search, or type a name to see all zones of that name.");
    else if (!s->set.shown_as.name)
        snprintf(text, sizeof text, "%.100s%s", s->name, more);
    else if (!set->count)
        snprintf(text, sizeof text, "%.100s: no zone that has ended lies in the range%s%s",
                 s->set.shown_as.name, td_lanes_note(view, lanes, sizeof lanes), more);
    else
        snprintf(text, sizeof text, "%.100s: %s zones%s%s", s->set.shown_as.name,
                 td_format_count(n[0], set->count), td_lanes_note(view, lanes, sizeof lanes), more);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, x, y, place->right - x - TD_U(view, 8), TD_C(TEXT_DIM), text);
}

/* Returns the height. */
static float draw_values(struct td_view *view, const struct instances *s, const struct td_rect *place,
                         float y)
{
    const struct td_instances *set = &s->set.shown;
    struct td_named_value v[] = {{.name = "total"}, {.name = "mean"}, {.name = "sigma"}, {.name = "median"},
                                 {.name = "mode"},  {.name = "p90"},  {.name = "p99"},   {.name = "max"}};
    enum { TOTAL, MEAN, SIGMA, MEDIAN, MODE, P90, P99, MOST, VALUES };
    if (!s->set.shown_as.name || !set->count)
        return 0;
    td_format_ns(v[TOTAL].value, (double)set->total_ns);
    td_format_ns(v[MEAN].value, (double)set->total_ns / (double)set->count);
    td_format_ns(v[SIGMA].value, set->deviation_ns);
    td_format_ns(v[MEDIAN].value, (double)td_instances_percentile(set, .5));
    if (td_instances_mode(s) >= 0)
        td_format_ns(v[MODE].value, td_instances_mode(s));
    td_format_ns(v[P90].value, (double)td_instances_percentile(set, .9));
    td_format_ns(v[P99].value, (double)td_instances_percentile(set, .99));
    td_format_ns(v[MOST].value, (double)td_instances_length(set, set->count - 1));
    td_fact_row(view, place->left + TD_U(view, 10), y, place->right - TD_U(view, 8), v, VALUES);
    return TD_U(view, TD_FACT_ROW_HEIGHT);
}

/* ---- lists ---- */

/* How the lengths of a group are spread, mirrored at the middle of the row: its widest cell is `high` wide. */
static void draw_shape(struct td_view *view, const struct instances *s, size_t group,
                       const struct td_rect *cell, float middle, float high)
{
    const struct td_bins *bins = &s->plot.bins;
    const uint32_t *shape = s->groups.shape[group];
    uint32_t most = 0;
    for (int i = 0; i < TD_SHAPE_CELLS; i++)
        most = shape[i] > most ? shape[i] : most;
    for (int i = 0; i < TD_SHAPE_CELLS; i++) {
        if (!shape[i])
            continue;
        const double from = td_bins_place(bins, (double)s->groups.shape_edge[i]),
                     to = td_bins_place(bins, (double)s->groups.shape_edge[i + 1]);
        const float wide = cell->right - cell->left, left = cell->left + wide * (float)fmax(from, 0),
                    half = fmaxf(high * sqrtf((float)shape[i] / (float)most), .5f);
        td_ui_rect(view->ui, left, middle - half, fmaxf(cell->left + wide * (float)fmin(to, 1), left + 1),
                   middle + half, td_color_mix(TD_C(PANEL), TD_C(DENSITY), .7f), 0);
    }
}

/* A box from the lower to the upper quartile, with the median in it and lines to the least length and the 99th
 * percentile, on the scale of the histogram, over the shape of the group. */
static void draw_box(struct td_list_drawing *d, const struct instances *s, const struct td_instance_group *g,
                     int column)
{
    struct td_rect cell;
    const struct td_bins *bins = &s->plot.bins;
    if (!td_list_cell(d, column, &cell) || !bins->count)
        return;
    const int64_t lengths[] = {g->min_ns, g->low_ns, g->median_ns, g->high_ns, g->p99_ns};
    float x[5], middle = floorf((cell.top + cell.bottom) / 2), high = TD_U(d->view, s->groups.shape ? 2 : 5);
    if (s->groups.shape)
        draw_shape(d->view, s, (size_t)(g - s->groups.group), &cell, middle, TD_U(d->view, 9));
    for (int i = 0; i < 5; i++) {
        double part = fmin(fmax(td_bins_place(bins, (double)lengths[i]), 0), 1);
        x[i] = floorf(cell.left + (cell.right - cell.left) * (float)part);
    }
    struct td_ui *ui = d->view->ui;
    td_ui_rect(ui, x[0], middle, fmaxf(x[4], x[0] + 1), middle + 1, TD_C(TEXT_DIM), 0);
    td_ui_rect(ui, x[0], middle - high / 2, x[0] + 1, middle + high / 2, TD_C(TEXT_DIM), 0);
    td_ui_rect(ui, x[4], middle - high / 2, x[4] + 1, middle + high / 2, TD_C(TEXT_DIM), 0);
    td_ui_rect(ui, x[1], middle - high, fmaxf(x[3], x[1] + 2), middle + high,
               s->groups.shape ? TD_C(TEXT_DIM) : TD_C(DENSITY), 0);
    high = TD_U(d->view, 5);
    td_ui_rect(ui, x[2], middle - high, x[2] + TD_U(d->view, 1.5f), middle + high, TD_C(SELECTED), 0);
}

static const struct td_instance_groups *groups_of(const struct td_query_rows *rows)
{
    return &((const struct td_instance_groups_wanted *)rows->of.with)->groups;
}

static uint64_t groups_key(const struct td_view *view)
{
    return state_of(view)->groups_version;
}

/* A copy of the groups: the panel's may change while the list is sorted. */
static bool ask_for_groups(struct td_view *view, struct td_query_request *of)
{
    const struct instances *s = state_of(view);
    const size_t bytes = s->groups.count * sizeof *s->groups.group;
    struct td_instance_groups_wanted *wanted = calloc(1, sizeof *wanted);
    struct td_instance_group *copy = malloc(bytes + 1);
    if (!wanted || !copy) {
        free(wanted);
        free(copy);
        return false;
    }
    if (bytes)
        memcpy(copy, s->groups.group, bytes);
    wanted->groups = (struct td_instance_groups){
        .grouping = s->groups.grouping, .group = copy, .count = s->groups.count, .joined = s->groups.joined};
    wanted->all_ns = s->set.shown.total_ns;
    of->with = wanted;
    return true;
}

/* Groups that have zones in the range. */
static bool lists_group(const struct td_query_rows *rows, uint64_t row, int group)
{
    return groups_of(rows)->group[row].count != 0;
}

static bool draw_group_cell(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row,
                            int column, const char *key)
{
    const struct instances *s = state_of(d->view);
    if (strcmp(key, "spread"))
        return false;
    if (s->group_list.shown_key == s->group_list.made_key && row < s->groups.count)
        draw_box(d, s, &s->groups.group[row], column);
    return true;
}

static void tell_group(struct td_view *view, const struct td_query_rows *rows, uint64_t row)
{
    const struct td_instance_group *g = &groups_of(rows)->group[row];
    char label[100], n[6][TD_FORMAT_BYTES];
    td_instance_group_label(groups_of(rows), view->model.trace, g, label, sizeof label);
    td_tip(view, label, "min\t%s\nlower quartile\t%s\nmedian\t%s\nupper quartile\t%s\np99\t%s\nmax\t%s\n",
           td_format_ns(n[0], (double)g->min_ns), td_format_ns(n[1], (double)g->low_ns),
           td_format_ns(n[2], (double)g->median_ns), td_format_ns(n[3], (double)g->high_ns),
           td_format_ns(n[4], (double)g->p99_ns), td_format_ns(n[5], (double)g->max_ns));
}

static void choose_group(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                         enum td_row_choice how)
{
    struct instances *s = state_of(view);
    s->group = s->group == row && how == TD_ROW_BY_CLICK ? SIZE_MAX : row;
    if (s->group == SIZE_MAX)
        s->group_list.list.selected = 0;
    s->zone_list.list.selected = 0;
}

static const struct td_table_panel group_list = {
    .table = &td_table_instance_groups,
    .id = TD_PANEL_INSTANCES,
    .at = offsetof(struct instances, group_list),
    .columns = "group spread count total_ns share mean_ns median_ns p99_ns max_ns first_ns",
    .sort = "total_ns",
    .row = "group",
    .bar = "share",
    .whole = true,
    .key = groups_key,
    .ask = ask_for_groups,
    .lists = lists_group,
    .draw = draw_group_cell,
    .tip = tell_group,
    .choose = choose_group,
};

static uint64_t zones_key(const struct td_view *view)
{
    return state_of(view)->list_version;
}

static bool ask_for_zones(struct td_view *view, struct td_query_request *of)
{
    struct instances *s = state_of(view);
    s->zones = (struct td_instance_zones_wanted){&s->set.shown, &s->list};
    of->with = &s->zones;
    return true;
}

static void choose_zone(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                        enum td_row_choice how)
{
    const struct td_zone_ref zone = td_instance_zone_at(rows, row);
    state_of(view)->selected = zone; /* not a choice of another name */
    if (how == TD_ROW_BY_ENTER) {
        td_view_show_zone(view, zone, true);
        return;
    }
    td_view_select(view, zone);
    td_view_follow_zone(view, zone);
}

static const struct td_table_panel zone_list = {
    .table = &td_table_instance_zones,
    .id = TD_PANEL_INSTANCES,
    .at = offsetof(struct instances, zone_list),
    .columns = "start_ns length_ns track name text",
    .sort = "length_ns",
    .name = "length_ns",
    .sorts = "start_ns length_ns track name",
    .most_copied = COPY_MOST,
    .row = "zone",
    .whole = true,
    .key = zones_key,
    .ask = ask_for_zones,
    .choose = choose_zone,
};

/* Brings the lists up to date, and the selected row of zones with them. */
static void update_lists(struct td_view *view, struct instances *s, bool follows)
{
    const uint64_t shown = s->zone_list.shown_key;
    const bool backwards = s->zone_list.rows.backwards;
    td_table_panel_update(view, &group_list);
    td_table_panel_update(view, &zone_list);
    if (td_table_selected(&s->group_list) != s->group && !s->group_list.job.running)
        td_table_select(&s->group_list, s->group == SIZE_MAX ? TD_NO_ROW : s->group);
    if (follows || shown != s->zone_list.shown_key || backwards != s->zone_list.rows.backwards)
        td_instances_follow_selection(view, s);
}

static void draw_lists(struct td_view *view, struct instances *s, const struct td_rect *place, bool one)
{
    struct td_rect groups = *place, zones = *place;
    if (s->grouping && !one) {
        groups.right = roundf(place->left + (place->right - place->left) * .54f);
        zones.left = groups.right + TD_U(view, 6);
    }
    if (s->grouping && (!one || !s->zones_first))
        td_table_panel_draw_rows(view, &group_list, &groups);
    if (!s->grouping || !one || s->zones_first)
        td_table_panel_draw_rows(view, &zone_list, &zones);
}

static void draw_instances(struct td_view *view, const struct td_rect *place)
{
    struct instances *s = state_of(view);
    float wide = place->right - place->left;
    const bool one = wide < TD_U(view, WIDE_PANEL);
    if (!s->started) {
        s->started = true;
        s->grouping = TD_INSTANCE_BY_TRACK;
        s->group = SIZE_MAX;
        s->selected = TD_NO_ZONE;
    }
    struct td_zone_ref before = s->selected;
    td_instances_choose_name(view, s);
    td_instances_run_jobs(view, s);
    update_lists(view, s, !td_ref_equal(before, s->selected));
    draw_tools(view, s, place, one);
    struct td_rect body = *place;
    body.top += TD_U(view, TOOLS_HEIGHT);
    draw_facts(view, s, place, body.top);
    body.top += TD_U(view, FACTS_HEIGHT);
    if (body.bottom - body.top > TD_U(view, LEAST_BODY + TD_FACT_ROW_HEIGHT))
        body.top += draw_values(view, s, place, body.top);
    if (!td_instances_shown(s) || body.bottom - body.top < TD_U(view, LEAST_BODY))
        return;
    struct td_rect plot = body;
    if (wide >= TD_U(view, LEAST_PLOT)) {
        plot.right = roundf(body.left + wide * (one ? .45f : .36f));
        body.left = plot.right;
        td_instances_draw_plot(view, s, &plot);
    }
    draw_lists(view, s, &body, one);
}

/* ---- keys ---- */

static char *copy_zones(struct td_view *view, enum td_copy_form form)
{
    return td_instances_shown(state_of(view)) ? td_table_panel_copy(view, &zone_list, form) : NULL;
}

static bool take_list_key(struct td_view *view, struct instances *s, const struct td_key_press *press)
{
    struct td_list list = s->group_list.list;
    bool enter;
    if (!td_instances_shown(s))
        return false;
    if (!press->shift || press->ctrl || !s->group_list.rows.count)
        return td_table_panel_key(view, &zone_list, press);
    if (!td_list_key(&list, press, (int)s->group_list.rows.count, &enter) || enter)
        return false;
    td_table_choose(view, &group_list, (uint64_t)list.selected - 1, TD_ROW_BY_ARROW);
    s->group_list.list.show = true;
    return true;
}

static bool take_instances_key(struct td_view *view, const struct td_key_press *press)
{
    struct instances *s = state_of(view);
    if (!td_panel_has_keys(view, TD_PANEL_INSTANCES))
        return false;
    if (press->ctrl || press->alt)
        return false;
    switch (press->key) {
    case '1':
        s->plot.linear_time = !s->plot.linear_time;
        return true;
    case '2':
        s->plot.linear_counts = !s->plot.linear_counts;
        return true;
    case '3':
        s->plot.times = !s->plot.times;
        return true;
    case '4':
        s->plot.no_line = !s->plot.no_line;
        return true;
    case '5':
        step_length(view, s);
        return true;
    case '6':
        step_grouping(s, press->shift ? -1 : 1);
        return true;
    case '7':
        s->zones_first = !s->zones_first;
        return true;
    case '8':
        s->plot.least = (s->plot.least + 1) % TD_PLOT_LEASTS;
        return true;
    case '0':
        s->ranged = false;
        s->group = SIZE_MAX;
        return true;
    default:
        return take_list_key(view, s, press);
    }
}

static void free_instances(struct td_view *view)
{
    struct instances *s = state_of(view);
    td_instances_stop_jobs(s);
    td_table_list_free(&s->group_list);
    td_table_list_free(&s->zone_list);
    td_instances_job_free(&s->set);
    td_instance_groups_free(&s->groups_made);
    td_instance_groups_free(&s->groups);
    td_instance_list_free(&s->list_made);
    td_instance_list_free(&s->list);
    td_instances_free_plot(s);
}

static bool toggle_column(struct td_view *view, const char *title)
{
    return td_table_toggle_column(view, &zone_list, title) ||
           td_table_toggle_column(view, &group_list, title);
}

static const struct td_help_line instances_help[] = {
    {"I", "all zones of the name of the selected zone, with a histogram"},
    {"arrows, Enter in it", "step through the zones, zoom to one"},
    {"Shift+arrows in it", "choose a group of them"},
    {"1, 2, 3, 4 in it", "logarithmic time and bars, time instead of counts, sum line"},
    {"5, 6, 7 in it", "whole or self time, groups by what, zones or groups"},
    {"8 in it", "leave out rare lengths at both ends of the histogram"},
    {"0 in it, right click", "all lengths and groups"},
    {0},
};

const struct td_panel td_panel_instances = {
    .name = "instances",
    .dock = TD_DOCK_BOTTOM,
    .title = "Instances",
    .group = TD_GROUP_ZONES,
    .page = "How long do the zones of a name take, and which are slow?",
    .lacks = td_lacks_zones,
    .keys = {{.key = 'i'}},
    .help = instances_help,
    .state_bytes = sizeof(struct instances),
    .draw = draw_instances,
    .free_state = free_instances,
    .is_busy = td_instances_busy,
    .copy = copy_zones,
    .toggle_column = toggle_column,
    .take_key = take_instances_key,
};
