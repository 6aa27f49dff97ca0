/* Where the chips, their tiles and cores are in the panel Chips. */
#pragma once
#include "host/query/ops/grid.h"
#include "host/viewer/model/panel.h"

#define TD_CHIP_NONE SIZE_MAX

/* The upper left corner of a chip's first tile. Tiles are squares of `tile` pixels. */
struct td_chip_corner {
    float left, top, tile;
};

struct td_chip_places {
    size_t first, count; /* chips of the grid that are shown */
    int columns;
    float left, top, wide, high, tile, title; /* of a chip, with its gap; tile 0: there is no room */
};

/* Places the chips in `area`, at the scale of the window; only this one if there is a chip of number enlarged - 1. */
struct td_chip_places td_chip_places_make(float scale, const struct td_grid *grid, uint32_t enlarged,
                                          const struct td_rect *area);
/* `chip` is an index of the grid's chips. */
struct td_chip_corner td_chip_corner_of(const struct td_chip_places *m, size_t chip);
bool td_chip_is_shown(const struct td_chip_places *m, size_t chip);
struct td_rect td_chip_tile_place(const struct td_chip_corner *corner, uint32_t x, uint32_t y);
/* The place of the i-th of `count` cores in a tile. */
struct td_rect td_chip_core_place(const struct td_rect *tile, size_t i, size_t count);

/* The chip at a place of the window, its title included; TD_CHIP_NONE: none. */
size_t td_chip_at(const struct td_grid *grid, const struct td_chip_places *m, float x, float y);
/* Whether a chip's grid is at that place; *at_x, *at_y: from its left and upper edge. */
bool td_chip_grid_at(const struct td_grid *grid, const struct td_chip_places *m, float x, float y,
                     size_t *chip, uint32_t *at_x, uint32_t *at_y);
/* The tile at that place, and the track of the core; NULL, TD_NO_LANE: none. */
const struct td_grid_tile *td_chip_tile_at(const struct td_grid *grid, const struct td_chip_places *m,
                                           float x, float y, uint32_t *track);
