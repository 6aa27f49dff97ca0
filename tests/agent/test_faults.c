/* A recording whose board goes wrong in the ways of hardware: what was drained is kept, one line says why,
 * and no core stays blocked. */
#include "host/agent/recorder.h"
#include "proto/device/lane.h"
#include "tests/agent/faulty.h"
#include "tests/device/live_board.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/agent/board/guardian.h"

#define MATMUL TD_BINARY_DIR "/examples/matmul/matmul"
#define ZONES  1352

static int is_here(void)
{
    if (access(MATMUL, X_OK) == 0)
        return 1;
    print_message("skipped: the examples are not built\n");
    return 0;
}

/* Lanes whose cores would wait for an agent. */
static int armed(struct live_board *b)
{
    const struct td_board *board = td_device_board(b->device);
    int count = 0;
    for (uint16_t i = 0; i < board->grid_width * board->grid_height; i++)
        for (uint32_t core = 0; core < board->core_count; core++) {
            uint32_t policy;
            assert_int_equal(td_device_read(b->device, 0, (uint16_t)(i % board->grid_width),
                                            (uint16_t)(i / board->grid_width),
                                            td_board_lane_ctrl(board, core) + TD_LANE_policy, &policy, 4,
                                            NULL),
                             0);
            count += policy != TD_POLICY_OFF;
        }
    return count;
}

static void wait_until_disarmed(struct live_board *b)
{
    for (int i = 0; i < 6000 && armed(b); i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    assert_int_equal(armed(b), 0);
}

static void record(struct live_board *b, enum fault fault, struct td_recorder_result *result)
{
    char trigger[200], script[500];
    const volatile int interrupted = 0;
    struct td_trace *trace = NULL;
    struct td_err err = {0};
    snprintf(trigger, sizeof trigger, "%s/trigger", b->run_dir);
    unlink(trigger);
    snprintf(script, sizeof script, MATMUL " 64 2 >/dev/null && touch %s && %s", trigger,
             fault ? "exec sleep 200" : "exit 0");
    char *program[] = {"/bin/sh", "-c", script, NULL};
    faulty_plan(fault, trigger);
    const struct td_recorder_board_options board = {.at = b->bar, .policy = TD_POLICY_BLOCK};
    const struct td_recorder_options options = {.boards = &board,
                                                .board_count = 1,
                                                .open = faulty_open,
                                                .program = program,
                                                .interrupted = &interrupted};
    if (td_recorder_run(&options, &trace, result, &err))
        fail_msg("%s", err.text);
    assert_non_null(trace);
    td_trace_destroy(trace);
    unlink(trigger);
}

static void fault_is_one_line(enum fault fault, const char *word)
{
    static const char *const grid[] = {"--grid", "2x2", NULL};
    struct live_board *b = is_here() ? live_board_start(grid) : NULL;
    struct td_recorder_result result;
    if (!b)
        return;
    record(b, fault, &result);
    if (!strstr(result.trouble, word))
        fail_msg("'%s' is not in '%s'", word, result.trouble);
    assert_non_null(strstr(result.trouble, "holds what was drained"));
    assert_null(strchr(result.trouble, '\n'));
    assert_int_equal(result.board.zones, ZONES);
    wait_until_disarmed(b);
    record(b, FAULT_NONE, &result);
    assert_string_equal(result.trouble, "");
    assert_int_equal(result.board.zones, ZONES);
    assert_int_equal(armed(b), 0);
    live_board_stop(b);
}

static void a_device_that_reads_as_ones_ends_the_recording(void **state)
{
    fault_is_one_line(FAULT_ONES, "all ones");
}

static void a_device_that_does_not_answer_in_time_ends_the_recording(void **state)
{
    fault_is_one_line(FAULT_TIMEOUT, "too long");
}

static void an_error_of_writes_ends_the_recording(void **state)
{
    fault_is_one_line(FAULT_WRITE, "input/output error");
}

static void an_error_of_reads_ends_the_recording(void **state)
{
    fault_is_one_line(FAULT_READ, "input/output error");
}

static void a_device_that_is_gone_ends_the_recording(void **state)
{
    fault_is_one_line(FAULT_GONE, "is gone");
}

/* An agent in a process of its own: arms the lanes, reports that, then waits for orders. */
static pid_t start_agent(struct live_board *b, int goodbye, int *said)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid)
        return close(ends[1]), *said = ends[0], pid;
    struct td_guardian guardian;
    const struct td_attach attach = {.where = b->bar, .wait_ms = 1000, .open = faulty_open};
    struct td_transport *t;
    struct td_board *board = malloc(sizeof *board);
    close(ends[0]);
    if (!board || td_guardian_start(&guardian, &attach, NULL) ||
        td_attach_open(&attach, &t, board, NULL, NULL))
        _exit(1);
    td_guardian_arm(&guardian);
    struct td_drain *drain = td_drain_create(t, board, TD_POLICY_BLOCK, NULL);
    if (goodbye)
        td_guardian_leave(&guardian);
    if (!drain || write(ends[1], "x", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

static void kill_agent(struct live_board *b, int goodbye)
{
    char c;
    int said;
    pid_t agent = start_agent(b, goodbye, &said);
    assert_int_equal(read(said, &c, 1), 1);
    assert_int_equal(armed(b), LIVE_LANES);
    kill(agent, SIGKILL);
    waitpid(agent, NULL, 0);
    close(said);
}

static void a_guardian_disarms_the_lanes_of_a_killed_agent(void **state)
{
    struct live_board *b = live_board_start(NULL);
    if (!b)
        return;
    kill_agent(b, 0);
    wait_until_disarmed(b);
    live_board_stop(b);
}

static void a_guardian_leaves_lanes_alone_after_a_goodbye_and_those_of_others(void **state)
{
    struct live_board *b = live_board_start(NULL);
    if (!b)
        return;
    kill_agent(b, 1);
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    assert_int_equal(armed(b), LIVE_LANES);
    /* The dead one's lanes are the next one's: here, this process's. */
    live_drain(b, TD_POLICY_BLOCK);
    const struct td_board *board = td_device_board(b->device);
    const uint32_t nobody[3] = {0};
    td_drain_destroy(b->drain);
    b->drain = NULL;
    assert_int_equal(armed(b), 0);
    char c;
    int said;
    pid_t agent = start_agent(b, 0, &said);
    assert_int_equal(read(said, &c, 1), 1);
    assert_int_equal(
        td_device_write(b->device, 0, 1, 1, board->lane_base + TD_TILE_agent, nobody, sizeof nobody, NULL),
        0);
    kill(agent, SIGKILL);
    waitpid(agent, NULL, 0);
    close(said);
    for (int i = 0; i < 6000 && armed(b) != (int)board->core_count; i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    assert_int_equal(armed(b), board->core_count);
    live_board_stop(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_guardian_disarms_the_lanes_of_a_killed_agent),
        cmocka_unit_test(a_guardian_leaves_lanes_alone_after_a_goodbye_and_those_of_others),
        cmocka_unit_test(a_device_that_reads_as_ones_ends_the_recording),
        cmocka_unit_test(a_device_that_does_not_answer_in_time_ends_the_recording),
        cmocka_unit_test(an_error_of_writes_ends_the_recording),
        cmocka_unit_test(an_error_of_reads_ends_the_recording),
        cmocka_unit_test(a_device_that_is_gone_ends_the_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
