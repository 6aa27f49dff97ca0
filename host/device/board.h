/* A board as its description file says it is: grid, cores, lanes, addresses, clock. No number of these is in
 * code.
 *
 * The description is an INI text (boards/NAME/NAME.board; syntax in docs/adding-a-board.md). The same parser
 * serves the host, the simulator and the generator of the linker scripts (td_ldgen). A description that
 * contradicts itself is refused with file and line.
 */
#ifndef TD_HOST_DEVICE_BOARD_H
#define TD_HOST_DEVICE_BOARD_H
#include "host/base/err.h"
#include "host/transport/transport.h"

#define TD_MAX_CORES 32 /* cores (= lanes) of a tile */

struct td_core_desc {
    char name[16];                    /* BRISC, NCRISC, TRISC0 ... */
    uint32_t reset_bit;               /* in the tile's soft reset register */
    uint32_t start;                   /* address of the first instruction after reset */
    uint32_t code_base, code_bytes;   /* its part of L1: code, constants, L1 data */
    uint32_t local_base, local_bytes; /* its private RAM: data, bss, stack */
};

struct td_board {
    char name[32];
    char transport[16]; /* "shm" */
    uint32_t chips;
    double frequency_hz;
    uint32_t clock_low, clock_live_high, clock_latched_high, soft_reset; /* register addresses */
    uint32_t noc_regs; /* base of the NoC registers, proto/device/noc.h */
    uint32_t core_count;
    struct td_core_desc cores[TD_MAX_CORES];
    uint32_t l1_base, l1_bytes;
    uint32_t lane_base; /* tile control words; see proto/device/lane.h */
    uint32_t ring_slots;
    uint32_t data_base; /* first L1 byte left to programs */
    uint32_t noc_width, noc_height;
    uint32_t grid_width, grid_height; /* logical grid in use */
    /* NoC coordinate of logical column i, row j (harvested ones left out): grid_width, grid_height entries */
    uint16_t column_x[64], row_y[64];
    uint32_t dram_banks;
    uint64_t dram_bank_bytes;
    uint16_t dram_x[64], dram_y[64];
};

/* Parses a description. `origin` names it in errors. `grid` ("WxH" or NULL) replaces the logical grid. */
int td_board_parse(struct td_board *board, const char *text, const char *origin, const char *grid,
                   struct td_err *err);
/* Reads NAME.board from a path, or by name from the built-in directories (environment TENDRIL_BOARDS, then
 * the installed and the build's boards folder). The text is returned too when text != NULL (caller frees). */
int td_board_load(struct td_board *board, const char *name_or_path, const char *grid, char **text,
                  struct td_err *err);
/* The board behind a transport, where that can tell (shm: the description and grid that the simulator runs).
 */
int td_board_of_transport(struct td_board *board, struct td_transport *t, struct td_err *err);
/* Logical tile -> NoC 0 place. */
struct td_tile_at td_board_tile(const struct td_board *board, uint32_t chip, uint32_t logical_x,
                                uint32_t logical_y);
/* Lane addresses in a tile. */
uint32_t td_board_lane_ctrl(const struct td_board *board, uint32_t core);
uint32_t td_board_ring(const struct td_board *board, uint32_t core);
#endif
