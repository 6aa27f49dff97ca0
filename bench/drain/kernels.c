/* What draining takes from kernels: instructions and cycles of the NoC. The matrix example on a board in
 * virtual time, where a tick is an instruction: how long all its kernels take while lanes are drained, and
 * without a drain (same markers, policy off). It also counts the bytes that the drain moves over each tile's
 * port, as if they were read over the NoC. */
#include "bench/drain/board.h"
#include "bench/drain/parts.h"
#include "host/device/drain/drain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PORT_BYTES_A_TICK = 32, TILES = 4 };
#define MATMUL TD_BINARY_DIR "/examples/matmul/matmul"

static int on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    uint64_t *taken = self;
    *taken += slots;
    return 0;
}

struct outcome {
    double ticks, slots, bytes;
};

static int wait_for(struct bench_board *b, pid_t program, struct td_drain *drain, struct outcome *o,
                    struct td_err *err)
{
    uint64_t slots = 0;
    int status = 0, rc = 0;
    pid_t ended;
    while ((ended = waitpid(program, &status, WNOHANG)) == 0 && rc == 0) {
        if (drain)
            rc = td_drain_poll(drain, on_words, &slots, NULL, err);
        usleep(50);
    }
    if (rc == 0 && (ended < 0 || status))
        rc = td_fail(err, TD_E_GONE, "the matrix example failed");
    if (rc == 0 && drain)
        rc = td_drain_finish(drain, on_words, &slots, err);
    struct td_clock_sample sample;
    rc = rc ? rc : b->shm->ops->clock(b->shm, td_board_tile(&b->board, 0, 0, 0), &sample, err);
    if (rc)
        return rc;
    o->ticks = (double)sample.ticks;
    o->slots = (double)slots;
    if (drain)
        o->bytes = (double)(td_drain_get_stats(drain)->bytes_read + td_drain_get_stats(drain)->bytes_written);
    return 0;
}

static int run(const char *size, int drained, struct outcome *o, struct td_err *err)
{
    struct bench_board b;
    struct td_drain *drain = NULL;
    const char *const argv[] = {MATMUL, size, "1", NULL};
    int rc = bench_board_start(&b, "2x2", "insn", NULL, err);
    if (rc)
        return rc;
    if (drained && !(drain = td_drain_create(b.shm, &b.board, TD_POLICY_BLOCK, err)))
        rc = err->code;
    setenv("TENDRIL_BOARD", b.path, 1);
    rc = rc ? rc : wait_for(&b, bench_spawn(argv), drain, o, err);
    td_drain_destroy(drain);
    bench_board_stop(&b);
    return rc;
}

void bench_kernels(struct report *r)
{
    static const char *const sizes[] = {"128", "256"};
    if (access(MATMUL, X_OK)) {
        report_note(r, "kernels: the matrix example is not built");
        return;
    }
    for (int i = 0; i < 2; i++) {
        struct outcome with = {0}, without = {0};
        struct td_err err = {0};
        char name[64];
        if (run(sizes[i], 0, &without, &err) || run(sizes[i], 1, &with, &err)) {
            report_failure(r, "kernels", err.text);
            return;
        }
        report_note(r, "matrix example, size %s: %.0f ticks undrained, %.0f drained, %.0f slots", sizes[i],
                    without.ticks, with.ticks, with.slots);
        snprintf(name, sizeof name, "kernel_instructions_%s", sizes[i]);
        report(r, name, "% more", (with.ticks / without.ticks - 1) * 100, NAN, 1);
        snprintf(name, sizeof name, "noc_cycles_%s", sizes[i]);
        report(r, name, "% of the ports", with.bytes / PORT_BYTES_A_TICK / TILES / with.ticks * 100, NAN, 1);
    }
}
