/* How many rows of ghost zones are shown. */
#pragma once
struct td_view;

/* Gives the rows of ghost zones the depth that can be seen in the range to which the view moves; once a frame. */
void td_view_fit_ghosts(struct td_view *view);
