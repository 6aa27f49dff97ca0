/* Who waited for whom, and how long: sums for each pair of tracks, and the flows of a pair. */
#include "host/event/map.h"
#include "host/query/flows/critical_table.h"
#include "host/query/flows/waits_table.h"
#include "host/query/table/track_name.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/panels/waits.h"
#include "host/viewer/timeline/critical.h"
#include "host/viewer/timeline/navigate.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum waits_page { FLOWS, WAKEUPS, PATH };

struct waits_panel {
    struct td_table_list pairs, flows, wakeups, path;
    int page;    /* enum waits_page */
    bool opened; /* a page was chosen */
    int inside;  /* shows the flows of a pair */
    uint32_t waiter, giver;
};

TD_PANEL_STATE(waits_panel, WAITS)

/* ---- pairs ---- */

/* A live session replaces its flows often: then they are counted when the limits say so. */
static uint64_t waits_key(const struct td_view *view)
{
    return td_mix64(view->sums.version) + (view->model.live ? 0 : view->model.flows.count);
}

static bool ask_for_pairs(struct td_view *view, struct td_query_request *of)
{
    const struct td_sums *sums = view->model.has_waits ? td_view_sums(view) : NULL;
    struct td_waits_wanted *wanted = td_waits_want(&view->model.flows);
    of->with = wanted;
    if (wanted && sums)
        td_waits_want_rest(wanted, sums);
    return wanted != NULL;
}

static void enter_pair(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                       enum td_row_choice how)
{
    struct waits_panel *s = state_of(view);
    const struct td_wait_pair pair = td_waits_pair(rows, row);
    if (how == TD_ROW_BY_ARROW || pair.giver == TD_NO_TRACK)
        return;
    s->inside = 1;
    s->waiter = pair.waiter;
    s->giver = pair.giver;
    td_table_select(&s->flows, TD_NO_ROW);
}

static void describe_pairs(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                           char *text, size_t bytes)
{
    char number[TD_FORMAT_BYTES], all[TD_FORMAT_BYTES], lanes[60];
    const size_t flows = td_waits_of(rows)->count;
    if (td_lanes_key(view))
        snprintf(text, bytes, "%s of %s rows%s", td_format_count(number, listed),
                 td_format_count(all, rows->count), td_lanes_note(view, lanes, sizeof lanes));
    else
        snprintf(text, bytes, "%s flow%s; [ and ] follow the chain of the selected zone",
                 td_format_count(number, flows), flows == 1 ? "" : "s");
}

static const char *const page_names[] = {"Flows", "Wakeups", "Critical path"};
static const struct td_table_button pages[] = {TD_STEP_BUTTON('y', struct waits_panel, page, page_names),
                                               {0}};

static const struct td_table_panel pairs = {
    .table = &td_table_waits,
    .id = TD_PANEL_WAITS,
    .at = offsetof(struct waits_panel, pairs),
    .columns = "waiter giver waited_ns flows mean_ns longest_ns",
    .sort = "waited_ns",
    .filter = "waiter giver",
    .hint = "Filter: track, -not",
    .row = "pair",
    .empty = "No zone waits, and there are no flows.",
    .bar = "waited_ns",
    .buttons = pages,
    .by_lane = true,
    .key = waits_key,
    .ask = ask_for_pairs,
    .choose = enter_pair,
    .describe = describe_pairs,
};

/* ---- the flows of a pair ---- */

static uint64_t flows_key(const struct td_view *view)
{
    const struct waits_panel *s = state_of(view);
    return td_mix64(((uint64_t)s->waiter << 32 | s->giver) +
                    (view->model.live ? 0 : view->model.flows.count));
}

static bool ask_for_flows(struct td_view *view, struct td_query_request *of)
{
    const struct waits_panel *s = state_of(view);
    struct td_waits_wanted *wanted = td_waits_want(&view->model.flows);
    of->with = wanted;
    if (!wanted)
        return false;
    wanted->only_pair = true;
    wanted->waiter = s->waiter;
    wanted->giver = s->giver;
    return true;
}

static void describe_flows(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                           char *text, size_t bytes)
{
    const struct waits_panel *s = state_of(view);
    char number[TD_FORMAT_BYTES], room[2][TD_TRACK_NAME_BYTES];
    snprintf(text, bytes, "%s waited for %s, %s times", td_track_name(view->model.dict, s->waiter, room[0]),
             td_track_name(view->model.dict, s->giver, room[1]), td_format_count(number, listed));
}

static const struct td_table_button buttons[] = {
    TD_STEP_BUTTON('y', struct waits_panel, page, page_names),
    TD_SWITCH_BUTTON(TD_KEY_BACKSPACE, struct waits_panel, inside, 0, "Pairs"),
    {0}};

static const struct td_table_panel flows = {
    .table = &td_table_flows,
    .id = TD_PANEL_WAITS,
    .at = offsetof(struct waits_panel, flows),
    .columns = "time_ns flow waited_ns after_ns waiter giver",
    .sort = "time_ns",
    .filter = "flow",
    .hint = "Filter: flow, -not",
    .row = "flow",
    .buttons = buttons,
    .key = flows_key,
    .ask = ask_for_flows,
    .describe = describe_flows,
};

/* ---- wakeups ---- */

static const struct td_table_panel wakeups = {
    .table = &td_table_wakeups,
    .id = TD_PANEL_WAITS,
    .at = offsetof(struct waits_panel, wakeups),
    .columns = "time_ns name waited_ns waker_name how delay_ns",
    .sort = "waited_ns",
    .name = "name",
    .filter = "name waker_name",
    .hint = "Filter: thread, -not",
    .row = "wakeup",
    .empty = "No thread was woken in this range.",
    .bar = "waited_ns",
    .buttons = pages,
};

/* ---- the critical path ---- */

static uint64_t path_key(const struct td_view *view)
{
    uint64_t thread;
    int64_t from_ns, to_ns;
    return td_view_critical_of(view, &thread, &from_ns, &to_ns)
               ? td_mix64(td_mix64(thread ^ (uint64_t)from_ns << 20) ^ (uint64_t)to_ns)
               : 0;
}

static bool ask_for_path(struct td_view *view, struct td_query_request *of)
{
    struct td_critical_wanted *wanted = calloc(1, sizeof *wanted);
    of->with = wanted;
    return wanted && (td_view_critical_of(view, &wanted->thread, &of->from_ns, &of->to_ns) || true);
}

/* The list and its selection stay: the thread of the part is looked at, not chosen. */
static void show_part(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                      enum td_row_choice how)
{
    const struct td_query_place place = td_query_place_of(rows, row);
    td_view_show_spot(view, (struct td_spot){true, place.track, place.start_ns, place.end_ns},
                      how == TD_ROW_BY_ENTER);
}

static void describe_path(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                          char *text, size_t bytes)
{
    uint64_t thread;
    int64_t from_ns, to_ns;
    char count[TD_FORMAT_BYTES], length[TD_FORMAT_BYTES];
    if (!td_view_critical_of(view, &thread, &from_ns, &to_ns))
        snprintf(text, bytes, "Select a zone of a thread, or a click on a wait in its strip.");
    else
        snprintf(text, bytes, "%s part%s in %s of %.60s; [ goes to the waker", td_format_count(count, listed),
                 listed == 1 ? "" : "s", td_format_ns(length, (double)(to_ns - from_ns)),
                 td_switches_thread_name(&view->model.switches, thread));
}

static const struct td_table_panel path = {
    .table = &td_table_critical_path,
    .id = TD_PANEL_WAITS,
    .at = offsetof(struct waits_panel, path),
    .columns = "time_ns duration_ns name state reason cpu wakes_name likely",
    .sort = "time_ns",
    .name = "name",
    .filter = "name state",
    .hint = "Filter: thread or state, -not",
    .row = "part",
    .empty =
        "Select a zone of a thread with context switches, or click on a wait in the strip above its zones.",
    .bar = "duration_ns",
    .whole = true,
    .buttons = pages,
    .key = path_key,
    .ask = ask_for_path,
    .choose = show_part,
    .describe = describe_path,
};

void td_waits_show_path(struct td_view *view)
{
    struct waits_panel *s = state_of(view);
    s->page = PATH;
    s->opened = true;
    td_panel_set_open(view, TD_PANEL_WAITS, true);
}

/* ---- all of them ---- */

static const struct td_table_panel *shown_of(const struct td_view *view)
{
    const struct waits_panel *s = state_of(view);
    return s->page == WAKEUPS ? &wakeups : s->page == PATH ? &path : s->inside ? &flows : &pairs;
}

static void draw_waits(struct td_view *view, const struct td_rect *place)
{
    struct waits_panel *s = state_of(view);
    if (!s->opened && !view->model.flows.count && !view->model.has_waits &&
        td_trace_table_rows(view->model.trace, TD_TABLE_CPU_SWITCH))
        s->page = WAKEUPS;
    s->opened = true;
    td_view_sums(view);
    td_table_panel_draw(view, shown_of(view), place);
}

static bool take_waits_key(struct td_view *view, const struct td_key_press *press)
{
    if (press->key == '[' || press->key == ']') {
        td_view_follow_chain(view, press->key == '[');
        return true;
    }
    return td_table_panel_key(view, shown_of(view), press);
}

static char *copy_waits(struct td_view *view, enum td_copy_form form)
{
    return td_table_panel_copy(view, shown_of(view), form);
}

static bool waits_are_busy(const struct td_view *view)
{
    const struct waits_panel *s = state_of(view);
    return s->pairs.job.running || s->flows.job.running || s->wakeups.job.running || s->path.job.running;
}

static void free_waits(struct td_view *view)
{
    td_table_panel_free(view, &pairs);
    td_table_panel_free(view, &flows);
    td_table_panel_free(view, &wakeups);
    td_table_panel_free(view, &path);
}

static bool toggle_column(struct td_view *view, const char *title)
{
    return td_table_toggle_column(view, shown_of(view), title);
}

static const struct td_help_line waits_help[] = {
    {"Shift+W", "who waited for whom"},
    {"Y in it", "flows, wakeups of threads, the critical path of the selected zone or wait"},
    {"[ and ]", "go to the zone that was waited for, to the one that waited"},
    {0},
};

const struct td_panel td_panel_waits = {
    .name = "waits",
    .dock = TD_DOCK_BOTTOM,
    .title = "Waits",
    .group = TD_GROUP_THREADS,
    .page = "Who waits for whom?",
    .lacks = td_lacks_waits,
    .keys = {{.key = 'w', .shift = true}},
    .help = waits_help,
    .state_bytes = sizeof(struct waits_panel),
    .draw = draw_waits,
    .free_state = free_waits,
    .is_busy = waits_are_busy,
    .copy = copy_waits,
    .toggle_column = toggle_column,
    .take_key = take_waits_key,
};
