#include "host/viewer/app/viewer.h"
#include "host/file/load.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/timeline/notes.h"
#include "host/viewer/drive/driver.h"
#include "host/viewer/model/notes_file.h"
#include "host/viewer/panels/compare.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"
#include "host/base/interrupt.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define DEFAULT_WIDTH  1600
#define DEFAULT_HEIGHT 900
#define LOOK_NS        33000000

static bool only_draws(const struct td_viewer_options *options)
{
    return options->screenshot || options->svg || options->pdf;
}

/* Does the command of an option, if that was given. */
static int do_first(struct td_view *view, const struct td_viewer_options *options, enum td_view_first which,
                    struct td_err *err)
{
    static const char *const names[] = {
#define TD_X(name, kind, type, argument, help) #name,
        TD_VIEW_FIRST(TD_X)
#undef TD_X
    };
    const char *text = options->first[which].text;
    const struct td_script_words words = {.count = text ? 2 : 1, .word = {names[which], text}};
    struct td_err why = {0};
    if ((!text && !options->first[which].flag) || td_view_run(view, &words, NULL, &why) == 0)
        return 0;
    return td_fail(err, why.code, "--%s: %s", names[which], why.text);
}

int td_view_apply_options(struct td_view *view, const struct td_viewer_options *options, struct td_err *err)
{
    struct td_camera *camera = &view->camera;
    for (int i = 0; i < TD_FIRST_compare; i++) {
        const int rc = do_first(view, options, (enum td_view_first)i, err);
        if (rc < 0)
            return rc;
    }
    if (options->first[TD_FIRST_zoom].text)
        td_camera_set_range(camera, camera->to_start_ns, camera->to_end_ns, true);
    if (options->first[TD_FIRST_find].text)
        td_panel_set_open(view, TD_PANEL_FIND, only_draws(options) && !options->select);
    return 0;
}

int td_view_run_script(struct td_view *view, const struct td_viewer_options *options, struct td_err *err)
{
    const bool compares = options->first[TD_FIRST_compare].text != NULL;
    struct td_err why = {0};
    int rc = do_first(view, options, TD_FIRST_compare, err);
    if (rc < 0 || (!options->select && !options->commands && !compares))
        return rc;
    /* In a window the other trace is read while this one is shown. */
    if (!only_draws(options) && !options->select && !options->commands && !options->listen)
        return 0;
    td_driver_settle(view);
    if (compares && td_compare_error(view))
        return td_fail(err, TD_E_FORMAT, "--compare: %s", td_compare_error(view));
    if (options->select)
        td_view_next_match(view, true);
    if (options->select) /* they are above the panel of the selected zone */
        rc = do_first(view, options, TD_FIRST_open, err);
    if (rc < 0)
        return rc;
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
        rc = td_driver_export(view, options->svg, TD_DRAWING_SVG, err);
    if (rc == 0 && options->pdf)
        rc = td_driver_export(view, options->pdf, TD_DRAWING_PDF, err);
    return rc;
}

int td_view_save_notes(struct td_view *view, struct td_err *err)
{
    if (!view->notes.changed || view->model.live)
        return 0;
    view->notes.changed = false;
    return td_notes_write(&view->notes, td_trace_get_info(view->model.trace), view->model.file_sum, err);
}

void td_view_read_notes(struct td_view *view)
{
    struct td_err err = {0};
    if (!view->model.live &&
        td_notes_read(&view->notes, td_trace_get_info(view->model.trace), view->model.file_sum, &err) < 0)
        td_view_say(view, err.text);
}

int td_viewer_draw(struct td_trace *trace, const char *path, const struct td_viewer_options *options,
                   struct td_err *err)
{
    struct td_ui_options window = {.title = "Tendril",
                                   .width = options->width ? options->width : DEFAULT_WIDTH,
                                   .height = options->height ? options->height : DEFAULT_HEIGHT,
                                   .scale = options->scale,
                                   .offscreen = true};
    struct td_ui *ui = td_ui_open(&window, err);
    if (!ui)
        return err && err->code ? err->code : TD_E_NOTFOUND;
    struct td_view view;
    int rc = td_view_init(&view, ui, trace, NULL, path, err);
    if (rc == 0) {
        view.model.load = options->load;
        td_source_paths_init(&view.model.source_paths, &options->path_rules, NULL); /* they were checked */
        view.model.file_version = options->load ? options->load->version : 0;
        td_view_read_notes(&view);
        rc = td_view_apply_options(&view, options, err);
        if (rc == 0)
            rc = td_view_run_script(&view, options, err);
        if (rc == 0)
            rc = draw_pictures(ui, &view, options, err);
        td_view_free(&view);
    }
    td_ui_close(ui);
    return rc;
}

int td_viewer_draw_live(const char *host, int port, const char *where,
                        const struct td_viewer_options *options, struct td_err *err)
{
    struct td_live *live = td_live_open(host, port, err);
    if (!live)
        return TD_E_IO;
    const volatile int *interrupts = td_interrupt_count();
    while (td_live_get_state(live) != TD_LIVE_ENDED) {
        if (*interrupts)
            td_live_stop(live);
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
    int rc = td_live_finish(live, err);
    rc = rc < 0 ? rc : td_viewer_draw(td_live_trace(live), where, options, err);
    td_live_close(live);
    return rc;
}
