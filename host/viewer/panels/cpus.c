/* What the processors ran: processes and threads of all programs, and the ones whose runs the timeline shows. */
#include "host/query/rows/cpu_load.h"
#include "host/query/table/tables.h"
#include "host/viewer/panels/cpus.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/band_switches.h"
#include "host/viewer/timeline/followed.h"
#include "host/viewer/timeline/navigate.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cpus_panel {
    struct td_table_list processes, threads;
    int by_thread;                  /* threads are listed */
    struct td_cpu_wanted of;        /* the threads that are listed */
    uint64_t thread;                /* the followed one that was selected in the list */
    const struct td_query_rows *in; /* the rows in which it was */
};

TD_PANEL_STATE(cpus_panel, CPUS)

/* ---- processes ---- */

static void enter_process(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                          enum td_row_choice how)
{
    struct cpus_panel *s = state_of(view);
    const struct td_cpu_load *load = td_cpu_process(rows, row);
    view->selection.followed =
        (struct td_followed){load->is_process ? 0 : load->id, load->is_process ? load->id : 0};
    if (how == TD_ROW_BY_ARROW)
        return;
    s->by_thread = 1;
    s->of = (struct td_cpu_wanted){true, load->is_process, load->id};
    td_table_select(&s->threads, TD_NO_ROW);
}

static void look_of_process(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                            struct td_row_look *look)
{
    const struct td_cpu_load *load = td_cpu_process(rows, row);
    const bool traced = td_switches_runner(&view->model.switches, load->thread) != TD_RUNNER_OTHER;
    look->box = td_runner_color(&view->model.switches, load->thread);
    look->name = traced ? TD_C(TEXT) : TD_C(TEXT_DIM);
    look->lit = td_view_follows(view) && td_view_is_followed(view, load->thread);
}

static const char *const kinds[] = {"Processes", "Threads"};
static const struct td_table_button buttons[] = {TD_STEP_BUTTON('v', struct cpus_panel, by_thread, kinds),
                                                 {0}};

static const struct td_table_panel processes = {
    .table = &td_table_cpu_processes,
    .id = TD_PANEL_CPUS,
    .at = offsetof(struct cpus_panel, processes),
    .columns = "process program threads running_ns share runs migrations longest_ns",
    .sort = "running_ns",
    .name = "program",
    .filter = "program",
    .hint = "Filter: program, -not",
    .row = "process",
    .rows = "processes",
    .empty = "No processor ran a thread in this range.",
    .bar = "share",
    .buttons = buttons,
    .look = look_of_process,
    .choose = enter_process,
};

/* ---- threads ---- */

static uint64_t threads_key(const struct td_view *view)
{
    const struct td_cpu_wanted *of = &state_of(view)->of;
    return of->only ? td_mix64(of->id * 2 + of->is_process + 1) : 0;
}

static bool ask_for_threads(struct td_view *view, struct td_query_request *of)
{
    struct td_cpu_wanted *wanted = malloc(sizeof *wanted);
    of->with = wanted;
    if (wanted)
        *wanted = state_of(view)->of;
    return wanted != NULL;
}

static void look_of_thread(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                           struct td_row_look *look)
{
    const uint64_t thread = td_cpu_thread(rows, row)->id;
    look->box = td_runner_color(&view->model.switches, thread);
    if (td_switches_runner(&view->model.switches, thread) == TD_RUNNER_OTHER)
        look->name = TD_C(TEXT_DIM);
    look->lit = td_view_follows(view) && td_view_is_followed(view, thread);
}

/* The time stays where it is, so that the rows of the processors show where the thread ran. */
static void follow_row(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                       enum td_row_choice how)
{
    struct cpus_panel *s = state_of(view);
    const struct td_query_place place = td_query_place_of(rows, row);
    s->thread = td_cpu_thread(rows, row)->id;
    s->in = rows;
    view->selection.followed = (struct td_followed){.thread = s->thread};
    if (how == TD_ROW_BY_ENTER)
        td_view_show_place(view, &place, true);
    else if (place.track != TD_NO_LANE)
        td_view_show_row(view, td_layout_track_node(&view->layout, place.track), 0);
}

static void describe_threads(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                             char *text, size_t bytes)
{
    const struct td_cpu_wanted *of = &state_of(view)->of;
    char number[TD_FORMAT_BYTES];
    td_format_count(number, listed);
    if (of->only && of->is_process)
        snprintf(text, bytes, "%s thread%s of process %" PRIu64, number, listed == 1 ? "" : "s", of->id);
    else
        snprintf(text, bytes, "%s thread%s", number, listed == 1 ? "" : "s");
}

static const char *label_of_all(const struct td_view *view, bool *on)
{
    *on = false;
    return state_of(view)->of.only ? "All threads" : NULL;
}

static void list_all(struct td_view *view)
{
    state_of(view)->of = (struct td_cpu_wanted){0};
}

static const struct td_table_button thread_buttons[] = {
    TD_STEP_BUTTON('v', struct cpus_panel, by_thread, kinds), TD_BUTTON('y', label_of_all, list_all), {0}};

static const struct td_table_panel threads = {
    .table = &td_table_cpu_threads,
    .id = TD_PANEL_CPUS,
    .at = offsetof(struct cpus_panel, threads),
    .columns = "thread name program process running_ns share runs migrations longest_ns",
    .sort = "running_ns",
    .name = "name",
    .filter = "name program",
    .hint = "Filter: thread or program, -not",
    .row = "thread",
    .empty = "No processor ran a thread in this range.",
    .bar = "share",
    .buttons = thread_buttons,
    .key = threads_key,
    .ask = ask_for_threads,
    .look = look_of_thread,
    .choose = follow_row,
    .describe = describe_threads,
};

/* The list shows the thread that was clicked in the timeline. */
static void select_followed(struct td_view *view, struct cpus_panel *s)
{
    const uint64_t thread = view->selection.followed.thread;
    const struct td_query_rows *rows = s->threads.shown;
    if (!rows || (s->thread == thread && s->in == rows))
        return;
    s->thread = thread;
    s->in = rows;
    uint64_t row = thread ? 0 : rows->count;
    while (row < rows->count && td_cpu_thread(rows, row)->id != thread)
        row++;
    td_table_select(&s->threads, row < rows->count ? row : TD_NO_ROW);
}

/* ---- both ---- */

static const struct td_table_panel *shown_of(const struct td_view *view)
{
    return state_of(view)->by_thread ? &threads : &processes;
}

static void draw_cpus(struct td_view *view, const struct td_rect *place)
{
    struct cpus_panel *s = state_of(view);
    if (s->by_thread) {
        td_table_panel_update(view, &threads);
        select_followed(view, s);
    }
    td_table_panel_draw(view, shown_of(view), place);
}

static bool take_cpus_key(struct td_view *view, const struct td_key_press *press)
{
    struct cpus_panel *s = state_of(view);
    if (td_panel_has_keys(view, TD_PANEL_CPUS) && press->key == TD_KEY_BACKSPACE && s->by_thread) {
        s->by_thread = 0;
        return true;
    }
    return td_table_panel_key(view, shown_of(view), press);
}

static char *copy_cpus(struct td_view *view, enum td_copy_form form)
{
    return td_table_panel_copy(view, shown_of(view), form);
}

static bool toggle_column(struct td_view *view, const char *title)
{
    return td_table_toggle_column(view, shown_of(view), title);
}

static bool cpus_are_busy(const struct td_view *view)
{
    return state_of(view)->processes.job.running || state_of(view)->threads.job.running;
}

static void free_cpus(struct td_view *view)
{
    td_table_panel_free(view, &processes);
    td_table_panel_free(view, &threads);
}

/* Lists the thread among all threads. */
static void show_thread(struct td_view *view, uint64_t thread)
{
    struct cpus_panel *s = state_of(view);
    view->selection.followed = (struct td_followed){.thread = thread};
    s->by_thread = 1;
    s->of = (struct td_cpu_wanted){0};
    td_panel_set_open(view, TD_PANEL_CPUS, true);
}

static bool click_run(struct td_view *view)
{
    if (!view->hover.thread)
        return false;
    show_thread(view, view->hover.thread);
    return true;
}

int td_cpus_follow(struct td_view *view, const char *text, struct td_err *err)
{
    static const char of_process[] = "process ";
    const bool is_process = text && !strncmp(text, of_process, sizeof of_process - 1);
    struct cpus_panel *s = state_of(view);
    char *end;
    if (!text) {
        view->selection.followed = (struct td_followed){0};
        return 0;
    }
    const char *digits = is_process ? text + sizeof of_process - 1 : text;
    const uint64_t id = strtoull(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || !id)
        return td_fail(err, TD_E_USAGE,
                       "'%.80s' is not a thread's number or track, nor 'process' and a number", text);
    if (!is_process) {
        show_thread(view, id);
        return 0;
    }
    view->selection.followed = (struct td_followed){.process = id};
    s->by_thread = 1;
    s->of = (struct td_cpu_wanted){true, true, id};
    td_panel_set_open(view, TD_PANEL_CPUS, true);
    return 0;
}

static const struct td_help_line cpus_help[] = {
    {"Shift+D", "what the processors ran"},
    {"Click on a run", "lists its thread, and shows its runs on all processors"},
    {"V, Backspace in it", "threads or processes, back to the processes"},
    {"Y in it", "the threads of all processes"},
    {"Enter in it", "zooms to the longest run of the thread"},
    {0},
};

const struct td_panel td_panel_cpus = {
    .name = "cpus",
    .dock = TD_DOCK_BOTTOM,
    .title = "CPU data",
    .group = TD_GROUP_THREADS,
    .page = "Which programs kept the processors busy?",
    .lacks = td_lacks_cpu_data,
    .keys = {{.key = 'd', .shift = true}},
    .help = cpus_help,
    .state_bytes = sizeof(struct cpus_panel),
    .draw = draw_cpus,
    .free_state = free_cpus,
    .is_busy = cpus_are_busy,
    .copy = copy_cpus,
    .toggle_column = toggle_column,
    .take_key = take_cpus_key,
    .take_click = click_run,
};
