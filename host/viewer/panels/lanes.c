/* The lanes (tracks) in the chosen range: how busy each is, what it runs, its longest zone. */
#include "host/base/cell_text.h"
#include "host/event/map.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30

enum lanes_column { NAME, BUSY, WAIT, LOST, ZONES, LONGEST, KERNEL, KIND, PLACE, FIRST, LAST, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [NAME] = {.title = "Lane"},
    [BUSY] = {.title = "Busy", .width = 84, .right = true},
    [WAIT] = {.title = "Wait", .width = 84, .right = true},
    [LOST] = {.title = "Lost, stalled", .width = 92, .right = true},
    [ZONES] = {.title = "Zones", .width = 88, .right = true},
    [LONGEST] = {.title = "Longest zone", .width = 104, .right = true},
    [KERNEL] = {.title = "Kernel", .width = 170},
    [KIND] = {.title = "Kind", .width = 80},
    [PLACE] = {.title = "Place", .width = 118},
    [FIRST] = {.title = "First start", .width = 104, .right = true},
    [LAST] = {.title = "Last end", .width = 104, .right = true},
};

/* A lane while rows are sorted. */
struct lanes_row {
    uint32_t track;
    int node; /* of the timeline */
};

struct lanes_list {
    uint32_t *track;
    size_t count;
};

struct lanes_panel {
    struct td_list list;
    struct lanes_list shown;
    bool started, focus;
    struct td_job job;
    /* The request of the job. */
    struct td_range_sums *sums;
    const struct td_lane_table *table;
    struct lanes_row *sorted;
    int sort;
    bool descending;
    struct lanes_list made;
};

static struct lanes_panel *state_of(struct td_view *view)
{
    return td_panel_state(view, TD_PANEL_LANES);
}

/* ---- rows ---- */

static double number_of(const struct td_lane *lane, int column)
{
    switch (column) {
    case BUSY:
        return lane->facts.busy;
    case WAIT:
        return lane->facts.wait;
    case LOST:
        return lane->facts.lost;
    case ZONES:
        return lane->facts.zones;
    case LONGEST:
        return lane->facts.longest_ns;
    case FIRST:
        return (double)lane->sum.first_ns;
    default:
        return (double)lane->sum.last_ns;
    }
}

static int compare_places(const struct lanes_panel *s, const struct lanes_row *x, const struct lanes_row *y)
{
    const struct td_lane_facts *p = &s->table->lane[x->track].facts, *q = &s->table->lane[y->track].facts;
    if (p->is_core != q->is_core || !p->is_core)
        return p->is_core != q->is_core ? (int)p->is_core - (int)q->is_core : x->node - y->node;
    const unsigned left[4] = {p->chip, p->y, p->x, p->core}, right[4] = {q->chip, q->y, q->x, q->core};
    for (int i = 0; i < 4; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct lanes_panel *s = self;
    const struct lanes_row *x = a, *y = b;
    const struct td_lane *p = &s->table->lane[x->track], *q = &s->table->lane[y->track];
    int column = s->sort, result = 0;
    if (column == KIND)
        result = strcmp(p->facts.kind, q->facts.kind);
    else if (column == KERNEL)
        result = strcmp(p->facts.kernel, q->facts.kernel);
    else if (column != NAME && column != PLACE)
        result =
            number_of(p, column) < number_of(q, column) ? -1 : number_of(p, column) > number_of(q, column);
    else
        result = compare_places(s, x, y);
    if (s->descending)
        result = -result;
    if (!result)
        result = compare_places(s, x, y);
    return result ? result : x->track < y->track ? -1 : x->track > y->track;
}

/* The selected row stays that of the selected lane. */
static void follow_selection(const struct td_view *view, struct lanes_panel *s)
{
    s->list.selected = 0;
    for (size_t i = 0; i < s->shown.count; i++)
        if (s->shown.track[i] == view->lanes.selected)
            s->list.selected = (int)i + 1;
}

static void sort_rows(void *self, struct td_job *job)
{
    struct lanes_panel *s = self;
    (void)job;
    if (s->made.count)
        qsort_r(s->sorted, s->made.count, sizeof *s->sorted, compare_rows, s);
    for (size_t i = 0; i < s->made.count; i++)
        s->made.track[i] = s->sorted[i].track;
    td_range_sums_release(s->sums);
}

static void free_lanes_list(struct lanes_list *list)
{
    free(list->track);
    *list = (struct lanes_list){0};
}

/* The lanes that pass, in the order of tracks; false: no memory. */
static bool list_rows(const struct td_view *view, struct lanes_panel *s)
{
    free_lanes_list(&s->made);
    free(s->sorted);
    s->sorted = malloc(((size_t)view->lanes.table.tracks + 1) * sizeof *s->sorted);
    s->made.track = malloc(((size_t)view->lanes.table.tracks + 1) * sizeof *s->made.track);
    if (!s->sorted || !s->made.track)
        return false;
    for (uint32_t t = 0; t < view->lanes.table.tracks; t++)
        if (td_lanes_get(view, t) && td_lanes_passes(view, t))
            s->sorted[s->made.count++] = (struct lanes_row){t, td_layout_track_node(&view->layout, t)};
    return true;
}

static void take_rows(const struct td_view *view, struct lanes_panel *s)
{
    TD_JOB_TAKE(&s->shown, &s->made, free_lanes_list);
    follow_selection(view, s);
}

static void update_rows(struct td_view *view, struct lanes_panel *s)
{
    bool fresh;
    const uint64_t key = td_mix64(view->lanes.version) * 64 + (uint64_t)s->list.sort * 2 + s->list.descending;
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh)
        take_rows(view, s);
    if (state != TD_JOB_WANTED || !list_rows(view, s))
        return;
    s->sums = &view->sums;
    s->table = &view->lanes.table;
    s->sort = s->list.sort;
    s->descending = s->list.descending;
    td_view_hold_sums(view);
    td_job_start(&s->job, key, sort_rows, s);
}

/* ---- drawing ---- */

static const char *place_of(const struct td_lane *lane, char *text, size_t bytes)
{
    const struct td_lane_facts *f = &lane->facts;
    if (f->is_core)
        snprintf(text, bytes, "chip %u > %u,%u", f->chip, f->x, f->y);
    else
        snprintf(text, bytes, "host");
    return text;
}

static void draw_share(struct td_list_drawing *d, int column, double share, td_rgba bar)
{
    char text[TD_FORMAT_BYTES];
    if (share > 0)
        td_list_bar(d, column, (float)share, bar);
    snprintf(text, sizeof text, "%.1f %%", share * 100);
    td_list_text(d, column, share > 0 ? TD_C(TEXT) : TD_C(TEXT_FAINT), text);
}

/* Draws the longest zone as a link; true: it was clicked. */
static bool draw_longest(struct td_list_drawing *d, const struct td_lane *lane, int flags)
{
    struct td_rect cell;
    char text[TD_FORMAT_BYTES];
    if (!td_list_cell(d, LONGEST, &cell) || !td_ref_valid(lane->sum.longest))
        return false;
    float x = td_ui_mouse_x(d->view->ui);
    bool over = flags & TD_ROW_HOVERED && x >= cell.left && x < cell.right;
    td_list_text(d, LONGEST, over ? TD_C(TEXT) : TD_C(ACCENT), td_format_ns(text, lane->facts.longest_ns));
    return over && flags & TD_ROW_CLICKED;
}

/* Returns what was clicked: 1: the lane, 2: its longest zone. */
static int draw_row(struct td_list_drawing *d, uint32_t track)
{
    struct td_view *view = d->view;
    const struct td_lane *lane = td_lanes_get(view, track);
    char text[TD_LANE_NAME_BYTES], number[TD_FORMAT_BYTES];
    int flags = td_list_row(d, d->row);
    if (flags & TD_ROW_HOVERED)
        view->lanes.lit = track;
    td_list_text(d, NAME, TD_C(TEXT), td_lanes_name(view, track, text));
    draw_share(d, BUSY, lane->facts.busy, 0xff31495a);
    draw_share(d, WAIT, lane->facts.wait, 0xff54302f);
    draw_share(d, LOST, lane->facts.lost, 0xff5e2440);
    td_list_text(d, ZONES, TD_C(TEXT), td_format_count(number, lane->sum.zones));
    bool longest = draw_longest(d, lane, flags);
    if (*lane->facts.kernel)
        td_list_name(d, KERNEL, td_color_of_name(lane->facts.kernel), TD_C(TEXT_DIM), lane->facts.kernel);
    td_list_text(d, KIND, TD_C(TEXT_DIM), lane->facts.kind);
    td_list_text(d, PLACE, TD_C(TEXT_DIM), place_of(lane, text, sizeof text));
    if (lane->sum.zones) {
        double resolution = (double)(view->model.last_ns - view->model.first_ns) / 1e5;
        td_list_text(d, FIRST, TD_C(TEXT_DIM),
                     td_format_time(number, (double)lane->sum.first_ns, resolution));
        td_list_text(d, LAST, TD_C(TEXT_DIM), td_format_time(number, (double)lane->sum.last_ns, resolution));
    }
    return longest ? 2 : flags & TD_ROW_CLICKED ? 1 : 0;
}

/* The rows as tab separated lines; shares in percent, times in ns. */
static void copy_table(struct td_view *view, const struct lanes_panel *s)
{
    char *text = NULL, name[TD_LANE_NAME_BYTES], place[64];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "lane\tkind\tplace\tkernel\tbusy\twait\tlost\tzones\tlongest_ns\tfirst_ns\tlast_ns\n");
    for (size_t i = 0; i < s->shown.count; i++) {
        const struct td_lane *l = td_lanes_get(view, s->shown.track[i]);
        fprintf(f, "%s\t%s\t%s\t%s\t%.3f\t%.3f\t%.3f\t%" PRIu64 "\t%.0f\t%" PRId64 "\t%" PRId64 "\n",
                TD_CELL(td_lanes_name(view, s->shown.track[i], name)), l->facts.kind,
                place_of(l, place, sizeof place), TD_CELL(l->facts.kernel), l->facts.busy * 100,
                l->facts.wait * 100, l->facts.lost * 100, l->sum.zones, l->facts.longest_ns,
                l->sum.zones ? l->sum.first_ns : 0, l->sum.zones ? l->sum.last_ns : 0);
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

/* A button at `right`, which moves left; false: there is no room, or it was not clicked. */
static bool draw_tool(struct td_view *view, float *right, float limit, float y, float high, const char *label)
{
    float wide = td_ui_text_width(view->ui, TD_FONT_TEXT, label) + TD_U(view, 20);
    if (*right - wide < limit)
        return false;
    *right -= wide;
    bool clicked = td_ui_button(view->ui, label, *right, y, wide, high);
    *right -= TD_U(view, 8);
    return clicked;
}

static void draw_tools(struct td_view *view, struct lanes_panel *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[160], number[2][TD_FORMAT_BYTES];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float x = place->left + pad, text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    float room = right - x;
    float field = room * .42f < TD_U(view, 320) ? room * .42f : TD_U(view, 320);
    x = td_draw_lane_filter(view, "##lanes filter", x, y, field, high, s->focus) + pad;
    s->focus = false;
    if (draw_tool(view, &right, x, y, high, "Copy"))
        copy_table(view, s);
    if (draw_tool(view, &right, x, y, high, "Order the timeline"))
        td_lanes_order(view, s->shown.track, s->shown.count);
    if (view->lanes.rank && draw_tool(view, &right, x, y, high, "Order of the grid"))
        td_lanes_order(view, NULL, 0);
    float progress = td_view_sums_progress(view);
    if (progress >= 0)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)progress * 100);
    else
        snprintf(text, sizeof text, "%s of %s lanes", td_format_count(number[0], s->shown.count),
                 td_format_count(number[1], view->lanes.lanes));
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void choose(struct td_view *view, uint32_t track, bool longest)
{
    const struct td_lane *lane = td_lanes_get(view, track);
    td_lanes_go(view, track);
    if (longest && lane && td_ref_valid(lane->sum.longest)) {
        td_view_select(view, lane->sum.longest);
        td_view_show_zone(view, lane->sum.longest, false);
    }
}

static void draw_lanes(struct td_view *view, const struct td_rect *place)
{
    struct lanes_panel *s = state_of(view);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    uint32_t chosen = TD_NO_LANE;
    int what = 0;
    td_view_sums(view);
    if (!s->started) {
        s->list.sort = BUSY;
        s->list.descending = s->started = true;
    }
    update_rows(view, s);
    if (s->list.selected && s->shown.track[s->list.selected - 1] != view->lanes.selected)
        follow_selection(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->shown.count, &rows, &d); i < d.last;
         i++) {
        d.row = i;
        int clicked = draw_row(&d, s->shown.track[i]);
        if (clicked) {
            chosen = s->shown.track[i];
            what = clicked;
        }
    }
    td_list_end(&d);
    if (what)
        choose(view, chosen, what == 2);
}

static bool take_lanes_key(struct td_view *view, const struct td_key_press *press)
{
    struct lanes_panel *s = state_of(view);
    bool enter;
    if (press->key == 'j') {
        td_panel_set_open(view, TD_PANEL_LANES, true);
        s->focus = true;
        return true;
    }
    if (!td_panel_has_keys(view, TD_PANEL_LANES))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_table(view, s);
        return true;
    }
    if (press->key == '1' && !td_panel_is_open(view, TD_PANEL_GROUPING)) {
        td_lanes_order(view, view->lanes.rank ? NULL : s->shown.track, view->lanes.rank ? 0 : s->shown.count);
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->shown.count, &enter))
        return false;
    choose(view, s->shown.track[s->list.selected - 1], enter);
    return true;
}

static void free_lanes(struct td_view *view)
{
    struct lanes_panel *s = state_of(view);
    td_job_stop(&s->job);
    free_lanes_list(&s->shown);
    free_lanes_list(&s->made);
    free(s->sorted);
}

static bool lanes_are_busy(const struct td_view *view)
{
    const struct lanes_panel *s = view->panels.slot[TD_PANEL_LANES].state;
    return s->job.running;
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
    .keys = {{'e', false}},
    .help = lanes_help,
    .state_bytes = sizeof(struct lanes_panel),
    .draw = draw_lanes,
    .free_state = free_lanes,
    .is_busy = lanes_are_busy,
    .take_key = take_lanes_key,
};
