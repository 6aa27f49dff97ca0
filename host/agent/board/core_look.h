/* What the cores of a board do at the moment, read from outside: control words, resets, the words of open zones,
 * and program counters if they are asked for. Only a tile's debug bus is written to, and no core takes notice, so
 * it works next to an agent and with cores that hang.
 *
 * Not thread-safe. What returns int returns 0 or a negative enum td_e. */
#pragma once
#include "host/device/board/board.h"
#include "host/device/image/image.h"
#include "proto/device/lane.h"

#include <stdbool.h>

#define TD_LOOK_ZONES 16 /* open zones of a core that are kept: the innermost ones */

struct td_look_zone {
    const struct td_site *site; /* the image's */
    uint32_t start;             /* low half of the clock at its begin */
};

/* How a core stands. X(NAME, what) */
#define TD_LOOK_STATES(X)                                                                                    \
    X(NEVER, "never started")                                                                                \
    X(RUNNING, "running")                                                                                    \
    X(STUCK, "stuck")                                                                                        \
    X(DONE, "done")                                                                                          \
    X(STOPPED, "stopped")                                                                                    \
    X(FAULT, "fault")                                                                                        \
    X(NO_LANES, "no lanes")
enum td_look_state {
#define TD_X(name, what) TD_LOOK_##name,
    TD_LOOK_STATES(TD_X)
#undef TD_X
        TD_LOOK_STATE_COUNT
};
const char *td_look_state_name(enum td_look_state state);

struct td_core_look {
    struct td_tile_at tile;
    uint16_t x, y; /* logical */
    uint16_t core;
    enum td_look_state state;
    uint32_t words[TD_LANE_CTRL_BYTES / 4];   /* its control words */
    uint64_t ticks;                           /* the tile's clock after they were read */
    uint64_t build_id;                        /* 0: none */
    const struct td_image *image;             /* NULL: its ELF is not known */
    struct td_look_zone zones[TD_LOOK_ZONES]; /* innermost last */
    size_t zone_count;
    bool has_pc;
    uint32_t pc; /* a moment ago */
    bool moved;  /* since the look before: other slots, another launch or other open zones */
};

struct td_board_look {
    struct td_transport *transport;
    const struct td_board *board;
    struct td_images *images;
    struct td_core_look *cores; /* of all tiles, tile by tile */
    size_t count;
    unsigned looks;
    bool *
        buses; /* by a tile's first core: td_board_look_show_pcs() has switched it on; NULL: it was not called */
};

/* Transport, board and images must outlive it. */
int td_board_look_init(struct td_board_look *look, struct td_transport *t, const struct td_board *board,
                       struct td_images *images, struct td_err *err);
void td_board_look_free(struct td_board_look *look);
/* Looks at all cores. A core that runs, and that did not move since the look before, is STUCK. */
int td_board_look_now(struct td_board_look *look, struct td_err *err);
/* Switches the tiles' debug buses on, but those that another program uses. A board without them is fine. From the
 * next look on, cores that run have a program counter, if the bus has shown them for a while. */
int td_board_look_show_pcs(struct td_board_look *look, struct td_err *err);
/* Ticks since a zone has begun. */
uint64_t td_look_age(const struct td_core_look *core, const struct td_look_zone *zone);
const char *td_look_fault(const struct td_core_look *core);
