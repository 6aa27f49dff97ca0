/* Keys and the mouse in the timeline. */
#pragma once
#include "host/viewer/model/panel.h"

struct td_view;

void td_view_keys(struct td_view *view);
void td_view_mouse(struct td_view *view, float overview_top);
bool td_timeline_key(struct td_view *view, const struct td_key_press *press);
/* Whether a drag from x moves an edge of the marked range: its end, or its start. */
bool td_view_range_edge(const struct td_view *view, float x, bool *end);
/* input_tracy.c: the mouse as in Tracy's viewer. */
bool td_tracy_mouse(const struct td_view *view);
double td_tracy_wheel(const struct td_view *view, float notches); /* by what the range is multiplied */
/* The end of a drag of the middle button: zooms to the range that it passed, with Ctrl out of it; of a click: to
 * what is under the mouse. */
void td_tracy_end_zoom(struct td_view *view);
void td_tracy_zoom_node(struct td_view *view, int node); /* to all that is in the rows */
extern const struct td_help_line td_tracy_help[];
