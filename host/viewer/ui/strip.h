/* Strips: rows of the picture with very many things that are a few pixels wide and as high as the row. A strip is a
 * line of pixels that is drawn with the height of the row: one rectangle instead of thousands. All strips between
 * td_ui_strips_begin() and td_ui_strips_end() are drawn first, below everything else that is drawn between them.
 *
 *   struct td_pixel_strip strip = {.ui = ui, .x0 = left, .y0 = y, .x1 = right, .y1 = y + height};
 *   td_strip_fill(&strip, x, x + 2, color);
 *
 * Where a drawing is recorded, or there is no room, fills are rectangles of their own. */
#pragma once
#include "host/viewer/ui/imgui_shim.h"
#ifdef __cplusplus
extern "C" {
#endif

struct td_pixel_strip {
    struct td_ui *ui;
    float x0, y0, x1, y1;
    /* Set when something is filled. */
    bool opened;
    int first, end;  /* the columns of the picture */
    td_rgba *pixels; /* NULL: rectangles are drawn */
};

void td_ui_strips_begin(struct td_ui *ui);
void td_ui_strips_end(struct td_ui *ui);
void td_strip_open_(struct td_pixel_strip *strip);

/* From x0 to x1, which are whole pixels; the colour is opaque. What is filled later covers what was before. */
static inline void td_strip_fill(struct td_pixel_strip *strip, float x0, float x1, td_rgba color)
{
    if (!strip->opened)
        td_strip_open_(strip);
    if (!strip->pixels) {
        td_ui_rect(strip->ui, x0, strip->y0, x1, strip->y1, color, 0);
        return;
    }
    const int first = x0 > (float)strip->first ? (int)x0 : strip->first,
              end = x1 < (float)strip->end ? (int)x1 : strip->end;
    for (int x = first; x < end; x++)
        strip->pixels[x - strip->first] = color;
}
#ifdef __cplusplus
}
#endif
