/* The panel `waits`. */
#pragma once
struct td_view;

/* Opens it with the critical path of the selected wait or zone. */
void td_waits_show_path(struct td_view *view);
