/* A board, read from its description file: chips, grid, cores, lanes, addresses, clock, windows. None of
 * these numbers is in code.
 *
 * The description is an INI text (boards/FOLDER/NAME.board; its syntax is in docs/adding-a-board.md). The
 * host, the simulator and the generator of the linker scripts (td_ldgen) use the same parser. A description
 * that contradicts itself is refused with its file and line. A struct td_board owns nothing: copy it freely.
 */
#ifndef TD_HOST_DEVICE_BOARD_BOARD_H
#define TD_HOST_DEVICE_BOARD_BOARD_H
#include "host/base/err.h"
#include "host/transport/transport.h"

#include <stdbool.h>

#define TD_MAX_CORES       32 /* cores (= lanes) of a tile */
#define TD_MAX_CHIPS       64
#define TD_MAX_GRID        64 /* columns or rows of the NoC */
#define TD_MAX_PLACES      64 /* tiles of one kind, but for Tensix tiles */
#define TD_MAX_RELAYS      16 /* of a chip */
#define TD_MAX_WINDOWS     8  /* kinds of windows */
#define TD_MAX_TRANSPORTS  8
#define TD_MAX_PCI_DEVICES 8

struct td_core_desc {
    char name[16];                    /* BRISC, NCRISC, TRISC0 ... */
    uint32_t reset_bit;               /* in the tile's soft reset register */
    uint32_t start;                   /* address of the first instruction after reset */
    uint32_t code_base, code_bytes;   /* its part of L1: code, constants, L1 data */
    uint32_t local_base, local_bytes; /* its private RAM: data, bss, stack */
    uint32_t pc_select; /* what to write to debug_control to read its program counter; 0: cannot be read */
};

/* Places of NoC 0. */
struct td_places {
    uint32_t count;
    uint16_t x[TD_MAX_PLACES], y[TD_MAX_PLACES];
};

/* Tiles that are no Tensix tiles, as far as the description knows them. */
struct td_other_tiles {
    struct td_places at;
    struct td_places translated; /* translated coordinates of the first ones; count 0: not known */
};

/* The columns and rows that work on one chip. */
struct td_chip_desc {
    uint32_t columns, rows; /* that work */
    /* NoC 0 coordinates of the logical columns and rows: first those that work, then the harvested ones. */
    uint16_t column_x[TD_MAX_GRID], row_y[TD_MAX_GRID];
    uint32_t relay_count; /* tiles outside the logical grid whose core board.relay_core runs relay firmware */
    uint16_t relay_x[TD_MAX_RELAYS], relay_y[TD_MAX_RELAYS];
};

/* Windows of one size through which the host reaches tiles. The register that points one has the fields of
 * TD_WINDOW_REGISTER (transport.h); the address field, target address / window bytes, is from bit 0 to x_end.
 */
struct td_window_desc {
    char name[16];
    uint64_t bytes;      /* of one window, a power of two */
    uint32_t count;      /* how many there are; of these ... */
    uint32_t reserved;   /* ... the last ones belong to the driver */
    uint32_t bar;        /* PCI BAR in which they lie ... */
    uint64_t bar_offset; /* ... from here on, one after the other */
    uint64_t registers;  /* place in BAR 0 of the register of window index 0 (of all kinds) */
    uint32_t register_bytes;
    uint32_t first_index; /* of the first window of this kind */
    struct {
#define TD_X(name, bits) uint32_t name;
        TD_WINDOW_REGISTER(TD_X)
#undef TD_X
    } shift; /* bit position of each field */
};

enum td_reset_kind {
    TD_RESET_REGISTER, /* soft_reset is a register that holds cores */
    TD_RESET_WORD      /* it is a plain word of L1 that held cores poll */
};

struct td_board {
    char name[32];
    char transports[TD_MAX_TRANSPORTS][16]; /* names as in td_transport_open(), the usual one first */
    uint32_t transport_count;
    uint32_t simulated; /* 1: tensix_sim plays it */
    uint32_t chips;
    double frequency_hz;
    uint32_t clock_low, clock_live_high; /* register addresses */
    uint32_t clock_latched_high;         /* 0: there is none */
    uint32_t soft_reset;
    uint32_t reset_kind;          /* enum td_reset_kind */
    uint32_t node_id, logical_id; /* registers in which a tile has its own coordinates; 0: none are known */
    uint64_t telemetry_table, telemetry_values,
        telemetry_base;            /* of the ARC tile (proto/pcie/arc.h); 0: unknown */
    uint64_t arc_messages;         /* its registers for messages; 0: none, or of another kind */
    uint32_t translated_addresses; /* 1: windows and the NoC want translated coordinates, 0: those of NoC 0 */
    uint32_t noc_regs;             /* base of the NIU of NoC 0, proto/device/noc.h; 0: cores have none */
    uint32_t niu;                  /* TD_NIU_WORMHOLE ... */
    uint32_t debug_control, debug_data; /* registers of a tile's debug bus; 0: it has none that is known */
    uint32_t debug_pc_mask;             /* bits of debug_data that are the program counter */
    uint32_t stamp_register;            /* of the tile's timestamper (proto/device/stamp.h); 0: it has none */
    uint32_t stamp_base, stamp_buffer_bytes; /* its two buffers in L1, one after the other */
    uint32_t core_count;
    struct td_core_desc cores[TD_MAX_CORES];
    uint32_t l1_base, l1_bytes;
    uint32_t lane_base; /* tile control words; see proto/device/lane.h */
    uint32_t ring_slots;
    uint32_t open_base, open_bytes; /* words that mark a tile's open zones; 0 bytes: in the cores' code */
    uint32_t data_base;             /* first L1 byte left to programs */
    uint32_t no_fence;              /* 1: the cores' fence instruction orders nothing */
    uint32_t no_counters;           /* 1: a model of a chip without its performance counters */
    uint32_t misaligned;            /* simulated: 0: a misaligned access is a fault, 1: it works */
    uint32_t noc_width, noc_height;
    uint32_t all_columns, all_rows;   /* with cores, harvested ones included */
    uint32_t grid_width, grid_height; /* logical grid in use, of every chip */
    struct td_chip_desc chip[TD_MAX_CHIPS];
    uint32_t relay_core;     /* core number; meaningful where a chip has relays */
    char relay_firmware[32]; /* the board that their firmware is linked for */
    int32_t probe_core;      /* core that runs the probe's firmware, -1: none */
    uint32_t dram_banks;     /* that work */
    uint32_t dram_ports;     /* of a bank */
    uint64_t dram_bank_bytes;
    uint16_t dram_x[TD_MAX_PLACES], dram_y[TD_MAX_PLACES]; /* address of the port of each bank to be used */
    /* dram.at: all ports, bank after bank, those of harvested banks too */
    struct td_other_tiles dram, ethernet, arc, pcie;
    uint64_t host_bytes; /* simulated: memory of the host that tiles reach at each chip's first PCIe tile; 0:
                            none */
    /* Translated coordinates of the logical columns and rows, in the order of column_x and row_y. All 0: this
     * board does not translate. */
    uint32_t translated_columns, translated_rows;
    uint16_t translated_x[TD_MAX_GRID], translated_y[TD_MAX_GRID];
    uint32_t pci_vendor; /* 0: no PCI device */
    uint32_t pci_device_count;
    uint32_t pci_device[TD_MAX_PCI_DEVICES];
    uint32_t window_count;
    struct td_window_desc windows[TD_MAX_WINDOWS];
    uint32_t uart_base, uart_clock_hz, uart_baud; /* a 16550 that cores reach; uart_baud 0: none */
};

/* Where the texts of `base=NAME` come from. read() returns a text (malloc) and puts its origin, as errors and
 * the search for circles name it, into `origin`; `from` is the origin of the description that asks. */
struct td_board_bases {
    char *(*read)(void *self, const char *name, const char *from, char *origin, size_t bytes,
                  struct td_err *err);
    void *self;
};

/* Parses a description. `origin` names it in errors. `grid` ("WxH" or NULL) replaces the logical grid.
 * Refuses base=: what comes from a board must be whole. */
TD_HOST_API int td_board_parse(struct td_board *board, const char *text, const char *origin, const char *grid,
                               struct td_err *err);
/* The same, following base=. With flat != NULL: the whole as one text without base=, caller frees. */
TD_HOST_API int td_board_parse_based(struct td_board *board, const char *text, const char *origin,
                                     const char *grid, const struct td_board_bases *bases, char **flat,
                                     struct td_err *err);
/* Reads NAME.board from a path, or by name from the folders in the environment variable TENDRIL_BOARDS, then
 * the folder of boards next to the running program, then that of the installation. base= names another description: it is looked for in
 * the same folder, then by name. If text is not NULL, *text is the complete description without base= (the
 * caller frees it). */
TD_HOST_API int td_board_load(struct td_board *board, const char *name_or_path, const char *grid, char **text,
                              struct td_err *err);
/* Calls `visit` with the path of every description in these directories; the first one of a name hides
 * others. Stops when it returns other than 0, and returns that. TD_E_NOMEM or TD_E_IO (errno): a directory
 * cannot be looked through. */
TD_HOST_API int td_board_each(int (*visit)(void *self, const char *name, const char *path), void *self);
/* The board at the other end of a transport that can report it (shm: the description and grid that the
 * simulator runs). */
TD_HOST_API int td_board_of_transport(struct td_board *board, struct td_transport *t, struct td_err *err);

/* board_layout.c: what follows from a description. Logical tile -> its address: what the host's windows and
 * the cores' NoC commands call it (translated_addresses). */
TD_HOST_API struct td_tile_at td_board_tile(const struct td_board *board, uint32_t chip, uint32_t logical_x,
                                            uint32_t logical_y);
/* Address of a chip's relay. */
TD_HOST_API struct td_tile_at td_board_relay(const struct td_board *board, uint32_t chip, uint32_t number);
/* Relays of all chips together. */
TD_HOST_API uint32_t td_board_relays(const struct td_board *board);
/* 1: the board is reached by this transport. */
/* Does the description name this device? */
bool td_board_has_pci_id(const struct td_board *board, uint32_t vendor, uint32_t device);
TD_HOST_API bool td_board_has_transport(const struct td_board *board, const char *name);
/* NoC 1 counts columns and rows from the other side, but only below this coordinate: those from it on are
 * translated, and the same for both NoCs. */
TD_HOST_API uint32_t td_board_first_translated(const struct td_board *board);
/* The instruction that images for this board have in place of a fence (riscv/fence.h). */
TD_HOST_API uint32_t td_board_fence_word(const struct td_board *board);
/* Lane addresses in a tile. */
TD_HOST_API uint32_t td_board_lane_ctrl(const struct td_board *board, uint32_t core);
TD_HOST_API uint32_t td_board_ring(const struct td_board *board, uint32_t core);
/* Address and size of the words in which a core marks open zones; 0 if the board sets none aside. */
TD_HOST_API uint32_t td_board_open(const struct td_board *board, uint32_t core);
TD_HOST_API uint32_t td_board_open_bytes(const struct td_board *board);
#endif
