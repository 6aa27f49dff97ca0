/* The tiles of the chips, where they are on the grid, with the lanes of their cores. */
#pragma once
#include "host/trace/chip_maps.h"
#include "host/query/sums/lane_table.h"

struct td_grid_tile {
    uint32_t chip;       /* index of the grid's chips */
    uint32_t x, y;       /* from the grid's left and upper edge */
    size_t first, count; /* its cores in `track`, by number */
};

struct td_grid {               /* all zero: no chips */
    struct td_grid_tile *tile; /* by chip, y, x */
    uint32_t *track;           /* of each core */
    uint32_t *chip;            /* number of each chip */
    /* Of each chip: the map by which its tiles are placed; NULL: they are at their logical coordinates. */
    const struct td_chip_map **map;
    size_t tiles, tracks, chips;
    uint32_t left, top, width,
        height;   /* coordinates of the first tile, and the size; the same for all chips */
    size_t cores; /* most in a tile */
};

/* Fills the grid with the cores that have zones.
 *
 * Tiles of chips that have a map in `maps` (NULL: none has) are at their places on the NoC, and the grid begins
 * at 0,0 and is as large as the maps. A map that lacks one of the chip's tiles is not used. `maps` must live
 * as long as the grid.
 *
 * Without a map, the grid is as large as the logical coordinates need, or width x height tiles from 0,0 if they
 * are within. 0 or TD_E_NOMEM. */
int td_grid_make(struct td_grid *grid, const struct td_lane_table *table, uint32_t width, uint32_t height,
                 const struct td_chip_maps *maps);
void td_grid_free(struct td_grid *grid);
/* The tile at a place; NULL: there is none, such as a harvested one. */
const struct td_grid_tile *td_grid_at(const struct td_grid *grid, size_t chip, uint32_t x, uint32_t y);
/* The tile with the lane; NULL: none. */
const struct td_grid_tile *td_grid_tile_of(const struct td_grid *grid, const struct td_lane_facts *lane);
/* What the map says of a place; TD_PLACE_COUNT: the chip has no map, or none so large. */
enum td_chip_place td_grid_kind(const struct td_grid *grid, size_t chip, uint32_t x, uint32_t y);
/* The logical coordinates of a place from the grid's left and upper edge; false: there is no Tensix tile. */
bool td_grid_logical(const struct td_grid *grid, size_t chip, uint32_t *x, uint32_t *y);

struct td_grid_area { /* places, those at its edges included */
    uint32_t left, top, right, bottom;
};

/* Adds the tiles of a chip in the area to `text`, a filter of lanes (lane_filter.h), as alternatives. What has
 * no room in `bytes` is left out. */
void td_grid_name_area(const struct td_grid *grid, size_t chip, const struct td_grid_area *area, char *text,
                       size_t bytes);
