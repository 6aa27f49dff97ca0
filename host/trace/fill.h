/* Adds zones of one track directly to the model's rows, for a source that knows their nesting: a file, or
 * begin and end markers of a thread. Depth first: enter a zone, add its children, leave it. The caller
 * ensures that start times do not decrease from call to call. A zone may end before its children do.
 * Threads: one thread fills a track at a time; different threads may fill different tracks.
 *
 * Row d of a track is a series with the columns below. The children of a zone are the zones [child end of the
 * zone before it, its own child end) of row d + 1. An open zone is the last of its row, so its duration and
 * child end may still change. Readers see a zone as soon as it is entered. */
#pragma once
#include "host/trace/series.h"
#include "host/trace/trace.h"

/* Columns of a row; those from CPU_START on only in tracks of GPU contexts. */
enum td_zone_column {
    TD_ZONE_START,     /* ns; in GPU contexts GPU time; never decreases, see TD_ZONE_NO_START */
    TD_ZONE_DURATION,  /* ns; -1: unfinished */
    TD_ZONE_SRCLOC,    /* of the dictionary */
    TD_ZONE_CHILD_END, /* in the next row */
    TD_ZONE_EXTRA,     /* row of the table EXTRA, 0: none */
    TD_ZONE_COLUMNS,
    TD_ZONE_CPU_START = TD_ZONE_COLUMNS, /* ns: when the host issued it */
    TD_ZONE_CPU_DURATION,                /* -1: not known */
    TD_ZONE_THREAD,                      /* id of the host thread that issued it, 0: the context's */
    TD_ZONE_QUERY,                       /* query number (key of its notes), or 0; and TD_ZONE_NO_... */
    /* Zones of one thread of a context may be on several lines, each a track (gpu_lines.h). */
    TD_ZONE_ORDER,  /* of its begin, from 1: rises over all lines, depth first */
    TD_ZONE_PARENT, /* in row 0: the order of the zone around it, which is on another line; else 0 */
    TD_ZONE_GPU_COLUMNS
};

/* Bits of TD_ZONE_QUERY above the 16 bits of the query: the GPU reported no start, or no end. A zone without
 * a start starts at its predecessor's end and ends with its last child, so that times still rise from zone to
 * zone. A zone with a start but no end lasts until the next zone or end; without one, it is unfinished. The
 * bits from TD_ZONE_BACK_SHIFT on are a number of ns: the GPU reported an end so long before the start, and the
 * duration says nothing about it. */
#define TD_ZONE_QUERY_MASK 0xffff
#define TD_ZONE_NO_START   (1 << 16)
#define TD_ZONE_NO_END     (1 << 17)
#define TD_ZONE_BACK_SHIFT 18

struct td_fill {
    struct td_trace *trace;
    uint32_t track, depth; /* zones that are open */
    uint32_t row_count;
    struct td_series **rows; /* of the track; rows[depth] gets the next zone */
    uint64_t clamped;        /* set by the source: times that it changed; see td_trace_clamped() */
    int64_t last_time_ns;    /* set by the source: the latest time of its zones */
    uint64_t zones, parents; /* zones entered; zones left that have children */
};

/* Prepares *fill. A track gets GPU columns if its `context` in the dictionary is not 0. */
int td_fill_begin(struct td_fill *fill, struct td_trace *trace, uint32_t track, struct td_err *err);
/* Leaves open zones unfinished and brings the track's count of parents up to date. */
void td_fill_end(struct td_fill *fill);
int td_fill_deeper_(struct td_fill *fill); /* makes rows[depth] and rows[depth + 1]; 0 or TD_E_NOMEM */

/* Writes the columns that every zone has, without publishing the zone. Returns its row; NULL: no memory. */
static inline struct td_series *td_fill_put_(struct td_fill *f, int64_t start_ns, int64_t duration_ns,
                                             uint32_t srcloc, uint32_t extra)
{
    if (__builtin_expect(f->depth + 1 >= f->row_count, 0) && td_fill_deeper_(f) < 0)
        return NULL;
    struct td_series *row = f->rows[f->depth];
    if (__builtin_expect(td_series_reserve(row) < 0, 0))
        return NULL;
    const unsigned log2 = row->tail_log2;
    int64_t *at = row->tail + row->tail_rows;
    const int64_t children = (int64_t)f->rows[f->depth + 1]->count;
    __atomic_store_n(at + ((size_t)TD_ZONE_START << log2), start_ns, __ATOMIC_RELAXED);
    __atomic_store_n(at + ((size_t)TD_ZONE_DURATION << log2), duration_ns, __ATOMIC_RELAXED);
    __atomic_store_n(at + ((size_t)TD_ZONE_SRCLOC << log2), srcloc, __ATOMIC_RELAXED);
    __atomic_store_n(at + ((size_t)TD_ZONE_CHILD_END << log2), children, __ATOMIC_RELAXED);
    __atomic_store_n(at + ((size_t)TD_ZONE_EXTRA << log2), extra, __ATOMIC_RELAXED);
    f->zones++;
    return row;
}
/* Returns 0 or TD_E_NOMEM. */
static inline int td_fill_enter(struct td_fill *f, int64_t start_ns, int64_t duration_ns, uint32_t srcloc,
                                uint32_t extra)
{
    struct td_series *row = td_fill_put_(f, start_ns, duration_ns, srcloc, extra);
    if (__builtin_expect(!row, 0))
        return TD_E_NOMEM;
    td_series_publish_(row);
    return 0;
}
/* A zone that has children or whose end is not known yet: enter it with duration -1, then go down. */
static inline void td_fill_down(struct td_fill *f)
{
    f->depth++;
}
static inline void td_fill_leave(struct td_fill *f, int64_t duration_ns)
{
    struct td_series *row = f->rows[--f->depth];
    int64_t children = (int64_t)f->rows[f->depth + 1]->count;
    f->parents += td_series_get_last(row, TD_ZONE_CHILD_END) != children;
    td_series_set_last(row, TD_ZONE_CHILD_END, children);
    td_series_set_last(row, TD_ZONE_DURATION, duration_ns);
}
/* The further columns of a zone in a GPU context. Such tracks need td_fill_enter_gpu(): td_fill_enter() fills
 * the first columns only. */
struct td_fill_gpu {
    int64_t cpu_start_ns, cpu_duration_ns;
    uint64_t thread;
    int64_t query;
    uint64_t order,
        parent; /* order 0: it is the track's next zone, and the track is its thread's only line */
};
int td_fill_enter_gpu(struct td_fill *fill, int64_t start_ns, int64_t duration_ns, uint32_t srcloc,
                      uint32_t extra, const struct td_fill_gpu *gpu);

/* A row with at least one zone, for readers; NULL: there is none. Columns as above. */
const struct td_series *td_trace_row(const struct td_trace *trace, uint32_t track, uint32_t row);
