/* The streams of timestampers become zones in the lanes' words: random nesting and order against an oracle, through the
 * drain, on a board in memory; and any bytes. */
#include "host/device/drain/drain.h"
#include "host/device/drain/packet_decoder.h"
#include "proto/device/packet.h"
#include "proto/device/stamp.h"
#include "tests/device/fake_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { CORES = 2, PIECES = 64, MOST_DEPTH = 20, ZONES = 4000, RUNS = 12 };
#define REGISTERS    0xE000u /* plain words here: this test is the hardware */
#define BUFFERS      0xE100u
#define HEAD(type)   (TD_TAG_HEAD | (uint32_t)(type) << TD_HEAD_TYPE_SHIFT)
#define STAMPED_HEAD (HEAD(TD_PACKET_IMAGE) | TD_DEVICE_PROTO_VERSION | TD_IMAGE_IS_STAMPED)

struct zone {
    uint64_t begin, end;
    uint32_t id;
};

struct core {
    struct fake_core lane;
    struct zone open[MOST_DEPTH];
    uint32_t depth, messages;
    struct zone expected[ZONES], seen[ZONES];
    size_t expected_count, seen_count, seen_messages, seen_open;
    uint64_t latest; /* time of the last packet that was seen */
    uint32_t high;
    struct td_packet_decoder decoder;
};

struct rig {
    struct fake_board *fake;
    struct td_drain *drain;
    struct core cores[CORES];
    uint32_t position[2];
    uint64_t now, random;
    uint64_t slots; /* that were handed on */
};

static uint32_t dice(struct rig *r, uint32_t sides)
{
    r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->random >> 33) % sides);
}

static int on_record(void *self, const struct td_packet_record *p)
{
    struct core *c = self;
    if (p->end_ticks) {
        assert_true(p->end_ticks >= c->latest);
        c->latest = p->end_ticks;
    }
    c->seen_messages += p->type == TD_PACKET_LOG;
    c->seen_open += p->type == TD_PACKET_STAMPED_OPEN;
    if (p->type == TD_PACKET_STAMPED) {
        assert_true(c->seen_count < ZONES);
        c->seen[c->seen_count++] = (struct zone){p->end_ticks - p->duration_ticks, p->end_ticks, p->id};
    }
    return 0;
}

static int on_words(void *self, const struct td_lane_at *lane, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct rig *r = self;
    if (lane->index < CORES)
        return td_packet_decoder_feed(&r->cores[lane->index].decoder, words, slots, on_record,
                                      &r->cores[lane->index]);
    return 0;
}

static int count_words(void *self, const struct td_lane_at *lane, const uint32_t *words, size_t slots,
                       struct td_err *err)
{
    ((struct rig *)self)->slots += slots;
    return 0;
}

static void poll(struct rig *r, td_drain_words *words)
{
    struct td_err err = {0};
    size_t taken;
    assert_int_equal(td_drain_poll(r->drain, words, r, &taken, &err), 0);
}

static void start(struct rig *r, int mapped, uint64_t seed)
{
    struct td_err err = {0};
    memset(r, 0, sizeof *r);
    r->fake = fake_board_create(mapped);
    r->fake->board.stamp_register = REGISTERS;
    r->fake->board.stamp_base = BUFFERS;
    r->fake->board.stamp_buffer_bytes = PIECES * TD_STAMP_UNIT_BYTES;
    r->drain = td_drain_create(&r->fake->transport, &r->fake->board, TD_POLICY_BLOCK, &err);
    if (!r->drain)
        fail_msg("%s", err.text);
    r->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    r->now = (UINT64_C(1) << 32) - 3000; /* the clock's high half changes on the way */
    for (uint32_t i = 0; i < CORES; i++) {
        r->cores[i].lane = (struct fake_core){.fake = r->fake, .core = i};
        td_packet_decoder_init(&r->cores[i].decoder);
    }
}

static void stop(struct rig *r)
{
    td_drain_destroy(r->drain);
    fake_board_destroy(r->fake);
}

/* What the hardware does. The host's writes to the status are found there. */
static void append(struct rig *r, uint32_t word)
{
    uint32_t *status = fake_words(r->fake, 0, REGISTERS + TD_STAMP_STATUS);
    for (int tries = 0; tries < 3; tries++) {
        for (uint32_t i = 0; i < 2; i++) {
            if (*status & TD_STAMP_FULL(i))
                r->position[i] = 0;
            if (r->position[i] == PIECES)
                continue;
            *status = 0;
            const uint32_t at = BUFFERS + (i * PIECES + r->position[i]++) * TD_STAMP_UNIT_BYTES;
            const uint32_t event[] = {word, (uint32_t)r->now, (uint32_t)(r->now >> 32), 0};
            memcpy(fake_words(r->fake, 0, at), event, sizeof event);
            return;
        }
        *status = 0;
        poll(r, on_words); /* so that nothing is lost */
    }
    fail_msg("the host gives no buffer back");
}

static void put(struct rig *r, struct core *c, uint32_t w0, uint32_t w1)
{
    while (!fake_core_put(&c->lane, w0, w1))
        poll(r, on_words);
}

/* A packet with a time, and the clock's high half before it if that has changed. */
static void put_timed(struct rig *r, struct core *c, uint32_t head)
{
    if ((uint32_t)(r->now >> 32) != c->high)
        put(r, c, HEAD(TD_PACKET_TIME), c->high = (uint32_t)(r->now >> 32));
    put(r, c, head, (uint32_t)r->now);
}

static void step(struct rig *r)
{
    struct core *c = &r->cores[dice(r, CORES)];
    const uint32_t number = c->lane.core, ring = td_board_ring(&r->fake->board, number);
    r->now += 1 + dice(r, dice(r, 50) ? 20 : 100000);
    switch (dice(r, 8)) {
    case 0:
        put_timed(r, c, HEAD(TD_PACKET_LOG));
        c->messages++;
        break;
    case 1:
        poll(r, on_words);
        break;
    case 2:
    case 3:
    case 4:
        if (c->depth == MOST_DEPTH)
            break;
        c->open[c->depth++] = (struct zone){.begin = r->now, .id = dice(r, 100)};
        append(r,
               TD_SLOT_VALID | c->open[c->depth - 1].id << TD_SHORT_ID_SHIFT | number << TD_STAMP_CORE_SHIFT);
        break;
    default:
        if (!c->depth || c->expected_count == ZONES)
            break;
        c->expected[c->expected_count] = c->open[--c->depth];
        c->expected[c->expected_count++].end = r->now;
        append(r, ring + dice(r, FAKE_SLOTS) * TD_SLOT_BYTES);
        break;
    }
}

static void begin_launch(struct rig *r, struct core *c)
{
    put(r, c, STAMPED_HEAD, 0x1234);
    put(r, c, TD_TAG_CONT, 0x5678);
    c->high = 0;
    put(r, c, HEAD(TD_PACKET_TIME), 0);
    put_timed(r, c, HEAD(TD_PACKET_BEGIN));
    r->now++;
}

static void each_zone_is_in_its_lane_in_the_order_of_time(void **state)
{
    struct rig *r = malloc(sizeof *r);
    for (int run = 0; run < RUNS; run++) {
        struct td_err err = {0};
        start(r, run % 2, (uint64_t)run);
        for (int i = 0; i < CORES; i++)
            begin_launch(r, &r->cores[i]);
        for (int i = 0; i < 5000; i++)
            step(r);
        /* On one core the kernel ends with its open zones, on the other one it still runs. */
        const uint32_t left[CORES] = {r->cores[0].depth, r->cores[1].depth};
        r->now++;
        put_timed(r, &r->cores[0], HEAD(TD_PACKET_END));
        assert_int_equal(td_drain_finish(r->drain, on_words, r, &err), 0);
        for (int i = 0; i < CORES; i++) {
            const struct core *c = &r->cores[i];
            assert_int_equal(c->seen_count, c->expected_count);
            assert_true(c->seen_count > 500);
            assert_memory_equal(c->seen, c->expected, c->seen_count * sizeof *c->seen);
            assert_int_equal(c->seen_messages, c->messages);
            assert_int_equal(c->seen_open, left[i]);
            assert_int_equal(c->decoder.stats.bad_slots + c->decoder.stats.untimed, 0);
        }
        stop(r);
    }
    free(r);
}

/* Nothing but the lanes' own slots has to come out, and the host does not crash. */
static void any_bytes_in_stream_and_lanes_do_no_harm(void **state)
{
    struct rig *r = malloc(sizeof *r);
    for (int run = 0; run < 200; run++) {
        struct td_err err = {0};
        uint64_t slots = 0;
        start(r, run % 2, (uint64_t)run + 1000);
        begin_launch(r, &r->cores[0]);
        poll(r, count_words);
        slots = r->slots;
        for (int i = 0; i < 200; i++) {
            const uint32_t what = dice(r, 4);
            if (what == 0)
                for (uint32_t k = dice(r, 40); k > 0; k--)
                    *fake_words(r->fake, 0, BUFFERS + 4 * dice(r, 8 * PIECES)) =
                        dice(r, 2) ? dice(r, UINT32_MAX) << 3 : 0;
            else if (what == 1)
                poll(r, count_words);
            else
                slots += (uint64_t)fake_core_put(
                    &r->cores[0].lane, TD_SLOT_VALID | dice(r, 0x7fffffff) | (what == 2 ? TD_TAG_HEAD : 0),
                    dice(r, UINT32_MAX));
        }
        fake_core_publish(&r->cores[0].lane);
        assert_int_equal(td_drain_finish(r->drain, count_words, r, &err), 0);
        assert_true(r->slots >= slots);
        stop(r);
    }
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_zone_is_in_its_lane_in_the_order_of_time),
        cmocka_unit_test(any_bytes_in_stream_and_lanes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
