/* What a profile of Firefox says, as firefox.c reads it: tables as columns of numbers. */
#pragma once
#include "host/agent/import/json_text.h"
#include "host/agent/import/timeline.h"

/* X(NAME, table, column, kind): kind: INT, MS (a time), DELTA (ms since the row before), DATA (a text). Columns of one name
 * are one column, of which a file has one. */
#define TD_FIREFOX_COLUMNS(X)                                                                                \
    X(SAMPLE_STACK, "samples", "stack", INT)                                                                 \
    X(SAMPLE_TIME, "samples", "time", MS)                                                                    \
    X(SAMPLE_DELTA, "samples", "timeDeltas", DELTA)                                                          \
    X(STACK_PREFIX, "stackTable", "prefix", INT)                                                             \
    X(STACK_FRAME, "stackTable", "frame", INT)                                                               \
    X(FRAME_FUNC, "frameTable", "func", INT)                                                                 \
    X(FRAME_LINE, "frameTable", "line", INT)                                                                 \
    X(FRAME_ADDRESS, "frameTable", "address", INT)                                                           \
    X(FRAME_INLINE, "frameTable", "inlineDepth", INT)                                                        \
    X(FRAME_LOCATION, "frameTable", "location", INT)                                                         \
    X(FUNC_NAME, "funcTable", "name", INT)                                                                   \
    X(FUNC_FILE, "funcTable", "fileName", INT)                                                               \
    X(FUNC_SOURCE, "funcTable", "source", INT)                                                               \
    X(FUNC_LINE, "funcTable", "lineNumber", INT)                                                             \
    X(FUNC_RESOURCE, "funcTable", "resource", INT)                                                           \
    X(RESOURCE_NAME, "resourceTable", "name", INT)                                                           \
    X(SOURCE_FILE, "sources", "filename", INT)                                                               \
    X(MARKER_NAME, "markers", "name", INT)                                                                   \
    X(MARKER_TIME, "markers", "time", MS)                                                                    \
    X(MARKER_START, "markers", "startTime", MS)                                                              \
    X(MARKER_END, "markers", "endTime", MS)                                                                  \
    X(MARKER_PHASE, "markers", "phase", INT)                                                                 \
    X(MARKER_DATA, "markers", "data", DATA)                                                                  \
    X(POINT_TIME, "samples", "time", MS)                                                                     \
    X(POINT_DELTA, "samples", "timeDeltas", DELTA)                                                           \
    X(POINT_COUNT, "samples", "count", NUMBER)

enum td_firefox_column {
#define TD_X(name, table, column, kind) TD_FX_##name,
    TD_FIREFOX_COLUMNS(TD_X)
#undef TD_X
        TD_FX_COLUMNS
};

#define TD_FX_NULL INT64_MIN       /* null */
#define TD_FX_BAD  (INT64_MIN + 1) /* no number */

struct td_firefox_cells {
    int64_t *at; /* NUMBER: bits of a double; DATA: 1 + where the text begins in `texts`, which a NUL ends */
    size_t count, room;
};

/* A thread, a counter, or what all threads share. */
struct td_firefox_part {
    enum { TD_FX_THREAD, TD_FX_COUNTER, TD_FX_SHARED } kind;
    uint32_t profile;                                    /* number of the profile that it is in */
    uint32_t name, process_name, process_type, category; /* strings; 0: none */
    uint32_t pid, tid;                                   /* strings, also of numbers */
    struct td_firefox_cells columns[TD_FX_COLUMNS];
    uint32_t *strings;
    size_t string_count, string_room;
    struct td_text texts;
};

struct td_firefox_profile {
    struct td_json_number start_ms; /* since 1970 */
    bool has_start;
};

struct td_firefox {
    struct td_dict *dict;
    struct td_timeline *timeline;
    struct td_firefox_part *parts;
    size_t part_count, part_room;
    struct td_firefox_profile *profiles; /* the first one is the outermost */
    size_t profile_count, profile_room;
};

/* Adds the samples, markers and points of a part to the timeline. `number`: of the part. 0 or TD_E_NOMEM. */
int td_firefox_add_part(struct td_firefox *firefox, size_t number);
void td_firefox_free_part(struct td_firefox_part *part);
