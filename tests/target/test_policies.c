/* A full lane: nothing is ever lost silently. */
#include "tests/target/records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FLOOD      TD_BINARY_DIR "/tests/kernels/t_flood.elf"
#define FLOOD_TINY TD_BINARY_DIR "/tests/kernels/t_flood_tiny.elf"
#define MESSAGES   (1u << 24)
#define LONG_ZONES (1u << 25)

static struct machine *flooded(enum td_policy policy)
{
    struct machine *m = machine_create();
    machine_load(m, FLOOD, 0);
    machine_reset_lane(m, policy);
    m->ticks = 0x123000;
    return m;
}

struct totals {
    uint64_t floods, longs, messages, stalls, kernels, wholes, begins, ends, exits;
    uint64_t lost_packets, lost_zones, lost_other;
};

/* Also: ends never go back, stalls and losses are as long as they can be, floods follow each other. */
static struct totals add_up(const struct records *r, int in_order)
{
    struct totals t = {0};
    uint64_t before = 0;
    assert_int_equal(r->bad_slots, 0);
    for (size_t i = 0; i < r->count; i++) {
        const struct td_packet_record *p = &r->all[i];
        if (p->type == TD_PACKET_IMAGE || p->type == TD_PACKET_OP || p->type == TD_PACKET_PAD)
            continue;
        assert_true(p->end_ticks >= before);
        before = p->end_ticks;
        t.kernels += records_line_is(r, i, "ZONE BRISC-KERNEL ");
        t.wholes += records_line_is(r, i, "WHOLE BRISC-KERNEL ");
        t.longs += records_line_is(r, i, "ZONE long ");
        if (records_line_is(r, i, "ZONE flood ")) {
            if (in_order)
                assert_int_equal(p->duration_ticks, t.floods % 4096 + 2);
            t.floods++;
        }
        t.messages += p->type == TD_PACKET_LOG;
        t.stalls += p->type == TD_PACKET_STALL;
        t.begins += p->type == TD_PACKET_BEGIN;
        t.ends += p->type == TD_PACKET_END;
        t.exits += p->type == TD_PACKET_EXIT;
        if (p->type == TD_PACKET_LOST) {
            t.lost_packets++;
            t.lost_zones += p->value;
            t.lost_other += p->value2;
            assert_true(p->value + p->value2 > 0);
        }
    }
    return t;
}

static struct totals taken(struct machine *m, int in_order)
{
    struct records r;
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, FLOOD);
    struct totals t = add_up(&r, in_order);
    records_free(&r);
    return t;
}

/* A consumer that comes rarely and takes a number of slots that is never the same. */
static void slow_consumer(struct machine *m, void *self)
{
    uint32_t *seed = self;
    *seed = *seed * 1664525 + 1013904223;
    if (*seed >> 28 == 0)
        machine_drain(m, (*seed >> 8) % MACHINE_RING_SLOTS);
}

static void block_delivers_everything_in_order(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    uint32_t seed = 1;
    m->head_read = slow_consumer;
    m->head_read_self = &seed;
    assert_true(machine_run(m, 1, 100000 | MESSAGES | LONG_ZONES, 100000000));
    struct totals t = taken(m, 1);
    assert_int_equal(t.floods, 100000);
    assert_int_equal(t.longs, 1000);
    assert_int_equal(t.messages, 6250);
    assert_int_equal(t.begins + t.ends + t.exits, 3);
    assert_int_equal(t.lost_packets, 0);
    assert_true(t.stalls > 100);
    assert_int_equal(t.stalls, machine_lane(m, TD_LANE_stalls));
    assert_int_equal(machine_lane(m, TD_LANE_lost_zones) + machine_lane(m, TD_LANE_lost_other), 0);
    machine_destroy(m);
}

static void block_in_the_tiny_build_delivers_everything_in_order(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    uint32_t seed = 2;
    machine_load(m, FLOOD_TINY, 0);
    m->head_read = slow_consumer;
    m->head_read_self = &seed;
    assert_true(machine_run(m, 1, 20000, 100000000));
    assert_int_equal(taken(m, 1).floods, 20000);
    machine_destroy(m);
}

static void agent_gone(struct machine *m, void *self)
{
    if (m->head_reads == 100)
        machine_set_lane(m, TD_LANE_policy, TD_POLICY_OFF);
}

static void a_waiting_core_goes_on_when_the_policy_becomes_off(void **state)
{
    for (int policy = TD_POLICY_BLOCK; policy <= TD_POLICY_DROP; policy++) {
        struct machine *m = flooded((enum td_policy)policy);
        m->head_read = agent_gone;
        assert_true(machine_run(m, 1, 10000 | MESSAGES, 100000000));
        assert_int_equal(machine_lane(m, TD_LANE_state), TD_CORE_DONE);
        assert_true(m->head_reads < 400);
        machine_destroy(m);
    }
}

static void nobody_drains(struct machine *m, void *self)
{
    if (m->head_reads == 100)
        memset(m->l1 + MACHINE_LANE_BASE + TD_TILE_agent, 0, 4);
}

static void a_waiting_core_goes_on_when_nobody_drains_its_tile_any_more(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    m->head_read = nobody_drains;
    assert_true(machine_run(m, 1, 10000 | MESSAGES, 100000000));
    assert_int_equal(machine_lane(m, TD_LANE_state), TD_CORE_DONE);
    assert_true(m->head_reads < 400);
    machine_destroy(m);
}

static void drop_counts_exactly_what_does_not_arrive(void **state)
{
    for (uint32_t seed = 1; seed < 20; seed++) {
        struct machine *m = flooded(TD_POLICY_DROP);
        uint32_t random = seed;
        m->head_read = slow_consumer;
        m->head_read_self = &random;
        assert_true(machine_run(m, 1, 20000 | MESSAGES | LONG_ZONES, 100000000));
        struct totals t = taken(m, 0);
        assert_int_equal(t.floods + t.longs + t.lost_zones, 20000 + 200);
        assert_int_equal(t.messages + t.lost_other, 1250);
        assert_int_equal(t.lost_zones, machine_lane(m, TD_LANE_lost_zones));
        assert_int_equal(t.lost_other, machine_lane(m, TD_LANE_lost_other));
        assert_int_equal(t.begins, 1);
        assert_int_equal(t.ends, 1);
        assert_int_equal(t.exits, 1);
        assert_true(t.lost_packets > 3);
        machine_destroy(m);
    }
}

static void drop_keeps_the_kernels_end_and_the_count_when_nobody_takes_anything(void **state)
{
    struct machine *m = flooded(TD_POLICY_DROP);
    assert_true(machine_run(m, 1, 1000, 100000000));
    struct totals t = taken(m, 0);
    assert_int_equal(t.floods + t.lost_zones, 1000);
    assert_true(t.floods > 200);
    assert_int_equal(t.lost_packets, 1);
    assert_int_equal(t.begins + t.ends + t.exits, 3);
    machine_destroy(m);
}

static void drop_tells_the_losses_of_a_launch_in_the_next_one_at_the_latest(void **state)
{
    struct machine *m = flooded(TD_POLICY_DROP);
    for (int i = 0; i < 4; i++)
        assert_true(machine_run(m, 1, 1000, 100000000));
    struct totals first = taken(m, 0);
    m->slots = 0;
    assert_true(machine_run(m, 1, 10, 100000000));
    struct totals second = taken(m, 0);
    /* Not even the kernel's own zone of later launches fits. It and the exits are counted as lost. */
    assert_int_equal(first.floods + first.lost_zones + second.floods + second.lost_zones + first.begins +
                         first.kernels + second.begins + second.kernels,
                     4010 + 5);
    assert_int_equal(first.lost_zones + second.lost_zones, machine_lane(m, TD_LANE_lost_zones));
    assert_int_equal(machine_lane(m, TD_LANE_lost_zones), machine_lane(m, TD_LANE_told_zones));
    assert_int_equal(second.lost_packets, 1);
    machine_destroy(m);
}

static void overwrite_keeps_the_newest_and_counts_the_rest(void **state)
{
    for (uint32_t count = 1; count < 4000; count = count * 5 / 4 + 1) {
        struct machine *m = flooded(TD_POLICY_OVERWRITE);
        assert_true(machine_run(m, 1, count | MESSAGES | LONG_ZONES, 100000000));
        machine_drain_overwritten(m);
        struct records r;
        records_read(&r, m->words, m->slots, FLOOD);
        struct totals t = add_up(&r, 0);
        uint64_t messages = (count + 15) / 16, longs = count / 100;
        /* A zone with a BEGIN is counted in the part that has the BEGIN. */
        assert_int_equal(t.floods + t.longs + t.begins + machine_lane(m, TD_LANE_lost_zones),
                         count + longs + 1);
        assert_int_equal(t.messages + machine_lane(m, TD_LANE_lost_other), messages);
        /* The newest, without a gap. */
        uint64_t expected = count - t.floods;
        for (size_t i = 0; i < r.count; i++)
            if (records_line_is(&r, i, "ZONE flood "))
                assert_int_equal(r.all[i].duration_ticks, expected++ % 4096 + 2);
        if (count > 300)
            assert_true(t.floods > 100);
        /* The kernel's own zone is always there, in one form or the other. */
        assert_true(t.begins <= 1 && t.wholes == 1 && t.ends + t.kernels == 0);
        assert_int_equal(t.exits, 1);
        assert_int_equal(machine_spoilt(m), 0);
        records_free(&r);
        machine_destroy(m);
    }
}

/* The ring is full of short zones when `slots` of them are stored over, `step` from each other. */
static void overwrite_counts_slots_that_no_marker_has_written(void **state)
{
    static const struct {
        uint32_t value, slots, step;
    } stores[] = {{0, 1, 1},           {0x5a5a5a5a, 1, 1},  {1, 1, 1},          {UINT32_MAX, 1, 1},
                  {0xfeedbeef, 1, 1},  {0, 7, 5},           {UINT32_MAX, 7, 5}, {0x7fffffff, 32, 1},
                  {UINT32_MAX, 32, 1}, {0xfdf00000, 3, 20}, {0, 150, 1}};
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        for (uint32_t at = 0; at < MACHINE_RING_SLOTS; at += 37) {
            struct machine *m = flooded(TD_POLICY_OVERWRITE);
            assert_true(machine_run(m, 1, 500, 100000000));
            const uint32_t tail = machine_lane(m, TD_LANE_tail) % MACHINE_RING_SLOTS;
            uint32_t stored = 0, gone = 0;
            for (uint32_t k = 0; k < stores[i].slots; k++) {
                uint32_t *slot = machine_ring(m) + (at + k * stores[i].step) % MACHINE_RING_SLOTS * 2;
                /* Not where the core has not written yet, and will do so. */
                const uint32_t free = (at + k * stores[i].step - tail) % MACHINE_RING_SLOTS;
                if (free < TD_BLOCK_SLOTS || !TD_IS_SHORT_ZONE(*slot))
                    continue;
                *slot = stores[i].value;
                stored++;
            }
            const uint32_t lost = machine_lane(m, TD_LANE_lost_zones);
            assert_true(machine_run(m, 2, 500, 100000000));
            gone = machine_spoilt(m);
            if (gone != stored)
                fail_msg("0x%x over %u slots from %u on: %u are counted", stores[i].value, stored, at, gone);
            assert_true(machine_lane(m, TD_LANE_lost_zones) > lost);
            /* The next recording begins without. */
            machine_set_lane(m, TD_LANE_join, machine_lane(m, TD_LANE_join) + 2);
            assert_true(machine_run(m, 3, 500, 100000000));
            assert_int_equal(machine_spoilt(m), 0);
            machine_destroy(m);
        }
}

static void overwrite_counts_across_launches(void **state)
{
    struct machine *m = flooded(TD_POLICY_OVERWRITE);
    for (int i = 0; i < 7; i++)
        assert_true(machine_run(m, 1, 50, 100000000));
    machine_drain_overwritten(m);
    struct totals t = {0};
    struct records r;
    records_read(&r, m->words, m->slots, FLOOD);
    t = add_up(&r, 0);
    /* Each launch has 50 zones and the kernel's own, which is counted in the part that has its BEGIN. */
    assert_int_equal(t.floods + t.begins + machine_lane(m, TD_LANE_lost_zones), 7 * 51);
    assert_int_equal(machine_spoilt(m), 0);
    records_free(&r);
    machine_destroy(m);
}

static void off_counts_and_waits_for_nothing(void **state)
{
    struct machine *m = flooded(TD_POLICY_OFF);
    assert_true(machine_run(m, 1, 5000 | MESSAGES | LONG_ZONES, 100000000));
    assert_int_equal(machine_lane(m, TD_LANE_lost_zones) + machine_lane(m, TD_LANE_lost_other) +
                         machine_lane(m, TD_LANE_stalls),
                     0);
    assert_int_equal(machine_lane(m, TD_LANE_done), 1);
    machine_destroy(m);
}

static void lanes_that_nobody_set_up_are_left_alone(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    memset(m->l1 + MACHINE_LANE_BASE, 0, 4);
    assert_true(machine_run(m, 1, 1000 | MESSAGES, 100000000));
    for (size_t i = 0; i < 2 * MACHINE_RING_SLOTS; i++)
        assert_int_equal(machine_ring(m)[i], 0);
    assert_int_equal(machine_lane(m, TD_LANE_done), 1);
    machine_destroy(m);
}

static void a_launch_after_a_fault_keeps_what_stands_behind_the_tail(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    /* The core was stopped within the launch, so the tail is only a hint. */
    assert_false(machine_run(m, 1, 1000, 2000));
    uint32_t tail = machine_lane(m, TD_LANE_tail), valid = 0;
    while (machine_ring(m)[2 * valid] & TD_SLOT_VALID)
        valid++;
    assert_true(valid > tail);
    assert_true(machine_run(m, 2, 3, 100000));
    machine_drain(m, MACHINE_RING_SLOTS);
    assert_true(m->slots > valid + 5);
    assert_int_equal(machine_lane(m, TD_LANE_tail), m->slots);
    machine_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_delivers_everything_in_order),
        cmocka_unit_test(block_in_the_tiny_build_delivers_everything_in_order),
        cmocka_unit_test(a_waiting_core_goes_on_when_the_policy_becomes_off),
        cmocka_unit_test(a_waiting_core_goes_on_when_nobody_drains_its_tile_any_more),
        cmocka_unit_test(drop_counts_exactly_what_does_not_arrive),
        cmocka_unit_test(drop_keeps_the_kernels_end_and_the_count_when_nobody_takes_anything),
        cmocka_unit_test(drop_tells_the_losses_of_a_launch_in_the_next_one_at_the_latest),
        cmocka_unit_test(overwrite_keeps_the_newest_and_counts_the_rest),
        cmocka_unit_test(overwrite_counts_slots_that_no_marker_has_written),
        cmocka_unit_test(overwrite_counts_across_launches),
        cmocka_unit_test(off_counts_and_waits_for_nothing),
        cmocka_unit_test(lanes_that_nobody_set_up_are_left_alone),
        cmocka_unit_test(a_launch_after_a_fault_keeps_what_stands_behind_the_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
