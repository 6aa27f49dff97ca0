#include "host/viewer/timeline/camera.h"

#include <math.h>

#define LEAST_SPAN_NS 20.0
#define FOLLOW_NS     5e9   /* visible at first while following */
#define FOLLOW_MARGIN .02   /* of the width, right of the end of the trace */
#define FIRST_SECONDS 0.03  /* the most for the first frame after a rest */
#define EASE_SECONDS  0.045 /* time constant: the range arrives in about a tenth of a second */

static void set_full(struct td_camera *camera, double first_ns, double last_ns)
{
    double span = fmax(last_ns - first_ns, LEAST_SPAN_NS);
    camera->full_start_ns = first_ns - span * .01;
    camera->full_end_ns = first_ns + span * 1.01;
    camera->last_ns = last_ns;
}

void td_camera_init(struct td_camera *camera, double full_start_ns, double full_end_ns)
{
    *camera = (struct td_camera){0};
    set_full(camera, full_start_ns, full_end_ns);
    td_camera_fit(camera, true);
}

/* At least a tenth of the visible range stays within the trace. */
static void clamp_range(const struct td_camera *camera, double *start_ns, double *end_ns)
{
    double full = camera->full_end_ns - camera->full_start_ns;
    double span = fmin(fmax(*end_ns - *start_ns, LEAST_SPAN_NS), full * 1.5);
    double middle = (*start_ns + *end_ns) / 2;
    double low = camera->full_start_ns - span * .4, high = camera->full_end_ns + span * .4;
    middle = fmin(fmax(middle, low), high);
    *start_ns = middle - span / 2;
    *end_ns = middle + span / 2;
}

static void set_target(struct td_camera *camera, double start_ns, double end_ns, bool jump)
{
    clamp_range(camera, &start_ns, &end_ns);
    camera->to_start_ns = start_ns;
    camera->to_end_ns = end_ns;
    if (jump) {
        camera->start_ns = start_ns;
        camera->end_ns = end_ns;
    }
}

void td_camera_set_range(struct td_camera *camera, double start_ns, double end_ns, bool jump)
{
    camera->follow = false;
    set_target(camera, start_ns, end_ns, jump);
}

/* The end of the trace is near the right edge; a short trace is shown whole. */
static void show_end(struct td_camera *camera, double span)
{
    double end = camera->last_ns + span * FOLLOW_MARGIN, start = end - span;
    if (start < camera->full_start_ns)
        start = camera->full_start_ns;
    set_target(camera, start, fmax(end, start + LEAST_SPAN_NS), false);
}

void td_camera_set_full(struct td_camera *camera, double first_ns, double last_ns)
{
    set_full(camera, first_ns, last_ns);
    if (camera->follow)
        show_end(camera, camera->follow_ns);
}

void td_camera_follow(struct td_camera *camera, bool follow)
{
    camera->follow = follow;
    if (!follow)
        return;
    camera->follow_ns = camera->follow_ns > 0 ? camera->follow_ns : FOLLOW_NS;
    show_end(camera, camera->follow_ns);
}

void td_camera_zoom(struct td_camera *camera, double factor, double anchor)
{
    double span = camera->to_end_ns - camera->to_start_ns;
    double full = camera->full_end_ns - camera->full_start_ns;
    if (camera->follow) {
        camera->follow_ns = fmin(fmax(span * factor, LEAST_SPAN_NS), fmax(full, span));
        show_end(camera, camera->follow_ns);
        return;
    }
    double next = fmin(fmax(span * factor, LEAST_SPAN_NS), full * 1.5);
    /* The user points at the time that is under the cursor now, not at the one when the animation ends. */
    double at = camera->start_ns + anchor * (camera->end_ns - camera->start_ns);
    td_camera_set_range(camera, at - anchor * next, at + (1 - anchor) * next, false);
}

void td_camera_pan(struct td_camera *camera, double part, bool jump)
{
    double move = part * (camera->to_end_ns - camera->to_start_ns);
    td_camera_set_range(camera, camera->to_start_ns + move, camera->to_end_ns + move, jump);
}

void td_camera_fit(struct td_camera *camera, bool jump)
{
    td_camera_set_range(camera, camera->full_start_ns, camera->full_end_ns, jump);
}

double td_ease_part(double seconds, double time_constant, bool moving)
{
    return 1 - exp(-(moving ? seconds : fmin(seconds, FIRST_SECONDS)) / time_constant);
}

bool td_camera_step(struct td_camera *camera, double seconds)
{
    double span = camera->to_end_ns - camera->to_start_ns;
    double off = fmax(fabs(camera->to_start_ns - camera->start_ns), fabs(camera->to_end_ns - camera->end_ns));
    if (off < span * 2e-4) {
        camera->start_ns = camera->to_start_ns;
        camera->end_ns = camera->to_end_ns;
        camera->moving = false;
        return false;
    }
    double part = td_ease_part(seconds, EASE_SECONDS, camera->moving);
    camera->moving = true;
    /* The span changes by a ratio each frame, so that zooming over many orders of magnitude looks even.
     * The time that both ranges show at the same place keeps its place. */
    double from = camera->end_ns - camera->start_ns, next = from * pow(span / from, part);
    if (fabs(span - from) < span * 1e-6) {
        camera->start_ns += (camera->to_start_ns - camera->start_ns) * part;
        camera->end_ns = camera->start_ns + next;
        return true;
    }
    double done = (from - next) / (from - span);
    camera->start_ns += (camera->to_start_ns - camera->start_ns) * done;
    camera->end_ns = camera->start_ns + next;
    return true;
}
