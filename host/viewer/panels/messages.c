/* The messages of the trace in the order of time, with a filter. */
#include "host/event/map.h"
#include "host/base/sorted.h"
#include "host/query/code/stack_text.h"
#include "host/query/rows/frame_times.h"
#include "host/query/rows/message_table.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/messages.h"
#include "host/viewer/panels/playback.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/tooltip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct messages_panel {
    struct td_table_list table;
    int severity, source; /* as in struct td_messages_wanted */
    bool *left_out;       /* by track: its messages are not listed */
    uint32_t tracks;      /* of `left_out` */
    uint64_t threads_key; /* changes with the choice of threads */
    char threads_label[48];
    size_t counted;   /* messages when the list was last asked for */
    int free_running; /* the list does not follow the timeline */
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
           td_mix64((s->threads_key << 8 | (unsigned)s->severity) * 4 + (unsigned)s->source);
}

static bool ask_for_messages(struct td_view *view, struct td_query_request *of)
{
    const struct messages_panel *s = state_of(view);
    struct td_messages_wanted *wanted = malloc(sizeof *wanted + s->tracks * sizeof *wanted->left_out);
    of->with = wanted;
    if (!wanted)
        return false;
    *wanted = (struct td_messages_wanted){
        .source = (enum td_message_source)s->source, .severity = (uint8_t)s->severity, .tracks = s->tracks};
    if (s->tracks)
        memcpy(wanted->left_out, s->left_out, s->tracks * sizeof *wanted->left_out);
    return true;
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

static bool is_left_out(const struct messages_panel *s, uint32_t track)
{
    return track < s->tracks && s->left_out[track];
}

static const char *label_of_threads(const struct td_view *view, bool *on)
{
    struct messages_panel *s = state_of(view);
    unsigned all = 0, listed = 0;
    for (uint32_t t = 0; t < td_dict_track_count(view->model.dict); t++)
        if (td_trace_track_messages(view->model.trace, t)) {
            all++;
            listed += !is_left_out(s, t);
        }
    snprintf(s->threads_label, sizeof s->threads_label, listed < all ? "Threads: %u of %u" : "Threads: all",
             listed, all);
    return s->threads_label;
}

/* ---- which threads ---- */

/* The threads that sent messages, each with a mark if its messages are listed. */
static void open_threads(struct td_view *view)
{
    const struct messages_panel *s = state_of(view);
    const struct td_menu *last = td_panel_state(view, TD_PANEL_MENU);
    const struct td_rect *place = &view->panels.slot[TD_PANEL_MESSAGES].place;
    const bool again = td_panel_is_open(view, TD_PANEL_MENU);
    struct td_menu *menu = td_menu_begin(view, again ? last->x : place->left + TD_U(view, 40),
                                         again ? last->y : place->top + TD_U(view, 30));
    td_menu_head(menu, "Messages of");
    td_menu_add(menu, "All threads", NULL, "messages all");
    td_menu_add(menu, "No thread", NULL, "messages none; messages menu");
    if (view->selection.message)
        td_menu_add(menu, "Only the thread of the selected message", NULL, "messages only #%u",
                    td_trace_message(view->model.trace, view->selection.message - 1).track);
    td_menu_separate(menu);
    for (uint32_t t = 0; t < td_dict_track_count(view->model.dict); t++) {
        char room[TD_TRACK_NAME_BYTES];
        struct td_menu_entry *entry = td_trace_track_messages(view->model.trace, t)
                                          ? td_menu_add(menu, td_track_name(view->model.dict, t, room), NULL,
                                                        "messages #%u; messages menu", t)
                                          : NULL;
        if (entry)
            entry->mark = is_left_out(s, t) ? TD_MENU_OFF : TD_MENU_ON;
    }
    menu->chosen = 1;
}

/* All tracks, or one of them. False: no memory. */
static bool leave_out(const struct td_view *view, struct messages_panel *s, uint32_t only, bool left_out)
{
    const uint32_t tracks = td_dict_track_count(view->model.dict);
    bool *of = realloc(s->left_out, ((size_t)tracks + 1) * sizeof *of);
    if (!of)
        return false;
    s->left_out = of;
    for (; s->tracks < tracks; s->tracks++)
        of[s->tracks] = false;
    for (uint32_t t = 0; t < tracks; t++)
        of[t] = only == TD_NO_TRACK || only == t ? left_out : of[t];
    s->threads_key++;
    return true;
}

const char *td_messages_word(size_t index)
{
    static const char *const words[] = {"all", "none", "only", "menu"};
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

int td_messages_choose(struct td_view *view, const char *word, uint32_t track, struct td_err *err)
{
    struct messages_panel *s = state_of(view);
    bool done = true;
    if (!strcmp(word, "menu"))
        open_threads(view);
    else if (!strcmp(word, "all") || !strcmp(word, "none"))
        done = leave_out(view, s, TD_NO_TRACK, *word == 'n');
    else if (!strcmp(word, "only"))
        done = leave_out(view, s, TD_NO_TRACK, true) && leave_out(view, s, track, false);
    else
        done = leave_out(view, s, track, !is_left_out(s, track));
    return done ? 0 : td_fail_no_memory(err, NULL);
}

static const char *const severities[] = {"Severity: all",      "Severity: debug+", "Severity: info+",
                                         "Severity: warning+", "Severity: error+", "Severity: fatal"};
static const char *const sources[] = {"From: all", "From: program", "From: profiler"};
static const char *const follows[] = {"Follow: on", "Follow: off"};
static const struct td_table_button buttons[] = {
    TD_STEP_BUTTON('j', struct messages_panel, free_running, follows),
    TD_BUTTON('q', label_of_threads, open_threads),
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

static void free_messages(struct td_view *view)
{
    free_table(view);
    free(state_of(view)->left_out);
}

static const struct td_help_line messages_help[] = {
    {"Shift+M", "list of messages"},
    {"V, Y, Q, J in it", "severity, origin, which threads, follow the timeline"},
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
    .free_state = free_messages,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_table_key,
};
