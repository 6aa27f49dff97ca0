#include "host/tt/stream_ring.h"

#include <string.h>

enum { MOST_PACKET = 130, ENOUGH_PACKETS = 3 };

static const struct {
    uint8_t words;
} packets[32] = {
#define TD_X(name, kind, words) [kind] = {words},
    TD_TT_RING_PACKETS(TD_X)
#undef TD_X
};

static uint32_t kind_of(uint32_t word)
{
    return word >> TD_TT_RING_VALUE_BITS;
}

static uint32_t value_of(uint32_t word)
{
    return word & ((1u << TD_TT_RING_VALUE_BITS) - 1);
}

/* 0: no packet begins with this word. `third`: the word two further on. */
static uint32_t words_of(uint32_t word, uint32_t third)
{
    const uint32_t kind = kind_of(word), words = packets[kind].words;
    return kind == TD_TT_RING_DATA ? words + (third >> TD_TT_RING_COUNT_BIT) : words;
}

/* ---- search ---- */

static uint32_t ring_word(const uint32_t *ring, uint32_t number)
{
    return ring[number % TD_TT_RING_WORDS];
}

/* Number of packets from one count to another; 0: they are none. */
static uint32_t packets_between(const uint32_t *ring, uint32_t from, uint32_t to)
{
    uint32_t found = 0;
    while (from != to) {
        const uint32_t words = words_of(ring_word(ring, from), ring_word(ring, from + 2));
        if (!words || words > to - from)
            return 0;
        from += words;
        found++;
    }
    return found;
}

/* Packets that end at the tail: those that the relay has not taken, or those before. */
static uint32_t newest_packets(const uint32_t *ring, uint32_t head, uint32_t tail)
{
    if (head != tail && tail - head <= TD_TT_RING_WORDS)
        return packets_between(ring, head, tail);
    const uint32_t written = tail < TD_TT_RING_WORDS ? tail : TD_TT_RING_WORDS;
    for (uint32_t i = 0; i < MOST_PACKET && i < written; i++) {
        const uint32_t found = packets_between(ring, tail - written + i, tail);
        if (found || written < TD_TT_RING_WORDS)
            return found;
    }
    return 0;
}

static bool are_rings(const uint32_t *c)
{
    uint32_t found = 0;
    for (uint32_t core = TD_TT_L1_CORES; core < 16; core++)
        if (c[TD_TT_RING_HEAD + core])
            return false; /* no tile has so many cores */
    if (c[TD_TT_RING_ARMED] > 1)
        return false;
    for (uint32_t core = 0; core < TD_TT_L1_CORES; core++) {
        const uint32_t tail = c[TD_TT_RING_TAIL + core];
        const uint32_t *ring = c + TD_TT_RING_CONTROL_WORDS + (size_t)core * TD_TT_RING_WORDS;
        const uint32_t one = tail ? newest_packets(ring, c[TD_TT_RING_HEAD + core], tail) : 0;
        if ((tail && !one) || (!tail && c[TD_TT_RING_HEAD + core]))
            return false;
        found += one;
    }
    return found >= ENOUGH_PACKETS;
}

uint32_t td_tt_ring_find(const uint32_t *memory, size_t words, uint32_t from)
{
    const size_t all = TD_TT_RING_CONTROL_WORDS + TD_TT_L1_CORES * TD_TT_RING_WORDS;
    for (size_t at = 0; at + all <= words; at++)
        if ((memory[at + TD_TT_RING_TAIL] || memory[at + TD_TT_RING_TAIL + 1]) && are_rings(memory + at))
            return from + 4 * (uint32_t)at;
    return 0;
}

/* ---- packets ---- */

/* The clock with this low half that is the nearest to now. */
static uint64_t nearest(uint64_t now, uint32_t low)
{
    const uint64_t range = UINT64_C(1) << 32;
    const uint64_t t = (now & ~(range - 1)) | low;
    if (t > now && t - now > range / 2 && t >= range)
        return t - range;
    return now > t && now - t > range / 2 ? t + range : t;
}

static uint64_t time_of(const struct td_tt_ring_state *s, uint32_t low, uint64_t now)
{
    return s->has_high ? (uint64_t)s->high << 32 | low : nearest(now, low);
}

static void make_zone(struct td_tt_ring_item *item, uint64_t end, uint64_t ticks)
{
    item->kind = TD_TT_RING_IS_ZONE;
    item->end = end;
    item->begin = ticks < end ? end - ticks : 0;
}

static void move_cursor(struct td_tt_ring_state *s, uint64_t to)
{
    s->cursor = to;
    s->has_cursor = true;
}

/* False: the packet is for the state only. */
static bool read_packet(struct td_tt_ring_state *s, const uint32_t *w, uint32_t words, uint64_t now,
                        struct td_tt_ring_item *item)
{
    item->id = value_of(w[0]);
    switch (kind_of(w[0])) {
    case TD_TT_RING_ZONE:
        make_zone(item, time_of(s, w[1], now), w[2]);
        move_cursor(s, item->end);
        return true;
    case TD_TT_RING_ZONE_S:
        item->kind = TD_TT_RING_IS_LOST;
        if (s->has_cursor) {
            make_zone(item, s->cursor + (w[1] >> 16), w[1] & 0xffff);
            move_cursor(s, item->end);
        }
        return true;
    case TD_TT_RING_ZONE_L:
        make_zone(item, (uint64_t)w[2] << 32 | w[1], (uint64_t)w[4] << 32 | w[3]);
        return true;
    case TD_TT_RING_HOST_ID:
    case TD_TT_RING_HOST_ID_L:
        item->kind = TD_TT_RING_IS_LAUNCH;
        s->op = words == 2 ? w[1] : item->id;
        return true;
    case TD_TT_RING_CLOCK_HIGH:
        s->high = item->id;
        s->has_high = true;
        return false;
    case TD_TT_RING_DATA:
        item->kind = TD_TT_RING_IS_DATA;
        item->data = w + 3;
        item->count = words - 3;
        break;
    case TD_TT_RING_EVENT:
        item->kind = TD_TT_RING_IS_EVENT;
        break;
    default:
        return false;
    }
    item->begin = item->end = time_of(s, w[1], now);
    return true;
}

bool td_tt_ring_next(struct td_tt_ring_state *s, const uint32_t *words, size_t count, size_t *at,
                     uint64_t now, struct td_tt_ring_item *item)
{
    memset(item, 0, sizeof *item);
    while (*at < count) {
        const size_t left = count - *at;
        const uint32_t *w = words + *at, one = words_of(w[0], left > 2 ? w[2] : 0);
        if (!one || one > left) {
            item->kind = TD_TT_RING_IS_ODD;
            item->count = (uint32_t)left;
            *at = count;
            *s = (struct td_tt_ring_state){.op = s->op};
            return true;
        }
        *at += one;
        if (read_packet(s, w, one, now, item))
            return true;
    }
    return false;
}
