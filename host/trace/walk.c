#include "host/trace/walk.h"

#include <stdlib.h>

int td_walk_begin(struct td_walk *walk, const struct td_trace *trace, uint32_t track)
{
    size_t rows = (size_t)td_trace_rows(trace, track) + 1;
    *walk = (struct td_walk){.trace = trace, .track = track};
    walk->next = calloc(2 * rows, sizeof *walk->next);
    if (!walk->next)
        return TD_E_NOMEM;
    walk->end = walk->next + rows;
    walk->end[0] = td_trace_row_zones(trace, track, 0);
    return 0;
}

static void step_at(const struct td_walk *walk, struct td_step *step, int leaves)
{
    step->row = walk->row;
    step->index = walk->next[walk->row] - 1;
    step->zone = td_trace_zone(walk->trace, walk->track, step->row, step->index);
    step->leaves = leaves;
}

int td_walk_next(struct td_walk *walk, struct td_step *step)
{
    if (walk->leaving) {
        walk->leaving = 0;
        step_at(walk, step, 1);
        return 1;
    }
    if (walk->next[walk->row] == walk->end[walk->row]) {
        if (walk->row == 0)
            return 0;
        walk->row--;
        step_at(walk, step, 1);
        return 1;
    }
    walk->next[walk->row]++;
    step_at(walk, step, 0);
    if (step->zone.child_begin < step->zone.child_end)
        walk->end[++walk->row] = step->zone.child_end;
    else
        walk->leaving = 1;
    return 1;
}

void td_walk_end(struct td_walk *walk)
{
    free(walk->next);
    walk->next = NULL;
}
