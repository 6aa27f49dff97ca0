/* How a core joins and leaves a recording, and how it handles control words and rings that a kernel has
 * overwritten (proto/device/lane.h). */
#include "tests/target/records.h"

#include "proto/device/packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define FLOOD    TD_BINARY_DIR "/tests/kernels/t_flood.elf"
#define MESSAGES (1u << 24)
#define LIMIT    100000000
#define JOIN     6

static struct machine *flooded(enum td_policy policy)
{
    struct machine *m = machine_create();
    machine_load(m, FLOOD, 0);
    machine_reset_lane(m, policy);
    machine_set_lane(m, TD_LANE_join, JOIN);
    m->ticks = 0x123000;
    return m;
}

static void fill_ring(struct machine *m, uint32_t word)
{
    for (size_t i = 0; i < 2 * MACHINE_RING_SLOTS; i++)
        machine_ring(m)[i] = word;
}

struct count {
    uint64_t floods, lost, bad;
    int in_order;
};

/* Zones of the kernel that were taken. in_order: the duration of each follows from its number. */
static struct count taken(struct machine *m)
{
    struct records r;
    struct count c = {.in_order = 1};
    machine_drain(m, MACHINE_RING_SLOTS);
    records_read(&r, m->words, m->slots, FLOOD);
    for (size_t i = 0; i < r.count; i++) {
        if (records_line_is(&r, i, "ZONE flood "))
            c.in_order &= r.all[i].duration_ticks == c.floods++ % 4096 + 2;
        c.lost += r.all[i].type == TD_PACKET_LOST ? r.all[i].value : 0;
    }
    c.bad = r.bad_slots;
    records_free(&r);
    return c;
}

static void a_launch_joins_at_the_consumers_place_whatever_the_ring_holds(void **state)
{
    static const enum td_policy policies[] = {TD_POLICY_BLOCK, TD_POLICY_DROP, TD_POLICY_OVERWRITE};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct machine *m = flooded(policies[i]);
        fill_ring(m, UINT32_MAX);
        machine_set_lane(m, TD_LANE_tail, 12345);
        machine_set_lane(m, TD_LANE_head, 777);
        assert_true(machine_run(m, 1, 100, LIMIT));
        assert_int_equal(machine_lane(m, TD_LANE_joined), JOIN);
        assert_int_equal(machine_lane(m, TD_LANE_skipped), 0);
        struct count c = taken(m);
        assert_int_equal(c.floods, 100);
        assert_true(c.in_order && c.bad == 0);
        assert_int_equal(machine_lane(m, TD_LANE_tail), 777 + m->slots);
        if (policies[i] == TD_POLICY_OVERWRITE)
            assert_int_equal(machine_spoilt(m), 0);
        /* The launches that follow are of the same recording. */
        assert_true(machine_run(m, 2, 50, LIMIT));
        assert_int_equal(machine_lane(m, TD_LANE_skipped), 0);
        assert_int_equal(taken(m).floods, 150);
        machine_destroy(m);
    }
}

static void losses_are_counted_anew_for_another_recording_and_go_on_in_the_same_one(void **state)
{
    struct machine *m = flooded(TD_POLICY_DROP);
    for (int i = 0; i < 4; i++) /* the last ones find no room at all */
        assert_true(machine_run(m, 1, 1000, LIMIT));
    const uint32_t lost = machine_lane(m, TD_LANE_lost_zones), told = machine_lane(m, TD_LANE_told_zones);
    assert_true(lost > told && told > 0);
    machine_set_lane(m, TD_LANE_join, JOIN + 3); /* TD_JOIN_REJOIN */
    assert_true(machine_run(m, 1, 10, LIMIT));
    struct count c = taken(m);
    assert_int_equal(c.lost, lost - told);
    assert_int_equal(machine_lane(m, TD_LANE_told_zones), lost);
    m->slots = 0;
    machine_set_lane(m, TD_LANE_join, JOIN + 4);
    assert_true(machine_run(m, 1, 10, LIMIT));
    assert_int_equal(taken(m).lost, 0);
    assert_int_equal(machine_lane(m, TD_LANE_lost_zones), 0);
    machine_destroy(m);
}

/* Drains as an agent does: only a lane that has joined the recording. */
static void drain_what_is_for_it(struct machine *m, void *self)
{
    if (machine_lane(m, TD_LANE_joined) == machine_lane(m, TD_LANE_join))
        machine_drain(m, MACHINE_RING_SLOTS);
}

static void another_agent_comes(struct machine *m, void *self)
{
    if (m->head_reads == 100)
        machine_set_lane(m, TD_LANE_join, JOIN + 2);
}

static void a_core_of_an_earlier_recording_does_not_wait_for_the_next_ones_agent(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    m->head_read = another_agent_comes;
    assert_true(machine_run(m, 1, 10000 | MESSAGES, LIMIT));
    assert_true(m->head_reads < 400);
    assert_true(machine_lane(m, TD_LANE_joined) & TD_JOIN_LEFT);
    const uint32_t tail = machine_lane(m, TD_LANE_tail);
    assert_true(tail > 10000);
    /* The next launch loses no zone either. */
    m->head_read = drain_what_is_for_it;
    fill_ring(m, 0x80010001);
    assert_true(machine_run(m, 2, 10000, LIMIT));
    assert_int_equal(machine_lane(m, TD_LANE_joined), JOIN + 2);
    struct count c = taken(m);
    assert_int_equal(c.floods, 10000);
    assert_true(c.in_order && c.bad == 0);
    machine_destroy(m);
}

static void agent_ends(struct machine *m, void *self)
{
    if (m->head_reads > 2 && m->head_reads <= 100)
        assert_int_equal(machine_lane(m, TD_LANE_joined), JOIN);
    if (m->head_reads == 100)
        machine_set_lane(m, TD_LANE_policy, TD_POLICY_OFF);
}

static void a_core_says_that_it_leaves(void **state)
{
    for (int policy = TD_POLICY_BLOCK; policy <= TD_POLICY_DROP; policy++) {
        struct machine *m = flooded((enum td_policy)policy);
        m->head_read = agent_ends;
        assert_true(machine_run(m, 1, 10000 | MESSAGES, LIMIT));
        assert_true(machine_lane(m, TD_LANE_joined) & TD_JOIN_LEFT);
        machine_destroy(m);
    }
    struct machine *m = flooded((enum td_policy)42); /* overwritten */
    assert_true(machine_run(m, 1, 1000 | MESSAGES, LIMIT));
    assert_true(machine_lane(m, TD_LANE_joined) & TD_JOIN_LEFT);
    machine_destroy(m);
}

static void what_is_written_while_nobody_listens_is_counted(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    m->head_read = agent_ends;
    assert_true(machine_run(m, 1, 10000 | MESSAGES, LIMIT));
    assert_true(machine_run(m, 1, 500, LIMIT));
    const uint32_t skipped = machine_lane(m, TD_LANE_tail) - machine_lane(m, TD_LANE_head);
    assert_true(skipped > 10000);
    /* The agent comes back, under the same number or another one of the same recording. */
    machine_set_lane(m, TD_LANE_policy, TD_POLICY_BLOCK);
    m->head_read = drain_what_is_for_it;
    assert_true(machine_run(m, 1, 10, LIMIT));
    assert_int_equal(machine_lane(m, TD_LANE_skipped), skipped);
    machine_set_lane(m, TD_LANE_join, JOIN | TD_JOIN_REJOIN);
    const uint32_t left = machine_lane(m, TD_LANE_tail) - machine_lane(m, TD_LANE_head);
    assert_true(machine_run(m, 1, 10, LIMIT));
    assert_int_equal(machine_lane(m, TD_LANE_skipped), skipped + left);
    machine_set_lane(m, TD_LANE_join, JOIN + 2);
    assert_true(machine_run(m, 1, 10, LIMIT));
    assert_int_equal(machine_lane(m, TD_LANE_skipped), 0);
    machine_destroy(m);
}

struct scribbler {
    uint32_t seed, head;
    int spoilt;
};

/* Overwrites the head every other time. The consumer restores it at its next visit. */
static void scribble_head(struct machine *m, void *self)
{
    struct scribbler *s = self;
    s->seed = s->seed * 1664525 + 1013904223;
    if (s->spoilt)
        machine_set_lane(m, TD_LANE_head, s->head);
    s->spoilt = s->seed >> 31;
    if (s->seed >> 29 & 1)
        machine_drain(m, (s->seed >> 8) % MACHINE_RING_SLOTS);
    s->head = machine_lane(m, TD_LANE_head);
    if (s->spoilt)
        machine_set_lane(m, TD_LANE_head, s->head + 0x40000000 + (s->seed & 0x3fffffff));
}

static void a_head_that_cannot_be_is_not_believed(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    struct scribbler s = {.seed = 3};
    m->head_read = scribble_head;
    m->head_read_self = &s;
    assert_true(machine_run(m, 1, 20000, LIMIT));
    if (s.spoilt)
        machine_set_lane(m, TD_LANE_head, s.head);
    struct count c = taken(m);
    assert_int_equal(c.floods, 20000);
    assert_true(c.in_order && c.bad == 0);
    machine_destroy(m);
}

static void scribble_ring(struct machine *m, void *self)
{
    if (m->head_reads == 20)
        fill_ring(m, UINT32_MAX);
    machine_drain(m, MACHINE_RING_SLOTS);
}

static void a_ring_full_of_what_no_marker_wrote_does_not_hold_the_core_up(void **state)
{
    for (int policy = TD_POLICY_BLOCK; policy <= TD_POLICY_DROP; policy++) {
        struct machine *m = flooded((enum td_policy)policy);
        m->head_read = scribble_ring;
        assert_true(machine_run(m, 1, 20000, LIMIT));
        struct count c = taken(m);
        assert_true(c.bad > 0);
        assert_true(c.floods + c.lost + 2 * MACHINE_RING_SLOTS > 20000);
        assert_true(c.floods > 10000);
        machine_destroy(m);
    }
}

static void a_packet_that_was_cut_by_a_reset_does_not_spoil_the_next_launch(void **state)
{
    struct machine *m = flooded(TD_POLICY_BLOCK);
    assert_false(machine_run(m, 1, 1000, 2000));
    uint32_t valid = 0;
    while (machine_ring(m)[2 * valid] & TD_SLOT_VALID)
        valid++;
    for (uint32_t i = 1; i < 5; i++)
        machine_ring(m)[2 * (valid + i)] = TD_TAG_CONT | (4 - i) << TD_CONT_LEFT_SHIFT;
    m->head_read = machine_drain_all;
    assert_true(machine_run(m, 2, 1000, LIMIT));
    struct count c = taken(m);
    assert_int_equal(c.bad, 0);
    assert_in_range(c.floods, 1000, 1000 + valid);
    assert_int_equal(machine_lane(m, TD_LANE_tail), m->slots);
    machine_destroy(m);
}

static void an_overwriting_launch_that_was_stopped_loses_nothing_to_the_next_one(void **state)
{
    for (uint64_t limit = 2000; limit<40000; limit += limit> 20000 && limit < 21500 ? 2 : 997) {
        struct machine *m = flooded(TD_POLICY_OVERWRITE);
        assert_false(machine_run(m, 1, 100000, limit));
        const uint32_t lost = machine_lane(m, TD_LANE_lost_zones);
        const uint32_t word = machine_lane(m, TD_LANE_given), given = word & ~TD_GIVEN_BUSY;
        const uint32_t most = given + MACHINE_RING_SLOTS - (word & TD_GIVEN_BUSY ? TD_BLOCK_SLOTS : 0);
        uint32_t end = given > INT32_MAX ? 0 : given; /* not full yet */
        while (end != most && machine_ring(m)[2 * (end % MACHINE_RING_SLOTS)] & TD_SLOT_VALID)
            end++;
        assert_true(machine_run(m, 2, 3, LIMIT));
        assert_true(machine_lane(m, TD_LANE_tail) > end);
        assert_true(machine_lane(m, TD_LANE_lost_zones) - lost <= 2 * TD_BLOCK_SLOTS);
        assert_int_equal(machine_spoilt(m), 0);
        machine_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_joins_at_the_consumers_place_whatever_the_ring_holds),
        cmocka_unit_test(losses_are_counted_anew_for_another_recording_and_go_on_in_the_same_one),
        cmocka_unit_test(a_core_of_an_earlier_recording_does_not_wait_for_the_next_ones_agent),
        cmocka_unit_test(a_core_says_that_it_leaves),
        cmocka_unit_test(what_is_written_while_nobody_listens_is_counted),
        cmocka_unit_test(a_head_that_cannot_be_is_not_believed),
        cmocka_unit_test(a_ring_full_of_what_no_marker_wrote_does_not_hold_the_core_up),
        cmocka_unit_test(a_packet_that_was_cut_by_a_reset_does_not_spoil_the_next_launch),
        cmocka_unit_test(an_overwriting_launch_that_was_stopped_loses_nothing_to_the_next_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
