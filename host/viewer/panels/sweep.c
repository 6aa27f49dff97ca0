#include "host/viewer/panels/sweep.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define STEP_SECONDS .15 /* the least time that a step is shown */
#define LONGEST_STEP .1  /* of a frame of the window: it may have rested */

static void mark_step(struct td_view *view, struct td_sweep *s)
{
    const double wide = (s->to_ns - s->from_ns) / s->steps;
    s->step_from_ns = floor(s->from_ns + wide * s->step);
    s->step_to_ns = floor(s->from_ns + wide * (s->step + 1));
    s->shown_seconds = 0;
    view->selection.measured = true;
    view->selection.measure_from_ns = s->step_from_ns;
    view->selection.measure_to_ns = s->step_to_ns;
    view->selection.limit = TD_LIMIT_MARKED;
}

void td_sweep_start(struct td_view *view, struct td_sweep *s, int steps)
{
    td_sweep_stop(view, s);
    *s = (struct td_sweep){.running = true,
                           .steps = steps,
                           .was_measured = view->selection.measured,
                           .limit = (int)view->selection.limit};
    s->from_ns = view->selection.measured
                     ? fmin(view->selection.measure_from_ns, view->selection.measure_to_ns)
                     : view->camera.to_start_ns;
    s->to_ns = view->selection.measured ? fmax(view->selection.measure_from_ns, view->selection.measure_to_ns)
                                        : view->camera.to_end_ns;
    mark_step(view, s);
}

void td_sweep_stop(struct td_view *view, struct td_sweep *s)
{
    if (!s->running)
        return;
    s->running = false;
    view->selection.measured = s->was_measured;
    view->selection.measure_from_ns = s->from_ns;
    view->selection.measure_to_ns = s->to_ns;
    view->selection.limit = (enum td_limit)s->limit;
}

void td_sweep_update(struct td_view *view, struct td_sweep *s)
{
    if (!s->running)
        return;
    if (!view->selection.measured || view->selection.measure_from_ns != s->step_from_ns ||
        view->selection.measure_to_ns != s->step_to_ns || view->selection.limit != TD_LIMIT_MARKED) {
        s->running = false;
        return;
    }
    int64_t from, to;
    td_view_limits(view, &from, &to);
    const struct td_sums *sums = td_view_sums(view);
    view->panels.plays = true;
    if (!sums || sums->from_ns != from || sums->to_ns != to)
        return;
    s->shown_seconds += fmin(td_ui_seconds(view->ui), LONGEST_STEP);
    if (s->shown_seconds < STEP_SECONDS)
        return;
    if (++s->step < s->steps)
        mark_step(view, s);
    else
        td_sweep_stop(view, s);
}
