/* Statistics of two traces by name, for `tendril compare`. Source locations of the same name and file are one
 * entry; their lines may differ. */
#ifndef TD_HOST_TOOLS_COMPARE_COMPARE_TABLE_H
#define TD_HOST_TOOLS_COMPARE_COMPARE_TABLE_H
#include "host/base/err.h"
#include "host/trace/trace.h"

struct compare_side {
    uint64_t count, timed; /* finished zones; of these, the zones longer than 0 */
    uint32_t line;
    int64_t total_ns, self_ns, min_ns, max_ns;
    double mean_ns;           /* over the timed ones */
    double median_ns, p99_ns; /* exact to 0.05 %; only with compare_table.percentiles */
};

struct compare_entry {
    char *name, *file;
    struct compare_side side[2]; /* count 0: the name is not in that trace */
};

struct compare_table {
    struct compare_entry *entries;
    size_t count, capacity;
    int percentiles;
};

/* Adds a trace as side 0 or 1; first 0, then 1. Afterwards, entries are in the order of impact: the change of
 * the total time, largest first. 0 or TD_E_NOMEM. The table owns copies of the names. */
int compare_table_add(struct compare_table *table, const struct td_trace *trace, int side,
                      struct td_err *err);
void compare_table_free(struct compare_table *table);

/* Total time of side 1 minus that of side 0. */
int64_t compare_impact_ns(const struct compare_entry *entry);
#endif
