/* The user's notes in the ruler and over the rows of the timeline. */
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define CHIP_HEIGHT 17
#define CHIP_LINES  4 /* labels of notes that overlap are below one another */

static void draw_chip(struct td_view *view, const struct td_annotation *note, float x0, float x1, float *ends,
                      bool chosen)
{
    struct td_ui *ui = view->ui;
    float high = TD_U(view, CHIP_HEIGHT), pad = TD_U(view, 6);
    float most = fminf(fmaxf(x1 - x0, TD_U(view, 160)), view->area.right - x0 - 2);
    float wide = fminf(td_ui_text_width(ui, TD_FONT_SMALL, note->text) + 2 * pad, most);
    int line = 0;
    while (line < CHIP_LINES - 1 && ends[line] > x0)
        line++;
    if (!*note->text || ends[line] > x0)
        return;
    ends[line] = x0 + wide + 2;
    float y = view->area.top + TD_U(view, 3) + (high + 2) * (float)line;
    td_ui_rect(ui, x0, y, x0 + wide, y + high, td_color_alpha(note->color, chosen ? 1 : .85f), TD_U(view, 3));
    td_ui_text_fit(ui, TD_FONT_SMALL, x0 + pad, y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2,
                   wide - 2 * pad + 1, td_color_text_on(note->color), note->text);
}

void td_draw_notes(struct td_view *view, float ruler_y)
{
    struct td_ui *ui = view->ui;
    float ends[CHIP_LINES] = {0}, edge = TD_U(view, 1);
    td_ui_clip(ui, view->area.left, ruler_y, view->area.right, view->area.bottom);
    for (size_t i = 0; i < view->notes.count; i++) {
        const struct td_annotation *note = &view->notes.list[i];
        if ((double)note->to_ns < view->camera.start_ns || (double)note->from_ns > view->camera.end_ns)
            continue;
        bool chosen = view->selection.note == (int)i + 1;
        float x0 = floorf(td_view_x(view, (double)note->from_ns)),
              x1 = fmaxf(ceilf(td_view_x(view, (double)note->to_ns)), x0 + TD_U(view, 2));
        td_ui_rect(ui, x0, ruler_y, x1, view->area.top, td_color_alpha(note->color, chosen ? .45f : .28f), 0);
        td_ui_rect(ui, x0, ruler_y, x1, ruler_y + TD_U(view, 3), note->color, 0);
        td_ui_rect(ui, x0, view->area.top, x1, view->area.bottom,
                   td_color_alpha(note->color, chosen ? .10f : .05f), 0);
        td_ui_rect(ui, x0, view->area.top, x0 + edge, view->area.bottom, td_color_alpha(note->color, .6f), 0);
        td_ui_rect(ui, x1 - edge, view->area.top, x1, view->area.bottom, td_color_alpha(note->color, .6f), 0);
        draw_chip(view, note, fmaxf(x0, view->area.left + 2), x1, ends, chosen);
    }
    td_ui_unclip(ui);
}
