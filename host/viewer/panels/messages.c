/* The messages of the trace in the order of time, with a filter. */
#include "host/event/map.h"
#include "host/base/sorted.h"
#include "host/query/code/stack_text.h"
#include "host/query/rows/frame_times.h"
#include "host/query/rows/message_table.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/playback.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/tooltip.h"

#include <stdio.h>
#include <stdlib.h>

struct messages_panel {
    struct td_table_list table;
    int severity, source; /* as in struct td_messages_wanted */
    uint32_t track;       /* the only one that is listed, counted from 1; 0: all */
    size_t counted;       /* messages when the list was last asked for */
    int free_running;     /* the list does not follow the timeline */
    /* What the list was last scrolled to. */
    double seen_start, seen_end;
    size_t seen_message;
    uint64_t seen_count;
};

TD_PANEL_STATE(messages_panel, MESSAGES)

/* ---- rows ---- */

/* In a trace that grows, a job that runs ends first: what is new waits for the next one. td_trace_finish() sorts the
 * messages: then all are read again. */
static uint64_t messages_key(const struct td_view *view)
{
    struct messages_panel *s = state_of(view);
    if (!s->table.job.running)
        s->counted = td_trace_messages(view->model.trace);
    return td_mix64(s->counted * 2 + td_trace_is_finished(view->model.trace)) ^
           td_mix64(((uint64_t)s->track << 8 | (unsigned)s->severity) * 4 + (unsigned)s->source);
}

static bool ask_for_messages(struct td_view *view, struct td_query_request *of)
{
    const struct messages_panel *s = state_of(view);
    struct td_messages_wanted *wanted = malloc(sizeof *wanted);
    of->with = wanted;
    if (wanted)
        *wanted = (struct td_messages_wanted){.source = (enum td_message_source)s->source,
                                              .severity = (uint8_t)s->severity,
                                              .track = s->track ? s->track - 1 : TD_NO_TRACK};
    return wanted != NULL;
}

static bool message_is_listed(const struct td_query_rows *rows, uint64_t row, int group)
{
    return td_message_is_wanted(rows, row);
}

static td_rgba color_of_severity(uint8_t severity)
{
    return severity >= TD_SEVERITY_ERROR     ? TD_C(LOST)
           : severity == TD_SEVERITY_WARNING ? TD_C(STALL)
                                             : TD_C(MESSAGE);
}

static void look_of_message(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                            struct td_row_look *look)
{
    const struct td_message m = td_trace_message(rows->of.trace, row);
    look->lit = (double)m.time_ns >= view->camera.start_ns && (double)m.time_ns <= view->camera.end_ns;
    look->box = m.color ? td_color_legible(m.color) : color_of_severity(m.severity);
    if (!look->lit)
        look->name = look->text = TD_C(TEXT_FAINT);
}

/* With the image of the frame in which the message was sent. */
static void set_tip(struct td_view *view, const struct td_query_rows *rows, uint64_t row)
{
    const struct td_message m = td_trace_message(rows->of.trace, row);
    char room[TD_TRACK_NAME_BYTES], time[TD_FORMAT_BYTES], stack[500];
    td_stack_text(rows->of.trace, m.stack, "\n", 12, stack, sizeof stack);
    td_tip(view, "Message", "at\t%s\nthread\t%.80s\n%.400s\n%s%s\n",
           td_format_time(time, (double)m.time_ns, 1), td_track_name(rows->dict, m.track, room),
           td_dict_text(rows->dict, m.text), *stack ? "call stack\t\n" : "", stack);
    const size_t frame = td_frame_at(rows->of.trace, 0, (double)m.time_ns);
    if (frame != SIZE_MAX)
        view->hover.tip_image = td_trace_frame(rows->of.trace, 0, frame).image + 1;
}

static void describe_messages(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                              char *text, size_t bytes)
{
    char number[TD_FORMAT_BYTES], all[TD_FORMAT_BYTES], lanes[60];
    if (listed < rows->count)
        snprintf(text, bytes, "%s of %s messages%s", td_format_count(number, listed),
                 td_format_count(all, rows->count), td_lanes_note(view, lanes, sizeof lanes));
    else
        snprintf(text, bytes, "%s message%s", td_format_count(number, listed), listed == 1 ? "" : "s");
}

/* The list stays where it was clicked. */
static void choose_message(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                           enum td_row_choice how)
{
    struct messages_panel *s = state_of(view);
    const struct td_query_place place = td_query_place_of(rows, row);
    view->selection.message = s->seen_message = row + 1;
    td_view_show_place(view, &place, false);
    s->seen_start = view->camera.to_start_ns;
    s->seen_end = view->camera.to_end_ns;
    if (how == TD_ROW_BY_CLICK && td_ui_ctrl(view->ui))
        td_playback_show_at(view, place.start_ns);
}

/* ---- buttons ---- */

static const char *label_of_thread(const struct td_view *view, bool *on)
{
    return state_of(view)->track ? "Thread: one" : "Thread: all";
}

/* Only the thread of the selected message, or all again. */
static void toggle_thread(struct td_view *view)
{
    struct messages_panel *s = state_of(view);
    if (s->track)
        s->track = 0;
    else if (view->selection.message)
        s->track = td_trace_message(view->model.trace, view->selection.message - 1).track + 1;
}

static const char *const severities[] = {"Severity: all",      "Severity: debug+", "Severity: info+",
                                         "Severity: warning+", "Severity: error+", "Severity: fatal"};
static const char *const sources[] = {"From: all", "From: program", "From: profiler"};
static const char *const follows[] = {"Follow: on", "Follow: off"};
static const struct td_table_button buttons[] = {
    TD_STEP_BUTTON('j', struct messages_panel, free_running, follows),
    TD_BUTTON('q', label_of_thread, toggle_thread),
    TD_STEP_BUTTON('y', struct messages_panel, source, sources),
    TD_STEP_BUTTON('v', struct messages_panel, severity, severities),
    {0}};

static const struct td_table_panel messages = {
    .table = &td_table_messages,
    .id = TD_PANEL_MESSAGES,
    .columns = "time_ns message thread severity source stack",
    .sort = "time_ns",
    .name = "message",
    .filter = "message",
    .hint = "Filter: text, -not",
    .row = "message",
    .whole = true,
    .by_lane = true,
    .buttons = buttons,
    .key = messages_key,
    .ask = ask_for_messages,
    .lists = message_is_listed,
    .look = look_of_message,
    .tip = set_tip,
    .choose = choose_message,
    .describe = describe_messages,
};
TD_TABLE_PANEL(messages)

/* ---- the list follows the timeline ---- */

/* The place in the list of the first message that is not before the time; with the latest first, of the last. */
static uint64_t place_of_time(const struct td_view *view, const struct td_table_list *t, double time_ns)
{
    const struct td_trace *trace = view->model.trace;
    uint64_t low = 0, high = t->rows.count;
    TD_BISECT(low, high, i,
              ((double)td_trace_message(trace, t->rows.rows[i]).time_ns < time_ns) != t->list.descending);
    return t->list.descending && low ? low - 1 : low;
}

/* Selects the message that is selected in the timeline, if it is listed. */
static void select_message(const struct td_view *view, struct td_table_list *t)
{
    const uint64_t wanted = view->selection.message - 1;
    t->list.selected = 0;
    if (!view->selection.message || wanted >= td_trace_messages(view->model.trace))
        return;
    const int64_t time_ns = td_trace_message(view->model.trace, wanted).time_ns;
    uint64_t at = place_of_time(view, t, (double)time_ns);
    while (t->list.descending && at &&
           td_trace_message(view->model.trace, t->rows.rows[at - 1]).time_ns == time_ns)
        at--;
    for (; at < t->rows.count && !t->list.selected &&
           td_trace_message(view->model.trace, t->rows.rows[at]).time_ns == time_ns;
         at++)
        t->list.selected = t->rows.rows[at] == wanted ? (int)at + 1 : 0;
}

/* Scrolls to the selected message, or to the first one in the visible range. */
static void follow_view(struct td_view *view, struct messages_panel *s)
{
    struct td_table_list *t = &s->table;
    const bool moved = s->seen_start != view->camera.to_start_ns || s->seen_end != view->camera.to_end_ns;
    const bool grown = s->seen_count != t->rows.count;
    if (!t->order.sort || strcmp(t->order.sort->key, "time_ns") || t->job.running)
        return;
    select_message(view, t);
    if (s->seen_message != view->selection.message || (grown && t->list.selected && !view->model.live)) {
        t->list.show = t->list.selected > 0;
    } else if (!s->free_running && (moved || grown) && t->rows.count) {
        uint64_t at = place_of_time(view, t, view->camera.to_start_ns);
        if (view->camera.follow || at == t->rows.count)
            at = t->list.descending ? 0 : t->rows.count - 1;
        t->list.reveal = (int)at + 1;
    }
    s->seen_message = view->selection.message;
    s->seen_count = t->rows.count;
    s->seen_start = view->camera.to_start_ns;
    s->seen_end = view->camera.to_end_ns;
}

static void draw_messages(struct td_view *view, const struct td_rect *place)
{
    td_table_panel_update(view, &messages);
    follow_view(view, state_of(view));
    draw_table(view, place);
}

static const struct td_help_line messages_help[] = {
    {"Shift+M", "list of messages"},
    {"V, Y, Q, J in it", "severity, origin, one thread, follow the timeline"},
    {0},
};

const struct td_panel td_panel_messages = {
    .name = "messages",
    .dock = TD_DOCK_BOTTOM,
    .title = "Messages",
    .group = TD_GROUP_THREADS,
    .page = "What did the program say, and when?",
    .lacks = td_lacks_messages,
    .keys = {{.key = 'm', .shift = true}},
    .help = messages_help,
    .state_bytes = sizeof(struct messages_panel),
    .draw = draw_messages,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_table_key,
};
