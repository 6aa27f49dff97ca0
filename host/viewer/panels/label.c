#include "host/viewer/panels/label.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"

/* The text without its beginning, after an ellipsis. */
static void cut_beginning(struct td_view *view, enum td_font font, float width, const char *text, char *cut,
                          size_t bytes)
{
    const char *low = text, *high = text + strlen(text);
    while (low < high) {
        const char *middle = low + (high - low) / 2;
        snprintf(cut, bytes, ELLIPSIS "%s", middle);
        if (td_ui_text_width(view->ui, font, cut) > width)
            low = middle + 1;
        else
            high = middle;
    }
    while ((*low & 0xc0) == 0x80) /* inside a character */
        low++;
    snprintf(cut, bytes, ELLIPSIS "%s", low);
}

float td_label(struct td_view *view, enum td_font font, float x, float y, float width, td_rgba color,
               const char *text, enum td_label_cut cut)
{
    struct td_ui *ui = view->ui;
    char shorter[600];
    const float whole = td_ui_text_width(ui, font, text), mx = td_ui_mouse_x(ui), my = td_ui_mouse_y(ui);
    if (whole <= width)
        return td_ui_text(ui, font, x, y, color, text), whole;
    if (mx >= x && mx < x + width && my >= y && my < y + td_ui_text_height(ui, font) && !view->hover.tip[0] &&
        td_ui_region_hovered(ui))
        td_tip(view, text, "%s", "");
    if (cut == TD_CUT_END)
        return td_ui_text_fit(ui, font, x, y, width, color, text);
    cut_beginning(view, font, width, text, shorter, sizeof shorter);
    return td_ui_text_fit(ui, font, x, y, width, color, shorter);
}
