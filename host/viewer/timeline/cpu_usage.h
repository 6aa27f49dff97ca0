/* The share of the processors that ran something, for cells of time of the visible range: the cells that stay visible
 * when the range moves are kept. */
#ifndef TD_HOST_VIEWER_TIMELINE_CPU_USAGE_H
#define TD_HOST_VIEWER_TIMELINE_CPU_USAGE_H
#include "host/viewer/analysis/switches.h"

struct td_cpu_usage { /* all zero: empty */
    double cell_ns;   /* 0: nothing is kept */
    int64_t first;    /* cell: it begins at first * cell_ns */
    size_t count, capacity;
    struct td_usage_cell {
        float own, other; /* sums over the processors, in processors */
    } * cells;
};

/* Makes the cells first .. first + count - 1. False: no memory. */
bool td_cpu_usage_make(struct td_cpu_usage *usage, const struct td_switches *switches, double cell_ns,
                       int64_t first, size_t count, int64_t open_ns);
void td_cpu_usage_free(struct td_cpu_usage *usage);
/* The processors that have rows. */
uint32_t td_cpu_usage_cpus(const struct td_switches *switches);
#endif
