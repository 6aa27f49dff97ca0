/* The longest zones: of those that pass, as many as are asked for. */
#pragma once
#include "host/query/rows/zone_ranges.h"

struct td_zones_longest {
    struct td_zone_length {
        int64_t length_ns; /* -1: it has not ended */
        uint64_t row;
    } * at; /* the longest first; those of equal lengths by number */
    size_t count;
};
/* 0, TD_E_NOMEM or TD_E_STOPPED; the result is to be freed in any case. */
int td_zones_longest_make(struct td_zones_longest *longest, size_t most, const struct td_zone_filter *filter,
                          const struct td_zone_range *ranges, size_t count, struct td_job *job);
void td_zones_longest_free(struct td_zones_longest *longest);
