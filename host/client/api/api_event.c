/* Messages, plots, frames, parameters, sections, fibers. */
#include "host/client/api/mark.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/compose.h"
#include "host/client/queue/frame_image.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/records.h"
#include "host/client/queue/replayed.h"
#include "host/client/symbols/stack.h"
#include "host/wire/pack.h"
#include "host/wire/releases.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Severity and colour (0: none) in the bits of a message's record. */
static uint64_t message_bits(int severity, uint32_t color)
{
    uint64_t rgb = color & 0xffffff;
    unsigned level = severity < 0                        ? 0
                     : severity > TD_WIRE_SEVERITY_FATAL ? TD_WIRE_SEVERITY_FATAL
                                                         : (unsigned)severity;
    return (uint64_t)level << 16 | (color ? UINT64_C(1) << 24 : 0) | rgb << 32;
}

/* Not inlined: its stack frame would be most of the cost of messages without a call stack. */
static __attribute__((noinline)) void message_with_stack(uint32_t kind, uint64_t word1, uint64_t word2,
                                                         const char *text, size_t bytes, int depth,
                                                         const void *caller)
{
    uint64_t stack[TD_REC_STACK_MAX];
    struct td_mark mark = {
        .kind = kind, .fields = {word1, word2}, .text = text, .bytes = bytes, .stack = stack};
    mark.frames = td_stack_walk(stack, depth, caller);
    td_mark_record(&mark);
}

static void message_copied(int severity, uint32_t color, int depth, const char *txt, size_t size,
                           const void *caller)
{
    if (!td_client_is_live())
        return;
    if (depth <= 0)
        td_mark_text(TD_REC_MESSAGE, message_bits(severity, color), txt, size, td_client_ticks());
    else
        message_with_stack(TD_REC_MESSAGE, message_bits(severity, color), 0, txt, size, depth, caller);
}

static void message_literal(int severity, uint32_t color, int depth, const char *txt, const void *caller)
{
    if (!td_client_is_live())
        return;
    if (depth > 0) {
        message_with_stack(TD_REC_MESSAGE_LITERAL, (uintptr_t)txt, message_bits(severity, color), NULL, 0,
                           depth, caller);
        return;
    }
    uint64_t now = td_client_ticks(), *record = td_reserve(3);
    if (!record)
        return;
    record[1] = (uintptr_t)txt;
    record[2] = message_bits(severity, color);
    td_client_publish(record, TD_REC_MESSAGE_LITERAL, now);
}

TD_MARKER void ___tracy_emit_logString(int8_t severity, int32_t color, int32_t callstack_depth, size_t size,
                                       const char *txt)
{
    message_copied(severity, (uint32_t)color, callstack_depth, txt, size, TD_CALLER);
}

TD_MARKER void ___tracy_emit_logStringL(int8_t severity, int32_t color, int32_t callstack_depth,
                                        const char *txt)
{
    message_literal(severity, (uint32_t)color, callstack_depth, txt, TD_CALLER);
}

TD_MARKER void ___tracy_emit_message(const char *txt, size_t size, int32_t callstack)
{
    message_copied(TracyMessageSeverityInfo, 0, callstack, txt, size, TD_CALLER);
}

TD_MARKER void ___tracy_emit_messageC(const char *txt, size_t size, uint32_t color, int32_t callstack)
{
    message_copied(TracyMessageSeverityInfo, color, callstack, txt, size, TD_CALLER);
}

TD_MARKER void ___tracy_emit_messageL(const char *txt, int32_t callstack)
{
    message_literal(TracyMessageSeverityInfo, 0, callstack, txt, TD_CALLER);
}

TD_MARKER void ___tracy_emit_messageLC(const char *txt, uint32_t color, int32_t callstack)
{
    message_literal(TracyMessageSeverityInfo, color, callstack, txt, TD_CALLER);
}

void ___tracy_emit_message_appinfo(const char *txt, size_t size)
{
    struct td_mark mark = {.kind = TD_REC_APP_INFO, .text = txt, .bytes = size};
    td_mark_replayed(&mark);
}

void ___tracy_emit_plot(const char *name, double val)
{
    td_client_plot_double(name, val);
}

void ___tracy_emit_plot_float(const char *name, float val)
{
    td_client_plot_float(name, val);
}

void ___tracy_emit_plot_int(const char *name, int64_t val)
{
    td_client_plot(TD_CLIENT_PLOT_INT, name, (uint64_t)val);
}

void td_client_plot_at(const char *name, double value, int64_t cpu_time)
{
    if (!td_client_is_live() || !isfinite(value))
        return;
    uint64_t time = cpu_time ? (uint64_t)cpu_time : td_client_ticks(), *record = td_reserve(3);
    if (!record)
        return;
    record[1] = (uintptr_t)name;
    memcpy(&record[2], &value, sizeof value);
    td_client_publish(record, TD_REC_PLOT_AT, time);
}

void ___tracy_emit_plot_config(const char *name, int32_t type, int32_t step, int32_t fill, uint32_t color)
{
    uint64_t bits =
        color | (uint64_t)(uint8_t)type << 32 | (uint64_t)(step != 0) << 40 | (uint64_t)(fill != 0) << 48;
    struct td_mark mark = {.kind = TD_REC_PLOT_CONFIG, .fields = {(uintptr_t)name, bits}};
    td_mark_replayed(&mark);
}

static void mark_frame(uint32_t kind, const char *name)
{
    if (!td_client_is_live())
        return;
    uint64_t now = td_client_ticks(), *record = td_reserve_ordered(3);
    if (!record)
        return;
    record[2] = (uintptr_t)name;
    td_publish_ordered(record, kind, now, 0);
}

void ___tracy_emit_frame_mark(const char *name)
{
    if (!name)
        atomic_fetch_add_explicit(&td_frame_count, 1, memory_order_relaxed);
    mark_frame(TD_REC_FRAME, name);
}

void ___tracy_emit_frame_mark_start(const char *name)
{
    if (name)
        mark_frame(TD_REC_FRAME_START, name);
}

void ___tracy_emit_frame_mark_end(const char *name)
{
    if (name)
        mark_frame(TD_REC_FRAME_END, name);
}

void ___tracy_emit_frame_image(const void *image, uint16_t w, uint16_t h, uint8_t offset, int32_t flip)
{
    size_t packed = (size_t)w * h / 2;
    if (!td_client_is_live() || !image || !packed || w % 4 || h % 4 || packed > TD_WIRE_FRAME_MAX - 256 ||
        td_setting_value(TD_SETTING_NO_FRAME_IMAGE))
        return;
    struct td_frame_image *copy = td_frame_image_create(image, w, h);
    if (!copy)
        return;
    copy->frame = atomic_load_explicit(&td_frame_count, memory_order_relaxed) - offset;
    copy->flip = flip != 0;
    uint64_t now = td_client_ticks(), *record = td_reserve_ordered(3);
    if (!record) {
        td_frame_image_free(copy);
        return;
    }
    record[2] = (uintptr_t)copy;
    td_frame_image_offer(copy);
    td_publish_ordered(record, TD_REC_FRAME_IMAGE, now, 0);
}

void td_client_parameter_setup(uint32_t idx, const char *name, uint8_t type, int32_t val)
{
    uint64_t bits = (idx & 0xfffffff) | (uint64_t)(type & 15) << 28 | (uint64_t)(uint32_t)val << 32;
    struct td_mark mark = {.kind = TD_REC_PARAMETER, .fields = {(uintptr_t)name, bits}};
    td_mark_replayed(&mark);
}

/* Formats into `text`, cut to `room`; returns the bytes. */
static size_t format_into(char *text, size_t room, const char *format, va_list args)
{
    int bytes = vsnprintf(text, room, format, args);
    return bytes < 0 ? 0 : (size_t)bytes < room ? (size_t)bytes : room - 1;
}

uint32_t td_client_section_enter_args(uint16_t category, const char *format, va_list args)
{
    static _Atomic(uint32_t) last_id;
    char text[TD_REC_TEXT_MAX];
    if (!td_client_is_live())
        return 0;
    size_t bytes = format_into(text, sizeof text, format, args);
    uint32_t id = 1 + atomic_fetch_add(&last_id, 1);
    struct td_mark mark = {.kind = TD_REC_SECTION_ENTER,
                           .fields = {(uint64_t)category << 16 | (uint64_t)id << 32},
                           .text = text,
                           .bytes = bytes};
    td_mark_record(&mark);
    return id;
}

uint32_t td_client_section_enter(uint16_t category, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    uint32_t id = td_client_section_enter_args(category, format, args);
    va_end(args);
    return id;
}

void td_client_section_leave(uint32_t id)
{
    struct td_mark mark = {.kind = TD_REC_SECTION_LEAVE, .fields = {id}};
    if (id && td_client_is_live())
        td_mark_record(&mark);
}

void td_client_section_setup_args(uint16_t category, const char *format, va_list args)
{
    char text[TD_REC_TEXT_MAX];
    size_t bytes = format_into(text, sizeof text, format, args);
    struct td_mark mark = {
        .kind = TD_REC_SECTION_SETUP, .fields = {(uint64_t)category << 16}, .text = text, .bytes = bytes};
    td_mark_replayed(&mark);
}

void td_client_section_setup(uint16_t category, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    td_client_section_setup_args(category, format, args);
    va_end(args);
}

/* From here on the thread's innermost zone is another one. */
static void switch_fiber(const char *fiber, struct td_mark *mark)
{
    struct td_client_producer *producer = &td_client_producer;
    producer->open = 0;
    td_in_fiber = fiber;
    if (td_client_is_live())
        td_mark_record(mark);
    if (producer->queue)
        td_own_zones_from = td_queue_producer_place(*producer);
}

void td_client_fiber_enter(const char *fiber, int32_t group_hint)
{
    struct td_mark mark = {.kind = TD_REC_FIBER_ENTER,
                           .fields = {(uint64_t)(uint32_t)group_hint << 32, (uintptr_t)fiber}};
    switch_fiber(fiber, &mark);
}

void td_client_fiber_leave(void)
{
    struct td_mark mark = {.kind = TD_REC_FIBER_LEAVE};
    switch_fiber(NULL, &mark);
}

void ___tracy_fiber_enter(const char *fiber)
{
    td_client_fiber_enter(fiber, 0);
}

void ___tracy_fiber_leave(void)
{
    td_client_fiber_leave();
}
