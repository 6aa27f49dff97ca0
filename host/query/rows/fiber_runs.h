/* When fibers ran, and on which threads: for each fiber its runs, and for each thread the runs of fibers on
 * it. Read once from the context switches of fibers; a run takes 48 bytes. */
#pragma once
#include "host/trace/trace.h"

struct td_fiber_run {
    int64_t start_ns, end_ns; /* end TD_OPEN: it still ran */
    uint32_t
        other; /* track: of a fiber's run the thread, of a thread's run the fiber; or TD_NO_FIBER_TRACK */
};
#define TD_NO_FIBER_TRACK UINT32_MAX

struct td_fiber_runs { /* all zero: none */
    struct td_track_runs {
        struct td_fiber_run *runs; /* in order of time */
        size_t count, capacity;
    } * tracks;
    uint32_t track_count;
};

/* 0 or TD_E_NOMEM. */
int td_fiber_runs_build(struct td_fiber_runs *runs, const struct td_trace *trace);
void td_fiber_runs_free(struct td_fiber_runs *runs);
/* NULL: the track has none. */
const struct td_track_runs *td_fiber_runs_of(const struct td_fiber_runs *runs, uint32_t track);
/* The first run from `from` on that ends after time_ns; the count: there is none. */
size_t td_fiber_runs_after(const struct td_track_runs *runs, size_t from, double time_ns);
