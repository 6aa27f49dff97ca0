#include "bench/sampling/simulator.h"
#include "bench/drain/board.h"
#include "host/device/device.h"
#include "tests/e2e/hot_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Processor seconds of a process. */
static double seconds_of(pid_t pid)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    if (fgets(text, sizeof text, f))
        sscanf(text, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    fclose(f);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int prepare(struct td_device *device, uint16_t core, unsigned rounds, struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    const struct hot_words words = {.rounds = rounds};
    const struct td_core_at at = {.core = core};
    const uint32_t place = b->data_base + 64u * core;
    char path[400];
    snprintf(path, sizeof path, TD_BINARY_DIR "/tests/hot_kernels/hot.%s.elf", b->cores[core].name);
    int rc = td_device_load(device, at, path, err);
    rc = rc ? rc : td_device_write(device, 0, 0, 0, place, &words, sizeof words, err);
    return rc ? rc : td_device_prepare(device, at, 1, place, err);
}

int simulator_ns_per_instruction(int bus_is_on, unsigned rounds, double *ns, struct td_err *err)
{
    struct bench_board board;
    uint64_t instructions = 0;
    int rc = bench_board_start(&board, "1x1", "insn", NULL, err);
    if (rc)
        return rc;
    struct td_device *device = td_device_open(board.path, err);
    rc = device ? 0 : err->code;
    const struct td_tile_at tile = td_board_tile(&board.board, 0, 0, 0);
    const uint32_t select = board.board.cores[0].pc_select;
    if (rc == 0 && bus_is_on)
        rc = board.shm->ops->write(board.shm, tile, board.board.debug_control, &select, sizeof select, err);
    for (uint16_t core = 0; rc == 0 && core < board.board.core_count; core++)
        rc = prepare(device, core, rounds, err);
    const double before = seconds_of(board.sim);
    rc = rc ? rc : td_device_launch(device, err);
    rc = rc ? rc : td_device_wait(device, -1, NULL, err);
    const double spent = seconds_of(board.sim) - before;
    for (uint16_t core = 0; rc == 0 && core < board.board.core_count; core++) {
        struct hot_words words;
        rc = td_device_read(device, 0, 0, 0, board.board.data_base + 64u * core, &words, sizeof words, err);
        instructions += words.all;
    }
    td_device_close(device);
    bench_board_stop(&board);
    *ns = instructions ? spent * 1e9 / (double)instructions : 0;
    return rc;
}
