/* Records -> items. The order of items and what may stand between them is the protocol's: a text directly
 * before the item that takes it, a ThreadContext before the first item of another thread. */
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include "host/client/client.h"
#include "host/client/include/tracy/TracyC.h"

#include <stdlib.h>

#define ITEM_MAX 64 /* more than any item without variable bytes, and a ThreadContext */

int td_encode_flush(struct td_encoder *encoder)
{
    const uint8_t *bytes;
    size_t count = td_packer_pack(encoder->packer, &bytes);
    return count && encoder->send(encoder->self, bytes, count) != 0 ? -1 : 0;
}

uint8_t *td_encode_room(struct td_encoder *encoder, size_t bytes)
{
    if (td_packer_room(encoder->packer) < bytes && td_encode_flush(encoder) != 0)
        return NULL;
    return td_packer_at(encoder->packer);
}

void td_encode_put(struct td_encoder *encoder, const uint8_t *end)
{
    td_packer_add(encoder->packer, (size_t)(end - td_packer_at(encoder->packer)));
}

static int64_t thread_delta(struct td_encoder *encoder, int64_t time)
{
    int64_t delta = (int64_t)((uint64_t)time - (uint64_t)encoder->thread_time);
    encoder->thread_time = time;
    return delta;
}

#define USER_INFO TD_WIRE_METADATA(TD_WIRE_SOURCE_USER, TD_WIRE_SEVERITY_INFO)

/* The text that the next item takes. */
static uint8_t *put_text(struct td_encoder *encoder, uint8_t *p, const void *text, uint32_t bytes)
{
    p = td_wire_put_string_head(p, encoder->release, TD_ITEM_SingleStringData, bytes);
    memcpy(p, text, bytes);
    return p + bytes;
}

static uint8_t *put_zone(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    switch (rec->kind) {
    case TD_ITEM_ZoneBegin:
        td_known_add(encoder->known, TD_KNOWN_SRCLOC, rec->a);
        return td_wire_put_short_ZoneBegin(
            p, release, &(struct td_wire_ZoneBegin){thread_delta(encoder, rec->time), rec->a});
    case TD_ITEM_ZoneBeginAllocSrcLoc: {
        const struct td_srcloc_block *block = (const void *)(uintptr_t)rec->a;
        uint16_t count = (uint16_t)block->bytes;
        p = td_wire_put_SourceLocationPayload(p, release, &(struct td_wire_SourceLocationPayload){rec->a});
        memcpy(p, &count, 2);
        memcpy(p + 2, block->data, count);
        return td_wire_put_ZoneBeginAllocSrcLoc(
            p + 2 + count, release, &(struct td_wire_ZoneBeginAllocSrcLoc){thread_delta(encoder, rec->time)});
    }
    case TD_ITEM_ZoneEnd:
        return td_wire_put_short_ZoneEnd(p, release,
                                         &(struct td_wire_ZoneEnd){thread_delta(encoder, rec->time)});
    case TD_ITEM_ZoneText:
        p = put_text(encoder, p, td_rec_text(rec), rec->bytes);
        return td_wire_put_ZoneText(p, release, NULL);
    case TD_ITEM_ZoneName:
        p = put_text(encoder, p, td_rec_text(rec), rec->bytes);
        return td_wire_put_ZoneName(p, release, NULL);
    case TD_ITEM_ZoneColor: {
        struct td_wire_ZoneColor color = {(uint8_t)rec->a, (uint8_t)(rec->a >> 8), (uint8_t)(rec->a >> 16)};
        return td_wire_put_ZoneColor(p, release, &color);
    }
    case TD_ITEM_ZoneValue:
        return td_wire_put_ZoneValue(p, release, &(struct td_wire_ZoneValue){rec->a});
    default:
        return NULL;
    }
}

static uint8_t *put_message(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    switch (rec->kind) {
    case TD_ITEM_Message:
        p = put_text(encoder, p, td_rec_text(rec), rec->bytes);
        return td_wire_put_Message(p, release, &(struct td_wire_Message){rec->time, USER_INFO});
    case TD_ITEM_MessageColor: {
        struct td_wire_MessageColor message = {rec->time, (uint8_t)rec->a, (uint8_t)(rec->a >> 8),
                                               (uint8_t)(rec->a >> 16), USER_INFO};
        p = put_text(encoder, p, td_rec_text(rec), rec->bytes);
        return td_wire_put_MessageColor(p, release, &message);
    }
    case TD_ITEM_MessageLiteral:
        td_known_add(encoder->known, TD_KNOWN_TEXT, rec->a);
        return td_wire_put_MessageLiteral(p, release,
                                          &(struct td_wire_MessageLiteral){rec->time, rec->a, USER_INFO});
    case TD_ITEM_MessageLiteralColor: {
        struct td_wire_MessageLiteralColor message = {
            rec->time, (uint8_t)rec->b.u, (uint8_t)(rec->b.u >> 8), (uint8_t)(rec->b.u >> 16),
            rec->a,    USER_INFO};
        td_known_add(encoder->known, TD_KNOWN_TEXT, rec->a);
        return td_wire_put_MessageLiteralColor(p, release, &message);
    }
    case TD_ITEM_MessageAppInfo:
        p = put_text(encoder, p, td_rec_text(rec), rec->bytes);
        return td_wire_put_MessageAppInfo(p, release, &(struct td_wire_MessageAppInfo){rec->time});
    case TD_ITEM_CrashReport:
        td_known_add(encoder->known, TD_KNOWN_TEXT, rec->a);
        return td_wire_put_CrashReport(p, release, &(struct td_wire_CrashReport){rec->time, rec->a});
    case TD_ITEM_Crash:
        return td_wire_put_Crash(p, release, NULL);
    default:
        return NULL;
    }
}

static uint8_t *put_frame_or_plot(struct td_encoder *encoder, uint8_t *p, const struct td_rec *rec)
{
    const struct td_wire_release *release = encoder->release;
    if (rec->a)
        td_known_add(encoder->known, TD_KNOWN_TEXT, rec->a);
    switch (rec->kind) {
    case TD_ITEM_FrameMarkMsg:
        return td_wire_put_FrameMarkMsg(p, release, &(struct td_wire_FrameMarkMsg){rec->time, rec->a});
    case TD_ITEM_FrameMarkMsgStart:
        return td_wire_put_FrameMarkMsgStart(p, release,
                                             &(struct td_wire_FrameMarkMsgStart){rec->time, rec->a});
    case TD_ITEM_FrameMarkMsgEnd:
        return td_wire_put_FrameMarkMsgEnd(p, release, &(struct td_wire_FrameMarkMsgEnd){rec->time, rec->a});
    case TD_ITEM_PlotDataInt: {
        struct td_wire_PlotDataInt plot = {rec->a, thread_delta(encoder, rec->time), rec->b.i};
        return td_wire_put_PlotDataInt(p, release, &plot);
    }
    case TD_ITEM_PlotDataFloat: {
        struct td_wire_PlotDataFloat plot = {rec->a, thread_delta(encoder, rec->time), (float)rec->b.f};
        return td_wire_put_PlotDataFloat(p, release, &plot);
    }
    case TD_ITEM_PlotDataDouble: {
        struct td_wire_PlotDataDouble plot = {rec->a, thread_delta(encoder, rec->time), rec->b.f};
        return td_wire_put_PlotDataDouble(p, release, &plot);
    }
    case TD_ITEM_PlotConfig: {
        struct td_wire_PlotConfig config = {rec->a, (uint8_t)rec->bytes, rec->bytes >> 8 & 1,
                                            rec->bytes >> 9 & 1, (uint32_t)rec->b.u};
        return td_wire_put_PlotConfig(p, release, &config);
    }
    default:
        return NULL;
    }
}

/* 0 for what would make a peer give up: an end, a text and so on outside of every zone (begun before a record
 * was lost, or ended twice by the program). */
static int sound(struct td_encoder *encoder, struct td_lane *lane, const struct td_rec *rec)
{
    switch (rec->kind) {
    case TD_ITEM_ZoneBegin:
    case TD_ITEM_ZoneBeginAllocSrcLoc:
        lane->depth++;
        encoder->open_zones++;
        return 1;
    case TD_ITEM_ZoneEnd:
        if (!lane->depth)
            return 0;
        lane->depth--;
        encoder->open_zones--;
        return 1;
    case TD_ITEM_ZoneText:
    case TD_ITEM_ZoneName:
    case TD_ITEM_ZoneColor:
    case TD_ITEM_ZoneValue:
        return lane->depth > 0;
    default:
        return 1;
    }
}

static int encode(struct td_encoder *encoder, struct td_lane *lane, const struct td_rec *rec)
{
    size_t variable = td_rec_has_text(rec) ? rec->bytes : 0;
    if (rec->kind == TD_ITEM_ZoneBeginAllocSrcLoc)
        variable = ((const struct td_srcloc_block *)(uintptr_t)rec->a)->bytes;
    uint8_t *p = td_encode_room(encoder, ITEM_MAX + variable);
    if (!p)
        return -1;
    if (!sound(encoder, lane, rec))
        return 0;
    if (lane->thread && lane->thread != encoder->thread) {
        p = td_wire_put_ThreadContext(p, encoder->release, &(struct td_wire_ThreadContext){lane->thread});
        encoder->thread = lane->thread;
        encoder->thread_time = 0;
    }
    uint8_t *end = put_zone(encoder, p, rec);
    if (!end)
        end = put_frame_or_plot(encoder, p, rec);
    if (!end)
        end = put_message(encoder, p, rec);
    if (end)
        td_encode_put(encoder, end);
    return 0;
}

int td_encode_lane(struct td_encoder *encoder, struct td_lane *lane, unsigned most)
{
    unsigned taken = 0;
    const struct td_rec *rec;
    while (taken < most && (rec = td_lane_peek(lane))) {
        if (encode(encoder, lane, rec) != 0)
            return -1;
        td_lane_take(lane, rec);
        taken++;
    }
    return (int)taken;
}

/* Addresses told to the peer: an open hash table; the lowest bits hold the kind. */
struct td_known {
    size_t room, count;
    uint64_t last; /* found or added last: zones repeat */
    uint64_t *keys;
};

static uint64_t known_key(enum td_known_kind kind, uint64_t ptr)
{
    return ptr << 1 | (kind == TD_KNOWN_SRCLOC);
}

static size_t known_slot(const struct td_known *known, uint64_t key)
{
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (known->room - 1);
    while (known->keys[i] && known->keys[i] != key)
        i = (i + 1) & (known->room - 1);
    return i;
}

struct td_known *td_known_create(void)
{
    struct td_known *known = calloc(1, sizeof *known);
    if (!known)
        return NULL;
    known->room = 256;
    known->keys = calloc(known->room, sizeof *known->keys);
    if (!known->keys) {
        free(known);
        return NULL;
    }
    return known;
}

void td_known_destroy(struct td_known *known)
{
    if (known)
        free(known->keys);
    free(known);
}

static int known_grow(struct td_known *known)
{
    struct td_known bigger = {.room = known->room * 2};
    bigger.keys = calloc(bigger.room, sizeof *bigger.keys);
    if (!bigger.keys)
        return 0;
    for (size_t i = 0; i < known->room; i++)
        if (known->keys[i])
            bigger.keys[known_slot(&bigger, known->keys[i])] = known->keys[i];
    bigger.count = known->count;
    bigger.last = known->last;
    free(known->keys);
    *known = bigger;
    return 1;
}

void td_known_add(struct td_known *known, enum td_known_kind kind, uint64_t ptr)
{
    uint64_t key = known_key(kind, ptr);
    if (!ptr || key == known->last)
        return;
    size_t slot = known_slot(known, key);
    if (!known->keys[slot]) {
        if (known->count * 2 >= known->room) {
            if (!known_grow(known))
                return;
            slot = known_slot(known, key);
        }
        known->keys[slot] = key;
        known->count++;
    }
    known->last = key;
}

int td_known_has(const struct td_known *known, enum td_known_kind kind, uint64_t ptr)
{
    return ptr && known->keys[known_slot(known, known_key(kind, ptr))] != 0;
}
