/* Tooltips of the labels at the left, and of the ruler. */
#pragma once

struct td_view;

/* If the mouse is over one and nothing else has a tooltip. */
void td_label_tip(struct td_view *view);
void td_ruler_tip(struct td_view *view, float top, float bottom);
