/* The bytes in use of the memory pools whose rows were drawn, counted in the background. */
#pragma once
#include "host/query/rows/memory_pool.h"

struct td_memory_curves { /* all zero: empty */
    struct td_memory_curve {
        struct td_job job;
        struct td_memory_range request;
        struct td_memory_sums made, shown;
        bool any;
    } * *of; /* by pool; NULL: not wanted yet */
    size_t count, capacity;
};

/* `key` changes when the trace has grown. NULL: the curve is being made, or there is no memory. */
const struct td_memory_sums *td_memory_curve_get(struct td_memory_curves *curves,
                                                 const struct td_trace *trace, uint32_t pool, uint64_t key);
/* Takes what is ready, also of rows that are no longer drawn. True: there was something. */
bool td_memory_curves_take(struct td_memory_curves *curves);
/* Something is being made, or was not taken. */
bool td_memory_curves_pending(const struct td_memory_curves *curves);
void td_memory_curves_free(struct td_memory_curves *curves);
