/* Markers for C programs: Tracy's C interface, names and meaning, of Tendril's own client.
 *
 * Defined before including this header, TRACY_ENABLE turns the markers on; without it each expands to nothing: no
 * code, no data, arguments not evaluated. Link libtendril-client.a (pkg-config tendril-client). The program
 * then listens on 127.0.0.1 (TRACY_PORT, else the first free port from 8086 on) for `tendril record` or any
 * Tracy from 0.9 on. Switches and variables: docs/client.md.
 *
 * Names that are pointers without a size (zones, frames, plots, pools, fibers, TracyCMessageL) must live
 * until the program ends, or the library that they are part of is unloaded, and be the same pointer for the
 * same thing: string literals. Texts with a size are copied; 65,535 bytes at most, the rest is cut off.
 * Colours are 0xRRGGBB, 0: none. Everything may be called from any thread and from signal handlers (but
 * for what makes source locations, locks and images). The zones of a thread should nest: docs/client.md
 * says what happens otherwise. Until someone connects, events are kept in memory (not with
 * TRACY_ON_DEMAND): nothing is missing, and a program that runs for long without a recorder grows (24
 * bytes a zone). Nothing fails: where memory or a port is missing, events are lost and the program runs
 * on.
 *
 * All names are those of Tracy 0.9.0 to 0.14.0. Where a function's arguments differ, TENDRIL_C_API chooses:
 * 14 (default) or 11, where functions for memory have an argument `secure` as up to 0.13. Objects compiled
 * against either link with the library.
 */
#ifndef TENDRIL_TRACY_TRACYC_H
#define TENDRIL_TRACY_TRACYC_H

#include "../tendril/marker.h"

#include <stddef.h>
#include <stdint.h>

#ifndef TENDRIL_C_API
#define TENDRIL_C_API 14
#endif

enum TracyPlotFormatEnum {
    TracyPlotFormatNumber,
    TracyPlotFormatMemory,
    TracyPlotFormatPercentage,
    TracyPlotFormatWatt
};

enum TracyMessageSeverity {
    TracyMessageSeverityTrace,
    TracyMessageSeverityDebug,
    TracyMessageSeverityInfo,
    TracyMessageSeverityWarning,
    TracyMessageSeverityError,
    TracyMessageSeverityFatal
};

#ifndef TRACY_ENABLE

typedef const void *TracyCZoneCtx;
typedef const void *TracyCLockCtx;
typedef const void *TracyCSharedLockCtx;

#else

#include "../tendril/client.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#ifndef TRACY_API
#define TRACY_API extern
#endif
#define TENDRIL_PRINTF_(at, first) __attribute__((format(printf, at, first)))

/* Lives as long as the program or library: one static object a zone. name NULL: the function is shown. */
struct ___tracy_source_location_data {
    const char *name;
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t color;
};

/* What a zone's begin gives and its end, text and so on want. Not active: all of them do nothing. */
struct ___tracy_c_zone_context {
    uint32_t id;
    int32_t active;
};
typedef struct ___tracy_c_zone_context TracyCZoneCtx;

struct ___tracy_gpu_time_data {
    int64_t gpuTime;
    uint16_t queryId;
    uint8_t context;
};
struct ___tracy_gpu_zone_begin_data {
    uint64_t srcloc;
    uint16_t queryId;
    uint8_t context;
};
struct ___tracy_gpu_zone_begin_callstack_data {
    uint64_t srcloc;
    int32_t depth;
    uint16_t queryId;
    uint8_t context;
};
struct ___tracy_gpu_zone_end_data {
    uint16_t queryId;
    uint8_t context;
};
struct ___tracy_gpu_new_context_data {
    int64_t gpuTime;
    float period; /* ns a count; exactly 1: counts are ns */
    uint8_t context;
    uint8_t flags; /* 1: will be calibrated */
    uint8_t type;
};
struct ___tracy_gpu_context_name_data {
    uint8_t context;
    const char *name;
    uint16_t len;
};
struct ___tracy_gpu_calibration_data {
    int64_t gpuTime;
    int64_t cpuDelta; /* ns of the CPU's clock since the calibration before */
    uint8_t context;
};
struct ___tracy_gpu_time_sync_data {
    int64_t gpuTime;
    uint8_t context;
};

struct __tracy_lockable_context_data;
struct __tracy_shared_lockable_context_data;
typedef struct __tracy_lockable_context_data *TracyCLockCtx;
typedef struct __tracy_shared_lockable_context_data *TracyCSharedLockCtx;

TRACY_API void ___tracy_set_thread_name(const char *name); /* copied */

/* For programs that start and end the client themselves (TRACY_MANUAL_LIFETIME); else it happens by itself. A
 * forked child gets a session of its own when it calls the first. */
TRACY_API void ___tracy_startup_profiler(void);
TRACY_API void ___tracy_shutdown_profiler(void);
TRACY_API int32_t ___tracy_profiler_started(void);
/* 1 while a viewer or recorder is connected. */
TRACY_API int32_t ___tracy_connected(void);
TRACY_API int64_t ___tracy_get_time(void); /* the clock of all events */

/* Source locations made at run time: each call's result goes to exactly one ..._begin_alloc..., which frees
 * it. 0 when memory is out; allowed there. */
TRACY_API uint64_t ___tracy_alloc_srcloc(uint32_t line, const char *source, size_t sourceSz,
                                         const char *function, size_t functionSz, uint32_t color);
TRACY_API uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char *source, size_t sourceSz,
                                              const char *function, size_t functionSz, const char *name,
                                              size_t nameSz, uint32_t color);

TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin(const struct ___tracy_source_location_data *srcloc,
                                                 int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_callstack(const struct ___tracy_source_location_data *srcloc,
                                                           int32_t depth, int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int32_t active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc, int32_t depth,
                                                                 int32_t active);
TRACY_API void ___tracy_emit_zone_end(TracyCZoneCtx ctx);
TRACY_API void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size);
TRACY_API void ___tracy_emit_zone_text_fmt(TracyCZoneCtx ctx, const char *fmt, ...) TENDRIL_PRINTF_(2, 3);
TRACY_API void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size);
TRACY_API void ___tracy_emit_zone_name_fmt(TracyCZoneCtx ctx, const char *fmt, ...) TENDRIL_PRINTF_(2, 3);
TRACY_API void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color);
TRACY_API void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value);

/* Messages. `callstack` is a depth. */
TRACY_API void ___tracy_emit_message(const char *txt, size_t size, int32_t callstack);
TRACY_API void ___tracy_emit_messageL(const char *txt, int32_t callstack);
TRACY_API void ___tracy_emit_messageC(const char *txt, size_t size, uint32_t color, int32_t callstack);
TRACY_API void ___tracy_emit_messageLC(const char *txt, uint32_t color, int32_t callstack);
TRACY_API void ___tracy_emit_logString(int8_t severity, int32_t color, int32_t callstack_depth, size_t size,
                                       const char *txt);
TRACY_API void ___tracy_emit_logStringL(int8_t severity, int32_t color, int32_t callstack_depth,
                                        const char *txt);
TRACY_API void ___tracy_emit_message_appinfo(const char *txt, size_t size);

/* name NULL: the main frame set. Images are of the main set: RGBA, width and height divisible by 4. */
TRACY_API void ___tracy_emit_frame_mark(const char *name);
TRACY_API void ___tracy_emit_frame_mark_start(const char *name);
TRACY_API void ___tracy_emit_frame_mark_end(const char *name);
TRACY_API void ___tracy_emit_frame_image(const void *image, uint16_t w, uint16_t h, uint8_t offset,
                                         int32_t flip);

/* Values that are not finite are left out. type: enum TracyPlotFormatEnum. */
TRACY_API void ___tracy_emit_plot(const char *name, double val);
TRACY_API void ___tracy_emit_plot_float(const char *name, float val);
TRACY_API void ___tracy_emit_plot_int(const char *name, int64_t val);
TRACY_API void ___tracy_emit_plot_config(const char *name, int32_t type, int32_t step, int32_t fill,
                                         uint32_t color);

#if TENDRIL_C_API >= 14
TRACY_API void ___tracy_emit_memory_alloc(const void *ptr, size_t size);
TRACY_API void ___tracy_emit_memory_alloc_callstack(const void *ptr, size_t size, int32_t depth);
TRACY_API void ___tracy_emit_memory_free(const void *ptr);
TRACY_API void ___tracy_emit_memory_free_callstack(const void *ptr, int32_t depth);
TRACY_API void ___tracy_emit_memory_alloc_named(const void *ptr, size_t size, const char *name);
TRACY_API void ___tracy_emit_memory_alloc_callstack_named(const void *ptr, size_t size, int32_t depth,
                                                          const char *name);
TRACY_API void ___tracy_emit_memory_free_named(const void *ptr, const char *name);
TRACY_API void ___tracy_emit_memory_free_callstack_named(const void *ptr, int32_t depth, const char *name);
#define TENDRIL_SECURE_
#else
TRACY_API void ___tracy_emit_memory_alloc(const void *ptr, size_t size, int secure);
TRACY_API void ___tracy_emit_memory_alloc_callstack(const void *ptr, size_t size, int depth, int secure);
TRACY_API void ___tracy_emit_memory_free(const void *ptr, int secure);
TRACY_API void ___tracy_emit_memory_free_callstack(const void *ptr, int depth, int secure);
TRACY_API void ___tracy_emit_memory_alloc_named(const void *ptr, size_t size, int secure, const char *name);
TRACY_API void ___tracy_emit_memory_alloc_callstack_named(const void *ptr, size_t size, int depth, int secure,
                                                          const char *name);
TRACY_API void ___tracy_emit_memory_free_named(const void *ptr, int secure, const char *name);
TRACY_API void ___tracy_emit_memory_free_callstack_named(const void *ptr, int depth, int secure,
                                                         const char *name);
#define TENDRIL_SECURE_ , 0
#endif
TRACY_API void ___tracy_emit_memory_discard(const char *name);
TRACY_API void ___tracy_emit_memory_discard_callstack(const char *name, int32_t depth);

TRACY_API struct __tracy_lockable_context_data *
___tracy_announce_lockable_ctx(const struct ___tracy_source_location_data *srcloc);
TRACY_API void ___tracy_terminate_lockable_ctx(struct __tracy_lockable_context_data *lockdata);
TRACY_API int32_t ___tracy_before_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_unlock_lockable_ctx(struct __tracy_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_try_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata,
                                                    int32_t acquired);
TRACY_API void ___tracy_mark_lockable_ctx(struct __tracy_lockable_context_data *lockdata,
                                          const struct ___tracy_source_location_data *srcloc);
TRACY_API void ___tracy_custom_name_lockable_ctx(struct __tracy_lockable_context_data *lockdata,
                                                 const char *name, size_t nameSz);

/* Locks that several readers may hold: "shared_shared" is what a reader does. */
TRACY_API struct __tracy_shared_lockable_context_data *
___tracy_announce_shared_lockable_ctx(const struct ___tracy_source_location_data *srcloc);
TRACY_API void ___tracy_terminate_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API int32_t
___tracy_before_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void ___tracy_after_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void
___tracy_after_unlock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void
___tracy_after_try_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                            int32_t acquired);
TRACY_API int32_t
___tracy_before_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void
___tracy_after_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void
___tracy_after_unlock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata);
TRACY_API void
___tracy_after_try_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                                   int32_t acquired);
TRACY_API void ___tracy_mark_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                                 const struct ___tracy_source_location_data *srcloc);
TRACY_API void ___tracy_custom_name_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                                        const char *name, size_t nameSz);

/* GPU zones. Contexts belong to the calling thread; a query's number may come again after its time. Both sets
 * keep the order over all threads here. */
TRACY_API void ___tracy_emit_gpu_zone_begin(const struct ___tracy_gpu_zone_begin_data data);
TRACY_API void
___tracy_emit_gpu_zone_begin_callstack(const struct ___tracy_gpu_zone_begin_callstack_data data);
TRACY_API void ___tracy_emit_gpu_zone_begin_alloc(const struct ___tracy_gpu_zone_begin_data data);
TRACY_API void
___tracy_emit_gpu_zone_begin_alloc_callstack(const struct ___tracy_gpu_zone_begin_callstack_data data);
TRACY_API void ___tracy_emit_gpu_zone_end(const struct ___tracy_gpu_zone_end_data data);
TRACY_API void ___tracy_emit_gpu_time(const struct ___tracy_gpu_time_data data);
TRACY_API void ___tracy_emit_gpu_new_context(const struct ___tracy_gpu_new_context_data data);
TRACY_API void ___tracy_emit_gpu_context_name(const struct ___tracy_gpu_context_name_data data);
TRACY_API void ___tracy_emit_gpu_calibration(const struct ___tracy_gpu_calibration_data data);
TRACY_API void ___tracy_emit_gpu_time_sync(const struct ___tracy_gpu_time_sync_data data);

TRACY_API void ___tracy_emit_gpu_zone_begin_serial(const struct ___tracy_gpu_zone_begin_data data);
TRACY_API void
___tracy_emit_gpu_zone_begin_callstack_serial(const struct ___tracy_gpu_zone_begin_callstack_data data);
TRACY_API void ___tracy_emit_gpu_zone_begin_alloc_serial(const struct ___tracy_gpu_zone_begin_data data);
TRACY_API void
___tracy_emit_gpu_zone_begin_alloc_callstack_serial(const struct ___tracy_gpu_zone_begin_callstack_data data);
TRACY_API void ___tracy_emit_gpu_zone_end_serial(const struct ___tracy_gpu_zone_end_data data);
TRACY_API void ___tracy_emit_gpu_time_serial(const struct ___tracy_gpu_time_data data);
TRACY_API void ___tracy_emit_gpu_new_context_serial(const struct ___tracy_gpu_new_context_data data);
TRACY_API void ___tracy_emit_gpu_context_name_serial(const struct ___tracy_gpu_context_name_data data);
TRACY_API void ___tracy_emit_gpu_calibration_serial(const struct ___tracy_gpu_calibration_data data);
TRACY_API void ___tracy_emit_gpu_time_sync_serial(const struct ___tracy_gpu_time_sync_data data);

TRACY_API void ___tracy_fiber_enter(const char *fiber);
TRACY_API void ___tracy_fiber_leave(void);

/* Nothing is sampled by this client: 0. */
TRACY_API int ___tracy_begin_sampling_profiling(void);
TRACY_API void ___tracy_end_sampling_profiling(void);
TRACY_API int ___tracy_begin_sampling_profiler(void); /* 0.13's names */
TRACY_API void ___tracy_end_sampling_profiler(void);

/* What the macros call: written in place where no call stack is wanted. */
static TD_CLIENT_IN_PLACE TracyCZoneCtx tendril_c_zone_(const struct ___tracy_source_location_data *srcloc,
                                                        int32_t depth, int32_t active)
{
    TracyCZoneCtx ctx = {TD_CLIENT_OFF, 0};
    if (!active)
        return ctx;
    if (depth > 0)
        return ___tracy_emit_zone_begin_callstack(srcloc, depth, active);
    ctx.id = td_client_zone_begin(srcloc);
    ctx.active = ctx.id != TD_CLIENT_OFF;
    return ctx;
}
static TD_CLIENT_IN_PLACE void tendril_c_message_literal_(const char *text, int32_t depth)
{
    if (depth > 0)
        ___tracy_emit_messageL(text, depth);
    else
        td_client_message_literal(text);
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

/* Where macros up to 0.13 end in a semicolon of their own and 0.14's do not. All others end in one. */
#if TENDRIL_C_API >= 14
#define TENDRIL_C_END_
#else
#define TENDRIL_C_END_ ;
#endif

/* clang-format off */
#define TENDRIL_C_SRCLOC_(name, color)                                                                        \
    static const struct ___tracy_source_location_data TracyConcat(__tracy_source_location, TracyLine) = {     \
        name, __func__, TracyFile, (uint32_t)TracyLine, color};
#define TENDRIL_C_HERE_ &TracyConcat(__tracy_source_location, TracyLine)

#define TracyCZoneNCS(ctx, name, color, depth, active)                                                        \
    TENDRIL_ON_(TENDRIL_C_SRCLOC_(name, color)                                                                \
    TracyCZoneCtx ctx = tendril_c_zone_(TENDRIL_C_HERE_, depth, active);)
#define TracyCZoneS(ctx, depth, active) TracyCZoneNCS(ctx, NULL, 0, depth, active)
#define TracyCZoneNS(ctx, name, depth, active) TracyCZoneNCS(ctx, name, 0, depth, active)
#define TracyCZoneCS(ctx, color, depth, active) TracyCZoneNCS(ctx, NULL, color, depth, active)
#define TracyCZone(ctx, active) TracyCZoneNCS(ctx, NULL, 0, TRACY_CALLSTACK, active)
#define TracyCZoneN(ctx, name, active) TracyCZoneNCS(ctx, name, 0, TRACY_CALLSTACK, active)
#define TracyCZoneC(ctx, color, active) TracyCZoneNCS(ctx, NULL, color, TRACY_CALLSTACK, active)
#define TracyCZoneNC(ctx, name, color, active) TracyCZoneNCS(ctx, name, color, TRACY_CALLSTACK, active)
#define TracyCZoneEnd(ctx) TENDRIL_ON_(td_client_zone_end_((ctx).id, TD_CLIENT_CHECKED);)
#define TracyCZoneText(ctx, text, size) TENDRIL_ON_(___tracy_emit_zone_text(ctx, text, size);)
#define TracyCZoneTextF(ctx, ...) TENDRIL_ON_(___tracy_emit_zone_text_fmt(ctx, __VA_ARGS__);)
#define TracyCZoneName(ctx, text, size) TENDRIL_ON_(___tracy_emit_zone_name(ctx, text, size);)
#define TracyCZoneNameF(ctx, ...) TENDRIL_ON_(___tracy_emit_zone_name_fmt(ctx, __VA_ARGS__);)
#define TracyCZoneColor(ctx, color) TENDRIL_ON_(td_client_zone_word((ctx).id, TD_CLIENT_ZONE_COLOR | TD_CLIENT_CHECKED, color);)
#define TracyCZoneValue(ctx, value) TENDRIL_ON_(td_client_zone_word((ctx).id, TD_CLIENT_ZONE_VALUE | TD_CLIENT_CHECKED, value);)

#define TracyCSetThreadName(name) TENDRIL_ON_(___tracy_set_thread_name(name);)

#define TracyCAllocS(ptr, size, depth) TENDRIL_ON_(___tracy_emit_memory_alloc_callstack(ptr, size, depth TENDRIL_SECURE_) TENDRIL_C_END_)
#define TracyCFreeS(ptr, depth) TENDRIL_ON_(___tracy_emit_memory_free_callstack(ptr, depth TENDRIL_SECURE_) TENDRIL_C_END_)
#define TracyCAllocNS(ptr, size, depth, name) TENDRIL_ON_(___tracy_emit_memory_alloc_callstack_named(ptr, size, depth TENDRIL_SECURE_, name) TENDRIL_C_END_)
#define TracyCFreeNS(ptr, depth, name) TENDRIL_ON_(___tracy_emit_memory_free_callstack_named(ptr, depth TENDRIL_SECURE_, name) TENDRIL_C_END_)
#define TracyCMemoryDiscardS(name, depth) TENDRIL_ON_(___tracy_emit_memory_discard_callstack(name, depth))
#define TracyCAlloc(ptr, size) TracyCAllocS(ptr, size, TRACY_CALLSTACK)
#define TracyCFree(ptr) TracyCFreeS(ptr, TRACY_CALLSTACK)
#define TracyCAllocN(ptr, size, name) TracyCAllocNS(ptr, size, TRACY_CALLSTACK, name)
#define TracyCFreeN(ptr, name) TracyCFreeNS(ptr, TRACY_CALLSTACK, name)
#define TracyCMemoryDiscard(name) TENDRIL_ON_(___tracy_emit_memory_discard_callstack(name, TRACY_CALLSTACK);)
/* Every call is as good before the client starts and after it has ended. */
#define TracyCSecureAlloc(ptr, size) TracyCAlloc(ptr, size)
#define TracyCSecureFree(ptr) TracyCFree(ptr)
#define TracyCSecureAllocN(ptr, size, name) TracyCAllocN(ptr, size, name)
#define TracyCSecureFreeN(ptr, name) TracyCFreeN(ptr, name)
#define TracyCSecureAllocS(ptr, size, depth) TracyCAllocS(ptr, size, depth)
#define TracyCSecureFreeS(ptr, depth) TracyCFreeS(ptr, depth)
#define TracyCSecureMemoryDiscard(name) TracyCMemoryDiscard(name)
#define TracyCSecureMemoryDiscardS(name, depth) TracyCMemoryDiscardS(name, depth)
#define TracyCSecureAllocNS(ptr, size, depth, name) TracyCAllocNS(ptr, size, depth, name)
#define TracyCSecureFreeNS(ptr, depth, name) TracyCFreeNS(ptr, depth, name)

#define TracyCFrameMark TENDRIL_ON_(___tracy_emit_frame_mark(0);)
#define TracyCFrameMarkNamed(name) TENDRIL_ON_(___tracy_emit_frame_mark(name);)
#define TracyCFrameMarkStart(name) TENDRIL_ON_(___tracy_emit_frame_mark_start(name);)
#define TracyCFrameMarkEnd(name) TENDRIL_ON_(___tracy_emit_frame_mark_end(name);)
#define TracyCFrameImage(image, width, height, offset, flip) TENDRIL_ON_(___tracy_emit_frame_image(image, width, height, offset, flip);)

#define TracyCPlot(name, value) TENDRIL_ON_(td_client_plot_double(name, value);)
#define TracyCPlotF(name, value) TENDRIL_ON_(td_client_plot_float(name, value);)
#define TracyCPlotI(name, value) TENDRIL_ON_(td_client_plot(TD_CLIENT_PLOT_INT, name, (uint64_t)(int64_t)(value));)
#define TracyCPlotConfig(name, type, step, fill, color) TENDRIL_ON_(___tracy_emit_plot_config(name, type, step, fill, color);)

#define TracyCMessageS(text, size, depth) TENDRIL_ON_(___tracy_emit_message(text, size, depth) TENDRIL_C_END_)
#define TracyCMessageLS(text, depth) TENDRIL_ON_(tendril_c_message_literal_(text, depth) TENDRIL_C_END_)
#define TracyCMessageCS(text, size, color, depth) TENDRIL_ON_(___tracy_emit_messageC(text, size, color, depth) TENDRIL_C_END_)
#define TracyCMessageLCS(text, color, depth) TENDRIL_ON_(___tracy_emit_messageLC(text, color, depth) TENDRIL_C_END_)
#define TracyCMessage(text, size) TracyCMessageS(text, size, TRACY_CALLSTACK)
#define TracyCMessageL(text) TracyCMessageLS(text, TRACY_CALLSTACK)
#define TracyCMessageC(text, size, color) TracyCMessageCS(text, size, color, TRACY_CALLSTACK)
#define TracyCMessageLC(text, color) TracyCMessageLCS(text, color, TRACY_CALLSTACK)
#define TracyCAppInfo(text, size) TENDRIL_ON_(___tracy_emit_message_appinfo(text, size);)

#define TracyCLockAnnounce(lock) TENDRIL_ON_(TENDRIL_C_SRCLOC_(NULL, 0) lock = ___tracy_announce_lockable_ctx(TENDRIL_C_HERE_);)
#define TracyCLockTerminate(lock) TENDRIL_ON_(___tracy_terminate_lockable_ctx(lock);)
#define TracyCLockBeforeLock(lock) TENDRIL_ON_(___tracy_before_lock_lockable_ctx(lock);)
#define TracyCLockAfterLock(lock) TENDRIL_ON_(___tracy_after_lock_lockable_ctx(lock);)
#define TracyCLockAfterUnlock(lock) TENDRIL_ON_(___tracy_after_unlock_lockable_ctx(lock);)
#define TracyCLockAfterTryLock(lock, acquired) TENDRIL_ON_(___tracy_after_try_lock_lockable_ctx(lock, acquired);)
#define TracyCLockMark(lock) TENDRIL_ON_(TENDRIL_C_SRCLOC_(NULL, 0) ___tracy_mark_lockable_ctx(lock, TENDRIL_C_HERE_);)
#define TracyCLockCustomName(lock, name, size) TENDRIL_ON_(___tracy_custom_name_lockable_ctx(lock, name, size);)

#define TracyCSharedLockAnnounce(lock) TENDRIL_ON_(TENDRIL_C_SRCLOC_(NULL, 0) lock = ___tracy_announce_shared_lockable_ctx(TENDRIL_C_HERE_);)
#define TracyCSharedLockTerminate(lock) TENDRIL_ON_(___tracy_terminate_shared_lockable_ctx(lock);)
#define TracyCSharedLockBeforeLock(lock) TENDRIL_ON_(___tracy_before_lock_shared_lockable_ctx(lock);)
#define TracyCSharedLockAfterLock(lock) TENDRIL_ON_(___tracy_after_lock_shared_lockable_ctx(lock);)
#define TracyCSharedLockAfterUnlock(lock) TENDRIL_ON_(___tracy_after_unlock_shared_lockable_ctx(lock);)
#define TracyCSharedLockAfterTryLock(lock, acquired) TENDRIL_ON_(___tracy_after_try_lock_shared_lockable_ctx(lock, acquired);)
#define TracyCSharedLockBeforeSharedLock(lock) TENDRIL_ON_(___tracy_before_lock_shared_shared_lockable_ctx(lock);)
#define TracyCSharedLockAfterSharedLock(lock) TENDRIL_ON_(___tracy_after_lock_shared_shared_lockable_ctx(lock);)
#define TracyCSharedLockAfterSharedUnlock(lock) TENDRIL_ON_(___tracy_after_unlock_shared_shared_lockable_ctx(lock);)
#define TracyCSharedLockAfterTrySharedLock(lock, acquired) TENDRIL_ON_(___tracy_after_try_lock_shared_shared_lockable_ctx(lock, acquired);)
#define TracyCSharedLockMark(lock) TENDRIL_ON_(TENDRIL_C_SRCLOC_(NULL, 0) ___tracy_mark_shared_lockable_ctx(lock, TENDRIL_C_HERE_);)
#define TracyCSharedLockCustomName(lock, name, size) TENDRIL_ON_(___tracy_custom_name_shared_lockable_ctx(lock, name, size);)

#define TracyCFiberEnter(fiber) TENDRIL_ON_(___tracy_fiber_enter(fiber);)
#define TracyCFiberLeave TENDRIL_ON_(___tracy_fiber_leave();)

#define TracyCIsConnected TENDRIL_OR_(0, ___tracy_connected())
#define TracyCIsStarted TENDRIL_OR_(0, ___tracy_profiler_started())
#define TracyCBeginSamplingProfiling() TENDRIL_OR_(0, ___tracy_begin_sampling_profiling())
#define TracyCEndSamplingProfiling() TENDRIL_ON_(___tracy_end_sampling_profiling())

#ifndef TRACY_ENABLE
/* Declarations that are nothing then. */
#define TracyCLockCtx(lock)
#define TracyCSharedLockCtx(lock)
#define TracyCSharedLockAnnonce(lock)
#endif
/* clang-format on */

#endif
