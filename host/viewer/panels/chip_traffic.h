/* What went over the NoC, drawn over the tiles of the panel Chips: links with the bytes that they carried, or arrows
 * between tiles. */
#pragma once
#include "host/query/ops/noc_traffic.h"
#include "host/viewer/panels/chip_places.h"
#include "host/viewer/panels/chip_values.h"

/* With the mouse over a tile, arrows are only those of this tile. */
void td_chip_draw_traffic(struct td_view *view, const struct td_chip_values *values,
                          const struct td_chip_places *m);
/* The scale of links, between two places of a line of text. */
void td_chip_draw_traffic_legend(struct td_view *view, const struct td_chip_values *values, float left,
                                 float right, float y);
/* Sets the tooltip of the link at that place of the window; false: there is none. */
bool td_chip_set_link_tip(struct td_view *view, const struct td_chip_values *values,
                          const struct td_chip_places *m, float x, float y);
/* Adds lines of a tooltip about a place of a chip, from the grid's left and upper edge: what it sent and got. */
void td_chip_add_traffic(struct td_view *view, const struct td_chip_values *values, size_t chip, uint32_t x,
                         uint32_t y, char *text, size_t bytes);
