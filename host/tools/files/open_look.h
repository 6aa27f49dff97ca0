/* Opens a board that runs, for commands that look at its cores and do not change it. */
#pragma once
#include "host/agent/board/core_look.h"
#include "host/base/options.h"

struct td_open_look {
    /* Options. */
    const char *at, *board_name, *grid;
    struct td_words elfs;
    /* Set by td_look_open(). */
    struct td_transport *transport;
    struct td_board board;
    struct td_images *images;
    struct td_board_look look;
    char where[300];
};

/* The options of such a command, for its table. */
#define TD_OPEN_LOOK_OPTIONS(o)                                                                                \
    {0,                                                                                                        \
     "at",                                                                                                     \
     TD_OPT_STRING,                                                                                            \
     &(o).at,                                                                                                  \
     "WHERE",                                                                                                  \
     "the board, as for record; by default $TENDRIL_BOARD, else the simulated board that runs",                \
     NULL,                                                                                                     \
     0,                                                                                                        \
     0},                                                                                                       \
        {0, "board", TD_OPT_STRING, &(o).board_name, "BOARD", "name of a board that does not report it", NULL, \
         0, 0},                                                                                                \
        {0, "grid", TD_OPT_STRING, &(o).grid, "WxH", "tiles of a board that does not report them", NULL,       \
         0, 0},                                                                                                \
    {                                                                                                          \
        0, "elf", TD_OPT_WORDS, &(o).elfs, "DIR", "a folder with kernels' ELFs, or an ELF; may be repeated",   \
            NULL, 0, 0                                                                                         \
    }

/* Opens the board, and finds ELFs in `elfs`, $TENDRIL_RUN_DIR and the folder of a simulated board's file. */
int td_look_open(struct td_open_look *o, struct td_err *err);
/* A time between two looks, as the user gave it. */
int td_look_check_seconds(const char *option, double seconds, struct td_err *err);
void td_look_close(struct td_open_look *o);
