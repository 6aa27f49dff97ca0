/* Lanes read over a UART: kernels on QEMU's harts, gathered by the probe on hart 0, drained and decoded
 * here. */
#include "tests/qemu/qemu_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ZONES  2000 /* about twice as many as a ring holds */
#define LOGS   (ZONES / 1000)
#define ROUNDS 50
#define MARKS  120 /* rounds of every way to mark: more than a ring holds */

static struct qemu_board *start(enum td_policy policy)
{
    struct qemu_board *q = qemu_start(NULL);
    if (!q)
        skip();
    qemu_open(q, NULL, policy);
    return q;
}

static void run(struct qemu_board *q, int drain)
{
    struct td_err err = {0};
    int code = -1;
    if (qemu_run(q, drain, &code, &err))
        fail_msg("%s", err.text);
    assert_int_equal(code, 0);
}

static void core_counters(struct qemu_board *q, uint32_t lane, uint32_t ctrl[32])
{
    assert_int_equal(td_drain_lane_ctrl(q->drain, lane, ctrl, NULL), 0);
}

static void all_marks_of_four_harts_arrive_and_mean_what_they_meant(void **state)
{
    struct qemu_board *q = start(TD_POLICY_BLOCK);
    const struct td_board *b = td_device_board(q->device);
    assert_string_equal(b->name, "qemu_virt");
    assert_int_equal(b->core_count, QEMU_LANES);
    qemu_prepare_all(q, "marks", 9, MARKS);
    run(q, 1);
    qemu_finish(q);
    for (int i = 0; i < QEMU_LANES; i++) {
        const struct lane_count *lane = &q->lanes[i];
        assert_int_equal(lane->zones, 2 * MARKS);
        assert_int_equal(lane->values, MARKS);
        assert_int_equal(lane->logs, MARKS);
        assert_int_equal(lane->last_log, MARKS);
        assert_int_equal(lane->plots, MARKS);
        assert_int_equal(lane->last_plot, MARKS * MARKS);
        assert_int_equal(lane->texts, MARKS);
        assert_string_equal(lane->last_text, "line 120: even");
        assert_int_equal(lane->kernels, 1);
        assert_int_equal(lane->exits, 1);
        assert_int_equal(lane->last_op, 9);
        assert_int_equal(lane->out_of_order + lane->lost_zones + lane->lost_other, 0);
        assert_int_equal(lane->decoder.stats.bad_slots + lane->decoder.stats.untimed, 0);
    }
    qemu_stop(q);
}

static void block_brings_every_zone_and_tells_the_waits(void **state)
{
    struct qemu_board *q = start(TD_POLICY_BLOCK);
    qemu_prepare_all(q, "zones", 7, ZONES);
    run(q, 1);
    qemu_finish(q);
    for (int i = 0; i < QEMU_LANES; i++) {
        const struct lane_count *lane = &q->lanes[i];
        assert_int_equal(lane->zones, ZONES);
        assert_int_equal(lane->logs, LOGS);
        assert_int_equal(lane->out_of_order + lane->lost_zones + lane->lost_other, 0);
        assert_true(lane->stalls > 0); /* a UART is slower than any hart */
    }
    qemu_stop(q);
}

static void with_drop_what_arrived_and_what_is_reported_lost_is_what_was_emitted(void **state)
{
    struct qemu_board *q = start(TD_POLICY_DROP);
    qemu_prepare_all(q, "zones", 1, ZONES);
    run(q, 1);
    qemu_prepare_all(q, "zones", 2, ZONES);
    run(q, 1);
    qemu_finish(q);
    for (int i = 0; i < QEMU_LANES; i++) {
        const struct lane_count *lane = &q->lanes[i];
        uint32_t ctrl[32];
        core_counters(q, (uint32_t)i, ctrl);
        /* A lane that is still full of the first launch may lose the second kernel's own zone, too. */
        assert_int_equal(lane->zones + lane->kernels + lane->lost_zones, 2 * ZONES + 2);
        assert_int_equal(lane->logs + lane->lost_other, 2 * LOGS);
        assert_int_equal(lane->lost_zones, ctrl[TD_LANE_lost_zones / 4]);
        assert_int_equal(lane->lost_other, ctrl[TD_LANE_lost_other / 4]);
        assert_int_equal(lane->out_of_order, 0);
        assert_in_range(lane->kernels, 1, 2);
        assert_int_equal(lane->exits, 2);
        assert_true(lane->lost_zones > 0 && lane->zones > 0);
    }
    qemu_stop(q);
}

static void with_overwrite_the_newest_survive_and_the_rest_is_counted(void **state)
{
    struct qemu_board *q = start(TD_POLICY_OVERWRITE);
    const uint32_t slots = td_device_board(q->device)->ring_slots;
    qemu_prepare_all(q, "zones", 1, ZONES);
    run(q, 1);
    qemu_finish(q);
    for (int i = 0; i < QEMU_LANES; i++) {
        const struct lane_count *lane = &q->lanes[i];
        /* The kernel's own zone is counted in the part that has its BEGIN. */
        assert_int_equal(lane->zones + lane->begins + lane->lost_zones, ZONES + 1);
        assert_int_equal(lane->logs + lane->exits + lane->lost_other, LOGS + 1);
        assert_int_equal(lane->last_log, ZONES);
        assert_int_equal(lane->exits, 1);
        assert_true(lane->zones > slots / 2);
        assert_int_equal(lane->out_of_order, 0);
    }
    qemu_stop(q);
}

static void with_off_kernels_run_to_their_end_and_nothing_comes(void **state)
{
    struct qemu_board *q = start(TD_POLICY_OFF);
    qemu_prepare_all(q, "zones", 1, ZONES);
    run(q, 1);
    qemu_finish(q);
    for (int i = 0; i < QEMU_LANES; i++)
        assert_int_equal(q->lanes[i].zones + q->lanes[i].logs, 0);
    qemu_stop(q);
}

static void runs_and_sessions_follow_each_other_on_one_machine(void **state)
{
    struct qemu_board *q = start(TD_POLICY_BLOCK);
    for (uint32_t session = 1; session <= 3; session++) {
        for (uint32_t op = 1; op <= 2; op++) {
            qemu_prepare_all(q, op == 2 ? "marks" : "zones", op, ROUNDS * session);
            run(q, 1);
        }
        qemu_finish(q);
        for (int i = 0; i < QEMU_LANES; i++) {
            assert_int_equal(q->lanes[i].zones, 3 * ROUNDS * session);
            assert_int_equal(q->lanes[i].exits, 2);
            assert_int_equal(q->lanes[i].last_op, 2);
            assert_int_equal(q->lanes[i].out_of_order, 0);
        }
        qemu_close(q);
        qemu_open(q, NULL, TD_POLICY_BLOCK);
    }
    qemu_stop(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_marks_of_four_harts_arrive_and_mean_what_they_meant),
        cmocka_unit_test(block_brings_every_zone_and_tells_the_waits),
        cmocka_unit_test(with_drop_what_arrived_and_what_is_reported_lost_is_what_was_emitted),
        cmocka_unit_test(with_overwrite_the_newest_survive_and_the_rest_is_counted),
        cmocka_unit_test(with_off_kernels_run_to_their_end_and_nothing_comes),
        cmocka_unit_test(runs_and_sessions_follow_each_other_on_one_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
