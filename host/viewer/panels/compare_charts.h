/* What the panel Compare draws beside its list. */
#pragma once
#include "host/query/diff/comparison.h"
#include "host/viewer/ui/color.h"
#include "host/viewer/model/panel.h"

struct td_ui;

/* Of a change that is bad if it is above 0. */
td_rgba td_change_color(double change);
/* Names the colours of the two sides, with the right edge at `right`; returns the left edge. */
float td_draw_sides_legend(struct td_ui *ui, float right, float y);
/* The lengths of both sides, each as parts of its own zones, one over the other. */
void td_draw_length_bins(struct td_ui *ui, const struct td_length_bins *bins, const struct td_rect *place);
/* A bar for each track: upwards if its zones take more time now. */
void td_draw_track_changes(struct td_ui *ui, const struct td_track_change *tracks, size_t count,
                           const struct td_rect *place);
