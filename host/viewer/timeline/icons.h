/* Pictures of the groups of panels, drawn as lines: no font is needed, and they are sharp at every scale. */
#pragma once
#include "host/viewer/model/panel.h"
#include "host/viewer/ui/theme.h"

/* In a square with that upper left corner. */
void td_draw_icon(struct td_view *view, enum td_panel_group group, float x, float y, float size,
                  td_rgba color);
