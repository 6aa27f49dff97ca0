#include "host/viewer/timeline/plot_pyramid.h"
#include "host/base/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct td_value_range nothing = {INFINITY, -INFINITY};

static struct td_value_range join(struct td_value_range a, struct td_value_range b)
{
    return (struct td_value_range){fmin(a.least, b.least), fmax(a.most, b.most)};
}

/* Of at most TD_PLOT_BLOCK points. */
static struct td_value_range read_range(const struct td_series *points, uint64_t first, uint64_t count)
{
    int64_t bits[TD_PLOT_BLOCK];
    struct td_value_range range = nothing;
    td_series_read(points, TD_POINT_VALUE, first, count, bits);
    for (uint64_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, &bits[i], sizeof value);
        if (!isnan(value))
            range = join(range, (struct td_value_range){value, value});
    }
    return range;
}

static int add_block(struct td_plot_level *level, struct td_value_range range)
{
    return TD_APPEND(level->blocks, level->count, level->capacity, range);
}

int td_plot_pyramid_extend(struct td_plot_pyramid *pyramid, const struct td_series *points)
{
    const uint64_t wanted = td_series_count(points) / TD_PLOT_BLOCK;
    while (pyramid->level[0].count < wanted) {
        const uint64_t first = (uint64_t)pyramid->level[0].count * TD_PLOT_BLOCK;
        if (add_block(&pyramid->level[0], read_range(points, first, TD_PLOT_BLOCK)) < 0)
            return TD_E_NOMEM;
    }
    for (unsigned l = 1; l < TD_PLOT_LEVELS; l++) {
        const struct td_plot_level *below = &pyramid->level[l - 1];
        while ((pyramid->level[l].count + 1) * TD_PLOT_FAN <= below->count) {
            const struct td_value_range *from = &below->blocks[pyramid->level[l].count * TD_PLOT_FAN];
            struct td_value_range range = nothing;
            for (unsigned i = 0; i < TD_PLOT_FAN; i++)
                range = join(range, from[i]);
            if (add_block(&pyramid->level[l], range) < 0)
                return TD_E_NOMEM;
        }
    }
    return 0;
}

/* The largest block that begins at `first` and ends at `end` or before; its number of points, 0: none. */
static uint64_t find_block(const struct td_plot_pyramid *pyramid, uint64_t first, uint64_t end,
                           struct td_value_range *range)
{
    uint64_t points = TD_PLOT_BLOCK, found = 0;
    for (unsigned l = 0; l < TD_PLOT_LEVELS; l++, points *= TD_PLOT_FAN) {
        const uint64_t block = first / points;
        if (first % points || end - first < points || block >= pyramid->level[l].count)
            break;
        *range = pyramid->level[l].blocks[block];
        found = points;
    }
    return found;
}

struct td_value_range td_plot_pyramid_range(const struct td_plot_pyramid *pyramid,
                                            const struct td_series *points, uint64_t first, uint64_t end)
{
    struct td_value_range all = nothing, part;
    while (first < end) {
        uint64_t n = find_block(pyramid, first, end, &part);
        if (!n) {
            n = TD_PLOT_BLOCK - first % TD_PLOT_BLOCK;
            n = n < end - first ? n : end - first;
            part = read_range(points, first, n);
        }
        all = join(all, part);
        first += n;
    }
    return all;
}

void td_plot_pyramid_free(struct td_plot_pyramid *pyramid)
{
    for (unsigned l = 0; l < TD_PLOT_LEVELS; l++)
        free(pyramid->level[l].blocks);
    *pyramid = (struct td_plot_pyramid){0};
}

size_t td_plot_pyramid_bytes(const struct td_plot_pyramid *pyramid)
{
    size_t bytes = 0;
    for (unsigned l = 0; l < TD_PLOT_LEVELS; l++)
        bytes += pyramid->level[l].capacity * sizeof *pyramid->level[l].blocks;
    return bytes;
}
