/* Real cores served by `tendril probe` as a USB gadget, drained through the real libusb: all of it in one
 * machine, whose board and gadget are given by the environment (tests/guest/test_usb.py):
 *   TD_USB_BOARD       where the board is: of 2x2 tiles, and new for each test
 *   TD_USB_FFS         where its FunctionFS is mounted
 *   TD_USB_UDC         file that binds the gadget to TD_USB_CONTROLLER
 *   TD_USB_SERIAL      its serial number
 * An argument is the name of the only test to run. */
#include "host/transport/gather.h"
#include "host/transport/link.h"
#include "host/transport/link/usb.h"
#include "tests/device/live_board.h"
#include "tests/probe/live_probe.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define ZONES 500

static struct live_board *board;
static struct live_probe probe;
static char where[150];

static void bind_gadget(const char *controller)
{
    FILE *f = fopen(getenv("TD_USB_UDC"), "w");
    assert_non_null(f);
    fprintf(f, "%s\n", controller);
    assert_int_equal(fclose(f), 0);
}

static void plug(void)
{
    bind_gadget(getenv("TD_USB_CONTROLLER"));
}

static void unplug(void)
{
    bind_gadget("");
}

static int start(void **state)
{
    char serve[200];
    snprintf(serve, sizeof serve, "usb:ffs=%s", getenv("TD_USB_FFS"));
    snprintf(where, sizeof where, "usb:%s", getenv("TD_USB_SERIAL"));
    board = live_board_at(getenv("TD_USB_BOARD"));
    live_probe_start(&probe, board->where, serve);
    plug();
    return 0;
}

static int stop(void **state)
{
    td_drain_destroy(board->drain);
    td_transport_close(board->drain_transport);
    board->drain = NULL;
    board->drain_transport = NULL;
    assert_int_equal(live_probe_stop(&probe, SIGTERM), 0);
    live_board_stop(board);
    return 0;
}

static void open_drain(enum td_policy policy)
{
    struct td_err err = {0};
    board->drain_transport = td_transport_open(where, 10000, &err);
    if (!board->drain_transport)
        fail_msg("%s", err.text);
    live_drain_with(board, &(struct td_drain_options){.policy = policy});
}

static void run(uint32_t op)
{
    struct td_err err = {0};
    int code = -1;
    live_prepare_all(board, "zones", op, ZONES);
    if (live_run(board, 1, &code, &err))
        fail_msg("%s", err.text);
    assert_int_equal(code, 0);
    live_finish(board);
}

static void every_slot_arrives_in_order_over_usb(void **state)
{
    open_drain(TD_POLICY_BLOCK);
    run(3);
    for (int i = 0; i < LIVE_LANES; i++) {
        const struct lane_count *lane = &board->lanes[i];
        assert_int_equal(lane->zones, ZONES);
        assert_int_equal(lane->wrong_logs + lane->out_of_order + lane->lost_zones + lane->lost_other, 0);
    }
    const struct td_link *link = td_remote_link(board->drain_transport);
    assert_true(link->stats.bytes_in >= UINT64_C(8) * LIVE_LANES * ZONES);
    assert_int_equal(link->stats.bad_frames, 0);
    assert_int_equal(board->drain_transport->ops->gather(board->drain_transport)->stats.lost_slots, 0);
}

static int keep(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                struct td_err *err)
{
    *(size_t *)self += slots;
    return 0;
}

/* Cores that wait for room, since the lanes are shorter than what they write. */
static void no_core_waits_for_an_unplugged_host_and_the_next_session_works(void **state)
{
    struct td_err err = {0};
    size_t kept = 0, taken;
    int code = -1, rc = 0;
    open_drain(TD_POLICY_BLOCK);
    live_prepare_all(board, "zones", 1, 5 * ZONES);
    assert_int_equal(td_device_launch(board->device, &err), 0);
    while (rc == 0 && kept < 1000)
        rc = td_drain_poll(board->drain, keep, &kept, &taken, &err);
    if (rc)
        fail_msg("%s", err.text);
    unplug();
    for (int i = 0; i < 10000 && rc == 0; i++)
        rc = td_drain_poll(board->drain, keep, &kept, &taken, &err);
    assert_int_equal(rc, TD_E_GONE);
    assert_non_null(strstr(err.text, "was unplugged"));
    assert_null(strchr(err.text, '\n'));
    err = (struct td_err){0};
    if (td_device_wait(board->device, 200000, &code, &err))
        fail_msg("%s", err.text);
    assert_int_equal(code, 0);
    td_drain_destroy(board->drain);
    td_transport_close(board->drain_transport);
    board->drain = NULL;
    board->drain_transport = NULL;
    plug();
    open_drain(TD_POLICY_BLOCK);
    run(2);
    for (int i = 0; i < LIVE_LANES; i++) {
        assert_int_equal(board->lanes[i].zones, ZONES);
        assert_int_equal(board->lanes[i].last_op, 2);
    }
}

static uint64_t zones_of_all(void)
{
    uint64_t zones = 0;
    for (int i = 0; i < LIVE_LANES; i++)
        zones += board->lanes[i].zones;
    return zones;
}

/* Drains until no slots arrive for a while. */
static void poll_all(void)
{
    for (int idle = 0; idle < 20; idle++) {
        if (live_poll(board))
            idle = 0;
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
}

static void lanes_go_on_when_the_probe_is_plugged_in_again(void **state)
{
    open_drain(TD_POLICY_BLOCK);
    const struct td_gather *g = board->drain_transport->ops->gather(board->drain_transport);
    live_poll(board);
    unplug();
    plug();
    while (g->stats.sessions == 0)
        live_poll(board);
    run(3);
    assert_int_equal(zones_of_all(), ZONES * LIVE_LANES);
    assert_int_equal(td_drain_get_stats(board->drain)->lost_slots, 0);
}

static void lanes_whose_cores_ran_meanwhile_join_when_these_have_stopped(void **state)
{
    struct td_err err = {0};
    int code = -1, rc;
    open_drain(TD_POLICY_BLOCK);
    live_prepare_all(board, "zones", 1, 5 * ZONES);
    assert_int_equal(td_device_launch(board->device, &err), 0);
    while (zones_of_all() < 1000)
        live_poll(board);
    unplug();
    /* No core waits: they end without a host. */
    if ((rc = td_device_wait(board->device, 200000, &code, &err)))
        fail_msg("%s", err.text);
    plug();
    poll_all();
    const uint64_t before = zones_of_all();
    assert_true(before < UINT64_C(5) * ZONES * LIVE_LANES);
    live_prepare_all(board, "zones", 2, ZONES);
    if (live_run(board, 1, &code, &err))
        fail_msg("%s", err.text);
    poll_all();
    assert_int_equal(zones_of_all() - before, ZONES * LIVE_LANES);
    /* When the host comes back, each core reports how much it wrote without one. */
    assert_true(td_drain_get_stats(board->drain)->lost_slots > 0);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(every_slot_arrives_in_order_over_usb),
        TEST(lanes_go_on_when_the_probe_is_plugged_in_again),
        TEST(lanes_whose_cores_ran_meanwhile_join_when_these_have_stopped),
        TEST(no_core_waits_for_an_unplugged_host_and_the_next_session_works),
    };
    if (!getenv("TD_USB_FFS") || !getenv("TD_USB_UDC") || !getenv("TD_USB_CONTROLLER") ||
        !getenv("TD_USB_SERIAL") || !getenv("TD_USB_BOARD")) {
        puts("skipped: no USB gadget is given; tests/guest/run.py usb has one");
        return 0;
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
