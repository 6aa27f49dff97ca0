/* The sums over the zones of the chosen range (limits.c), made in the background and shared by the panels. */
#pragma once
#include "host/query/sums/lane_table.h"

struct td_view;

struct td_range_sums { /* all zero: none yet */
    struct td_job job;
    struct td_sums made, shown;
    const struct td_trace *trace; /* the request of the job */
    int64_t from_ns, to_ns, now_ns;
    int64_t first_ns, last_ns;
    uint64_t version; /* changes with `shown` */
    /* The lanes with the numbers of `shown`, until td_lanes_update() takes them; the job makes them, too. */
    struct td_lane_table made_table, table;
    int readers; /* atomic: jobs that read the sums, or the lanes */
};

/* The newest sums, which may still be those of an earlier range; NULL: none yet. Starts to make those of the
 * present range if they are not there. */
const struct td_sums *td_view_sums(struct td_view *view);
/* Takes sums that are ready, also when the panel that wanted them is closed; to be called once a frame. */
void td_view_take_sums(struct td_view *view);
/* Whether sums are being made, and how far: 0 to 1; below 0: no. */
float td_view_sums_progress(const struct td_view *view);
/* Before a job starts that reads the sums or view->lanes.table: neither is replaced until it ends. */
void td_view_hold_sums(struct td_view *view);
bool td_view_holds_sums(const struct td_view *view);
/* For the job, when it no longer reads them. */
void td_range_sums_release(struct td_range_sums *sums);
void td_range_sums_free(struct td_range_sums *sums);
