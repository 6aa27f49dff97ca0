/* The row of tabs of a region. */
#pragma once
#include <stdbool.h>

struct td_view;

#define TD_TABS_HEIGHT 28

/* Groups as pictures with their names, and the tabs of the group that is shown. Takes their input. */
void td_region_draw_tabs(struct td_view *view, int region);
