/* The visible time range and its animation towards a target range. */
#pragma once
#include <stdbool.h>

struct td_camera {
    double start_ns, end_ns;           /* visible now */
    double to_start_ns, to_end_ns;     /* the target */
    double full_start_ns, full_end_ns; /* the whole trace with a margin */
    double last_ns;                    /* of the trace */
    double follow_ns;                  /* the length of the range while following; 0: not yet chosen */
    bool moving;                       /* the last step has moved the range */
    bool follow;                       /* the range moves with the end of a trace that grows */
};

void td_camera_init(struct td_camera *camera, double full_start_ns, double full_end_ns);
/* The trace has grown. */
void td_camera_set_full(struct td_camera *camera, double first_ns, double last_ns);
/* Starts or stops to follow the end of the trace. The functions below stop it, except td_camera_zoom(). */
void td_camera_follow(struct td_camera *camera, bool follow);
/* Sets the target range, within limits; `jump`: shows it at once. */
void td_camera_set_range(struct td_camera *camera, double start_ns, double end_ns, bool jump);
/* Zooms by `factor` (< 1: in); the time at `anchor` (0..1 of the width) keeps its place. */
void td_camera_zoom(struct td_camera *camera, double factor, double anchor);
/* Moves by `part` of the width. */
void td_camera_pan(struct td_camera *camera, double part, bool jump);
void td_camera_fit(struct td_camera *camera, bool jump);
/* The part of the way to a target that an animation takes in a frame of `seconds`. `moving`: whether it moved
 * in the frame before: the first frame after a rest reports how long the rest was. */
double td_ease_part(double seconds, double time_constant, bool moving);
/* Advances the animation by a frame of `seconds`; true while it moves. */
bool td_camera_step(struct td_camera *camera, double seconds);
