/* The keys of a board description, before it is checked as a whole. Private to this folder.
 *
 * A description may be based on another one (base=). The lowest one is parsed first, and a key of a higher
 * one replaces it. */
#pragma once
#include "host/device/board/board.h"

#include <stdbool.h>

#define TD_START_BYTES 8 /* the loader's jump at a core's start address: one or two instructions */
#define TD_MAX_LAYERS  8

struct td_number_list {
    uint32_t count;
    uint16_t item[TD_MAX_GRID];
};

struct td_grid_size {
    uint32_t width, height;
};

/* clang-format off */
#define TD_BOARD_KEYS(X)                                                                                     \
    X(NAME) X(BASE) X(TRANSPORTS) X(SIMULATED) X(CHIPS)                                                      \
    X(FREQUENCY) X(LOW) X(LIVE_HIGH) X(LATCHED_HIGH) X(SOFT_RESET) X(RESET_KIND)                             \
    X(DEBUG_CONTROL) X(DEBUG_DATA) X(DEBUG_PC_MASK) X(STAMP_REGISTER) X(STAMP_BASE) X(STAMP_BUFFER_BYTES)    \
    X(NOC_WIDTH) X(NOC_HEIGHT) X(NOC_REGS) X(NIU) X(ADDRESSES)                                                    \
    X(COLUMNS) X(ROWS) X(HARVESTED_COLUMNS) X(HARVESTED_ROWS) X(HARVEST_AXIS) X(HARVEST_ORDER) X(GRID)       \
    X(HARVESTED_LAST)                                                                                        \
    X(TRANSLATED_COLUMNS) X(TRANSLATED_ROWS)                                                           \
    X(L1_BASE) X(L1_BYTES) X(LANE_BASE) X(RING_SLOTS) X(OPEN_BASE) X(OPEN_BYTES) X(DATA_BASE) X(MISALIGNED) \
    X(COUNTERS) X(FENCE)                                                                                     \
    X(BANKS) X(BANK_BYTES) X(POSITIONS) X(PORTS) X(DRAM_TRANSLATED) X(DRAM_HARVESTED)                        \
    X(ETHERNET) X(ETHERNET_TRANSLATED) X(ETHERNET_HARVESTED) X(ARC) X(ARC_TRANSLATED) X(ARC_MESSAGES) X(TELEMETRY_TABLE) X(TELEMETRY_VALUES) X(TELEMETRY_BASE) X(NODE_ID) X(LOGICAL_ID)                        \
    X(PCIE) X(PCIE_TRANSLATED) X(PCIE_HARVESTED) X(HOST_BYTES)                                               \
    X(RELAYS) X(RELAY_CORE) X(RELAY_FIRMWARE) X(PROBE_CORE)                                                  \
    X(UART_BASE) X(UART_CLOCK) X(UART_BAUD)                                                                  \
    X(PCI_VENDOR) X(PCI_DEVICE)
#define TD_CORE_KEYS(X) X(RESET_BIT) X(START) X(CODE_BASE) X(CODE_BYTES) X(LOCAL_BASE) X(LOCAL_BYTES) X(PC_SELECT)
#define TD_CHIP_KEYS(X) X(HARVESTED_COLUMNS) X(HARVESTED_ROWS) X(MASK) X(FUSES) X(RELAYS)
#define TD_WINDOW_KEYS(X)                                                                                    \
    X(BYTES) X(COUNT_) X(RESERVED) X(BAR) X(BAR_OFFSET) X(REGISTERS) X(REGISTER_BYTES) X(FIRST_INDEX)         \
    X(X_END) X(Y_END) X(X_START) X(Y_START) X(NOC) X(MCAST) X(ORDERING) X(LINKED) X(VC)
/* clang-format on */

#define TD_X(key) TD_KEY_##key,
enum td_board_key { TD_BOARD_KEYS(TD_X) TD_KEY_COUNT };
#undef TD_X
#define TD_X(key) TD_CORE_KEY_##key,
enum td_core_key { TD_CORE_KEYS(TD_X) TD_CORE_KEY_COUNT };
#undef TD_X
#define TD_X(key) TD_CHIP_KEY_##key,
enum td_chip_key { TD_CHIP_KEYS(TD_X) TD_CHIP_KEY_COUNT };
#undef TD_X
#define TD_X(key) TD_WINDOW_KEY_##key,
enum td_window_key { TD_WINDOW_KEYS(TD_X) TD_WINDOW_KEY_COUNT };
#undef TD_X

struct td_chip_text {
    struct td_number_list harvested_columns, harvested_rows;
    uint64_t mask, fuses;
    struct td_places relays;
};

/* Position of a key: layer and line in one number; 0: the key is not given. */
#define TD_MARK(layer, line) ((layer) << 24 | (line))
#define TD_MARK_LAYER(mark)  ((mark) >> 24)
#define TD_MARK_LINE(mark)   ((mark)&0xffffff)

struct td_board_text {
    struct td_board board;
    char base[32];
    double frequency_mhz;
    struct td_number_list columns, rows, harvested_columns, harvested_rows, harvest_order;
    struct td_number_list translated_columns, translated_rows;
    struct td_number_list dram_harvested, ethernet_harvested, pcie_harvested; /* numbers of banks or tiles */
    uint32_t harvest_axis;                                                    /* 0: columns, 1: rows */
    uint32_t harvested_last; /* order of the harvested ones: 0: by position, 1: the fuses' last bit first */
    struct td_grid_size grid;
    struct td_places positions, ports, relays;
    char relay_core[16], probe_core[16];
    struct td_chip_text chip[TD_MAX_CHIPS];
    /* Marks. */
    int at[TD_KEY_COUNT];
    int core_at[TD_MAX_CORES][TD_CORE_KEY_COUNT];
    int chip_at[TD_MAX_CHIPS][TD_CHIP_KEY_COUNT];
    int window_at[TD_MAX_WINDOWS][TD_WINDOW_KEY_COUNT];
    /* Layer 0 is the description itself, layer 1 its base ...; texts but the first are owned. */
    uint32_t layers;
    struct {
        const char *text;
        char *owned;
        char origin[512];
    } layer[TD_MAX_LAYERS];
};

/* Takes text and its bases apart; every key that must be there is there when it returns 0. *flat as in
 * td_board_parse_based(). Finish `t` in any case. */
int td_board_text_parse(struct td_board_text *t, const char *text, const char *origin,
                        const struct td_board_bases *bases, char **flat, struct td_err *err);
void td_board_text_finish(struct td_board_text *t);
/* TD_E_FORMAT with the file and line of a mark before the text. */
int td_board_refuse(const struct td_board_text *t, int mark, struct td_err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "WxH" -> *size; 0 or TD_E_FORMAT without a text. */
int td_grid_parse(struct td_grid_size *size, const char *text);

/* board_value.c: parses values; 0, or TD_E_FORMAT when the text is no such value. Lists and places are added
 * to. */
int td_value_number(const char *text, uint64_t min, uint64_t max, uint64_t *value);
int td_value_name(char *to, size_t bytes, const char *text);
int td_value_number_list(struct td_number_list *list, const char *text);
int td_value_places(struct td_places *places, const char *text);
int td_value_choice(const char *choices, const char *text, uint32_t *value); /* choices: "no|yes" */
int td_value_double(double *to, const char *text, double min, double max);
bool td_number_list_has(const struct td_number_list *list, uint16_t item);

/* Checks it as a whole and fills in what follows from it: cores, L1, registers (board_check.c) ... */
int td_board_check(struct td_board_text *t, struct td_err *err);
/* ... chips, grid, tiles of other kinds (board_check_grid.c) ... */
int td_board_check_grid(struct td_board_text *t, struct td_err *err);
/* ... banks and tiles of other kinds that are harvested, and what tiles are called on the NoC
 * (board_check_harvested.c) ... */
int td_board_check_harvested(struct td_board_text *t, struct td_err *err);
/* ... windows and the PCI device (board_check_windows.c). */
int td_board_check_windows(const struct td_board_text *t, struct td_err *err);

/* board_flat.c: the keys that count, in one text. */
struct td_flat;
struct td_flat *td_flat_create(void);
void td_flat_destroy(struct td_flat *flat);
/* Takes a key; one of another layer with that name goes. 0 or TD_E_NOMEM. */
int td_flat_add(struct td_flat *flat, int layer, const char *section, const char *name, const char *value);
char *td_flat_text(const struct td_flat *flat); /* caller frees; NULL: no memory */
