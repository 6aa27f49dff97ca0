/* Parts of the trace. Each writes items for the rows after the viewer's place, as far as they may be sent now and
 * the frame has room. Returns enum td_part_result or a negative enum td_e. */
#pragma once
#include "host/serve/put.h"

/* X(function), in the order in which a pass sends them: what others refer to comes first. */
#define TD_SERVE_PARTS(X)                                                                                    \
    X(app_infos)                                                                                             \
    X(topology)                                                                                              \
    X(parameters)                                                                                            \
    X(processes)                                                                                             \
    X(base_frames)                                                                                           \
    X(named_frames)                                                                                          \
    X(images)                                                                                                \
    X(fibers)                                                                                                \
    X(zones)                                                                                                 \
    X(plots)                                                                                                 \
    X(locks)                                                                                                 \
    X(memory)                                                                                                \
    X(gpu_contexts)                                                                                          \
    X(gpu_zones)                                                                                             \
    X(switches)                                                                                              \
    X(samples)                                                                                               \
    X(hardware)                                                                                              \
    X(fiber_ends)                                                                                            \
    X(sections)                                                                                              \
    X(crash)

#define TD_X(part) int td_part_##part(struct td_viewer *v);
TD_SERVE_PARTS(TD_X)
#undef TD_X

/* How a part goes over a list: starts where the last call stopped for want of room. `i` is the item. */
#define TD_PART_EACH(v, count, result, call)                                                                 \
    do {                                                                                                     \
        for (uint32_t i = (v)->part_item; i < (count) && !(result); i++) {                                   \
            (result) = (call);                                                                               \
            (v)->part_item = i;                                                                              \
        }                                                                                                    \
        if (!(result))                                                                                       \
            (v)->part_item = 0;                                                                              \
    } while (0)

static inline int64_t td_part_get(const struct td_series *rows, uint64_t row, unsigned column)
{
    return td_series_get(rows, row, column);
}
