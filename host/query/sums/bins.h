/* A histogram of instances: how many lie in each bin of lengths, and their time. Needs a binary search a bin. */
#pragma once
#include "host/query/sums/instances.h"

#define TD_BINS_MOST 1024

struct td_bins { /* all zero: none */
    int count;
    bool log;                       /* bins are equally wide in the logarithm of the length */
    int64_t low, high;              /* the lengths that are shown */
    int64_t edge[TD_BINS_MOST + 1]; /* bin i has the lengths from edge[i] to edge[i + 1] - 1 */
    uint64_t number[TD_BINS_MOST];
    int64_t total_ns[TD_BINS_MOST];
    uint64_t most;        /* the greatest of `number` */
    int64_t most_ns;      /* the greatest of `total_ns` */
    uint64_t before, all; /* how many are shorter than `low`; how many there are */
};

/* Bins for the lengths low .. high, at most `count` of them: none is narrower than a nanosecond. */
void td_bins_make(struct td_bins *bins, const struct td_instances *instances, int64_t low, int64_t high,
                  int count, bool log);
/* Counts others in the same bins: the instances `number`, which are in order of length. */
void td_bins_count(const struct td_bins *bins, const struct td_instances *instances, const uint32_t *number,
                   size_t count, uint64_t *counts);
/* Where a length lies between low (0) and high (1), and the other way around. Outside: below 0, above 1. */
double td_bins_place(const struct td_bins *bins, double length);
double td_bins_length(const struct td_bins *bins, double place);
