/* A sweep: the counted range goes through the marked one (or the visible one) in steps, so that panels show how
 * their numbers change over time. */
#pragma once
#include <stdbool.h>

struct td_view;

#define TD_SWEEP_STEPS      20
#define TD_SWEEP_STEPS_MOST 1000

struct td_sweep { /* all zero: none runs */
    bool running;
    int steps, step;
    double from_ns, to_ns;           /* the whole range */
    double step_from_ns, step_to_ns; /* of the present step, as it was marked */
    double shown_seconds;            /* how long its numbers were shown */
    bool was_measured;               /* the range was marked before, and is again after the sweep */
    int limit;                       /* enum td_limit before */
};

void td_sweep_start(struct td_view *view, struct td_sweep *sweep, int steps);
/* Restores the range and the limit as they were. */
void td_sweep_stop(struct td_view *view, struct td_sweep *sweep);
/* Once a frame: goes to the next step when the numbers of the present one have been shown for a moment. A sweep
 * ends after its last step, or when the user marks another range or none. */
void td_sweep_update(struct td_view *view, struct td_sweep *sweep);
