/* The model: the only in-memory form of a trace. Builders (the hub through td_trace_sink(), the file reader)
 * fill it, faces (writer, CSV, info, viewer) read it through the functions below and never see how it is
 * kept.
 *
 * Zones of a track stand in rows: row d holds the zones of nesting depth d in start order, not overlapping.
 * The children of a zone are one contiguous range of the next row. So a viewer finds what is visible by one
 * binary search a row, and a writer walks the tree without searching.
 *
 * Fill, then td_trace_finish(). One thread fills (fill.h tells what more may); reading is safe at all times,
 * from any number of threads and without locks: what is there stays, zones that have begun are there. Order
 * by time, messages of a track, statistics and what else needs the whole come with td_trace_finish().
 *
 * Nesting of complete zones follows from their times: a zone that lies in another is its child, zones with
 * equal times nest in the order of arrival (inner first). Zones made of begin and end keep the nesting they
 * arrived with. The base frame set (number 0) is as files have it: frame 0 begins at 0, frame 1 when the
 * program was ready; a source that knows when that was begins the set with these two frames, otherwise the
 * writer adds them. Times: ns, 0 = start of the trace; an unfinished zone has end TD_OPEN.
 */
#ifndef TD_HOST_TRACE_TRACE_H
#define TD_HOST_TRACE_TRACE_H
#include "host/event/event.h"

#define TD_OPEN       INT64_MAX
#define TD_UNKNOWN_NS INT64_C(-1) /* a time that the source did not know */

struct td_trace;

struct td_zone {
    int64_t start_ns, end_ns; /* end TD_OPEN: unfinished */
    uint32_t srcloc;
    uint32_t text;                 /* string or 0 */
    uint32_t name;                 /* string that replaces the location's name, or 0 */
    uint32_t color;                /* 0x00RRGGBB that replaces the location's colour, or 0 */
    uint32_t stack;                /* row of the table STACK, or 0 */
    size_t child_begin, child_end; /* range in the next row */
};

struct td_message {
    int64_t time_ns;
    uint32_t track, text, color;
    uint32_t stack; /* row of the table STACK, or 0 */
    uint8_t source; /* 0: the user, 1: the profiler */
    uint8_t severity;
};
enum td_severity {
    TD_SEVERITY_TRACE,
    TD_SEVERITY_DEBUG,
    TD_SEVERITY_INFO,
    TD_SEVERITY_WARNING,
    TD_SEVERITY_ERROR,
    TD_SEVERITY_FATAL
};

struct td_plot_point {
    int64_t time_ns;
    double value;
};

struct td_frame {
    int64_t start_ns, end_ns; /* end: discontinuous sets; continuous: the next start, or TD_OPEN */
    int64_t image;            /* row of the table IMAGE, or -1 */
};

/* What is known about the trace as a whole. Strings are owned by the trace. */
struct td_trace_info {
    char *capture_name, *program, *host_info;
    uint64_t capture_time_s, executable_time_s, pid;
    int64_t resolution_ns, last_time_ns;
    int64_t delay_ns, sampling_period_ns; /* of taking a time; between samples of call stacks */
    double timer_mul;
    uint8_t cpu_arch;
    uint32_t cpu_id;
    char cpu_vendor[12];
    uint8_t on_demand;
    uint8_t no_base_frames; /* it comes from a file that has frame sets, but not the base one */
    uint64_t frame_offset;
};

struct td_crash {
    int64_t time_ns;
    uint32_t track, text; /* text: several lines */
    uint32_t stack;       /* row of the table STACK, or 0 */
};

/* The model takes over `dict` (also when it returns NULL: no memory). `memory_bytes`: what it keeps in
 * memory, the rest goes to a temporary file; 0: all in memory. */
struct td_trace *td_trace_create(struct td_dict *dict);
struct td_trace *td_trace_create_within(struct td_dict *dict, uint64_t memory_bytes);
void td_trace_destroy(struct td_trace *trace);
/* What no temporary file has room for then stays in memory, instead of being an error. */
void td_trace_may_exceed(struct td_trace *trace);
/* While it is being filled: bytes in temporary files, and about the most that finishing and writing it will
 * take in addition to what it has. */
void td_trace_room(const struct td_trace *trace, uint64_t *file_bytes, uint64_t *needed_bytes);
struct td_sink td_trace_sink(struct td_trace *trace);
struct td_trace_info *
td_trace_edit_info(struct td_trace *trace); /* set fields with td_trace_set_string() and plainly */
int td_trace_set_string(char **field, const char *text);
/* Sorts and nests; ends what overlaps (counted); drops nothing. Call once. Then the model is read only. */
int td_trace_finish(struct td_trace *trace, struct td_err *err);
/* Times or nestings that finish had to change: 0 for a sound trace. */
uint64_t td_trace_clamped(const struct td_trace *trace);

const struct td_dict *td_trace_dict(const struct td_trace *trace);
struct td_dict *td_trace_fill_dict(struct td_trace *trace); /* to add to while the model is being filled */
const struct td_trace_info *td_trace_get_info(const struct td_trace *trace);
/* Tracks: numbers of the dictionary, 0 .. td_dict_track_count()-1. */
uint32_t td_trace_rows(const struct td_trace *trace, uint32_t track);
size_t td_trace_row_zones(const struct td_trace *trace, uint32_t track, uint32_t row);
uint64_t td_trace_track_zones(const struct td_trace *trace, uint32_t track);   /* all rows */
uint64_t td_trace_track_parents(const struct td_trace *trace, uint32_t track); /* zones that have children */
struct td_zone td_trace_zone(const struct td_trace *trace, uint32_t track, uint32_t row, size_t index);
/* Sets stack, text, name and colour from a row of the table EXTRA (0: nothing). */
void td_trace_zone_extra(const struct td_trace *trace, int64_t extra, struct td_zone *zone);
/* First zone of the row that ends after `time_ns` (= count if none): O(log n). */
size_t td_trace_zone_after(const struct td_trace *trace, uint32_t track, uint32_t row, int64_t time_ns);

size_t td_trace_messages(const struct td_trace *trace);
struct td_message td_trace_message(const struct td_trace *trace,
                                   size_t index); /* time order over all tracks */
size_t td_trace_track_messages(const struct td_trace *trace, uint32_t track);
size_t td_trace_track_message(const struct td_trace *trace, uint32_t track,
                              size_t index); /* number for td_trace_message() */
size_t td_trace_plot_points(const struct td_trace *trace, uint32_t plot);
struct td_plot_point td_trace_plot_point(const struct td_trace *trace, uint32_t plot, size_t index);
size_t td_trace_frames(const struct td_trace *trace, uint32_t frame_set);
struct td_frame td_trace_frame(const struct td_trace *trace, uint32_t frame_set, size_t index);
size_t td_trace_app_infos(const struct td_trace *trace);
uint32_t td_trace_app_info(const struct td_trace *trace, size_t index); /* string */

/* Call stacks: a row of the table STACK is a range of rows of STACK_ENTRY. Stacks of equal content get one
 * number; `frames` from the innermost on. 0: no frames, UINT32_MAX: no memory. */
uint32_t td_trace_fill_stack(struct td_trace *trace, const uint64_t *frames, size_t count);
void td_trace_stack(const struct td_trace *trace, uint32_t stack, uint64_t *first, uint64_t *count);
/* What is known of a frame id or of a symbol's address: the row of STACK_FRAME or SYMBOL, -1: nothing.
 * Thread-safe; the first call takes the time to look at all. */
int64_t td_trace_stack_frame(const struct td_trace *trace, uint64_t frame);
int64_t td_trace_symbol(const struct td_trace *trace, uint64_t address);

/* NULL: the program did not crash. */
const struct td_crash *td_trace_crash(const struct td_trace *trace);
void td_trace_set_crash(struct td_trace *trace, const struct td_crash *crash);

/* Statistics per source location (name, file, line) that has zones; in the order of location numbers. Zones
 * without an end are in `open` only, zones of length 0 in `count` only; all else is over the `timed` ones, as
 * stock tools have it. Computed on first call after td_trace_finish(), on all processors, and kept;
 * thread-safe; the same for any number of processors. No memory, or not finished: none. */
struct td_stat {
    uint32_t srcloc;
    uint64_t count; /* finished zones */
    uint64_t timed; /* those longer than 0 */
    uint64_t open;  /* unfinished zones */
    int64_t total_ns, min_ns, max_ns;
    int64_t self_ns, self_min_ns, self_max_ns; /* without the time of direct children */
    double mean_ns, std_ns;
    double sum_squares;
};
/* Of the tracks that belong to no GPU context (what stock calls CPU zones), and of those that do. */
size_t td_trace_stats(const struct td_trace *trace, const struct td_stat **stats);
size_t td_trace_gpu_stats(const struct td_trace *trace, const struct td_stat **stats);
#define TD_TRACE_NO_GROUP UINT32_MAX
/* group_of_stat[i]: the group of the i-th entry of td_trace_stats(), below `groups`, or TD_TRACE_NO_GROUP.
 * values[g * count + k]: the length that a part fractions[k] (0.5: the median) of the timed zones of group g
 * does not exceed; room for all groups is the caller's. Exact below 4096 ns, and where all are equal, else
 * within 0.05 %. 0, or TD_E_NOMEM. */
int td_trace_percentiles(const struct td_trace *trace, const uint32_t *group_of_stat, size_t groups,
                         const double *fractions, size_t count, int64_t *values);

/* Facts about the capture that stock formats have no place for are app info lines "tendril.KEY: VALUE".
 * Keys (an app info line each, made with td_trace_note() before finish, read with td_trace_get_note()). */
#define TD_NOTE_CLOCK_ERROR_NS                                                                               \
    "tendril.clock_error_ns"                    /* bound on |device time - host time| in this trace          \
                                                 */
#define TD_NOTE_LOST       "tendril.lost"       /* zones lost on all lanes */
#define TD_NOTE_LOST_OTHER "tendril.lost_other" /* other packets lost */
#define TD_NOTE_STALLS     "tendril.stalls"
#define TD_NOTE_BAD_BYTES  "tendril.bad_bytes" /* lane bytes that made no sense */
#define TD_NOTE_LINK_LOST                                                                                    \
    "tendril.link_lost" /* slots lost between a gatherer and the host; in lost_other too */
#define TD_NOTE_LINK_BAD "tendril.link_bad" /* damaged frames there */
#define TD_NOTE_BOARD    "tendril.board"
#define TD_NOTE_FAULT    "tendril.fault"  /* one line a core that stopped by a fault */
#define TD_NOTE_DAMAGE   "tendril.damage" /* one line a lane that something wrote over */
int td_trace_note(struct td_trace *trace, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The index-th value of that key, or NULL. */
const char *td_trace_get_note(const struct td_trace *trace, const char *key, size_t index);
#endif
