/* A part of the panel Trace: the bound on the error of device times over time, as a curve. */
#ifndef TD_HOST_VIEWER_PANELS_TRACE_CLOCK_H
#define TD_HOST_VIEWER_PANELS_TRACE_CLOCK_H
#include "host/query/facts/clock_curve.h"
#include "host/viewer/timeline/view.h"

/* Returns the height of it: 0 without bounds or room. */
float td_trace_draw_clock(struct td_view *view, const struct td_clock_curve *curve,
                          const struct td_rect *place);
#endif
