/* The time axis: grid and ruler. */
#include "host/viewer/ui/ticks.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define LABEL_PIXELS 104.0f
#define LABEL_GAP    20

static struct td_ticks visible_ticks(const struct td_view *view)
{
    char text[TD_FORMAT_BYTES];
    td_format_time(text, view->camera.end_ns, 1);
    const float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text) + TD_U(view, LABEL_GAP);
    return td_ticks_for(view->camera.start_ns, view->camera.end_ns, view->area.ns_per_pixel,
                        td_view_choice(view, TD_CHOICE_TIMES) == TD_FORMAT_EXACT
                            ? fmaxf(wide, TD_U(view, LABEL_PIXELS))
                            : TD_U(view, LABEL_PIXELS));
}

void td_draw_grid(struct td_view *view)
{
    struct td_ticks ticks = visible_ticks(view);
    double step = ticks.step_ns * ticks.major;
    for (double t = ceil(view->camera.start_ns / step); t * step <= view->camera.end_ns; t++) {
        float x = floorf(td_view_x(view, t * step));
        td_ui_rect(view->ui, x, view->area.top, x + 1, view->area.bottom, TD_C(GRID), 0);
    }
}

void td_draw_ruler(struct td_view *view, float y, float height)
{
    struct td_ui *ui = view->ui;
    struct td_ticks ticks = visible_ticks(view);
    char text[TD_FORMAT_BYTES], label[2 * TD_FORMAT_BYTES];
    float small = td_ui_text_height(ui, TD_FONT_SMALL), bottom = y + height;
    td_ui_rect(ui, view->area.panel.left, y, view->area.panel.right, bottom, TD_C(GUTTER), 0);
    td_ui_clip(ui, view->area.left, y, view->area.panel.right, bottom);
    for (double n = ceil(view->camera.start_ns / ticks.step_ns); n * ticks.step_ns <= view->camera.end_ns;
         n++) {
        double time = n * ticks.step_ns;
        bool major = fabs(remainder(n, ticks.major)) < .5;
        float x = floorf(td_view_x(view, time)), long_mark = TD_U(view, major ? 8 : 4);
        td_ui_rect(ui, x, bottom - long_mark, x + 1, bottom, major ? TD_C(TEXT_FAINT) : TD_C(EDGE), 0);
        if (!major)
            continue;
        double step = ticks.step_ns * ticks.major;
        td_format_time(text, ticks.relative ? time - ticks.base_ns : time, step);
        snprintf(label, sizeof label, "%s%s", ticks.relative ? "+" : "", text);
        if (x + TD_U(view, 4) + td_ui_text_width(ui, TD_FONT_SMALL, label) > view->area.panel.right)
            continue;
        td_ui_text(ui, TD_FONT_SMALL, x + TD_U(view, 4), bottom - TD_U(view, 6) - small, TD_C(TEXT_DIM),
                   label);
    }
    td_ui_unclip(ui);
    /* In the corner: the length of the visible range, or the time that the labels are relative to. */
    double span = view->camera.end_ns - view->camera.start_ns;
    if (ticks.relative)
        snprintf(label, sizeof label, "%s +", td_format_time(text, ticks.base_ns, span));
    else
        snprintf(label, sizeof label, "%s wide", td_format_ns(text, span));
    td_ui_text_fit(ui, TD_FONT_SMALL, view->area.panel.left + TD_U(view, 12), bottom - TD_U(view, 6) - small,
                   view->area.left - view->area.panel.left - TD_U(view, 20), TD_C(TEXT_FAINT), label);
    td_ui_rect(ui, view->area.panel.left, bottom - 1, view->area.panel.right, bottom, TD_C(EDGE), 0);
}
