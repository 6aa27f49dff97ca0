/* The connection between host and board: damage, sudden ends, full speed, a second host. */
#include "tests/qemu/noise.h"
#include "tests/qemu/qemu_board.h"

#include "host/transport/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define ZONES 1500 /* more than a ring holds */

static struct qemu_board *start(void)
{
    struct qemu_board *q = qemu_start(NULL);
    if (!q)
        skip();
    return q;
}

static void expect_run(struct qemu_board *q)
{
    struct td_err err = {0};
    int code = -1;
    if (qemu_run(q, 1, &code, &err))
        fail_msg("%s", err.text);
    assert_int_equal(code, 0);
}

static uint32_t tail_of(struct qemu_board *q, uint32_t lane)
{
    uint32_t ctrl[32];
    struct td_err err = {0};
    if (td_drain_lane_ctrl(q->drain, lane, ctrl, &err))
        fail_msg("%s", err.text);
    return ctrl[TD_LANE_tail / 4];
}

static void at_full_speed_nothing_is_lost_either_way(void **state)
{
    struct qemu_board *q = start();
    qemu_open(q, NULL, TD_POLICY_BLOCK);
    struct td_transport *t = td_device_transport(q->device);
    const struct td_board *b = td_device_board(q->device);
    struct td_err err = {0};
    const size_t bytes = 0x20000; /* the receiver holds half of it */
    uint8_t *out = malloc(bytes), *back = malloc(bytes);
    assert_true(out && back);
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(i * 31 ^ i >> 8);
    /* Everything at once: memory both ways while four harts fill their lanes. */
    qemu_prepare_all(q, "zones", 1, ZONES);
    assert_int_equal(td_device_launch(q->device, &err), 0);
    for (size_t at = 0; at < bytes; at += 0x10000) {
        const uint32_t to = b->data_base + (uint32_t)at;
        size_t taken;
        if (t->ops->write(t, td_board_tile(b, 0, 0, 0), to, out + at, 0x10000, &err) ||
            t->ops->read(t, td_board_tile(b, 0, 0, 0), to, back + at, 0x10000, &err))
            fail_msg("%s", err.text);
        qemu_poll(q, &taken, NULL);
    }
    assert_memory_equal(out, back, bytes);
    int rc;
    do {
        size_t taken;
        qemu_poll(q, &taken, NULL);
        rc = td_device_wait(q->device, 0, NULL, NULL);
    } while (rc == TD_E_TIMEOUT);
    assert_int_equal(rc, 0);
    qemu_finish(q);
    for (int i = 0; i < QEMU_LANES; i++)
        assert_int_equal(q->lanes[i].zones, ZONES);
    const struct td_link_stats *stats = &td_remote_link(t)->stats;
    print_message("%llu bytes in, %llu out, %llu messages in, %llu out\n",
                  (unsigned long long)stats->bytes_in, (unsigned long long)stats->bytes_out,
                  (unsigned long long)stats->messages_in, (unsigned long long)stats->messages_out);
    assert_int_equal(stats->bad_frames + stats->bad_bytes, 0);
    assert_int_equal(td_drain_get_stats(q->drain)->lost_slots, 0);
    free(out);
    free(back);
    qemu_stop(q);
}

static void damage_costs_the_frames_it_is_in_and_is_counted(void **state)
{
    struct qemu_board *q = start();
    char path[120], where[130];
    snprintf(path, sizeof path, "%s/noise", q->folder);
    snprintf(where, sizeof where, "unix:%s", path);
    uint64_t bad_frames = 0;
    const uint32_t seeds = getenv("TD_THOROUGH") ? 3 : 1;
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        struct noise *noise = noise_start(path, q->socket, 20, 20, seed);
        qemu_open(q, where, TD_POLICY_BLOCK);
        uint32_t before[QEMU_LANES];
        for (uint32_t i = 0; i < QEMU_LANES; i++)
            before[i] = tail_of(q, i);
        qemu_prepare_all(q, "zones", seed, ZONES);
        expect_run(q);
        qemu_finish(q);
        const struct td_link_stats *link = &td_remote_link(td_device_transport(q->device))->stats;
        const struct td_drain_stats *stats = td_drain_get_stats(q->drain);
        print_message("%llu bytes damaged: %llu bad frames here, %llu slots lost of %llu\n",
                      (unsigned long long)noise_damage(noise), (unsigned long long)link->bad_frames,
                      (unsigned long long)stats->lost_slots,
                      (unsigned long long)(stats->slots + stats->lost_slots));
        assert_true(noise_damage(noise) > 0);
        /* A byte damaged into a frame's border makes two bad frames of one. The loss of one of two borders
         * may cost no frame. */
        assert_true(link->bad_frames <= 2 * noise_damage(noise));
        bad_frames += link->bad_frames;
        /* Each slot that the cores wrote has arrived or is counted as lost. */
        uint64_t written = 0, missing = 0;
        for (uint32_t i = 0; i < QEMU_LANES; i++) {
            const struct lane_count *lane = &q->lanes[i];
            written += tail_of(q, i) - before[i];
            missing += lane->missing;
            assert_true(lane->zones > 0 && lane->zones <= ZONES);
            assert_int_equal(lane->out_of_order, 0);
        }
        assert_int_equal(written, stats->slots + stats->lost_slots);
        assert_true(missing <= stats->lost_slots); /* no later frame shows a loss at a lane's end */
        qemu_close(q);
        noise_stop(noise);
    }
    assert_true(bad_frames > 0);
    qemu_stop(q);
}

static void a_machine_that_dies_is_one_error_and_what_was_drained_is_kept(void **state)
{
    struct qemu_board *q = start();
    struct td_err err = {0};
    size_t taken;
    qemu_open(q, NULL, TD_POLICY_BLOCK);
    qemu_prepare_all(q, "zones", 1, 100000000);
    assert_int_equal(td_device_launch(q->device, &err), 0);
    for (int lanes = 0; lanes<QEMU_LANES; lanes += q->lanes[lanes].zones> 1000)
        qemu_poll(q, &taken, NULL);
    qemu_kill(q);
    int rc = 0;
    for (int i = 0; rc == 0 && i < 100000; i++)
        rc = qemu_poll(q, &taken, &err);
    print_message("%s\n", err.text);
    assert_int_equal(rc, TD_E_GONE);
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(td_device_wait(q->device, 1000, NULL, NULL), TD_E_GONE);
    for (int i = 0; i < QEMU_LANES; i++)
        assert_true(q->lanes[i].zones > 0);
    qemu_stop(q);
}

/* In a separate process, since it takes as long as a host waits for an answer. */
static pid_t start_second_host(const char *where)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct td_err err = {0};
        const int refused = !td_device_open(where, &err) && err.code < 0 && !strchr(err.text, '\n');
        _exit(refused ? 0 : 1);
    }
    return pid;
}

static void a_second_host_is_refused_in_one_line_and_the_first_goes_on(void **state)
{
    struct qemu_board *q = start();
    qemu_open(q, NULL, TD_POLICY_BLOCK);
    const pid_t second = start_second_host(q->where);
    int status = 0;
    while (waitpid(second, &status, WNOHANG) == 0) {
        size_t taken;
        qemu_poll(q, &taken, NULL);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    qemu_prepare_all(q, "zones", 1, 1000);
    expect_run(q);
    qemu_finish(q);
    assert_int_equal(q->lanes[0].zones, 1000);
    qemu_stop(q);
}

static void a_host_that_vanishes_leaves_no_hart_waiting(void **state)
{
    struct qemu_board *q = start();
    struct td_err err = {0};
    char path[120], where[130];
    snprintf(path, sizeof path, "%s/cut", q->folder);
    snprintf(where, sizeof where, "unix:%s", path);
    struct noise *cut = noise_start(path, q->socket, 0, 0, 1);
    qemu_open(q, where, TD_POLICY_BLOCK);
    qemu_prepare_all(q, "zones", 1, ZONES);
    assert_int_equal(td_device_launch(q->device, &err), 0);
    noise_stop(cut); /* as if the host had been killed: no closing message */
    qemu_close(q);
    qemu_open(q, NULL, TD_POLICY_OFF);
    struct td_transport *t = td_device_transport(q->device);
    const struct td_board *b = td_device_board(q->device);
    for (uint32_t i = 0; i < QEMU_LANES; i++) {
        uint32_t state = TD_CORE_RUNNING;
        while (state == TD_CORE_RUNNING)
            if (t->ops->read(t, td_board_tile(b, 0, 0, 0), td_board_lane_ctrl(b, i) + TD_LANE_state, &state,
                             4, &err))
                fail_msg("%s", err.text);
        assert_int_equal(state, TD_CORE_DONE);
    }
    qemu_stop(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_full_speed_nothing_is_lost_either_way),
        cmocka_unit_test(damage_costs_the_frames_it_is_in_and_is_counted),
        cmocka_unit_test(a_machine_that_dies_is_one_error_and_what_was_drained_is_kept),
        cmocka_unit_test(a_second_host_is_refused_in_one_line_and_the_first_goes_on),
        cmocka_unit_test(a_host_that_vanishes_leaves_no_hart_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
