/* Statistics of two traces by name. The names are those of zones, operations, cores, or zones with their texts (enum
 * td_compare_by). Source locations of the same name and file are one entry; their lines may differ. All others have
 * the file "". */
#pragma once
#include "host/base/err.h"
#include "host/trace/trace.h"

enum td_compare_by {
    TD_COMPARE_BY_ZONE,
    TD_COMPARE_BY_OP,   /* an operation: from its first begin to its last end on the cores */
    TD_COMPARE_BY_CORE, /* a launch on one core */
    TD_COMPARE_BY_TEXT, /* a zone with a text or values: "NAME: TEXT" */
    TD_COMPARE_TABLES
};
#define TD_COMPARE_BY_CHOICES "zone|op|core|text"

const char *td_compare_by_name(enum td_compare_by by); /* "zone" */

struct td_compare_side {
    uint64_t count, timed; /* finished zones, operations or launches; of these, those longer than 0 */
    uint32_t line;
    int64_t total_ns, min_ns, max_ns;
    int64_t self_ns;          /* of zones only */
    double mean_ns;           /* over the timed ones */
    double median_ns, p99_ns; /* exact to 0.05 %; only with td_compare_table.percentiles */
};

struct td_compare_entry {
    char *name, *file;
    struct td_compare_side side[2]; /* count 0: the name is not in that trace */
};

struct td_compare_table {
    struct td_compare_entry *entries;
    size_t count, capacity;
    int percentiles;
    enum td_compare_by by;
};

/* Adds a trace as side 0 or 1; first 0, then 1. Afterwards, entries are in the order of impact: the change of
 * the total time, largest first. 0 or TD_E_NOMEM. The table owns copies of the names. */
int td_compare_table_add(struct td_compare_table *table, const struct td_trace *trace, int side,
                         struct td_err *err);
/* The same with other statistics of its zones, such as those of a range; the table has no percentiles. */
int td_compare_table_add_stats(struct td_compare_table *table, const struct td_trace *trace,
                               const struct td_stat *stats, size_t count, int side, struct td_err *err);
/* The same for times that are no zones of the trace's statistics (samples.h). */
struct td_compare_samples;
int td_compare_table_add_samples(struct td_compare_table *table, struct td_compare_samples *samples, int side,
                                 struct td_err *err);
void td_compare_table_free(struct td_compare_table *table);

/* Total time of side 1 minus that of side 0. */
int64_t td_compare_impact_ns(const struct td_compare_entry *entry);
