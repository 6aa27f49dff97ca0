/* Real cores served by `tendril probe`: drained over sockets and ptys, over damaging connections, and with
 * either end killed. */
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

/* serve NULL: a unix socket in the board's folder. */
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
    /* The drain ends first: it sends its last requests to the probe. */
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
    b->drain_transport = td_transport_open(where, 20000, &err);
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

/* The slots of each lane as they arrived, not decoded. */
struct raw {
    uint64_t slots[LIVE_LANES], hash[LIVE_LANES];
};

static int take_raw(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct raw *raw = self;
    raw->slots[at->index] += slots;
    for (size_t i = 0; i < 2 * slots; i++)
        raw->hash[at->index] = (raw->hash[at->index] ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    return 0;
}

/* Drains until the cores are done, then takes the rest. */
static void run_raw(struct live_board *b, uint32_t zones, struct raw *raw)
{
    struct td_err err = {0};
    int code = -1, rc;
    live_prepare_all(b, "zones", 1, zones);
    assert_int_equal(td_device_launch(b->device, &err), 0);
    do {
        size_t taken = 0;
        struct td_err why = {0};
        if (td_drain_poll(b->drain, take_raw, raw, &taken, &why))
            fail_msg("%s", why.text);
        if (taken == 0)
            nanosleep(&(struct timespec){0, 100000}, NULL);
        rc = td_device_wait(b->device, 0, &code, NULL);
    } while (rc == TD_E_TIMEOUT);
    assert_int_equal(rc, 0);
    if (td_drain_finish(b->drain, take_raw, raw, &err))
        fail_msg("%s", err.text);
}

static void over_a_bad_way_what_arrived_and_what_was_lost_is_what_was_written(void **state)
{
    struct rig rig;
    struct bad_way way;
    struct raw raw = {0};
    uint64_t written = 0, arrived = 0;
    rig_start(&rig, NULL, NULL);
    bad_way_start(&way, rig.probe.where, 100);
    drain_through(&rig, way.where, TD_POLICY_BLOCK);
    run_raw(rig.board, 5000, &raw);
    for (uint32_t i = 0; i < LIVE_LANES; i++) {
        uint32_t ctrl[32];
        assert_int_equal(td_drain_lane_ctrl(rig.board->drain, i, ctrl, NULL), 0);
        assert_int_equal(ctrl[TD_LANE_head / 4], ctrl[TD_LANE_tail / 4]);
        assert_true(raw.slots[i] <= ctrl[TD_LANE_tail / 4]);
        written += ctrl[TD_LANE_tail / 4];
        arrived += raw.slots[i];
    }
    struct td_transport *t = rig.board->drain_transport;
    const struct td_gather_stats *stats = &t->ops->gather(t)->stats;
    assert_true(stats->bad_frames > 0 && stats->lost_slots > 0 && arrived > written / 4);
    assert_int_equal(arrived + stats->lost_slots, written);
    assert_int_equal(td_drain_get_stats(rig.board->drain)->lost_slots, stats->lost_slots);
    print_message("%llu bytes damaged: %llu of %llu slots lost\n", (unsigned long long)way.damaged,
                  (unsigned long long)stats->lost_slots, (unsigned long long)written);
    td_drain_destroy(rig.board->drain);
    td_transport_close(t);
    rig.board->drain = NULL;
    rig.board->drain_transport = NULL;
    bad_way_stop(&way);
    rig_stop(&rig);
}

static void record_in_virtual_time(int through_probe, struct raw *raw)
{
    static const char *const options[] = {"--clock", "insn", NULL};
    struct rig rig;
    memset(raw, 0, sizeof *raw);
    rig_start(&rig, NULL, options);
    drain_through(&rig, through_probe ? rig.probe.where : rig.board->bar, TD_POLICY_BLOCK);
    run_raw(rig.board, 2000, raw);
    rig_stop(&rig);
}

static void in_virtual_time_the_same_words_arrive_as_without_a_probe(void **state)
{
    struct raw direct, probed;
    record_in_virtual_time(0, &direct);
    record_in_virtual_time(1, &probed);
    assert_true(direct.slots[0] >= 2000);
    assert_memory_equal(&direct, &probed, sizeof direct);
}

/* Another process that drains through the probe until it is killed. */
static pid_t start_host(struct rig *rig)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct raw raw = {0};
        size_t taken;
        struct td_transport *t = td_transport_open(rig->probe.where, 20000, NULL);
        struct td_drain *d =
            t ? td_drain_create(t, td_device_board(rig->board->device), TD_POLICY_BLOCK, NULL) : NULL;
        if (!d || write(ready[1], "", 1) != 1)
            _exit(1);
        while (td_drain_poll(d, take_raw, &raw, &taken, NULL) == 0)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        _exit(2);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1)
        fail_msg("no host drains");
    close(ready[0]);
    return pid;
}

static uint32_t armed_lanes(struct live_board *b)
{
    const struct td_board *board = td_device_board(b->device);
    struct td_transport *t = td_transport_open(b->bar, 1000, NULL);
    uint32_t armed = 0, policy;
    assert_non_null(t);
    for (uint32_t y = 0; y < 2; y++)
        for (uint32_t x = 0; x < 2; x++)
            for (uint32_t core = 0; core < board->core_count; core++) {
                assert_int_equal(t->ops->read(t, td_board_tile(board, 0, x, y),
                                              td_board_lane_ctrl(board, core) + TD_LANE_policy, &policy, 4,
                                              NULL),
                                 0);
                armed += policy != TD_POLICY_OFF;
            }
    td_transport_close(t);
    return armed;
}

static void wait_until_armed(struct rig *rig, uint32_t lanes, int seconds)
{
    for (int i = 0; armed_lanes(rig->board) != lanes && i < seconds * 100; i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    assert_int_equal(armed_lanes(rig->board), lanes);
}

/* After either end has gone, cores that wait for room continue, and the next host is served. */
static void expect_to_recover(struct rig *rig, int seconds)
{
    struct td_err err = {0};
    int code = -1;
    wait_until_armed(rig, 0, seconds);
    assert_int_equal(td_device_wait(rig->board->device, 30000, &code, &err), 0);
}

static void begin_a_long_run(struct rig *rig)
{
    struct td_err err = {0};
    live_prepare_all(rig->board, "zones", 1, 20000);
    if (td_device_launch(rig->board->device, &err))
        fail_msg("%s", err.text);
}

static void a_host_that_is_killed_leaves_no_core_waiting_and_the_next_one_works(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL, NULL);
    pid_t host = start_host(&rig);
    assert_int_equal(armed_lanes(rig.board), LIVE_LANES);
    begin_a_long_run(&rig);
    kill(host, SIGKILL);
    waitpid(host, NULL, 0);
    expect_to_recover(&rig, 60);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    run(rig.board, 2, 1000);
    live_finish(rig.board);
    expect_all(rig.board, 1000);
    rig_stop(&rig);
}

static void a_host_that_falls_silent_leaves_no_core_waiting(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL, NULL);
    pid_t host = start_host(&rig);
    kill(host, SIGSTOP);
    begin_a_long_run(&rig);
    expect_to_recover(&rig, 60);
    kill(host, SIGKILL);
    waitpid(host, NULL, 0);
    rig_stop(&rig);
}

static void a_host_that_was_given_up_goes_on_when_it_is_back(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL, NULL);
    pid_t host = start_host(&rig);
    for (int i = 0; i < 2; i++) {
        kill(host, SIGSTOP);
        begin_a_long_run(&rig);
        expect_to_recover(&rig, 60);
        kill(host, SIGCONT);
        wait_until_armed(&rig, LIVE_LANES, 60);
    }
    begin_a_long_run(&rig);
    assert_int_equal(td_device_wait(rig.board->device, 60000, &(int){0}, NULL), 0);
    kill(host, SIGKILL);
    waitpid(host, NULL, 0);
    rig_stop(&rig);
}

/* Its cores have not left the recording, because they had room for all that they wrote. */
static void what_cores_wrote_while_their_host_was_silent_arrives(void **state)
{
    struct rig rig;
    struct td_err err = {0};
    rig_start(&rig, NULL, NULL);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    for (uint32_t round = 1; round <= 2; round++) {
        live_prepare_all(rig.board, "zones", round, 100);
        assert_int_equal(td_device_launch(rig.board->device, &err), 0);
        assert_int_equal(td_device_wait(rig.board->device, 60000, &(int){0}, &err), 0);
        wait_until_armed(&rig, 0, 60);
        while (rig.board->drain_transport->ops->gather(rig.board->drain_transport)->stats.sessions < round)
            live_poll(rig.board);
    }
    live_finish(rig.board);
    expect_all(rig.board, 200);
    assert_int_equal(td_drain_get_stats(rig.board->drain)->lost_slots, 0);
    rig_stop(&rig);
}

/* Its cores find the lanes disarmed, so they do not join. */
static void what_is_launched_while_the_host_was_given_up_is_counted(void **state)
{
    struct rig rig;
    struct td_err err = {0};
    rig_start(&rig, NULL, NULL);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    wait_until_armed(&rig, 0, 60);
    live_prepare_all(rig.board, "zones", 1, 100);
    assert_int_equal(td_device_launch(rig.board->device, &err), 0);
    assert_int_equal(td_device_wait(rig.board->device, 60000, &(int){0}, &err), 0);
    while (rig.board->drain_transport->ops->gather(rig.board->drain_transport)->stats.sessions == 0)
        live_poll(rig.board);
    run(rig.board, 2, 1000);
    live_finish(rig.board);
    const uint64_t lost = td_drain_get_stats(rig.board->drain)->lost_slots;
    assert_in_range(lost, LIVE_LANES * 100, LIVE_LANES * 120);
    for (int i = 0; i < LIVE_LANES; i++) {
        assert_int_equal(rig.board->lanes[i].zones, 1000);
        assert_int_equal(rig.board->lanes[i].last_op, 2);
        assert_in_range(rig.board->lanes[i].missing, 100, 120);
    }
    rig_stop(&rig);
}

static void in_place_of_a_host_that_was_given_up_the_next_one_is_served(void **state)
{
    struct rig rig;
    int status = 0;
    rig_start(&rig, NULL, NULL);
    pid_t host = start_host(&rig);
    kill(host, SIGSTOP);
    wait_until_armed(&rig, 0, 60);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    kill(host, SIGCONT);
    assert_int_equal(waitpid(host, &status, 0), host);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2); /* the host got an error */
    run(rig.board, 1, 1000);
    live_finish(rig.board);
    expect_all(rig.board, 1000);
    rig_stop(&rig);
}

static void a_second_host_is_refused_in_one_line(void **state)
{
    struct rig rig;
    struct td_err err = {0};
    rig_start(&rig, NULL, NULL);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    for (int i = 0; i < 6; i++) {
        err = (struct td_err){0};
        assert_null(td_transport_open(rig.probe.where, 0, &err));
        assert_string_equal(err.text, "this probe has a host already");
    }
    run(rig.board, 1, 1000);
    live_finish(rig.board);
    expect_all(rig.board, 1000);
    rig_stop(&rig);
}

/* The probe sees in one look that its host has left and that the next one has connected. */
static void a_host_that_comes_as_the_one_before_leaves_is_served(void **state)
{
    struct rig rig;
    struct td_err err = {0};
    rig_start(&rig, NULL, NULL);
    for (int i = 0; i < 4; i++) {
        pid_t host = start_host(&rig);
        kill(rig.probe.pid, SIGSTOP);
        kill(host, SIGKILL);
        waitpid(host, NULL, 0);
        pid_t waker = fork();
        if (waker == 0) {
            nanosleep(&(struct timespec){0, 200000000}, NULL);
            kill(rig.probe.pid, SIGCONT);
            _exit(0);
        }
        struct td_transport *t = td_transport_open(rig.probe.where, 20000, &err);
        waitpid(waker, NULL, 0);
        if (!t)
            fail_msg("%s", err.text);
        td_transport_close(t);
    }
    rig_stop(&rig);
}

static void expect_gone(struct rig *rig)
{
    struct td_err err = {0};
    struct raw raw = {0};
    size_t taken;
    uint32_t word;
    struct td_transport *t = rig->board->drain_transport;
    int rc = 0;
    for (int i = 0; i < 6000 && rc == 0; i++) {
        rc = td_drain_poll(rig->board->drain, take_raw, &raw, &taken, &err);
        rc = rc ? rc : t->ops->alive(t, &err);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    assert_int_equal(rc, TD_E_GONE);
    assert_true(err.text[0] && !strchr(err.text, '\n'));
    print_message("%s\n", err.text);
    assert_int_equal(t->ops->alive(t, NULL), TD_E_GONE);
    assert_int_equal(
        t->ops->read(t, td_board_tile(td_device_board(rig->board->device), 0, 0, 0), 0, &word, 4, NULL),
        TD_E_GONE);
}

static void a_probe_that_is_killed_is_gone_in_one_line_and_a_new_one_serves(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL, NULL);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    live_probe_stop(&rig.probe, SIGKILL);
    expect_gone(&rig);
    td_drain_destroy(rig.board->drain);
    td_transport_close(rig.board->drain_transport);
    live_probe_start(&rig.probe, rig.board->bar, rig.socket);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    run(rig.board, 1, 1000);
    live_finish(rig.board);
    expect_all(rig.board, 1000);
    rig_stop(&rig);
}

static void a_board_that_ends_behind_a_probe_is_gone_in_one_line_and_so_ends_the_probe(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL, NULL);
    drain_through(&rig, rig.probe.where, TD_POLICY_BLOCK);
    kill(rig.board->pid, SIGKILL);
    expect_gone(&rig);
    int status = 0;
    assert_int_equal(waitpid(rig.probe.pid, &status, 0), rig.probe.pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 0);
    close(rig.probe.out);
    rig.probe.pid = 0;
    rig_stop(&rig);
}

static void a_pty_is_reopened_by_one_host_after_the_other(void **state)
{
    struct rig rig;
    rig_start(&rig, "pty", NULL);
    for (int i = 0; i < 3; i++) {
        pid_t host = start_host(&rig);
        kill(host, SIGKILL);
        waitpid(host, NULL, 0);
        expect_to_recover(&rig, 60);
    }
    rig_stop(&rig);
}

static void a_link_to_a_pty_that_a_killed_probe_left_is_replaced(void **state)
{
    struct rig rig;
    char serve[140];
    struct td_err err = {0};
    rig_start(&rig, NULL, NULL);
    snprintf(serve, sizeof serve, "pty:%s/line", rig.board->run_dir);
    for (int i = 0; i < 2; i++) {
        live_probe_stop(&rig.probe, SIGKILL);
        live_probe_start(&rig.probe, rig.board->bar, serve);
        struct td_transport *t = td_transport_open(rig.probe.where, 20000, &err);
        if (!t)
            fail_msg("%s", err.text);
        td_transport_close(t);
    }
    rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slot_arrives_in_order_over_a_unix_socket),
        cmocka_unit_test(every_slot_arrives_in_order_over_tcp),
        cmocka_unit_test(every_slot_arrives_in_order_over_a_pty),
        cmocka_unit_test(over_a_bad_way_what_arrived_and_what_was_lost_is_what_was_written),
        cmocka_unit_test(in_virtual_time_the_same_words_arrive_as_without_a_probe),
        cmocka_unit_test(a_host_that_is_killed_leaves_no_core_waiting_and_the_next_one_works),
        cmocka_unit_test(a_host_that_falls_silent_leaves_no_core_waiting),
        cmocka_unit_test(a_host_that_was_given_up_goes_on_when_it_is_back),
        cmocka_unit_test(what_cores_wrote_while_their_host_was_silent_arrives),
        cmocka_unit_test(what_is_launched_while_the_host_was_given_up_is_counted),
        cmocka_unit_test(in_place_of_a_host_that_was_given_up_the_next_one_is_served),
        cmocka_unit_test(a_host_that_comes_as_the_one_before_leaves_is_served),
        cmocka_unit_test(a_second_host_is_refused_in_one_line),
        cmocka_unit_test(a_probe_that_is_killed_is_gone_in_one_line_and_a_new_one_serves),
        cmocka_unit_test(a_board_that_ends_behind_a_probe_is_gone_in_one_line_and_so_ends_the_probe),
        cmocka_unit_test(a_link_to_a_pty_that_a_killed_probe_left_is_replaced),
        cmocka_unit_test(a_pty_is_reopened_by_one_host_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
