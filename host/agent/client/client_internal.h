/* Inside of client_stream:
 *
 *   client_stream.c      the interface; calls the function for each item
 *   client_zones.c       runs of zones, which need nothing else
 *   client_events.c      zones, messages
 *   client_frames.c      plots, frames, frame images, vertical syncs
 *   client_system.c      load, power, topology, trace sections
 *   client_parameters.c  parameters that a viewer's user may change in the program
 *   client_stacks.c      call stacks, their frames, symbols
 *   client_samples.c     samples of call stacks and of the processor's counters
 *   client_switches.c    context switches, fibers, threads of other programs
 *   client_locks.c       locks
 *   client_memory.c      allocations
 *   client_gpu.c         GPU contexts and their clocks
 *   client_gpu_zones.c   zones of GPU contexts
 *
 * and below these, for all of them:
 *
 *   client_faults.c      faults of the program's instrumentation
 *   client_leave.c       ends a session with a client that continues to run
 *   client_pending.c     the queue of events that wait for names
 *   client_code.c        source files and machine code
 *   client_context.c     state that items depend on: clock, thread, preceding texts
 *   client_names.c       names: questions and answers
 *
 * A function td_take_NAME() takes one item, or several similar ones. It returns 0 or a negative enum td_e:
 * TD_E_NOMEM without a text, or an error of the sinks with its text in stream->err. */
#pragma once
#include "host/agent/client/client_faults.h"
#include "host/agent/client/client_names.h"
#include "host/agent/client/client_space.h"
#include "host/agent/client/client_stream.h"
#include "host/base/wrap.h"
#include "host/trace/fill.h"
#include "host/trace/rows.h"
#include "host/wire/items.h"

#include <stdbool.h>

/* A growing array; all zero: empty. */
#define TD_LIST(...)                                                                                         \
    struct {                                                                                                 \
        __VA_ARGS__ *at;                                                                                     \
        size_t count, capacity;                                                                              \
    }
/* Makes room for one more element. 0 or TD_E_NOMEM. */
#define TD_LIST_ROOM(list) td_grow(&(list)->at, &(list)->capacity, (list)->count + 1, sizeof *(list)->at)

/* Call stacks and frames. */
struct td_stream_stacks {
    struct td_map by_content;                               /* hash -> number of the stack */
    TD_LIST(struct { uint32_t first, count, row; }) stacks; /* by number */
    TD_LIST(uint64_t) entries;
    struct td_map scripted; /* hash of a scripting language's frame -> its serial number */
    struct td_client_serials own_serials, *serials; /* serials: of the trace */
    /* The answer about an address that is being received. */
    uint64_t address;
    uint32_t image, left, whole;
    TD_LIST(struct { int64_t values[TD_STACK_LINE_COLUMN_COUNT]; }) lines;
    struct td_map of_thread; /* thread -> the call stack of its next item */
};

struct td_stream_switch {
    int64_t wakeup_ns; /* for the next start */
    uint8_t wakeup_cpu, woken, running, begun;
    uint8_t any, waiting; /* any: there is a row; waiting: it is of a wakeup without a start */
    int64_t start_ns, end_ns, reason, state, running_ns; /* end_ns -1: the thread runs */
    uint64_t row;                                        /* the last one */
    uint8_t cpu;
    uint32_t regions, migrations;
};
struct td_stream_switches {
    struct td_map threads; /* thread -> index */
    TD_LIST(struct {
        uint64_t thread;
        struct td_stream_switch s;
        uint32_t list; /* row of SWITCH_THREAD; TD_NO_NUMBER: its switches are not kept */
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
    struct td_map threads; /* index of the lock << 32 | thread -> index in `users` */
    TD_LIST(struct {
        uint32_t number; /* of the thread in the lock's list of threads */
        uint64_t marked; /* 1 + the row of its last wait or obtain; 0: none */
    })
    users;
};

struct td_stream_allocation {
    uint64_t address, bytes;
    uint32_t row;
};
struct td_stream_pool {
    uint32_t row;
    struct td_map active;                      /* address -> index of `live` */
    TD_LIST(struct td_stream_allocation) live; /* those that are not freed, in any order */
    uint64_t high, low, usage;
    int changed;
};
struct td_stream_memory {
    struct td_map by_name;
    TD_LIST(struct td_stream_pool) pools;
};

/* GPU. Times are -1 until they are known. */
struct td_stream_gpu_zone {
    int64_t start_ns, end_ns, cpu_start_ns, cpu_end_ns;
    uint64_t root;           /* number of its outermost zone */
    uint32_t depth, pending; /* pending: in a root, how many times its zones still wait for */
    uint32_t thread, srcloc, stack;
    uint16_t query;
    uint8_t allocated; /* 1: srcloc is a number of the dictionary, 0: an index of the names */
};
/* The zones of a context and a thread. */
struct td_stream_gpu_row {
    uint32_t context, thread, track;
    TD_LIST(struct td_stream_gpu_zone) zones; /* in order of their begins */
    uint64_t first;                           /* number of zones.at[0] */
    size_t pushed;                            /* zones that the hub has */
    TD_LIST(uint64_t) open;                   /* numbers of open zones */
};
struct td_stream_gpu_context {
    uint32_t row;
    int announced, calibrated, whole_ns; /* whole_ns: its period is 1 */
    uint32_t thread;                     /* 0: several threads use it */
    uint32_t early_row;                  /* of zones that began before it was announced, or TD_NO_NUMBER */
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
        bool is_end; /* of the zone */
    })
    queries; /* row TD_NO_NUMBER: not in use */
};

struct td_stream_leave {
    bool left;       /* events are not taken any more */
    uint64_t turns;  /* pings sent */
    uint64_t events; /* items of the session that are not answers */
    uint64_t before; /* `events` at the last ping */
    int64_t began_ms;
};

/* Runs of zones (client_zones.c). */
#define TD_STREAM_LOCATIONS 1024u
#define TD_STREAM_MARKS     512u
struct td_stream_zones {
    const struct td_wire_release *release; /* that kind_of_id belongs to */
    int waits;                             /* events wait for names: no runs until the frame's end */
    uint8_t kind_of_id[256];
    struct td_stream_location {
        uint64_t key;
        uint32_t number, index;       /* of the dictionary; of the names */
        uint64_t zones;               /* not yet counted with the name */
    } locations[TD_STREAM_LOCATIONS]; /* a cache: by their addresses in the program */
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
    bool without_places; /* source places of instructions are not asked for (client_code.c) */
    bool has_late_ends;  /* the end of a zone that ended out of order comes after those inside of it */
    int have_context;
    bool lacks_memory; /* a track could not be made: the session ends with its frame */
    uint32_t context;  /* id of the current thread */
    uint32_t thread;   /* its index in the names; TD_NO_NUMBER: not looked up yet */
    int64_t thread_time, serial_time, switch_time, gpu_time;
    int64_t begin_ns, earliest_ns; /* td_client_stream_begin_ns(), and the least that it may become */
    int chosen;                    /* 1: it is known whether this is Tracy 0.11.0 or the fork */
    /* Texts, locations and stacks that came before the item that uses them. */
    int have_text, have_srcloc;
    uint32_t text_bytes, srcloc, second; /* second: a string */
    uint32_t srcloc_color;               /* of the zone that comes, where it is not the location's; else 0 */
    struct td_map made_places; /* hash of a location without its colour -> number in the dictionary */
    uint32_t stack, serial_stack;
    uint64_t pool; /* name of a memory pool; 0: the default one */
    struct {
        uint8_t *data;
        size_t bytes, capacity;
    } image;
    int64_t base_frame_ns;
    uint64_t base_frames;    /* of the base set, so far */
    int64_t early_frames[4]; /* ticks of base frames before the first mark, which are not added yet */
    unsigned early_frame_count;
    struct td_map early_images; /* base frame that has not arrived yet -> image */
    struct td_map power;        /* text (of the names) -> index in `powers` */
    TD_LIST(struct { int64_t last_ns; }) powers;
    struct td_map sections; /* id -> row */
    struct td_map section_categories;
    struct td_map hw_addresses;
    struct td_map parameters;   /* index -> row */
    struct td_map source_files; /* names of source files (strings) that were looked up or asked for */
    /* Events that wait for names, from `begin` on. */
    struct td_event *waiting;
    size_t begin, count, capacity;
    struct td_dict_holder holder; /* of their texts */
    TD_LIST(uint32_t)
    promised; /* source locations (of the names) whose promises have no content yet */
    struct td_stream_stacks stacks;
    struct td_stream_switches switches;
    struct td_stream_locks locks;
    struct td_stream_memory memory;
    struct td_stream_gpu gpu;
    struct td_stream_leave leave;
    struct td_stream_zones zones;
    struct td_client_faults faults;
    uint8_t text[TD_WIRE_TEXT_MAX];
};

#define TD_GET(NAME) td_wire_get_##NAME(view->payload, stream->release)

/* Waiting events (client_pending.c). The bits of `kind` from TD_REF_SHIFT on say which field holds an index
 * of the names instead of a number. */
#define TD_REF_SHIFT   8
#define TD_REF_NONE    0u
#define TD_REF_SRCLOC  1u /* .srcloc */
#define TD_REF_TEXT    2u /* .subject */
#define TD_REF_PLOT    3u
#define TD_REF_FRAME   4u
#define TD_REF_POWER   5u             /* .subject, a text: the plot of this name and of kind power */
#define TD_REF_PLACE   6u             /* .subject, a source location */
#define TD_PENDING_SET TD_EVENT_KINDS /* not an event: a change of a row */
/* Appends an event, which the caller fills. NULL: no memory. */
struct td_event *td_pending_add(struct td_client_stream *stream, uint32_t kind, uint32_t ref);
/* Passes events from the queue's front to the hub: those with all their names; and if too many wait, the
 * oldest with promises of names (host/event/dict.h). force, at the end of the session: all, with unknown
 * names where there are none. */
int td_pending_push(struct td_client_stream *stream, int force);
/* Holds the strings of events that wait; `self` is the stream. */
void td_pending_hold(void *self, struct td_dict *dict);
/* The dictionary's number of the thing, at once: an unknown name if the answer has not arrived, which is
 * counted. */
uint32_t td_pending_last(struct td_client_stream *stream, uint32_t ref, uint32_t index);
/* Appends a change of a row. value: an index of the names as `ref` says, or the value itself. */
int td_pending_set(struct td_client_stream *stream, enum td_table table, uint64_t parent, uint64_t row,
                   unsigned column, uint32_t ref, uint32_t value);
/* Rows and changes that need no names go to the hub at once. Returns the row's number, or a negative enum
 * td_e. */
static inline int64_t td_stream_row(struct td_client_stream *stream, unsigned table, uint64_t parent,
                                    const int64_t *values)
{
    return td_client_space_row(stream->config.space, stream->hub, table, parent, values, &stream->err);
}
static inline int td_stream_set(struct td_client_stream *stream, unsigned table, uint64_t parent,
                                uint64_t row, unsigned column, int64_t value)
{
    return td_client_space_set(stream->config.space, stream->hub, table, parent, row, column, value,
                               &stream->err);
}

/* Clocks (client_context.c). */
int64_t td_stream_signed_ns(const struct td_client_stream *stream, int64_t ticks);
int64_t td_stream_ns(const struct td_client_stream *stream, int64_t ticks); /* at least 0 */
/* The same, of an event: the trace begins no later. One before time 0 is counted. */
int64_t td_stream_event_ns(struct td_client_stream *stream, int64_t ticks);
/* An event has this time. Clients that make no sense may send any: only a plausible one moves the begin. */
void td_stream_begins(struct td_client_stream *stream, int64_t ns);
/* The same for loops over many times. */
struct td_stream_clock {
    uint64_t zero_ticks;
    double ns_per_tick;
    int64_t zero_ns;
};
static inline struct td_stream_clock td_stream_get_clock(const struct td_client_stream *stream)
{
    return (struct td_stream_clock){(uint64_t)stream->config.zero_ticks, stream->config.ns_per_tick,
                                    stream->config.zero_ns};
}
static inline double td_stream_clock_since(const struct td_stream_clock *clock, int64_t ticks)
{
    return (double)(int64_t)((uint64_t)ticks - clock->zero_ticks) * clock->ns_per_tick;
}
/* The time, which may be out of range, and rounded. */
static inline double td_stream_clock_about(const struct td_stream_clock *clock, int64_t ticks)
{
    return td_stream_clock_since(clock, ticks) + (double)clock->zero_ns;
}
/* The time, which is in range. The room before a recording (zero_ns) takes no digits of it. */
static inline int64_t td_stream_clock_exact(const struct td_stream_clock *clock, int64_t ticks)
{
    return (int64_t)td_stream_clock_since(clock, ticks) + clock->zero_ns;
}
static inline int64_t td_stream_clock_ns(const struct td_stream_clock *clock, int64_t ticks)
{
    const double ns = td_stream_clock_about(clock, ticks);
    return !(ns > 0)                ? 0
           : ns < TD_STREAM_NS_MOST ? td_stream_clock_exact(clock, ticks)
                                    : (int64_t)TD_STREAM_NS_MOST;
}
/* td_stream_clock_ns() makes the time 0, because the trace has no room before. */
static inline bool td_stream_clock_is_early(const struct td_stream_clock *clock, int64_t ticks)
{
    return td_stream_clock_about(clock, ticks) <= -1;
}
static inline int64_t td_stream_advance(int64_t *clock, int64_t delta)
{
    return *clock = td_wrap_add(*clock, delta);
}
/* The time, but not before *last_ns, which it becomes. */
int64_t td_stream_forward(struct td_client_stream *stream, int64_t ns, int64_t *last_ns);
int64_t td_stream_event_forward(struct td_client_stream *stream, int64_t ticks, int64_t *last_ns);

/* Takes the text that came before the item as a string; 0 if there is none. 0 or TD_E_NOMEM. */
int td_stream_text(struct td_client_stream *stream, uint32_t *string);
/* The same for a text of one event, which the dictionary may forget with the event. */
int td_stream_passing_text(struct td_client_stream *stream, uint32_t *string);
/* The thread whose track the current item belongs to, or the fiber that it runs. NULL: no thread was named
 * yet, or no memory. */
struct td_name *td_stream_track(struct td_client_stream *stream);
/* The track of a thread, made at the first call. TD_NO_NUMBER: no memory. */
uint32_t td_stream_thread_track(struct td_client_stream *stream, uint32_t thread);
/* Asks for the name of a thread that an item refers to. 0 or TD_E_NOMEM. */
int td_stream_thread(struct td_client_stream *stream, uint32_t thread);
static inline uint32_t td_stream_rgb(uint8_t r, uint8_t g, uint8_t b)
{
    return (uint32_t)r << 16 | (uint32_t)g << 8 | b;
}
/* The row of a call stack; 0: none. */
static inline uint32_t td_stream_stack_row(const struct td_client_stream *stream, uint32_t stack)
{
    return stack ? stream->stacks.stacks.at[stack].row : 0;
}
/* Takes the call stack that came before the current thread's item of a ...Callstack kind: its row; 0:
 * none. */
uint32_t td_stream_take_stack(struct td_client_stream *stream);
/* Adds a start or stop of a fiber, as a context switch. */
int td_stream_fiber_switch(struct td_client_stream *stream, uint64_t fiber, uint64_t thread, int64_t ns,
                           int starts);
/* Collects the text of a source file with this name (client_code.c). 0 or a negative enum td_e. */
int td_stream_source_file(struct td_client_stream *stream, uint32_t string);

/* False: the session has been left, and the item is not an answer. */
bool td_stream_leave_takes(struct td_client_stream *stream, enum td_item item);
/* Takes as many begins and ends of zones of the current thread as follow at *at, and moves *at to their end.
 * Takes none if there are none, or if they must be taken one by one. 0 or a negative enum td_e. */
int td_stream_zone_run(struct td_client_stream *stream, const uint8_t *frame, size_t bytes, size_t *at);
/* Counts the zones of runs with the names of their locations (struct td_name, `unnamed`). */
void td_stream_zones_counted(struct td_client_stream *stream);
/* Adds a mark to the base frame set. */
int td_stream_base_frame(struct td_client_stream *stream, int64_t ticks);
int td_stream_memory_begin(struct td_client_stream *stream);
/* Called at the end of each frame of items, and of the session. */
int td_stream_memory_flush(struct td_client_stream *stream);
uint64_t td_stream_memory_growth(const struct td_client_stream *stream); /* see td_client_stream_growth() */
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

/* X(item, function): td_take_FUNCTION() takes the item. */
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
