/* The markers. Each writes one record (text behind it) into the calling thread's lane. */
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include "host/client/client.h"
#include "host/client/include/tendril/client.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/base/clock.h"

#include <math.h>
#include <stdlib.h>

#define MINE (&td_producer)

static inline TracyCZoneCtx context(int active)
{
    return (TracyCZoneCtx){0, active};
}

TracyCZoneCtx ___tracy_emit_zone_begin(const struct ___tracy_source_location_data *srcloc, int active)
{
    if (!active)
        return context(0);
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = TD_ITEM_ZoneBegin;
    rec->a = (uintptr_t)srcloc;
    rec->time = (int64_t)td_host_ticks();
    td_queue_publish(MINE, rec + 1);
    return context(1);
}

TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int active)
{
    if (!active || !srcloc) {
        free((void *)(uintptr_t)srcloc);
        return context(0);
    }
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = TD_ITEM_ZoneBeginAllocSrcLoc;
    rec->a = srcloc;
    rec->time = (int64_t)td_host_ticks();
    if (!MINE->block)
        free((void *)(uintptr_t)srcloc); /* nobody will take it */
    td_queue_publish(MINE, rec + 1);
    return context(1);
}

TracyCZoneCtx ___tracy_emit_zone_begin_callstack(const struct ___tracy_source_location_data *srcloc,
                                                 int depth, int active)
{
    return ___tracy_emit_zone_begin(srcloc, active);
}

TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc, int depth, int active)
{
    return ___tracy_emit_zone_begin_alloc(srcloc, active);
}

void ___tracy_emit_zone_end(TracyCZoneCtx ctx)
{
    if (!ctx.active)
        return;
    int64_t now = (int64_t)td_host_ticks();
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = TD_ITEM_ZoneEnd;
    rec->time = now;
    td_queue_publish(MINE, rec + 1);
}

/* A record with a copy of the text behind it or, when it is long, beside it. */
static void text_record(uint32_t kind, const char *text, size_t size, uint64_t a)
{
    int64_t now = (int64_t)td_host_ticks();
    if (size > TD_WIRE_TEXT_MAX)
        size = TD_WIRE_TEXT_MAX;
    char *beside = NULL;
    if (size > TD_INLINE_TEXT && !(beside = malloc(size)))
        size = 0;
    unsigned recs = beside ? 1 : 1 + (unsigned)((size + sizeof(struct td_rec) - 1) / sizeof(struct td_rec));
    struct td_rec *rec = td_queue_reserve(MINE, recs);
    rec->kind = kind;
    rec->bytes = (uint32_t)size;
    rec->time = now;
    rec->a = a;
    rec->b.p = beside;
    if (size)
        memcpy(beside ? beside : (char *)(rec + 1), text, size);
    if (beside && !MINE->block)
        free(beside); /* nobody will take it */
    td_queue_publish(MINE, rec + recs);
}

void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size)
{
    if (ctx.active)
        text_record(TD_ITEM_ZoneText, txt, size, 0);
}

void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size)
{
    if (ctx.active)
        text_record(TD_ITEM_ZoneName, txt, size, 0);
}

static void small_record(uint32_t kind, uint64_t a)
{
    int64_t now = (int64_t)td_host_ticks();
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = kind;
    rec->time = now;
    rec->a = a;
    td_queue_publish(MINE, rec + 1);
}

void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color)
{
    if (ctx.active)
        small_record(TD_ITEM_ZoneColor, color);
}

void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value)
{
    if (ctx.active)
        small_record(TD_ITEM_ZoneValue, value);
}

void ___tracy_emit_message(const char *txt, size_t size, int callstack)
{
    text_record(TD_ITEM_Message, txt, size, 0);
}

void ___tracy_emit_messageC(const char *txt, size_t size, uint32_t color, int callstack)
{
    text_record(TD_ITEM_MessageColor, txt, size, color);
}

void ___tracy_emit_messageL(const char *txt, int callstack)
{
    small_record(TD_ITEM_MessageLiteral, (uintptr_t)txt);
}

void ___tracy_emit_messageLC(const char *txt, uint32_t color, int callstack)
{
    int64_t now = (int64_t)td_host_ticks();
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = TD_ITEM_MessageLiteralColor;
    rec->time = now;
    rec->a = (uintptr_t)txt;
    rec->b.u = color;
    td_queue_publish(MINE, rec + 1);
}

void ___tracy_emit_message_appinfo(const char *txt, size_t size)
{
    text_record(TD_ITEM_MessageAppInfo, txt, size, 0);
}

/* Frames of one set may be marked by several threads, and must arrive in the order of their times: the time
 * is read under the serial lane's lock. */
static void frame(uint32_t kind, const char *name)
{
    struct td_producer *producer = td_queue_serial_lock();
    struct td_rec *rec = td_queue_reserve(producer, 1);
    rec->kind = kind;
    rec->time = (int64_t)td_host_ticks();
    rec->a = (uintptr_t)name;
    td_queue_publish(producer, rec + 1);
    td_queue_serial_unlock();
}

void ___tracy_emit_frame_mark(const char *name)
{
    frame(TD_ITEM_FrameMarkMsg, name);
}

void ___tracy_emit_frame_mark_start(const char *name)
{
    if (name)
        frame(TD_ITEM_FrameMarkMsgStart, name);
}

void ___tracy_emit_frame_mark_end(const char *name)
{
    if (name)
        frame(TD_ITEM_FrameMarkMsgEnd, name);
}

void ___tracy_emit_plot(const char *name, double val)
{
    if (!isfinite(val))
        return;
    int64_t now = (int64_t)td_host_ticks();
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = TD_ITEM_PlotDataDouble;
    rec->time = now;
    rec->a = (uintptr_t)name;
    rec->b.f = val;
    td_queue_publish(MINE, rec + 1);
}

void ___tracy_emit_plot_float(const char *name, float val)
{
    if (!isfinite(val))
        return;
    int64_t now = (int64_t)td_host_ticks();
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = TD_ITEM_PlotDataFloat;
    rec->time = now;
    rec->a = (uintptr_t)name;
    rec->b.f = val;
    td_queue_publish(MINE, rec + 1);
}

void ___tracy_emit_plot_int(const char *name, int64_t val)
{
    int64_t now = (int64_t)td_host_ticks();
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = TD_ITEM_PlotDataInt;
    rec->time = now;
    rec->a = (uintptr_t)name;
    rec->b.i = val;
    td_queue_publish(MINE, rec + 1);
}

void ___tracy_emit_plot_config(const char *name, int type, int step, int fill, uint32_t color)
{
    struct td_rec *rec = td_queue_reserve(MINE, 1);
    rec->kind = TD_ITEM_PlotConfig;
    rec->time = 0;
    rec->a = (uintptr_t)name;
    rec->bytes = ((uint32_t)type & 0xff) | (step ? 0x100u : 0) | (fill ? 0x200u : 0);
    rec->b.u = color;
    td_queue_publish(MINE, rec + 1);
}

uint64_t ___tracy_alloc_srcloc(uint32_t line, const char *source, size_t sourceSz, const char *function,
                               size_t functionSz, uint32_t color)
{
    return ___tracy_alloc_srcloc_name(line, source, sourceSz, function, functionSz, NULL, 0, color);
}

static char *append(char *at, const char *text, size_t bytes)
{
    if (bytes)
        memcpy(at, text, bytes);
    return at + bytes;
}

/* The payload as it goes on the wire: colour, line, function NUL file NUL name. */
uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char *source, size_t sourceSz, const char *function,
                                    size_t functionSz, const char *name, size_t nameSz, uint32_t color)
{
    const size_t fixed = 4 + 4 + 1 + 1, most = TD_WIRE_TEXT_MAX - 2;
    size_t room = most - fixed;
    functionSz = functionSz > room ? room : functionSz;
    room -= functionSz;
    sourceSz = sourceSz > room ? room : sourceSz;
    room -= sourceSz;
    nameSz = nameSz > room ? room : nameSz;
    size_t bytes = fixed + functionSz + sourceSz + nameSz;
    struct td_srcloc_block *block = malloc(sizeof *block + bytes);
    if (!block)
        return 0;
    block->bytes = (uint32_t)bytes;
    char *at = append(block->data, (const char *)&color, 4);
    at = append(at, (const char *)&line, 4);
    at = append(at, function, functionSz);
    *at++ = 0;
    at = append(at, source, sourceSz);
    *at++ = 0;
    append(at, name, nameSz);
    return (uintptr_t)block;
}
