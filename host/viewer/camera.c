#include "host/viewer/camera.h"

#include <math.h>

#define LEAST_SPAN_NS 20.0
#define EASE_SECONDS  0.045 /* time constant: the range arrives in about a tenth of a second */

void td_camera_init(struct td_camera *camera, double full_start_ns, double full_end_ns)
{
    double span = fmax(full_end_ns - full_start_ns, LEAST_SPAN_NS);
    camera->full_start_ns = full_start_ns - span * .01;
    camera->full_end_ns = full_start_ns + span * 1.01;
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

void td_camera_set_range(struct td_camera *camera, double start_ns, double end_ns, bool jump)
{
    clamp_range(camera, &start_ns, &end_ns);
    camera->to_start_ns = start_ns;
    camera->to_end_ns = end_ns;
    if (jump) {
        camera->start_ns = start_ns;
        camera->end_ns = end_ns;
    }
}

void td_camera_zoom(struct td_camera *camera, double factor, double anchor)
{
    double span = camera->to_end_ns - camera->to_start_ns;
    double full = camera->full_end_ns - camera->full_start_ns;
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

bool td_camera_step(struct td_camera *camera, double seconds)
{
    double span = camera->to_end_ns - camera->to_start_ns;
    double off = fmax(fabs(camera->to_start_ns - camera->start_ns), fabs(camera->to_end_ns - camera->end_ns));
    if (off < span * 2e-4) {
        camera->start_ns = camera->to_start_ns;
        camera->end_ns = camera->to_end_ns;
        return false;
    }
    /* After an idle pause the first frame reports a long time; limit it, so that the range does not jump. */
    double part = 1 - exp(-fmin(seconds, .03) / EASE_SECONDS);
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
