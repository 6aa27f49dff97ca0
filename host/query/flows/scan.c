#include "host/query/flows/scan.h"

int td_scan_run(struct td_scan *scan, const struct td_trace *trace, bool with_lost, struct td_err *err)
{
    const int rc = with_lost ? td_marks_lost(&scan->lost, trace, err) : 0;
    return rc < 0 ? rc : td_flows_build(&scan->flows, trace, err);
}

static void *scan_trace(void *self)
{
    struct td_scan *scan = self;
    const struct td_stat *stats;
    if (scan->switches)
        td_switches_count(scan->switches); /* without memory, sums take longer */
    td_trace_stats(scan->trace, &stats);   /* the viewer's thread needs them next; they take a while */
    /* Without memory the marks and flows of the scan before stay as they are. */
    if (td_scan_run(scan, scan->trace, scan->with_lost, NULL) < 0) {
        td_marks_free(&scan->lost);
        td_flows_free(&scan->flows);
    }
    __atomic_store_n(&scan->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

void td_scan_start(struct td_scan *scan, const struct td_trace *trace, bool with_lost, uint64_t zones,
                   struct td_switches *switches)
{
    if (scan->running)
        return;
    scan->trace = trace;
    scan->with_lost = with_lost;
    scan->zones = zones;
    scan->switches = switches;
    scan->done = 0;
    scan->running = pthread_create(&scan->thread, NULL, scan_trace, scan) == 0;
}

bool td_scan_take(struct td_scan *scan)
{
    if (!scan->running || !__atomic_load_n(&scan->done, __ATOMIC_ACQUIRE))
        return false;
    pthread_join(scan->thread, NULL);
    scan->running = false;
    return true;
}

void td_scan_free(struct td_scan *scan)
{
    if (scan->running)
        pthread_join(scan->thread, NULL);
    td_marks_free(&scan->lost);
    td_flows_free(&scan->flows);
    *scan = (struct td_scan){0};
}
