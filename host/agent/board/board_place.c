/* The places of a board's lanes. */
#include "host/agent/board/board_source_internal.h"

struct td_lane_at td_board_lane_at_(const struct td_board_source *s, uint32_t index, uint32_t *x, uint32_t *y)
{
    const struct td_board *b = s->board;
    uint32_t core = index % b->core_count;
    uint32_t tile = index / b->core_count;
    *x = tile % b->grid_width;
    *y = tile / b->grid_width % b->grid_height;
    uint32_t chip = tile / (b->grid_width * b->grid_height);
    return (struct td_lane_at){.tile = td_board_tile(b, chip, *x, *y),
                               .core = (uint16_t)core,
                               .logical_x = (uint16_t)*x,
                               .logical_y = (uint16_t)*y,
                               .index = index};
}
