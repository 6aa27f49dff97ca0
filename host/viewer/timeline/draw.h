/* What the timeline is drawn of: a function for each kind of row, and for what is drawn over the rows. */
#pragma once
#include "host/query/flows/flow.h"
#include "host/viewer/timeline/band_cache.h"
#include "host/viewer/timeline/layout.h"
#include "host/viewer/ui/color.h"

struct td_view;

/* draw_zones.c */
void td_draw_zones(struct td_view *view, const struct td_node *node, float y);
void td_draw_flows(struct td_view *view);
void td_draw_flow_arrow(struct td_view *view, const struct td_flow_pair *pair, td_rgba color);
/* A curve from left to right, with a head at its end. */
void td_draw_arrow(struct td_view *view, float x0, float y0, float x1, float y1, td_rgba color);
/* draw_transfers.c: over the NoC, of the selected zone and the one under the mouse, or all that are visible. */
void td_draw_transfers(struct td_view *view);
/* draw_bands.c */
/* Draws the band, of which the times from_ns to to_ns are to be seen. */
typedef void td_band_draw(void *self, const struct td_band *band, const struct td_band_key *key,
                          double from_ns, double to_ns);
/* Draws the bands of a row (or of a group with that list) from start_ns to end_ns, with cells of at least
 * cell_ns. Bands of other scales stand in for those that are being made. */
void td_draw_bands(struct td_view *view, uint32_t track, uint32_t row, struct td_track_list *list,
                   double start_ns, double end_ns, double cell_ns, td_band_draw *draw, void *self);
/* Draws an item, whose end is not open; `cell_ns`: of its band. */
typedef void td_item_draw(void *self, const struct td_band_item *item, int64_t end_ns, double cell_ns);
/* Draws the items of the visible bands of a row, in order, each once, with cells of at least that many pixels at 96
 * dpi. *next is the number after the last one that was drawn. */
void td_draw_items(struct td_view *view, uint32_t track, uint32_t row, float pixels, uint64_t *next,
                   td_item_draw *draw, void *self);
/* Tells the cache what bands are made of now. */
void td_view_begin_bands(struct td_view *view);
/* draw_frame_lines.c */
void td_draw_frame_lines(struct td_view *view);
/* Marks frames that take longer than the target, if the user wants that. */
void td_draw_frame_targets(struct td_view *view);
/* draw_chain.c: the chain of the selected zone, and where it runs. */
void td_draw_chain(struct td_view *view);
/* draw_density.c */
void td_draw_density(struct td_view *view, int node, float y, float height);
void td_draw_overview(struct td_view *view, float y, float height);
/* draw_messages.c */
/* The tip for the messages of the first track in the node that has any in that time. */
void td_closed_message_tip(struct td_view *view, int node, double from_ns, double to_ns);
void td_draw_messages(struct td_view *view, const struct td_node *node, float y);
/* draw_plots.c */
void td_draw_plot(struct td_view *view, const struct td_node *node, float y);
/* The values at the lower and the upper edge of the row. */
void td_plot_scale(struct td_view *view, uint32_t plot, double *low, double *high);
/* plot_label.c: of a row of a plot or of memory, over the room of its label. Returns what is left for the name. */
float td_draw_plot_numbers(struct td_view *view, const struct td_node *node, float x, float y, float room);
/* draw_memory.c: the most bytes in use, which are at the upper edge; false: none, or not counted yet. */
bool td_memory_row_peak(struct td_view *view, const struct td_node *node, double *bytes);
/* lacks_switches.c */
bool td_lacks_switches(const struct td_view *view);
/* Over the row of the group of threads: that there are none, and the cure. */
void td_draw_lacks_switches(struct td_view *view, int node, float y);
/* The names of its plots, in their colours, where it has several. */
void td_draw_plot_names(struct td_view *view, const struct td_node *node, float x, float y, float room);
/* draw_frames.c */
void td_draw_frames(struct td_view *view, const struct td_node *node, float y);
/* draw_errors.c */
struct td_time_errors td_time_errors_read(const struct td_trace *trace);
/* `chosen`: the zone is selected or under the mouse. */
void td_draw_zone_errors(struct td_view *view, const struct td_track *track, const struct td_zone *zone,
                         bool chosen, float y0, float y1);
/* draw_sections.c */
void td_draw_sections(struct td_view *view, const struct td_node *node, float y);
/* draw_runs.c */
void td_draw_runs(struct td_view *view, const struct td_node *node, float y);
/* draw_samples.c, draw_switches.c, draw_ghosts.c, draw_cpus.c */
void td_draw_samples(struct td_view *view, const struct td_node *node, float y);
void td_draw_switches(struct td_view *view, const struct td_node *node, float y);
void td_draw_ghosts(struct td_view *view, const struct td_node *node, float y);
void td_draw_cpu(struct td_view *view, const struct td_node *node, float y);
void td_draw_cpu_usage(struct td_view *view, const struct td_node *node, float y, float height);
/* The name of a thread, with that of its program if it is another one. */
void td_name_runner(const struct td_view *view, uint64_t thread, char *text, size_t bytes);
/* The middle of a processor's row; NAN: it is not shown. */
float td_cpu_row_y(const struct td_view *view, int64_t cpu);
/* Lines between the processors that the thread under the mouse, or the selected one, ran on. */
void td_draw_migrations(struct td_view *view);
/* draw_memory.c: the use of a memory pool. */
void td_draw_memory(struct td_view *view, const struct td_node *node, float y);
/* draw_locks.c */
void td_draw_lock(struct td_view *view, const struct td_node *node, float y);
/* draw_axis.c */
void td_draw_grid(struct td_view *view);
void td_draw_ruler(struct td_view *view, float y, float height);
/* draw_notes.c */
void td_draw_notes(struct td_view *view, float ruler_y);
/* draw_tree.c */
void td_draw_labels(struct td_view *view);
/* draw_lanes.c */
/* Lights the lane that is selected, or that the mouse is over in another panel; `x` is where its label
 * begins. */
void td_draw_lane_light(struct td_view *view, const struct td_node *node, float y, float x);
/* What is filtered or hidden, in the corner above the labels. */
void td_draw_lane_corner(struct td_view *view, float y, float height);
