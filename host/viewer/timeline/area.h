/* Where on the screen the rows of the timeline are, and which times its columns of pixels have. */
#pragma once
#include "host/viewer/model/panel.h"

struct td_rows_area {
    struct td_rect panel;           /* of the timeline, in this frame */
    float left, top, right, bottom; /* of the rows that scroll */
    float pins_top;                 /* the pinned rows are between this and `top` */
    double ns_per_pixel, pixels_per_ns;
    double origin_ns; /* the time at `left`, which is that of a whole pixel since time 0 */
    float scroll, to_scroll;
    bool scrolling; /* the last frame has scrolled */
};

/* Clamped to 32 pixels outside the rows' area. Called for each item: without calls of the C library. */
static inline float td_area_x(const struct td_rows_area *area, double ns)
{
    double x = (ns - area->origin_ns) * area->pixels_per_ns;
    const double most = area->right - area->left + 32;
    x = x < most ? x : most;
    return area->left + (float)(x > -32 ? x : -32);
}
static inline double td_area_time(const struct td_rows_area *area, float x)
{
    return area->origin_ns + (double)(x - area->left) * area->ns_per_pixel;
}
