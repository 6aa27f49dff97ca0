/* Sums over the points of each plot in a range of time. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/task/job.h"

struct td_plot_sum { /* values that are not finite count in `points` only */
    uint64_t points, finite;
    double min, max, sum, last;
    int64_t first_ns, last_ns;
};

struct td_plot_sums {       /* all zero: none */
    struct td_plot_sum *of; /* by plot */
    uint32_t plots;
};

/* 0, TD_E_NOMEM or TD_E_STOPPED; td_plot_sums_free() frees the result in any case. `job` may be NULL. */
int td_plot_sums_make(struct td_plot_sums *sums, const struct td_trace *trace, int64_t from_ns, int64_t to_ns,
                      struct td_job *job);
void td_plot_sums_free(struct td_plot_sums *sums);
/* The first point that is not before the time. */
size_t td_plot_point_at(const struct td_trace *trace, uint32_t plot, double time_ns);
