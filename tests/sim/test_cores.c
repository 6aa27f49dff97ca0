/* Cores of the simulated board: start, stop, code, clock, faults. */
#include "host/base/clock.h"
#include "proto/device/lane.h"
#include "tests/sim/harness.h"
#include "tests/sim/kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define WORD(type, member) (ARGUMENTS + (uint32_t)offsetof(struct type, member))

static void a_core_runs_what_was_loaded_each_time_it_leaves_reset(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL);
    struct td_tile_at at = rig_tile(&rig, 1, 1);
    for (uint32_t core = 0; core < rig.board.core_count; core++) {
        struct answer a = {.value = 5};
        rig_write(&rig, at, ARGUMENTS, &a, sizeof a);
        for (uint32_t run = 1; run <= 20; run++) {
            rig_load(&rig, at, core, run % 2 ? "answer1" : "answer2", ARGUMENTS);
            rig_release(&rig, at, UINT32_C(1) << core);
            rig_await(&rig, at, WORD(answer, runs), run);
            assert_int_equal(rig_word(&rig, at, WORD(answer, result)), run % 2 ? 6 : 1005);
            rig_hold(&rig, at);
        }
    }
    rig_stop(&rig);
}

static void a_parked_core_stays_parked_until_its_next_reset(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL);
    struct td_tile_at at = rig_tile(&rig, 0, 0);
    struct answer a = {.value = 5};
    rig_write(&rig, at, ARGUMENTS, &a, sizeof a);
    rig_load(&rig, at, 0, "answer1", ARGUMENTS);
    rig_release(&rig, at, 1);
    rig_await(&rig, at, WORD(answer, runs), 1);
    rig_load(&rig, at, 0, "answer2", ARGUMENTS);
    rig_nap(20);
    assert_int_equal(rig_word(&rig, at, WORD(answer, runs)), 1);
    rig_hold(&rig, at);
    rig_release(&rig, at, 1);
    rig_await(&rig, at, WORD(answer, runs), 2);
    rig_stop(&rig);
}

static void code_loaded_over_a_core_that_was_held_midway_is_seen(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL);
    struct td_tile_at at = rig_tile(&rig, 0, 0);
    for (uint32_t run = 1; run <= 200; run++) {
        struct answer a = {.value = run};
        rig_load(&rig, at, 4, "count", ARGUMENTS);
        rig_release(&rig, at, 1 << 4);
        if (run % 2)
            rig_nap(1);
        rig_hold(&rig, at);
        rig_write(&rig, at, ARGUMENTS, &a, sizeof a);
        rig_load(&rig, at, 4, run % 3 ? "answer1" : "answer2", ARGUMENTS);
        rig_release(&rig, at, 1 << 4);
        rig_await(&rig, at, WORD(answer, runs), 1);
        assert_int_equal(rig_word(&rig, at, WORD(answer, result)), run + (run % 3 ? 1 : 1000));
        rig_hold(&rig, at);
    }
    rig_stop(&rig);
}

static void the_latch_of_the_high_half_is_shared_by_the_cores_of_a_tile(void **state)
{
    /* The low half wraps 50,000 ticks after the start. */
    static const char *const arguments[] = {"--clock", "insn", "--offset-ns", "4294917296", NULL};
    struct rig rig;
    rig_start(&rig, arguments);
    struct td_tile_at at = rig_tile(&rig, 0, 0);
    uint32_t second = ARGUMENTS + 0x100;
    struct clocks c = {.role = 0}, d = {.role = 1, .other = ARGUMENTS};
    rig_write(&rig, at, ARGUMENTS, &c, sizeof c);
    rig_write(&rig, at, second, &d, sizeof d);
    rig_load(&rig, at, 0, "clocks", ARGUMENTS);
    rig_load(&rig, at, 1, "clocks", second);
    rig_release(&rig, at, 3);
    rig_await(&rig, at, WORD(clocks, done), 1);
    rig_read(&rig, at, ARGUMENTS, &c, sizeof c);
    rig_read(&rig, at, second, &d, sizeof d);
    assert_true(c.low >= 4294917296u);
    assert_int_equal(c.latched_at_once, 0);
    assert_int_equal(c.latched_later, 1);
    assert_int_equal(c.live_high, 1);
    assert_true(d.low < 100000);
    rig_stop(&rig);
}

static void virtual_time_counts_instructions_exactly_within_and_across_blocks(void **state)
{
    static const char *const arguments[] = {"--clock", "insn", NULL};
    struct rig rig;
    rig_start(&rig, arguments);
    struct td_tile_at at = rig_tile(&rig, 0, 0);
    struct spans s = {.loops = 10000};
    rig_write(&rig, at, ARGUMENTS, &s, sizeof s);
    rig_load(&rig, at, 0, "spans", ARGUMENTS);
    rig_release(&rig, at, 1);
    rig_await(&rig, at, WORD(spans, done), 1);
    rig_read(&rig, at, ARGUMENTS, &s, sizeof s);
    assert_int_equal(s.nops - s.start, 11);
    assert_int_equal(s.end, 2 * 10000 + 1);
    rig_stop(&rig);
}

static const struct {
    uint32_t kind, cause, address; /* address 0: not looked at; 1: the pc */
} cases[] = {
    {1, TD_FAULT_READ, 0x30000004},
    {2, TD_FAULT_WRITE, 0x30000008},
    {3, TD_FAULT_FETCH, 0x30000000},
    {4, TD_FAULT_ILLEGAL, 1},
    {5, TD_FAULT_ALIGN, ARGUMENTS + 2},
    {6, TD_FAULT_ALIGN, ARGUMENTS + 1},
    {7, TD_FAULT_ILLEGAL, 1},
    {8, TD_FAULT_ILLEGAL, 1},
    {9, TD_FAULT_READ, 0xFFB12F10},
    {10, TD_FAULT_READ, 0},
    {11, TD_FAULT_ALIGN, 0},
    {12, TD_FAULT_OTHER, 1},
    {13, TD_FAULT_FETCH, 0xFFB00000},
    {14, TD_FAULT_ILLEGAL, 1},
};

/* The second core of the tile runs all the time. */
static void faults_stop_one_core_and_name_pc_and_address(const char *mode)
{
    const char *const arguments[] = {"--clock", mode, NULL};
    struct rig rig;
    rig_start(&rig, arguments);
    struct td_tile_at at = rig_tile(&rig, 0, 1);
    uint32_t other = ARGUMENTS + 0x100;
    struct answer a = {.value = 1};
    rig_write(&rig, at, other, &a, sizeof a);
    rig_load(&rig, at, 0, "faults", ARGUMENTS);
    rig_load(&rig, at, 1, "answer1", other);
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct faults f = {.kind = cases[i].kind};
        rig_write(&rig, at, ARGUMENTS, &f, sizeof f);
        rig_put(&rig, at, td_board_lane_ctrl(&rig.board, 0) + TD_LANE_state, TD_CORE_RUNNING);
        rig_release(&rig, at, 3);
        rig_await(&rig, at, td_board_lane_ctrl(&rig.board, 0) + TD_LANE_state, TD_CORE_FAULT);
        rig_read(&rig, at, ARGUMENTS, &f, sizeof f);
        uint32_t pc = rig_lane_word(&rig, at, 0, TD_LANE_fault_pc);
        assert_int_equal(rig_lane_word(&rig, at, 0, TD_LANE_fault_cause), cases[i].cause);
        assert_int_equal(pc, f.pc);
        if (cases[i].address)
            assert_int_equal(rig_lane_word(&rig, at, 0, TD_LANE_fault_address),
                             cases[i].address == 1 ? pc : cases[i].address);
        assert_int_equal(f.survived, 0);
        assert_int_equal(td_simbar_header(rig.t)->fault_count, i + 1);
        rig_await(&rig, at, other + (uint32_t)offsetof(struct answer, runs), i + 1);
        rig_hold(&rig, at);
    }
    rig_stop(&rig);
}

static void a_fault_stops_one_core_and_names_pc_and_address(void **state)
{
    faults_stop_one_core_and_name_pc_and_address("host");
}

static void faults_are_the_same_in_virtual_time(void **state)
{
    faults_stop_one_core_and_name_pc_and_address("insn");
}

static void real_time_clock_has_offset_and_rate_that_were_asked_for(void **state)
{
    static const char *const arguments[] = {"--offset-ns", "5000000000", "--drift-ppm", "-100", NULL};
    struct rig rig;
    struct td_err err = {0};
    rig_start(&rig, arguments);
    const struct td_bar_header *bar = td_simbar_header(rig.t);
    double mhz = 1e3 / td_host_ns_per_tick(50);
    assert_true(bar->truth_base_ticks == 5000000000u);
    double expected = 1000.0 * (1 - 100e-6) / mhz;
    assert_true(bar->truth_ticks_per_host_tick / expected > 1 - 1e-5 &&
                bar->truth_ticks_per_host_tick / expected < 1 + 1e-5);
    uint64_t last = 0;
    for (int i = 0; i < 1000; i++) {
        struct td_clock_sample s;
        assert_int_equal(rig.t->ops->clock(rig.t, rig_tile(&rig, i % 2, 0), &s, &err), 0);
        double low = (double)(s.host_before - bar->truth_base_host) * bar->truth_ticks_per_host_tick;
        double high = (double)(s.host_after - bar->truth_base_host) * bar->truth_ticks_per_host_tick;
        assert_true((double)(s.ticks - bar->truth_base_ticks) >= low - 1);
        assert_true((double)(s.ticks - bar->truth_base_ticks) <= high + 1);
        assert_true(s.ticks > last);
        last = s.ticks;
    }
    rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_runs_what_was_loaded_each_time_it_leaves_reset),
        cmocka_unit_test(a_parked_core_stays_parked_until_its_next_reset),
        cmocka_unit_test(code_loaded_over_a_core_that_was_held_midway_is_seen),
        cmocka_unit_test(the_latch_of_the_high_half_is_shared_by_the_cores_of_a_tile),
        cmocka_unit_test(virtual_time_counts_instructions_exactly_within_and_across_blocks),
        cmocka_unit_test(a_fault_stops_one_core_and_names_pc_and_address),
        cmocka_unit_test(faults_are_the_same_in_virtual_time),
        cmocka_unit_test(real_time_clock_has_offset_and_rate_that_were_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
