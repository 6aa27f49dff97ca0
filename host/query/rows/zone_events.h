/* What happened to a track in a range of time, such as that of a zone: the allocations of its thread, or of its fiber,
 * when it did not run, on which processors it ran, and the functions that were sampled in it. */
#pragma once
#include "host/query/code/symbol_sums.h"
#include "host/query/task/job.h"

#define TD_ZONE_EVENTS 200 /* that are listed: the first ones of each pool; the first waits */
#define TD_ZONE_CPUS   256

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

struct td_zone_cpu { /* the thread's runs on one processor */
    int cpu;
    uint64_t runs;
    int64_t ns; /* within the range */
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
    struct td_zone_cpu cpu[TD_ZONE_CPUS]; /* by time, the longest first */
    size_t cpus;
    struct td_symbol_sums symbols; /* inlined functions have sums of their own */
};

/* Reads all allocations: for a job, which may be NULL. 0, TD_E_STOPPED or TD_E_NOMEM; after each the events are to be
 * freed. */
int td_zone_events_make(struct td_zone_events *events, const struct td_trace *trace, uint32_t track,
                        int64_t from_ns, int64_t to_ns, struct td_job *job);
void td_zone_events_free(struct td_zone_events *events);
