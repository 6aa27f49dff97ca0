/* The range of time that tables and histograms count (timeline/selection.h). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct td_view;

/* The range that the panels count; false: the whole trace. */
bool td_view_limits(const struct td_view *view, int64_t *from_ns, int64_t *to_ns);
/* Changes when the range changes, or when the trace has grown and nothing is being counted, some times a
 * second: a part of the key of jobs. */
uint64_t td_view_limits_key(const struct td_view *view);
/* Draws the choice of the range with its right edge at `right`; returns its left edge. */
float td_draw_limits(struct td_view *view, float right, float y, float height);
float td_limits_width(const struct td_view *view);
