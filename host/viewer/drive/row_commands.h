/* The commands about rows: saved views, the filter of lanes, groups; which rows
 * are pinned or hidden, and their order. */
#pragma once
#include "host/base/err.h"

#include <stdint.h>

struct td_view;

/* "NAME" shows a view; "save" and "remove" with a rest save and remove it. A name with spaces may be in both. */
int td_drive_view(struct td_view *view, const char *name, const char *rest, struct td_err *err);
/* NULL: all lanes, with hidden rows. */
int td_drive_lanes(struct td_view *view, const char *filter, struct td_err *err);
int td_drive_group(struct td_view *view, const char *word, struct td_err *err);
/* The track of that name, else the first whose name contains the text, in the order of the timeline; #N: the track of
 * that number. UINT32_MAX: none. */
uint32_t td_drive_find_track(const struct td_view *view, const char *name);
/* A row is that of a track, as above, else the first row or group whose label is the text, else contains it; or it is the one of that name in a state, such as
 * "/Host/Main thread". NULL, for
 * unpin and show: all. */
int td_drive_pin(struct td_view *view, const char *row, struct td_err *err);
int td_drive_unpin(struct td_view *view, const char *row, struct td_err *err);
int td_drive_hide(struct td_view *view, const char *row, struct td_err *err);
int td_drive_show(struct td_view *view, const char *row, struct td_err *err);
int td_drive_only(struct td_view *view, const char *row, struct td_err *err); /* hides all others */
/* Closes or opens the row; NULL: all tiles or threads, all groups. */
int td_drive_collapse(struct td_view *view, const char *row, struct td_err *err);
int td_drive_expand(struct td_view *view, const char *row, struct td_err *err);
/* Moves the row of a track or tile among its siblings: "up", "down", "first" or "last". */
int td_drive_move(struct td_view *view, const char *row, const char *where, struct td_err *err);
/* Sampled functions of the thread, or of the threads of the group: "on", "off" or "auto". */
int td_drive_ghosts(struct td_view *view, const char *row, const char *word, struct td_err *err);
/* Draws a plot, with those of its row, in the row of another one. */
int td_drive_join(struct td_view *view, const char *plot, const char *row, struct td_err *err);
/* A row of its own again; the first plot of a row: each gets one. */
int td_drive_split(struct td_view *view, const char *plot, struct td_err *err);
/* Tracks with semicolons between them; NULL: the order of the grid. */
int td_drive_order(struct td_view *view, const char *tracks, struct td_err *err);
