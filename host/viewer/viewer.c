#include "host/viewer/viewer.h"
#include "host/viewer/view.h"
#include "host/base/plain_text.h"

#include <stdio.h>

#define DEFAULT_WIDTH  1600
#define DEFAULT_HEIGHT 900
#define SETTLE_FRAMES  3 /* frames after an event until widgets no longer change */

static void apply_options(struct td_view *view, const struct td_viewer_options *options)
{
    if (options->collapse)
        td_view_collapse(view, true);
    if (options->zoom)
        td_camera_set_range(&view->camera, options->zoom_start_ns, options->zoom_end_ns, true);
    if (options->find) {
        td_view_search(view, options->find);
        td_panel_set_open(view, TD_PANEL_FIND, options->screenshot && !options->select);
    }
}

static void end_animations(struct td_view *view)
{
    view->camera.start_ns = view->camera.to_start_ns;
    view->camera.end_ns = view->camera.to_end_ns;
    view->scroll = view->to_scroll;
}

static int draw_picture(struct td_ui *ui, struct td_view *view, const struct td_viewer_options *options,
                        struct td_err *err)
{
    /* Selecting needs the size of the rows' area, which is known after the first frame. */
    for (int i = 0; i < SETTLE_FRAMES; i++) {
        td_ui_poll(ui, 0);
        td_ui_begin(ui);
        td_view_frame(view);
        td_ui_end(ui);
        if (i == 0 && options->select)
            td_view_next_match(view, true);
        end_animations(view);
    }
    return td_ui_save_png(ui, options->screenshot, err);
}

static void run_window(struct td_ui *ui, struct td_view *view)
{
    int frames = SETTLE_FRAMES, news;
    bool moving = false;
    while ((news = td_ui_poll(ui, frames > 0 || moving ? 0 : -1))) {
        if (news > 1)
            frames = SETTLE_FRAMES;
        td_ui_begin(ui);
        moving = td_view_frame(view);
        td_ui_end(ui);
        frames--;
    }
}

int td_viewer_run(struct td_trace *trace, const char *path, const struct td_viewer_options *options,
                  struct td_err *err)
{
    char title[300];
    snprintf(title, sizeof title, "%.250s - Tendril", TD_PLAIN(path));
    struct td_ui_options window = {.title = title,
                                   .width = options->width ? options->width : DEFAULT_WIDTH,
                                   .height = options->height ? options->height : DEFAULT_HEIGHT,
                                   .scale = options->scale,
                                   .offscreen = options->screenshot != NULL};
    struct td_ui *ui = td_ui_open(&window, err);
    if (!ui)
        return err && err->code ? err->code : TD_E_NOTFOUND;
    struct td_view view;
    int rc = td_view_init(&view, ui, trace, path, err);
    if (rc == 0) {
        apply_options(&view, options);
        if (options->screenshot)
            rc = draw_picture(ui, &view, options, err);
        else
            run_window(ui, &view);
        td_view_free(&view);
    }
    td_ui_close(ui);
    return rc;
}
