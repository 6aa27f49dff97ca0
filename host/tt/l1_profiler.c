#include "host/tt/l1_profiler.h"

#include <string.h>

enum { PRESET_BITS = 0x7ffff000, STEP_WORDS = 4, MOST_COORDINATE = 63, AFTER_WORDS = 4096 };

static const struct td_tt_l1_layout layouts[] = {
#define TD_X(name, words, after, ends, run, x, y, dropped, done, id)                                         \
    {#name, words, after, ends, run, x, y, dropped, done, id},
    TD_TT_L1_LAYOUTS(TD_X)
#undef TD_X
};

const struct td_tt_l1_layout *td_tt_l1_layout_named(const char *name)
{
    for (size_t i = 0; name && i < TD_TT_L1_LAYOUT_COUNT; i++)
        if (strcmp(layouts[i].name, name) == 0)
            return &layouts[i];
    return NULL;
}

/* ---- search ---- */

static bool may_be(uint32_t word, uint32_t kind)
{
    return word == TD_TT_L1_VALID || word >> 28 == (TD_TT_L1_VALID >> 28 | kind);
}

/* A buffer that firmware has set up: its first words, and a marker at each of the four places, or none yet. */
static bool is_buffer(const uint32_t *b, uint32_t core)
{
    const bool valid =
        may_be(b[TD_TT_L1_FW_START], TD_TT_ZONE_START) && may_be(b[TD_TT_L1_FW_END], TD_TT_ZONE_END) &&
        may_be(b[TD_TT_L1_KERNEL_START], TD_TT_ZONE_START) && may_be(b[TD_TT_L1_KERNEL_END], TD_TT_ZONE_END);
    const uint32_t id = b[TD_TT_L1_ID_LH];
    return valid && (b[TD_TT_L1_ID_HH] & ~TD_TT_L1_VALID) == 0 && b[TD_TT_L1_ID_HL] == 0 &&
           (id == 0 || (id & 7) == core);
}

static bool are_buffers(const uint32_t *b)
{
    bool is_used = false;
    for (uint32_t core = 0; core < TD_TT_L1_CORES; core++) {
        const uint32_t *one = b + (size_t)core * TD_TT_L1_BUFFER_WORDS;
        if (!is_buffer(one, core))
            return false;
        is_used |= (one[TD_TT_L1_FW_START] & PRESET_BITS) != 0;
    }
    return is_used;
}

static bool is_control(const uint32_t *c, const struct td_tt_l1_layout *l, const struct td_tt_l1_xy *tile,
                       size_t tile_count)
{
    bool is_here = false;
    for (size_t i = 0; i < tile_count; i++)
        is_here |= c[l->x] == tile[i].x && c[l->y] == tile[i].y;
    for (uint32_t core = 0; core < TD_TT_L1_CORES; core++)
        if (c[l->device_end + core] > TD_TT_L1_BUFFER_WORDS || c[core] % 2)
            return false;
    return is_here && c[l->done] <= 1;
}

struct td_tt_l1_place td_tt_l1_find(const uint32_t *memory, size_t words, uint32_t from,
                                    const struct td_tt_l1_xy *tile, size_t tile_count)
{
    const size_t all = TD_TT_L1_CORES * TD_TT_L1_BUFFER_WORDS;
    for (size_t at = 0; at + all <= words; at += 1) {
        /* Control words have 128 or 256 bytes, and the structure is aligned to words only. */
        if (memory[at + TD_TT_L1_ID_HL] || !(memory[at + TD_TT_L1_FW_START] & TD_TT_L1_VALID) ||
            !are_buffers(memory + at))
            continue;
        /* The newest first: the oldest has its control words somewhere after the buffers. */
        for (size_t i = TD_TT_L1_LAYOUT_COUNT; i-- > 0;) {
            const struct td_tt_l1_layout *l = &layouts[i];
            size_t first = l->after ? at + all : at - l->words, last = l->after ? first + AFTER_WORDS : first;
            if (!l->after && at < l->words)
                continue;
            for (size_t c = first; c <= last && c + l->words <= words; c += STEP_WORDS)
                if (is_control(memory + c, l, tile, tile_count))
                    return (struct td_tt_l1_place){l, from + 4 * (uint32_t)c, from + 4 * (uint32_t)at};
        }
    }
    return (struct td_tt_l1_place){0};
}

/* ---- markers ---- */

static bool is_preset(const uint32_t *w)
{
    return (w[0] & ~TD_TT_L1_VALID) == 0; /* no id and no time: not written, or padding */
}

static struct td_tt_l1_marker marker_of(const uint32_t *w)
{
    const uint32_t kind = w[0] >> 28 & 7;
    struct td_tt_l1_marker m = {.kind = kind < TD_TT_MARKER_COUNT ? (enum td_tt_marker)kind : TD_TT_NO_MARKER,
                                .id = (uint16_t)(w[0] >> 12)};
    if (m.kind == TD_TT_ZONE_TOTAL)
        m.data[0] = w[1];
    else
        m.ticks = (uint64_t)(w[0] & 0xfff) << 32 | w[1];
    return m;
}

/* Times wrap. */
static bool is_before(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT64_C(1) << (TD_TT_L1_CLOCK_BITS - 1);
    return a != b && ((b - a) & (2 * half - 1)) < half;
}

/* The markers that the launch has written one after the other. */
static void read_others(const uint32_t *b, uint32_t end, uint64_t begin, bool by_time,
                        struct td_tt_l1_buffer *to)
{
    uint32_t at = TD_TT_L1_OTHERS;
    while (at + 2 <= end) {
        const uint32_t *w = b + at;
        if (!(w[0] & TD_TT_L1_VALID)) {
            to->odd += by_time ? 0 : 2;
            if (by_time)
                break;
            at += 2;
            continue;
        }
        struct td_tt_l1_marker m = marker_of(w);
        const uint32_t more = m.kind == TD_TT_TS_DATA ? 2 : m.kind == TD_TT_TS_DATA_16B ? 4 : 0;
        if (by_time && (is_preset(w) || (m.kind != TD_TT_ZONE_TOTAL && is_before(m.ticks, begin))))
            break;
        at += 2;
        if (is_preset(w))
            continue;
        if (m.kind == TD_TT_NO_MARKER || at + more > end) {
            to->odd += 2;
            continue;
        }
        for (uint32_t i = 0; i < more / 2; i++)
            m.data[i] = (uint64_t)w[2 + 2 * i] << 32 | w[3 + 2 * i];
        at += more;
        to->marker[to->count++] = m;
    }
    /* One marker more has no room, whatever is open. */
    to->full = at + 2 > TD_TT_L1_BUFFER_WORDS;
}

void td_tt_l1_read(const uint32_t b[TD_TT_L1_BUFFER_WORDS], uint32_t used, struct td_tt_l1_buffer *to)
{
    static const uint8_t places[] = {TD_TT_L1_FW_START, TD_TT_L1_FW_END, TD_TT_L1_KERNEL_START,
                                     TD_TT_L1_KERNEL_END};
    to->count = 0;
    to->full = false;
    to->odd = 0;
    if (b[TD_TT_L1_ID_HH] & TD_TT_L1_VALID || is_preset(b + TD_TT_L1_FW_START))
        return; /* the core had nothing to do */
    for (size_t i = 0; i < sizeof places; i++)
        if (b[places[i]] & TD_TT_L1_VALID && !is_preset(b + places[i]))
            to->marker[to->count++] = marker_of(b + places[i]);
    const bool is_known = used >= TD_TT_L1_OTHERS && used <= TD_TT_L1_BUFFER_WORDS;
    read_others(b, is_known ? used : TD_TT_L1_BUFFER_WORDS, marker_of(b + TD_TT_L1_FW_START).ticks, !is_known,
                to);
}
