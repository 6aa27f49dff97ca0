/* Programs that reach a board through the agent that has opened it. */
#include "host/probe/board_server.h"
#include "host/transport/link.h"
#include "host/transport/gather.h"
#include "host/transport/sim/shm.h"
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

#define DATA 0x100000

struct shared {
    struct live_board *board;
    struct td_transport *t;
    struct td_board_server *server;
    char where[200];
    uint32_t memory; /* where the next program writes */
};

static int begin(struct shared *s)
{
    struct td_err err = {0};
    *s = (struct shared){.board = live_board_start(NULL)};
    if (!s->board)
        return 0;
    s->t = td_shm_open(s->board->bar, 1000, &err);
    assert_non_null(s->t);
    snprintf(s->where, sizeof s->where, "unix:%s/board.sock", s->board->run_dir);
    s->server = td_board_server_create(
        s->t, &(struct td_board_server_options){.path = s->where + strlen("unix:"), .name = "agent"}, &err);
    if (!s->server)
        fail_msg("%s", err.text);
    return 1;
}

static void end(struct shared *s)
{
    td_board_server_destroy(s->server);
    assert_int_not_equal(access(s->where + strlen("unix:"), F_OK), 0);
    td_transport_close(s->t);
    live_board_stop(s->board);
}

static pid_t start(const struct shared *s, int (*program)(const char *where, const struct shared *s))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(program(s->where, s));
    return pid;
}

/* Serves until the program has ended; its exit code, or -1: it was killed. */
static int serve(struct shared *s, pid_t pid)
{
    int status;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        struct pollfd fds[8];
        poll(fds, td_board_server_fds(s->server, fds, 8), 1);
        td_board_server_pump(s->server);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_kernels(const char *where, const struct shared *s)
{
    struct td_err err = {0};
    int code = -1;
    struct td_device *device = td_device_open(where, &err);
    for (uint16_t i = 0; device && i < LIVE_LANES; i++) {
        struct td_core_at at = {0, i / 5 % 2, i / 10, i % 5};
        if (td_device_load(device, at, live_kernel(s->board, "zones", at.core), &err) ||
            td_device_prepare(device, at, 1, 100, &err))
            return 1;
    }
    if (!device || td_device_launch(device, &err) || td_device_wait(device, 30000, &code, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    td_device_close(device);
    return code ? 3 : 0;
}

static void a_program_loads_launches_and_waits(void **state)
{
    struct shared s;
    if (!begin(&s))
        return;
    assert_int_equal(serve(&s, start(&s, run_kernels)), 0);
    end(&s);
}

/* As an agent serves a card, which cannot report what it is, to programs when the user named no grid. */
static void a_description_without_a_grid_has_its_own(void **state)
{
    struct shared s;
    struct td_board board;
    struct td_err err = {0};
    char *text = NULL;
    if (!begin(&s))
        return;
    td_board_server_destroy(s.server);
    assert_int_equal(td_board_load(&board, "tensix_sim", NULL, &text, &err), 0);
    s.server =
        td_board_server_create(s.t,
                               &(struct td_board_server_options){
                                   .path = s.where + strlen("unix:"), .name = "agent", .description = text},
                               &err);
    assert_non_null(s.server);
    assert_int_equal(serve(&s, start(&s, run_kernels)), 0);
    end(&s);
    free(text);
}

static int move_memory(const char *where, const struct shared *s)
{
    static uint8_t out[100001], in[sizeof out];
    struct td_device *device = td_device_open(where, NULL);
    for (int round = 0; device && round < 20; round++) {
        for (size_t i = 0; i < sizeof out; i++)
            out[i] = (uint8_t)(i * 7 + (size_t)round + (size_t)getpid());
        if (td_device_write(device, 0, 0, 1, s->memory, out, sizeof out, NULL) ||
            td_device_read(device, 0, 0, 1, s->memory, in, sizeof in, NULL) ||
            memcmp(in, out, sizeof in) != 0)
            return 1;
    }
    td_device_close(device);
    return device ? 0 : 2;
}

static void several_programs_share_the_board(void **state)
{
    struct shared s;
    if (!begin(&s))
        return;
    s.memory = DATA;
    pid_t first = start(&s, move_memory);
    s.memory = DATA + 0x40000;
    pid_t second = start(&s, move_memory);
    assert_int_equal(serve(&s, first), 0);
    assert_int_equal(serve(&s, second), 0);
    end(&s);
}

/* 12,000 bytes in one direction. */
static int count_messages(const char *where, const struct shared *s)
{
    static uint8_t bytes[12000];
    struct td_transport *t = td_transport_open(where, 1000, NULL);
    const struct td_link *link = t ? td_remote_link(t) : NULL;
    const struct td_tile_at tile = td_board_tile(td_device_board(s->board->device), 0, 0, 1);
    const uint64_t before = link ? link->stats.messages_out : 0;
    if (!link || t->ops->read(t, tile, DATA, bytes, sizeof bytes, NULL))
        return 100;
    const uint64_t messages = link->stats.messages_out - before;
    td_transport_close(t);
    return (int)messages;
}

static void a_local_socket_carries_long_messages(void **state)
{
    struct shared s;
    if (!begin(&s))
        return;
    assert_int_equal(serve(&s, start(&s, count_messages)), 1);
    end(&s);
}

static int freeze_and_die(const char *where, const struct shared *s)
{
    struct td_transport *t = td_transport_open(where, 1000, NULL);
    if (!t || td_transport_control(t, TD_CONTROL_FREEZE, 1, NULL, NULL))
        return 1;
    raise(SIGKILL);
    return 0;
}

static void what_a_dead_program_left_frozen_goes_on(void **state)
{
    struct shared s;
    if (!begin(&s))
        return;
    assert_int_equal(serve(&s, start(&s, freeze_and_die)), -1);
    for (int i = 0; i < 100; i++) {
        td_board_server_pump(s.server);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_int_equal(serve(&s, start(&s, run_kernels)), 0);
    end(&s);
}

static int drain_myself(const char *where, const struct shared *s)
{
    struct td_err err = {0};
    struct td_device *device = td_device_open(where, &err);
    if (!device)
        return 1;
    struct td_transport *t = td_device_transport(device);
    const struct td_board *b = td_device_board(device);
    if (td_drain_create(t, b, TD_POLICY_BLOCK, &err) || err.code != TD_E_USAGE)
        return 2;
    struct td_gather *g = t->ops->gather ? t->ops->gather(t) : NULL;
    const struct td_gather_lane lane = {.tile = td_board_tile(b, 0, 0, 0),
                                        .ctrl_address = td_board_lane_ctrl(b, 0),
                                        .ring_address = td_board_ring(b, 0),
                                        .ring_slots = b->ring_slots};
    return g && g->ops->add(g, &lane, 1, NULL) == 0 ? 3 : 0;
}

static void programs_may_not_drain_what_the_agent_drains(void **state)
{
    struct shared s;
    if (!begin(&s))
        return;
    live_drain(s.board, TD_POLICY_BLOCK);
    pid_t program = start(&s, drain_myself);
    int status;
    while (waitpid(program, &status, WNOHANG) == 0) {
        td_board_server_pump(s.server);
        live_poll(s.board);
    }
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    live_poll(s.board);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_loads_launches_and_waits),
        cmocka_unit_test(a_description_without_a_grid_has_its_own),
        cmocka_unit_test(several_programs_share_the_board),
        cmocka_unit_test(a_local_socket_carries_long_messages),
        cmocka_unit_test(what_a_dead_program_left_frozen_goes_on),
        cmocka_unit_test(programs_may_not_drain_what_the_agent_drains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
