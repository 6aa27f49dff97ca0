#include "bench/drain/board.h"

#include "host/transport/sim/shm.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_MS = 10000, ZONE_TICKS = 500 };

pid_t bench_spawn(const char *const *argv)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(nowhere, 1);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static void end(pid_t *pid)
{
    if (*pid > 0) {
        kill(*pid, SIGTERM);
        waitpid(*pid, NULL, 0);
    }
    *pid = 0;
}

int bench_board_start(struct bench_board *b, const char *grid, const char *clock, const char *windows,
                      struct td_err *err)
{
    memset(b, 0, sizeof *b);
    snprintf(b->path, sizeof b->path, "/dev/shm/tendril-bench-XXXXXX");
    int fd = mkstemp(b->path);
    if (fd < 0)
        return td_fail_errno(err, "cannot make %s", b->path);
    close(fd); /* the simulator takes an empty file */
    const char *const argv[] = {
        TD_BINARY_DIR "/bin/tensix_sim", "--bar", b->path, "--grid", grid, "--clock", clock,
        windows ? "--windows" : NULL,    windows, NULL};
    b->sim = bench_spawn(argv);
    b->shm = td_shm_open(b->path, START_MS, err);
    int rc = b->shm ? td_board_of_transport(&b->board, b->shm, err) : err->code;
    if (rc)
        bench_board_stop(b);
    return rc;
}

void bench_board_stop(struct bench_board *b)
{
    bench_probe_stop(b);
    td_transport_close(b->shm);
    b->shm = NULL;
    end(&b->sim);
    unlink(b->path);
}

int bench_probe_start(struct bench_board *b, const char *serve, struct td_err *err)
{
    const char *const argv[] = {
        TD_BINARY_DIR "/bin/tendril", "probe", "--board", b->path, "--serve", serve, NULL};
    b->probe = bench_spawn(argv);
    return b->probe > 0 ? 0 : td_fail(err, TD_E_LIMIT, "cannot start a probe");
}

void bench_probe_stop(struct bench_board *b)
{
    end(&b->probe);
}

static void fill_lane(struct bench_board *b, struct td_tile_at at, uint32_t core)
{
    const struct td_board *d = &b->board;
    struct td_transport *t = b->shm;
    uint32_t *ctrl = t->ops->map(t, at, td_board_lane_ctrl(d, core), TD_LANE_CTRL_BYTES);
    volatile uint32_t *ring = t->ops->map(t, at, td_board_ring(d, core), d->ring_slots * TD_SLOT_BYTES);
    uint32_t tail = ctrl[TD_LANE_tail / 4];
    for (uint32_t i = 0; i < d->ring_slots; i++, tail++) {
        volatile uint32_t *slot = ring + 2 * (tail % d->ring_slots);
        slot[1] = tail * ZONE_TICKS;
        slot[0] = TD_SLOT_VALID | 1 << TD_SHORT_ID_SHIFT | 300;
    }
    __atomic_store_n(&ctrl[TD_LANE_tail / 4], tail, __ATOMIC_RELEASE);
    __atomic_store_n(&ctrl[TD_LANE_joined / 4], ctrl[TD_LANE_join / 4], __ATOMIC_RELEASE);
}

void bench_board_fill(struct bench_board *b)
{
    const struct td_board *d = &b->board;
    for (uint32_t i = 0; i < d->grid_width * d->grid_height; i++)
        for (uint32_t core = 0; core < d->core_count; core++)
            fill_lane(b, td_board_tile(d, 0, i % d->grid_width, i / d->grid_width), core);
}
