/* What happened to a thread in a range of time, such as that of a zone: its allocations, and when it did not run. */
#ifndef TD_HOST_VIEWER_ANALYSIS_ZONE_EVENTS_H
#define TD_HOST_VIEWER_ANALYSIS_ZONE_EVENTS_H
#include "host/trace/trace.h"
#include "host/viewer/analysis/job.h"

#define TD_ZONE_EVENTS 200 /* that are listed: the first ones of each pool; the first waits */

struct td_zone_allocation {
    int64_t time_ns, bytes;
    uint64_t address;
    bool frees;
};

struct td_zone_wait { /* the thread did not run from start to end */
    int64_t start_ns, end_ns;
    int64_t reason, state;
    int from_cpu, to_cpu; /* on which it ran before and after */
};

struct td_zone_events { /* all zero: none */
    uint64_t allocations, frees;
    int64_t allocated_bytes, freed_bytes;
    struct td_zone_allocation allocation[TD_ZONE_EVENTS];
    size_t listed;
    uint64_t waits, migrations;
    int64_t waited_ns; /* within the range */
    struct td_zone_wait wait[TD_ZONE_EVENTS];
    size_t waits_listed;
};

/* Reads all allocations: for a job, which may be NULL. 0 or TD_E_STOPPED. */
int td_zone_events_make(struct td_zone_events *events, const struct td_trace *trace, uint64_t thread,
                        int64_t from_ns, int64_t to_ns, struct td_job *job);
#endif
