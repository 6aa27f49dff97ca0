/* The drain on a board in memory, with and without a map. */
#include "host/device/drain/drain.h"
#include "host/device/drain/packet_decoder.h"
#include "proto/device/packet.h"
#include "tests/device/fake_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define LANES     8
#define ZONE(id)  (0x80000000u | (uint32_t)(id) << 16 | 1)
#define MAX_WORDS 400000

struct fixture {
    struct fake_board *fake;
    struct td_drain *drain;
    struct fake_core core[LANES]; /* by lane index */
    uint32_t *seen[LANES];        /* second words, in order */
    size_t count[LANES], most;
    uint32_t missing[LANES], given[LANES];
    int gaps[LANES], order[1000], calls, refuse;
    struct td_lane_at damaged; /* what was said last, and how often */
    uint32_t damage_at, damage_slots;
    int damages;
};

static int on_words(void *self, const struct td_lane_at *lane, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct fixture *f = self;
    assert_true(lane->index < LANES);
    if (f->refuse)
        return td_fail(err, TD_E_NOMEM, "refused");
    assert_true(slots > 0);
    f->gaps[lane->index] += lane->gap;
    f->missing[lane->index] += lane->missing;
    if (lane->overwritten)
        f->given[lane->index] = lane->given_zones;
    f->most = slots > f->most ? slots : f->most;
    if (f->calls < 1000)
        f->order[f->calls++] = (int)lane->index;
    for (size_t i = 0; i < slots; i++) {
        assert_true(words[2 * i] & TD_SLOT_VALID);
        assert_true(f->count[lane->index] < MAX_WORDS);
        f->seen[lane->index][f->count[lane->index]++] = words[2 * i + 1];
    }
    return 0;
}

static void on_damaged(void *self, const struct td_lane_at *lane, uint32_t address, uint32_t slots)
{
    struct fixture *f = self;
    f->damaged = *lane;
    f->damage_at = address;
    f->damage_slots = slots;
    f->damages++;
}

static void arm(struct fixture *f, enum td_policy policy)
{
    struct td_err err = {0};
    const struct td_drain_options options = {.policy = policy, .damaged = on_damaged, .damaged_self = f};
    f->drain = td_drain_create_with(&f->fake->transport, &f->fake->board, &options, &err);
    if (!f->drain)
        fail_msg("%s", err.text);
}

static struct fixture *fixture(int mapped)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->fake = fake_board_create(mapped);
    for (uint32_t i = 0; i < LANES; i++) {
        f->core[i] = (struct fake_core){f->fake, i / 2, i % 2, 0};
        f->seen[i] = malloc(MAX_WORDS * sizeof(uint32_t));
        assert_non_null(f->seen[i]);
    }
    return f;
}

static void finish(struct fixture *f)
{
    assert_false(f->fake->head_before_clear);
    td_drain_destroy(f->drain);
    fake_board_destroy(f->fake);
    for (int i = 0; i < LANES; i++)
        free(f->seen[i]);
    free(f);
}

static size_t poll(struct fixture *f)
{
    size_t taken = 0;
    struct td_err err = {0};
    if (td_drain_poll(f->drain, on_words, f, &taken, &err))
        fail_msg("%s", err.text);
    return taken;
}

static void check_count(const struct fixture *f, int lane, uint32_t first, size_t count)
{
    assert_int_equal(f->count[lane], count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(f->seen[lane][i], first + i);
}

static void control_words_say_who_drains_and_how(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_DROP);
    for (uint32_t tile = 0; tile < FAKE_TILES; tile++) {
        const uint32_t *t = fake_words(f->fake, tile, f->fake->board.lane_base);
        assert_int_equal(t[TD_TILE_magic / 4], TD_LANE_MAGIC);
        assert_int_equal(t[TD_TILE_version / 4], TD_DEVICE_PROTO_VERSION);
        assert_int_equal(t[TD_TILE_lanes / 4], 2);
        assert_int_equal(t[TD_TILE_ring_slots / 4], FAKE_SLOTS);
        assert_int_equal(0x400 + t[TD_TILE_ring_offset / 4], td_board_ring(&f->fake->board, 0));
        assert_int_equal(t[TD_TILE_agent / 4], (uint32_t)getpid());
        assert_int_equal(fake_ctrl(f->fake, tile, 1)[TD_LANE_policy / 4], TD_POLICY_DROP);
    }
    td_drain_destroy(f->drain);
    f->drain = NULL;
    assert_int_equal(fake_ctrl(f->fake, 3, 1)[TD_LANE_policy / 4], TD_POLICY_OFF);
    assert_int_equal(fake_words(f->fake, 3, 0x400)[TD_TILE_agent / 4], 0);
    finish(f);
}

static void words_arrive_whole_and_in_order_through_full_rings(int mapped)
{
    struct fixture *f = fixture(mapped);
    uint32_t seed = 4, sent[LANES] = {0};
    arm(f, TD_POLICY_BLOCK);
    for (int round = 0; round < 4000; round++) {
        for (int lane = 0; lane < LANES; lane++) {
            int burst = rand_r(&seed) % (2 * FAKE_SLOTS);
            while (burst-- > 0 && fake_core_put(&f->core[lane], ZONE(3), sent[lane]))
                sent[lane]++;
            if (rand_r(&seed) % 3)
                fake_core_publish(&f->core[lane]);
        }
        if (rand_r(&seed) % 2)
            poll(f);
    }
    assert_int_equal(td_drain_finish(f->drain, on_words, f, NULL), 0);
    for (int lane = 0; lane < LANES; lane++)
        check_count(f, lane, 0, sent[lane]);
    assert_true(sent[0] > 50000 && f->most <= FAKE_SLOTS);
    assert_int_equal(td_drain_get_stats(f->drain)->slots,
                     sent[0] + sent[1] + sent[2] + sent[3] + sent[4] + sent[5] + sent[6] + sent[7]);
    finish(f);
}

static void a_slot_that_is_not_written_yet_is_waited_for(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_BLOCK);
    for (uint32_t i = 0; i < 5; i++)
        fake_core_put(&f->core[2], ZONE(1), i);
    fake_core_publish(&f->core[2]);
    uint32_t *third = fake_words(f->fake, 1, td_board_ring(&f->fake->board, 0)) + 2 * 2;
    uint32_t word = *third;
    *third = 0;
    assert_int_equal(poll(f), 2);
    assert_int_equal(poll(f), 0);
    *third = word;
    assert_int_equal(poll(f), 3);
    check_count(f, 2, 0, 5);
    finish(f);
}

static void what_no_hint_tells_of_is_found_when_a_lane_is_quiet_and_at_the_end(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_BLOCK);
    fake_core_put(&f->core[5], ZONE(1), 0);
    size_t taken = 0;
    for (int i = 0; i < 300 && !taken; i++)
        taken = poll(f);
    assert_int_equal(taken, 1);
    fake_core_put(&f->core[5], ZONE(1), 1);
    assert_int_equal(td_drain_finish(f->drain, on_words, f, NULL), 0);
    check_count(f, 5, 0, 2);
    finish(f);
}

static void a_flooded_lane_does_not_keep_others_waiting(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_BLOCK);
    for (uint32_t round = 0; round < 16; round++) {
        f->calls = 0;
        uint32_t n = f->core[0].tail;
        while (fake_core_put(&f->core[0], ZONE(1), n))
            n++;
        fake_core_put(&f->core[7], ZONE(1), round);
        fake_core_publish(&f->core[0]);
        fake_core_publish(&f->core[7]);
        poll(f);
        assert_int_equal(f->calls, 2);
    }
    check_count(f, 7, 0, 16);
    finish(f);
}

static void every_lane_comes_first_now_and_then(int mapped)
{
    struct fixture *f = fixture(mapped);
    int first[LANES] = {0};
    arm(f, TD_POLICY_BLOCK);
    for (int round = 0; round < 64; round++) {
        f->calls = 0;
        for (int lane = 0; lane < LANES; lane++) {
            fake_core_put(&f->core[lane], ZONE(1), 0);
            fake_core_publish(&f->core[lane]);
        }
        assert_int_equal(poll(f), LANES);
        first[f->order[0]]++;
    }
    int tiles = 0;
    for (int lane = 0; lane < LANES; lane += 2)
        tiles += first[lane] + first[lane + 1] == 16;
    assert_int_equal(tiles, FAKE_TILES);
    finish(f);
}

static void overwritten_lanes_give_their_newest_words_and_say_what_is_missing(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_OVERWRITE);
    for (uint32_t i = 0; i < 1000; i++)
        fake_core_overwrite(&f->core[0], ZONE(1), i);
    for (uint32_t i = 0; i < 40; i++)
        fake_core_overwrite(&f->core[3], ZONE(1), i);
    assert_int_equal(td_drain_finish(f->drain, on_words, f, NULL), 0);
    /* 1000 = 31 blocks and 8: of two blocks' room the last whole one and these 8 are left. */
    check_count(f, 0, 1000 - 8 - 32, 40);
    assert_int_equal(f->gaps[0], 1);
    assert_int_equal(f->given[0], 1000 - 8 - 32);
    check_count(f, 3, 0, 40);
    assert_int_equal(f->gaps[3], 0);
    finish(f);
}

static void a_consumer_that_keeps_up_loses_nothing_of_overwritten_lanes(int mapped)
{
    struct fixture *f = fixture(mapped);
    uint32_t seed = 5, sent = 0;
    arm(f, TD_POLICY_OVERWRITE);
    for (int round = 0; round < 3000; round++) {
        /* A quiet lane is looked at beyond its hint now and then only. */
        for (int burst = rand_r(&seed) % (FAKE_SLOTS / 2); burst > 0; burst--)
            fake_core_overwrite(&f->core[6], ZONE(1), sent++);
        fake_core_publish(&f->core[6]);
        poll(f);
    }
    assert_int_equal(td_drain_finish(f->drain, on_words, f, NULL), 0);
    check_count(f, 6, 0, sent);
    assert_int_equal(f->gaps[6], 0);
    assert_true(sent > 30000);
    finish(f);
}

static void each_launch_that_follows_an_earlier_agent_is_taken_from_its_first_slot(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_BLOCK);
    for (uint32_t i = 0; i < 10; i++)
        fake_core_put(&f->core[4], ZONE(1), i);
    td_drain_destroy(f->drain);
    /* Nobody listens: the core goes round and round, and what it wrote is not for the next agent. */
    uint32_t *ctrl = fake_ctrl(f->fake, 2, 0);
    f->core[4].tail = 12345;
    fake_core_publish(&f->core[4]);
    memset(fake_words(f->fake, 2, td_board_ring(&f->fake->board, 0)), 0xff, FAKE_SLOTS * 8);
    arm(f, TD_POLICY_BLOCK);
    /* It still runs, stops, and is started again, however the agent's looks fall. */
    ctrl[TD_LANE_state / 4] = TD_CORE_RUNNING;
    for (int i = 0; i < 20; i++)
        assert_int_equal(poll(f), 0);
    assert_int_equal(fake_core_put(&f->core[4], ZONE(1), 7), 1);
    fake_core_publish(&f->core[4]);
    assert_int_equal(poll(f), 1);
    check_count(f, 4, 7, 1);
    assert_int_equal(td_drain_get_stats(f->drain)->lost_slots, 0);
    finish(f);
}

static void what_a_core_writes_for_nobody_is_counted(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_BLOCK);
    for (uint32_t i = 0; i < 10; i++)
        fake_core_put(&f->core[4], ZONE(1), i);
    fake_core_publish(&f->core[4]);
    assert_int_equal(poll(f), 10);
    fake_core_leave(&f->core[4]);
    f->core[4].tail += 300;
    fake_core_publish(&f->core[4]);
    memset(fake_words(f->fake, 2, td_board_ring(&f->fake->board, 0)), 0xff, FAKE_SLOTS * 8);
    assert_int_equal(poll(f), 0);
    assert_int_equal(f->damages, 1);
    for (uint32_t i = 0; i < 5; i++)
        fake_core_put(&f->core[4], ZONE(1), 310 + i);
    fake_core_publish(&f->core[4]);
    assert_int_equal(poll(f), 5);
    assert_int_equal(f->missing[4], 300);
    assert_int_equal(f->seen[4][10], 310);
    /* And what it writes until the end. */
    fake_core_leave(&f->core[4]);
    f->core[4].tail += 20;
    fake_core_publish(&f->core[4]);
    assert_int_equal(td_drain_finish(f->drain, on_words, f, NULL), 0);
    assert_int_equal(td_drain_get_stats(f->drain)->lost_slots, 320);
    finish(f);
}

static void words_of_the_host_that_were_written_over_are_set_right_and_said(int mapped)
{
    static const uint32_t words[] = {TD_LANE_head, TD_LANE_policy, TD_LANE_join};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct fixture *f = fixture(mapped);
        arm(f, TD_POLICY_BLOCK);
        uint32_t *ctrl = fake_ctrl(f->fake, 1, 1);
        fake_core_put(&f->core[3], ZONE(1), 0);
        poll(f);
        const uint32_t value = ctrl[words[i] / 4];
        for (int times = 0; times < 3; times++) {
            ctrl[words[i] / 4] = 0xffffffff;
            poll(f);
            assert_int_equal(ctrl[words[i] / 4],
                             times || words[i] != TD_LANE_head ? value : ctrl[words[i] / 4]);
        }
        assert_int_equal(f->damages, 1);
        assert_int_equal(f->damaged.index, 3);
        assert_int_equal(f->damage_at, td_board_lane_ctrl(&f->fake->board, 1) + words[i]);
        finish(f);
    }
}

static void slots_that_were_cleared_in_the_ring_are_given_up_and_counted(int mapped)
{
    struct fixture *f = fixture(mapped);
    uint32_t *ring = fake_words(f->fake, 1, td_board_ring(&f->fake->board, 0));
    arm(f, TD_POLICY_BLOCK);
    for (uint32_t i = 0; i < FAKE_SLOTS; i++)
        fake_core_put(&f->core[2], ZONE(1), i);
    fake_core_publish(&f->core[2]);
    for (uint32_t i = 10; i < 15; i++)
        ring[2 * i] = ring[2 * i + 1] = 0;
    for (int i = 0; i < 50; i++)
        poll(f);
    assert_int_equal(f->count[2], FAKE_SLOTS - 5);
    assert_int_equal(f->seen[2][10], 15);
    assert_int_equal(f->missing[2], 5);
    assert_int_equal(f->damages, 1);
    assert_int_equal(f->damage_slots, 5);
    assert_int_equal(f->damage_at, td_board_ring(&f->fake->board, 0) + 10 * TD_SLOT_BYTES);
    assert_int_equal(td_drain_get_stats(f->drain)->lost_slots, 5);
    assert_true(fake_core_put(&f->core[2], ZONE(1), FAKE_SLOTS)); /* it has room */
    finish(f);
}

static void a_tile_whose_header_was_written_over_goes_on(int mapped)
{
    struct fixture *f = fixture(mapped);
    uint32_t *tile = fake_words(f->fake, 2, f->fake->board.lane_base), before[8];
    arm(f, TD_POLICY_BLOCK);
    memcpy(before, tile, sizeof before);
    for (int i = 0; i < 4; i++) {
        memset(tile, i % 2 ? 0 : 0xff, TD_TILE_CTRL_BYTES);
        fake_core_put(&f->core[4], ZONE(1), (uint32_t)i);
        fake_core_put(&f->core[0], ZONE(1), (uint32_t)i);
        fake_core_publish(&f->core[4]);
        fake_core_publish(&f->core[0]);
        poll(f);
        assert_memory_equal(tile, before, TD_TILE_heartbeat);
    }
    check_count(f, 4, 0, 4);
    check_count(f, 0, 0, 4);
    assert_int_equal(f->damages, 1);
    assert_int_equal(f->damage_at, f->fake->board.lane_base);
    assert_int_equal(f->damaged.index, 4); /* no other core of the tile has written anything */
    finish(f);
}

static void an_error_of_the_consumer_loses_nothing(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_BLOCK);
    fake_core_put(&f->core[6], ZONE(1), 0);
    fake_core_publish(&f->core[6]);
    f->refuse = 1;
    size_t taken;
    assert_int_equal(td_drain_poll(f->drain, on_words, f, &taken, NULL), TD_E_NOMEM);
    f->refuse = 0;
    assert_int_equal(poll(f), 1);
    check_count(f, 6, 0, 1);
    finish(f);
}

static void lanes_of_another_version_are_refused_and_left_alone(int mapped)
{
    struct fixture *f = fixture(mapped);
    arm(f, TD_POLICY_BLOCK);
    td_drain_destroy(f->drain);
    uint32_t *tile = fake_words(f->fake, 2, 0x400);
    tile[TD_TILE_version / 4] = TD_DEVICE_PROTO_VERSION + 1;
    fake_ctrl(f->fake, 2, 0)[TD_LANE_policy / 4] = 42;
    struct td_err err = {0};
    f->drain = td_drain_create(&f->fake->transport, &f->fake->board, TD_POLICY_BLOCK, &err);
    assert_null(f->drain);
    assert_int_equal(err.code, TD_E_VERSION);
    assert_int_equal(fake_ctrl(f->fake, 2, 0)[TD_LANE_policy / 4], 42);
    finish(f);
}

static void a_core_that_scribbles_over_its_lane_harms_only_itself(int mapped)
{
    struct fixture *f = fixture(mapped);
    uint32_t seed = 77, sent = 0;
    arm(f, TD_POLICY_BLOCK);
    for (int round = 0; round < 2000; round++) {
        uint32_t *ctrl = fake_ctrl(f->fake, 0, 0),
                 *ring = fake_words(f->fake, 0, td_board_ring(&f->fake->board, 0));
        ctrl[(uint32_t)rand_r(&seed) % 32] = (uint32_t)rand_r(&seed) << 1;
        ring[(uint32_t)rand_r(&seed) % (2 * FAKE_SLOTS)] = (uint32_t)rand_r(&seed) << 1;
        sent += (uint32_t)fake_core_put(&f->core[1], ZONE(1), sent);
        fake_core_publish(&f->core[1]);
        poll(f);
        f->fake->head_before_clear = 0;
        f->count[0] = 0;
    }
    check_count(f, 1, 0, sent);
    finish(f);
}

static void an_error_of_the_transport_stops_the_round(int mapped)
{
    struct fixture *f = fixture(mapped);
    if (!mapped) {
        arm(f, TD_POLICY_BLOCK);
        f->fake->fail_reads = 1;
        size_t taken;
        struct td_err err = {0};
        assert_int_equal(td_drain_poll(f->drain, on_words, f, &taken, &err), TD_E_GONE);
        assert_non_null(strstr(err.text, "gone"));
        f->fake->fail_reads = 0;
    }
    finish(f);
}

/* clang-format off */
#define PROMISES(X)                                                                                            \
    X(control_words_say_who_drains_and_how)                                                                    \
    X(words_arrive_whole_and_in_order_through_full_rings)                                                      \
    X(a_slot_that_is_not_written_yet_is_waited_for)                                                            \
    X(what_no_hint_tells_of_is_found_when_a_lane_is_quiet_and_at_the_end)                                      \
    X(a_flooded_lane_does_not_keep_others_waiting)                                                             \
    X(every_lane_comes_first_now_and_then)                                                                     \
    X(overwritten_lanes_give_their_newest_words_and_say_what_is_missing)                                       \
    X(a_consumer_that_keeps_up_loses_nothing_of_overwritten_lanes)                                             \
    X(each_launch_that_follows_an_earlier_agent_is_taken_from_its_first_slot)                                  \
    X(what_a_core_writes_for_nobody_is_counted)                                                                \
    X(words_of_the_host_that_were_written_over_are_set_right_and_said)                                         \
    X(slots_that_were_cleared_in_the_ring_are_given_up_and_counted)                                            \
    X(a_tile_whose_header_was_written_over_goes_on)                                                            \
    X(an_error_of_the_consumer_loses_nothing)                                                                  \
    X(lanes_of_another_version_are_refused_and_left_alone)                                                     \
    X(a_core_that_scribbles_over_its_lane_harms_only_itself)                                                   \
    X(an_error_of_the_transport_stops_the_round)
/* clang-format on */

#define BOTH(name)                                                                                           \
    static void name##_by_reads(void **state)                                                                \
    {                                                                                                        \
        name(0);                                                                                             \
    }                                                                                                        \
    static void name##_by_map(void **state)                                                                  \
    {                                                                                                        \
        name(1);                                                                                             \
    }
PROMISES(BOTH)

int main(void)
{
#define LIST(name) cmocka_unit_test(name##_by_reads), cmocka_unit_test(name##_by_map),
    const struct CMUnitTest tests[] = {PROMISES(LIST)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
