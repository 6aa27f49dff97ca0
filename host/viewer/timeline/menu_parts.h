/* Parts of menus that several of them have. */
#pragma once
#include "host/query/sums/marks.h"

struct td_view;
struct td_menu;

/* What can be done with the marked range; without one, with the visible one. */
void td_menu_range_parts(struct td_view *view, struct td_menu *menu);
/* What can be done with frames: steps, sets, the target, the strip. */
void td_menu_frame_parts(struct td_view *view, struct td_menu *menu);
/* With a stretch of time; with a zone. */
void td_menu_span_parts(struct td_menu *menu, double from_ns, double until_ns);
void td_menu_zone_parts(struct td_view *view, struct td_menu *menu, struct td_zone_ref zone);
