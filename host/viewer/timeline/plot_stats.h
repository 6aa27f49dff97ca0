/* Sums over the visible points of each plot, made in the background. */
#pragma once
#include "host/query/rows/plot_sums.h"

struct td_view;

struct td_plot_stats { /* all zero: none yet */
    struct td_job job;
    struct td_plot_sums made, shown;
    const struct td_trace *trace; /* the request of the job */
    int64_t from_ns, to_ns;
};

/* The sums of the plot in the visible range; NULL: they are being made. */
const struct td_plot_sum *td_view_plot_stats(struct td_view *view, uint32_t plot);
/* Takes sums that are ready, also when no plot is visible any more; to be called once a frame. */
void td_view_take_plot_stats(struct td_view *view);
void td_plot_stats_free(struct td_plot_stats *stats);
