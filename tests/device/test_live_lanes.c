/* Lanes end to end: cross-compiled kernels on simulated cores, drained and decoded. */
#include "tests/device/live_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static struct live_board *start(enum td_policy policy)
{
    struct live_board *b = live_board_start(NULL);
    if (!b)
        skip();
    live_drain(b, policy);
    return b;
}

static void run(struct live_board *b, int drain)
{
    struct td_err err = {0};
    int code = -1;
    if (live_run(b, drain, &code, &err))
        fail_msg("%s", err.text);
    assert_int_equal(code, 0);
}

static void core_counters(struct live_board *b, uint32_t lane, uint32_t ctrl[32])
{
    assert_int_equal(td_drain_lane_ctrl(b->drain, lane, ctrl, NULL), 0);
}

static void block_brings_a_million_zones_of_twenty_cores_whole_and_in_order(void **state)
{
    struct live_board *b = start(TD_POLICY_BLOCK);
    live_prepare_all(b, "zones", 7, 50000);
    run(b, 1);
    live_finish(b);
    for (int i = 0; i < LIVE_LANES; i++) {
        const struct lane_count *lane = &b->lanes[i];
        assert_int_equal(lane->zones, 50000);
        assert_int_equal(lane->logs, 50);
        assert_int_equal(lane->wrong_logs, 0);
        assert_int_equal(lane->out_of_order, 0);
        assert_int_equal(lane->kernels, 1);
        assert_int_equal(lane->exits, 1);
        assert_int_equal(lane->last_op, 7);
        assert_int_equal(lane->lost_zones + lane->lost_other, 0);
    }
    live_board_stop(b);
}

static void wait_until_all_wait(struct live_board *b)
{
    uint32_t ctrl[32], waiting = 0;
    for (int i = 0; i < 60000 && waiting < LIVE_LANES; i++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        waiting = 0;
        for (uint32_t lane = 0; lane < LIVE_LANES; lane++) {
            core_counters(b, lane, ctrl);
            waiting += ctrl[TD_LANE_stalls / 4] > 0;
        }
    }
    assert_int_equal(waiting, LIVE_LANES);
}

static void a_drain_that_pauses_until_all_cores_wait_loses_nothing_and_the_waits_are_told(void **state)
{
    struct live_board *b = start(TD_POLICY_BLOCK);
    struct td_err err = {0};
    int code = -1, rc;
    live_prepare_all(b, "zones", 1, 3000);
    assert_int_equal(td_device_launch(b->device, &err), 0);
    live_poll(b);
    wait_until_all_wait(b);
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    do {
        live_poll(b);
        rc = td_device_wait(b->device, 0, &code, NULL);
    } while (rc == TD_E_TIMEOUT);
    assert_int_equal(rc, 0);
    live_finish(b);
    for (int i = 0; i < LIVE_LANES; i++) {
        uint32_t ctrl[32];
        core_counters(b, (uint32_t)i, ctrl);
        assert_int_equal(b->lanes[i].zones, 3000);
        assert_int_equal(b->lanes[i].wrong_logs + b->lanes[i].out_of_order, 0);
        assert_true(b->lanes[i].stalls >= 1 && b->lanes[i].stall_ticks > 0);
        assert_true(ctrl[TD_LANE_stalls / 4] >= b->lanes[i].stalls);
    }
    live_board_stop(b);
}

/* kernel_zones: whether the zones of whole kernels are recorded; messages: how many of the kernel's own are. */
static uint64_t zones_of_a_launch(struct live_board *b, uint64_t kernel_zones, uint64_t messages)
{
    const uint64_t before = b->lanes[0].zones, kernels = b->lanes[0].kernels, logs = b->lanes[0].logs;
    struct td_err err = {0};
    for (uint16_t i = 0; i < LIVE_LANES; i++) {
        const struct td_core_at at = {0, (uint16_t)(i / 5 % 2), (uint16_t)(i / 10), (uint16_t)(i % 5)};
        assert_int_equal(td_device_prepare(b->device, at, 1, 2000, &err), 0);
    }
    run(b, 1);
    live_finish(b);
    for (int i = 0; i < LIVE_LANES; i++) {
        assert_int_equal(b->lanes[i].zones, b->lanes[0].zones);
        assert_int_equal(b->lanes[i].kernels, kernels + kernel_zones);
        assert_int_equal(b->lanes[i].logs, logs + messages);
    }
    return b->lanes[0].zones - before;
}

static void markers_are_switched_by_name_and_launch_in_loaded_programs(void **state)
{
    struct live_board *b = start(TD_POLICY_BLOCK);
    struct td_err err = {0};
    live_prepare_all(b, "zones", 1, 2000);
    assert_int_equal(zones_of_a_launch(b, 1, 2), 2000);
    assert_int_equal(td_device_set_zones(b->device, "every=3;zones=w*", &err), 0);
    for (int launch = 1; launch < 7; launch++)
        assert_int_equal(zones_of_a_launch(b, launch % 3 == 0, 0), launch % 3 ? 0 : 2000);
    assert_int_equal(td_device_set_zones(b->device, "zones=after*", &err), 0);
    assert_int_equal(zones_of_a_launch(b, 1, 2), 0);
    assert_int_equal(td_device_set_zones(b->device, "not=*KERNEL", &err), 0);
    assert_int_equal(zones_of_a_launch(b, 0, 2), 2000);
    assert_int_equal(td_device_set_zones(b->device, "not=*", &err), 0);
    assert_int_equal(zones_of_a_launch(b, 0, 0), 0);
    assert_int_equal(td_device_set_zones(b->device, NULL, &err), 0);
    assert_int_equal(zones_of_a_launch(b, 1, 2), 2000);
    assert_int_equal(td_device_set_zones(b->device, "every=0", &err), TD_E_USAGE);
    assert_int_equal(zones_of_a_launch(b, 1, 2), 2000);
    live_board_stop(b);
}

static void with_drop_what_arrived_and_what_is_reported_lost_is_what_was_emitted(void **state)
{
    struct live_board *b = start(TD_POLICY_DROP);
    live_prepare_all(b, "zones", 1, 20000);
    run(b, 0); /* without a drain */
    live_finish(b);
    live_prepare_all(b, "zones", 2, 20000);
    run(b, 1); /* now and then there is room */
    live_finish(b);
    for (int i = 0; i < LIVE_LANES; i++) {
        const struct lane_count *lane = &b->lanes[i];
        uint32_t ctrl[32];
        core_counters(b, (uint32_t)i, ctrl);
        assert_int_equal(lane->zones + lane->lost_zones, 40000);
        assert_int_equal(lane->logs + lane->lost_other, 40);
        assert_int_equal(lane->lost_zones, ctrl[TD_LANE_lost_zones / 4]);
        assert_int_equal(lane->lost_other, ctrl[TD_LANE_lost_other / 4]);
        assert_int_equal(lane->out_of_order, 0);
        assert_int_equal(lane->kernels, 2);
        assert_int_equal(lane->exits, 2);
        assert_true(lane->lost_zones > 0 && lane->zones > 0);
    }
    live_board_stop(b);
}

/* Zones and messages that came, and those that did not, are all that the kernel wrote. */
static void check_overwritten(struct live_board *b, uint64_t zones, uint64_t launches)
{
    for (int i = 0; i < LIVE_LANES; i++) {
        const struct lane_count *lane = &b->lanes[i];
        /* The kernel's own zone counts where its BEGIN is. */
        assert_int_equal(lane->zones + lane->begins + lane->lost_zones, zones + launches);
        assert_int_equal(lane->logs + lane->exits + lane->lost_other, zones / 1000 + launches);
        assert_int_equal(lane->last_log, zones / launches);
        assert_int_equal(lane->out_of_order, 0);
        assert_int_equal(lane->missing, 0);
    }
}

static void with_overwrite_the_newest_survive_and_the_rest_is_counted(void **state)
{
    struct live_board *b = start(TD_POLICY_OVERWRITE);
    live_prepare_all(b, "zones", 1, 20000);
    run(b, 0);
    live_finish(b);
    check_overwritten(b, 20000, 1);
    for (int i = 0; i < LIVE_LANES; i++)
        assert_true(b->lanes[i].zones > 100 && b->lanes[i].zones < 256 && b->lanes[i].kernels == 1);
    live_board_stop(b);
}

static void with_overwrite_nothing_is_lost_that_the_drain_takes_in_time(void **state)
{
    struct live_board *b = start(TD_POLICY_OVERWRITE);
    for (uint32_t op = 1; op <= 5; op++) {
        live_prepare_all(b, "zones", op, 20000);
        run(b, 1);
    }
    live_finish(b);
    check_overwritten(b, 5 * 20000, 5);
    uint64_t zones = 0;
    for (int i = 0; i < LIVE_LANES; i++)
        zones += b->lanes[i].zones;
    assert_true(zones > LIVE_LANES * 5 * 256); /* more than the rings hold at the end of each launch */
    live_board_stop(b);
}

static void many_launches_follow_each_other_in_one_lane(void **state)
{
    struct live_board *b = start(TD_POLICY_BLOCK);
    struct td_err err = {0};
    for (uint32_t op = 1; op <= 30; op++) {
        if (op % 10 == 1)
            live_prepare_all(b, op == 11 ? "ending" : "zones", op, op == 11 ? 0 : 100);
        else
            for (uint16_t i = 0; i < LIVE_LANES; i++) {
                struct td_core_at at = {0, i / 5 % 2, i / 10, i % 5};
                assert_int_equal(td_device_prepare(b->device, at, op, op > 10 && op <= 20 ? 0 : 100, &err),
                                 0);
            }
        run(b, 1);
    }
    live_finish(b);
    for (int i = 0; i < LIVE_LANES; i++) {
        assert_int_equal(b->lanes[i].zones, 2000);
        assert_int_equal(b->lanes[i].exits, 30);
        assert_int_equal(b->lanes[i].last_op, 30);
        assert_int_equal(b->lanes[i].out_of_order, 0);
    }
    live_board_stop(b);
}

static uint64_t record_in_virtual_time(enum td_policy policy, uint32_t zones, int slowly)
{
    static const char *const options[] = {"--clock", "insn", NULL};
    struct live_board *b = live_board_start(options);
    if (!b)
        skip();
    live_drain(b, policy);
    for (uint32_t op = 1; op <= 3; op++) {
        live_prepare_all(b, "zones", op, zones);
        if (slowly)
            nanosleep(&(struct timespec){0, 3000000}, NULL);
        run(b, 1);
    }
    live_finish(b);
    for (int i = 0; i < LIVE_LANES; i++) {
        assert_int_equal(b->lanes[i].zones + b->lanes[i].lost_zones, 3 * zones);
        assert_int_equal(b->lanes[i].out_of_order, 0);
    }
    const uint64_t order = b->order;
    live_board_stop(b);
    return order;
}

static void in_virtual_time_the_same_program_gives_the_same_words_in_the_same_order(void **state)
{
    static const enum td_policy policies[] = {TD_POLICY_BLOCK, TD_POLICY_DROP};
    for (int i = 0; i < 2; i++) {
        uint64_t first = record_in_virtual_time(policies[i], 3000, 0);
        assert_int_equal(first, record_in_virtual_time(policies[i], 3000, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_brings_a_million_zones_of_twenty_cores_whole_and_in_order),
        cmocka_unit_test(a_drain_that_pauses_until_all_cores_wait_loses_nothing_and_the_waits_are_told),
        cmocka_unit_test(markers_are_switched_by_name_and_launch_in_loaded_programs),
        cmocka_unit_test(with_drop_what_arrived_and_what_is_reported_lost_is_what_was_emitted),
        cmocka_unit_test(with_overwrite_the_newest_survive_and_the_rest_is_counted),
        cmocka_unit_test(with_overwrite_nothing_is_lost_that_the_drain_takes_in_time),
        cmocka_unit_test(many_launches_follow_each_other_in_one_lane),
        cmocka_unit_test(in_virtual_time_the_same_program_gives_the_same_words_in_the_same_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
