/* The least and greatest values over blocks of consecutive points of a plot, and over blocks of such blocks:
 * so the range of any points follows from a few blocks, and the peaks of a plot are seen at every scale.
 *
 * Only complete blocks are in it, so a pyramid is extended while the plot grows, and its blocks never change.
 * One thread at a time uses a pyramid. */
#pragma once
#include "host/trace/tables.h"

#define TD_PLOT_BLOCK  128u /* points in a block of the lowest level */
#define TD_PLOT_FAN    16u  /* blocks of a level in one of the level above */
#define TD_PLOT_LEVELS 6u

/* Of all values but NaN; least > most: there are none. */
struct td_value_range {
    double least, most;
};

struct td_plot_pyramid { /* all zero: no blocks */
    struct td_plot_level {
        struct td_value_range *blocks;
        size_t count, capacity;
    } level[TD_PLOT_LEVELS];
};

/* Adds the blocks that the plot has and the pyramid lacks. 0 or TD_E_NOMEM: the pyramid has fewer of them. */
int td_plot_pyramid_extend(struct td_plot_pyramid *pyramid, const struct td_series *points);
/* Of the points first .. end - 1. */
struct td_value_range td_plot_pyramid_range(const struct td_plot_pyramid *pyramid,
                                            const struct td_series *points, uint64_t first, uint64_t end);
void td_plot_pyramid_free(struct td_plot_pyramid *pyramid);
size_t td_plot_pyramid_bytes(const struct td_plot_pyramid *pyramid);
