/* The map of all rows at the right edge of the timeline, under the handle of the scroll bar: how busy each row is in the
 * range that panels have counted, and how many matches of the search it has. */
#pragma once
#include "host/query/sums/matches.h"

struct td_view;
struct td_node;

struct td_row_map {    /* all zero: nothing was counted */
    uint64_t *matches; /* of each track */
    uint32_t tracks;
    unsigned generation; /* of the search that they are from */
    const struct td_matches *of;
};

/* Counts the matches of each track, if there are others than at the last call; to be called once a frame. */
void td_row_map_update(struct td_view *view);
void td_row_map_free(struct td_row_map *map);
/* The matches in the row, or in all rows of a group; 0 also without a search. */
uint64_t td_row_map_matches(const struct td_view *view, const struct td_node *node);
/* Draws the map between these edges, if not all rows are visible. */
void td_draw_row_map(struct td_view *view, float left, float right);
