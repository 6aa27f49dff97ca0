/* The simulated board as a process: either side ends or is stopped, and the shared state stays consistent. */
#include "host/base/clock.h"
#include "proto/device/lane.h"
#include "tests/sim/harness.h"
#include "tests/sim/kernels/kernels.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define WORD(type, member) (ARGUMENTS + (uint32_t)offsetof(struct type, member))

static const char *const virtual_time[] = {"--clock", "insn", NULL};

/* Kills the simulator. Returns when it is a zombie and the result of an earlier alive() is stale. */
static void kill_and_wait(struct rig *rig)
{
    siginfo_t info;
    assert_int_equal(kill(rig->pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)rig->pid, &info, WEXITED | WNOWAIT), 0);
    rig_nap(10);
}

static void a_killed_simulator_is_gone_for_every_call(void **state)
{
    struct rig rig;
    struct td_err err = {0};
    struct td_clock_sample sample;
    rig_start(&rig, NULL);
    const struct td_transport_ops *ops = rig.t->ops;
    struct td_tile_at at = rig_tile(&rig, 0, 0);
    assert_int_equal(ops->alive(rig.t, &err), 0);
    assert_int_equal(ops->clock(rig.t, at, &sample, &err), 0);
    kill_and_wait(&rig);
    uint32_t word = 0;
    assert_int_equal(ops->alive(rig.t, &err), TD_E_GONE);
    assert_int_equal(err.code, TD_E_GONE);
    assert_int_equal(ops->clock(rig.t, at, &sample, NULL), TD_E_GONE);
    assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, 1, NULL, NULL), TD_E_GONE);
    assert_int_equal(ops->write(rig.t, at, rig.board.soft_reset, &word, 4, NULL), TD_E_GONE);
    /* The board's memory can still be read: lanes are drained after a crash. */
    assert_int_equal(ops->read(rig.t, at, 0, &word, 4, NULL), 0);
    struct td_transport *again = td_shm_open(rig.path, 20, NULL);
    assert_null(again);
    rig_stop(&rig);
}

static void lanes_are_disarmed_when_the_agent_is_gone(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL);
    const struct td_board *b = &rig.board;
    struct td_tile_at at = rig_tile(&rig, 1, 0);
    pid_t agent = fork();
    if (agent == 0) {
        pause();
        _exit(0);
    }
    for (uint32_t core = 0; core < b->core_count; core++)
        rig_put(&rig, at, td_board_lane_ctrl(b, core) + TD_LANE_policy, TD_POLICY_BLOCK);
    __atomic_store_n(&td_simbar_header(rig.t)->agent_pid, (uint32_t)agent, __ATOMIC_SEQ_CST);
    rig_nap(150);
    assert_int_equal(rig_lane_word(&rig, at, 0, TD_LANE_policy), TD_POLICY_BLOCK);
    kill(agent, SIGKILL); /* a zombie counts as gone */
    for (uint32_t core = 0; core < b->core_count; core++)
        rig_await(&rig, at, td_board_lane_ctrl(b, core) + TD_LANE_policy, TD_POLICY_OFF);
    for (int i = 0; i < 1000 && td_simbar_header(rig.t)->agent_pid; i++)
        rig_nap(1);
    assert_int_equal(td_simbar_header(rig.t)->agent_pid, 0);
    waitpid(agent, NULL, 0);
    rig_stop(&rig);
}

static void the_next_agent_waits_until_lanes_are_disarmed(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL);
    uint32_t *agent = &td_simbar_header(rig.t)->agent_pid;
    assert_int_equal(kill(rig.pid, SIGSTOP), 0);
    __atomic_store_n(agent, TD_BAR_DISARMING, __ATOMIC_SEQ_CST);
    pid_t simulator = fork(); /* acts as a simulator that is slow */
    if (simulator == 0) {
        rig_nap(50);
        __atomic_store_n(agent, 0, __ATOMIC_SEQ_CST);
        _exit(0);
    }
    assert_int_equal(td_transport_control(rig.t, TD_CONTROL_AGENT, 1, NULL, NULL), 0);
    waitpid(simulator, NULL, 0);
    assert_int_equal(*agent, td_simbar_process(rig.t));
    assert_int_equal(td_transport_control(rig.t, TD_CONTROL_AGENT, 0, NULL, NULL), 0);
    assert_int_equal(*agent, 0);
    kill(rig.pid, SIGCONT);
    rig_stop(&rig);
}

static void the_simulator_ends_with_its_parent_and_takes_its_file_along(void **state)
{
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/td_test_sim-orphan-%d.bar", (int)getpid());
    pid_t parent = fork();
    if (parent == 0) {
        if (fork() == 0) {
            execl(TD_BINARY_DIR "/bin/tensix_sim", "tensix_sim", "--bar", path, "--board",
                  TD_SOURCE_DIR "/boards/tensix_sim/tensix_sim.board", "--parent-death", (char *)NULL);
            _exit(127);
        }
        struct td_transport *t = td_shm_open(path, 20000, NULL);
        _exit(t ? 0 : 1);
    }
    int status;
    waitpid(parent, &status, 0);
    assert_int_equal(status, 0);
    for (int i = 0; i < 10000 && access(path, F_OK) == 0; i++)
        rig_nap(1);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_frozen_board_stands_still_and_goes_on(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        struct rig rig;
        rig_start(&rig, mode ? virtual_time : NULL);
        struct td_tile_at at = rig_tile(&rig, 0, 0);
        for (uint32_t core = 0; core < rig.board.core_count; core++)
            rig_load(&rig, at, core, "count", ARGUMENTS + core * 64);
        rig_release(&rig, at, UINT32_MAX);
        for (int i = 0; i < 50; i++) {
            assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, 1, NULL, NULL), 0);
            uint32_t before = rig_word(&rig, at, WORD(answer, runs));
            rig_nap(2);
            assert_int_equal(rig_word(&rig, at, WORD(answer, runs)), before);
            assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, (uint64_t)-1, NULL, NULL), 0);
            for (int k = 0; k < 10000 && rig_word(&rig, at, WORD(answer, runs)) == before; k++)
                rig_nap(1);
            assert_int_not_equal(rig_word(&rig, at, WORD(answer, runs)), before);
        }
        rig_stop(&rig);
    }
}

static void a_board_goes_on_when_the_process_that_froze_it_is_gone(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL);
    struct td_tile_at at = rig_tile(&rig, 0, 0);
    rig_load(&rig, at, 0, "answer1", ARGUMENTS);
    pid_t pid = fork();
    if (pid == 0)
        _exit(td_transport_control(rig.t, TD_CONTROL_FREEZE, 1, NULL, NULL) == 0 ? 0 : 1);
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    rig_release(&rig, at, 1);
    rig_await(&rig, at, WORD(answer, runs), 1);
    rig_stop(&rig);
}

/* A process that freezes the board, and keeps it frozen until it gets a byte; then it lives on. */
static pid_t start_freezer(const struct rig *rig, int *go)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        char byte;
        close(ends[1]);
        bool is_right = td_transport_control(rig->t, TD_CONTROL_FREEZE, 1, NULL, NULL) == 0 &&
                        read(ends[0], &byte, 1) == 1 &&
                        td_transport_control(rig->t, TD_CONTROL_FREEZE, (uint64_t)-1, NULL, NULL) == 0;
        if (is_right)
            pause();
        _exit(1);
    }
    close(ends[0]);
    *go = ends[1];
    return pid;
}

static void end_freezer(pid_t pid, int go)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(go);
}

static void let_go(int go)
{
    assert_int_equal(write(go, "x", 1), 1);
}

static void a_board_goes_on_when_one_of_two_that_froze_it_is_gone(void **state)
{
    for (int turn = 0; turn < 2; turn++) { /* the first one dies, or the second one */
        struct rig rig;
        int go[2];
        pid_t pids[2];
        rig_start(&rig, NULL);
        struct td_tile_at at = rig_tile(&rig, 0, 0);
        rig_load(&rig, at, 0, "answer1", ARGUMENTS);
        for (int i = 0; i < 2; i++) {
            pids[i] = start_freezer(&rig, &go[i]);
            rig_nap(200); /* the second one comes while the first one is there */
        }
        if (!turn)
            let_go(go[1]);
        rig_nap(200);
        end_freezer(pids[turn], go[turn]);
        rig_nap(1500); /* the simulator looks for the dead */
        if (turn)
            let_go(go[0]);
        rig_nap(200);
        assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, 1, NULL, NULL), 0);
        assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, (uint64_t)-1, NULL, NULL), 0);
        rig_release(&rig, at, 1);
        rig_await(&rig, at, WORD(answer, runs), 1);
        end_freezer(pids[!turn], go[!turn]);
        rig_stop(&rig);
    }
}

static void a_clock_read_takes_the_lock_from_the_dead(void **state)
{
    struct rig rig;
    struct td_clock_sample sample;
    rig_start(&rig, NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    siginfo_t info;
    waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    __atomic_store_n(&td_simbar_header(rig.t)->clock_lock, (uint32_t)pid, __ATOMIC_SEQ_CST);
    assert_int_equal(rig.t->ops->clock(rig.t, rig_tile(&rig, 0, 0), &sample, NULL), 0);
    assert_int_equal(td_simbar_header(rig.t)->clock_lock, 0);
    waitpid(pid, NULL, 0);
    rig_stop(&rig);
}

static void a_clock_read_takes_the_lock_from_the_stopped(void **state)
{
    struct rig rig;
    struct td_clock_sample sample;
    rig_start(&rig, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    kill(pid, SIGSTOP);
    __atomic_store_n(&td_simbar_header(rig.t)->clock_lock, (uint32_t)pid, __ATOMIC_SEQ_CST);
    assert_int_equal(rig.t->ops->clock(rig.t, rig_tile(&rig, 0, 0), &sample, NULL), 0);
    assert_int_equal(td_simbar_header(rig.t)->clock_lock, 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    rig_stop(&rig);
}

/* The simulator's thread that answers clock requests, or 0. */
static pid_t find_clock_service(const struct rig *rig)
{
    char folder[64], path[384], name[32] = "";
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)rig->pid);
    DIR *tasks = opendir(folder);
    pid_t found = 0;
    assert_non_null(tasks);
    for (const struct dirent *task; !found && (task = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s/comm", folder, task->d_name);
        FILE *f = fopen(path, "r");
        if (f && fgets(name, sizeof name, f) && strcmp(name, "clock\n") == 0)
            found = atoi(task->d_name);
        if (f)
            fclose(f);
    }
    closedir(tasks);
    return found;
}

/* Stops that thread until the test detaches. A thread sets its name some time after the board is ready. */
static pid_t hold_clock_service(const struct rig *rig)
{
    pid_t found = 0;
    for (int i = 0; i < 60000 && !(found = find_clock_service(rig)); i++)
        rig_nap(1);
    assert_int_not_equal(found, 0);
    assert_int_equal(ptrace(PTRACE_SEIZE, found, NULL, NULL), 0);
    assert_int_equal(ptrace(PTRACE_INTERRUPT, found, NULL, NULL), 0);
    assert_int_equal(waitpid(found, NULL, __WALL), found);
    return found;
}

static void a_board_that_runs_but_does_not_answer_is_given_up(void **state)
{
    struct rig rig;
    struct td_err err = {0};
    struct td_clock_sample sample;
    rig_start(&rig, NULL);
    pid_t held = hold_clock_service(&rig);
    assert_int_equal(rig.t->ops->clock(rig.t, rig_tile(&rig, 0, 0), &sample, &err), TD_E_TIMEOUT);
    assert_int_equal(err.code, TD_E_TIMEOUT);
    /* The failed request leaves no state: when the thread answers again, the next request succeeds. */
    assert_int_equal(ptrace(PTRACE_DETACH, held, NULL, NULL), 0);
    assert_int_equal(rig.t->ops->clock(rig.t, rig_tile(&rig, 0, 0), &sample, NULL), 0);
    rig_stop(&rig);
}

static void cores_released_while_frozen_start_at_one_instant(void **state)
{
    struct rig rig;
    rig_start(&rig, virtual_time);
    struct spans s[2][2] = {{{.loops = 10}, {.loops = 20}}, {{.loops = 30}, {.loops = 40}}};
    assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, 1, NULL, NULL), 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct td_tile_at at = rig_tile(&rig, i % 2, i / 2);
        rig_write(&rig, at, ARGUMENTS, &s[i / 2][i % 2], sizeof s[0][0]);
        rig_load(&rig, at, i, "spans", ARGUMENTS);
        rig_release(&rig, at, UINT32_C(1) << i);
        rig_nap(2);
    }
    assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, (uint64_t)-1, NULL, NULL), 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct td_tile_at at = rig_tile(&rig, i % 2, i / 2);
        rig_await(&rig, at, WORD(spans, done), 1);
        rig_read(&rig, at, ARGUMENTS, &s[i / 2][i % 2], sizeof s[0][0]);
        assert_int_equal(s[i / 2][i % 2].start, s[0][0].start);
    }
    rig_stop(&rig);
}

/* Work on all cores of all tiles, with traffic between tiles. */
static void run_work(struct rig *rig)
{
    rig_start(rig, virtual_time);
    td_transport_control(rig->t, TD_CONTROL_FREEZE, 1, NULL, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        struct td_tile_at at = rig_tile(rig, i % 2, i / 2), next = rig_tile(rig, (i + 1) % 2, i / 2);
        struct noc_list list = {.done = 0};
        for (uint32_t k = 0; k < 12; k++)
            list.steps[k] = (struct noc_step){.op = k % 3 == 0   ? OP_ATOMIC
                                                    : k % 3 == 1 ? OP_WRITE
                                                                 : OP_READ,
                                              .x = next.x,
                                              .y = next.y,
                                              .address = ARGUMENTS + 0x8000 + k * 64,
                                              .local = ARGUMENTS + 0x4000 + k * 256,
                                              .bytes = 64 + 32 * k};
        rig_write(rig, at, ARGUMENTS, &list, sizeof list);
        rig_load(rig, at, 0, "noc", ARGUMENTS);
        for (uint32_t core = 1; core < rig->board.core_count; core++) {
            struct spans s = {.loops = 1000 * core + i};
            rig_write(rig, at, ARGUMENTS + 0x2000 + 64 * core, &s, sizeof s);
            rig_load(rig, at, core, "spans", ARGUMENTS + 0x2000 + 64 * core);
        }
        rig_release(rig, at, UINT32_MAX);
    }
    td_transport_control(rig->t, TD_CONTROL_FREEZE, (uint64_t)-1, NULL, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        struct td_tile_at at = rig_tile(rig, i % 2, i / 2);
        rig_await(rig, at, WORD(noc_list, done), 1);
        for (uint32_t core = 1; core < rig->board.core_count; core++)
            rig_await(rig, at, ARGUMENTS + 0x2000 + 64 * core + (uint32_t)offsetof(struct spans, done), 1);
    }
}

static void virtual_time_gives_the_same_bytes_every_time(void **state)
{
    struct rig a, b;
    run_work(&a);
    run_work(&b);
    for (uint32_t i = 0; i < 4; i++) {
        struct td_tile_at at = rig_tile(&a, i % 2, i / 2);
        const void *one = a.t->ops->map(a.t, at, a.board.l1_base, a.board.l1_bytes);
        const void *two = b.t->ops->map(b.t, at, b.board.l1_base, b.board.l1_bytes);
        assert_non_null(one);
        assert_int_equal(memcmp(one, two, a.board.l1_bytes), 0);
    }
    rig_stop(&a);
    rig_stop(&b);
}

static void virtual_time_waits_for_the_agent_at_each_epoch(void **state)
{
    static const char *const arguments[] = {"--clock", "insn", "--epoch", "1000", NULL};
    struct rig rig;
    rig_start(&rig, arguments);
    struct td_bar_header *bar = td_simbar_header(rig.t);
    struct td_tile_at at = rig_tile(&rig, 0, 0);
    bar->agent_pid = (uint32_t)getpid();
    rig_load(&rig, at, 0, "count", ARGUMENTS);
    rig_release(&rig, at, 1);
    uint32_t last = 0;
    for (uint64_t epoch = 1; epoch < 20; epoch++) {
        for (int i = 0; i < 10000 && __atomic_load_n(&bar->epoch_done, __ATOMIC_SEQ_CST) < epoch; i++)
            rig_nap(1);
        uint32_t runs = rig_word(&rig, at, WORD(answer, runs));
        rig_nap(3);
        assert_int_equal(__atomic_load_n(&bar->epoch_done, __ATOMIC_SEQ_CST), epoch);
        assert_int_equal(rig_word(&rig, at, WORD(answer, runs)), runs);
        assert_in_range(runs - last, 100, 400);
        last = runs;
        /* A frozen board counts as stopped, too. */
        assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, 1, NULL, NULL), 0);
        assert_int_equal(td_transport_control(rig.t, TD_CONTROL_FREEZE, (uint64_t)-1, NULL, NULL), 0);
        __atomic_store_n(&bar->epoch_drained, epoch, __ATOMIC_SEQ_CST);
    }
    bar->agent_pid = 0;
    rig_stop(&rig);
}

static void a_held_core_starts_anew_however_short_the_reset_was(void **state)
{
    struct rig rig;
    rig_start(&rig, NULL);
    struct td_tile_at at = rig_tile(&rig, 1, 1);
    rig_load(&rig, at, 2, "answer1", ARGUMENTS);
    for (uint32_t run = 1; run <= 500; run++) {
        rig_release(&rig, at, 1 << 2);
        for (int i = 0; i < 1000000 && rig_word(&rig, at, WORD(answer, runs)) != run; i++)
            td_cpu_relax();
        rig_await(&rig, at, WORD(answer, runs), run);
        rig_hold(&rig, at);
    }
    rig_stop(&rig);
}

static void what_is_not_there_is_an_error_and_not_a_crash(void **state)
{
    struct rig rig;
    struct td_err err = {0};
    char byte[16];
    struct td_clock_sample sample;
    rig_start(&rig, NULL);
    const struct td_transport_ops *ops = rig.t->ops;
    struct td_tile_at at = rig_tile(&rig, 0, 0);
    struct td_tile_at nowhere[] = {
        {1, at.x, at.y}, {0, 0, 1}, {0, 255, 255}, {0, 256, 0}, {65535, 65535, 65535}};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        assert_int_equal(ops->read(rig.t, nowhere[i], 0, byte, 1, NULL), TD_E_USAGE);
        assert_int_equal(ops->clock(rig.t, nowhere[i], &sample, NULL), TD_E_USAGE);
        assert_null(ops->map(rig.t, nowhere[i], 0, 16));
    }
    uint64_t end = rig.board.l1_base + rig.board.l1_bytes;
    assert_int_equal(ops->read(rig.t, at, end - 16, byte, 16, NULL), 0);
    assert_int_equal(ops->read(rig.t, at, end - 15, byte, 16, &err), TD_E_USAGE);
    assert_non_null(strstr(err.text, "nothing at"));
    assert_int_equal(ops->write(rig.t, at, end, byte, 1, NULL), TD_E_USAGE);
    assert_int_equal(ops->write(rig.t, at, UINT64_MAX, byte, 16, NULL), TD_E_USAGE);
    assert_int_equal(ops->read(rig.t, at, 0, byte, SIZE_MAX, NULL), TD_E_USAGE);
    assert_int_equal(ops->read(rig.t, at, 0xFFB12FFF, byte, 2, NULL), TD_E_USAGE);
    assert_null(ops->map(rig.t, at, rig.board.soft_reset, 4));
    struct td_tile_at bank = {0, rig.board.dram_x[0], rig.board.dram_y[0]};
    assert_int_equal(ops->read(rig.t, bank, rig.board.dram_bank_bytes - 16, byte, 16, NULL), 0);
    assert_int_equal(ops->read(rig.t, bank, rig.board.dram_bank_bytes, byte, 1, NULL), TD_E_USAGE);
    assert_int_equal(ops->clock(rig.t, bank, &sample, NULL), TD_E_USAGE);
    rig_stop(&rig);
}

static int exit_code_of_sim(const char *option, const char *value)
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 2);
        execl(TD_BINARY_DIR "/bin/tensix_sim", "tensix_sim", option, value, (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_file_is_taken_over_only_from_a_simulator_that_is_gone(void **state)
{
    struct rig rig;
    struct td_err err = {0};
    rig_start(&rig, NULL);
    assert_int_equal(exit_code_of_sim("--bar", rig.path), 2);
    assert_int_equal(rig.t->ops->alive(rig.t, &err), 0);
    kill_and_wait(&rig);
    assert_int_equal(access(rig.path, F_OK), 0);
    /* Another simulator may use the file of the killed one. */
    pid_t second = fork();
    if (second == 0) {
        execl(TD_BINARY_DIR "/bin/tensix_sim", "tensix_sim", "--parent-death", "--bar", rig.path,
              (char *)NULL);
        _exit(127);
    }
    struct td_transport *t = td_shm_open(rig.path, 20000, &err);
    assert_non_null(t);
    td_transport_control(t, TD_CONTROL_STOP, 1, NULL, NULL);
    td_transport_close(t);
    waitpid(second, NULL, 0);
    assert_int_not_equal(access(rig.path, F_OK), 0);
    rig_stop(&rig);

    FILE *f = fopen(rig.path, "w");
    fputs("a letter to my aunt", f);
    fclose(f);
    assert_int_equal(exit_code_of_sim("--bar", rig.path), 2);
    assert_null(td_shm_open(rig.path, 10, NULL));
    f = fopen(rig.path, "r");
    assert_int_equal(fgetc(f), 'a');
    fclose(f);
    unlink(rig.path);
}

static void what_a_dead_simulator_left_is_no_board_while_another_begins_one_there(void **state)
{
    struct rig rig;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = TD_BAR_LOCK_FILE, .l_len = 1};
    rig_start(&rig, NULL);
    kill_and_wait(&rig);
    int fd = open(rig.path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0); /* the first step of another simulator */
    assert_null(td_shm_open(rig.path, 20, NULL));
    close(fd);
    rig_stop(&rig);
}

static void bad_options_are_one_clear_error(void **state)
{
    assert_int_equal(exit_code_of_sim("--grid", "99x99"), 2);
    assert_int_equal(exit_code_of_sim("--grid", "two"), 2);
    assert_int_equal(exit_code_of_sim("--board", "nosuchboard"), 1);
    assert_int_equal(exit_code_of_sim("--drift-ppm", "fast"), 2);
    assert_int_equal(exit_code_of_sim("--offset-ns", "1,2"), 2);
    assert_int_equal(exit_code_of_sim("--bar", "/nowhere/at/all.bar"), 1);
    assert_int_equal(exit_code_of_sim("--check", "/nowhere/at/all.board"), 1);
    assert_int_equal(exit_code_of_sim("--check", TD_SOURCE_DIR "/boards/tensix_sim/tensix_sim.board"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_simulator_is_gone_for_every_call),
        cmocka_unit_test(lanes_are_disarmed_when_the_agent_is_gone),
        cmocka_unit_test(the_next_agent_waits_until_lanes_are_disarmed),
        cmocka_unit_test(the_simulator_ends_with_its_parent_and_takes_its_file_along),
        cmocka_unit_test(a_frozen_board_stands_still_and_goes_on),
        cmocka_unit_test(a_board_goes_on_when_one_of_two_that_froze_it_is_gone),
        cmocka_unit_test(a_board_goes_on_when_the_process_that_froze_it_is_gone),
        cmocka_unit_test(a_clock_read_takes_the_lock_from_the_dead),
        cmocka_unit_test(a_clock_read_takes_the_lock_from_the_stopped),
        cmocka_unit_test(a_board_that_runs_but_does_not_answer_is_given_up),
        cmocka_unit_test(cores_released_while_frozen_start_at_one_instant),
        cmocka_unit_test(virtual_time_gives_the_same_bytes_every_time),
        cmocka_unit_test(virtual_time_waits_for_the_agent_at_each_epoch),
        cmocka_unit_test(a_held_core_starts_anew_however_short_the_reset_was),
        cmocka_unit_test(what_is_not_there_is_an_error_and_not_a_crash),
        cmocka_unit_test(a_file_is_taken_over_only_from_a_simulator_that_is_gone),
        cmocka_unit_test(what_a_dead_simulator_left_is_no_board_while_another_begins_one_there),
        cmocka_unit_test(bad_options_are_one_clear_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
