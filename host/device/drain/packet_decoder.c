#include "host/device/drain/packet_decoder.h"

#include <stdbool.h>
#include <string.h>

#define MAX_CONTS     511
#define MAX_ARG_SLOTS TD_ARG_SLOTS(TD_MAX_ARGS)
#define MAX_FIELDS    3

/* A row of TD_PACKETS. */
struct packet_layout {
    uint8_t second;             /* enum td_second_word */
    uint8_t fields[MAX_FIELDS]; /* enum td_slot_field of the continuation slots */
    uint8_t conts;              /* their number, where it does not vary */
};

static const struct packet_layout layouts[TD_PACKET_COUNT] = {
#define TD_X(type, name, counts, id, second, s1, s2, s3, what)                                               \
    [type] = {                                                                                               \
        TD_SECOND_##second, {TD_FIELD_##s1, TD_FIELD_##s2, TD_FIELD_##s3}, TD_PACKET_WORDS_##name / 2 - 1},
    TD_PACKETS(TD_X)
#undef TD_X
};

static bool is_cont(uint32_t w0)
{
    return (w0 & TD_TAG_MASK) == TD_TAG_CONT;
}

static uint32_t conts_left(uint32_t w0)
{
    return w0 >> TD_CONT_LEFT_SHIFT & TD_CONT_LEFT_MASK;
}

static uint64_t v48(const uint32_t *slot)
{
    return (uint64_t)(slot[0] & TD_CONT_LOW_MASK) << 32 | slot[1];
}

/* Slots of the packet that begins at `w`, where `have` slots are available. > 0: the packet is complete; 0:
 * it is longer; -n: the first n slots are no packet. `ends`: nothing follows the slots given. */
static int packet_slots(const uint32_t *w, size_t have, int ends)
{
    uint32_t type = w[0] >> TD_HEAD_TYPE_SHIFT & TD_HEAD_TYPE_MASK;
    if (type >= TD_PACKET_COUNT)
        return -1;
    const int has_args = layouts[type].fields[0] == TD_FIELD_ARGS;
    int conts = layouts[type].conts;
    if (has_args || layouts[type].fields[0] == TD_FIELD_TEXT) {
        if (have < 2 && !(ends && has_args))
            return 0;
        if (have >= 2 && is_cont(w[2]))
            conts = (int)conts_left(w[2]) + 1;
        else if (has_args)
            conts = 0;
        else
            return -1;
        if (conts > (has_args ? MAX_ARG_SLOTS : MAX_CONTS))
            return -1;
    }
    for (int k = 1; k <= conts; k++) {
        if ((size_t)k >= have)
            return 0;
        if (!is_cont(w[2 * k]) || conts_left(w[2 * k]) != (uint32_t)(conts - k))
            return -k;
    }
    return conts + 1;
}

static uint32_t decode_args(const uint32_t *slot, uint32_t conts, uint32_t *args)
{
    uint32_t n = 0;
    for (; conts >= 2; conts -= 2, slot += 4) {
        args[n++] = slot[1];
        args[n++] = slot[3];
        args[n++] = (slot[0] & TD_CONT_LOW_MASK) | (slot[2] & TD_CONT_LOW_MASK) << 16;
    }
    if (conts)
        args[n++] = slot[1];
    return n;
}

static uint32_t decode_text(const uint32_t *slot, uint32_t conts, unsigned char *text)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < conts; i++, slot += 2) {
        for (int shift = 0; shift < 32; shift += 8)
            text[n++] = (unsigned char)(slot[1] >> shift);
        text[n++] = (unsigned char)slot[0];
        text[n++] = (unsigned char)(slot[0] >> 8);
    }
    while (n && text[n - 1] == 0)
        n--;
    return n;
}

static void set_field(struct td_packet_record *r, enum td_slot_field field, uint64_t bits48)
{
    switch (field) {
#define TD_X(name, member, bits, shift)                                                                      \
    case TD_FIELD_##name:                                                                                    \
        r->member |= (bits48 & ((UINT64_C(1) << (bits)) - 1)) << (shift);                                    \
        break;
        TD_SLOT_FIELDS(TD_X)
#undef TD_X
    default:
        break;
    }
}

/* Gives one whole packet, which is not a short zone, to the callback. */
static int take_packet(struct td_packet_decoder *u, const uint32_t *w, uint32_t slots,
                       const struct td_packet_sink *to)
{
    union {
        uint32_t args[MAX_ARG_SLOTS * 3 / 2 + 2];
        uint32_t text[(MAX_CONTS * 6 + 3) / 4];
    } buffer;
    struct td_packet_record r = {.type = w[0] >> TD_HEAD_TYPE_SHIFT & TD_HEAD_TYPE_MASK,
                                 .id = w[0] & TD_HEAD_ID_MASK};
    const struct packet_layout *layout = &layouts[r.type];
    const uint32_t *conts = w + 2;
    u->stats.packets++;
    switch ((enum td_second_word)layout->second) {
    case TD_SECOND_NONE:
        return 0;
    case TD_SECOND_HIGH:
        td_packet_decoder_set_time(u, w[1]);
        return 0;
    case TD_SECOND_VALUE:
        r.value = w[1];
        break;
    case TD_SECOND_TIME:
    case TD_SECOND_END:
        if (!u->have_time) {
            u->stats.untimed++;
            return 0;
        }
        r.end_ticks = (uint64_t)u->time_high << 32 | w[1];
    }
    u->stats.zones += r.type == TD_PACKET_ZONE;
    if (layout->fields[0] == TD_FIELD_TEXT) {
        r.arg_count = decode_text(conts, slots - 1, (unsigned char *)buffer.text);
        r.args = buffer.text;
    } else if (layout->fields[0] == TD_FIELD_ARGS) {
        r.arg_count = decode_args(conts, slots - 1, buffer.args);
        r.args = buffer.args;
    } else {
        for (uint32_t i = 0; i < layout->conts; i++)
            set_field(&r, (enum td_slot_field)layout->fields[i], v48(conts + 2 * i));
    }
    return to->record(to->self, &r);
}

/* Gives a run to the callback as records; returns how many. */
static size_t record_each(const struct td_zone_columns *z, const struct td_packet_sink *to, int *rc)
{
    struct td_packet_record r = {.type = TD_PACKET_ZONE};
    size_t i = 0;
    while (i < z->count && *rc == 0) {
        r.id = z->id[i];
        r.duration_ticks = z->duration[i];
        r.end_ticks = z->high_ticks | z->end[i];
        i++;
        *rc = to->record(to->self, &r);
    }
    return i;
}

/* Short zones from words[*at] on, as many as follow each other. */
static int take_zones(struct td_packet_decoder *u, const uint32_t *words, size_t slots, size_t *at,
                      const struct td_packet_sink *to)
{
    struct td_zone_room room;
    struct td_zone_columns z = {(uint64_t)u->time_high << 32, 0, room.end, room.id, room.duration};
    size_t i = *at, first = i;
    int rc = 0;
    while (rc == 0 && i < slots && (z.count = u->decode_zones(words + 2 * i, slots - i, &room))) {
        if (to->zones) {
            i += z.count;
            rc = to->zones(to->self, &z);
        } else {
            i += record_each(&z, to, &rc);
        }
    }
    *at = i;
    u->stats.packets += i - first;
    u->stats.zones += i - first;
    return rc;
}

static void count_bad(struct td_packet_decoder *u, uint64_t slots)
{
    u->stats.bad_slots += slots;
    u->stats.bad_runs += !u->in_bad;
    u->in_bad = 1;
}

/* The slot at `w` begins no short zone: takes the packet there, or skips what is none. *used = slots; 0: it
 * needs more than the `have` slots given. */
static int take_other(struct td_packet_decoder *u, const uint32_t *w, size_t have, int ends, size_t *used,
                      const struct td_packet_sink *to)
{
    *used = 1;
    if ((w[0] & TD_TAG_MASK) == TD_TAG_HEAD) {
        int n = packet_slots(w, have, ends);
        *used = (size_t)(n < 0 ? -n : n);
        if (n < 0)
            count_bad(u, *used);
        if (n <= 0)
            return 0;
        u->in_bad = 0;
        u->after_gap = 0;
        return take_packet(u, w, (uint32_t)n, to);
    }
    if (u->after_gap && is_cont(w[0]))
        u->stats.cut_slots++;
    else
        count_bad(u, 1);
    return 0;
}

/* Decodes until the end or a packet that is not complete; *at = slots used. */
static int decode(struct td_packet_decoder *u, const uint32_t *words, size_t slots, int ends, size_t *at,
                  const struct td_packet_sink *to)
{
    size_t i = 0, used = 1;
    int rc = 0;
    while (i < slots && used && rc == 0) {
        if (!TD_IS_SHORT_ZONE(words[2 * i])) {
            rc = take_other(u, words + 2 * i, slots - i, ends, &used, to);
            i += used;
            continue;
        }
        u->in_bad = 0;
        u->after_gap = 0;
        if (u->have_time) {
            rc = take_zones(u, words, slots, &i, to);
        } else {
            i++;
            u->stats.packets++;
            u->stats.untimed++;
        }
    }
    *at = i;
    return rc;
}

/* Completes a packet that was cut: adds slot after slot until it is complete or damaged. *at = slots of
 * `words` used. */
static int resume_packet(struct td_packet_decoder *u, const uint32_t *words, size_t slots, size_t *at,
                         const struct td_packet_sink *to)
{
    int rc = 0;
    size_t i = 0, used;
    while (u->pending_count && rc == 0) {
        int ends = i == slots;
        if (ends && slots)
            break;
        if (!ends) {
            memcpy(u->pending + 2 * u->pending_count, words + 2 * i, 8);
            u->pending_count++;
            i++;
        }
        rc = take_other(u, u->pending, u->pending_count, ends, &used, to);
        if (used) {
            /* A slot that was not used is the last one, which came from `words`: it is decoded again there. */
            i -= u->pending_count - used;
            u->pending_count = 0;
        } else if (ends) {
            break;
        }
    }
    *at = i;
    return rc;
}

void td_packet_decoder_init(struct td_packet_decoder *u)
{
    memset(u, 0, sizeof *u);
    u->decode_zones = td_zones_fastest();
}

void td_packet_decoder_set_time(struct td_packet_decoder *u, uint32_t time_high)
{
    u->time_high = time_high;
    u->have_time = 1;
}

void td_packet_decoder_gap(struct td_packet_decoder *u)
{
    u->stats.cut_slots += u->pending_count;
    u->pending_count = 0;
    u->have_time = 0;
    u->after_gap = 1;
}

int td_packet_decoder_feed_columns(struct td_packet_decoder *u, const uint32_t *words, size_t slots,
                                   const struct td_packet_sink *to)
{
    size_t at = 0, more = 0;
    int rc = 0;
    u->stats.slots += slots;
    if (u->pending_count)
        rc = resume_packet(u, words, slots, &at, to);
    if (rc == 0 && at < slots) {
        rc = decode(u, words + 2 * at, slots - at, 0, &more, to);
        at += more;
    }
    if (rc == 0 && at < slots) {
        u->pending_count = (uint32_t)(slots - at);
        memcpy(u->pending, words + 2 * at, 8 * (slots - at));
    }
    return rc;
}

int td_packet_decoder_feed(struct td_packet_decoder *u, const uint32_t *words, size_t slots,
                           td_packet_on_record *record, void *self)
{
    const struct td_packet_sink to = {.record = record, .self = self};
    return td_packet_decoder_feed_columns(u, words, slots, &to);
}

int td_packet_decoder_end_stream(struct td_packet_decoder *u, td_packet_on_record *record, void *self)
{
    int rc = td_packet_decoder_feed(u, NULL, 0, record, self);
    if (u->pending_count)
        count_bad(u, u->pending_count);
    u->pending_count = 0;
    return rc;
}
