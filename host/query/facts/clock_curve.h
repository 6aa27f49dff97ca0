/* The bound on the error of device times over the time of the trace: the greatest of all chips in each of some
 * parts of equal length. */
#pragma once
#include "host/trace/trace.h"

#define TD_CLOCK_CURVE_COLUMNS 256

struct td_clock_curve {
    struct {
        uint64_t bound_ns; /* 0: not known */
        uint32_t chip;     /* the one that has this bound */
    } column[TD_CLOCK_CURVE_COLUMNS];
    /* Of the last column: the clock is read after the last event, too. The first column begins at time 0. */
    int64_t end_ns;
    uint64_t greatest_ns, last_ns; /* of all columns; at the end. 0: the trace has no such bounds */
};

void td_clock_curve_make(struct td_clock_curve *curve, const struct td_trace *trace);
