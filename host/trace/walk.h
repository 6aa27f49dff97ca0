/* Reads many zones: in blocks of a row, or depth first.
 *
 * A walk enters each zone of a track, walks its children, then leaves it. It needs neither recursion nor
 * search, because a row holds the zones of its depth in that order. Both ways read whole blocks of columns at
 * a few ns a zone; td_trace_zone() is for single zones. A walk belongs to one thread. */
#pragma once
#include "host/trace/fill.h"
#include "host/trace/trace.h"
#include <stdbool.h>

#define TD_ZONES_AT_ONCE TD_SERIES_ROWS

/* Zones `first` .. first + count - 1 of a row. */
struct td_zones {
    uint64_t first;
    uint32_t count;
    int64_t column[TD_ZONE_GPU_COLUMNS][TD_ZONES_AT_ONCE]; /* by enum td_zone_column */
};
#define TD_ZONES_ALL ((1u << TD_ZONE_COLUMNS) - 1) /* the columns that every track has */

/* Reads the columns given as bits in `columns` (1u << TD_ZONE_START, ...), of up to TD_ZONES_AT_ONCE zones
 * from `first` on. Returns the number of zones; 0: there are none, or the track lacks these columns. The
 * children of the block's first zone begin at the child end of the zone before it. */
uint32_t td_trace_zones_read(const struct td_trace *trace, uint32_t track, uint32_t row, uint64_t first,
                             unsigned columns, struct td_zones *block);

/* A walk's position in a row, with the zones that were read ahead. */
struct td_walk_row {
    uint64_t next, end;       /* the zone that comes next; end of the present list of siblings */
    uint64_t children;        /* first child of the zone before `next` */
    uint64_t first, read_end; /* the zones in `zones` */
    uint64_t before;          /* child end of the zone before `first` */
    uint64_t from, to;        /* no others are entered */
    const struct td_series *series;
    int64_t *zones; /* for each column, START first, `room` values */
    uint32_t room;
};

struct td_walk {
    const struct td_trace *trace;
    uint32_t track, row, row_count;
    int leaving; /* the last step entered a zone without children */
    struct td_walk_row *rows;
    int64_t *zones;
};

struct td_step {
    struct td_zone zone;
    uint32_t row;
    size_t index; /* in the row */
    int leaves;   /* 0: the zone is entered, 1: it is left */
};

/* Returns 0 or TD_E_NOMEM. The trace must outlive the walk. In a trace that is being filled, the walk sees
 * the zones that exist now. */
int td_walk_begin(struct td_walk *walk, const struct td_trace *trace, uint32_t track);
/* Before the first step: only zones that touch from_ns <= time < to_ns are entered, and of the outermost row only those
 * from number `first` to before number `end`. A zone is not entered without the one around it. */
void td_walk_limit(struct td_walk *walk, int64_t from_ns, int64_t to_ns, uint64_t first, uint64_t end);
/* Sets the next step; false: all zones were left. */
bool td_walk_next(struct td_walk *walk, struct td_step *step);
void td_walk_end(struct td_walk *walk);
void td_walk_read_ahead_(const struct td_walk *walk, struct td_walk_row *row, unsigned columns);
