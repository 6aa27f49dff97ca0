/* Internals of the model; only files of this folder include it. */
#pragma once
#include "host/base/wrap.h"
#include "host/event/interner.h"
#include "host/event/map.h"
#include "host/trace/fill.h"
#include "host/trace/store.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"
#include <pthread.h>
#include <stdbool.h>

/* The rows of a track. When the list is too small, a larger copy replaces it; the old one stays readable. */
struct rows {
    uint32_t count; /* atomic */
    uint32_t room;
    struct td_series *at[];
};

/* A zone as it arrived, in order of ends. */
#define SPAN_BY_TIME UINT64_MAX
struct arrived {
    int64_t start_ns, end_ns;
    uint32_t srcloc, extra;
    uint64_t span; /* number of zones before it that it contains, or SPAN_BY_TIME: it follows from times */
};

/* Arrived zones wait in a series. The length is end - start in unsigned arithmetic, to be read as such;
 * SPAN_BY_TIME is -1 in the series. */
enum { ARRIVED_END, ARRIVED_LENGTH, ARRIVED_SRCLOC, ARRIVED_EXTRA, ARRIVED_SPAN, ARRIVED_COLUMNS };

/* A row of the table EXTRA: properties that few zones have. */
struct extra {
    uint32_t stack, text, name, color;
};

/* A zone that has begun. */
struct open_zone {
    int64_t start_ns;
    uint32_t srcloc;
    struct extra extra;
    uint64_t first; /* arrived zones of the track when it began */
    char *text;     /* lines so far, when there is more than one */
    size_t text_bytes, text_capacity;
};

/* How a track gets its zones. NESTED: begins and ends go into the rows at once. ARRIVED: the track has
 * complete zones, so all its zones wait for td_trace_finish(), because an outer zone arrives after its inner
 * ones. SETTLED: complete zones wait for the next event that settles them; begins and ends are as in NESTED.
 * MENDED: a zone came around others that were settled. All zones wait as in ARRIVED. Until td_trace_finish()
 * readers have rows as in SETTLED, which lack the zones that came too late for them. */
enum track_mode { MODE_NONE, MODE_NESTED, MODE_ARRIVED, MODE_SETTLED, MODE_MENDED };

struct track {
    struct rows *rows;       /* atomic; NULL: none */
    uint64_t zones, parents; /* atomic; zones: once the trace is finished */

    /* For the sink only. */
    enum track_mode mode;
    struct td_fill fill;
    struct td_series arrivals; /* in the trace's scratch store */
    uint64_t arrived;          /* its rows that wait */
    int unsorted, has_time;
    int64_t last_end_ns;   /* of arrived zones */
    int64_t last_time_ns;  /* of begins and ends, and of settled zones */
    int64_t shown_ns;      /* MODE_MENDED: the same of what is in the rows */
    struct arrived *batch; /* MODE_SETTLED, MODE_MENDED: complete zones that wait */
    size_t batch_count, batch_capacity;
    struct open_zone *open;
    size_t open_count, open_capacity;
    struct arrived *elsewhere; /* zones that overlap others of the track: for td_trace_finish() */
    size_t elsewhere_count;
    struct td_gpu_lines
        *lines; /* of zones of a GPU context; NULL: the track has none, or is a further line */
};

/* Directories whose groups of 16, 32, 64 ... items never move: readers may use them while they grow. */
#define TABLE_GROUPS 28u
struct table_lists {
    uint64_t count; /* atomic, as the groups are */
    struct td_series *groups[TABLE_GROUPS];
};
struct track_lists {
    uint32_t count; /* atomic, as the groups are */
    struct track *groups[TABLE_GROUPS];
};

/* An index of a table by one column, extended when it is used. */
struct lookup {
    struct td_map map; /* -> row */
    uint64_t rows;     /* the first `rows` rows are in the map */
};

struct td_trace {
    struct td_dict *dict;
    struct td_store *store, *scratch; /* scratch: NULL once the trace is finished */
    struct td_interner_memory dict_memory;
    struct table_lists tables[TD_TABLE_COUNT];
    struct track_lists tracks;
    pthread_mutex_t fill_lock; /* of directories that grow */
    struct td_trace_info info;
    int finished;     /* atomic; enum below */
    uint64_t clamped; /* atomic */
    uint32_t settled_early;
    uint64_t late_zones; /* atomic */
    int64_t last_time_ns;
    int64_t newest[TD_TABLE_COUNT]; /* latest time of each table that is sorted by time */
    uint64_t disordered;            /* bits of the tables that need sorting: an earlier time came later */
    struct td_crash crash;
    int crashed; /* atomic; set after `crash` */
    bool followed;
    int64_t origin_ns; /* atomic, as the next one is: origin.h */
    bool has_begun;

    struct {
        uint32_t count;
        uint64_t bytes;
    } weighed;                     /* strings that td_trace_weight() has counted */
    struct forgetting *forgetting; /* forget.c; NULL: the trace keeps everything */

    struct lookup stacks; /* by content; for the filling thread only */
    pthread_mutex_t lookup_lock;
    struct lookup frames, symbols;

    pthread_mutex_t stats_lock;
    struct stats {
        struct td_stat *stats;
        size_t count;
        int have;
    } stats[2]; /* [0]: tracks outside GPU contexts, [1]: tracks in GPU contexts */
};

enum { FILLING, FINISHING, FINISHED };

/* The group that holds item `number` of a directory, and its place *at in the group. */
static inline unsigned td_trace_place_(uint64_t number, uint64_t *at)
{
    unsigned k = 63u - (unsigned)__builtin_clzll(number / 16 + 1);
    *at = number - 16 * ((UINT64_C(1) << k) - 1);
    return k;
}

/* A track, for readers; NULL: it has no data yet. */
const struct track *td_trace_find_track_(const struct td_trace *trace, uint32_t number);
/* The track, for filling; made if missing. NULL: no memory. */
struct track *td_trace_track_(struct td_trace *trace, uint32_t number);
static inline void td_trace_clamp_(struct td_trace *trace, uint64_t changes)
{
    __atomic_fetch_add(&trace->clamped, changes, __ATOMIC_RELAXED);
}

/* end - start, in 0 .. INT64_MAX: times from outside may be any numbers. */
static inline int64_t td_trace_length_(int64_t start_ns, int64_t end_ns)
{
    uint64_t length = end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0;
    return length > INT64_MAX ? INT64_MAX : (int64_t)length;
}
/* Where a zone with a known length ends. */
static inline int64_t td_trace_end_(int64_t start_ns, int64_t length_ns)
{
    return td_wrap_add(start_ns, length_ns);
}

/* For td_fail_no_memory(). */
#define TD_WHILE_BUILDING "while building the trace"

unsigned td_trace_zone_columns_(const struct td_trace *trace, uint32_t track);
/* Makes rows until *rows has `need` (fill.c). Returns 0 or TD_E_NOMEM. */
int td_trace_make_rows_(struct td_trace *trace, struct rows **rows, uint32_t need, unsigned columns);
/* A part of a row: an item of work for a thread (parts.c). */
struct part {
    uint32_t track, row;
    uint64_t first, end;
};
/* The parts of all tracks in GPU contexts (gpu 1) or outside them (gpu 0), in order. NULL: no memory. The
 * caller frees. */
struct part *td_trace_parts_(const struct td_trace *trace, int gpu, size_t *count);

/* Adds the squares of the zones' lengths to squares[location] (squares.c). Returns 0 or TD_E_NOMEM. */
int td_trace_squares_(const struct td_trace *trace, int gpu, double *squares, uint32_t locations);

struct sort_item {
    int64_t key;
    uint64_t row; /* that the key belongs to */
};
/* Sorts by key, stable. Returns the result, which is in `items` or in `spare`. */
struct sort_item *td_trace_merge_sort_(struct sort_item *items, struct sort_item *spare, size_t count);
/* Sorts the rows by a column, stable (sort.c); *changed: they were not sorted. Returns 0 or TD_E_NOMEM. */
int td_trace_sort_(struct td_series *series, unsigned column, bool *changed);
/* The column by which td_trace_finish() sorts a table; TD_SERIES_COLUMNS: it is not sorted (sort.c). */
unsigned td_trace_time_column_(enum td_table table);
_Static_assert(TD_TABLE_COUNT <= 64, "`disordered` has a bit for each table");
/* Notes whether the table will need sorting, for td_trace_room(). */
static inline void td_trace_note_time_(struct td_trace *trace, enum td_table table, int64_t time_ns)
{
    if (time_ns >= trace->newest[table])
        trace->newest[table] = time_ns;
    else
        trace->disordered |= UINT64_C(1) << table;
}
/* A new row of EXTRA; 0: no memory (fill.c). */
uint32_t td_trace_extra_(struct td_trace *trace, const struct extra *extra);
/* The model as a sink of rows (rows.c). */
int td_trace_row_(void *self, unsigned table, uint64_t parent, const int64_t *values, struct td_err *err);
int td_trace_set_(void *self, unsigned table, uint64_t parent, uint64_t row, unsigned column, int64_t value,
                  struct td_err *err);
/* The model as a sink of events (build.c). */
int td_trace_events_(void *self, const struct td_event *events, size_t count, struct td_err *err);
/* Appends a zone to the track's arrived ones (arrive.c). */
int td_trace_arrive_(struct td_trace *trace, struct track *track, const struct arrived *zone,
                     struct td_err *err);
/* Reads the block-th TD_SERIES_ROWS arrived zones. Returns how many there are. */
unsigned td_trace_arrivals_(const struct track *track, uint64_t block, struct arrived *zones);
/* Forgets arrived zones that end before `before_ns` (arrive.c). */
void td_trace_forget_arrivals_(struct track *track, int64_t before_ns);
/* Rows of a table, of all its series, without forgotten ones. */
uint64_t td_trace_kept_rows_(const struct td_trace *trace, enum td_table table);
void td_trace_free_forgetting_(struct td_trace *trace);
/* Copies the zones of the track's rows to the arrived ones. */
int td_trace_arrive_again_(struct td_trace *trace, uint32_t number, struct track *track, struct td_err *err);
/* Moves the zones of a MODE_NESTED track out of its rows, to the arrived ones. */
int td_trace_unnest_(struct td_trace *trace, uint32_t number, struct track *track, struct td_err *err);
/* Ends the innermost open zone of the track. */
int td_trace_close_(struct td_trace *trace, struct track *track, int64_t end_ns, struct td_err *err);
/* The track's complete zones are settled (settle.c). */
static inline bool td_trace_settles_(const struct track *track)
{
    return track->mode == MODE_SETTLED || track->mode == MODE_MENDED;
}
/* The track's zones wait for td_trace_finish(). */
static inline bool td_trace_waits_(const struct track *track)
{
    return track->mode == MODE_ARRIVED || track->mode == MODE_MENDED;
}
/* A complete zone of a track that settles. */
int td_trace_add_to_batch_(struct td_trace *trace, uint32_t number, struct track *track,
                           const struct arrived *zone, struct td_err *err);
/* Makes rows of the zones that wait in the track's batch. */
int td_trace_settle_(struct td_trace *trace, struct track *track, struct td_err *err);
/* A zone of a MODE_MENDED track begins, or the innermost one ends, in the rows. `extra`: its row, or 0. */
int td_trace_show_begin_(struct td_trace *trace, struct track *track, int64_t start_ns, uint32_t srcloc,
                         struct td_err *err);
void td_trace_show_end_(struct track *track, int64_t end_ns, uint32_t extra);
void td_trace_free_batch_(struct track *track);
/* The depth of each zone of a list in order of ends, in which an outer zone follows its inner ones (nest.c).
 * May correct times, and counts that. 0 or TD_E_NOMEM. */
int td_trace_depths_(struct td_trace *trace, struct arrived *zones, size_t count, uint32_t *depth_of,
                     struct td_err *err);
/* A time of the table after it was moved: only switches may be before 0, and -1 is no time. */
static inline int64_t td_trace_moved_time_(enum td_table table, int64_t time_ns)
{
    const bool may_be_early = table == TD_TABLE_SWITCH || table == TD_TABLE_CPU_SWITCH;
    return time_ns >= 0 ? time_ns : !may_be_early ? 0 : time_ns == TD_UNKNOWN_NS ? time_ns - 1 : time_ns;
}
/* Moves all times so that the origin is 0 (move.c), when all rows are sealed. Returns 0 or TD_E_NOMEM. */
int td_trace_move_(struct td_trace *trace);
/* Makes rows of the track's arrived zones. `may_move`: those that overlap others go to track->elsewhere; else their
 * times are changed, and counted. */
int td_trace_nest_(struct td_trace *trace, uint32_t number, struct track *track, bool may_move,
                   struct td_err *err);
