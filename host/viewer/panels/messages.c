/* The messages of the trace in the order of time, with a filter. */
#include "host/base/cell_text.h"
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/event/map.h"
#include "host/query/rows/frame_times.h"
#include "host/query/rows/message_filter.h"
#include "host/viewer/panels/list.h"
#include "host/query/code/stack_text.h"
#include "host/viewer/panels/playback.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30

enum messages_column { TIME, TEXT, THREAD, SEVERITY, SOURCE, STACK, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [TIME] = {.title = "Time", .width = 120, .right = true},
    [TEXT] = {.title = "Message", .fixed = true},
    [THREAD] = {.title = "Thread", .width = 190, .fixed = true},
    [SEVERITY] = {.title = "Severity", .width = 76, .fixed = true},
    [SOURCE] = {.title = "Source", .width = 76, .fixed = true},
    [STACK] = {.title = "Call stack", .width = 240, .fixed = true},
};

struct messages_panel {
    struct td_list list;
    struct td_job job;
    struct td_message_filter filter; /* as the controls have it */
    struct td_message_filter wanted;
    uint64_t lanes_key; /* of the filter of lanes that is wanted */
    uint64_t turn;      /* counts the filters that were wanted */
    /* The request of the job, and what it makes. */
    const struct td_trace *trace;
    struct td_message_filter of;
    struct td_lane_choice lanes;
    size_t from, to;
    uint64_t of_turn;
    struct td_message_list made;
    /* What is shown: the messages below `scanned` that pass the filter of that turn. */
    struct td_message_list shown;
    uint64_t shown_turn;
    size_t scanned;
    bool started, free_running;  /* free_running: the list does not follow the timeline */
    double seen_start, seen_end; /* the timeline's range when the list was scrolled to it */
    size_t seen_message, seen_count;
};

static struct messages_panel *state_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_MESSAGES].state;
}

/* ---- the list ---- */

static void filter_messages(void *self, struct td_job *job)
{
    struct messages_panel *s = self;
    s->made.count = 0;
    /* Without memory the list ends early. */
    td_message_filter_run(s->trace, &s->of, s->from, s->to, &s->made, job);
}

static void free_message_list(struct td_message_list *list)
{
    free(list->at);
    *list = (struct td_message_list){0};
}

static void take_made(struct messages_panel *s)
{
    struct td_message_list *shown = &s->shown;
    if (s->of_turn != s->shown_turn || s->from != s->scanned)
        TD_JOB_TAKE(shown, &s->made, free_message_list);
    else if (s->made.count &&
             td_grow(&shown->at, &shown->capacity, shown->count + s->made.count, sizeof *shown->at) == 0) {
        memcpy(shown->at + shown->count, s->made.at, s->made.count * sizeof *shown->at);
        shown->count += s->made.count;
    }
    s->shown_turn = s->of_turn;
    s->scanned = s->to;
}

/* In a trace that grows, a job that runs ends first: what is new waits for the next one. */
static void update_messages(struct td_view *view, struct messages_panel *s)
{
    const size_t count = td_trace_messages(view->model.trace);
    bool fresh;
    if (!s->started) {
        s->filter.track = TD_NO_TRACK;
        s->started = true;
        s->turn = 1;
        s->wanted = s->filter;
    } else if (memcmp(&s->wanted, &s->filter, sizeof s->filter) || s->lanes_key != td_lanes_key(view)) {
        s->wanted = s->filter;
        s->lanes_key = td_lanes_key(view);
        s->turn++;
        s->list.selected = 0;
    }
    const bool growing = s->job.running && s->of_turn == s->turn;
    const uint64_t key = growing ? s->job.key : td_mix64(td_mix64(s->turn) ^ count);
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh)
        take_made(s);
    if (state != TD_JOB_WANTED || !td_lanes_copy(view, &s->lanes))
        return;
    s->trace = view->model.trace;
    s->of = s->wanted;
    s->of.lanes = &s->lanes;
    s->of_turn = s->turn;
    /* td_trace_finish() sorts the messages: then all are read again. */
    s->from = s->shown_turn == s->turn && s->scanned < count ? s->scanned : 0;
    s->to = count;
    td_job_start(&s->job, key, filter_messages, s);
}

/* The messages are in the order of time, or reversed. */
static size_t message_of_row(const struct messages_panel *s, size_t row)
{
    return s->shown.at[s->list.descending ? s->shown.count - 1 - row : row];
}

/* The first entry whose message is not before the time. */
static size_t first_at(const struct td_view *view, const struct messages_panel *s, double time_ns)
{
    size_t low = 0, high = s->shown.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)td_trace_message(view->model.trace, s->shown.at[middle]).time_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The row of the selected message; 0: it is not in the list, else counted from 1. */
static int row_of_selected(const struct td_view *view, const struct messages_panel *s)
{
    size_t low = 0, high = s->shown.count;
    if (!view->selection.message)
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->shown.at[middle] < view->selection.message - 1)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->shown.count || s->shown.at[low] != view->selection.message - 1)
        return 0;
    return (int)(s->list.descending ? s->shown.count - low : low + 1);
}

/* Scrolls to the selected message, or to the first one in the visible range. */
static void follow_view(struct td_view *view, struct messages_panel *s)
{
    const bool moved = s->seen_start != view->camera.to_start_ns || s->seen_end != view->camera.to_end_ns;
    const bool grown = s->seen_count != s->shown.count;
    s->list.selected = row_of_selected(view, s);
    if (s->seen_message != view->selection.message || (grown && s->list.selected && !view->model.live)) {
        s->list.show = s->list.selected > 0;
    } else if (!s->free_running && (moved || grown) && s->shown.count) {
        size_t at = first_at(view, s, view->camera.to_start_ns);
        if (view->camera.follow || at == s->shown.count)
            at = s->shown.count - 1;
        s->list.reveal = (int)(s->list.descending ? s->shown.count - at : at + 1);
    }
    s->seen_message = view->selection.message;
    s->seen_count = s->shown.count;
    s->seen_start = view->camera.to_start_ns;
    s->seen_end = view->camera.to_end_ns;
}

static void choose_row(struct td_view *view, struct messages_panel *s, size_t row)
{
    const size_t number = message_of_row(s, row);
    const struct td_message m = td_trace_message(view->model.trace, number);
    view->selection.message = s->seen_message = number + 1;
    td_view_show_spot(view, (struct td_spot){true, m.track, m.time_ns, m.time_ns}, false);
    s->seen_start = view->camera.to_start_ns; /* the list stays where it was clicked */
    s->seen_end = view->camera.to_end_ns;
}

/* ---- drawing ---- */

static td_rgba color_of_severity(uint8_t severity)
{
    return severity >= TD_SEVERITY_ERROR     ? TD_C(LOST)
           : severity == TD_SEVERITY_WARNING ? TD_C(STALL)
                                             : TD_C(MESSAGE);
}

static void draw_row(struct td_list_drawing *d, const struct td_message *m)
{
    struct td_view *view = d->view;
    char text[TD_FORMAT_BYTES], room[TD_TRACK_NAME_BYTES], line[600];
    const bool lit = (double)m->time_ns >= view->camera.start_ns && (double)m->time_ns <= view->camera.end_ns;
    const td_rgba color = lit ? TD_C(TEXT) : TD_C(TEXT_FAINT), dim = lit ? TD_C(TEXT_DIM) : TD_C(TEXT_FAINT);
    const td_rgba box = m->color ? 0xff000000u | m->color : color_of_severity(m->severity);
    const char *message = td_dict_text(view->model.dict, m->text);
    if (lit)
        td_ui_rect(view->ui, d->place.left, d->y, d->place.left + TD_U(view, 3), d->y + d->height,
                   TD_C(ACCENT), 0);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(message, "\n"), message);
    td_list_text(d, TIME, color, td_format_time(text, (double)m->time_ns, 1));
    td_list_name(d, TEXT, box, color, line);
    td_list_text(d, THREAD, dim, td_track_name(view->model.dict, m->track, room));
    td_list_text(d, SEVERITY, dim, td_severity_name(m->severity));
    td_list_text(d, SOURCE, dim, m->source ? "profiler" : "program");
    if (m->stack)
        td_list_text(d, STACK, dim,
                     td_stack_text(view->model.trace, m->stack, " \xe2\x86\x90 ", 4, line, sizeof line));
}

/* With the image of the frame in which the message was sent. */
static void set_tip(struct td_view *view, const struct td_message *m)
{
    char room[TD_TRACK_NAME_BYTES], time[TD_FORMAT_BYTES], stack[500];
    td_stack_text(view->model.trace, m->stack, "\n", 12, stack, sizeof stack);
    td_tip(view, "Message", "at\t%s\nthread\t%.80s\n%.400s\n%s%s\n",
           td_format_time(time, (double)m->time_ns, 1), td_track_name(view->model.dict, m->track, room),
           td_dict_text(view->model.dict, m->text), *stack ? "call stack\t\n" : "", stack);
    const size_t frame = td_frame_at(view->model.trace, 0, (double)m->time_ns);
    if (frame != SIZE_MAX)
        view->hover.tip_image = td_trace_frame(view->model.trace, 0, frame).image + 1;
    view->selection.pointed = (struct td_spot){true, m->track, m->time_ns, m->time_ns};
}

/* The list as lines with tabs, times in ns. */
static void copy_list(struct td_view *view, const struct messages_panel *s)
{
    char *text = NULL, room[TD_TRACK_NAME_BYTES];
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "time_ns\tthread\tseverity\tsource\tmessage\n");
    for (size_t i = 0; i < s->shown.count; i++) {
        const struct td_message m = td_trace_message(view->model.trace, message_of_row(s, i));
        fprintf(f, "%" PRId64 "\t%s\t%s\t%s\t%s\n", m.time_ns,
                TD_CELL(td_track_name(view->model.dict, m.track, room)), td_severity_name(m.severity),
                m.source ? "profiler" : "program", TD_PLAIN(TD_CELL(td_dict_text(view->model.dict, m.text))));
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void next_severity(struct messages_panel *s)
{
    s->filter.severity = (uint8_t)((s->filter.severity + 1) % (TD_SEVERITY_FATAL + 1));
}

static void next_source(struct messages_panel *s)
{
    s->filter.source = (enum td_message_source)((s->filter.source + 1) % (TD_FROM_PROFILER + 1));
}

/* Only the thread of the selected message, or all again. */
static void toggle_thread(const struct td_view *view, struct messages_panel *s)
{
    if (s->filter.track != TD_NO_TRACK)
        s->filter.track = TD_NO_TRACK;
    else if (view->selection.message)
        s->filter.track = td_trace_message(view->model.trace, view->selection.message - 1).track;
}

/* A button as wide as its label with its right edge at *right; not drawn if it would reach over `left`. */
static bool draw_tool(struct td_view *view, float left, float *right, float y, const char *label)
{
    float wide = td_ui_text_width(view->ui, TD_FONT_TEXT, label) + TD_U(view, 18);
    if (*right - wide < left)
        return false;
    bool clicked = td_ui_button(view->ui, label, *right - wide, y, wide, TD_U(view, 23));
    *right -= wide + TD_U(view, 8);
    return clicked;
}

static void draw_tools(struct td_view *view, struct messages_panel *s, const struct td_rect *place)
{
    static const char *const sources[] = {"From: all", "From: program", "From: profiler"};
    struct td_ui *ui = view->ui;
    char text[160], number[TD_FORMAT_BYTES], all[TD_FORMAT_BYTES], lanes[60];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float x = place->left + pad, right = place->right - pad,
          text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    td_ui_input(ui, "##messages filter", "Filter: text, -not", x, y, TD_U(view, 190), high, s->filter.text,
                sizeof s->filter.text, false);
    x += TD_U(view, 200);
    if (draw_tool(view, x, &right, y, "Copy"))
        copy_list(view, s);
    if (draw_tool(view, x, &right, y, s->free_running ? "Follow: off" : "Follow: on"))
        s->free_running = !s->free_running;
    if (draw_tool(view, x, &right, y, s->filter.track == TD_NO_TRACK ? "Thread: all" : "Thread: one"))
        toggle_thread(view, s);
    if (draw_tool(view, x, &right, y, sources[s->filter.source]))
        next_source(s);
    snprintf(text, sizeof text, "Severity: %s%s",
             s->filter.severity ? td_severity_name(s->filter.severity) : "all",
             s->filter.severity && s->filter.severity < TD_SEVERITY_FATAL ? "+" : "");
    if (draw_tool(view, x, &right, y, text))
        next_severity(s);
    const size_t count = td_trace_messages(view->model.trace);
    if (s->job.running && s->of_turn != s->shown_turn)
        snprintf(text, sizeof text, "filtering, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else if (s->shown.count < s->scanned)
        snprintf(text, sizeof text, "%s of %s messages%s", td_format_count(number, s->shown.count),
                 td_format_count(all, count), td_lanes_note(view, lanes, sizeof lanes));
    else
        snprintf(text, sizeof text, "%s message%s", td_format_count(number, count), count == 1 ? "" : "s");
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void draw_messages_panel(struct td_view *view, const struct td_rect *place)
{
    struct messages_panel *s = state_of(view);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    update_messages(view, s);
    follow_view(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    const int count = s->shown.count < INT32_MAX ? (int)s->shown.count : INT32_MAX;
    int chosen = -1;
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, count, &rows, &d); i < d.last; i++) {
        const struct td_message m = td_trace_message(view->model.trace, message_of_row(s, (size_t)i));
        int row = td_list_row(&d, i);
        if (row & TD_ROW_CLICKED)
            chosen = i;
        if (row & TD_ROW_HOVERED)
            set_tip(view, &m);
        draw_row(&d, &m);
    }
    td_list_end(&d);
    if (chosen >= 0)
        choose_row(view, s, (size_t)chosen);
    if (chosen >= 0 && td_ui_ctrl(view->ui) && view->selection.message)
        td_playback_show_at(view, td_trace_message(view->model.trace, view->selection.message - 1).time_ns);
}

static bool take_messages_key(struct td_view *view, const struct td_key_press *press)
{
    struct messages_panel *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_MESSAGES))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_list(view, s);
        return true;
    }
    switch (press->key) {
    case 'v':
        next_severity(s);
        return true;
    case 'y':
        next_source(s);
        return true;
    case 'q':
        toggle_thread(view, s);
        return true;
    case 'j':
        s->free_running = !s->free_running;
        return true;
    default:
        break;
    }
    if (!td_list_key(&s->list, press, (int)s->shown.count, &enter))
        return false;
    choose_row(view, s, (size_t)s->list.selected - 1);
    s->list.show = true;
    return true;
}

static bool messages_are_busy(const struct td_view *view)
{
    return state_of(view)->job.running;
}

static void free_messages_panel(struct td_view *view)
{
    struct messages_panel *s = state_of(view);
    td_job_stop(&s->job);
    free_message_list(&s->made);
    free_message_list(&s->shown);
    td_lane_choice_free(&s->lanes);
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
    .keys = {{.key = 'm', .shift = true}},
    .help = messages_help,
    .state_bytes = sizeof(struct messages_panel),
    .draw = draw_messages_panel,
    .free_state = free_messages_panel,
    .is_busy = messages_are_busy,
    .take_key = take_messages_key,
};
