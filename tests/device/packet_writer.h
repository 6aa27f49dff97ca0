/* The tests' own encoder. All but put_record() is written from the layout's description, without the table that
 * the decoder is made from. */
#pragma once
#include "host/device/drain/packet_decoder.h"
#include "proto/device/packet.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct packet_writer {
    uint32_t *words;
    size_t slots, room;
};

static inline void put_slot(struct packet_writer *w, uint32_t w0, uint32_t w1)
{
    if (w->slots < w->room) {
        w->words[2 * w->slots] = w0;
        w->words[2 * w->slots + 1] = w1;
        w->slots++;
    }
}

static inline void put_head(struct packet_writer *w, uint32_t type, uint32_t id, uint32_t w1)
{
    put_slot(w, 0xfc000000u | type << 20 | id, w1);
}

static inline void put_cont(struct packet_writer *w, uint32_t left, uint64_t v48)
{
    put_slot(w, 0xfe000000u | left << 16 | (uint32_t)(v48 >> 32 & 0xffff), (uint32_t)v48);
}

static inline void put_zone(struct packet_writer *w, uint32_t id, uint32_t duration, uint32_t end)
{
    put_slot(w, 0x80000000u | id << 16 | duration, end);
}

static inline void put_args(struct packet_writer *w, uint32_t type, uint32_t id, uint32_t time,
                            const uint32_t *args, uint32_t n)
{
    uint32_t conts = n / 3 * 2 + n % 3;
    put_head(w, type, id, time);
    for (; n >= 3; n -= 3, args += 3) {
        put_cont(w, --conts, args[0] | (uint64_t)(args[2] & 0xffff) << 32);
        put_cont(w, --conts, args[1] | (uint64_t)(args[2] >> 16) << 32);
    }
    for (; n; n--, args++)
        put_cont(w, --conts, *args);
}

static inline void put_text(struct packet_writer *w, uint32_t time, const char *text)
{
    size_t length = strlen(text);
    uint32_t conts = (uint32_t)((length + 5) / 6);
    put_head(w, TD_PACKET_TEXT, 0, time);
    for (size_t at = 0; conts; at += 6) {
        uint64_t v = 0;
        memcpy(&v, text + at, length - at < 6 ? length - at : 6);
        put_cont(w, --conts, v);
    }
}

static inline uint64_t field_bits(const struct td_packet_record *r, enum td_slot_field field)
{
    switch (field) {
#define TD_X(name, member, bits, shift)                                                                      \
    case TD_FIELD_##name:                                                                                    \
        return r->member >> (shift) & ((UINT64_C(1) << (bits)) - 1);
        TD_SLOT_FIELDS(TD_X)
#undef TD_X
    default:
        return 0;
    }
}

/* Writes a record as its row of TD_PACKETS says; but for ARGS and TEXT, which put_args() and put_text() write. */
static inline void put_record(struct packet_writer *w, const struct td_packet_record *r)
{
    static const struct {
        enum td_second_word second;
        enum td_slot_field fields[3];
    } layouts[] = {
#define TD_X(type, name, counts, id, second, s1, s2, s3, what)                                               \
    [type] = {TD_SECOND_##second, {TD_FIELD_##s1, TD_FIELD_##s2, TD_FIELD_##s3}},
        TD_PACKETS(TD_X)
#undef TD_X
    };
    const enum td_slot_field *fields = layouts[r->type].fields;
    uint32_t conts = 0;
    while (conts < 3 && fields[conts] != TD_FIELD_NONE)
        conts++;
    put_head(w, r->type, r->id,
             (uint32_t)(layouts[r->type].second == TD_SECOND_VALUE ? r->value : r->end_ticks));
    for (uint32_t i = 0; i < conts; i++)
        put_cont(w, conts - 1 - i, field_bits(r, fields[i]));
}
