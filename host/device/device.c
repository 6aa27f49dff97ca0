#include "host/device/device.h"
#include "host/base/debug_log.h"
#include "host/device/board/arc.h"
#include "host/device/board/attach.h"
#include "host/device/device_internal.h"
#include "host/device/image/core_load.h"
#include "target/include/tendril/cb.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_WAIT_MS 10000

int td_board_of_transport(struct td_board *board, struct td_transport *t, struct td_err *err)
{
    const char *text, *grid;
    if (!t->ops->describe)
        return td_fail(err, TD_E_USAGE, "transport %s cannot report its board", t->ops->name);
    int rc = t->ops->describe(t, &text, &grid, err);
    if (rc == 0) /* an empty grid is that of the description */
        rc = td_board_parse(board, text, "description in the board", grid && *grid ? grid : NULL, err);
    return rc ? rc : td_board_attach(board, t, err);
}

/* The value of TENDRIL_BOARD and its like: for board 2, of TENDRIL_BOARD_2. */
static const char *board_variable(unsigned long number, const char *suffix)
{
    char name[64];
    if (number)
        snprintf(name, sizeof name, "TENDRIL_BOARD_%lu%s", number, suffix);
    else
        snprintf(name, sizeof name, "TENDRIL_BOARD%s", suffix);
    return getenv(name);
}

/* The number in "board:N"; ULONG_MAX: `where` is not such a name. */
static unsigned long board_number(const char *where)
{
    char *end;
    if (strncmp(where, "board:", 6) != 0 || where[6] < '0' || where[6] > '9')
        return ULONG_MAX;
    const unsigned long number = strtoul(where + 6, &end, 10);
    return *end ? ULONG_MAX : number;
}

/* A board that does not report what it is: the recorder or the user has named it. */
static int learn_board(struct td_device *device, const char *where, unsigned long number, struct td_err *err)
{
    const char *name = board_variable(number, "_NAME"), *grid = board_variable(number, "_GRID");
    if (device->transport->ops->describe)
        return td_board_of_transport(&device->board, device->transport, err);
    if ((!name || !*name) && !device->transport->ops->identity)
        return td_fail(err, TD_E_NOTFOUND,
                       "the board at %s does not report what it is; set TENDRIL_BOARD_NAME to its name",
                       where);
    int rc = td_board_load_for(&device->board, device->transport, name && *name ? name : NULL,
                               grid && *grid ? grid : NULL, NULL, err);
    return rc ? rc : td_board_attach(&device->board, device->transport, err);
}

static int make_tiles(struct td_device *device, struct td_err *err)
{
    const struct td_board *b = &device->board;
    device->tile_count = (size_t)b->chips * b->grid_width * b->grid_height;
    device->tiles = calloc(device->tile_count, sizeof *device->tiles);
    if (!device->tiles)
        return td_fail(err, TD_E_NOMEM, "no memory for %zu tiles", device->tile_count);
    struct td_device_tile *tile = device->tiles;
    for (uint32_t chip = 0; chip < b->chips; chip++)
        for (uint32_t y = 0; y < b->grid_height; y++)
            for (uint32_t x = 0; x < b->grid_width; x++, tile++) {
                tile->at = td_board_tile(b, chip, x, y);
                tile->x = (uint16_t)x;
                tile->y = (uint16_t)y;
            }
    return 0;
}

struct td_device *td_device_open(const char *where, struct td_err *err)
{
    unsigned long number = where ? board_number(where) : 0;
    if (!where || number != ULONG_MAX)
        where = board_variable(number, "");
    else
        number = 0;
    if ((!where || !*where) && number) {
        td_fail(err, TD_E_NOTFOUND,
                "there is no board %lu; run the program with 'tendril record -b BOARD -b BOARD ... -- "
                "PROGRAM', or set TENDRIL_BOARD_%lu",
                number, number);
        return NULL;
    }
    if (!where || !*where) {
        td_fail(err, TD_E_NOTFOUND,
                "no board is named; run the program with 'tendril record -b BOARD -- PROGRAM', or "
                "set TENDRIL_BOARD");
        return NULL;
    }
    if (td_debug_from_environment(err) < 0)
        return NULL;
    struct td_device *device = calloc(1, sizeof *device);
    if (!device) {
        td_fail(err, TD_E_NOMEM, "no memory for a board");
        return NULL;
    }
    device->rules = td_zone_rules_create(getenv(TD_ZONE_RULES_VARIABLE), err);
    device->transport = device->rules ? td_transport_open(where, OPEN_WAIT_MS, err) : NULL;
    if (!device->transport || learn_board(device, where, number, err) || make_tiles(device, err)) {
        td_device_close(device);
        return NULL;
    }
    return device;
}

void td_device_close(struct td_device *device)
{
    if (!device)
        return;
    while (device->images) {
        struct td_device_image *next = device->images->next;
        td_image_close(device->images->image);
        td_device_free_patches(device->images);
        free(device->images->path);
        free(device->images);
        device->images = next;
    }
    td_zone_rules_destroy(device->rules);
    td_transport_close(device->transport);
    free(device->tiles);
    free(device);
}

const struct td_board *td_device_board(const struct td_device *device)
{
    return &device->board;
}

struct td_transport *td_device_transport(struct td_device *device)
{
    return device->transport;
}

int td_device_core(const struct td_device *device, const char *name)
{
    for (uint32_t i = 0; i < device->board.core_count; i++)
        if (strcmp(device->board.cores[i].name, name) == 0)
            return (int)i;
    return TD_E_NOTFOUND;
}

struct td_device_tile *td_device_get_tile(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y,
                                          struct td_err *err)
{
    const struct td_board *b = &device->board;
    if (chip >= b->chips || x >= b->grid_width || y >= b->grid_height) {
        td_fail(err, TD_E_USAGE, "there is no tile %u,%u on chip %u; the board has %u chips of %ux%u tiles",
                x, y, chip, b->chips, b->grid_width, b->grid_height);
        return NULL;
    }
    return &device->tiles[((size_t)chip * b->grid_height + y) * b->grid_width + x];
}

struct td_device_tile *td_device_get_tile_of(struct td_device *device, struct td_core_at core,
                                             struct td_err *err)
{
    if (core.core >= device->board.core_count) {
        td_fail(err, TD_E_USAGE, "there is no core %u; a tile has %u", core.core, device->board.core_count);
        return NULL;
    }
    return td_device_get_tile(device, core.chip, core.x, core.y, err);
}

int td_device_read(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y, uint32_t address,
                   void *to, size_t bytes, struct td_err *err)
{
    const struct td_device_tile *tile = td_device_get_tile(device, chip, x, y, err);
    return tile ? device->transport->ops->read(device->transport, tile->at, address, to, bytes, err)
                : TD_E_USAGE;
}

int td_device_write(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y, uint32_t address,
                    const void *from, size_t bytes, struct td_err *err)
{
    const struct td_device_tile *tile = td_device_get_tile(device, chip, x, y, err);
    return tile ? device->transport->ops->write(device->transport, tile->at, address, from, bytes, err)
                : TD_E_USAGE;
}

int td_device_cb(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y, uint32_t page_bytes,
                 uint32_t pages, uint32_t *next, uint32_t *cb, struct td_err *err)
{
    const uint64_t at = ((uint64_t)*next + 63) & ~UINT64_C(63), bytes = (uint64_t)page_bytes * pages;
    const uint64_t l1_end = (uint64_t)device->board.l1_base + device->board.l1_bytes;
    if (!bytes || page_bytes % 4)
        return td_fail(err, TD_E_USAGE, "a circular buffer needs pages of whole words, not %u of %u bytes",
                       pages, page_bytes);
    if (at < device->board.data_base || at >= l1_end || bytes + TD_CB_COUNTER_BYTES + 63 > l1_end - at)
        return td_fail(err, TD_E_USAGE,
                       "no room in L1 for a circular buffer of %u pages of %u bytes at 0x%" PRIx64, pages,
                       page_bytes, at);
    const struct td_cb empty = td_cb_layout((uint32_t)at, page_bytes, pages);
    const int rc = td_device_write(device, chip, x, y, (uint32_t)at, &empty, sizeof empty, err);
    if (rc == 0) {
        *cb = (uint32_t)at;
        *next = (uint32_t)at + (uint32_t)TD_CB_BYTES(page_bytes, pages);
    }
    return rc;
}

static int dram_at(const struct td_device *device, uint16_t chip, uint32_t bank, struct td_tile_at *at,
                   struct td_err *err)
{
    const struct td_board *b = &device->board;
    if (chip >= b->chips || bank >= b->dram_banks)
        return td_fail(err, TD_E_USAGE,
                       "there is no DRAM bank %u on chip %u; the board has %u chips with %u banks", bank,
                       chip, b->chips, b->dram_banks);
    *at = (struct td_tile_at){chip, b->dram_x[bank], b->dram_y[bank]};
    return 0;
}

int td_device_dram_read(struct td_device *device, uint16_t chip, uint32_t bank, uint64_t address, void *to,
                        size_t bytes, struct td_err *err)
{
    struct td_tile_at at;
    int rc = dram_at(device, chip, bank, &at, err);
    return rc ? rc : device->transport->ops->read(device->transport, at, address, to, bytes, err);
}

int td_device_dram_write(struct td_device *device, uint16_t chip, uint32_t bank, uint64_t address,
                         const void *from, size_t bytes, struct td_err *err)
{
    struct td_tile_at at;
    int rc = dram_at(device, chip, bank, &at, err);
    return rc ? rc : device->transport->ops->write(device->transport, at, address, from, bytes, err);
}

int td_device_reset(struct td_device *device, const struct td_device_tile *tile, uint32_t cores, int hold,
                    struct td_err *err)
{
    if (!hold && !device->cores_are_awake) {
        int rc = td_arc_wake_cores(&device->board, device->transport, err);
        if (rc)
            return rc;
        device->cores_are_awake = 1;
    }
    return td_core_load_reset(device->transport, &device->board, tile->at, cores, hold, err);
}

uint32_t td_device_lane(const struct td_device *device, uint32_t core, uint32_t offset)
{
    return td_board_lane_ctrl(&device->board, core) + offset;
}

int td_device_freeze(struct td_device *device, int delta, struct td_err *err)
{
    return td_transport_control(device->transport, TD_CONTROL_FREEZE, (uint64_t)(int64_t)delta, NULL, err);
}
