/* The sums over the zones of the chosen range (limits.c), made in the background and shared by the panels. */
#ifndef TD_HOST_VIEWER_ANALYSIS_RANGE_SUMS_H
#define TD_HOST_VIEWER_ANALYSIS_RANGE_SUMS_H
#include "host/viewer/analysis/sums.h"

struct td_view;

struct td_range_sums { /* all zero: none yet */
    struct td_job job;
    struct td_sums made, shown;
    const struct td_trace *trace; /* the request of the job */
    int64_t from_ns, to_ns, now_ns;
    uint64_t version; /* changes with `shown` */
};

/* The newest sums, which may still be those of an earlier range; NULL: none yet. Starts to make those of the
 * present range if they are not there. */
const struct td_sums *td_view_sums(struct td_view *view);
/* Whether sums are being made, and how far: 0 to 1; below 0: no. */
float td_view_sums_progress(const struct td_view *view);
void td_range_sums_free(struct td_range_sums *sums);
#endif
