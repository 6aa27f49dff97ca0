/* Who waited for whom, and how long: sums for each pair of tracks, and the flows of a pair. */
#include "host/base/cell_text.h"
#include "host/event/map.h"
#include "host/query/flows/waits.h"
#include "host/viewer/panels/list.h"
#include "host/query/table/track_name.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30

enum pairs_column { WAITER, GIVER, WAITED, FLOWS, MEAN, LONGEST, PAIR_COLUMNS };

static const struct td_column pair_columns[PAIR_COLUMNS] = {
    [WAITER] = {.title = "Who waited", .width = 210},
    [GIVER] = {.title = "For whom"},
    [WAITED] = {.title = "Waited", .width = 100, .right = true},
    [FLOWS] = {.title = "Flows", .width = 90, .right = true},
    [MEAN] = {.title = "Mean", .width = 90, .right = true},
    [LONGEST] = {.title = "Longest", .width = 90, .right = true},
};

enum flows_column { TIME, FLOW, ONE_WAITED, AFTER, TO, FROM, FLOW_COLUMNS };

static const struct td_column flow_columns[FLOW_COLUMNS] = {
    [TIME] = {.title = "Time", .width = 120, .right = true},
    [FLOW] = {.title = "Flow", .fixed = true},
    [ONE_WAITED] = {.title = "Waited", .width = 100, .right = true},
    [AFTER] = {.title = "After sending", .width = 110, .right = true},
    [TO] = {.title = "Who waited", .width = 200, .fixed = true},
    [FROM] = {.title = "For whom", .width = 200, .fixed = true},
};

struct waits_panel {
    struct td_list pair_list, flow_list;
    struct td_job job;
    const struct td_trace *trace; /* the request of the job */
    struct td_flows flows;
    int64_t from_ns, to_ns, now_ns;
    uint64_t limits;
    struct td_waits made, shown;
    struct td_flows shown_flows; /* those of `shown` */
    uint64_t sums_version;
    struct td_wait_pair *rows; /* the pairs and, for each track, the waits that no flow explains */
    size_t row_count, row_all; /* row_all: with those of lanes that do not pass */
    uint64_t lanes_key;
    struct td_wait **each; /* the flows of the chosen pair */
    size_t each_count;
    bool inside; /* shows the flows of a pair */
    uint32_t waiter, giver;
    bool started, any;
};

static struct waits_panel *state_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_WAITS].state;
}

/* ---- the job ---- */

static void make_waits(void *self, struct td_job *job)
{
    struct waits_panel *s = self;
    const struct td_progress progress = td_job_progress_of(job);
    td_waits_free(&s->made);
    /* Without memory the list ends early. */
    td_waits_make(&s->made, s->trace, &s->flows, s->from_ns, s->to_ns, s->now_ns, &progress);
}

/* ---- rows ---- */

struct waits_order {
    const struct td_dict *dict;
    const struct td_list *list;
};

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static double mean_of(const struct td_wait_pair *pair)
{
    return pair->count ? (double)pair->waited_ns / (double)pair->count : 0;
}

static int compare_pairs_by(const struct waits_order *order, const struct td_wait_pair *x,
                            const struct td_wait_pair *y)
{
    char room[2][TD_TRACK_NAME_BYTES];
    switch (order->list->sort) {
    case WAITER:
        return strverscmp(td_track_name(order->dict, x->waiter, room[0]),
                          td_track_name(order->dict, y->waiter, room[1]));
    case GIVER:
        return strverscmp(td_track_name(order->dict, x->giver, room[0]),
                          td_track_name(order->dict, y->giver, room[1]));
    case FLOWS:
        return x->count < y->count ? -1 : x->count > y->count;
    case MEAN:
        return mean_of(x) < mean_of(y) ? -1 : mean_of(x) > mean_of(y);
    case LONGEST:
        return compare_numbers(x->longest_ns, y->longest_ns);
    default:
        return compare_numbers(x->waited_ns, y->waited_ns);
    }
}

static int compare_pairs(const void *a, const void *b, void *self)
{
    const struct waits_order *order = self;
    const struct td_wait_pair *x = a, *y = b;
    int result = compare_pairs_by(order, x, y);
    if (order->list->descending)
        result = -result;
    if (result == 0)
        result = compare_numbers(x->waiter, y->waiter);
    return result ? result : compare_numbers(x->giver, y->giver);
}

static int compare_flows(const void *a, const void *b, void *self)
{
    const struct waits_order *order = self;
    const struct td_wait *x = *(struct td_wait *const *)a, *y = *(struct td_wait *const *)b;
    int result = 0;
    if (order->list->sort == ONE_WAITED)
        result = compare_numbers(x->waited_ns, y->waited_ns);
    else if (order->list->sort == AFTER)
        result = compare_numbers(x->to->start_ns - x->sent_ns, y->to->start_ns - y->sent_ns);
    else
        result = compare_numbers(x->to->start_ns, y->to->start_ns);
    if (order->list->descending)
        result = -result;
    return result ? result : compare_numbers((int64_t)x->to->zone.index, (int64_t)y->to->zone.index);
}

static void sort_rows(const struct td_view *view, struct waits_panel *s)
{
    struct waits_order pairs = {view->model.dict, &s->pair_list}, flows = {view->model.dict, &s->flow_list};
    if (s->row_count)
        qsort_r(s->rows, s->row_count, sizeof *s->rows, compare_pairs, &pairs);
    if (s->each_count)
        qsort_r(s->each, s->each_count, sizeof *s->each, compare_flows, &flows);
}

/* The filter of lanes is about who waited. */
static void add_pair(const struct td_view *view, struct waits_panel *s, const struct td_wait_pair *pair)
{
    s->row_all++;
    if (td_lanes_passes(view, pair->waiter))
        s->rows[s->row_count++] = *pair;
}

/* The pairs, then what is left of the time that each track waited. Without memory there are none. */
static void make_rows(const struct td_view *view, struct waits_panel *s, const struct td_sums *sums)
{
    const size_t tracks = sums ? sums->tracks : 0;
    free(s->rows);
    s->row_count = s->row_all = 0;
    s->rows = calloc(s->shown.pair_count + tracks + 1, sizeof *s->rows);
    int64_t *known = calloc(tracks + 1, sizeof *known);
    for (size_t i = 0; s->rows && known && i < s->shown.pair_count; i++) {
        const struct td_wait_pair *pair = &s->shown.pairs[i];
        add_pair(view, s, pair);
        if (pair->waiter < tracks)
            known[pair->waiter] += pair->waited_ns;
    }
    for (uint32_t t = 0; s->rows && known && t < tracks; t++)
        if (sums->lane[t].wait_ns > known[t]) {
            const struct td_wait_pair rest = {
                .waiter = t, .giver = TD_NO_TRACK, .waited_ns = sums->lane[t].wait_ns - known[t]};
            add_pair(view, s, &rest);
        }
    free(known);
    sort_rows(view, s);
}

/* The list is in the order of the pairs. */
static void choose_flows(const struct td_view *view, struct waits_panel *s)
{
    const struct td_waits *w = &s->shown;
    size_t first = 0, pair = 0;
    for (; pair < w->pair_count && (w->pairs[pair].waiter != s->waiter || w->pairs[pair].giver != s->giver);
         pair++)
        first += w->pairs[pair].count;
    free(s->each);
    s->each_count = 0;
    s->each = s->inside && pair < w->pair_count ? malloc(w->pairs[pair].count * sizeof *s->each) : NULL;
    for (size_t i = 0; s->each && i < w->pairs[pair].count; i++)
        s->each[s->each_count++] = &w->list[first + i];
    sort_rows(view, s);
}

static void start_list(struct waits_panel *s)
{
    s->pair_list.sort = WAITED;
    s->pair_list.descending = s->started = true;
}

static void update_waits(struct td_view *view, struct waits_panel *s)
{
    int64_t from_ns, to_ns;
    bool fresh;
    if (!s->started)
        start_list(s);
    td_view_limits(view, &from_ns, &to_ns);
    const uint64_t limits = td_mix64(td_mix64((uint64_t)from_ns) ^ (uint64_t)to_ns);
    const bool growing = s->job.running && s->limits == limits;
    const uint64_t key = growing ? s->job.key : td_mix64(limits ^ td_mix64(view->model.flows.count + 1));
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    const struct td_sums *sums = view->model.has_waits ? td_view_sums(view) : NULL;
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_waits_free);
        td_flows_free(&s->shown_flows);
        s->shown_flows = td_flows_share(&s->flows);
        s->any = true;
        choose_flows(view, s);
    }
    if (fresh || s->sums_version != view->sums.version || s->lanes_key != td_lanes_key(view))
        make_rows(view, s, sums);
    s->lanes_key = td_lanes_key(view);
    s->sums_version = view->sums.version;
    if (state != TD_JOB_WANTED)
        return;
    td_flows_free(
        &s->flows); /* a live session replaces its flows: these stay for the job and what it makes */
    s->flows = td_flows_share(&view->model.flows);
    s->trace = view->model.trace;
    s->from_ns = from_ns;
    s->to_ns = to_ns;
    s->now_ns = view->model.last_ns;
    s->limits = limits;
    td_job_start(&s->job, key, make_waits, s);
}

/* ---- drawing ---- */

static void draw_track(struct td_list_drawing *d, int column, uint32_t track)
{
    char room[TD_TRACK_NAME_BYTES];
    const char *name = td_track_name(d->view->model.dict, track, room);
    td_list_text(d, column, track == TD_NO_TRACK ? TD_C(TEXT_FAINT) : TD_C(TEXT),
                 track == TD_NO_TRACK ? "no flow says" : name);
}

static void draw_pair(struct td_list_drawing *d, const struct td_wait_pair *pair, int64_t most_ns)
{
    char text[TD_FORMAT_BYTES];
    if (most_ns > 0)
        td_list_bar(d, WAITED, (float)((double)pair->waited_ns / (double)most_ns), 0xff5a3238);
    draw_track(d, WAITER, pair->waiter);
    draw_track(d, GIVER, pair->giver);
    td_list_text(d, WAITED, TD_C(TEXT), td_format_ns(text, (double)pair->waited_ns));
    if (!pair->count)
        return;
    td_list_text(d, FLOWS, TD_C(TEXT_DIM), td_format_count(text, pair->count));
    td_list_text(d, MEAN, TD_C(TEXT_DIM), td_format_ns(text, mean_of(pair)));
    td_list_text(d, LONGEST, TD_C(TEXT_DIM), td_format_ns(text, (double)pair->longest_ns));
}

static void draw_flow(struct td_list_drawing *d, const struct td_wait *wait)
{
    struct td_view *view = d->view;
    char text[TD_FORMAT_BYTES], room[TD_TRACK_NAME_BYTES], name[120];
    td_list_text(d, TIME, TD_C(TEXT), td_format_time(text, (double)wait->to->start_ns, 1));
    td_list_text(d, FLOW, TD_C(TEXT), td_flow_name(view->model.trace, wait->to, name, sizeof name));
    td_list_text(d, ONE_WAITED, TD_C(TEXT), td_format_ns(text, (double)wait->waited_ns));
    td_list_text(d, AFTER, TD_C(TEXT_DIM), td_format_ns(text, (double)(wait->to->start_ns - wait->sent_ns)));
    td_list_text(d, TO, TD_C(TEXT_DIM), td_track_name(view->model.dict, wait->to->zone.track, room));
    td_list_text(d, FROM, TD_C(TEXT_DIM), td_track_name(view->model.dict, wait->from->zone.track, room));
}

static void enter_pair(struct td_view *view, struct waits_panel *s, size_t row)
{
    if (s->rows[row].giver == TD_NO_TRACK)
        return;
    s->inside = true;
    s->waiter = s->rows[row].waiter;
    s->giver = s->rows[row].giver;
    s->flow_list.selected = 0;
    choose_flows(view, s);
}

static void show_flow(struct td_view *view, const struct td_wait *wait)
{
    td_view_select(view, wait->to->zone);
    td_view_show_zone(view, wait->to->zone, false);
}

static void copy_pairs(FILE *f, const struct td_view *view, const struct waits_panel *s)
{
    char room[2][TD_TRACK_NAME_BYTES];
    fprintf(f, "waiter\tgiver\tflows\twaited_ns\tlongest_ns\n");
    for (size_t i = 0; i < s->row_count; i++)
        fprintf(f, "%s\t%s\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\n",
                TD_CELL(td_track_name(view->model.dict, s->rows[i].waiter, room[0])),
                TD_CELL(td_track_name(view->model.dict, s->rows[i].giver, room[1])), s->rows[i].count,
                s->rows[i].waited_ns, s->rows[i].longest_ns);
}

static void copy_flows(FILE *f, const struct td_view *view, const struct waits_panel *s)
{
    char room[2][TD_TRACK_NAME_BYTES], name[120];
    fprintf(f, "time_ns\tflow\twaited_ns\tafter_ns\twaiter\tgiver\n");
    for (size_t i = 0; i < s->each_count; i++)
        fprintf(f, "%" PRId64 "\t%s\t%" PRId64 "\t%" PRId64 "\t%s\t%s\n", s->each[i]->to->start_ns,
                TD_CELL(td_flow_name(view->model.trace, s->each[i]->to, name, sizeof name)),
                s->each[i]->waited_ns, s->each[i]->to->start_ns - s->each[i]->sent_ns,
                TD_CELL(td_track_name(view->model.dict, s->each[i]->to->zone.track, room[0])),
                TD_CELL(td_track_name(view->model.dict, s->each[i]->from->zone.track, room[1])));
}

/* What is shown, as lines with tabs, times in ns. */
static void copy_shown(struct td_view *view, const struct waits_panel *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    (s->inside ? copy_flows : copy_pairs)(f, view, s);
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void describe(const struct td_view *view, const struct waits_panel *s, char *text, size_t bytes)
{
    char number[TD_FORMAT_BYTES], all[TD_FORMAT_BYTES], lanes[60], room[2][TD_TRACK_NAME_BYTES];
    if (!s->any)
        snprintf(text, bytes, "counting");
    else if (s->inside)
        snprintf(text, bytes, "%s waited for %s, %s times",
                 td_track_name(view->model.dict, s->waiter, room[0]),
                 td_track_name(view->model.dict, s->giver, room[1]), td_format_count(number, s->each_count));
    else if (s->row_all && s->lanes_key)
        snprintf(text, bytes, "%s of %s rows%s", td_format_count(number, s->row_count),
                 td_format_count(all, s->row_all), td_lanes_note(view, lanes, sizeof lanes));
    else if (!s->row_count)
        snprintf(text, bytes, "No zone waits, and there are no flows.");
    else
        snprintf(text, bytes, "%s flow%s; [ and ] follow the chain of the selected zone",
                 td_format_count(number, s->shown.count), s->shown.count == 1 ? "" : "s");
}

static void draw_tools(struct td_view *view, struct waits_panel *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[300];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3), x = place->left + pad;
    float text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, button = TD_U(view, 56);
    if (s->inside) {
        if (td_ui_button(ui, "Pairs", x, y, button, high))
            s->inside = false;
        x += button + pad;
    }
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    if (td_ui_button(ui, "Copy", right - button, y, button, high))
        copy_shown(view, s);
    right -= button + pad;
    describe(view, s, text, sizeof text);
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void draw_pairs(struct td_view *view, struct waits_panel *s, const struct td_rect *rows)
{
    struct td_list_drawing d;
    int chosen = -1;
    int64_t most_ns = 0;
    for (size_t i = 0; i < s->row_count; i++)
        most_ns = s->rows[i].waited_ns > most_ns ? s->rows[i].waited_ns : most_ns;
    for (int i = td_list_begin(view, &s->pair_list, pair_columns, PAIR_COLUMNS, (int)s->row_count, rows, &d);
         i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        draw_pair(&d, &s->rows[i], most_ns);
    }
    td_list_end(&d);
    if (d.sorted)
        sort_rows(view, s);
    if (chosen >= 0)
        enter_pair(view, s, (size_t)chosen);
}

static void draw_flows(struct td_view *view, struct waits_panel *s, const struct td_rect *rows)
{
    struct td_list_drawing d;
    int chosen = -1;
    for (int i = td_list_begin(view, &s->flow_list, flow_columns, FLOW_COLUMNS, (int)s->each_count, rows, &d);
         i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        draw_flow(&d, s->each[i]);
    }
    td_list_end(&d);
    if (d.sorted)
        sort_rows(view, s);
    if (chosen >= 0)
        show_flow(view, s->each[chosen]);
}

static void draw_waits(struct td_view *view, const struct td_rect *place)
{
    struct waits_panel *s = state_of(view);
    struct td_rect rows = *place;
    update_waits(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    (s->inside ? draw_flows : draw_pairs)(view, s, &rows);
}

static bool take_list_key(struct td_view *view, struct waits_panel *s, const struct td_key_press *press)
{
    bool enter;
    if (s->inside && press->key == TD_KEY_BACKSPACE) {
        s->inside = false;
        return true;
    }
    if (s->inside) {
        if (!td_list_key(&s->flow_list, press, (int)s->each_count, &enter))
            return false;
        show_flow(view, s->each[s->flow_list.selected - 1]);
        return true;
    }
    if (!td_list_key(&s->pair_list, press, (int)s->row_count, &enter))
        return false;
    if (enter)
        enter_pair(view, s, (size_t)s->pair_list.selected - 1);
    return true;
}

static bool take_waits_key(struct td_view *view, const struct td_key_press *press)
{
    struct waits_panel *s = state_of(view);
    if (press->key == '[' || press->key == ']') {
        td_view_follow_chain(view, press->key == '[');
        return true;
    }
    if (!td_panel_has_keys(view, TD_PANEL_WAITS))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_shown(view, s);
        return true;
    }
    return take_list_key(view, s, press);
}

static bool waits_are_busy(const struct td_view *view)
{
    return state_of(view)->job.running;
}

static void free_waits_panel(struct td_view *view)
{
    struct waits_panel *s = state_of(view);
    td_job_stop(&s->job);
    td_waits_free(&s->made);
    td_waits_free(&s->shown);
    td_flows_free(&s->flows);
    td_flows_free(&s->shown_flows);
    free(s->rows);
    free(s->each);
}

static const struct td_help_line waits_help[] = {
    {"Shift+W", "who waited for whom"},
    {"[ and ]", "go to the zone that was waited for, to the one that waited"},
    {0},
};

const struct td_panel td_panel_waits = {
    .name = "waits",
    .dock = TD_DOCK_BOTTOM,
    .title = "Waits",
    .keys = {{.key = 'w', .shift = true}},
    .help = waits_help,
    .state_bytes = sizeof(struct waits_panel),
    .draw = draw_waits,
    .free_state = free_waits_panel,
    .is_busy = waits_are_busy,
    .take_key = take_waits_key,
};
