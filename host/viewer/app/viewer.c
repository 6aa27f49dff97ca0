#include "host/viewer/panels/source.h"
#include "host/viewer/app/viewer.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/drive/driver.h"
#include "host/viewer/notes_file.h"
#include "host/viewer/panels/compare.h"
#include "host/viewer/panels/chip.h"
#include "host/viewer/view.h"
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

int td_view_apply_options(struct td_view *view, const struct td_viewer_options *options, struct td_err *err)
{
    struct td_lane_filter filter;
    struct td_lane_mistake mistake;
    if (options->lanes && !td_lane_filter_parse(&filter, options->lanes, &mistake))
        return td_fail(err, TD_E_USAGE, "--lanes: %s, at \"%.40s\"", mistake.text,
                       options->lanes + mistake.at);
    if (options->lanes)
        td_lanes_set_filter(view, options->lanes);
    if (options->symbol && td_view_show_symbol(view, options->symbol, err) < 0)
        return err->code;
    if (options->open && open_panels(view, options->open, err) < 0)
        return TD_E_USAGE;
    if (options->chip && td_chip_show_measure(view, options->chip, err) < 0)
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

int td_view_run_script(struct td_view *view, const struct td_viewer_options *options, struct td_err *err)
{
    struct td_err why = {0};
    if (!options->select && !options->commands && !options->compare)
        return 0;
    if (options->compare && td_compare_open(view, options->compare, &why) < 0)
        return td_fail(err, TD_E_IO, "--compare: %s", why.text);
    /* In a window the other trace is read while this one is shown. */
    if (!only_draws(options) && !options->select && !options->commands && !options->listen)
        return 0;
    td_driver_settle(view);
    if (options->compare && td_compare_error(view))
        return td_fail(err, TD_E_FORMAT, "--compare: %s", td_compare_error(view));
    if (options->select)
        td_view_next_match(view, true);
    if (options->select && options->open && open_panels(view, options->open, err) < 0)
        return TD_E_USAGE; /* they are above the panel of the selected zone */
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
    if (!view->notes.changed || view->live)
        return 0;
    view->notes.changed = false;
    return td_notes_write(&view->notes, td_trace_get_info(view->trace), view->file_sum, err);
}

void td_view_read_notes(struct td_view *view)
{
    struct td_err err = {0};
    if (!view->live && td_notes_read(&view->notes, td_trace_get_info(view->trace), view->file_sum, &err) < 0)
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
        view.load = options->load;
        td_source_paths_init(&view.source_paths, &options->path_rules, NULL); /* they were checked */
        view.file_version = options->load ? options->load->version : 0;
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
