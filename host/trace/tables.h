/* The tables of the model: everything but zones and names, as series of 64-bit integers.
 *
 * A table is one series (ONE), or a list of series (EACH) with one series for each track, plot, lock, ...,
 * which has that parent's number. Columns have types:
 *   TIME   ns, 0 = start of the trace; -1: not known, not finished
 *   STRING, SRCLOC, TRACK  numbers of the dictionary; string 0: none
 *   STACK  row of the table STACK, 0: none
 *   THREAD the id from the operating system or the client
 *   COLOR  0x00RRGGBB, 0: none chosen
 *   F64    bits of a double
 *   END    end (not included) of a range of rows in another table; the range begins where that of the
 *          previous row ends
 *   BLOB   a value returned by td_trace_fill_blob(), for td_trace_blob(); the next column is its length in
 *          bytes
 *   ADDRESS   of code; 0: none
 *   FRAME     a frame id (below)
 *   CPU       the number of a processor, below 0: none; PACKAGE: of its package
 *   LOCK      the id of a lock
 *   CATEGORY  the number of a category of sections
 *   PARAMETER the number of a parameter
 *   IMAGE     row of the table IMAGE, -1: none
 *   INT    any other number
 * Rows of LOOSE tables may change while the trace is filled.
 *
 * To fill a table, append to td_trace_fill_table() or td_trace_fill_list(). To read it, at any time and from
 * any thread, use td_trace_table() or td_trace_list() with the functions of series.h. */
#pragma once
#include "host/trace/series.h"

/* clang-format off */
/* Time order over all tracks (after td_trace_finish()). source: 0 user, 1 the profiler. severity: 0 trace, 1
 * debug, 2 info, 3 warning, 4 error, 5 fatal. */
#define TD_MESSAGE_COLUMNS(C) C(MESSAGE, TIME, TIME) C(MESSAGE, TRACK, TRACK) C(MESSAGE, TEXT, STRING) \
    C(MESSAGE, COLOR, COLOR) C(MESSAGE, STACK, STACK) C(MESSAGE, SOURCE, INT) C(MESSAGE, SEVERITY, INT)
/* Rows of MESSAGE, for each track; made by td_trace_finish(). */
#define TD_TRACK_MESSAGE_COLUMNS(C) C(TRACK_MESSAGE, MESSAGE, INT)
/* Properties that few zones have; row 0 is all zero. */
#define TD_EXTRA_COLUMNS(C) C(EXTRA, STACK, STACK) C(EXTRA, TEXT, STRING) C(EXTRA, NAME, STRING) C(EXTRA, COLOR, COLOR)
/* By plot of the dictionary. */
#define TD_POINT_COLUMNS(C) C(POINT, TIME, TIME) C(POINT, VALUE, F64)
/* By plot, one row: the least and greatest value and the sum read from a file, which may differ from those of
 * the points. */
#define TD_PLOT_RANGE_COLUMNS(C) C(PLOT_RANGE, MIN, F64) C(PLOT_RANGE, MAX, F64) C(PLOT_RANGE, SUM, F64)
/* By frame set of the dictionary. end: -1 in continuous sets. image: row of IMAGE or -1. */
#define TD_FRAME_COLUMNS(C) C(FRAME, START, TIME) C(FRAME, END, TIME) C(FRAME, IMAGE, IMAGE)
/* DXT1 blocks. IMAGE_DICTIONARY, if there is one, is kept from file to file and not used. */
#define TD_IMAGE_COLUMNS(C) C(IMAGE, WIDTH, INT) C(IMAGE, HEIGHT, INT) C(IMAGE, FLIP, INT) C(IMAGE, DATA, BLOB) C(IMAGE, BYTES, INT)
#define TD_IMAGE_DICTIONARY_COLUMNS(C) C(IMAGE_DICTIONARY, DATA, BLOB) C(IMAGE_DICTIONARY, BYTES, INT)
#define TD_APP_INFO_COLUMNS(C) C(APP_INFO, TEXT, STRING)
/* type: 0 plain, 1 shared. terminated: 0: not terminated. */
#define TD_LOCK_COLUMNS(C) C(LOCK, ID, LOCK) C(LOCK, NAME, STRING) C(LOCK, SRCLOC, SRCLOC) C(LOCK, TYPE, INT) \
    C(LOCK, VALID, INT) C(LOCK, ANNOUNCED, TIME) C(LOCK, TERMINATED, TIME)
/* By lock: the threads that used it (at most 64) and their events. thread: row of LOCK_THREAD. kind: 0 wait,
 * 1 obtain, 2 release; 3 to 5: the same, shared. srcloc 0: none. */
#define TD_LOCK_THREAD_COLUMNS(C) C(LOCK_THREAD, THREAD, THREAD)
#define TD_LOCK_EVENT_COLUMNS(C) C(LOCK_EVENT, TIME, TIME) C(LOCK_EVENT, SRCLOC, SRCLOC) C(LOCK_EVENT, THREAD, INT) C(LOCK_EVENT, KIND, INT)
/* The default pool has name 0; it is pool 0 where there is one. high, low: end of the highest and start of
 * the lowest allocation ever. usage: sum of the sizes that are active at the end. */
#define TD_POOL_COLUMNS(C) C(POOL, NAME, STRING) C(POOL, HIGH, INT) C(POOL, LOW, INT) C(POOL, USAGE, INT)
/* By pool, in the order of allocation. free time -1: still active. */
#define TD_MEMORY_COLUMNS(C) C(MEMORY, ADDRESS, INT) C(MEMORY, SIZE, INT) C(MEMORY, STACK, STACK) C(MEMORY, FREE_STACK, STACK) \
    C(MEMORY, TIME, TIME) C(MEMORY, FREE_TIME, TIME) C(MEMORY, THREAD, THREAD) C(MEMORY, FREE_THREAD, THREAD)
/* By pool: rows of MEMORY in the order in which they were freed, each with the number of rows that MEMORY had
 * then. In memory only, and only after td_trace_follow(). */
#define TD_MEMORY_FREE_COLUMNS(C) C(MEMORY_FREE, ROW, INT) C(MEMORY_FREE, AFTER, INT)
/* Call stacks: row 0 means no stack. Frame ids begin with the innermost. */
#define TD_STACK_COLUMNS(C) C(STACK, END, END)
#define TD_STACK_ENTRY_COLUMNS(C) C(STACK_ENTRY, FRAME, FRAME)
/* Functions and source lines of a frame id: inlined functions first, the real one last. */
#define TD_STACK_FRAME_COLUMNS(C) C(STACK_FRAME, FRAME, FRAME) C(STACK_FRAME, IMAGE, STRING) C(STACK_FRAME, END, END)
#define TD_STACK_LINE_COLUMNS(C) C(STACK_LINE, FUNCTION, STRING) C(STACK_LINE, FILE, STRING) C(STACK_LINE, LINE, INT) C(STACK_LINE, SYMBOL, ADDRESS)
/* By track. SWITCH_SAMPLE: the part of SAMPLE that was taken at context switches. */
#define TD_SAMPLE_COLUMNS(C) C(SAMPLE, TIME, TIME) C(SAMPLE, STACK, STACK)
#define TD_SWITCH_SAMPLE_COLUMNS(C) C(SWITCH_SAMPLE, TIME, TIME) C(SWITCH_SAMPLE, STACK, STACK)
/* Threads and fibers with known context switches; SWITCH is by row of this table. fiber_thread: the thread
 * that ran the fiber, 0 otherwise. reason: -1 none, -2 woken but not started, 99 fiber, 100 state only, else
 * the operating system's. */
#define TD_SWITCH_THREAD_COLUMNS(C) C(SWITCH_THREAD, THREAD, THREAD)
/* Only times of switches (SWITCH, CPU_SWITCH) may lie before 0. */
#define TD_SWITCH_COLUMNS(C) C(SWITCH, WAKEUP, TIME) C(SWITCH, START, TIME) C(SWITCH, END, TIME) C(SWITCH, CPU, CPU) \
    C(SWITCH, REASON, INT) C(SWITCH, STATE, INT) C(SWITCH, FIBER_THREAD, THREAD) C(SWITCH, WAKEUP_CPU, CPU)
/* By processor (0..255): the threads that ran on it. */
#define TD_CPU_SWITCH_COLUMNS(C) C(CPU_SWITCH, START, TIME) C(CPU_SWITCH, END, TIME) C(CPU_SWITCH, THREAD, THREAD)
#define TD_THREAD_PROCESS_COLUMNS(C) C(THREAD_PROCESS, THREAD, THREAD) C(THREAD_PROCESS, PROCESS, INT)
#define TD_CPU_TOTAL_COLUMNS(C) C(CPU_TOTAL, THREAD, THREAD) C(CPU_TOTAL, RUNNING_NS, INT) C(CPU_TOTAL, REGIONS, INT) C(CPU_TOTAL, MIGRATIONS, INT)
/* Names of threads of the program that have no track. */
#define TD_THREAD_NAME_COLUMNS(C) C(THREAD_NAME, THREAD, THREAD) C(THREAD_NAME, NAME, STRING)
#define TD_FOREIGN_THREAD_COLUMNS(C) C(FOREIGN_THREAD, THREAD, THREAD) C(FOREIGN_THREAD, PROCESS, STRING) C(FOREIGN_THREAD, NAME, STRING)
#define TD_TOPOLOGY_COLUMNS(C) C(TOPOLOGY, PACKAGE, PACKAGE) C(TOPOLOGY, DIE, INT) C(TOPOLOGY, CORE, INT) C(TOPOLOGY, CPU, CPU)
/* thread: 0, or the one host thread that owns the context. period: of a GPU tick, ns (zones are in ns
 * already). type: 1 OpenGL, 2 Vulkan, 3 OpenCL, 4 D3D12, 5 D3D11, 6 Metal, 7 custom, 8 CUDA, 9 ROCm, 10
 * WebGPU, 100 a device of Tenstorrent's fork. overflow: 0, or the power of two at which the GPU's timer
 * wraps. Zones of context c are in the tracks of the dictionary whose `context` is c + 1. */
#define TD_GPU_TENSTORRENT 100
#define TD_GPU_CONTEXT_COLUMNS(C) C(GPU_CONTEXT, THREAD, THREAD) C(GPU_CONTEXT, CALIBRATED, INT) C(GPU_CONTEXT, PERIOD, F64) \
    C(GPU_CONTEXT, TYPE, INT) C(GPU_CONTEXT, NAME, STRING) C(GPU_CONTEXT, OVERFLOW, INT)
/* By context. */
#define TD_GPU_NOTE_NAME_COLUMNS(C) C(GPU_NOTE_NAME, NOTE, INT) C(GPU_NOTE_NAME, NAME, STRING)
#define TD_GPU_NOTE_COLUMNS(C) C(GPU_NOTE, QUERY, INT) C(GPU_NOTE, NOTE, INT) C(GPU_NOTE, VALUE, F64)
#define TD_SYMBOL_COLUMNS(C) C(SYMBOL, ADDRESS, ADDRESS) C(SYMBOL, NAME, STRING) C(SYMBOL, FILE, STRING) C(SYMBOL, LINE, INT) C(SYMBOL, IMAGE, STRING) \
    C(SYMBOL, CALL_FILE, STRING) C(SYMBOL, CALL_LINE, INT) C(SYMBOL, INLINED, INT) C(SYMBOL, BYTES, INT)
#define TD_CODE_COLUMNS(C) C(CODE, ADDRESS, ADDRESS) C(CODE, DATA, BLOB) C(CODE, BYTES, INT)
#define TD_SYMBOL_OF_COLUMNS(C) C(SYMBOL_OF, ADDRESS, ADDRESS) C(SYMBOL_OF, SYMBOL, ADDRESS)
/* Addresses with hardware samples; the HW_ tables below are by row of this one and have the times of each
 * kind. */
#define TD_HW_ADDRESS_COLUMNS(C) C(HW_ADDRESS, ADDRESS, ADDRESS)
#define TD_HW_CYCLES_COLUMNS(C) C(HW_CYCLES, TIME, TIME)
#define TD_HW_RETIRED_COLUMNS(C) C(HW_RETIRED, TIME, TIME)
#define TD_HW_CACHE_REFERENCES_COLUMNS(C) C(HW_CACHE_REFERENCES, TIME, TIME)
#define TD_HW_CACHE_MISSES_COLUMNS(C) C(HW_CACHE_MISSES, TIME, TIME)
#define TD_HW_BRANCHES_COLUMNS(C) C(HW_BRANCHES, TIME, TIME)
#define TD_HW_BRANCH_MISSES_COLUMNS(C) C(HW_BRANCH_MISSES, TIME, TIME)
#define TD_SOURCE_COLUMNS(C) C(SOURCE, NAME, STRING) C(SOURCE, TEXT, BLOB) C(SOURCE, BYTES, INT)
/* Trace sections. An item that never ended has end = -(its id). */
#define TD_SECTION_COLUMNS(C) C(SECTION, CATEGORY, CATEGORY) C(SECTION, START, TIME) C(SECTION, END, TIME) C(SECTION, TEXT, STRING)
#define TD_SECTION_CATEGORY_COLUMNS(C) C(SECTION_CATEGORY, CATEGORY, CATEGORY) C(SECTION_CATEGORY, TEXT, STRING)
/* Parameters: values of the running program that a viewer's user may change. type: 0 number, 1 yes or no, 2
 * trigger. value: the program's initial one, or the one sent last. In memory only: files have no place for
 * them. */
#define TD_PARAMETER_COLUMNS(C) C(PARAMETER, INDEX, PARAMETER) C(PARAMETER, NAME, STRING) C(PARAMETER, TYPE, INT) C(PARAMETER, VALUE, INT)

/* Locations with zones in threads (in GPU contexts), with the file's numbers and in its order, which is the
 * order of stock programs' lists. Empty when the trace is not from a file. */
#define TD_ZONE_LOCATION_COLUMNS(C) C(ZONE_LOCATION, SRCLOC, SRCLOC) C(ZONE_LOCATION, NUMBER, INT)
#define TD_GPU_LOCATION_COLUMNS(C) C(GPU_LOCATION, SRCLOC, SRCLOC) C(GPU_LOCATION, NUMBER, INT)

/* T(name, ONE | EACH, loose). loose, unless 0: the number of full chunks whose rows change often (series.h). Those
 * of MEMORY change when the allocation is freed. */
#define TD_TABLES(T) \
    T(MESSAGE, ONE, 1) T(TRACK_MESSAGE, EACH, 0) T(EXTRA, ONE, 0) T(POINT, EACH, 0) T(PLOT_RANGE, EACH, 0) T(FRAME, EACH, 1) T(IMAGE, ONE, 0) \
    T(IMAGE_DICTIONARY, ONE, 0) T(APP_INFO, ONE, 0) T(LOCK, ONE, 1) T(LOCK_THREAD, EACH, 0) T(LOCK_EVENT, EACH, 1) \
    T(POOL, ONE, 1) T(MEMORY, EACH, 255) T(MEMORY_FREE, EACH, 0) T(STACK, ONE, 0) T(STACK_ENTRY, ONE, 0) T(STACK_FRAME, ONE, 0) T(STACK_LINE, ONE, 0) \
    T(SAMPLE, EACH, 0) T(SWITCH_SAMPLE, EACH, 0) T(SWITCH_THREAD, ONE, 0) T(SWITCH, EACH, 0) T(CPU_SWITCH, EACH, 0) \
    T(THREAD_PROCESS, ONE, 0) T(CPU_TOTAL, ONE, 0) T(THREAD_NAME, ONE, 0) T(FOREIGN_THREAD, ONE, 0) T(TOPOLOGY, ONE, 0) T(GPU_CONTEXT, ONE, 1) \
    T(GPU_NOTE_NAME, EACH, 0) T(GPU_NOTE, EACH, 0) T(SYMBOL, ONE, 0) T(CODE, ONE, 0) T(SYMBOL_OF, ONE, 0) T(HW_ADDRESS, ONE, 0) \
    T(HW_CYCLES, EACH, 0) T(HW_RETIRED, EACH, 0) T(HW_CACHE_REFERENCES, EACH, 0) T(HW_CACHE_MISSES, EACH, 0) \
    T(HW_BRANCHES, EACH, 0) T(HW_BRANCH_MISSES, EACH, 0) T(SOURCE, ONE, 0) T(SECTION, ONE, 16) T(SECTION_CATEGORY, ONE, 1) \
    T(PARAMETER, ONE, 1) T(ZONE_LOCATION, ONE, 0) T(GPU_LOCATION, ONE, 0)
/* clang-format on */

enum td_table {
#define TD_X(name, of, loose) TD_TABLE_##name,
    TD_TABLES(TD_X)
#undef TD_X
        TD_TABLE_COUNT
};

/* TD_MESSAGE_TIME, ...: columns of each table, and TD_MESSAGE_COLUMN_COUNT. */
#define TD_COLUMN_(table, name, type) TD_##table##_##name,
#define TD_X(name, of, loose)                                                                                \
    enum td_##name##_columns{TD_##name##_COLUMNS(TD_COLUMN_) TD_##name##_COLUMN_COUNT};
TD_TABLES(TD_X)
#undef TD_X
#undef TD_COLUMN_

/* A frame id (STACK_ENTRY, STACK_FRAME) is an address without its bits 62 and 63, which are equal to bits 60 and
 * 61; or it is TD_FRAME_SCRIPTED and the serial number of a scripting language's frame. */
#define TD_FRAME_SCRIPTED (UINT64_C(1) << 62)
#define TD_FRAME_BITS     (TD_FRAME_SCRIPTED - 1)
static inline uint64_t td_frame_address(uint64_t id)
{
    return (id & TD_FRAME_BITS) | (id >> 60 & 3) << 62;
}

enum td_column_type {
    TD_TYPE_TIME,
    TD_TYPE_STRING,
    TD_TYPE_SRCLOC,
    TD_TYPE_TRACK,
    TD_TYPE_STACK,
    TD_TYPE_THREAD,
    TD_TYPE_COLOR,
    TD_TYPE_F64,
    TD_TYPE_END,
    TD_TYPE_BLOB,
    TD_TYPE_ADDRESS,
    TD_TYPE_FRAME,
    TD_TYPE_CPU,
    TD_TYPE_PACKAGE,
    TD_TYPE_LOCK,
    TD_TYPE_CATEGORY,
    TD_TYPE_PARAMETER,
    TD_TYPE_IMAGE,
    TD_TYPE_INT
};

struct td_table_shape {
    const char *name; /* "LOCK_EVENT" */
    int each;
    unsigned loose; /* 0: it is not; else the number of chunks that stay raw */
    unsigned columns;
    struct {
        const char *name; /* "TIME" */
        enum td_column_type type;
    } column[TD_SERIES_COLUMNS];
};
const struct td_table_shape *td_table_get_shape(enum td_table table);

struct td_trace;
/* A table's series (of an EACH table: series 0), or a parent's. Never NULL: without rows it is empty. */
const struct td_series *td_trace_table(const struct td_trace *trace, enum td_table table);
const struct td_series *td_trace_list(const struct td_trace *trace, enum td_table table, uint64_t parent);
/* 1 + the highest parent that has a list. */
uint64_t td_trace_lists(const struct td_trace *trace, enum td_table table);
/* The number of rows; in an EACH table, of all its series. */
uint64_t td_trace_table_rows(const struct td_trace *trace, enum td_table table);
/* The same for filling; made if missing. NULL: no memory. Valid until the trace is destroyed. Thread-safe,
 * but each series has one writer. */
struct td_series *td_trace_fill_table(struct td_trace *trace, enum td_table table);
struct td_series *td_trace_fill_list(struct td_trace *trace, enum td_table table, uint64_t parent);

/* Copies the bytes into the model. Returns the value for a BLOB column; 0: no memory, or no bytes. With
 * `data` NULL, the caller fills the bytes through td_trace_blob_room(). */
int64_t td_trace_fill_blob(struct td_trace *trace, const void *data, size_t bytes);
static inline const void *td_trace_blob(int64_t blob)
{
    return (const void *)(uintptr_t)blob;
}
static inline void *td_trace_blob_room(int64_t blob)
{
    return (void *)(uintptr_t)blob;
}
