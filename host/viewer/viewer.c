#include "host/viewer/viewer.h"
#include "host/viewer/commands.h"
#include "host/viewer/driver.h"
#include "host/viewer/listen.h"
#include "host/viewer/notes_file.h"
#include "host/viewer/panels/compare.h"
#include "host/viewer/view.h"
#include "host/base/clock.h"
#include "host/base/interrupt.h"
#include "host/base/plain_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DEFAULT_WIDTH  1600
#define DEFAULT_HEIGHT 900
#define REFRESH_MS     33 /* between looks at a trace that grows */
#define RESULT_MS      8  /* between looks at what threads make for the picture */
#define SETTLE_FRAMES  3  /* frames after an event until widgets no longer change */

static bool only_draws(const struct td_viewer_options *options)
{
    return options->screenshot || options->svg;
}

/* Opens the panels of a list. */
static int open_panels(struct td_view *view, const char *names, struct td_err *err)
{
    char copy[256], *rest = NULL;
    struct td_err why = {0};
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        if (td_view_open_panel(view, name, &why) < 0)
            return td_fail(err, TD_E_USAGE, "--open %s: %s", name, why.text);
    return 0;
}

static int apply_options(struct td_view *view, const struct td_viewer_options *options, struct td_err *err)
{
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    if (options->lanes && !td_lane_filter_parse(&filter, options->lanes, &mistake))
        return td_fail(err, TD_E_USAGE, "--lanes: %s, at \"%.40s\"", mistake.text,
                       options->lanes + mistake.at);
    if (options->lanes)
        td_lanes_set_filter(view, options->lanes);
    if (options->open && open_panels(view, options->open, err) < 0)
        return TD_E_USAGE;
    if (options->collapse)
        td_view_collapse(view, true);
    if (options->zoom)
        td_camera_set_range(&view->camera, options->zoom_start_ns, options->zoom_end_ns, true);
    if (options->find) {
        td_view_search(view, options->find);
        td_panel_set_open(view, TD_PANEL_FIND, only_draws(options) && !options->select);
    }
    return 0;
}

/* What the options ask for that needs the size of the rows' area, which is known after a frame. */
static int run_script(struct td_view *view, const struct td_viewer_options *options, struct td_err *err)
{
    struct td_err why = {0};
    if (!options->select && !options->commands && !options->compare)
        return 0;
    if (options->compare && td_compare_open(view, options->compare, &why) < 0)
        return td_fail(err, TD_E_IO, "--compare: %s", why.text);
    td_driver_settle(view);
    if (options->compare && td_compare_error(view))
        return td_fail(err, TD_E_FORMAT, "--compare: %s", td_compare_error(view));
    if (options->select)
        td_view_next_match(view, true);
    if (options->commands && td_driver_script(view, options->commands, &why) < 0)
        return td_fail(err, why.code, "--command: %s", why.text);
    return 0;
}

static int draw_pictures(struct td_ui *ui, struct td_view *view, const struct td_viewer_options *options,
                         struct td_err *err)
{
    int rc = 0;
    td_driver_settle(view);
    if (options->screenshot)
        rc = td_ui_save_png(ui, options->screenshot, err);
    if (rc == 0 && options->svg)
        rc = td_driver_export(view, options->svg, err);
    return rc;
}

/* How long to wait for input. */
static int wait_ms_of(struct td_view *view, bool drawing)
{
    if (drawing)
        return 0;
    if (td_view_background(view))
        return RESULT_MS;
    return view->live && td_live_get_state(view->live) != TD_LIVE_FINISHED ? REFRESH_MS : -1;
}

/* Notes of a trace that grows are not kept: it has no name yet. */
static int save_notes(struct td_view *view, struct td_err *err)
{
    if (!view->notes.changed || view->live)
        return 0;
    view->notes.changed = false;
    return td_notes_write(&view->notes, td_trace_get_info(view->trace), err);
}

static void read_notes(struct td_view *view)
{
    struct td_err err = {0};
    if (!view->live && td_notes_read(&view->notes, td_trace_get_info(view->trace), &err) < 0)
        td_view_say(view, err.text);
}

static void run_window(struct td_ui *ui, struct td_view *view, struct td_listen *listen)
{
    int frames = SETTLE_FRAMES, news;
    int64_t refresh_ms = 0;
    bool moving = false;
    while (!view->quit && (news = td_ui_poll(ui, wait_ms_of(view, frames > 0 || moving)))) {
        if (news > 1 || td_driver_step(view, listen))
            frames = SETTLE_FRAMES;
        if (td_mono_ms() - refresh_ms >= REFRESH_MS) {
            refresh_ms = td_mono_ms();
            if (td_view_refresh(view))
                frames = frames > 1 ? frames : 1;
        }
        if (td_view_background(view) > 1 && frames < 1)
            frames = 1;
        if (frames <= 0 && !moving) {
            struct td_err err = {0};
            if (save_notes(view, &err) < 0)
                td_view_say(view, err.text);
            continue;
        }
        td_ui_begin(ui);
        moving = td_view_frame(view);
        td_ui_end(ui);
        frames--;
    }
}

static int show_view(struct td_ui *ui, struct td_view *view, const struct td_viewer_options *options,
                     struct td_err *err)
{
    struct td_listen *listen = options->listen ? td_listen_open(options->listen, td_ui_wake, err) : NULL;
    if (options->listen && !listen)
        return err->code;
    read_notes(view);
    int rc = apply_options(view, options, err);
    if (rc == 0)
        rc = run_script(view, options, err);
    if (rc == 0 && only_draws(options))
        rc = draw_pictures(ui, view, options, err);
    else if (rc == 0 && (rc = td_view_use_threads(view, err)) == 0)
        run_window(ui, view, listen);
    if (rc == 0 && !only_draws(options))
        rc = save_notes(view, err);
    td_listen_close(listen);
    return rc;
}

static int run_viewer(struct td_trace *trace, struct td_live *live, const char *path,
                      const struct td_viewer_options *options, struct td_err *err)
{
    char title[300];
    snprintf(title, sizeof title, "%.250s - Tendril", TD_PLAIN(path));
    struct td_ui_options window = {.title = title,
                                   .width = options->width ? options->width : DEFAULT_WIDTH,
                                   .height = options->height ? options->height : DEFAULT_HEIGHT,
                                   .scale = options->scale,
                                   .offscreen = only_draws(options) || options->offscreen};
    struct td_ui *ui = td_ui_open(&window, err);
    if (!ui)
        return err && err->code ? err->code : TD_E_NOTFOUND;
    struct td_view view;
    int rc = td_view_init(&view, ui, trace, live, path, err);
    if (rc == 0) {
        rc = show_view(ui, &view, options, err);
        td_view_free(&view);
    }
    td_ui_close(ui);
    return rc;
}

int td_viewer_run(struct td_trace *trace, const char *path, const struct td_viewer_options *options,
                  struct td_err *err)
{
    return run_viewer(trace, NULL, path, options, err);
}

int td_viewer_run_live(struct td_live *live, const char *where, const struct td_viewer_options *options,
                       struct td_err *err)
{
    if (!only_draws(options))
        return run_viewer(td_live_trace(live), live, where, options, err);
    const volatile int *interrupts = td_interrupt_count();
    while (td_live_get_state(live) != TD_LIVE_ENDED) {
        if (*interrupts)
            td_live_stop(live);
        nanosleep(&(struct timespec){0, REFRESH_MS * 1000000}, NULL);
    }
    int rc = td_live_finish(live, err);
    return rc < 0 ? rc : run_viewer(td_live_trace(live), NULL, where, options, err);
}
