/* A part of the panel Trace: the bound on the error of device times over time, as a curve. */
#pragma once
#include "host/query/facts/clock_curve.h"
#include "host/viewer/timeline/view.h"

/* Returns the height of it: 0 without bounds or room. */
float td_trace_draw_clock(struct td_view *view, const struct td_clock_curve *curve,
                          const struct td_rect *place);
