/* What a board description says, key by key, before it is checked as a whole (board.c). Private to this
 * folder. */
#ifndef TD_HOST_DEVICE_BOARD_PARSE_H
#define TD_HOST_DEVICE_BOARD_PARSE_H
#include "host/device/board.h"

#define TD_MAX_GRID    64 /* columns or rows */
#define TD_MAX_BANKS   64
#define TD_START_BYTES 8 /* the loader's jump at a core's start address: one or two instructions */

struct td_list {
    uint32_t count;
    uint16_t item[TD_MAX_GRID];
};

struct td_places {
    uint32_t count;
    uint16_t x[TD_MAX_BANKS], y[TD_MAX_BANKS];
};

struct td_grid_size {
    uint32_t width, height;
};

enum td_board_key {
    TD_KEY_NAME,
    TD_KEY_TRANSPORT,
    TD_KEY_CHIPS,
    TD_KEY_FREQUENCY,
    TD_KEY_LOW,
    TD_KEY_LIVE_HIGH,
    TD_KEY_LATCHED_HIGH,
    TD_KEY_SOFT_RESET,
    TD_KEY_NOC_WIDTH,
    TD_KEY_NOC_HEIGHT,
    TD_KEY_NOC_REGS,
    TD_KEY_COLUMNS,
    TD_KEY_ROWS,
    TD_KEY_HARVESTED_COLUMNS,
    TD_KEY_HARVESTED_ROWS,
    TD_KEY_GRID,
    TD_KEY_L1_BASE,
    TD_KEY_L1_BYTES,
    TD_KEY_LANE_BASE,
    TD_KEY_RING_SLOTS,
    TD_KEY_DATA_BASE,
    TD_KEY_BANKS,
    TD_KEY_BANK_BYTES,
    TD_KEY_POSITIONS,
    TD_KEY_COUNT
};

enum td_core_key {
    TD_CORE_KEY_RESET_BIT,
    TD_CORE_KEY_START,
    TD_CORE_KEY_CODE_BASE,
    TD_CORE_KEY_CODE_BYTES,
    TD_CORE_KEY_LOCAL_BASE,
    TD_CORE_KEY_LOCAL_BYTES,
    TD_CORE_KEY_COUNT
};

struct td_board_text {
    struct td_board board;
    double frequency_mhz;
    struct td_list columns, rows, harvested_columns, harvested_rows;
    struct td_grid_size grid;
    struct td_places places;
    /* Line on which each key stands, 0: nowhere. */
    int line[TD_KEY_COUNT];
    int core_line[TD_MAX_CORES][TD_CORE_KEY_COUNT];
    const char *origin;
};

/* Takes the text apart; every key that must be there is there when it returns 0. */
int td_board_text_parse(struct td_board_text *t, const char *text, const char *origin, struct td_err *err);
/* "WxH" -> *size; 0 or TD_E_FORMAT without a text. */
int td_grid_parse(struct td_grid_size *size, const char *text);
/* Checks it as a whole and fills in what follows from it (column_x, row_y, dram_x ...). */
int td_board_check(struct td_board_text *t, struct td_err *err);
#endif
