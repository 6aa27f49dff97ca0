/* Ghost zones: the functions of call stacks that were sampled, as zones. A function is taken to have run from a
 * sample until the next one of the thread, or for one sampling period if that is more than two periods away.
 * Samples that follow each other and have the same functions on the outer levels are one zone there. Inlined
 * functions are levels of their own. Samples that were taken at context switches do not count.
 *
 * A row of ghost zones is a plain array in the order of time: 24 bytes for each zone. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/task/job.h"

#define TD_GHOST_ROWS    200        /* at most */
#define TD_GHOST_NO_LINE UINT32_MAX /* the frame has no symbol */

struct td_ghost {
    int64_t start_ns, end_ns;
    uint32_t line;  /* row of STACK_LINE, or TD_GHOST_NO_LINE */
    uint32_t entry; /* row of STACK_ENTRY of the first sample: the frame */
};

struct td_ghosts { /* all zero: none */
    struct td_ghost_row {
        struct td_ghost *zones;
        size_t count, capacity;
    } * rows; /* outermost first */
    uint32_t row_count;
    uint64_t samples; /* that it was made of */
};

/* Makes them of a track's samples. `job`: ends early, with none, when it is cancelled; NULL: it cannot be. 0 or
 * TD_E_NOMEM. Thread-safe in a trace that is finished. */
int td_ghosts_make(struct td_ghosts *ghosts, const struct td_trace *trace, uint32_t track,
                   const struct td_job *job);
void td_ghosts_free(struct td_ghosts *ghosts);
size_t td_ghosts_bytes(const struct td_ghosts *ghosts);
/* The first zone from `from` on that ends after time_ns: fast if it is near. */
size_t td_ghosts_after(const struct td_ghost_row *row, size_t from, double time_ns);

/* The number of functions of a stack, with inlined ones, for each of *count rows of STACK. NULL: no memory. */
uint16_t *td_ghosts_depths(const struct td_trace *trace, uint64_t *count);
/* The same while the trace grows: counts those of at most `most` stacks from number *next on, and sets *next. After the
 * last stack the first one follows again, since symbols may come later than stacks. 0 or TD_E_NOMEM. */
int td_ghosts_depths_update(const struct td_trace *trace, uint16_t **depths, uint64_t *count, uint64_t *next,
                            uint64_t most);
/* The rows that the track's ghost zones have. */
uint32_t td_ghosts_rows(const struct td_trace *trace, uint32_t track, const uint16_t *depths,
                        uint64_t depth_count);

/* Facts about a ghost zone. */
uint64_t td_ghost_address(const struct td_trace *trace, const struct td_ghost *ghost);
bool td_ghost_is_kernel(const struct td_trace *trace, const struct td_ghost *ghost);
bool td_ghost_is_inline(const struct td_trace *trace, const struct td_ghost *ghost);
/* The function's name, or its address in `room`. */
const char *td_ghost_name(const struct td_trace *trace, const struct td_ghost *ghost, char room[32]);
/* The time that a sample stands for: the sampling period, or a default if the trace does not have it. */
int64_t td_sample_period_ns(const struct td_trace *trace);
