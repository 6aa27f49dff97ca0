/* The numbers of rows of plots and memory. They are with the label, so that they do not hide the curve. */
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>

struct plot_pen {
    struct td_view *view;
    float left, right;
};

/* One at the right end of the line; the line becomes as much shorter. */
static void draw_limit(struct plot_pen *pen, float y, double value, int format)
{
    char text[TD_FORMAT_BYTES];
    td_format_value(text, value, format);
    pen->right -= td_ui_text_width(pen->view->ui, TD_FONT_SMALL, text);
    td_ui_text(pen->view->ui, TD_FONT_SMALL, pen->right, y, TD_C(TEXT_FAINT), text);
    pen->right -= TD_U(pen->view, 6);
}

static void draw_line(const struct plot_pen *pen, float y, const char *text)
{
    td_ui_text_fit(pen->view->ui, TD_FONT_SMALL, pen->left, y, pen->right - pen->left, TD_C(TEXT_FAINT),
                   text);
}

float td_draw_plot_numbers(struct td_view *view, const struct td_node *node, float x, float y, float room)
{
    const bool is_memory = node->kind == TD_NODE_MEMORY;
    const int format = is_memory ? 1 : td_dict_get_plot(view->model.dict, node->number)->format;
    const float line = td_ui_text_height(view->ui, TD_FONT_SMALL), first = y + TD_U(view, 3),
                last = y + node->height - line - TD_U(view, 2), second = last - line - TD_U(view, 1);
    struct plot_pen pen = {view, x, x + room};
    char text[100], least[TD_FORMAT_BYTES], most[TD_FORMAT_BYTES];
    double low = 0, high;
    if (is_memory && !td_memory_row_peak(view, node, &high))
        return room;
    if (!is_memory)
        td_plot_scale(view, node->number, &low, &high);
    draw_limit(&pen, first, high, format);
    const float left = pen.right - x;
    const struct td_plot_sum *sum = is_memory ? NULL : td_view_plot_stats(view, node->number);
    pen.right = x + room;
    if (sum && sum->finite) {
        snprintf(text, sizeof text, "%s to %s", td_format_value(least, sum->min, format),
                 td_format_value(most, sum->max, format));
        draw_line(&pen, second, text);
    }
    if (high > low)
        draw_limit(&pen, last, low, format);
    if (sum && sum->finite) {
        snprintf(text, sizeof text, "mean %s",
                 td_format_value(least, sum->sum / (double)sum->finite, format));
        draw_line(&pen, last, text);
    }
    return left;
}
