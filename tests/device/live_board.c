#include "tests/device/live_board.h"

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

#define SIMULATOR TD_BINARY_DIR "/bin/tensix_sim"
#define KERNELS   TD_BINARY_DIR "/tests/device_kernels"

static void exec_simulator(const struct live_board *b, const char *const *options)
{
    const char *argv[32] = {
        SIMULATOR,       "--bar", b->bar, "--board", TD_SOURCE_DIR "/boards/tensix_sim/tensix_sim.board",
        "--parent-death"};
    int n = 6;
    for (; options && *options && n < 31; options++)
        argv[n++] = *options;
    execv(SIMULATOR, (char *const *)argv);
    _exit(127);
}

static void start_counting(struct live_board *b, const char *elf_folder)
{
    b->images = td_images_create(&elf_folder, 1);
    for (int i = 0; i < LIVE_LANES; i++)
        lane_count_init(&b->lanes[i]);
}

struct live_board *live_board_join(const char *kernels)
{
    struct td_err err = {0};
    struct live_board *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->device = td_device_open(NULL, &err);
    if (!b->device)
        fail_msg("%s", err.text);
    snprintf(b->kernels, sizeof b->kernels, "%s", kernels);
    start_counting(b, kernels);
    return b;
}

struct live_board *live_board_start(const char *const *options)
{
    return live_board_start_at("", options);
}

static void make_run_folder(struct live_board *b)
{
    snprintf(b->run_dir, sizeof b->run_dir, "/tmp/tendril-live-XXXXXX");
    assert_non_null(mkdtemp(b->run_dir));
    setenv("TENDRIL_RUN_DIR", b->run_dir, 1);
}

static void open_device(struct live_board *b)
{
    struct td_err err = {0};
    b->device = td_device_open(b->where, &err);
    if (!b->device)
        fail_msg("%s", err.text);
    snprintf(b->kernels, sizeof b->kernels, "%s", KERNELS);
    start_counting(b, b->run_dir);
}

struct live_board *live_board_start_at(const char *transport, const char *const *options)
{
    static int number;
    if (access(SIMULATOR, X_OK) != 0 || access(KERNELS "/zones.BRISC.elf", R_OK) != 0) {
        print_message("skipped: the simulator or the test kernels are not built\n");
        return NULL;
    }
    struct live_board *b = calloc(1, sizeof *b);
    assert_non_null(b);
    snprintf(b->bar, sizeof b->bar, "/dev/shm/tendril-device-%ld-%d", (long)getpid(), number++);
    make_run_folder(b);
    b->pid = fork();
    assert_true(b->pid >= 0);
    if (b->pid == 0)
        exec_simulator(b, options);
    snprintf(b->where, sizeof b->where, "%s%s", transport, b->bar);
    open_device(b);
    return b;
}

struct live_board *live_board_at(const char *where)
{
    struct live_board *b = calloc(1, sizeof *b);
    assert_non_null(b);
    snprintf(b->where, sizeof b->where, "%s", where);
    make_run_folder(b);
    open_device(b);
    return b;
}

void live_board_stop(struct live_board *b)
{
    if (!b)
        return;
    td_drain_destroy(b->drain);
    td_transport_close(b->drain_transport);
    td_device_close(b->device);
    td_images_destroy(b->images);
    if (b->pid > 0) {
        kill(b->pid, SIGTERM);
        waitpid(b->pid, NULL, 0);
        unlink(b->bar);
    }
    if (b->run_dir[0]) {
        char command[200];
        snprintf(command, sizeof command, "rm -rf '%s'", b->run_dir);
        assert_int_equal(system(command), 0);
    }
    free(b);
}

const char *live_kernel(const struct live_board *b, const char *kernel, uint32_t core)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s.%s.elf", b->kernels, kernel,
             td_device_board(b->device)->cores[core].name);
    return path;
}

void live_open_drain(struct live_board *b)
{
    struct td_err err = {0};
    b->drain_transport = td_transport_open(b->where, 1000, &err);
    if (!b->drain_transport)
        fail_msg("%s", err.text);
}

void live_drain_with(struct live_board *b, const struct td_drain_options *options)
{
    struct td_err err = {0};
    b->drain = td_drain_create_with(b->drain_transport, td_device_board(b->device), options, &err);
    if (!b->drain)
        fail_msg("%s", err.text);
}

void live_drain(struct live_board *b, enum td_policy policy)
{
    live_open_drain(b);
    live_drain_with(b, &(struct td_drain_options){.policy = policy});
}

void live_prepare_all(struct live_board *b, const char *kernel, uint32_t op, uint32_t arg)
{
    const struct td_board *board = td_device_board(b->device);
    struct td_err err = {0};
    for (uint16_t y = 0; y < board->grid_height; y++)
        for (uint16_t x = 0; x < board->grid_width; x++)
            for (uint16_t core = 0; core < board->core_count; core++) {
                struct td_core_at at = {0, x, y, core};
                if (td_device_load(b->device, at, live_kernel(b, kernel, core), &err) ||
                    td_device_prepare(b->device, at, op, arg, &err))
                    fail_msg("%s", err.text);
                /* A probe gives up a host that is silent while it loads. */
                struct td_transport *t = b->drain_transport;
                if (t && t->ops->alive && t->ops->alive(t, &err))
                    fail_msg("%s", err.text);
            }
}

static int on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct live_board *b = self;
    for (size_t i = 0; i < 2 * slots; i++)
        b->order = (b->order ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) + at->index;
    return lane_count_words(&b->lanes[at->index], at, words, slots);
}

size_t live_poll(struct live_board *b)
{
    size_t taken = 0;
    struct td_err err = {0};
    if (td_drain_poll(b->drain, on_words, b, &taken, &err))
        fail_msg("%s", err.text);
    return taken;
}

void live_finish(struct live_board *b)
{
    struct td_err err = {0};
    if (td_drain_finish(b->drain, on_words, b, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < LIVE_LANES; i++) {
        lane_count_finish(&b->lanes[i]);
        assert_int_equal(b->lanes[i].decoder.stats.bad_slots, 0);
        assert_int_equal(b->lanes[i].decoder.stats.untimed, 0);
    }
}

int live_run(struct live_board *b, int drain, int *exit_code, struct td_err *err)
{
    if (td_device_launch(b->device, err))
        return err->code;
    if (!drain)
        return td_device_wait(b->device, 400000, exit_code, err);
    int rc;
    do {
        struct td_err why = {0};
        if (live_poll(b) == 0)
            nanosleep(&(struct timespec){0, 100000}, NULL);
        rc = td_device_wait(b->device, 0, exit_code, &why);
        if (rc != TD_E_TIMEOUT)
            *err = why;
    } while (rc == TD_E_TIMEOUT);
    return rc;
}
