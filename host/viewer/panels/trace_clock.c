#include "host/viewer/panels/trace_clock.h"
#include "host/query/table/format.h"
#include "host/viewer/timeline/tooltip.h"

#include <stdio.h>

#define TEXT_HEIGHT  20
#define CURVE_HEIGHT 40
#define LEAST_REST   60

static void set_tip(struct td_view *view, const struct td_clock_curve *curve, const struct td_rect *area)
{
    const float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    char time[TD_FORMAT_BYTES], bound[TD_FORMAT_BYTES];
    if (!td_ui_region_hovered(view->ui) || x < area->left || x >= area->right || y < area->top ||
        y >= area->bottom)
        return;
    const float part = (x - area->left) / (area->right - area->left);
    const size_t column = (size_t)(part * TD_CLOCK_CURVE_COLUMNS);
    if (column >= TD_CLOCK_CURVE_COLUMNS || !curve->column[column].bound_ns)
        return;
    const double step_ns = (double)curve->end_ns / TD_CLOCK_CURVE_COLUMNS;
    td_tip(view, "Bound on the error of device times", "at\t%s\nwithin\t%s\nchip\t%u\n",
           td_format_time(time, step_ns * (double)column, step_ns),
           td_format_ns(bound, (double)curve->column[column].bound_ns), curve->column[column].chip);
}

float td_trace_draw_clock(struct td_view *view, const struct td_clock_curve *curve,
                          const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const float pad = TD_U(view, 8), high = TD_U(view, TEXT_HEIGHT + CURVE_HEIGHT);
    const struct td_rect area = {place->left + pad, place->top + TD_U(view, TEXT_HEIGHT), place->right - pad,
                                 place->top + high - TD_U(view, 4)};
    char text[160], greatest[TD_FORMAT_BYTES], last[TD_FORMAT_BYTES];
    float xy[4 * TD_CLOCK_CURVE_COLUMNS];
    if (!curve->greatest_ns || place->bottom - place->top < high + TD_U(view, LEAST_REST) ||
        area.right <= area.left)
        return 0;
    snprintf(text, sizeof text, "Device times within %s, at the end within %s",
             td_format_ns(greatest, (double)curve->greatest_ns), td_format_ns(last, (double)curve->last_ns));
    td_ui_text_fit(ui, TD_FONT_SMALL, area.left, place->top + TD_U(view, 3), area.right - area.left,
                   TD_C(TEXT_DIM), text);
    const float wide = (area.right - area.left) / TD_CLOCK_CURVE_COLUMNS, full = area.bottom - area.top - 2;
    int points = 0;
    for (int c = 0; c < TD_CLOCK_CURVE_COLUMNS; c++) {
        const double part = (double)curve->column[c].bound_ns / (double)curve->greatest_ns;
        if (!curve->column[c].bound_ns) /* the clock was not read yet */
            continue;
        for (int edge = 0; edge < 2; edge++, points++) {
            xy[2 * points] = area.left + wide * (float)(c + edge);
            xy[2 * points + 1] = area.bottom - full * (float)part;
        }
    }
    td_ui_rect(ui, area.left, area.top, area.right, area.bottom, TD_C(GUTTER), 0);
    td_ui_area(ui, xy, points, area.bottom, td_color_alpha(TD_C(ACCENT), .25f));
    td_ui_polyline(ui, xy, points, TD_C(ACCENT), TD_U(view, 1.3f));
    set_tip(view, curve, &area);
    return high;
}
