/* `record --ttmetal`: sets what has to be set to record the kernels of a program of tt-metal as guests of its firmware
 * (docs/in-tt-metal.md), and says each thing that it sets. */
#pragma once
#include "host/agent/recorder.h"
#include "host/base/run_folder.h"

struct ttmetal {
    struct td_run_folder folder;
    char root[512], compiler[600], chip[16];
    char board[300], at[300], kernels[600]; /* description, socket of the simulated chip, tt-metal's cache */
    uint32_t lanes, ring_slots;             /* where the lanes are in a tile */
    uint32_t go, go_number; /* addresses: the signals of launches, which one of them is used */
};

/* Before the sources of the recording are used. Changes the environment, *board, and options->ready. */
int ttmetal_begin(struct ttmetal *m, struct td_recorder_board_options *board,
                  struct td_recorder_options *options, struct td_err *err);
/* A struct of zeros is allowed. */
void ttmetal_end(struct ttmetal *m);
