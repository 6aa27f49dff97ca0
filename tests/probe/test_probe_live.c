/* Real cores behind `tendril probe`: drained over sockets and ptys, over bad ways, and with either end
 * killed. */
#include "tests/device/live_board.h"
#include "tests/probe/live_probe.h"

#include "host/transport/gather.h"
#include "host/transport/link.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

struct rig {
    struct live_board *board;
    struct live_probe probe;
    char socket[120];
};

/* serve: NULL: a unix socket in the board's own folder. */
static void rig_start(struct rig *rig, const char *serve, const char *const *options)
{
    memset(rig, 0, sizeof *rig);
    if (access(TD_BINARY_DIR "/bin/tendril", X_OK) != 0)
        skip();
    rig->board = live_board_start(options);
    if (!rig->board)
        skip();
    snprintf(rig->socket, sizeof rig->socket, "unix:%s/probe", rig->board->run_dir);
    live_probe_start(&rig->probe, rig->board->bar, serve ? serve : rig->socket);
}

static void rig_stop(struct rig *rig)
{
    /* The drain first, while there is a probe to tell. */
    td_drain_destroy(rig->board->drain);
    td_transport_close(rig->board->drain_transport);
    rig->board->drain = NULL;
    rig->board->drain_transport = NULL;
    live_probe_stop(&rig->probe, SIGTERM);
    live_board_stop(rig->board);
}

static void drain_through(struct rig *rig, const char *where, enum td_policy policy)
{
    struct td_err err = {0};
    struct live_board *b = rig->board;
    b->drain_transport = td_transport_open(where, 2000, &err);
    if (b->drain_transport)
        b->drain = td_drain_create(b->drain_transport, td_device_board(b->device), policy, &err);
    if (!b->drain)
        fail_msg("%s", err.text);
}

static void run(struct live_board *b, uint32_t op, uint32_t zones)
{
    struct td_err err = {0};
    int code = -1;
    live_prepare_all(b, "zones", op, zones);
    if (live_run(b, 1, &code, &err))
        fail_msg("%s", err.text);
    assert_int_equal(code, 0);
}

static void expect_all(const struct live_board *b, uint64_t zones)
{
    for (int i = 0; i < LIVE_LANES; i++) {
        assert_int_equal(b->lanes[i].zones, zones);
        assert_int_equal(b->lanes[i].wrong_logs + b->lanes[i].out_of_order, 0);
        assert_int_equal(b->lanes[i].lost_zones + b->lanes[i].lost_other, 0);
    }
}

static void everything_arrives(const char *serve)
{
    struct rig rig;
    rig_start(&rig, serve, NULL);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    run(rig.board, 3, 10000);
    live_finish(rig.board);
    expect_all(rig.board, 10000);
    const struct td_link *link = td_remote_link(rig.board->drain_transport);
    assert_true(link->stats.bytes_in >= UINT64_C(8) * LIVE_LANES * 10000);
    assert_int_equal(link->stats.bad_frames, 0);
    assert_int_equal(rig.board->drain_transport->ops->gather(rig.board->drain_transport)->stats.lost_slots,
                     0);
    rig_stop(&rig);
}

static void every_slot_arrives_in_order_over_a_unix_socket(void **state)
{
    everything_arrives(NULL);
}

static void every_slot_arrives_in_order_over_tcp(void **state)
{
    everything_arrives("tcp:0");
}

static void every_slot_arrives_in_order_over_a_pty(void **state)
{
    everything_arrives("pty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slot_arrives_in_order_over_a_unix_socket),
        cmocka_unit_test(every_slot_arrives_in_order_over_tcp),
        cmocka_unit_test(every_slot_arrives_in_order_over_a_pty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
