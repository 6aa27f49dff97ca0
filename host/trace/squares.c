/* Sums the squares of zone lengths in the order of stock tools: track by track, depth first, parents before
 * children. */
#include "host/trace/model.h"
#include "host/trace/walk.h"

#include <stdlib.h>

struct sums {
    double *squares;
    uint32_t locations;
};

static inline void add_square(const struct sums *sums, int64_t location, int64_t length)
{
    if (length > 0 && (uint64_t)location < sums->locations)
        sums->squares[location] += (double)length * (double)length;
}

/* Adds the zones of a row from the next one on, up to and with the first one that has children. Returns true
 * if it came to such a zone. */
static bool add_run(struct td_walk_row *row, const struct td_walk_row *below, const struct sums *sums)
{
    const int64_t *length = row->zones + (size_t)TD_ZONE_DURATION * row->room;
    const int64_t *location = row->zones + (size_t)TD_ZONE_SRCLOC * row->room;
    const int64_t *children = row->zones + (size_t)TD_ZONE_CHILD_END * row->room;
    uint64_t stop = row->end < row->read_end ? row->end : row->read_end;
    uint64_t i = row->next - row->first, end = stop - row->first;
    bool down = false;
    for (; i < end && !down; i++) {
        add_square(sums, location[i], length[i]);
        down = below && children[i] > (int64_t)below->next;
    }
    row->next = row->first + i;
    return down;
}

static void add_track(struct td_walk *walk, const struct sums *sums)
{
    const unsigned columns = 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC | 1u << TD_ZONE_CHILD_END;
    for (struct td_walk_row *row = walk->rows;;) {
        if (row->next == row->end) {
            if (row == walk->rows)
                return;
            row--;
            continue;
        }
        struct td_walk_row *below = row + 1 < walk->rows + walk->row_count ? row + 1 : NULL;
        if (row->next >= row->read_end)
            td_walk_read_ahead_(walk, row, columns);
        if (add_run(row, below, sums)) {
            below->end =
                (uint64_t)row->zones[(size_t)TD_ZONE_CHILD_END * row->room + (row->next - 1 - row->first)];
            row = below;
        }
    }
}

int td_trace_squares_(const struct td_trace *trace, int gpu, double *squares, uint32_t locations)
{
    const struct sums sums = {squares, locations};
    uint32_t tracks = __atomic_load_n(&trace->tracks.count, __ATOMIC_ACQUIRE);
    for (uint32_t t = 0; t < tracks; t++) {
        struct td_walk walk;
        if ((td_dict_get_track(trace->dict, t)->context != 0) != gpu)
            continue;
        if (td_walk_begin(&walk, trace, t) < 0)
            return TD_E_NOMEM;
        if (walk.row_count)
            add_track(&walk, &sums);
        td_walk_end(&walk);
    }
    return 0;
}
