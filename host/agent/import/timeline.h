/* Collects what a trace of another program says, in any order, and pushes it to the hub as tracks, zones, messages,
 * frames, points of plots, and samples of call stacks.
 *
 *   create; add items; finish; read the counts; destroy
 *
 * Times are kept as they are. Zones of a thread that overlap without being nested get further tracks, "NAME, line
 * 2" ..., as do the zones of asynchronous operations, which have tracks of their own: one for each process and
 * category, and a further line where operations overlap. A begin whose end is missing stays open.
 *
 * Functions that add return 0 or TD_E_NOMEM. `text`: a number of the hub's dictionary, as all strings are. Not
 * thread-safe. */
#pragma once
#include "host/agent/import/import_lines.h"
#include "host/event/event.h"

#include <stdbool.h>

#define TD_TIMELINE_LINES 1000 /* of a thread, or of a category of a process */
#define TD_TIMELINE_OPEN  INT64_MAX

/* X(NAME, one, many): what is left out, and how a line names it. */
/* clang-format off */
#define TD_TIMELINE_LOSSES(X)                                                                                  \
    X(DAMAGED, "damaged event", "damaged events")                                                              \
    X(DEEP, "event with too many lists in each other", "events with too many lists in each other")             \
    X(OTHER, "item that is no event", "items that are no events")                                              \
    X(PHASE, "event of an unknown kind", "events of unknown kinds")                                            \
    X(TIME, "event without a time that a trace can have", "events without a time that a trace can have")       \
    X(LENGTH, "zone with an impossible length", "zones with impossible lengths")                               \
    X(END, "end without a begin", "ends without a begin")                                                      \
    X(FLOW, "end of a flow outside of zones", "ends of flows outside of zones")                                \
    X(FLOW_ID, "flow without an id", "flows without ids")                                                      \
    X(ARGUMENT, "set of arguments of a frame or flow", "sets of arguments of frames and flows")                \
    X(VALUE, "value of a counter that is no number", "values of counters that are no numbers")                 \
    X(LINE, "zone that overlaps too many others", "zones that overlap too many others")                        \
    X(FACT, "fact about the trace", "facts about the trace")                                                    \
    X(OBJECT, "event about an object", "events about objects")                                                 \
    X(MEMORY, "memory dump", "memory dumps")                                                                   \
    X(SAMPLE, "sample or profile", "samples and profiles")                                                     \
    X(MARK, "mark of a clock or context", "marks of clocks and contexts")                                      \
    X(RECORD, "record of an unknown kind", "records of unknown kinds")                                         \
    X(BLOB, "piece of binary data", "pieces of binary data")                                                   \
    X(DROPPED, "notice that a buffer was full", "notices that a buffer was full")                              \
    X(LINE_OF_TEXT, "line that is not understood", "lines that are not understood")
/* clang-format on */
enum td_timeline_loss {
#define TD_X(name, one, many) TD_LOSS_##name,
    TD_TIMELINE_LOSSES(TD_X)
#undef TD_X
        TD_LOSS_COUNT
};

#define TD_TIMELINE_OTHERS 32
struct td_timeline_counts {
    uint64_t zones, messages, frames, plot_points;
    uint64_t flows; /* ends of flows */
    uint64_t samples, stacks, switches;
    uint64_t renamed; /* ends of zones with another name than any open zone: they end the innermost one */
    uint64_t lost[TD_LOSS_COUNT];
    struct td_timeline_other { /* td_timeline_lose(); the last one: of all further kinds */
        char what[48];
        uint64_t count;
    } others[TD_TIMELINE_OTHERS];
};

struct td_timeline;
struct td_timeline *td_timeline_create(struct td_hub *hub); /* NULL: no memory */
void td_timeline_destroy(struct td_timeline *timeline);     /* NULL is allowed */
struct td_timeline_counts *td_timeline_get_counts(struct td_timeline *timeline);
/* Counts an item of a kind that only this format has: "sys_stats packet". */
void td_timeline_lose(struct td_timeline *timeline, const char *what);
/* The lines of an importer's report about the counts. */
void td_timeline_report(const struct td_timeline_counts *counts, const struct td_import_lines *to);

/* Where items belong. Ids are any texts; equal texts are one process or thread. The process "" has no part in the
 * names of tracks. UINT32_MAX: no memory. */
struct td_timeline_id {
    const char *at;
    size_t bytes;
};
uint32_t td_timeline_process(struct td_timeline *timeline, struct td_timeline_id pid);
uint32_t td_timeline_thread(struct td_timeline *timeline, uint32_t process, struct td_timeline_id tid);
/* An asynchronous operation, known by `key`. The first call decides process and category. */
uint32_t td_timeline_operation(struct td_timeline *timeline, uint32_t process, struct td_timeline_id category,
                               struct td_timeline_id key);
/* The same of a track that has a name in the trace, instead of a category: its operations are shown as NAME. */
uint32_t td_timeline_named(struct td_timeline *timeline, uint32_t process, struct td_timeline_id name,
                           struct td_timeline_id key);
void td_timeline_name_process(struct td_timeline *timeline, uint32_t process, uint32_t name);
void td_timeline_name_thread(struct td_timeline *timeline, uint32_t thread, uint32_t name);
void td_timeline_sort_process(struct td_timeline *timeline, uint32_t process, int64_t index);
void td_timeline_sort_thread(struct td_timeline *timeline, uint32_t thread, int64_t index);

struct td_timeline_place {
    int64_t time_ns;
    uint32_t owner; /* a thread, or an operation */
    bool async;     /* it is an operation */
};
/* A thread of which it is not known yet which one it is. td_timeline_settle() must say so before the end; the time of
 * `is` does not matter. */
uint32_t td_timeline_later(struct td_timeline *timeline);
void td_timeline_settle(struct td_timeline *timeline, uint32_t later, const struct td_timeline_place *is);
/* end_ns: TD_TIMELINE_OPEN: it has no end. */
int td_timeline_zone(struct td_timeline *timeline, struct td_timeline_place at, int64_t end_ns,
                     uint32_t srcloc, uint32_t text);
int td_timeline_begin(struct td_timeline *timeline, struct td_timeline_place at, uint32_t srcloc,
                      uint32_t name, uint32_t text);
/* Ends the innermost zone that td_timeline_begin() began with this name; without a name (0), or if there is none,
 * the innermost one. */
int td_timeline_end(struct td_timeline *timeline, struct td_timeline_place at, uint32_t name, uint32_t text);
int td_timeline_message(struct td_timeline *timeline, struct td_timeline_place at, uint32_t text);
int td_timeline_frame(struct td_timeline *timeline, int64_t time_ns, uint32_t name);

/* A frame of a call stack, as far as it is known. Strings: 0: not known. */
struct td_timeline_call {
    uint64_t address, symbol; /* of the code, and where its function begins; 0: not known */
    uint32_t function, file, line;
    uint32_t image; /* string: the program or library */
    uint32_t
        inlined; /* 1: inlined in the next frame of the stack, with which it has address and image in common */
};
/* The number of a call stack, the innermost frame first; equal stacks have the same. 0: it has no frames.
 * UINT32_MAX: no memory. */
uint32_t td_timeline_stack(struct td_timeline *timeline, const struct td_timeline_call *frames, size_t count);
/* The call stack of the zone that was added just before, at its begin. */
int td_timeline_own_stack(struct td_timeline *timeline, uint32_t stack);
/* The call stack of a thread at one time. */
int td_timeline_sample(struct td_timeline *timeline, struct td_timeline_place at, uint32_t stack);
/* The same, where the thread stops running. */
int td_timeline_wait_sample(struct td_timeline *timeline, struct td_timeline_place at, uint32_t stack);
int td_timeline_stack_message(struct td_timeline *timeline, struct td_timeline_place at, uint32_t text,
                              uint32_t stack);

/* An end of a flow belongs to the innermost zone of its thread around it, or to the next one. ANY: the first one of the
 * flow is OUT, the last one IN; LAST: what follows is another flow. */
enum td_timeline_flow_end {
    TD_TIMELINE_FLOW_OUT,
    TD_TIMELINE_FLOW_STEP,
    TD_TIMELINE_FLOW_IN,
    TD_TIMELINE_FLOW_NEXT,
    TD_TIMELINE_FLOW_ANY,
    TD_TIMELINE_FLOW_LAST
};
/* The file of a place "FILE:LINE", and in *line the line; without a number after the last colon the whole text is
 * the file, and the line is 0. UINT32_MAX: no memory. */
uint32_t td_timeline_place_file(struct td_dict *dict, struct td_timeline_id place, uint32_t *line);

/* A flow is known by all of these texts, and shown as "NAME #ID"; with "(MORE)" if another one is shown so. */
struct td_timeline_flow_id {
    struct td_timeline_id name, id, more;
};
int td_timeline_flow(struct td_timeline *timeline, struct td_timeline_place at,
                     enum td_timeline_flow_end kind, const struct td_timeline_flow_id *flow);
/* An end of a flow of the zone that was added just before it at the same place. */
int td_timeline_own_flow(struct td_timeline *timeline, struct td_timeline_place at,
                         enum td_timeline_flow_end kind, const struct td_timeline_flow_id *flow);

/* A point of the series `key` of a counter. The plot is named "COUNTER KEY"; "COUNTER" if key is "" or "value". */
int td_timeline_point(struct td_timeline *timeline, uint32_t process, int64_t time_ns,
                      struct td_timeline_id counter, struct td_timeline_id key, double value);
/* The same of a series whose name is said later, at any time before the end. UINT32_MAX: no memory. */
uint32_t td_timeline_series(struct td_timeline *timeline);
int td_timeline_name_series(struct td_timeline *timeline, uint32_t series, uint32_t process,
                            struct td_timeline_id name, bool is_memory);
int td_timeline_series_point(struct td_timeline *timeline, uint32_t series, int64_t time_ns, double value);
/* A line about the trace, of any length; long ones and many are counted as lost. */
int td_timeline_fact(struct td_timeline *timeline, struct td_timeline_id text);

/* Pushes all. 0 or a negative enum td_e. *zero_ns: the time that became 0: that of the first item. */
int td_timeline_finish(struct td_timeline *timeline, int64_t *zero_ns, struct td_err *err);
