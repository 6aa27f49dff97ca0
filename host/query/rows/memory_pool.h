/* The allocations of a memory pool in a range of time: sums, and the bytes in use over time.
 *
 * An allocation belongs to a range if it was made in it. It is active if it was not freed before the range ended. The
 * curve has at most TD_USAGE_POINTS points. */
#pragma once
#include "host/trace/tables.h"
#include "host/trace/trace.h"
#include "host/query/task/job.h"
#include "host/query/code/samples.h"

#define TD_USAGE_POINTS (1u << 17)

/* A row of the table MEMORY. */
struct td_allocation {
    uint64_t row;
    uint64_t address;
    int64_t bytes, time_ns, free_ns; /* free_ns: -1: not freed */
    uint64_t thread, free_thread;
    uint32_t stack, free_stack;
};
/* "Default" is the pool of allocations to which the program gives no name. */
const char *td_memory_pool_name(const struct td_trace *trace, uint64_t pool);
/* The allocation that was made or freed nearest to the time, within near_ns of it, as a row; UINT64_MAX: none. Frees are
 * looked for among the last TD_ALLOCATIONS_LOOKED_AT allocations that were made before. */
#define TD_ALLOCATIONS_LOOKED_AT 16384u
uint64_t td_allocation_near(const struct td_trace *trace, uint32_t pool, double time_ns, double near_ns);
struct td_allocation td_allocation_get(const struct td_trace *trace, uint32_t pool, uint64_t row);

struct td_memory_range {
    const struct td_trace *trace;
    uint32_t pool;
    int64_t from_ns, to_ns;
};
/* Whether it was still active when the range ended. */
static inline bool td_allocation_is_active(const struct td_allocation *a, const struct td_memory_range *range)
{
    return a->free_ns < 0 || a->free_ns > range->to_ns;
}
enum td_allocation_part {
    TD_ALLOCATIONS_ALL,
    TD_ALLOCATIONS_ACTIVE,
    TD_ALLOCATIONS_FREED,
    TD_ALLOCATION_PARTS
};
static inline bool td_allocation_is_in(const struct td_allocation *a, const struct td_memory_range *range,
                                       enum td_allocation_part part)
{
    return part == TD_ALLOCATIONS_ALL || (part == TD_ALLOCATIONS_ACTIVE) == td_allocation_is_active(a, range);
}
/* The allocations of the range are the rows from *first to *end - 1. */
void td_memory_rows(const struct td_memory_range *range, uint64_t *first, uint64_t *end);

/* ---- sums ---- */

struct td_usage_point { /* the bytes in use from time_ns until the next point's time */
    int64_t time_ns;
    int64_t low, high; /* in that time */
    int64_t last;      /* at its end */
};

struct td_memory_sums { /* all zero: none */
    uint64_t count, active;
    int64_t bytes, active_bytes; /* sizes of all allocations, of those that are active */
    int64_t peak_bytes;          /* most bytes of these allocations that were in use at a time */
    uint64_t low, high;          /* the addresses from the first to after the last byte; 0: there are none */
    struct td_usage_point *usage;
    size_t points;
};

/* 0, TD_E_NOMEM or TD_E_STOPPED; td_memory_sums_free() frees the result in any case. `job` may be NULL. */
int td_memory_sums_make(struct td_memory_sums *sums, const struct td_memory_range *range, struct td_job *job);
void td_memory_sums_free(struct td_memory_sums *sums);
/* The point that holds at the time; SIZE_MAX: it is before all of them. */
size_t td_usage_at(const struct td_memory_sums *sums, int64_t time_ns);
/* The least and most bytes in use in a time. False: none are known, the time is before the first allocation. */
bool td_usage_between(const struct td_memory_sums *sums, int64_t from_ns, int64_t to_ns, int64_t *low,
                      int64_t *high);

/* ---- call stacks ---- */

/* The numbers and bytes of the allocations of each call stack; those without one are of stack 0. 0, TD_E_NOMEM or
 * TD_E_STOPPED; td_stack_counts_free() frees the counts in any case. */
int td_memory_stacks_make(struct td_stack_counts *counts, const struct td_memory_range *range,
                          enum td_allocation_part part, struct td_job *job);
