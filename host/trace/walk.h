/* A walk over the zones of a track, depth first: each zone is entered, then its children are walked, then it
 * is left. Needs no recursion and no search: a row holds the zones of its depth in just that order. */
#ifndef TD_HOST_TRACE_WALK_H
#define TD_HOST_TRACE_WALK_H
#include "host/trace/trace.h"

struct td_walk {
    const struct td_trace *trace;
    uint32_t track, row;
    int leaving;  /* the last step entered a zone without children */
    size_t *next; /* of each row, the zone that comes next */
    size_t *end;  /* where the present list of that row ends */
};

struct td_step {
    struct td_zone zone;
    uint32_t row;
    size_t index; /* in the row */
    int leaves;   /* 0: the zone is entered, 1: it is left */
};

/* 0, or TD_E_NOMEM. The trace must be finished and outlive the walk. */
int td_walk_begin(struct td_walk *walk, const struct td_trace *trace, uint32_t track);
/* 1 and the next step, or 0: all zones were left. */
int td_walk_next(struct td_walk *walk, struct td_step *step);
void td_walk_end(struct td_walk *walk);
#endif
