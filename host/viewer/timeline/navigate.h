/* Searching, selecting, and moving a view to a place: for keys, buttons, commands and options. */
#pragma once
#include "host/query/sums/marks.h"

struct td_view;

void td_view_search(struct td_view *view, const char *text); /* a filter; NULL: again */
void td_view_search_name(struct td_view *view, const char *name);
/* Selects the match after (or before) the selected zone, or after the start of the visible range, and
 * shows it. */
void td_view_next_match(struct td_view *view, bool forward);
/* Scrolls and pans to the zone; `fill`: zooms to it. */
void td_view_show_zone(struct td_view *view, struct td_zone_ref zone, bool fill);
/* The same without a change of zoom. */
void td_view_follow_zone(struct td_view *view, struct td_zone_ref zone);
/* Scrolls to a row of the node, and expands what hides it. */
void td_view_show_row(struct td_view *view, int node, uint32_t row);
void td_view_collapse(struct td_view *view, bool collapsed);
/* Zooms to the marked range, which ends, or else to the selected zone. */
void td_view_zoom_to_choice(struct td_view *view);
/* Chooses the note and moves to it. */
void td_view_show_note(struct td_view *view, size_t index);
void td_view_follow_newest(struct td_view *view); /* goes to the newest events, and follows */
void td_view_follow_frames(struct td_view *view); /* follows the newest three frames, or no longer */
/* Selects the zone and shows its details, or selects none (TD_NO_ZONE). */
void td_view_select(struct td_view *view, struct td_zone_ref zone);
/* Selects the zone that the selected one waited for, or (`back` false) the one that waited for it. */
void td_view_follow_chain(struct td_view *view, bool back);
