#include "bench/viewer/stage.h"

#include <math.h>
#include <time.h>

#define STEPS          24 /* frames of a motion */
#define STEPS_QUICK    1
#define SETTLE_SECONDS 60 /* after that, what is still missing is a failure */

int show_trace(struct stage *s, struct td_trace *trace)
{
    struct td_err err = {0};
    if (td_view_init(&s->view, s->ui, trace, NULL, "bench.tracy", &err) < 0 ||
        td_view_use_threads(&s->view, &err) < 0)
        return report_failure(s->report, "the viewer", err.text);
    return 0;
}

int open_stage(struct stage *s, int width, int height)
{
    struct td_err err = {0};
    struct td_ui_options options = {.title = "bench", .width = width, .height = height, .offscreen = true};
    s->ui = td_ui_open(&options, &err);
    return s->ui ? 0 : report_failure(s->report, "the picture", err.text);
}

void close_stage(struct stage *s)
{
    td_view_free(&s->view);
    td_ui_close(s->ui);
}

/* Draws a frame; returns the processor time for building it. */
static double draw_frame(struct stage *s)
{
    td_ui_poll(s->ui, 0);
    td_ui_begin(s->ui);
    double begin = thread_cpu_seconds();
    td_view_frame(&s->view);
    double seconds = thread_cpu_seconds() - begin;
    td_ui_end(s->ui);
    return seconds * 1e3;
}

int settle_stage(struct stage *s)
{
    const double end = wall_seconds() + SETTLE_SECONDS;
    do {
        draw_frame(s);
        while (td_view_background(&s->view) == 1)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    } while (td_view_background(&s->view) && wall_seconds() < end);
    draw_frame(s);
    return td_view_background(&s->view) ? -1 : 0;
}

enum motion { REST, PAN, ZOOM_IN, ZOOM_OUT };

/* The mean time of the frames of a motion. */
static double measure_motion(struct stage *s, enum motion motion, int steps)
{
    struct td_camera *camera = &s->view.camera;
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        if (motion == PAN)
            td_camera_pan(camera, .013, true);
        if (motion == ZOOM_IN || motion == ZOOM_OUT) {
            td_camera_zoom(camera, motion == ZOOM_IN ? .87 : 1 / .87, .4);
            td_camera_set_range(camera, camera->to_start_ns, camera->to_end_ns, true);
        }
        sum += draw_frame(s);
    }
    return sum / steps;
}

int measure_frames(struct stage *s, double *worst_ms)
{
    *worst_ms = 0;
    if (settle_stage(s) < 0)
        return report_failure(s->report, "a picture", "is not complete after a minute");
    static const enum motion motions[] = {REST, ZOOM_IN, PAN, ZOOM_OUT, PAN, REST};
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++)
        *worst_ms = fmax(*worst_ms, measure_motion(s, motions[i], s->quick ? STEPS_QUICK : STEPS));
    return 0;
}
