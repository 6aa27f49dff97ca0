/* Inside of client_stream:
 *
 *   client_stream.c    the interface, and which item goes where
 *   client_events.c    zones, messages, plots, frames
 *   client_frames.c    frame images, vertical syncs, the sets' base frames
 *   client_system.c    what the machine and the profiler say: load, power, topology, sections
 *   client_parameters.c  what a viewer's user may change in the program
 *   client_stacks.c    call stacks, what is known of their frames, symbols
 *   client_samples.c   samples of call stacks and of the processor's counters
 *   client_switches.c  context switches, fibers, other programs' threads
 *   client_locks.c     locks
 *   client_memory.c    memory
 *   client_gpu.c       GPU contexts, their clocks
 *   client_gpu_zones.c their zones, from begin and end in any order to complete ones
 *
 * and below these, for all of them:
 *
 *   client_leave.c     the end of a session that the client goes on with
 *   client_pending.c      the queue of what waits for names
 *   client_code.c   source files and machine code
 *   client_context.c   what an item stands on: clock, thread, texts before it
 *   client_names.c     names: asked, answered
 *
 * An item is taken by one function td_take_NAME(), or one for several; they return 0, or a negative enum td_e
 * (TD_E_NOMEM: no memory, no text; else of the sinks, the text in stream->err). */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_INTERNAL_H
#define TD_HOST_AGENT_CLIENT_CLIENT_INTERNAL_H
#include "host/agent/client/client_names.h"
#include "host/agent/client/client_stream.h"
#include "host/base/wrap.h"
#include "host/trace/fill.h"
#include "host/trace/rows.h"

/* A list that grows; all zero: empty. */
#define TD_LIST(...)                                                                                         \
    struct {                                                                                                 \
        __VA_ARGS__ *at;                                                                                     \
        size_t count, capacity;                                                                              \
    }
/* Room for one more: 0 or -1. */
#define TD_LIST_ROOM(list) td_grow(&(list)->at, &(list)->capacity, (list)->count + 1, sizeof *(list)->at)

/* Call stacks and frames. */
struct td_stream_stacks {
    struct td_map by_content;                          /* hash -> number of the stack */
    TD_LIST(struct { uint32_t first, count; }) stacks; /* by number */
    TD_LIST(uint64_t) entries;
    struct td_map scripted; /* hash of a scripting language's frame -> its serial number */
    uint32_t scripted_count, line_count;
    /* The answer that is coming in. */
    uint64_t address;
    uint32_t image, left, whole;
    TD_LIST(struct { int64_t values[TD_STACK_LINE_COLUMN_COUNT]; }) lines;
    struct td_map of_thread; /* thread (of the names) -> the next call stack of it */
};

struct td_stream_switch {
    int64_t wakeup_ns; /* remembered for the next start */
    uint8_t wakeup_cpu, woken, running, begun;
    uint8_t any, waiting; /* there is a row; it is of a wakeup without a start */
    int64_t start_ns, end_ns, reason, state, running_ns; /* end -1: it runs */
    uint64_t row;                                        /* of the last one */
    uint8_t cpu;
    uint32_t regions, migrations;
};
struct td_stream_switches {
    struct td_map threads; /* thread -> index */
    TD_LIST(struct {
        uint64_t thread;
        struct td_stream_switch s;
        uint32_t list; /* row of SWITCH_THREAD, TD_NO_NUMBER: its switches are not kept */
    })
    all;
    uint64_t cpu_rows[256]; /* rows of CPU_SWITCH */
    struct td_map processes;
};

struct td_stream_lock {
    uint32_t row, owner, thread_count;
};
struct td_stream_locks {
    struct td_map by_id;
    TD_LIST(struct td_stream_lock) all;
    struct td_map threads; /* place of the lock << 32 | thread -> number in the list below */
    TD_LIST(struct {
        uint32_t number; /* of the thread among those of the lock */
        uint64_t marked; /* 1 + the row of its last wait or obtain, 0: none */
    })
    users;
};

struct td_stream_pool {
    struct td_map active; /* address -> row, TD_NO_NUMBER: none */
    TD_LIST(struct { uint64_t address, bytes; }) rows;
    size_t ended; /* rows before it are all free */
    uint64_t high, low, usage;
    int changed;
};
struct td_stream_memory {
    struct td_map by_name;
    TD_LIST(struct td_stream_pool) pools;
};

/* GPU. Times of contexts are ns once they are known, -1 before. */
struct td_stream_gpu_zone {
    int64_t start_ns, end_ns, cpu_start_ns, cpu_end_ns;
    uint64_t root;           /* number of the outermost zone it is in */
    uint32_t depth, pending; /* pending: of a root, times that it and its inner zones still wait for */
    uint32_t thread, srcloc, stack;
    uint16_t query;
    uint8_t allocated; /* srcloc is a number of the dictionary, not of the names */
};
struct td_stream_gpu_row { /* zones of a context and a thread */
    uint32_t context, thread, track;
    TD_LIST(struct td_stream_gpu_zone) zones; /* in order of their begins */
    uint64_t first;                           /* number of zones.at[0] */
    size_t pushed, ordered;                   /* of zones.at: handed on; with times in order, no fewer */
    TD_LIST(uint64_t) open;                   /* numbers */
    int64_t low_ns;                           /* no zone may begin before */
};
struct td_stream_gpu_context {
    int announced, calibrated, whole_ns; /* whole_ns: its period is 1 */
    uint32_t thread, last_row;
    double period, mod;
    int64_t diff_ns, calibrated_gpu, calibrated_cpu_ns;
    int64_t last, overflow;
    uint64_t wraps;
};
struct td_stream_gpu {
    struct td_map by_id, by_row, by_query;
    TD_LIST(struct td_stream_gpu_context) contexts;
    TD_LIST(struct td_stream_gpu_row) rows;
    TD_LIST(struct {
        uint32_t row;
        uint64_t zone;
    })
    queries; /* row TD_NO_NUMBER: free */
};

struct td_stream_leave {
    int left;        /* events are not taken any more */
    uint64_t turns;  /* asked so far */
    uint64_t events; /* items that are no answers, of all the session */
    uint64_t before; /* of these when it was asked last */
    int64_t began_ms;
};

struct td_client_stream {
    struct td_client_stream_config config;
    const struct td_wire_release *release;
    struct td_hub *hub;
    struct td_dict *dict;
    struct td_names names;
    struct td_client_counts counts;
    struct td_err err; /* of the sinks */
    int terminated, began;
    int have_context;
    uint32_t context; /* id of the current thread */
    uint32_t thread;  /* its index in the names, TD_NO_NUMBER: not looked up yet */
    int64_t thread_time, serial_time, switch_time, gpu_time;
    int chosen; /* Tracy 0.11.0 or the fork: the first item with a GPU context tells */
    /* Slots: what the next item that wants it takes. */
    int have_text, have_srcloc;
    uint32_t text_bytes, srcloc, second; /* second: a string */
    uint32_t stack, serial_stack;
    uint64_t pool; /* name of a pool of memory, 0: the default one */
    struct {
        uint8_t *data;
        size_t bytes, capacity;
    } image;
    int64_t base_frame_ns;
    uint64_t base_frames;       /* of the base set, so far */
    struct td_map early_images; /* frame of the base set that is not there yet -> image */
    struct td_map power;        /* text (of the names) -> last_power + 1 */
    TD_LIST(struct { int64_t last_ns; }) powers;
    struct td_map sections; /* id -> row */
    struct td_map section_categories;
    struct td_map hw_addresses;
    struct td_map parameters;   /* index -> row */
    struct td_map source_files; /* texts that were looked at as names of such */
    /* Events that wait, from `begin` on. */
    struct td_event *waiting;
    size_t begin, count, capacity;
    TD_LIST(uint32_t)
    promised; /* locations (of the names) that events went out with before they were known */
    struct td_stream_stacks stacks;
    struct td_stream_switches switches;
    struct td_stream_locks locks;
    struct td_stream_memory memory;
    struct td_stream_gpu gpu;
    struct td_stream_leave leave;
    uint8_t text[TD_WIRE_TEXT_MAX];
};

#define TD_GET(NAME) td_wire_get_##NAME(view->payload, stream->release)

/* Waiting (client_pending.c). Kinds of waiting events say, above their kind, which field still holds an index of
 * the names. */
#define TD_REF_SHIFT   8
#define TD_REF_NONE    0u
#define TD_REF_SRCLOC  1u /* .srcloc */
#define TD_REF_TEXT    2u /* .subject */
#define TD_REF_PLOT    3u
#define TD_REF_FRAME   4u
#define TD_REF_POWER   5u             /* .subject, a text: the plot of that name and of kind power */
#define TD_REF_PLACE   6u             /* .subject, a location */
#define TD_PENDING_SET TD_EVENT_KINDS /* not an event: a change of a row */
struct td_event *td_pending_add(struct td_client_stream *stream, uint32_t kind, uint32_t ref);
/* Hands on what is at the queue's front and has all its names, and the oldest of too many with promises of
 * names (host/event/dict.h). With `force`, when the session is over: all, what has no name as unknown. */
int td_pending_push(struct td_client_stream *stream, int force);
/* The dictionary's number of what `ref` says, now: unknown names go out, and count, as such. */
uint32_t td_pending_last(struct td_client_stream *stream, uint32_t ref, uint32_t index);
/* Changes a row when its turn comes: value is a number of the names as `ref` says, or the value itself. */
int td_pending_set(struct td_client_stream *stream, enum td_table table, uint64_t parent, uint64_t row,
                   unsigned column, uint32_t ref, uint32_t value);
/* Rows and changes that need no names go out at once. The row's number, or a negative enum td_e. */
static inline int64_t td_stream_row(struct td_client_stream *stream, unsigned table, uint64_t parent,
                                    const int64_t *values)
{
    return td_hub_row(stream->hub, table, parent, values, &stream->err);
}
static inline int td_stream_set(struct td_client_stream *stream, unsigned table, uint64_t parent,
                                uint64_t row, unsigned column, int64_t value)
{
    return td_hub_set(stream->hub, table, parent, row, column, value, &stream->err);
}

/* Clocks (client_context.c). */
int64_t td_stream_signed_ns(const struct td_client_stream *stream, int64_t ticks);
int64_t td_stream_ns(const struct td_client_stream *stream, int64_t ticks); /* at least 0 */
static inline int64_t td_stream_advance(int64_t *clock, int64_t delta)
{
    return *clock = td_wrap_add(*clock, delta);
}
/* Not before the last one. */
int64_t td_stream_forward(struct td_client_stream *stream, int64_t ns, int64_t *last_ns);

/* The text of the slot as a string, 0: none. -1: no memory. */
int td_stream_text(struct td_client_stream *stream, uint32_t *string);
/* The thread, or the fiber that it runs, whose track the current item belongs to; NULL: none was ever named,
 * or no memory. */
struct td_name *td_stream_track(struct td_client_stream *stream);
/* The track of a thread, made if missing. TD_NO_NUMBER: no memory. */
uint32_t td_stream_thread_track(struct td_client_stream *stream, uint32_t thread);
/* Asks for the name of a thread that an item names. 0 or -1. */
int td_stream_thread(struct td_client_stream *stream, uint32_t thread);
static inline uint32_t td_stream_rgb(uint8_t r, uint8_t g, uint8_t b)
{
    return (uint32_t)r << 16 | (uint32_t)g << 8 | b;
}
/* The call stack that waits for the current thread's next item of a ...Callstack kind; 0: none. */
uint32_t td_stream_take_stack(struct td_client_stream *stream);
/* A fiber starts or stops to run: as a context switch. */
int td_stream_fiber_switch(struct td_client_stream *stream, uint64_t fiber, uint64_t thread, int64_t ns,
                           int starts);
/* A text that is the name of a source file (client_code.c). */
int td_stream_source_file(struct td_client_stream *stream, uint32_t string);

/* Items that are no answers are not taken after the session has been left. */
int td_stream_leave_takes(struct td_client_stream *stream, enum td_item item);
/* A mark in the base frame set. */
int td_stream_base_frame(struct td_client_stream *stream, int64_t ticks);
int td_stream_memory_begin(struct td_client_stream *stream);
/* At the end of a frame, and of the session. */
int td_stream_memory_flush(struct td_client_stream *stream);
uint64_t td_stream_memory_growth(const struct td_client_stream *stream); /* td_client_stream_growth() */
int td_stream_gpu_flush(struct td_client_stream *stream, int force);
int td_stream_switches_end(struct td_client_stream *stream);
int td_stream_threads_end(struct td_client_stream *stream);

void td_stream_stacks_finish(struct td_client_stream *stream);
void td_stream_switches_finish(struct td_client_stream *stream);
void td_stream_locks_finish(struct td_client_stream *stream);
void td_stream_memory_finish(struct td_client_stream *stream);
void td_stream_gpu_finish(struct td_client_stream *stream);

/* GPU zones (client_gpu_zones.c). */
struct td_stream_gpu_begin {
    uint32_t context, thread, srcloc, stack;
    uint16_t query;
    uint8_t allocated;
    int64_t cpu_ns;
};
int td_stream_gpu_zone_begin(struct td_client_stream *stream, const struct td_stream_gpu_begin *begin);
int td_stream_gpu_end(struct td_client_stream *stream, uint32_t context, uint32_t thread, uint16_t query,
                      int64_t cpu_ns);
int td_stream_gpu_time(struct td_client_stream *stream, uint32_t context, uint16_t query, int64_t ns);

/* X(item, function): who takes it. */
/* clang-format off */
#define TD_TAKEN(X) \
    X(ZoneBegin, zone_begin) X(ZoneBeginCallstack, zone_begin) X(ZoneBeginAllocSrcLoc, allocated_zone_begin) \
    X(ZoneBeginAllocSrcLocCallstack, allocated_zone_begin) X(ZoneEnd, zone_end) X(ZoneText, zone_text) X(ZoneName, zone_name) \
    X(ZoneColor, zone_color) X(ZoneValue, zone_value) X(ZoneValidation, zone_validation) \
    X(Message, message) X(MessageColor, message) X(MessageCallstack, message) X(MessageColorCallstack, message) \
    X(MessageLiteral, literal) X(MessageLiteralColor, literal) X(MessageLiteralCallstack, literal) \
    X(MessageLiteralColorCallstack, literal) X(MessageAppInfo, app_info) X(CrashReport, crash) \
    X(PlotDataInt, plot) X(PlotDataFloat, plot) X(PlotDataDouble, plot) X(PlotConfig, plot_config) \
    X(FrameMarkMsg, frame) X(FrameMarkMsgStart, frame) X(FrameMarkMsgEnd, frame) X(FrameVsync, vsync) \
    X(FrameImageData, image_data) X(FrameImage, image) \
    X(ThreadContext, context) X(SingleStringData, single) X(SecondStringData, second) X(SourceLocationPayload, srcloc_payload) \
    X(StringData, answer) X(ThreadName, answer) X(PlotName, answer) X(FrameName, answer) X(FiberName, answer) \
    X(SourceLocation, srcloc_answer) X(AckServerQueryNoop, noop) X(Terminate, terminate) X(ThreadGroupHint, group_hint) \
    X(SysTimeReport, load) X(SysPowerReport, power) X(CpuTopology, topology) X(ParamSetup, parameter) \
    X(SectionEnter, section_enter) X(SectionLeave, section_leave) X(SectionSetup, section_setup) \
    X(CallstackPayload, stack_payload) X(CallstackAllocPayload, scripted_payload) X(Callstack, stack_of_thread) \
    X(CallstackAlloc, stack_of_thread) X(CallstackSerial, stack_of_serial) X(CallstackFrameSize, frame_size) \
    X(CallstackFrame, stack_frame) X(SymbolInformation, symbol) X(SymbolCode, code) X(AckSymbolCodeNotAvailable, noop) \
    X(SourceCode, source) X(AckSourceCodeNotAvailable, no_source) \
    X(CallstackSample, sample) X(CallstackSampleContextSwitch, sample) \
    X(HwSampleCpuCycle, hw_sample) X(HwSampleInstructionRetired, hw_sample) X(HwSampleCacheReference, hw_sample) \
    X(HwSampleCacheMiss, hw_sample) X(HwSampleBranchRetired, hw_sample) X(HwSampleBranchMiss, hw_sample) \
    X(ContextSwitch, switch) X(ThreadWakeup, wakeup) X(TidToPid, process) X(FiberEnter, fiber_enter) X(FiberLeave, fiber_leave) \
    X(ExternalName, external) X(ExternalThreadName, external_thread) \
    X(LockAnnounce, lock_announce) X(LockTerminate, lock_terminate) X(LockName, lock_name) X(LockMark, lock_mark) \
    X(LockWait, lock_event) X(LockObtain, lock_event) X(LockRelease, lock_release) X(LockSharedWait, lock_event) \
    X(LockSharedObtain, lock_event) X(LockSharedRelease, lock_shared_release) \
    X(MemNamePayload, memory_name) X(MemAlloc, alloc) X(MemAllocNamed, alloc) X(MemAllocCallstack, alloc) \
    X(MemAllocCallstackNamed, alloc) X(MemFree, free) X(MemFreeNamed, free) X(MemFreeCallstack, free) \
    X(MemFreeCallstackNamed, free) X(MemDiscard, discard) X(MemDiscardCallstack, discard) \
    X(GpuNewContext, gpu_context) X(GpuContextName, gpu_context_name) X(GpuCalibration, gpu_calibration) \
    X(GpuTimeSync, gpu_sync) X(GpuTime, gpu_time) X(GpuAnnotationName, gpu_note_name) X(GpuZoneAnnotation, gpu_note) \
    X(GpuZoneBegin, gpu_begin) X(GpuZoneBeginCallstack, gpu_begin) X(GpuZoneBeginAllocSrcLoc, gpu_begin) \
    X(GpuZoneBeginAllocSrcLocCallstack, gpu_begin) X(GpuZoneBeginSerial, gpu_begin) X(GpuZoneBeginCallstackSerial, gpu_begin) \
    X(GpuZoneBeginAllocSrcLocSerial, gpu_begin) X(GpuZoneBeginAllocSrcLocCallstackSerial, gpu_begin) \
    X(GpuZoneEnd, gpu_end) X(GpuZoneEndSerial, gpu_end)
/* clang-format on */
#define TD_X(item, function)                                                                                 \
    int td_take_##function(struct td_client_stream *stream, const struct td_wire_view *view);
TD_TAKEN(TD_X)
#undef TD_X
#endif
