/* One viewer: its connection, what it was sent, and its place in each part of the trace. Inside of host/serve.
 *
 *   serve.c     listens, announces, ends
 *   session.c   a viewer's thread: handshake, frames out, queries in
 *   viewer.c    a viewer's state
 *   encode.c    what comes next in a viewer's stream: the parts below in turn
 *   part_*.c    a part of the trace: reads rows on from the viewer's place, writes items
 *   answers.c   answers a viewer's queries from the model
 *   keys.c      the numbers by which items name strings, locations, threads ...
 *   put.c       items with text and call stacks
 */
#pragma once
#include "host/event/map.h"
#include "host/serve/serve.h"
#include "host/trace/fill.h"
#include "host/trace/gpu_order.h"
#include "host/trace/tables.h"
#include "host/wire/hello.h"
#include "host/wire/pack.h"

#include <stdbool.h>

struct td_free_order;
struct td_message_order;

/* What a part returns. Negative: no memory. */
enum td_part_result {
    TD_PART_DONE, /* nothing more now */
    TD_PART_FULL  /* the frame has no room: send it and call again */
};

/* A place in a list of rows. Rows that are younger than one tick are held back, because the values of a row may
 * be completed just after it was added. */
struct td_place {
    uint64_t next, limit, seen;
    uint32_t tick;
};

/* Rows of a column as keys of a map, extended when it is used. */
struct td_key_index {
    struct td_map map;
    uint64_t rows;
};

/* A list that grows. */
#define TD_PLACES(type)                                                                                      \
    struct {                                                                                                 \
        type *at;                                                                                            \
        size_t count, capacity;                                                                              \
    }

struct td_row_place {
    struct td_place place;
    uint64_t extra; /* row of EXTRA that was sent for the open zone of this row */
};

/* A thread of a GPU context. */
struct td_gpu_place {
    TD_PLACES(uint32_t) lines; /* tracks */
    struct td_gpu_order order;
    struct td_gpu_step next; /* the zone that is sent next, if has_next */
    bool has_next;
    TD_PLACES(struct td_gpu_step) open; /* zones that are open */
};

struct td_track_place {
    TD_PLACES(struct td_row_place) rows;
    uint32_t depth;       /* zones that are open */
    uint32_t wire_thread; /* 0: not yet asked for */
    bool is_fiber_entered;
    uint64_t switches; /* fibers: list of SWITCH + 1; 0: not yet looked for */
    struct td_place run;
    struct td_place message, sample, switch_sample;
    struct td_gpu_place *gpu; /* NULL: the track is in no GPU context, or is a further line */
};

struct td_lock_place {
    struct td_place place;
    uint32_t id;
    bool is_announced, is_named, is_terminated;
};

struct td_pool_place {
    struct td_place allocs, frees;
};

struct td_set_place {
    struct td_place place;
    bool is_open;
};

struct td_plot_place {
    struct td_place place;
    bool is_configured, is_begun;
    struct td_plot sent;
    int64_t last_ns;
};

struct td_cpu_place {
    struct td_place place;
    bool is_running; /* the start of row place.next was sent */
};

/* The time of a GPU zone's end, and the query with which it is sent. */
struct td_gpu_end {
    int64_t ns;
    uint16_t query;
};

struct td_context_place {
    bool is_announced;
    uint32_t name;
    struct td_place note_names, notes;
    TD_PLACES(struct td_gpu_end) ends; /* that are still to be sent, by time */
    uint16_t query;                    /* of the last end */
};

/* A query that the model cannot answer yet. */
struct td_open_query {
    struct td_wire_query query;
    char *source; /* SourceCode: the file's name */
    int64_t since_ms;
};

/* What the release cannot carry, as bits of viewer->left_out. */
enum td_left_out {

    TD_LEFT_OUT_SECTIONS,
    TD_LEFT_OUT_GPU_NOTES,
    TD_LEFT_OUT_GPU_CONTEXTS,
    TD_LEFT_OUT_GPU_TICKS,
    TD_LEFT_OUT_IMAGES,
    TD_LEFT_OUT_LOCKS,
    TD_LEFT_OUT_POINTS,
    TD_LEFT_OUT_STACKS
};

struct td_viewer {
    const struct td_trace *trace;
    const struct td_dict *dict;
    const struct td_wire_release *release;
    const struct td_serve_options *options;
    const struct td_free_order *free_order;
    struct td_message_order *message_order;
    struct td_packer *packer;
    uint32_t number; /* of the viewer, for the debug log */
    uint32_t tick;
    bool final;       /* no more rows will come */
    int64_t begin_ns; /* where the trace began, as the viewer was sent it */
    uint64_t frame_offset;
    uint64_t base_frames; /* first base frames, which follow from the welcome message */
    int64_t now_ms;
    unsigned left_out; /* bits of enum td_left_out that were logged */

    /* The state of the stream (docs/wire-protocol.md). */
    bool has_thread;
    uint32_t thread;
    int64_t thread_time, serial_time, switch_time, gpu_time;

    /* Places. */
    unsigned part;
    uint32_t part_item; /* where a part that was interrupted continues */
    TD_PLACES(struct td_track_place) tracks;
    TD_PLACES(struct td_lock_place) locks;
    TD_PLACES(struct td_pool_place) pools;
    TD_PLACES(struct td_set_place) sets;
    TD_PLACES(struct td_plot_place) plots;
    TD_PLACES(struct td_cpu_place) cpus;
    TD_PLACES(struct td_context_place) contexts;
    TD_PLACES(struct td_place) switch_lists; /* for the reasons of switches */
    TD_PLACES(struct td_place) hw;           /* six for each address */
    struct td_place gpu_contexts, images, app_infos, processes, topology, parameters, sections, categories;
    int64_t gpu_slice_ns, gpu_next_ns; /* part_gpu_zones.c */
    uint32_t gpu_tracks;               /* tracks below it are in the lines of their threads */
    uint64_t image_frame;              /* frames before it have no image that is still to be sent */
    TD_PLACES(uint64_t) open_sections;
    bool is_crash_sent;
    struct td_map lock_ids;
    bool has_open_zones; /* at the end of the last pass */

    /* Keys. */
    struct td_map wide_threads; /* threads whose ids have more than 32 bits -> index */
    TD_PLACES(uint64_t) wide;
    struct td_key_index track_of_thread, foreign, names, codes, switch_threads;

    /* Queries. */
    TD_PLACES(struct td_open_query) open;
    size_t open_sources, open_srclocs;
    int64_t looked_ms; /* when `open` was looked through */
    struct {
        char *name; /* NULL: no transfer has begun */
        uint32_t bytes, have;
    } transfer;
};

/* The row after the last that may be sent now. */
static inline uint64_t td_place_end(const struct td_viewer *v, struct td_place *place, uint64_t count)
{
    if (v->final)
        return count;
    if (place->tick != v->tick) {
        place->limit = place->seen;
        place->seen = count;
        place->tick = v->tick;
    }
    return place->limit;
}

/* Where to write the next items; NULL: the frame has no room for `bytes`. */
static inline uint8_t *td_put_room(const struct td_viewer *v, size_t bytes)
{
    return td_packer_room(v->packer) < bytes ? NULL : td_packer_at(v->packer);
}
static inline void td_put_end(const struct td_viewer *v, const uint8_t *end)
{
    td_packer_add(v->packer, (size_t)(end - td_packer_at(v->packer)));
}

#define TD_ITEM_MAX 64u /* bytes of the fields of any item */

/* Makes the list `count` long; new entries are zero. 0 or TD_E_NOMEM. */
#define TD_PLACES_GROW(list, length)                                                                         \
    td_places_grow_(&(list)->at, &(list)->count, &(list)->capacity, (length), sizeof *(list)->at)
int td_places_grow_(void *array, size_t *count, size_t *capacity, size_t length, size_t item);

void td_viewer_free(struct td_viewer *v);
/* Logs once for each viewer that the release lacks something. */
void td_viewer_leave_out(struct td_viewer *v, enum td_left_out what);
