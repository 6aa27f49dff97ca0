/* Puts the zones of a GPU context's thread on lines. A GPU works on several things at a time, so the zones of one
 * thread may overlap in ways that no nesting describes. Their times stay as they were sent: a zone that overlaps
 * others, other than by lying in the one around it, goes to a further line. Each line is a track (td_track.line),
 * whose zones are nested as those of any track. Where a zone was in the order and the nesting of the thread is kept
 * in its columns TD_ZONE_ORDER and TD_ZONE_PARENT; gpu_order.h reads them.
 *
 * One thread adds the zones, in the order in which the host began them. */
#pragma once
#include "host/trace/trace.h"

#define TD_GPU_END_LATER INT64_MAX /* of a zone whose end comes with td_gpu_lines_end_zone() */

struct td_gpu_zone {
    uint32_t depth;           /* number of zones around it on the host */
    uint32_t srcloc, extra;   /* of the dictionary; row of the table EXTRA */
    int64_t start_ns, end_ns; /* as the GPU reported them; TD_UNKNOWN_NS: it did not */
    int64_t cpu_start_ns, cpu_duration_ns;
    uint64_t thread;
    uint32_t query;
};

struct td_gpu_lines;

/* `track` is the first line. NULL: no memory. */
struct td_gpu_lines *td_gpu_lines_create(struct td_trace *trace, uint32_t track);
/* Frees; zones that were not placed yet are lost. NULL is allowed. */
void td_gpu_lines_destroy(struct td_gpu_lines *lines);
/* Returns 0, TD_E_NOMEM, or TD_E_USAGE: the depth does not fit the zones before it. */
int td_gpu_lines_add(struct td_gpu_lines *lines, const struct td_gpu_zone *zone);
/* Sets what is known at the end of the zone at `depth` around the last one that was added: its end (or
 * TD_UNKNOWN_NS), the CPU's duration and the query. */
void td_gpu_lines_end_zone(struct td_gpu_lines *lines, const struct td_gpu_zone *zone);
/* Places the rest. `clamped`: how many times the caller changed (td_trace_clamped()). Returns 0 or
 * TD_E_NOMEM. */
int td_gpu_lines_finish(struct td_gpu_lines *lines, uint64_t clamped);
