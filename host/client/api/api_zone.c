/* Zones. */
#include "host/client/api/mark.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/records.h"
#include "host/client/queue/srcloc_block.h"
#include "host/client/queue/zone_acts.h"
#include "host/client/symbols/stack.h"
#include "host/wire/releases.h"

#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const TracyCZoneCtx off = {TD_CLIENT_OFF, 0};

static inline TracyCZoneCtx context(uint32_t zone)
{
    return (TracyCZoneCtx){zone, zone != TD_CLIENT_OFF};
}

TracyCZoneCtx ___tracy_emit_zone_begin(const struct ___tracy_source_location_data *srcloc, int32_t active)
{
    return active ? context(td_client_zone_begin(srcloc)) : off;
}

void ___tracy_emit_zone_end(TracyCZoneCtx ctx)
{
    if (ctx.active)
        td_client_zone_end_(ctx.id, TD_CLIENT_CHECKED);
}

/* The zone was begun in another thread's queue, or before this thread entered or left a fiber, or had its queue. */
static bool is_elsewhere(uint32_t zone)
{
    const struct td_thread_queue *own = td_client_producer.queue;
    const uint32_t owner = zone == TD_CLIENT_INNERMOST ? 0 : td_queue_of_zone(zone);
    if (owner && own && own->number == owner)
        return td_queue_place_of(zone, td_queue_producer_place(td_client_producer)) < td_own_zones_from;
    return owner != 0;
}

#define CHECKED UINT64_C(1)
#define TWIN    UINT64_C(2)

/* Puts what is done to a zone into the list, if the zone may be of another thread or fiber. Returns what the thread's
 * own record says of it (records.h). */
static uint64_t act_elsewhere(uint32_t zone, unsigned checked, struct td_zone_act *act)
{
    const uint64_t now = td_client_ticks(), flags = checked ? CHECKED : 0;
    if (!is_elsewhere(zone))
        return flags;
    act->time = td_rec_time(now << 8, (uint64_t)td_client_begin_ticks());
    act->zone = zone;
    act->thread = td_client_thread_id();
    act->checked = checked != 0;
    act->fiber = (uintptr_t)td_in_fiber;
    return td_zone_act_add(act) ? flags | TWIN : flags;
}

void td_client_zone_end_of(uint32_t zone, unsigned checked)
{
    struct td_zone_act act = {.kind = TD_REC_ZONE_END};
    if (!td_client_is_live())
        return;
    const uint64_t flags = act_elsewhere(zone, checked, &act);
    td_client_producer.open = 0;
    uint64_t now = td_client_ticks();
    uint64_t *record = td_reserve(2);
    if (!record)
        return;
    record[1] = zone | flags << 32;
    td_client_publish(record, TD_REC_ZONE_END_OF, now);
}

void td_client_zone_word_of(uint32_t zone, unsigned kind, uint64_t word)
{
    const bool is_value = (kind & ~TD_CLIENT_CHECKED) == TD_CLIENT_ZONE_VALUE;
    if (!is_value)
        word &= 0xffffff;
    struct td_zone_act act = {.kind = kind & ~TD_CLIENT_CHECKED, .value = word};
    if (!td_client_is_live())
        return;
    const uint64_t flags = act_elsewhere(zone, kind & TD_CLIENT_CHECKED, &act);
    uint64_t *record = td_reserve(is_value ? 3 : 2);
    if (!record)
        return;
    record[1] = is_value ? word : zone | word << 32 | flags << 56;
    if (is_value)
        record[2] = zone | flags << 32;
    td_client_publish(record, is_value ? TD_REC_ZONE_VALUE_OF : TD_REC_ZONE_COLOR_OF, 0);
}

/* Writes a begin with that word 1. *written: 1 if a record was written. */
static TracyCZoneCtx begin_with_stack(uint32_t kind, uint64_t word, int32_t depth, const void *caller,
                                      int *written)
{
    uint64_t stack[TD_REC_STACK_MAX], now = td_client_ticks();
    uint32_t frames = depth > 0 ? td_stack_walk(stack, depth, caller) : 0;
    unsigned words = 2 + (frames ? 1 + frames : 0);
    uint64_t *record = td_reserve(words);
    *written = record != NULL;
    if (!record)
        return off;
    record[1] = word;
    if (frames) {
        record[2] = frames;
        memcpy(record + 3, stack, 8 * (size_t)frames);
        kind |= TD_REC_STACK;
    }
    const uint32_t zone = td_client_zone_at(record);
    td_client_publish(record, kind, now);
    return context(zone);
}

TD_MARKER TracyCZoneCtx ___tracy_emit_zone_begin_callstack(const struct ___tracy_source_location_data *srcloc,
                                                           int32_t depth, int32_t active)
{
    if (!active || !td_client_is_live())
        return off;
    if (depth <= 0)
        return context(td_client_zone_begin(srcloc));
    int written;
    return begin_with_stack(TD_REC_ZONE_BEGIN, (uintptr_t)srcloc, depth, TD_CALLER, &written);
}

TD_MARKER TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc, int32_t depth,
                                                                 int32_t active)
{
    TracyCZoneCtx ctx = off;
    int written = 0;
    if (active && srcloc && td_client_is_live())
        ctx = begin_with_stack(TD_REC_ZONE_BEGIN_ALLOC, srcloc, depth, TD_CALLER, &written);
    if (!written)
        td_pool_free((void *)(uintptr_t)srcloc);
    return ctx;
}

TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int32_t active)
{
    return ___tracy_emit_zone_begin_alloc_callstack(srcloc, 0, active);
}

/* The location and the frames in one block, which the zone's record owns. NULL: no memory. */
static struct td_srcloc_block *join_blocks(const struct td_srcloc_block *location, const void *frames,
                                           size_t bytes)
{
    uint16_t sizes[2] = {(uint16_t)location->bytes, (uint16_t)bytes};
    size_t all = sizeof sizes + sizes[0] + sizes[1];
    struct td_srcloc_block *both = td_pool_alloc(sizeof *both + all);
    if (!both)
        return NULL;
    both->bytes = (uint32_t)all;
    memcpy(both->data, &sizes[0], 2);
    memcpy(both->data + 2, location->data, sizes[0]);
    memcpy(both->data + 2 + sizes[0], &sizes[1], 2);
    memcpy(both->data + 4 + sizes[0], frames, sizes[1]);
    return both;
}

TD_MARKER uint32_t td_client_zone_begin_script(uint64_t srcloc, const void *frames, size_t bytes, int depth)
{
    struct td_srcloc_block *both = NULL;
    if (srcloc && bytes && bytes <= TD_WIRE_TEXT_MAX - 2 && td_client_is_live())
        both = join_blocks((const void *)(uintptr_t)srcloc, frames, bytes);
    if (!both)
        return ___tracy_emit_zone_begin_alloc_callstack(srcloc, depth, 1).id;
    int written;
    TracyCZoneCtx ctx =
        begin_with_stack(TD_REC_ZONE_BEGIN_SCRIPT, (uintptr_t)both, depth, TD_CALLER, &written);
    if (!written)
        td_pool_free(both);
    td_pool_free((void *)(uintptr_t)srcloc);
    return ctx.id;
}

/* Not inlined: the usual text is of the zone that the thread began last. */
static __attribute__((noinline)) uint64_t text_elsewhere(uint32_t kind, uint32_t zone, unsigned checked,
                                                         const char *text, size_t size)
{
    if (size > TD_WIRE_TEXT_MAX)
        size = TD_WIRE_TEXT_MAX;
    struct td_zone_act act = {.kind = kind, .text = text, .bytes = (uint32_t)size};
    return act_elsewhere(zone, checked, &act);
}

/* kind: with TD_CLIENT_CHECKED or without. */
static inline void zone_text(uint32_t kind, uint32_t zone, const char *text, size_t size)
{
    const unsigned checked = kind & TD_CLIENT_CHECKED;
    uint64_t flags = checked ? CHECKED : 0;
    kind &= ~TD_CLIENT_CHECKED;
    if (zone == TD_CLIENT_OFF || !td_client_is_live())
        return;
    if (zone != td_client_producer.open)
        flags = text_elsewhere(kind, zone, checked, text, size);
    td_mark_text(kind, (uint64_t)zone << 32 | flags << 16, text, size, 0);
}

void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size)
{
    if (ctx.active)
        zone_text(TD_REC_ZONE_TEXT | TD_CLIENT_CHECKED, ctx.id, txt, size);
}

void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size)
{
    if (ctx.active)
        zone_text(TD_REC_ZONE_NAME | TD_CLIENT_CHECKED, ctx.id, txt, size);
}

void td_client_zone_text(uint32_t zone, const char *text, size_t size)
{
    zone_text(TD_REC_ZONE_TEXT, zone, text, size);
}

void td_client_zone_name(uint32_t zone, const char *text, size_t size)
{
    zone_text(TD_REC_ZONE_NAME, zone, text, size);
}

/* A longer text needs memory from the pool. */
#define FORMAT_BYTES 480

static void zone_format(uint32_t kind, uint32_t zone, const char *format, va_list args)
{
    if (zone == TD_CLIENT_OFF || !td_client_is_live())
        return;
    char text[FORMAT_BYTES], *at = text;
    va_list again;
    va_copy(again, args);
    int bytes = vsnprintf(text, sizeof text, format, args);
    if (bytes >= (int)sizeof text) {
        at = td_pool_alloc((size_t)bytes + 1);
        if (at)
            vsnprintf(at, (size_t)bytes + 1, format, again);
        else
            bytes = sizeof text - 1;
    }
    va_end(again);
    if (bytes >= 0)
        zone_text(kind, zone, at ? at : text, (size_t)bytes);
    if (at != text)
        td_pool_free(at);
}

void ___tracy_emit_zone_text_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    zone_format(TD_REC_ZONE_TEXT | TD_CLIENT_CHECKED, ctx.active ? ctx.id : TD_CLIENT_OFF, fmt, args);
    va_end(args);
}

void ___tracy_emit_zone_name_fmt(TracyCZoneCtx ctx, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    zone_format(TD_REC_ZONE_NAME | TD_CLIENT_CHECKED, ctx.active ? ctx.id : TD_CLIENT_OFF, fmt, args);
    va_end(args);
}

void td_client_zone_text_args(uint32_t zone, const char *format, va_list args)
{
    zone_format(TD_REC_ZONE_TEXT, zone, format, args);
}

void td_client_zone_name_args(uint32_t zone, const char *format, va_list args)
{
    zone_format(TD_REC_ZONE_NAME, zone, format, args);
}

void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color)
{
    if (ctx.active)
        td_client_zone_word(ctx.id, TD_CLIENT_ZONE_COLOR | TD_CLIENT_CHECKED, color);
}

void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value)
{
    if (ctx.active)
        td_client_zone_word(ctx.id, TD_CLIENT_ZONE_VALUE | TD_CLIENT_CHECKED, value);
}

uint64_t ___tracy_alloc_srcloc(uint32_t line, const char *source, size_t sourceSz, const char *function,
                               size_t functionSz, uint32_t color)
{
    return ___tracy_alloc_srcloc_name(line, source, sourceSz, function, functionSz, NULL, 0, color);
}

static char *append_bytes(char *at, const char *text, size_t bytes)
{
    if (bytes)
        memcpy(at, text, bytes);
    return at + bytes;
}

static size_t cut_to_room(size_t bytes, size_t *room)
{
    if (bytes > *room)
        bytes = *room;
    *room -= bytes;
    return bytes;
}

/* The payload as it goes on the wire: colour, line, function NUL file NUL name. */
uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char *source, size_t sourceSz, const char *function,
                                    size_t functionSz, const char *name, size_t nameSz, uint32_t color)
{
    const size_t fixed = 4 + 4 + 1 + 1, most = TD_WIRE_TEXT_MAX - 2;
    size_t room = most - fixed;
    functionSz = cut_to_room(functionSz, &room);
    sourceSz = cut_to_room(sourceSz, &room);
    nameSz = cut_to_room(nameSz, &room);
    size_t bytes = most - room;
    struct td_srcloc_block *block = td_pool_alloc(sizeof *block + bytes);
    if (!block)
        return 0;
    block->bytes = (uint32_t)bytes;
    char *at = append_bytes(block->data, (const char *)&color, 4);
    at = append_bytes(at, (const char *)&line, 4);
    at = append_bytes(at, function, functionSz);
    *at++ = 0;
    at = append_bytes(at, source, sourceSz);
    *at++ = 0;
    append_bytes(at, name, nameSz);
    return (uintptr_t)block;
}
