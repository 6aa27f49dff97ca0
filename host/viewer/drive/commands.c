#include "host/viewer/drive/commands.h"
#include "host/base/nearest.h"
#include "host/viewer/ui/drawing.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/notes.h"
#include "host/query/sums/zone_at.h"
#include "host/query/table/track_name.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/panels/chip.h"
#include "host/viewer/panels/compare.h"
#include "host/viewer/panels/cpus.h"
#include "host/viewer/panels/flame.h"
#include "host/viewer/panels/memory_pages.h"
#include "host/viewer/panels/messages.h"
#include "host/viewer/panels/notes_panel.h"
#include "host/viewer/panels/operations.h"
#include "host/viewer/panels/playback.h"
#include "host/viewer/panels/source.h"
#include "host/viewer/panels/symbols.h"
#include "host/viewer/panels/waits.h"
#include "host/viewer/drive/drift.h"
#include "host/viewer/drive/panel_commands.h"
#include "host/viewer/drive/window_commands.h"
#include "host/viewer/drive/presets.h"
#include "host/viewer/drive/report.h"
#include "host/viewer/drive/row_commands.h"
#include "host/base/time_text.h"
#include "host/viewer/timeline/critical.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 1024

/* A command that runs: its arguments end with NULLs. */
struct command_call {
    struct td_view *view;
    const char *argument[TD_REQUEST_WORDS + 1];
    cJSON *result; /* NULL: no reply is wanted */
    struct td_err *err;
};

static int bad_argument(const struct command_call *c, const char *argument, const char *what)
{
    return td_fail(c->err, TD_E_USAGE, "'%.80s' is not %s", argument, what);
}

static int read_range(const struct command_call *c, const char *text, double *from, double *to)
{
    return td_range_parse(text, from, to) == 0
               ? 0
               : bad_argument(c, text, "a time range such as 1.2ms..1.5ms (units: " TD_TIME_UNITS ")");
}

static int read_time(const struct command_call *c, const char *text, double *ns)
{
    return td_time_parse(text, strlen(text), ns) == 0
               ? 0
               : bad_argument(c, text, "a time such as 1.2ms (units: " TD_TIME_UNITS ")");
}

/* Commands that are a function of the view and one argument. */
#define ONE_ARGUMENT(name, function)                                                                         \
    static int run_##name(const struct command_call *c)                                                      \
    {                                                                                                        \
        return function(c->view, c->argument[0], c->err);                                                    \
    }
ONE_ARGUMENT(lanes, td_drive_lanes)
ONE_ARGUMENT(group, td_drive_group)
ONE_ARGUMENT(pin, td_drive_pin)
ONE_ARGUMENT(unpin, td_drive_unpin)
ONE_ARGUMENT(hide, td_drive_hide)
ONE_ARGUMENT(show, td_drive_show)
ONE_ARGUMENT(order, td_drive_order)
ONE_ARGUMENT(only, td_drive_only)
ONE_ARGUMENT(collapse, td_drive_collapse)
ONE_ARGUMENT(expand, td_drive_expand)
ONE_ARGUMENT(split, td_drive_split)
ONE_ARGUMENT(samples, td_symbols_of_zones)
ONE_ARGUMENT(back, td_drive_back)
ONE_ARGUMENT(forward, td_drive_forward)
ONE_ARGUMENT(search, td_drive_search)
ONE_ARGUMENT(palette, td_drive_palette)
ONE_ARGUMENT(prompt, td_drive_prompt)
ONE_ARGUMENT(menu, td_drive_menu)
ONE_ARGUMENT(clipboard, td_drive_clipboard)
ONE_ARGUMENT(welcome, td_drive_welcome)
ONE_ARGUMENT(track, td_drive_track)
ONE_ARGUMENT(beside, td_compare_beside)
ONE_ARGUMENT(compare, td_compare_open)
ONE_ARGUMENT(symbol, td_view_show_symbol)
ONE_ARGUMENT(source, td_view_show_file)
ONE_ARGUMENT(listing, td_view_save_listing)
ONE_ARGUMENT(sweep, td_chip_sweep)
ONE_ARGUMENT(chip, td_chip_show_measure)
ONE_ARGUMENT(operation, td_operation_choose)
ONE_ARGUMENT(playback, td_playback_do)

/* ---- moving ---- */

static int run_goto(const struct command_call *c)
{
    struct td_camera *camera = &c->view->camera;
    double time, half = (camera->to_end_ns - camera->to_start_ns) / 2;
    if (read_time(c, c->argument[0], &time) < 0)
        return TD_E_USAGE;
    td_camera_set_range(camera, time - half, time + half, false);
    return 0;
}

static int run_zoom(const struct command_call *c)
{
    struct td_view *view = c->view;
    double from, to;
    if (!c->argument[0]) {
        td_view_zoom_to_choice(view);
        return 0;
    }
    if (read_range(c, c->argument[0], &from, &to) < 0)
        return TD_E_USAGE;
    td_camera_set_range(&view->camera, from, to, false);
    return 0;
}

static int run_fit(const struct command_call *c)
{
    td_camera_fit(&c->view->camera, false);
    return 0;
}

/* ---- zones ---- */

static int run_find(const struct command_call *c)
{
    td_view_search(c->view, c->argument[0] ? c->argument[0] : "");
    return 0;
}

static int step_match(const struct command_call *c, bool forward)
{
    if (!c->view->find.active)
        return td_fail(c->err, TD_E_USAGE, "there is no search; begin one with: find NAME");
    if (!td_matches_count(c->view->find.matches))
        return td_fail(c->err, TD_E_NOTFOUND, "no zone name passes '%.80s'", c->view->find.text);
    td_view_next_match(c->view, forward);
    return 0;
}

static int run_next(const struct command_call *c)
{
    return step_match(c, true);
}

static int run_previous(const struct command_call *c)
{
    return step_match(c, false);
}

static int run_select(const struct command_call *c)
{
    struct td_view *view = c->view;
    double time;
    if (!c->argument[0]) {
        td_view_select(view, TD_NO_ZONE);
        return 0;
    }
    if (!c->argument[1])
        return td_fail(c->err, TD_E_USAGE, "select needs a track and a time");
    if (read_time(c, c->argument[1], &time) < 0)
        return TD_E_USAGE;
    const uint32_t track = td_drive_find_track(view, c->argument[0]);
    if (track == UINT32_MAX)
        return td_fail(c->err, TD_E_NOTFOUND, "there is no track '%.80s'", c->argument[0]);
    struct td_zone_ref zone = td_zone_at(view->model.trace, track, td_lod_time(time));
    if (!td_ref_valid(zone))
        return td_fail(c->err, TD_E_NOTFOUND, "track '%.80s' has no zone at %s",
                       td_dict_text(view->model.dict, td_dict_get_track(view->model.dict, track)->name),
                       c->argument[1]);
    td_view_select(view, zone);
    td_view_show_zone(view, zone, false);
    return 0;
}

/* ---- panels ---- */

ONE_ARGUMENT(open, td_drive_open)
ONE_ARGUMENT(close, td_drive_close)
ONE_ARGUMENT(manual, td_drive_manual)
ONE_ARGUMENT(fill, td_drive_fill)
ONE_ARGUMENT(arrange, td_drive_arrange)
#define TWO_ARGUMENTS(name, function)                                                                        \
    static int run_##name(const struct command_call *c)                                                      \
    {                                                                                                        \
        return function(c->view, c->argument[0], c->argument[1], c->err);                                    \
    }
TWO_ARGUMENTS(between, td_compare_between)
TWO_ARGUMENTS(column, td_drive_column)
TWO_ARGUMENTS(dock, td_drive_dock)
TWO_ARGUMENTS(swap, td_drive_swap)
TWO_ARGUMENTS(move, td_drive_move)
TWO_ARGUMENTS(ghosts, td_drive_ghosts)
TWO_ARGUMENTS(join, td_drive_join)
TWO_ARGUMENTS(view, td_drive_view)

static int run_copy(const struct command_call *c)
{
    return td_drive_copy(c->view, c->argument[0], c->argument[1], c->result, c->err);
}

static int run_set(const struct command_call *c)
{
    return c->argument[1] ? td_view_choose(c->view, c->argument[0], c->argument[1], c->err)
                          : td_view_choose_next(c->view, c->argument[0], c->err);
}

static int run_drift(const struct command_call *c)
{
    return td_drive_drift(&c->view->model, c->argument[0], c->argument[1], c->argument[2], c->err);
}

static int run_frame(const struct command_call *c)
{
    const char *text = c->argument[0];
    if (!td_view_has_frames(c->view, c->view->selection.frame_set))
        return td_fail(c->err, TD_E_NOTFOUND, "there are no frames");
    if (!strcmp(text, "next") || !strcmp(text, "previous"))
        td_view_next_frame(c->view, *text == 'n');
    else if (!td_view_show_frame_number(c->view, text))
        return td_fail(c->err, TD_E_NOTFOUND, "there is no frame '%.80s'", text);
    return 0;
}

static int run_runs(const struct command_call *c)
{
    const char *text = c->argument[0];
    char number[24];
    if (text && (*text < '0' || *text > '9') && strncmp(text, "process ", 8) != 0) {
        const uint32_t track = td_drive_find_track(c->view, text);
        snprintf(number, sizeof number, "%" PRIu64,
                 track == UINT32_MAX ? 0 : td_dict_get_track(c->view->model.dict, track)->thread);
        text = track == UINT32_MAX ? text : number;
    }
    return td_cpus_follow(c->view, text, c->err);
}

static int run_frameset(const struct command_call *c)
{
    return td_view_frame_set_do(c->view, c->argument[0], c->argument[1], c->err);
}

static int run_critical(const struct command_call *c)
{
    struct td_view *view = c->view;
    double from, to;
    uint64_t thread;
    int64_t from_ns, to_ns;
    if (c->argument[0] && !c->argument[1])
        return td_fail(c->err, TD_E_USAGE, "critical needs a track and a range");
    if (c->argument[0]) {
        const uint32_t track = td_drive_find_track(view, c->argument[0]);
        if (track == UINT32_MAX)
            return td_fail(c->err, TD_E_NOTFOUND, "there is no track '%.80s'", c->argument[0]);
        if (read_range(c, c->argument[1], &from, &to) < 0)
            return TD_E_USAGE;
        td_view_select_wait(view, track, td_lod_time(from), td_lod_time(to));
    }
    if (!td_view_critical_of(view, &thread, &from_ns, &to_ns))
        return td_fail(c->err, TD_E_NOTFOUND,
                       "no wait and no zone of a thread with context switches is selected");
    td_waits_show_path(view);
    return 0;
}

static int run_layout(const struct command_call *c)
{
    const char *text = c->argument[0];
    int number = text[0] && !text[1] ? text[0] - '0' : 0;
    for (int i = 1; i <= TD_PRESETS; i++)
        number = strcasecmp(text, td_preset_name(i)) == 0 ? i : number;
    if (!td_preset_name(number))
        return bad_argument(c, text, "a layout: 1 (Explore), 2 (Cores), 3 (Find), 4 (Record)");
    td_preset_show(c->view, number);
    return 0;
}

static int run_focus(const struct command_call *c)
{
    bool next = !strcmp(c->argument[0], "next");
    if (!next && strcmp(c->argument[0], "previous") != 0)
        return bad_argument(c, c->argument[0], "next or previous");
    td_region_next_focus(c->view, next ? 1 : -1);
    return 0;
}

static int run_cpu(const struct command_call *c)
{
    return td_view_set_processor(c->view, strcmp(c->argument[0], "off") ? c->argument[0] : "", c->err);
}

static int run_code(const struct command_call *c)
{
    return td_source_do(c->view, c->argument[0], c->argument[1], c->err);
}

static int run_flame(const struct command_call *c)
{
    return td_flame_do(c->view, c->argument[0], c->argument[1], c->err);
}

static int run_memory(const struct command_call *c)
{
    return td_memory_do(c->view, c->argument[0], c->argument[1], c->err);
}

static int run_messages(const struct command_call *c)
{
    const char *word = c->argument[0], *name = c->argument[1] ? c->argument[1] : word;
    bool has_track = strcmp(word, "only") == 0;
    for (size_t i = 0; !c->argument[1] && td_messages_word(i) && !has_track; i++)
        if (!strcmp(td_messages_word(i), word))
            return td_messages_choose(c->view, word, TD_NO_TRACK, c->err);
    if (c->argument[1] && !has_track)
        return bad_argument(c, word, "all, none or only");
    const uint32_t track = td_drive_find_track(c->view, name);
    if (track == UINT32_MAX)
        return td_fail(c->err, TD_E_NOTFOUND, "there is no track '%.80s'", name);
    return td_messages_choose(c->view, has_track ? word : "", track, c->err);
}

/* ---- ranges ---- */

static const char *const limits[] = {"all", "visible", "marked"};

const char *td_view_limit_word(size_t index)
{
    return index < sizeof limits / sizeof *limits ? limits[index] : NULL;
}

static int run_limit(const struct command_call *c)
{
    for (int i = 0; i <= TD_LIMIT_MARKED; i++)
        if (!strcmp(c->argument[0], limits[i])) {
            if (i == TD_LIMIT_MARKED && !c->view->selection.measured)
                return td_fail(c->err, TD_E_USAGE, "no range is marked; mark one with: mark A..B");
            c->view->selection.limit = (enum td_limit)i;
            return 0;
        }
    return bad_argument(c, c->argument[0], "all, visible or marked");
}

static int run_mark(const struct command_call *c)
{
    struct td_view *view = c->view;
    double from = 0, to = 0;
    if (c->argument[0] && !strcmp(c->argument[0], "selected")) {
        if (!td_ref_valid(view->selection.zone))
            return td_fail(c->err, TD_E_USAGE, "no zone is selected");
        const struct td_zone zone = td_view_zone(view, view->selection.zone);
        from = td_view_shown_ns(&view->model, view->selection.zone.track, (double)zone.start_ns);
        to = td_view_shown_ns(&view->model, view->selection.zone.track, td_view_zone_end(view, &zone));
    } else if (c->argument[0] && read_range(c, c->argument[0], &from, &to) < 0) {
        return TD_E_USAGE;
    }
    view->selection.measured = c->argument[0] != NULL;
    if (view->selection.measured) {
        view->selection.measure_from_ns = from;
        view->selection.measure_to_ns = to;
    }
    return 0;
}

/* The first argument is a range, or already a part of the text. */
static int run_note(const struct command_call *c)
{
    char text[TD_ANNOTATION_TEXT];
    double from = 0, to = 0;
    bool has_range = c->argument[0] && td_range_parse(c->argument[0], &from, &to) == 0;
    const char *first = c->argument[0] && !has_range ? c->argument[0] : "",
               *rest = c->argument[0] ? c->argument[1] : NULL;
    snprintf(text, sizeof text, "%s%s%s", first, *first && rest ? " " : "", rest ? rest : "");
    return td_view_add_note(c->view, from, has_range ? to : from, text, c->err);
}

static int run_describe(const struct command_call *c)
{
    snprintf(c->view->model.description, sizeof c->view->model.description, "%s",
             c->argument[0] ? c->argument[0] : "");
    return 0;
}

static int run_path(const struct command_call *c)
{
    struct td_source_paths *paths = &c->view->model.source_paths;
    if (c->argument[0])
        return td_source_paths_add(paths, c->argument[0], c->err);
    while (paths->count)
        td_source_paths_remove(paths, 0);
    return 0;
}

static int run_notes(const struct command_call *c)
{
    struct td_view *view = c->view;
    const bool next = !strcmp(c->argument[0], "next"), edit = !strcmp(c->argument[0], "edit");
    if (!next && !edit && strcmp(c->argument[0], "previous") != 0)
        return bad_argument(c, c->argument[0], "next, previous or edit");
    if (!view->notes.count)
        return td_fail(c->err, TD_E_NOTFOUND, "there are no notes");
    if (edit) {
        td_notes_edit(view);
        return 0;
    }
    size_t count = view->notes.count, at = next ? 0 : count - 1;
    if (view->selection.note >= 1 && (size_t)view->selection.note <= count)
        at = ((size_t)view->selection.note - 1 + (next ? 1 : count - 1)) % count;
    td_view_show_note(view, at);
    return 0;
}

/* ---- the program ---- */

static int wish(const struct command_call *c, char **to)
{
    free(*to);
    *to = strdup(c->argument[0]);
    return *to ? 0 : td_fail_no_memory(c->err, NULL);
}

static int run_screenshot(const struct command_call *c)
{
    return td_picture_check(c->argument[0], "png", c->err) < 0 ? TD_E_USAGE : wish(c, &c->view->wishes.png);
}

static int run_export(const struct command_call *c)
{
    const char *path = c->argument[0];
    const char *format = td_drawing_kind_of(path) == TD_DRAWING_PDF ? "pdf" : "svg";
    return td_picture_check(path, format, c->err) < 0 ? TD_E_USAGE : wish(c, &c->view->wishes.drawing);
}

static int run_quit(const struct command_call *c)
{
    if (c->argument[0] && strcmp(c->argument[0], "discard") != 0)
        return bad_argument(c, c->argument[0], "'discard'");
    c->view->wishes.quit = true;
    c->view->wishes.discards = c->argument[0] != NULL;
    return 0;
}

static int run_state(const struct command_call *c)
{
    if (c->result)
        td_report_state(c->view, limits[c->view->selection.limit], c->result);
    return 0;
}

static int run_controls(const struct command_call *c)
{
    td_report_controls(c->view, c->result);
    return 0;
}

static int run_frames(const struct command_call *c)
{
    td_report_frames(c->view, c->result);
    return 0;
}

/* ---- the table ---- */

static const struct td_view_command commands[] = {
#define TD_X(name, arguments, least, most, help) {#name, arguments, help, least, most},
    TD_VIEW_COMMANDS(TD_X)
#undef TD_X
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static int (*const runs[])(const struct command_call *c) = {
#define TD_X(name, arguments, least, most, help) run_##name,
    TD_VIEW_COMMANDS(TD_X)
#undef TD_X
};

static const struct command_key {
    int key;
    bool shift;
    const char *line;
} keys[] = {{'f', false, "fit"},
            {'z', false, "zoom"},
            {'c', false, "collapse"},
            {'c', true, "expand"},
            {'n', false, "next"},
            {'n', true, "previous"},
            {TD_KEY_F3, false, "next"},
            {TD_KEY_F3, true, "previous"},
            {'1', false, "layout 1"},
            {'2', false, "layout 2"},
            {'3', false, "layout 3"},
            {'4', false, "layout 4"},
            {'5', false, "set cpus"},
            {'6', false, "set switches"},
            {'7', false, "set samples"},
            {'8', false, "set ghosts"},
            {'\'', false, "notes next"},
            {'"', true, "notes previous"},
            {TD_KEY_TAB, false, "focus next"},
            {TD_KEY_TAB, true, "focus previous"}};

const struct td_view_command *td_view_command_at(size_t index)
{
    return index < COMMANDS ? &commands[index] : NULL;
}

const struct td_view_command *td_view_command_named(const char *name)
{
    const struct td_view_command *found = NULL;
    for (size_t i = 0; i < COMMANDS; i++) {
        if (!strcmp(commands[i].name, name))
            return &commands[i];
        if (!strncmp(commands[i].name, name, strlen(name))) {
            if (found)
                return NULL;
            found = &commands[i];
        }
    }
    return found;
}

int td_view_command_check(const struct td_view_command *command, const struct td_script_words *words,
                          struct td_err *err)
{
    const size_t given = words->count - 1;
    return given >= (size_t)command->least && (!given || command->most)
               ? 0
               : td_fail(err, TD_E_USAGE, "usage: %s%s%s", command->name, *command->arguments ? " " : "",
                         command->arguments);
}

int td_view_command_unknown(const char *name, struct td_err *err)
{
    struct td_nearest nearest = {.word = name};
    for (size_t i = 0; i < COMMANDS; i++)
        td_nearest_offer(&nearest, commands[i].name);
    return nearest.name
               ? td_fail(err, TD_E_USAGE, "there is no command '%.80s': did you mean %s?", name, nearest.name)
               : td_fail(err, TD_E_USAGE, "there is no command '%.80s'", name);
}

static int call_command(const struct td_view_command *command, struct command_call *c,
                        const struct td_script_words *words)
{
    char rest[LINE_BYTES] = "";
    size_t used = 0, given = words->count - 1, most = (size_t)command->most;
    const int rc = td_view_command_check(command, words, c->err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < given && i < most; i++)
        c->argument[i] = words->word[i + 1];
    for (size_t i = most; most && given > most && i <= given; i++) {
        used +=
            (size_t)snprintf(rest + used, sizeof rest - used, "%s%s", i > most ? " " : "", words->word[i]);
        if (used >= sizeof rest)
            return td_fail(c->err, TD_E_LIMIT, "the arguments of %s are too long", command->name);
        c->argument[most - 1] = rest;
    }
    return runs[command - commands](c);
}

int td_view_run(struct td_view *view, const struct td_script_words *words, cJSON *result, struct td_err *err)
{
    if (!words->count)
        return 0;
    const struct td_view_command *command = td_view_command_named(words->word[0]);
    struct command_call c = {.view = view, .result = result, .err = err};
    if (!command)
        return td_view_command_unknown(words->word[0], err);
    return call_command(command, &c, words);
}

int td_view_command_line(struct td_view *view, const char *line, struct td_err *err)
{
    struct td_script_words words;
    int rc = td_words_next(&words, &line, err);
    if (rc == 0)
        rc = td_view_run(view, &words, NULL, err);
    td_words_free(&words);
    return rc;
}

bool td_view_command_key(struct td_view *view, const struct td_key_press *press)
{
    /* Which signs need Shift depends on the keyboard. */
    bool is_sign = press->key < 0x80 && !isalpha(press->key);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == press->key && (is_sign || keys[i].shift == press->shift) && !press->ctrl &&
            !press->alt) {
            /* A key without effect, such as that for the next match of no search, is no mistake. */
            td_view_command_line(view, keys[i].line, NULL);
            return true;
        }
    return false;
}
