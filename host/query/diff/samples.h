/* Times by name, for tables whose names are not those of zones (operations, cores): collect them, then add them
 * to the table with td_compare_table_add_samples(). Takes 8 bytes for each time if percentiles are wanted, else
 * memory for each name only. */
#pragma once
#include "host/event/name_table.h"
#include "host/query/diff/table.h"

#include <stdbool.h>

struct td_compare_group {
    const char *name;
    struct td_compare_side sums;
    int64_t *values; /* those longer than 0 */
    size_t value_count, value_capacity;
};

struct td_compare_samples { /* all zero: empty */
    struct td_compare_group *groups;
    size_t count, capacity;
    struct td_name_table names; /* the numbers of the groups */
    bool percentiles;
};

/* `ns` < 0 counts as 0. 0 or TD_E_NOMEM. */
int td_compare_samples_add(struct td_compare_samples *samples, const char *name, int64_t ns);
/* Fills in sums.median_ns and sums.p99_ns of all names, and frees the single times. */
void td_compare_samples_finish(struct td_compare_samples *samples);
void td_compare_samples_free(struct td_compare_samples *samples);
