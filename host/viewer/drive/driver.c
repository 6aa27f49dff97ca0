#include "host/viewer/drive/driver.h"
#include "host/base/clock.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/drive/report.h"
#include "host/viewer/timeline/notes.h"
#include "host/viewer/panels/compare.h"
#include "host/viewer/panels/operations.h"
#include "host/viewer/ui/drawing.h"
#include "host/viewer/timeline/view.h"

#include <stdlib.h>
#include <string.h>

#define BUSY_MS       20   /* a picture waits so long for what is computed in the background */
#define SETTLE_FRAMES 3    /* until widgets no longer change */
#define GROWING_MS    1000 /* the same for a trace that grows, whose picture never rests */

static void end_animations(struct td_view *view)
{
    view->camera.start_ns = view->camera.to_start_ns;
    view->camera.end_ns = view->camera.to_end_ns;
    view->area.scroll = view->area.to_scroll;
}

static void draw_frame(struct td_view *view)
{
    td_ui_begin(view->ui);
    td_view_frame(view);
    td_ui_end(view->ui);
}

void td_driver_settle(struct td_view *view)
{
    /* The loop takes what is read of a file, and its end: within this one a picture of it never rests. */
    const bool grows =
        view->model.loading || (view->model.live && td_live_get_state(view->model.live) != TD_LIVE_FINISHED);
    const int64_t end_ms = grows ? td_mono_ms() + GROWING_MS : INT64_MAX;
    for (int i = 0, rest = SETTLE_FRAMES; rest > 0; i++, rest--) {
        /* The last event may have closed the window, or was a signal, which discards. */
        if (!td_ui_poll(view->ui, i < SETTLE_FRAMES ? 0 : BUSY_MS)) {
            view->wishes.quit = true;
            view->wishes.discards = !td_ui_is_closed(view->ui);
        }
        draw_frame(view);
        end_animations(view);
        if ((td_panels_busy(view) || td_view_background(view) || td_ui_lacks_letters(view->ui)) &&
            td_mono_ms() < end_ms)
            rest = SETTLE_FRAMES;
    }
}

/* ---- files that commands want ---- */

static int write_png(struct td_view *view, struct td_err *err)
{
    char *path = view->wishes.png;
    view->wishes.png = NULL;
    td_driver_settle(view);
    td_ui_hold(view->ui);
    draw_frame(view);
    int rc = td_ui_save_png(view->ui, path, err);
    free(path);
    return rc;
}

/* What is on top of the timeline, such as tooltips and overlays, is left out. */
int td_driver_export(struct td_view *view, const char *path, enum td_drawing_kind kind, struct td_err *err)
{
    struct td_drawing *drawing = td_drawing_open(path, kind, err);
    if (drawing) {
        td_driver_settle(view);
        td_ui_record(view->ui, drawing, td_panel_timeline.name);
        draw_frame(view);
        td_ui_record(view->ui, NULL, NULL);
    }
    return drawing ? td_drawing_close(drawing, err) : TD_E_IO;
}

static int write_drawing(struct td_view *view, struct td_err *err)
{
    char *path = view->wishes.drawing;
    view->wishes.drawing = NULL;
    int rc = td_driver_export(view, path, td_drawing_kind_of(path), err);
    free(path);
    return rc;
}

static int grant_wishes(struct td_view *view, struct td_err *err)
{
    int rc = 0;
    if (view->wishes.png)
        rc = write_png(view, err);
    if (view->wishes.drawing && rc == 0)
        rc = write_drawing(view, err);
    return rc;
}

/* ---- commands ---- */

/* Runs a command to its end: a trace to compare with is read, and operations and lists are made, in the background. */
static int run_whole(struct td_view *view, const struct td_script_words *words, cJSON *result,
                     struct td_err *err)
{
    const struct td_view_command *command = words->count ? td_view_command_named(words->word[0]) : NULL;
    if (command && !strcmp(command->name, "controls"))
        td_report_controls(view, NULL); /* the frame that is drawn now notes them */
    if (command && (!strcmp(command->name, "copy") || !strcmp(command->name, "controls")))
        td_driver_settle(view);
    int rc = td_view_run(view, words, result, err);
    const bool compares = command && (!strcmp(command->name, "compare") || !strcmp(command->name, "between"));
    if (rc < 0 || (!compares && (!command || strcmp(command->name, "operation") != 0)))
        return rc;
    td_driver_settle(view);
    const char *why = compares ? td_compare_error(view) : td_operation_error(view);
    return why ? td_fail(err, compares ? TD_E_FORMAT : TD_E_NOTFOUND, "%s", why) : 0;
}

int td_driver_script(struct td_view *view, const char *script, struct td_err *err)
{
    int rc = 0;
    while (rc == 0 && *script && !view->wishes.quit) {
        struct td_script_words words;
        td_driver_settle(view);
        rc = td_words_next(&words, &script, err);
        if (rc == 0)
            rc = run_whole(view, &words, NULL, err);
        if (rc == 0)
            rc = grant_wishes(view, err);
        td_words_free(&words);
    }
    return rc;
}

static void answer(struct td_view *view, const struct td_requests *requests, const char *line, size_t bytes)
{
    struct td_err err = {0};
    struct td_request request;
    cJSON *result = cJSON_CreateObject();
    int rc = td_request_parse(&request, line, bytes, &err);
    /* Commands such as `next` need the matches of the search before them. */
    if (td_view_background(view))
        td_driver_settle(view);
    if (rc == 0)
        rc = run_whole(view, &request.words, result, &err);
    if (rc == 0 && td_view_background(view))
        td_driver_settle(view);
    if (rc == 0)
        grant_wishes(view, &err);
    requests->reply(requests->self, td_request_reply(&request, result, &err));
    td_request_free(&request);
    cJSON_Delete(result);
}

bool td_driver_step(struct td_view *view, const struct td_requests *requests)
{
    size_t bytes;
    const char *line;
    bool any = false;
    if (view->model.rests_ms)
        return false;
    while (requests && !view->wishes.quit && (line = requests->take(requests->self, &bytes))) {
        answer(view, requests, line, bytes);
        any = true;
    }
    /* The line after `:` cannot wait for the file. */
    struct td_err err = {0};
    if (view->wishes.png || view->wishes.drawing) {
        if (grant_wishes(view, &err) < 0)
            td_view_say(view, err.text);
        any = true;
    }
    return any;
}
