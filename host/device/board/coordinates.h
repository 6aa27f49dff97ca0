/* The numbers that a tile has: NoC 0 and NoC 1, physical, translated, logical. All of it from the board's
 * description; nothing is asked of a device. Thread-safe.
 */
#pragma once
#include "host/device/board/board.h"
#include "proto/chip_map.h"

/* X(NAME, command line name, what) */
#define TD_COORDINATES(X)                                                                                    \
    X(NOC0, "noc0", "position on NoC 0; 0,0 is above left")                                                  \
    X(NOC1, "noc1", "position on NoC 1, which counts from the other corner")                                 \
    X(PHYSICAL, "physical", "the same as noc0")                                                              \
    X(TRANSLATED, "translated", "as firmware renumbers them, harvested rows or columns last")                \
    X(LOGICAL, "logical", "dense numbers of the Tensix tiles that work, from 0,0")

enum td_coordinate_kind {
#define TD_X(name, cli, what) TD_COORDINATE_##name,
    TD_COORDINATES(TD_X)
#undef TD_X
};

/* Converts (x,y) of one kind into (*to_x,*to_y) of another, on one chip. Logical numbers cover all tiles that
 * work, also those outside the grid in use. TD_E_USAGE: there is no such chip or tile. TD_E_NOTFOUND: the
 * tile has no number of that kind (a DRAM tile has no logical one), or the description does not give it. */
int td_coordinate(const struct td_board *board, uint32_t chip, enum td_coordinate_kind from, uint32_t x,
                  uint32_t y, enum td_coordinate_kind to, uint32_t *to_x, uint32_t *to_y, struct td_err *err);

/* Describes the tile at a NoC 0 position: "Tensix 3,4" (logical), "harvested Tensix", "relay", "DRAM bank 2",
 * "Ethernet 5", "ARC", "PCIe 0", "router"; "nothing" outside the NoC. Returns `to`. */
const char *td_tile_name(const struct td_board *board, uint32_t chip, uint32_t x, uint32_t y, char *to,
                         size_t bytes);

/* What is where on the chip's NoC 0, for a trace. False: there is no such chip, or the board has no NoC. */
bool td_board_chip_map(const struct td_board *board, uint32_t chip, struct td_chip_map *map);
