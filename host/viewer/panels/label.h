/* Text that is cut to fit, and whole in a tooltip when the mouse is over it. */
#pragma once
#include "host/viewer/ui/imgui_shim.h"

struct td_view;

enum td_label_cut { TD_CUT_END, TD_CUT_BEGINNING /* for paths: file and line stay */ };

/* Draws the text in at most `width` pixels; returns the width that it takes. */
float td_label(struct td_view *view, enum td_font font, float x, float y, float width, td_rgba color,
               const char *text, enum td_label_cut cut);
