/* What part of time is seen, and how it moves there: the range eases towards its target. Pure. */
#ifndef TD_HOST_VIEWER_CAMERA_H
#define TD_HOST_VIEWER_CAMERA_H
#include <stdbool.h>

struct td_camera {
    double start_ns, end_ns;           /* seen now */
    double to_start_ns, to_end_ns;     /* where it is going */
    double full_start_ns, full_end_ns; /* "fit all" */
};

void td_camera_init(struct td_camera *camera, double full_start_ns, double full_end_ns);
/* Goes there; `jump` 1: at once. The range is kept within sensible limits. */
void td_camera_set_range(struct td_camera *camera, double start_ns, double end_ns, bool jump);
/* Zooms by `factor` (< 1: in) so that the time at `anchor` (0..1 of the width) stays where it is. */
void td_camera_zoom(struct td_camera *camera, double factor, double anchor);
/* Moves by a part of the width. */
void td_camera_pan(struct td_camera *camera, double part, bool jump);
void td_camera_fit(struct td_camera *camera, bool jump);
/* One frame of `seconds`: returns 1 while it still moves. */
bool td_camera_step(struct td_camera *camera, double seconds);
#endif
