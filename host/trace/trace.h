/* The model: the only in-memory form of a trace. The hub (through td_trace_sink()) and the file reader fill
 * it. The file writer, CSV, info and the viewer read it through the functions below; its storage is hidden.
 *
 * A track keeps its zones in rows: row d holds the zones of nesting depth d in start order, not overlapping.
 * The children of a zone are one contiguous range of the next row. A viewer therefore finds the visible zones
 * by one binary search a row, and a writer walks the tree without searching.
 *
 * Threads: one thread fills the model, then calls td_trace_finish(); fill.h says what several threads may
 * fill. Any number of threads may read at any time, without locks. Rows never move or disappear, and a zone
 * is visible once it has begun. td_trace_finish() sorts by time and makes the messages of each track;
 * statistics need a finished trace.
 *
 * Nesting of complete zones follows from their times: a zone that lies in another is its child, and zones
 * with equal times nest in the order of arrival (inner first). Zones made of begin and end keep the nesting
 * they arrived with.
 *
 * The base frame set (number 0) is as in files: frame 0 begins at 0, frame 1 when the program was ready. A
 * source that knows the latter time begins the set with these two frames; otherwise the writer adds them.
 *
 * Times are ns, 0 = start of the trace. The end of an unfinished zone is TD_OPEN. Strings, tracks, source
 * locations, plots and frame sets are numbers of the dictionary. Returned pointers belong to the trace. */
#pragma once
#include "host/event/event.h"
#include "proto/notes.h"

#include <stdbool.h>

#define TD_OPEN       INT64_MAX
#define TD_UNKNOWN_NS INT64_C(-1) /* a time that is not known */

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

/* Facts about the trace as a whole. Strings are owned by the trace. */
struct td_trace_info {
    char *capture_name, *program, *host_info;
    uint64_t capture_time_s, executable_time_s, pid;
    int64_t resolution_ns, last_time_ns;
    int64_t delay_ns; /* cost of reading the clock */
    int64_t sampling_period_ns;
    double timer_mul;
    uint8_t cpu_arch;
    uint32_t cpu_id;
    char cpu_vendor[12];
    uint8_t on_demand;
    uint8_t no_base_frames; /* 1: it comes from a file that has frame sets, but not the base one */
    uint64_t frame_offset;
    char *salvaged; /* what is missing, if the trace is the intact part of a damaged file; else NULL */
};

struct td_crash {
    int64_t time_ns;
    uint32_t track, text; /* text: several lines */
    uint32_t stack;       /* row of the table STACK, or 0 */
};

/* NULL: no memory. The trace owns `dict`, which is destroyed on failure too. The model keeps at most about
 * `memory_bytes` in memory and the rest in a temporary file; 0: all in memory. */
struct td_trace *td_trace_create(struct td_dict *dict);
struct td_trace *td_trace_create_within(struct td_dict *dict, uint64_t memory_bytes);
void td_trace_destroy(struct td_trace *trace);
/* Before the first event, for a trace with a limit: rows and texts go to the temporary file while the trace grows, so
 * that only about `kept_bytes` stay in memory (store.h). `folder`: where the file is, if it can; NULL: anywhere. */
void td_trace_spill_early(struct td_trace *trace, uint64_t kept_bytes, const char *folder);
/* When the temporary file has no room left, data stays in memory; without this call that is an error. */
void td_trace_may_exceed(struct td_trace *trace);
/* The room that a trace takes while it is being filled. */
struct td_trace_needs {
    uint64_t file_bytes;     /* in temporary files */
    uint64_t resident_bytes; /* of these files, in memory at most */
    uint64_t needed_bytes;   /* of memory: what td_trace_finish() and writing will take in addition, about */
    bool file_failed;        /* there was no room in the temporary file: what was for it stays in memory */
};
void td_trace_room(const struct td_trace *trace, struct td_trace_needs *room);
/* Bytes that are free where the temporary file is; *folder is its place. UINT64_MAX: there is no file, it is not on
 * a disk, or this is not known. */
uint64_t td_trace_disk_free(const struct td_trace *trace, const char **folder);
/* For a trace that is read while it is filled: from now on the call stack of a zone is visible as soon as the
 * zone is, and MEMORY_FREE gets a row for each free. Call before the first event. */
void td_trace_follow(struct td_trace *trace);
/* Valid as long as the trace. */
struct td_sink td_trace_sink(struct td_trace *trace);
/* For changing the facts; set its strings with td_trace_set_string(), which copies. */
struct td_trace_info *td_trace_edit_info(struct td_trace *trace);
int td_trace_set_string(char **field, const char *text);
/* Sorts and nests; drops nothing. Complete zones that overlap others of their track, without being in them, get
 * further tracks, "NAME, line 2". Call once; afterwards the model is read only. */
int td_trace_finish(struct td_trace *trace, struct td_err *err);
/* Whether td_trace_finish() has succeeded. Thread-safe. */
bool td_trace_is_finished(const struct td_trace *trace);
/* How many times or nestings had to be changed: 0 for a sound trace. */
uint64_t td_trace_clamped(const struct td_trace *trace);

/* Tracks with zones around others that TD_EVENT_SETTLED had settled: td_trace_finish() nests them anew. Until
 * then their rows lack these zones. */
uint32_t td_trace_settled_early(const struct td_trace *trace);
/* The number of these zones. Thread-safe. */
uint64_t td_trace_late_zones(const struct td_trace *trace);

const struct td_dict *td_trace_dict(const struct td_trace *trace);
/* The same, for adding to it while the model is being filled. */
struct td_dict *td_trace_fill_dict(struct td_trace *trace);
const struct td_trace_info *td_trace_get_info(const struct td_trace *trace);
/* Tracks: numbers of the dictionary, 0 .. td_dict_track_count()-1. */
uint32_t td_trace_rows(const struct td_trace *trace, uint32_t track);
size_t td_trace_row_zones(const struct td_trace *trace, uint32_t track, uint32_t row);
uint64_t td_trace_track_zones(const struct td_trace *trace, uint32_t track);   /* all rows */
uint64_t td_trace_track_parents(const struct td_trace *trace, uint32_t track); /* zones that have children */
struct td_zone td_trace_zone(const struct td_trace *trace, uint32_t track, uint32_t row, size_t index);
/* Sets stack, text, name and colour from a row of the table EXTRA (0: nothing). */
void td_trace_zone_extra(const struct td_trace *trace, int64_t extra, struct td_zone *zone);
/* The first zone of the row that ends after `time_ns`; the row's count if there is none. O(log n). */
size_t td_trace_zone_after(const struct td_trace *trace, uint32_t track, uint32_t row, int64_t time_ns);

size_t td_trace_messages(const struct td_trace *trace);
/* In time order over all tracks. */
struct td_message td_trace_message(const struct td_trace *trace, size_t index);
size_t td_trace_track_messages(const struct td_trace *trace, uint32_t track);
/* The index for td_trace_message(); SIZE_MAX: there is no such message. */
size_t td_trace_track_message(const struct td_trace *trace, uint32_t track, size_t index);
size_t td_trace_plot_points(const struct td_trace *trace, uint32_t plot);
struct td_plot_point td_trace_plot_point(const struct td_trace *trace, uint32_t plot, size_t index);
size_t td_trace_frames(const struct td_trace *trace, uint32_t frame_set);
struct td_frame td_trace_frame(const struct td_trace *trace, uint32_t frame_set, size_t index);
size_t td_trace_app_infos(const struct td_trace *trace);
uint32_t td_trace_app_info(const struct td_trace *trace, size_t index); /* string */

/* Call stacks: a row of the table STACK is a range of rows of STACK_ENTRY. Stacks of equal content share a
 * number; `frames` begins with the innermost. Returns the row, 0: no frames, UINT32_MAX: no memory. */
uint32_t td_trace_fill_stack(struct td_trace *trace, const uint64_t *frames, size_t count);
void td_trace_stack(const struct td_trace *trace, uint32_t stack, uint64_t *first, uint64_t *count);
/* The row of STACK_FRAME for a frame id, or of SYMBOL for a symbol's address; -1: none. Thread-safe. The
 * first call indexes the whole table. */
int64_t td_trace_stack_frame(const struct td_trace *trace, uint64_t frame);
/* The same; its rows of STACK_LINE are those from *first to before *end: inlined functions, then the real one. */
int64_t td_trace_frame_lines(const struct td_trace *trace, uint64_t frame, uint64_t *first, uint64_t *end);
/* Indexes that table now. 0, or TD_E_NOMEM: frames may not be found that are there. */
int td_trace_index_frames(const struct td_trace *trace);
int64_t td_trace_symbol(const struct td_trace *trace, uint64_t address);

/* NULL: the program did not crash. */
const struct td_crash *td_trace_crash(const struct td_trace *trace);
/* When it crashed: the time that the client reported, but within the trace and not before the last event of the
 * thread that crashed. Tracy's clients report a wrong time, often a negative one, if they were built with fibers. */
int64_t td_trace_crash_ns(const struct td_trace *trace);
void td_trace_set_crash(struct td_trace *trace, const struct td_crash *crash);

/* Statistics of each source location (name, file, line) that has zones, in the order of location numbers.
 * Zones without an end count in `open` only, zones of length 0 in `count` only. All other fields cover the
 * `timed` zones, as in stock tools. The first call after td_trace_finish() computes the statistics on all
 * processors; their values do not depend on how many. Thread-safe. There are none (0) if memory ran out or
 * the trace is not finished. */
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
/* Statistics of the tracks outside GPU contexts (stock calls their zones CPU zones), and of those in GPU
 * contexts. Returns the count; *stats belongs to the trace, and is NULL if the trace is not finished or there is no
 * memory for them. */
size_t td_trace_stats(const struct td_trace *trace, const struct td_stat **stats);
size_t td_trace_gpu_stats(const struct td_trace *trace, const struct td_stat **stats);
#define TD_TRACE_NO_GROUP UINT32_MAX
/* Percentiles of zone lengths, by groups of source locations. group_of_stat[i] is the group of the i-th entry
 * of td_trace_stats(): below `groups`, or TD_TRACE_NO_GROUP. fractions[k]: 0.5 is the median. The caller
 * provides groups * count values; values[g * count + k] gets the length that the part fractions[k] of the
 * timed zones of group g does not exceed. It is exact below 4096 ns and where all lengths are equal, else
 * within 0.05 %. Returns 0 or TD_E_NOMEM. */
int td_trace_percentiles(const struct td_trace *trace, const uint32_t *group_of_stat, size_t groups,
                         const double *fractions, size_t count, int64_t *values);

/* Notes (proto/notes.h) are facts about the capture, kept as app info lines "KEY: VALUE". td_trace_note() adds one
 * before td_trace_finish(). */
int td_trace_note(struct td_trace *trace, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The index-th value of that key, or NULL. */
const char *td_trace_get_note(const struct td_trace *trace, const char *key, size_t index);
/* The next value of that key, or NULL. *next: 0 at first. To read all of many values: td_trace_get_note() searches
 * from the beginning each time. */
const char *td_trace_next_note(const struct td_trace *trace, const char *key, size_t *next);
