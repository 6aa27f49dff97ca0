/* The zones of a thread of a GPU context in the order and with the nesting that they were sent with, over all
 * lines of the thread (gpu_lines.h). Also for a trace that is being filled: td_gpu_order_next() then gives
 * the zones that there are, and later those that came since. */
#pragma once
#include "host/trace/trace.h"

struct td_gpu_step {
    uint32_t track, row;
    uint64_t index;
    uint64_t order;
    uint32_t depth; /* number of zones around it, which are the latest ones at lower depths */
};

struct td_gpu_order {
    const struct td_trace *trace;
    struct td_gpu_cursor *cursors; /* of each row of each line, line by line */
    size_t cursor_count, cursor_capacity;
    struct td_gpu_turn *turns;        /* a heap of the cursors that have a zone, the lowest order first */
    size_t turn_count, turn_capacity; /* never smaller than that of the cursors */
    bool is_stale;                    /* the heap may lack cursors */
    bool is_whole;                    /* it was made when the trace was finished: nothing is added */
    struct td_gpu_step *sorted;       /* zones of rows in which the order does not rise */
    size_t sorted_count, sorted_capacity, sorted_next;
    uint64_t *around; /* orders of the zones around the next one, and of the last */
    size_t depth, around_capacity;
    uint64_t last;
};

void td_gpu_order_begin(struct td_gpu_order *order, const struct td_trace *trace);
/* Adds what the line `track` has got. Call it for all lines before each run of td_gpu_order_next(). Returns 0
 * or TD_E_NOMEM. */
int td_gpu_order_add(struct td_gpu_order *order, uint32_t track);
/* Returns 1 and the next zone, 0: there is none now, or TD_E_NOMEM. */
int td_gpu_order_next(struct td_gpu_order *order, struct td_gpu_step *step);
void td_gpu_order_end(struct td_gpu_order *order);
