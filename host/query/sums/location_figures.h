/* Statistics of each source location over the zones of a range of time, by one of three ways to measure a zone, with
 * percentiles. Reads every zone of the range once, on all processors. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/task/job.h"
#include "host/query/task/lane_choice.h"

enum td_timing {
    TD_TIMING_WHOLE, /* the length of a zone */
    TD_TIMING_SELF,  /* without the zones directly in it */
    TD_TIMING_OUTER, /* the length; zones within a zone of the same location do not count */
    TD_TIMINGS
};

struct td_figures {
    uint64_t count, timed; /* finished zones, and those longer than 0: the other fields are theirs */
    int64_t total_ns, min_ns, max_ns;
    double squares; /* sum of squares */
    int64_t median_ns, p90_ns, p99_ns;
};

struct td_location_figures { /* all zero: none */
    struct td_figures *of;   /* by location */
    uint32_t locations;
    enum td_timing timing;
};

struct td_figures_wanted {
    const struct td_trace *trace;
    int64_t from_ns, to_ns; /* zones within count */
    enum td_timing timing;
    const struct td_lane_choice *lanes; /* NULL: all */
};

/* Fills `figures`, which td_location_figures_free() frees. `job` may be NULL. 0, TD_E_NOMEM or TD_E_STOPPED. The
 * percentiles are exact below 4096 ns, else to 0.05 %. */
int td_location_figures_make(struct td_location_figures *figures, const struct td_figures_wanted *wanted,
                             struct td_job *job);
void td_location_figures_free(struct td_location_figures *figures);
double td_figures_mean_ns(const struct td_figures *figures);
double td_figures_deviation_ns(const struct td_figures *figures);
