/* Reads every zone of a trace for the marks of lost data and the flows, in the background if wanted, because
 * a large trace takes a while. */
#pragma once
#include "host/query/flows/flow.h"
#include "host/query/sums/marks.h"
#include "host/query/rows/switches.h"

#include <pthread.h>

struct td_scan { /* all zero: never ran */
    const struct td_trace *trace;
    bool with_lost; /* there may be zones that mark lost data */
    struct td_marks lost;
    struct td_flows flows;
    struct td_switches *switches; /* to be counted; NULL: none */
    pthread_t thread;
    bool running;
    int done;       /* atomic */
    uint64_t zones; /* of the trace when the last scan began */
};

/* Scans now. 0 or TD_E_NOMEM. */
int td_scan_run(struct td_scan *scan, const struct td_trace *trace, bool with_lost, struct td_err *err);
/* Starts a thread that scans what a growing trace has now, `zones` zones. Does nothing while one runs. `switches`: those
 * of a finished trace, which it counts first; NULL: none. */
void td_scan_start(struct td_scan *scan, const struct td_trace *trace, bool with_lost, uint64_t zones,
                   struct td_switches *switches);
/* True: the thread has finished; its results may be taken from `lost` and `flows`, which are then to be
 * zeroed. */
bool td_scan_take(struct td_scan *scan);
/* Waits for the thread, and frees everything. */
void td_scan_free(struct td_scan *scan);
