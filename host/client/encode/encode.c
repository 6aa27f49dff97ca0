/* Turns records into items of the protocol. The protocol prescribes their order: a text directly before
 * the item that takes it, a ThreadContext before the first item of another thread. */
#include "host/client/encode/announced.h"
#include "host/base/err.h"
#include "host/client/encode/code_named.h"
#include "host/client/encode/encoder.h"
#include "host/client/encode/wire_keys.h"
#include "host/client/encode/zone_tracks.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/frame_image.h"
#include "host/client/queue/record.h"
#include "host/client/queue/srcloc_block.h"
#include "host/client/symbols/unloaded.h"
#include "host/wire/items.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <string.h>

int td_encoder_init(struct td_encoder *encoder, const struct td_wire_release *release)
{
    static uint32_t sessions;
    *encoder = (struct td_encoder){.release = release,
                                   .packer = td_packer_create(),
                                   .announced = td_announced_create(),
                                   .session = ++sessions,
                                   .tracks.first_block = td_queue_newest_block(),
                                   .since = INT64_MIN};
    if (encoder->packer && encoder->announced)
        return 0;
    td_encoder_finish(encoder);
    return TD_E_NOMEM;
}

void td_encoder_finish(struct td_encoder *encoder)
{
    td_packer_destroy(encoder->packer);
    td_announced_destroy(encoder->announced);
    td_zone_tracks_destroy(encoder);
    td_gpu_destroy(encoder->gpu);
    td_wire_keys_destroy(encoder->keys);
    td_pool_free(encoder->transfer.name);
    td_pool_free(encoder->ahead.aside);
    encoder->before_frame = NULL;
    encoder->ahead = (struct td_ahead){0};
    encoder->transfer.name = NULL;
    encoder->packer = NULL;
    encoder->announced = NULL;
    encoder->gpu = NULL;
    encoder->keys = NULL;
}

static int64_t thread_delta(struct td_encoder *encoder, int64_t time)
{
    int64_t delta = (int64_t)((uint64_t)time - (uint64_t)encoder->thread_time);
    encoder->thread_time = time;
    return delta;
}

static uint8_t *put_payload(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    uint64_t address = rec->word[1];
    const struct td_srcloc_block *block = (const void *)(uintptr_t)address;
    const char *data = block->data;
    uint16_t count = (uint16_t)block->bytes;
    if (rec->kind == TD_REC_ZONE_BEGIN_SCRIPT) {
        memcpy(&count, data, 2);
        data += 2;
    }
    struct td_wire_SourceLocationPayload payload = {address};
    p = td_wire_put_SourceLocationPayload(p, encoder->release, &payload);
    memcpy(p, &count, 2);
    memcpy(p + 2, data, count);
    return p + 2 + count;
}

/* A script's call stack, which comes before that of the program. */
static uint8_t *put_script(struct td_encoder *encoder, uint8_t *p, uint64_t address)
{
    const struct td_srcloc_block *block = (const void *)(uintptr_t)address;
    const char *data = block->data;
    uint16_t count;
    memcpy(&count, data, 2);
    data += 2 + count;
    memcpy(&count, data, 2);
    p = td_wire_put_CallstackAllocPayload(p, encoder->release,
                                          &(struct td_wire_CallstackAllocPayload){address});
    memcpy(p, data, 2 + (size_t)count);
    return td_wire_put_CallstackAlloc(p + 2 + count, encoder->release, NULL);
}

static uint8_t *put_begin(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    int64_t time = thread_delta(encoder, rec->time);
    if (rec->kind != TD_REC_ZONE_BEGIN) {
        p = put_payload(encoder, p, rec);
        if (rec->frames || rec->kind == TD_REC_ZONE_BEGIN_SCRIPT)
            return td_wire_put_ZoneBeginAllocSrcLocCallstack(
                p, release, &(struct td_wire_ZoneBeginAllocSrcLocCallstack){time});
        return td_wire_put_ZoneBeginAllocSrcLoc(p, release, &(struct td_wire_ZoneBeginAllocSrcLoc){time});
    }
    td_announced_add(encoder->announced, TD_ANNOUNCED_SRCLOC, rec->word[1]);
    if (rec->frames)
        return td_wire_put_short_ZoneBeginCallstack(p, release,
                                                    &(struct td_wire_ZoneBeginCallstack){time, rec->word[1]});
    return td_wire_put_short_ZoneBegin(p, release, &(struct td_wire_ZoneBegin){time, rec->word[1]});
}

/* What a record of a zone other than a begin does. False: it is another record. */
static bool read_act(const struct td_thread_queue *queue, const struct td_rec *rec, struct td_zone_act *act)
{
    const uint64_t *word = rec->word;
    uint64_t about = 0; /* the zone, checked at bit 32, twin at 33 */
    *act = (struct td_zone_act){.kind = rec->kind, .time = rec->time, .thread = queue->thread};
    switch (rec->kind) {
    case TD_REC_ZONE_END:
        about = queue->last_zone;
        break;
    case TD_REC_ZONE_VALUE:
    case TD_REC_ZONE_COLOR:
        act->value = word[1];
        about = queue->last_zone;
        break;
    case TD_REC_ZONE_END_OF:
        act->kind = TD_REC_ZONE_END;
        about = word[1];
        break;
    case TD_REC_ZONE_VALUE_OF:
        act->kind = TD_REC_ZONE_VALUE;
        act->value = word[1];
        about = word[2];
        break;
    case TD_REC_ZONE_COLOR_OF:
        act->kind = TD_REC_ZONE_COLOR;
        act->value = word[1] >> 32 & 0xffffff;
        about = (uint32_t)word[1] | word[1] >> 56 << 32;
        break;
    case TD_REC_ZONE_TEXT:
    case TD_REC_ZONE_NAME:
        act->text = rec->text;
        act->bytes = rec->bytes;
        about = word[1] >> 32 | (word[1] >> 16 & 3) << 32;
        break;
    default:
        return 0;
    }
    act->zone = (uint32_t)about;
    act->checked = about >> 32 & 1;
    act->twin = about >> 33 & 1;
    return 1;
}

#define TEXT_KEY ((UINT64_C(1) << 56) - 1) /* a message has room for 56 bits of an address */

/* One of eight items: a literal or not, with a colour or not, with a call stack or not. */
static uint8_t *put_message(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    int literal = rec->kind == TD_REC_MESSAGE_LITERAL, stack = rec->frames != 0;
    uint64_t about = rec->word[literal ? 2 : 1], text = literal ? rec->word[1] & TEXT_KEY : 0;
    uint8_t metadata = TD_WIRE_METADATA(TD_WIRE_SOURCE_USER, about >> 16 & 0xff);
    uint8_t b = (uint8_t)(about >> 32), g = (uint8_t)(about >> 40), r = (uint8_t)(about >> 48);
    int color = about >> 24 & 1;
    td_announced_add(encoder->announced, TD_ANNOUNCED_TEXT, text);
    if (!literal)
        p = td_encode_text(encoder, p, rec->text, rec->bytes);
#define PUT(NAME, ...) return td_wire_put_##NAME(p, release, &(struct td_wire_##NAME){rec->time, __VA_ARGS__})
    if (!literal && color && stack)
        PUT(MessageColorCallstack, b, g, r, metadata);
    if (!literal && color)
        PUT(MessageColor, b, g, r, metadata);
    if (!literal && stack)
        PUT(MessageCallstack, metadata);
    if (!literal)
        PUT(Message, metadata);
    if (color && stack)
        PUT(MessageLiteralColorCallstack, b, g, r, text, metadata);
    if (color)
        PUT(MessageLiteralColor, b, g, r, text, metadata);
    if (stack)
        PUT(MessageLiteralCallstack, text, metadata);
    PUT(MessageLiteral, text, metadata);
#undef PUT
}

static uint8_t *put_plot(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    uint64_t name = rec->word[1], value = rec->word[2];
    td_announced_add(encoder->announced, TD_ANNOUNCED_PLOT, name);
    switch (rec->kind) {
    case TD_REC_PLOT_INT: {
        struct td_wire_PlotDataInt plot = {name, thread_delta(encoder, rec->time), (int64_t)value};
        return td_wire_put_PlotDataInt(p, release, &plot);
    }
    case TD_REC_PLOT_FLOAT: {
        struct td_wire_PlotDataFloat plot = {name, thread_delta(encoder, rec->time), 0};
        memcpy(&plot.val, &value, sizeof plot.val);
        return td_wire_put_PlotDataFloat(p, release, &plot);
    }
    case TD_REC_PLOT_DOUBLE:
    case TD_REC_PLOT_AT: {
        struct td_wire_PlotDataDouble plot = {name, thread_delta(encoder, rec->time), 0};
        memcpy(&plot.val, &value, sizeof plot.val);
        return td_wire_put_PlotDataDouble(p, release, &plot);
    }
    default: {
        uint8_t format = (uint8_t)(value >> 32);
        if (format == TracyPlotFormatWatt && !td_wire_has(release, TD_ITEM_SysPowerReport))
            format = TracyPlotFormatNumber; /* 0.9 fails on formats that it does not know */
        struct td_wire_PlotConfig config = {name, format, value >> 40 & 1, value >> 48 & 1, (uint32_t)value};
        return td_wire_put_PlotConfig(p, release, &config);
    }
    }
}

static uint8_t *put_section(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    uint64_t about = rec->word[1];
    if (!td_wire_has(release, TD_ITEM_SectionEnter))
        return NULL;
    if (rec->kind == TD_REC_SECTION_LEAVE) {
        struct td_wire_SectionLeave leave = {thread_delta(encoder, rec->time), (uint32_t)about};
        return td_wire_put_SectionLeave(p, release, &leave);
    }
    p = td_encode_text(encoder, p, rec->text, rec->bytes);
    if (rec->kind == TD_REC_SECTION_SETUP)
        return td_wire_put_SectionSetup(p, release, &(struct td_wire_SectionSetup){(uint16_t)(about >> 16)});
    struct td_wire_SectionEnter enter = {thread_delta(encoder, rec->time), (uint32_t)(about >> 32),
                                         (uint16_t)(about >> 16)};
    return td_wire_put_SectionEnter(p, release, &enter);
}

static uint8_t *put_parameter(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    uint64_t about = rec->word[2];
    uint8_t type = about >> 28 & 15;
    td_announced_add(encoder->announced, TD_ANNOUNCED_TEXT, rec->word[1]);
    if (!encoder->release->parameter_types)
        type = type != 0; /* that release lacks triggers: a bool instead */
    struct td_wire_ParamSetup setup = {(uint32_t)about & 0xfffffff, rec->word[1], type,
                                       (int32_t)(about >> 32)};
    return td_wire_put_ParamSetup(p, encoder->release, &setup);
}

static uint8_t *put_fiber(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                          const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    if (rec->kind == TD_REC_FIBER_LEAVE) {
        struct td_wire_FiberLeave leave = {thread_delta(encoder, rec->time), queue->thread};
        return td_wire_put_FiberLeave(p, release, &leave);
    }
    td_announced_add(encoder->announced, TD_ANNOUNCED_FIBER, rec->word[2]);
    struct td_wire_FiberEnter enter = {thread_delta(encoder, rec->time), rec->word[2], queue->thread,
                                       (int32_t)(rec->word[1] >> 32)};
    return td_wire_put_FiberEnter(p, release, &enter);
}

static uint8_t *put_item(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                         const struct td_rec *rec)
{
    switch (rec->kind) {
    case TD_REC_MESSAGE:
    case TD_REC_MESSAGE_LITERAL:
        return put_message(encoder, p, rec);
    case TD_REC_APP_INFO:
        p = td_encode_text(encoder, p, rec->text, rec->bytes);
        return td_wire_put_MessageAppInfo(p, encoder->release, &(struct td_wire_MessageAppInfo){rec->time});
    case TD_REC_PLOT_INT:
    case TD_REC_PLOT_FLOAT:
    case TD_REC_PLOT_DOUBLE:
    case TD_REC_PLOT_AT:
    case TD_REC_PLOT_CONFIG:
        return put_plot(encoder, p, rec);
    case TD_REC_PARAMETER:
        return put_parameter(encoder, p, rec);
    case TD_REC_SECTION_ENTER:
    case TD_REC_SECTION_LEAVE:
    case TD_REC_SECTION_SETUP:
        return put_section(encoder, p, rec);
    case TD_REC_FIBER_ENTER:
    case TD_REC_FIBER_LEAVE:
        return put_fiber(encoder, p, queue, rec);
    case TD_REC_ZONE_BEGIN:
    case TD_REC_ZONE_BEGIN_ALLOC:
    case TD_REC_ZONE_BEGIN_SCRIPT:
        return put_begin(encoder, p, rec);
    default:
        return NULL;
    }
}

/* Counts open zones. False: the record would make a peer end the session, or there is no memory. */
static bool is_balanced(struct td_encoder *encoder, struct td_thread_queue *queue, const struct td_rec *rec,
                        const uint64_t *place)
{
    switch (rec->kind) {
    case TD_REC_ZONE_BEGIN:
    case TD_REC_ZONE_BEGIN_ALLOC:
    case TD_REC_ZONE_BEGIN_SCRIPT:
        if (!td_zone_track_of(encoder, queue) || !td_zone_track_begin(queue->track, place, rec->time))
            return 0;
        encoder->open_zones++;
        queue->last_zone = td_queue_zone_at(place);
        if (encoder->tracks.begun)
            encoder->tracks.begun[td_begun_at(queue->last_zone)] = queue->last_zone;
        return 1;
    case TD_REC_FIBER_LEAVE:
        return queue->fiber != 0;
    default:
        return 1;
    }
}

/* The record's call stack, if it has one, for the next item. */
static uint8_t *put_stack(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec, int ordered)
{
    const struct td_wire_release *release = encoder->release;
    struct td_wire_CallstackPayload payload = {1};
    if (rec->frames) {
        p = td_wire_put_CallstackPayload(p, release, &payload);
        uint16_t bytes = (uint16_t)(8 * rec->frames);
        memcpy(p, &bytes, 2);
        memcpy(p + 2, rec->stack, bytes);
        p += 2 + bytes;
    }
    for (uint32_t i = 0; i < rec->frames; i++)
        td_code_saw(encoder, rec->stack[i]);
    if (rec->kind == TD_REC_ZONE_BEGIN_SCRIPT)
        return put_script(encoder, p, rec->word[1]);
    if (!rec->frames)
        return p;
    return ordered ? td_wire_put_CallstackSerial(p, release, NULL) : td_wire_put_Callstack(p, release, NULL);
}

static size_t variable_bytes(const struct td_rec *rec)
{
    size_t bytes = rec->bytes + 8 * (size_t)rec->frames;
    int tail = td_record_infos[rec->kind].tail;
    if (rec->kind == TD_REC_FRAME_IMAGE) {
        const struct td_frame_image *image = (const void *)(uintptr_t)rec->word[2];
        bytes += (size_t)image->width * image->height / 2;
    } else if (tail == TD_REC_TAIL_OWNED || tail == TD_REC_TAIL_OWNED1) {
        bytes +=
            ((const struct td_srcloc_block *)(uintptr_t)rec->word[tail == TD_REC_TAIL_OWNED ? 2 : 1])->bytes;
    }
    return bytes;
}

/* Ends an item; NULL: the record has none. */
static int put_end(struct td_encoder *encoder, const uint8_t *end)
{
    if (end)
        td_encode_put(encoder, end);
    return 0;
}

int td_encode(struct td_encoder *encoder, struct td_thread_queue *queue, const struct td_rec *rec)
{
    struct td_rec keyed;
    uint64_t words[TD_WIRE_KEY_WORDS];
    const uint64_t *const place = rec->word;
    if (rec->time < encoder->since)
        return 0;
    if (atomic_load_explicit(&td_unloaded_count, memory_order_relaxed))
        rec = td_record_with_wire_key(encoder, rec, &keyed, words);
    uint8_t *p = td_encode_room(encoder, TD_ENCODE_ITEM_MAX + variable_bytes(rec));
    if (!p)
        return TD_E_GONE;
    if (queue->session != encoder->session) {
        queue->session = encoder->session;
        queue->track = NULL;
        queue->fiber = 0;
        queue->last_zone = 0;
        td_zone_tracks_first(encoder, place);
        td_announced_add(encoder->announced, TD_ANNOUNCED_THREAD, queue->thread);
    }
    if (queue->ordered)
        return put_end(encoder, td_encode_ordered(encoder, put_stack(encoder, p, rec, 1), queue, rec));
    struct td_zone_act act;
    const bool acts = read_act(queue, rec, &act);
    if (acts && act.kind == TD_REC_ZONE_END)
        queue->last_zone = 0;
    if (acts)
        return td_zone_act_encode(encoder, td_zone_track_of(encoder, queue), &act);
    if (!is_balanced(encoder, queue, rec, place)) {
        td_encode_unmatched(encoder, queue, rec);
        return 0;
    }
    if (queue->thread)
        p = td_encode_thread(encoder, p, queue->thread);
    td_encode_put(encoder, p);
    put_end(encoder, put_item(encoder, put_stack(encoder, p, rec, 0), queue, rec));
    if (rec->kind != TD_REC_FIBER_ENTER && rec->kind != TD_REC_FIBER_LEAVE)
        return 0;
    queue->last_zone = 0;
    queue->fiber = rec->kind == TD_REC_FIBER_ENTER ? rec->word[2] : 0;
    return td_zone_track_switch(encoder, queue, queue->fiber);
}
