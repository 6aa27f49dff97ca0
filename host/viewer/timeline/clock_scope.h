/* Rows of GPU contexts are drawn by the clocks that the user has set (model/gpu_clocks.h). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct td_view;

/* From enter to leave, td_view_x(), td_view_time() and the camera take recorded times of the track. */
struct td_clock_scope {
    double start_ns, end_ns, origin_ns, ns_per_pixel;
    bool entered;
};
struct td_clock_scope td_view_enter_clock(struct td_view *view, uint32_t track);
void td_view_leave_clock(struct td_view *view, const struct td_clock_scope *scope);
