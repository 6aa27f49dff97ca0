/* The functions behind the macros of tracy/TracyC.h, as bindings of other languages call them. */
#include "tracy/TracyC.h"

#include <pthread.h>
#include <string.h>

void functions(void);

static const struct ___tracy_source_location_data location = {"by function", "caller", "binding.x", 12,
                                                              0x556677};
#if TENDRIL_C_API >= 14
#define SECURE
#else
#define SECURE , 1
#endif

static void zones(void)
{
    TracyCZoneCtx zone = ___tracy_emit_zone_begin(&location, 1);
    ___tracy_emit_zone_text(zone, "one", 3);
    ___tracy_emit_zone_text_fmt(zone, "%d", 2);
    ___tracy_emit_zone_name(zone, "first", 5);
    ___tracy_emit_zone_name_fmt(zone, "%s", "last");
    ___tracy_emit_zone_color(zone, 0x010203);
    ___tracy_emit_zone_end(zone);
    zone = ___tracy_emit_zone_begin_callstack(&location, 8, 1);
    ___tracy_emit_zone_value(zone, 9);
    ___tracy_emit_zone_end(zone);
    zone = ___tracy_emit_zone_begin_alloc(___tracy_alloc_srcloc(1, "made.x", 6, "made", 4, 0x0a0b0c), 1);
    ___tracy_emit_zone_end(zone);
    uint64_t made = ___tracy_alloc_srcloc_name(2, "made.x", 6, "made", 4, "name of it", 10, 0);
    zone = ___tracy_emit_zone_begin_alloc_callstack(made, 8, 1);
    ___tracy_emit_zone_end(zone);
    made = ___tracy_alloc_srcloc(3, "made.x", 6, "never", 5, 0);
    ___tracy_emit_zone_end(___tracy_emit_zone_begin_alloc(made, 0));
}

static void memory(void)
{
    static char heap[8];
    ___tracy_emit_memory_alloc(heap, 3 SECURE);
    ___tracy_emit_memory_free(heap SECURE);
    ___tracy_emit_memory_alloc_callstack(heap + 1, 5, 8 SECURE);
    ___tracy_emit_memory_free_callstack(heap + 1, 8 SECURE);
    ___tracy_emit_memory_alloc_named(heap, 7 SECURE, "function pool");
    ___tracy_emit_memory_free_named(heap SECURE, "function pool");
    ___tracy_emit_memory_alloc_callstack_named(heap + 1, 9, 8 SECURE, "function pool");
    ___tracy_emit_memory_free_callstack_named(heap + 1, 8 SECURE, "function pool");
    ___tracy_emit_memory_alloc_named(heap + 2, 11 SECURE, "function pool");
    ___tracy_emit_memory_discard("function pool");
    ___tracy_emit_memory_discard_callstack("function pool", 8);
}

static void rest(void)
{
    static unsigned char pixels[4 * 4 * 4];
    ___tracy_emit_message("m", 1, 0);
    ___tracy_emit_messageL("mL", 8);
    ___tracy_emit_messageC("mC", 2, 0x1, 0);
    ___tracy_emit_messageLC("mLC", 0x2, 8);
    ___tracy_emit_logString(TracyMessageSeverityFatal, 0x3, 0, 3, "log");
    ___tracy_emit_logStringL(TracyMessageSeverityTrace, 0, 8, "logL");
    ___tracy_emit_logStringL(TracyMessageSeverityDebug, 0, 0, "debug");
    ___tracy_emit_logStringL(TracyMessageSeverityWarning, 0, 0, "warning");
    ___tracy_emit_logStringL(TracyMessageSeverityError, 0, 0, "error");
    ___tracy_emit_message_appinfo("by function", 11);
    ___tracy_emit_plot("function plot", 1.5);
    ___tracy_emit_plot_float("function plot", 2.5f);
    ___tracy_emit_plot_int("function plot", 3);
    ___tracy_emit_plot_config("function plot", TracyPlotFormatPercentage, 0, 1, 0);
    ___tracy_emit_frame_image(pixels, 4, 4, 0, 0);
    ___tracy_emit_frame_mark(NULL);
    ___tracy_emit_frame_mark("function set");
    ___tracy_emit_frame_mark_start("function part");
    ___tracy_emit_frame_mark_end("function part");
    ___tracy_fiber_enter("function fiber");
    ___tracy_emit_zone_end(___tracy_emit_zone_begin(&location, 1));
    ___tracy_fiber_leave();
    if (___tracy_connected() && ___tracy_profiler_started() && ___tracy_get_time() > 0)
        ___tracy_emit_messageL("state", 0);
    ___tracy_emit_plot_int("sampling", ___tracy_begin_sampling_profiling());
    ___tracy_end_sampling_profiling();
    if (!___tracy_begin_sampling_profiler())
        ___tracy_end_sampling_profiler();
}

static void locks(void)
{
    TracyCLockCtx lock = ___tracy_announce_lockable_ctx(&location);
    ___tracy_custom_name_lockable_ctx(lock, "function lock", 13);
    if (___tracy_before_lock_lockable_ctx(lock))
        ___tracy_after_lock_lockable_ctx(lock);
    ___tracy_mark_lockable_ctx(lock, &location);
    ___tracy_after_unlock_lockable_ctx(lock);
    ___tracy_after_try_lock_lockable_ctx(lock, 1);
    ___tracy_after_unlock_lockable_ctx(lock);
    ___tracy_terminate_lockable_ctx(lock);

    TracyCSharedLockCtx shared = ___tracy_announce_shared_lockable_ctx(&location);
    ___tracy_custom_name_shared_lockable_ctx(shared, "function shared", 15);
    if (___tracy_before_lock_shared_lockable_ctx(shared))
        ___tracy_after_lock_shared_lockable_ctx(shared);
    ___tracy_after_unlock_shared_lockable_ctx(shared);
    ___tracy_after_try_lock_shared_lockable_ctx(shared, 1);
    ___tracy_after_unlock_shared_lockable_ctx(shared);
    if (___tracy_before_lock_shared_shared_lockable_ctx(shared))
        ___tracy_after_lock_shared_shared_lockable_ctx(shared);
    ___tracy_mark_shared_lockable_ctx(shared, &location);
    ___tracy_after_unlock_shared_shared_lockable_ctx(shared);
    ___tracy_after_try_lock_shared_shared_lockable_ctx(shared, 1);
    ___tracy_after_unlock_shared_shared_lockable_ctx(shared);
    ___tracy_terminate_shared_lockable_ctx(shared);
}

static uint64_t place(const char *name)
{
    return ___tracy_alloc_srcloc_name(4, "gpu.x", 5, "submit", 6, name, strlen(name), 0);
}

/* Both sets of functions for GPUs. */
static const struct gpu_functions {
    void (*new_context)(const struct ___tracy_gpu_new_context_data data);
    void (*context_name)(const struct ___tracy_gpu_context_name_data data);
    void (*begin)(const struct ___tracy_gpu_zone_begin_data data);
    void (*begin_callstack)(const struct ___tracy_gpu_zone_begin_callstack_data data);
    void (*begin_alloc)(const struct ___tracy_gpu_zone_begin_data data);
    void (*begin_alloc_callstack)(const struct ___tracy_gpu_zone_begin_callstack_data data);
    void (*end)(const struct ___tracy_gpu_zone_end_data data);
    void (*time)(const struct ___tracy_gpu_time_data data);
    void (*calibration)(const struct ___tracy_gpu_calibration_data data);
    void (*time_sync)(const struct ___tracy_gpu_time_sync_data data);
} sets[2] = {
    {___tracy_emit_gpu_new_context, ___tracy_emit_gpu_context_name, ___tracy_emit_gpu_zone_begin,
     ___tracy_emit_gpu_zone_begin_callstack, ___tracy_emit_gpu_zone_begin_alloc,
     ___tracy_emit_gpu_zone_begin_alloc_callstack, ___tracy_emit_gpu_zone_end, ___tracy_emit_gpu_time,
     ___tracy_emit_gpu_calibration, ___tracy_emit_gpu_time_sync},
    {___tracy_emit_gpu_new_context_serial, ___tracy_emit_gpu_context_name_serial,
     ___tracy_emit_gpu_zone_begin_serial, ___tracy_emit_gpu_zone_begin_callstack_serial,
     ___tracy_emit_gpu_zone_begin_alloc_serial, ___tracy_emit_gpu_zone_begin_alloc_callstack_serial,
     ___tracy_emit_gpu_zone_end_serial, ___tracy_emit_gpu_time_serial, ___tracy_emit_gpu_calibration_serial,
     ___tracy_emit_gpu_time_sync_serial},
};

static void gpu(uint8_t id, const struct gpu_functions *call, const char *label)
{
    const struct ___tracy_gpu_new_context_data context = {1000, 1, id, 1, 2};
    call->new_context(context);
    const struct ___tracy_gpu_context_name_data name = {id, label, (uint16_t)strlen(label)};
    call->context_name(name);
    const struct ___tracy_gpu_zone_begin_data plain = {(uintptr_t)&location, 0, id};
    call->begin(plain);
    const struct ___tracy_gpu_zone_begin_callstack_data deep = {(uintptr_t)&location, 8, 1, id};
    call->begin_callstack(deep);
    const struct ___tracy_gpu_zone_begin_data made = {place("made"), 2, id};
    call->begin_alloc(made);
    const struct ___tracy_gpu_zone_begin_callstack_data last = {place("made deep"), 8, 3, id};
    call->begin_alloc_callstack(last);
    for (uint16_t i = 0; i < 4; i++) {
        const struct ___tracy_gpu_zone_end_data end = {(uint16_t)(4 + i), id};
        call->end(end);
    }
    for (uint16_t i = 0; i < 8; i++) {
        const struct ___tracy_gpu_time_data time = {2000 + 10 * i, i, id};
        call->time(time);
    }
    const struct ___tracy_gpu_calibration_data calibration = {3000, 1000, id};
    call->calibration(calibration);
    const struct ___tracy_gpu_time_sync_data sync = {4000, id};
    call->time_sync(sync);
}

static void *named(void *nothing)
{
    ___tracy_set_thread_name("a named thread");
    ___tracy_emit_zone_end(___tracy_emit_zone_begin(&location, 1));
    return nothing;
}

void functions(void)
{
    zones();
    memory();
    rest();
    locks();
    gpu(0, &sets[0], "thread");
    gpu(1, &sets[1], "all");
    pthread_t thread;
    if (pthread_create(&thread, NULL, named, NULL) == 0)
        pthread_join(thread, NULL);
}
