/* The tiles of the chips, where they are on the grid, with the lanes of their cores. */
#ifndef TD_HOST_VIEWER_ANALYSIS_GRID_H
#define TD_HOST_VIEWER_ANALYSIS_GRID_H
#include "host/viewer/analysis/lane_table.h"

struct td_grid_tile {
    uint32_t chip;       /* index of the grid's chips */
    uint32_t x, y;       /* from the grid's left and upper edge */
    size_t first, count; /* its cores in `track`, by number */
};

struct td_grid {               /* all zero: no chips */
    struct td_grid_tile *tile; /* by chip, y, x */
    uint32_t *track;           /* of each core */
    uint32_t *chip;            /* number of each chip */
    size_t tiles, tracks, chips;
    uint32_t left, top, width,
        height;   /* coordinates of the first tile, and the size; the same for all chips */
    size_t cores; /* most in a tile */
};

/* Fills the grid with the cores that have zones. The grid is as large as the coordinates need, or width x
 * height tiles from 0,0 if they are within. 0 or TD_E_NOMEM. */
int td_grid_make(struct td_grid *grid, const struct td_lane_table *table, uint32_t width, uint32_t height);
void td_grid_free(struct td_grid *grid);
/* The tile at a place; NULL: there is none, such as a harvested one. */
const struct td_grid_tile *td_grid_at(const struct td_grid *grid, size_t chip, uint32_t x, uint32_t y);
/* The tile with the lane; NULL: none. */
const struct td_grid_tile *td_grid_tile_of(const struct td_grid *grid, const struct td_lane_facts *lane);
#endif
