/* The relay end to end: its firmware on a simulated spare core gathers the lanes of cross-compiled kernels.
 */
#include "host/device/image/core_load.h"
#include "host/device/drain/relay.h"
#include "proto/device/packet.h"
#include "proto/device/relay.h"
#include "tests/device/live_board.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#define FIRMWARE TD_BINARY_DIR "/lib/relay/relay_tensix_sim.elf"

struct rig {
    struct live_board *board;
    struct td_gather *relay;
};

static struct rig start(enum td_policy policy, struct td_relay_options options)
{
    struct rig rig = {live_board_start(NULL), NULL};
    if (!rig.board)
        skip();
    struct td_err err = {0};
    options.elf = FIRMWARE;
    live_open_drain(rig.board);
    rig.relay =
        td_relay_create(rig.board->drain_transport, td_device_board(rig.board->device), &options, &err);
    if (!rig.relay)
        fail_msg("%s", err.text);
    live_drain_with(rig.board, &(struct td_drain_options){.policy = policy, .gather = rig.relay});
    return rig;
}

static void stop(struct rig *rig)
{
    td_drain_destroy(rig->board->drain);
    rig->board->drain = NULL;
    td_relay_destroy(rig->relay);
    live_board_stop(rig->board);
}

static void run(struct live_board *b)
{
    struct td_err err = {0};
    int code = -1;
    if (live_run(b, 1, &code, &err))
        fail_msg("%s", err.text);
    assert_int_equal(code, 0);
}

static int ignore_words(void *self, const struct td_lane_at *lane, const uint32_t *words, size_t slots,
                        struct td_err *err)
{
    return 0;
}

static void check_whole(struct rig *rig, uint32_t zones)
{
    for (int i = 0; i < LIVE_LANES; i++) {
        const struct lane_count *lane = &rig->board->lanes[i];
        assert_int_equal(lane->zones, zones);
        assert_int_equal(lane->logs, zones / 1000);
        assert_int_equal(lane->wrong_logs, 0);
        assert_int_equal(lane->out_of_order, 0);
        assert_int_equal(lane->exits, 1);
        assert_int_equal(lane->lost_zones + lane->lost_other, 0);
    }
    assert_int_equal(rig->relay->stats.lost_slots, 0);
    assert_int_equal(rig->relay->stats.bad_frames, 0);
}

static void check_all_zones(int in_dram)
{
    struct rig rig = start(TD_POLICY_BLOCK, (struct td_relay_options){.in_dram = in_dram});
    live_prepare_all(rig.board, "zones", 7, 20000);
    run(rig.board);
    live_finish(rig.board);
    check_whole(&rig, 20000);
    struct td_relay_stats stats;
    assert_int_equal(td_relay_read_stats(rig.relay, &stats, NULL), 0);
    assert_true(stats.slots >= 20000 * LIVE_LANES * 3 / 4);
    print_message("relay: %llu rounds, %.2f NoC commands and %.1f bytes a slot, %llu waits for the host\n",
                  (unsigned long long)stats.rounds,
                  (double)(stats.reads + stats.writes) / (double)stats.slots,
                  (double)(stats.read_bytes + stats.written_bytes) / (double)stats.slots,
                  (unsigned long long)stats.waits);
    stop(&rig);
}

static void all_zones_of_twenty_cores_come_through_rings_in_dram_whole_and_in_order(void **state)
{
    check_all_zones(1);
}

static void all_zones_of_twenty_cores_come_through_the_hosts_memory_whole_and_in_order(void **state)
{
    check_all_zones(0);
}

static void a_ring_that_is_full_makes_the_cores_wait_and_loses_nothing(void **state)
{
    struct rig rig = start(TD_POLICY_BLOCK, (struct td_relay_options){.fifo_bytes = 8192});
    live_prepare_all(rig.board, "zones", 7, 5000);
    struct td_err err = {0};
    int code = -1, rc;
    assert_int_equal(td_device_launch(rig.board->device, &err), 0);
    struct td_relay_stats stats = {0};
    for (int i = 0; i < 60000 && !stats.waits; i++) { /* the host drains nothing */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        assert_int_equal(td_relay_read_stats(rig.relay, &stats, NULL), 0);
    }
    assert_true(stats.waits > 0);
    do {
        live_poll(rig.board);
        rc = td_device_wait(rig.board->device, 0, &code, NULL);
    } while (rc == TD_E_TIMEOUT);
    assert_int_equal(rc, 0);
    live_finish(rig.board);
    check_whole(&rig, 5000);
    stop(&rig);
}

static void with_drop_what_arrived_and_what_is_reported_lost_is_what_was_emitted(void **state)
{
    struct rig rig = start(TD_POLICY_DROP, (struct td_relay_options){.fifo_bytes = 8192, .in_dram = 1});
    live_prepare_all(rig.board, "zones", 1, 20000);
    run(rig.board);
    live_finish(rig.board);
    for (int i = 0; i < LIVE_LANES; i++) {
        const struct lane_count *lane = &rig.board->lanes[i];
        assert_int_equal(lane->zones + lane->lost_zones, 20000);
        assert_int_equal(lane->logs + lane->lost_other, 20);
        assert_int_equal(lane->out_of_order, 0);
    }
    stop(&rig);
}

static void a_relay_stopped_at_any_moment_leaves_nothing_behind_and_nothing_twice(void **state)
{
    for (int i = 0; i < 12; i++) {
        struct rig rig = start(TD_POLICY_BLOCK, (struct td_relay_options){.in_dram = i % 2});
        live_prepare_all(rig.board, "zones", 7, 3000);
        struct td_err err = {0};
        int code = -1;
        assert_int_equal(td_device_launch(rig.board->device, &err), 0);
        for (int n = 0; n <= i * 3; n++)
            live_poll(rig.board);
        /* While cores still write, the host takes the lanes back and continues by polling. */
        live_finish(rig.board);
        td_drain_destroy(rig.board->drain);
        uint64_t before[LIVE_LANES];
        for (int l = 0; l < LIVE_LANES; l++) {
            before[l] = rig.board->lanes[l].zones;
            assert_int_equal(rig.board->lanes[l].wrong_logs + rig.board->lanes[l].out_of_order, 0);
        }
        rig.board->drain = NULL;
        if (td_device_wait(rig.board->device, 60000, &code, &err))
            fail_msg("%s", err.text); /* no core waits for an agent that is gone */
        for (int l = 0; l < LIVE_LANES; l++)
            assert_true(before[l] <= 3000);
        assert_int_equal(rig.relay->stats.lost_slots, 0);
        stop(&rig);
    }
}

/* Slots of the first lane from `first` on, as its core would write them; and its control words. */
static void put_slots(struct rig *rig, uint32_t first, uint32_t end, uint32_t tail, uint32_t head)
{
    const struct td_board *board = td_device_board(rig->board->device);
    struct td_transport *t = rig->board->drain_transport;
    const struct td_tile_at tile = td_board_tile(board, 0, 0, 0);
    const uint64_t ctrl = td_board_lane_ctrl(board, 0);
    for (uint32_t i = first; i < end; i++) {
        const uint32_t slot[2] = {TD_SLOT_VALID, i};
        const uint64_t at = td_board_ring(board, 0) + i % board->ring_slots * TD_SLOT_BYTES;
        assert_int_equal(t->ops->write(t, tile, at, slot, sizeof slot, NULL), 0);
    }
    uint32_t join;
    assert_int_equal(t->ops->read(t, tile, ctrl + TD_LANE_join, &join, 4, NULL), 0);
    assert_int_equal(t->ops->write(t, tile, ctrl + TD_LANE_head, &head, 4, NULL), 0);
    assert_int_equal(t->ops->write(t, tile, ctrl + TD_LANE_tail, &tail, 4, NULL), 0);
    assert_int_equal(t->ops->write(t, tile, ctrl + TD_LANE_joined, &join, 4, NULL), 0);
}

static int count_in_order(void *self, const struct td_lane_at *lane, const uint32_t *words, size_t slots,
                          struct td_err *err)
{
    uint32_t *next = self;
    for (size_t i = 0; i < slots; i++)
        assert_int_equal(words[2 * i + 1], (*next)++);
    return 0;
}

static void what_a_stopped_relay_had_taken_but_not_cleared_is_not_taken_again(void **state)
{
    struct rig rig = start(TD_POLICY_BLOCK, (struct td_relay_options){0});
    const struct td_board *board = td_device_board(rig.board->device);
    struct td_transport *t = rig.board->drain_transport;
    uint32_t next = 0, head = 0;
    put_slots(&rig, 0, 100, 100, 0);
    for (int i = 0; next < 100 && i < 60000; i++) {
        assert_int_equal(td_drain_poll(rig.board->drain, count_in_order, &next, NULL, NULL), 0);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_int_equal(next, 100);
    for (int i = 0; head < 100 && i < 60000; i++) {
        assert_int_equal(t->ops->read(t, td_board_tile(board, 0, 0, 0),
                                      td_board_lane_ctrl(board, 0) + TD_LANE_head, &head, 4, NULL),
                         0);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    /* As if the relay had been stopped before it took the slots: they are still in the ring, and the core has
     * filled the lane. */
    for (uint32_t i = 0; i < board->chip[0].relay_count; i++)
        assert_int_equal(
            td_core_load_reset(t, board, td_board_relay(board, 0, i), 1u << board->relay_core, 1, NULL), 0);
    put_slots(&rig, 0, board->ring_slots, board->ring_slots, 0);
    assert_int_equal(td_drain_finish(rig.board->drain, count_in_order, &next, NULL), 0);
    assert_int_equal(next, board->ring_slots);
    stop(&rig);
}

static void a_relay_that_falls_over_is_told_and_no_core_waits_for_it(void **state)
{
    struct rig rig = start(TD_POLICY_BLOCK, (struct td_relay_options){0});
    const struct td_board *board = td_device_board(rig.board->device);
    /* The first lane of every relay now has a ring at an invalid address. */
    const uint32_t nowhere = 0xf0000000;
    for (uint32_t i = 0; i < board->chip[0].relay_count; i++)
        assert_int_equal(rig.board->drain_transport->ops->write(
                             rig.board->drain_transport, td_board_relay(board, 0, i),
                             board->data_base + TD_RELAY_CTRL_BYTES + TD_RELAY_LANE_ring, &nowhere, 4, NULL),
                         0);
    live_prepare_all(rig.board, "zones", 7, 5000);
    struct td_err err = {0};
    int code = -1, rc = 0;
    assert_int_equal(td_device_launch(rig.board->device, &err), 0);
    for (int i = 0; rc == 0 && i < 60000; i++) {
        rc = td_drain_poll(rig.board->drain, ignore_words, NULL, NULL, &err);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_int_equal(rc, TD_E_GONE);
    assert_non_null(strstr(err.text, "stopped by fault"));
    td_drain_destroy(rig.board->drain);
    rig.board->drain = NULL;
    memset(&err, 0, sizeof err);
    if (td_device_wait(rig.board->device, 60000, &code, &err))
        fail_msg("%s", err.text);
    stop(&rig);
}

static void a_board_without_relays_says_so(void **state)
{
    struct td_board board = {.name = "small", .chips = 1};
    struct td_transport none = {0};
    struct td_err err = {0};
    assert_null(td_relay_create(&none, &board, &(struct td_relay_options){0}, &err));
    assert_int_equal(err.code, TD_E_NOTFOUND);
    assert_string_equal(err.text, "board small has no cores for relays");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_zones_of_twenty_cores_come_through_rings_in_dram_whole_and_in_order),
        cmocka_unit_test(all_zones_of_twenty_cores_come_through_the_hosts_memory_whole_and_in_order),
        cmocka_unit_test(a_ring_that_is_full_makes_the_cores_wait_and_loses_nothing),
        cmocka_unit_test(with_drop_what_arrived_and_what_is_reported_lost_is_what_was_emitted),
        cmocka_unit_test(a_relay_stopped_at_any_moment_leaves_nothing_behind_and_nothing_twice),
        cmocka_unit_test(what_a_stopped_relay_had_taken_but_not_cleared_is_not_taken_again),
        cmocka_unit_test(a_relay_that_falls_over_is_told_and_no_core_waits_for_it),
        cmocka_unit_test(a_board_without_relays_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
