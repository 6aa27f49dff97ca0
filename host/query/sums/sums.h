/* Sums over the zones of a range of time: for each source location in each track, and for each track. The
 * panels derive their tables from them. Reads every zone of the range once, on all processors.
 *
 * A zone counts in `sum` if it lies in the range, as in stock's statistics with a limited range. In `lane`, the
 * time of a zone that reaches beyond the range is cut at its limits, so that shares of the range are right. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/task/job.h"
#include "host/query/task/lane_choice.h"
#include "host/query/sums/marks.h"

struct td_sum { /* the zones of a location in a track */
    uint32_t track, srcloc;
    uint64_t count; /* finished zones */
    uint64_t timed; /* those longer than 0; the times are theirs */
    uint64_t open;
    int64_t total_ns, self_ns, min_ns, max_ns;
    int64_t outer_ns;           /* the part of total_ns in zones of the outermost row */
    double squares;             /* sum of squares of the lengths */
    struct td_zone_ref longest; /* a finished zone of length max_ns; TD_NO_ZONE: none is longer than 0 */
};

struct td_lane_sum {            /* a track in the range */
    uint64_t zones;             /* that touch the range */
    uint64_t lost;              /* gaps with dropped events, and stalls */
    int64_t busy_ns;            /* in any zone that is neither loss nor stall; the time of waits included */
    int64_t wait_ns;            /* in zones that wait */
    int64_t lost_ns;            /* in gaps and stalls */
    int64_t first_ns, last_ns;  /* of the zones that touch the range, not cut; INT64_MAX, INT64_MIN: none */
    int64_t longest_ns;         /* of the finished zones of the outermost row */
    struct td_zone_ref longest; /* TD_NO_ZONE: none */
};

struct td_sums {        /* all zero: none */
    struct td_sum *sum; /* by location, then by track */
    size_t count;
    struct td_lane_sum *lane; /* by track */
    uint32_t tracks;
    int64_t from_ns, to_ns;
};

/* Fills `sums`, which td_sums_free() frees; an open zone lasts until now_ns. `job` may be NULL; it can cancel the
 * work. `lanes` may be NULL. 0, TD_E_NOMEM, or TD_E_STOPPED: cancelled. */
int td_sums_make(struct td_sums *sums, const struct td_trace *trace, int64_t from_ns, int64_t to_ns,
                 int64_t now_ns, const struct td_lane_choice *lanes, struct td_job *job);
void td_sums_free(struct td_sums *sums);
/* Adds `more` to `sum`: statistics of several tracks. Start with the fields of `more`. */
void td_sum_add(struct td_sum *sum, const struct td_sum *more);
