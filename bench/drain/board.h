/* A simulated board, a process of its own, and a probe at it, another one. */
#pragma once
#include "host/device/board/board.h"

#include <sys/types.h>

struct bench_board {
    pid_t sim, probe;
    char path[100];
    struct td_transport *shm; /* what the cores see: used to fill lanes */
    struct td_board board;
};
/* grid, clock, windows: options of the simulator; windows may be NULL. */
int bench_board_start(struct bench_board *b, const char *grid, const char *clock, const char *windows,
                      struct td_err *err);
void bench_board_stop(struct bench_board *b);
/* A probe that serves the board at `serve` ("unix:PATH", "pty:PATH"). */
int bench_probe_start(struct bench_board *b, const char *serve, struct td_err *err);
void bench_probe_stop(struct bench_board *b);
/* Fills every lane with short zones, as its core would. */
void bench_board_fill(struct bench_board *b);
/* Starts a program of ours; it ends with this process. */
pid_t bench_spawn(const char *const *argv);
