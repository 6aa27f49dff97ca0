#include "host/viewer/viewer.h"
#include "host/viewer/view.h"
#include "host/base/clock.h"
#include "host/base/interrupt.h"
#include "host/base/plain_text.h"

#include <stdio.h>
#include <time.h>

#define DEFAULT_WIDTH  1600
#define DEFAULT_HEIGHT 900
#define REFRESH_MS     33 /* between looks at a trace that grows */
#define SETTLE_FRAMES  3  /* frames after an event until widgets no longer change */

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

/* How long to wait for input. */
static int wait_ms_of(const struct td_view *view, bool drawing)
{
    if (drawing)
        return 0;
    return view->live && td_live_get_state(view->live) != TD_LIVE_FINISHED ? REFRESH_MS : -1;
}

static void run_window(struct td_ui *ui, struct td_view *view)
{
    int frames = SETTLE_FRAMES, news;
    int64_t refresh_ms = 0;
    bool moving = false;
    while ((news = td_ui_poll(ui, wait_ms_of(view, frames > 0 || moving)))) {
        if (news > 1)
            frames = SETTLE_FRAMES;
        if (td_mono_ms() - refresh_ms >= REFRESH_MS) {
            refresh_ms = td_mono_ms();
            if (td_view_refresh(view))
                frames = frames > 1 ? frames : 1;
        }
        if (frames <= 0 && !moving)
            continue;
        td_ui_begin(ui);
        moving = td_view_frame(view);
        td_ui_end(ui);
        frames--;
    }
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
                                   .offscreen = options->screenshot != NULL};
    struct td_ui *ui = td_ui_open(&window, err);
    if (!ui)
        return err && err->code ? err->code : TD_E_NOTFOUND;
    struct td_view view;
    int rc = td_view_init(&view, ui, trace, live, path, err);
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

int td_viewer_run(struct td_trace *trace, const char *path, const struct td_viewer_options *options,
                  struct td_err *err)
{
    return run_viewer(trace, NULL, path, options, err);
}

int td_viewer_run_live(struct td_live *live, const char *where, const struct td_viewer_options *options,
                       struct td_err *err)
{
    if (!options->screenshot)
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
