/* The clocks of GPU contexts beside the host's. A context that its program did not calibrate may run faster or
 * slower than the host's clock, so that its zones move away from what issued them. The user may set how much
 * is added to the times of a context: an offset, and ns for each s since the context's first zone. The model
 * keeps the times as they were recorded. */
#pragma once
#include "host/trace/trace.h"

#define TD_GPU_DRIFT_MAX 900000000 /* ns for each s, in both directions */

struct td_gpu_clock { /* all zero: times as recorded */
    double drift;     /* ns for each s */
    double offset_ns;
    double begin_ns; /* start of the context's first zone */
};

/* How the clock runs, from the outermost zones of the context: the change, over time, of the delay between
 * issuing a zone and its start on the GPU. The median over pairs of zones, so that some late zones do not
 * count. 0; TD_E_NOTFOUND: fewer than two zones with both times. */
int td_gpu_drift_measure(const struct td_trace *trace, uint32_t context, double *drift);
/* Sets begin_ns. */
void td_gpu_clock_begin(struct td_gpu_clock *clock, const struct td_trace *trace, uint32_t context);

static inline bool td_gpu_clock_is_set(const struct td_gpu_clock *clock)
{
    return clock->drift != 0 || clock->offset_ns != 0;
}

/* A recorded time of the context, as it is shown; and back. */
static inline double td_gpu_shown_ns(const struct td_gpu_clock *clock, double ns)
{
    return ns + clock->offset_ns + (ns - clock->begin_ns) * clock->drift / 1e9;
}

static inline double td_gpu_recorded_ns(const struct td_gpu_clock *clock, double shown_ns)
{
    return clock->begin_ns + (shown_ns - clock->offset_ns - clock->begin_ns) / (1 + clock->drift / 1e9);
}
