#pragma once

struct td_view;

/* Draws the part of the panel of options that is about GPU contexts: a line for each, and one for the heading. */
void td_options_draw_gpu(struct td_view *view, float left, float right, float y);
