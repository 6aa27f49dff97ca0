/* The spot: the place that a list has shown last, such as a message or the crash. The timeline marks it, and what the
 * line under the mouse in a list is about. */
#pragma once
#include "host/trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_view;
struct td_query_place;

struct td_spot {
    bool used;
    uint32_t track; /* TD_NO_TRACK: all of the timeline */
    int64_t start_ns, end_ns;
};

/* Pans the timeline to the place, and opens and scrolls to its track. `fill`: zooms to it. */
void td_view_show_spot(struct td_view *view, struct td_spot spot, bool fill);
/* The same for what a row of a table is about; zones are selected. */
void td_view_show_place(struct td_view *view, const struct td_query_place *place, bool fill);
/* Selects the message, marks it, and lists it. */
void td_view_show_message(struct td_view *view, size_t number);
/* For panels, while they draw: the line under the mouse is about this zone, or this place. */
void td_view_point_at(struct td_view *view, struct td_zone_ref zone);
void td_view_point_at_place(struct td_view *view, const struct td_query_place *place);
void td_draw_spots(struct td_view *view);
