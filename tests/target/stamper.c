#include "tests/target/stamper.h"

#include "boards/tensix_sim/sim.h"
#include "host/base/err.h"
#include "host/base/grow.h"
#include "host/device/drain/stamps.h"
#include "proto/device/packet.h"
#include "proto/device/stamp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A zone that was emitted; end 0: it is open. */
struct zone {
    uint64_t begin, end;
    uint32_t id;
};

struct stamper {
    struct td_transport transport; /* to the machine's memory and the timestamper's registers */
    struct machine *m;
    struct stamper_options options;
    uint32_t random;
    struct sim *sim; /* of one tile with one core */
    struct tile tile;
    struct core *core;
    struct td_bar_tile entry;
    uint32_t page[1024]; /* of registers */
    struct td_stamps *stamps;
    size_t read; /* of the machine's slots: given to the reader */
    uint32_t *words;
    size_t slots, slots_room;
    /* By begin. `open`: those that are open, as indices. */
    struct zone *zones;
    size_t zone_count, zones_room;
    size_t *open, open_count, open_room;
    struct stamper_counts counts;
};

static bool is_register(const struct stamper *s, uint64_t address)
{
    return address - s->sim->board.stamp_register < TD_STAMP_BYTES;
}

static int host_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                     struct td_err *err)
{
    struct stamper *s = (struct stamper *)t;
    if (!is_register(s, address)) {
        assert_true(address + bytes <= MACHINE_L1_BYTES);
        memcpy(to, s->m->l1 + address, bytes);
        return 0;
    }
    for (size_t i = 0; i < bytes; i += 4)
        assert_int_equal(timestamper_read(s->sim, &s->tile, address + i, (uint32_t *)((uint8_t *)to + i)), 0);
    return 0;
}

static int host_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                      size_t bytes, struct td_err *err)
{
    struct stamper *s = (struct stamper *)t;
    if (!is_register(s, address)) {
        assert_true(address + bytes <= MACHINE_L1_BYTES);
        memcpy(s->m->l1 + address, from, bytes);
        return 0;
    }
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t value;
        memcpy(&value, (const uint8_t *)from + i, 4);
        assert_int_equal(timestamper_post(s->sim, &s->tile, address + i, value), 0);
        timestamper_follow(s->sim, &s->tile);
    }
    return 0;
}

static const struct td_transport_ops ops = {.name = "machine", .read = host_read, .write = host_write};

static int on_words(void *self, const struct td_lane_at *lane, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct stamper *s = self;
    assert_int_equal(lane->core, s->m->core);
    assert_int_equal(td_grow(&s->words, &s->slots_room, 2 * (s->slots + slots), sizeof *s->words), 0);
    memcpy(s->words + 2 * s->slots, words, slots * TD_SLOT_BYTES);
    s->slots += slots;
    return 0;
}

static void note_zone(struct stamper *s, uint32_t word)
{
    const uint64_t now = s->m->ticks;
    if (!(word & TD_SLOT_VALID)) {
        assert_true(s->open_count > 0);
        s->zones[s->open[--s->open_count]].end = now;
        s->counts.ends++;
        return;
    }
    assert_int_equal(td_grow(&s->zones, &s->zones_room, s->zone_count + 1, sizeof *s->zones), 0);
    assert_int_equal(td_grow(&s->open, &s->open_room, s->open_count + 1, sizeof *s->open), 0);
    s->open[s->open_count++] = s->zone_count;
    s->zones[s->zone_count++] = (struct zone){now, 0, (word & ~TD_SLOT_VALID) >> TD_SHORT_ID_SHIFT};
    s->counts.begins++;
}

static uint32_t below(struct stamper *s, uint32_t limit)
{
    s->random = s->random * 1664525 + 1013904223;
    return (s->random >> 8) % limit;
}

static void on_core_write(struct machine *m, uint32_t address, uint32_t value, void *self)
{
    struct stamper *s = self;
    if (address != s->sim->board.stamp_register)
        return;
    m->ticks++; /* so that no two events have the same time */
    note_zone(s, value);
    assert_int_equal(timestamper_write(s->core, address, m->ticks, value), 0);
    s->counts.overflowed |= s->tile.stamps.overflow[0] || s->tile.stamps.overflow[1];
    const bool full = s->tile.stamps.full[0] && s->tile.stamps.full[1];
    if ((full && s->options.reads_if_full) || below(s, s->options.one_of) == 0)
        stamper_poll(s, below(s, MACHINE_RING_SLOTS));
}

struct stamper *stamper_create(struct machine *m, const struct stamper_options *options)
{
    struct td_err err = {0};
    struct stamper *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->sim = calloc(1, sizeof *s->sim);
    s->core = calloc(1, sizeof *s->core);
    assert_true(s->sim && s->core);
    if (td_board_load(&s->sim->board, "tensix_sim", "1x1", NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(s->sim->board.lane_base, MACHINE_LANE_BASE);
    assert_int_equal(s->sim->board.ring_slots, MACHINE_RING_SLOTS);
    s->sim->board.stamp_buffer_bytes = options->pieces * TD_STAMP_UNIT_BYTES;
    s->sim->map = (uint8_t *)s->page;
    s->sim->tiles = &s->tile;
    s->sim->tensix_count = 1;
    s->tile.entry = &s->entry;
    s->tile.memory = m->l1;
    s->core->sim = s->sim;
    s->core->tile = &s->tile;
    timestamper_init(s->sim);
    s->transport.ops = &ops;
    s->m = m;
    s->options = *options;
    s->random = options->seed;
    m->other_write = on_core_write;
    m->other_write_self = s;
    s->stamps = td_stamps_create(&s->transport, &s->sim->board, &err);
    if (!s->stamps || td_stamps_arm(s->stamps, (struct td_tile_at){0}, 0, &err))
        fail_msg("%s", err.text);
    return s;
}

void stamper_destroy(struct stamper *s)
{
    if (!s)
        return;
    td_stamps_destroy(s->stamps);
    free(s->words);
    free(s->zones);
    free(s->open);
    free(s->core);
    free(s->sim);
    free(s);
}

static struct td_lane_at lane_of(const struct stamper *s)
{
    return (struct td_lane_at){.core = (uint16_t)s->m->core, .index = s->m->core};
}

void stamper_poll(struct stamper *s, size_t most)
{
    struct td_err err = {0};
    const struct td_lane_at lane = lane_of(s), first = {0};
    bool looked[MACHINE_LANES] = {0};
    size_t taken = 0;
    int rc = 0;
    td_stamps_begin_round(s->stamps, 0, on_words, s);
    looked[s->m->core] = machine_drain(s->m, most) < most;
    if (s->m->slots > s->read)
        rc = td_stamps_words(s->stamps, &lane, s->m->words + 2 * s->read, s->m->slots - s->read, &err);
    s->read = s->m->slots;
    if (rc || td_stamps_end_round(s->stamps, &first, looked, &taken, &err))
        fail_msg("%s", err.text);
}

const uint32_t *stamper_finish(struct stamper *s, size_t *slots)
{
    struct td_err err = {0};
    const struct td_lane_at lane = lane_of(s);
    do
        stamper_poll(s, MACHINE_RING_SLOTS);
    while (machine_ring(s->m)[2 * (machine_lane(s->m, TD_LANE_head) % MACHINE_RING_SLOTS)] & TD_SLOT_VALID);
    if (td_stamps_finish(s->stamps, &lane, on_words, s, &err))
        fail_msg("%s", err.text);
    *slots = s->slots;
    return s->words;
}

static int by_begin(const void *key, const void *zone)
{
    const uint64_t a = *(const uint64_t *)key, b = ((const struct zone *)zone)->begin;
    return (a > b) - (a < b);
}

/* A zone that arrived: no two have the same begin, so each is found once if none arrived twice. */
static void check_zone(const struct stamper *s, const struct td_packet_record *p)
{
    const uint64_t begin = p->end_ticks - p->duration_ticks;
    const struct zone *zone = bsearch(&begin, s->zones, s->zone_count, sizeof *s->zones, by_begin);
    if (!zone || zone->id != p->id || zone->end != (p->type == TD_PACKET_STAMPED ? p->end_ticks : 0))
        fail_msg("zone of site %u from %llu to %llu was not emitted so", p->id, (unsigned long long)begin,
                 (unsigned long long)p->end_ticks);
}

struct stamper_counts stamper_check(const struct stamper *s, const struct records *r)
{
    const uint32_t opens = s->counts.begins - s->counts.ends;
    uint64_t arrived = 0, open = 0, lost = 0, last = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct td_packet_record *p = &r->all[i];
        arrived += p->type == TD_PACKET_STAMPED;
        open += p->type == TD_PACKET_STAMPED_OPEN;
        lost += p->type == TD_PACKET_STAMPED_LOST ? p->value : 0;
        if (p->type == TD_PACKET_STAMPED || p->type == TD_PACKET_STAMPED_OPEN)
            check_zone(s, p);
        if (p->type == TD_PACKET_STAMPED) { /* none twice */
            assert_true(p->end_ticks > last);
            last = p->end_ticks;
        }
    }
    if (!s->counts.overflowed) {
        assert_int_equal(arrived, s->counts.ends);
        assert_int_equal(open, opens);
        assert_int_equal(lost, 0);
    } else if (!lost || open > opens || arrived + open + lost > s->counts.begins)
        fail_msg("of %u zones, %u of them open, %u and %u arrived, %u were told as lost", s->counts.begins,
                 opens, (unsigned)arrived, (unsigned)open, (unsigned)lost);
    return s->counts;
}
