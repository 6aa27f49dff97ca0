/* What follows from a board's description: where tiles, relays and lanes are, which transports lead there. */
#include "host/device/board/coordinates.h"
#include "proto/device/lane.h"
#include "proto/device/noc.h"
#include "proto/device/packet.h"

#include <stdbool.h>
#include <string.h>

struct td_tile_at td_board_tile(const struct td_board *board, uint32_t chip, uint32_t logical_x,
                                uint32_t logical_y)
{
    const struct td_chip_desc *c = &board->chip[chip];
    if (board->translated_addresses)
        return (struct td_tile_at){(uint16_t)chip, board->translated_x[logical_x],
                                   board->translated_y[logical_y]};
    return (struct td_tile_at){(uint16_t)chip, c->column_x[logical_x], c->row_y[logical_y]};
}

struct td_tile_at td_board_relay(const struct td_board *board, uint32_t chip, uint32_t number)
{
    const struct td_chip_desc *c = &board->chip[chip];
    uint32_t x = c->relay_x[number], y = c->relay_y[number];
    if (board->translated_addresses)
        td_coordinate(board, chip, TD_COORDINATE_NOC0, x, y, TD_COORDINATE_TRANSLATED, &x, &y, NULL);
    return (struct td_tile_at){(uint16_t)chip, (uint16_t)x, (uint16_t)y};
}

uint32_t td_board_relays(const struct td_board *board)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < board->chips; i++)
        count += board->chip[i].relay_count;
    return count;
}

bool td_board_has_transport(const struct td_board *board, const char *name)
{
    for (uint32_t i = 0; i < board->transport_count; i++)
        if (strcmp(board->transports[i], name) == 0)
            return true;
    return false;
}

bool td_board_has_pci_id(const struct td_board *board, uint32_t vendor, uint32_t device)
{
    bool has = false;
    for (uint32_t i = 0; i < board->pci_device_count; i++)
        has |= board->pci_vendor == vendor && board->pci_device[i] == device;
    return has;
}

uint32_t td_board_first_translated(const struct td_board *board)
{
    enum { NONE = 64, WORMHOLE = 16 };
    if (!board->translated_addresses)
        return NONE;
    return board->niu == TD_NIU_WORMHOLE ? WORMHOLE : 0;
}

uint32_t td_board_fence_word(const struct td_board *board)
{
    enum { NOP = 0x00000013, FENCE_IORW = 0x0ff0000f };
    return board->no_fence ? NOP : FENCE_IORW;
}

uint32_t td_board_lane_ctrl(const struct td_board *board, uint32_t core)
{
    return board->lane_base + TD_TILE_CTRL_BYTES + TD_LANE_CTRL_BYTES * core;
}

uint32_t td_board_ring(const struct td_board *board, uint32_t core)
{
    return td_board_lane_ctrl(board, board->core_count) + board->ring_slots * TD_SLOT_BYTES * core;
}

/* Lines of 16 bytes have one writer. */
uint32_t td_board_open_bytes(const struct td_board *board)
{
    return board->open_bytes / board->core_count / 16 * 16;
}

uint32_t td_board_open(const struct td_board *board, uint32_t core)
{
    return board->open_base + td_board_open_bytes(board) * core;
}
