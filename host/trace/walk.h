/* Reading many zones: in blocks of a row, or depth first.
 *
 * A walk enters each zone of a track, walks its children, then leaves it. It needs no recursion and no
 * search: a row holds the zones of its depth in just that order. Both read columns of whole blocks at a time,
 * which costs a few ns a zone; td_trace_zone() is for single ones. */
#ifndef TD_HOST_TRACE_WALK_H
#define TD_HOST_TRACE_WALK_H
#include "host/trace/fill.h"
#include "host/trace/trace.h"

#define TD_ZONES_AT_ONCE TD_SERIES_ROWS

/* Zones `first` .. first + count - 1 of a row. */
struct td_zones {
    uint64_t first;
    uint32_t count;
    int64_t column[TD_ZONE_GPU_COLUMNS][TD_ZONES_AT_ONCE]; /* by enum td_zone_column */
};
#define TD_ZONES_ALL ((1u << TD_ZONE_COLUMNS) - 1) /* but for those of GPU contexts */

/* Reads those columns that `columns` has a bit for (1u << TD_ZONE_START, ...), of as many zones from `first`
 * on as come cheaply at once; returns how many, 0: there are none, or not such columns. Zones of other rows
 * follow from child ends: the children of the block's first zone begin where those of the zone before it end.
 */
uint32_t td_trace_zones_read(const struct td_trace *trace, uint32_t track, uint32_t row, uint64_t first,
                             unsigned columns, struct td_zones *block);

/* What a walk knows of a row: the zone that comes next, where the present list of siblings ends, and the
 * zones that were read ahead. */
struct td_walk_row {
    uint64_t next, end;
    uint64_t children;        /* where those of the zone before `next` begin */
    uint64_t first, read_end; /* of `zones` */
    uint64_t before;          /* the child end of the zone before them */
    const struct td_series *series;
    int64_t *zones; /* `room` of each column, START first */
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

/* 0, or TD_E_NOMEM. The trace must outlive the walk; of one that is being filled, it walks what is there. */
int td_walk_begin(struct td_walk *walk, const struct td_trace *trace, uint32_t track);
/* 1 and the next step, or 0: all zones were left. */
int td_walk_next(struct td_walk *walk, struct td_step *step);
void td_walk_end(struct td_walk *walk);
void td_walk_read_ahead_(const struct td_walk *walk, struct td_walk_row *row, unsigned columns);
#endif
