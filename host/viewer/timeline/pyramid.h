/* A pyramid of a row of zones: sums over blocks of consecutive zones, and over blocks of such blocks. What a
 * picture needs of a range of zones (how long they are, how much of it is waiting, their mean colour) follows
 * from a few blocks at each level and from the zones at both ends of the range, however many zones there are.
 *
 * The last zone of a row is in no block, because it may still be open. So a pyramid is extended while the row
 * grows, and its blocks never change. One thread at a time uses a pyramid; many read the model. */
#pragma once
#include "host/trace/fill.h"
#include "host/viewer/timeline/zone_style.h"

#define TD_PYRAMID_ZONES  64u /* of a block of the lowest level */
#define TD_PYRAMID_FAN    16u /* blocks of a level in one of the level above */
#define TD_PYRAMID_LEVELS 6u

/* A sum over consecutive zones. */
struct td_zone_sum {
    int64_t start_ns, end_ns; /* of the first and of the last zone */
    int64_t busy_ns;          /* length of all zones but those that mark losses and stalls */
    int64_t wait_ns, lost_ns; /* length of waiting zones, and of those marks */
    uint32_t color;           /* mean, weighted by length; 0x00RRGGBB */
    uint32_t flags;           /* of all zones together: TD_SRCLOC_WAIT, TD_SRCLOC_LOST */
    uint32_t srcloc;          /* of all zones; TD_SUM_MIXED: they have different ones */
};
#define TD_SUM_MIXED UINT32_MAX

struct td_pyramid { /* all zero: no blocks */
    struct td_pyramid_level {
        struct td_zone_sum *blocks;
        size_t count, capacity;
    } level[TD_PYRAMID_LEVELS];
};

/* Zones of a block, read from the model. */
struct td_row_reader {
    const struct td_trace *trace;
    struct td_zone_styles *styles;
    const struct td_series *series; /* NULL: the row has no zones */
    uint32_t track, row;
    struct td_inherited inherited; /* by the zone that was read last */
    td_rgba row_color;             /* with TD_ZONE_COLOR_TRACK */
    uint64_t zones;                /* of the row when the reader began */
    double open_ns;                /* where an open zone is taken to end */
    uint64_t first;                /* what the arrays below have; `count` 0: nothing yet */
    uint32_t count;
    bool has_open; /* an open zone is among those that were read */
    int64_t start[TD_PYRAMID_ZONES], end[TD_PYRAMID_ZONES];
    uint32_t color[TD_PYRAMID_ZONES], flags[TD_PYRAMID_ZONES],
        srcloc[TD_PYRAMID_ZONES]; /* color: 0x00RRGGBB */
};

void td_row_reader_begin(struct td_row_reader *reader, const struct td_trace *trace,
                         struct td_zone_styles *styles, uint32_t track, uint32_t row, double open_ns);
/* Makes zone `index`, less than reader->zones, available at the returned place of the arrays. */
static inline uint32_t td_row_reader_at(struct td_row_reader *reader, uint64_t index);
void td_row_reader_load_(struct td_row_reader *reader, uint64_t first);

/* Adds the blocks that the row has and the pyramid lacks. 0 or TD_E_NOMEM: the pyramid has fewer of them. */
int td_pyramid_extend(struct td_pyramid *pyramid, struct td_row_reader *reader);
void td_pyramid_free(struct td_pyramid *pyramid);
size_t td_pyramid_bytes(const struct td_pyramid *pyramid);

/* The first zone from `from` on that ends after time_ns; reader->zones: there is none. */
uint64_t td_pyramid_after(const struct td_pyramid *pyramid, struct td_row_reader *reader, uint64_t from,
                          double time_ns);
/* The sum over zones first .. end - 1, at least one. */
struct td_zone_sum td_pyramid_sum(const struct td_pyramid *pyramid, struct td_row_reader *reader,
                                  uint64_t first, uint64_t end);

/* What zones cover of a cell, in ns. */
struct td_cover {
    double busy_ns, wait_ns, lost_ns;
    uint32_t flags; /* of the zones that are in the cell, also those without length */
};
/* Adds the zones of the row to the cells: cell 0 begins at start_ns, each is cell_ns long. `kinds` not 0:
 * zones without one of these flags are passed over, and busy_ns has no meaning. */
void td_pyramid_cover(const struct td_pyramid *pyramid, struct td_row_reader *reader, double start_ns,
                      double cell_ns, unsigned cells, uint32_t kinds, struct td_cover *cover);

static inline uint32_t td_row_reader_at(struct td_row_reader *reader, uint64_t index)
{
    if (index - reader->first >= reader->count)
        td_row_reader_load_(reader, index & ~(uint64_t)(TD_PYRAMID_ZONES - 1));
    return (uint32_t)(index - reader->first);
}
