/* Inside of the model; only files of this folder include it. */
#ifndef TD_HOST_TRACE_MODEL_H
#define TD_HOST_TRACE_MODEL_H
#include "host/trace/store.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"
#include <pthread.h>

/* Zones of one nesting depth: an array a field, so that searching touches times only. Zone i's children end
 * at child_end[i] of the next row and begin where those of zone i - 1 end. */
struct row {
    int64_t *start_ns, *end_ns;
    uint32_t *srcloc, *child_end;
    uint32_t *extra; /* NULL: no zone of the row has extras */
    size_t count;
};

/* What few zones have; numbers count from 1, 0 = nothing. */
struct extra {
    uint32_t text, name, color;
};

/* A zone as it arrived, in order of ends. `span`: number of zones before it that are inside of it, or
 * SPAN_BY_TIME where only the times tell. `depth` is found by finish. */
#define SPAN_BY_TIME UINT32_MAX
struct arrived {
    int64_t start_ns, end_ns;
    uint32_t srcloc, extra, span, depth;
};

struct arrived_chunk {
    struct arrived_chunk *previous;
    uint32_t count, capacity;
    struct arrived zones[];
};

/* A zone that has begun. */
struct open_zone {
    int64_t start_ns;
    uint32_t srcloc, extra;
    uint32_t first; /* arrived zones of the track when it began */
    char *text;     /* lines so far, when there is more than one */
    size_t text_bytes, text_capacity;
};

struct track {
    struct row *rows;
    uint32_t row_count;
    uint64_t zones, parents;
    size_t message_first, message_count; /* range in td_trace.message_order */

    /* While filling. */
    struct arrived_chunk *last;
    uint32_t arrived;
    int unsorted, has_time;
    int64_t last_end_ns, last_time_ns; /* of arrived zones; of begins and ends */
    struct open_zone *open;
    size_t open_count, open_capacity;
};

struct plot {
    struct td_point *points;
    size_t count, capacity;
};

struct frames {
    struct td_frame *frames;
    size_t count, capacity;
};

#define TABLE_GROUPS 28u
struct table_lists {
    uint64_t count; /* atomic, as the groups are */
    struct td_series *groups[TABLE_GROUPS];
};

struct td_trace {
    struct td_dict *dict;
    struct td_store *store;
    struct table_lists tables[TD_TABLE_COUNT];
    struct td_trace_info info;
    int finished;
    uint64_t clamped;
    int64_t last_time_ns;

    struct track *tracks;
    size_t track_count, track_capacity;
    struct extra *extras;
    size_t extra_count, extra_capacity;
    struct td_message *messages;
    size_t message_count, message_capacity;
    size_t *message_order; /* numbers of messages, by track */
    struct plot *plots;
    size_t plot_count, plot_capacity;
    struct frames *frame_sets;
    size_t frame_set_count, frame_set_capacity;
    uint32_t *app_infos;
    size_t app_info_count, app_info_capacity;
    struct td_crash crash;
    int crashed;

    pthread_mutex_t stats_lock;
    struct td_stat *stats;
    size_t stat_count;
    int have_stats;
};

/* The track's place, made if missing; NULL: no memory. */
struct track *td_trace_track_(struct td_trace *trace, uint32_t number);
/* Adds a zone behind the track's arrived ones. */
int td_trace_arrive_(struct track *track, const struct arrived *zone, struct td_err *err);
/* Ends the innermost open zone of the track at that time. */
int td_trace_close_(struct td_trace *trace, struct track *track, int64_t end_ns, struct td_err *err);
/* Makes rows of the track's arrived zones. */
int td_trace_nest_(struct td_trace *trace, struct track *track, struct td_err *err);
#endif
