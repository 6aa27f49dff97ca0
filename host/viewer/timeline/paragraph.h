/* A text in several lines. */
#pragma once
#include "host/viewer/ui/imgui_shim.h"

struct td_view;

/* Draws it in lines of at most that width, broken at spaces; `draw` false: only counts. Returns the height. */
float td_paragraph(struct td_view *view, enum td_font font, float x, float y, float width, td_rgba color,
                   const char *text, bool draw);
