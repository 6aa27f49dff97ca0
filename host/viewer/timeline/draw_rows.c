/* Draws rows other than zones: messages, plots and frames. */
#include "host/viewer/analysis/frame_times.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/view.h"
#include "host/base/plain_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_PIXELS 7.f
#define PLOT_SAMPLES   48 /* points of a cell that are read */

/* ---- messages ---- */

static struct td_message message_at(const struct td_view *view, uint32_t track, size_t index)
{
    return td_messages_get(&view->messages, view->trace, track, index);
}

static size_t first_message(const struct td_view *view, uint32_t track, double time_ns)
{
    size_t low = 0, high = td_messages_count(&view->messages, view->trace, track);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)message_at(view, track, middle).time_ns >= time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void set_message_tip(struct td_view *view, uint32_t track, size_t first, size_t count)
{
    char text[900], time[TD_FORMAT_BYTES], number[TD_FORMAT_BYTES];
    size_t used = 0;
    text[0] = 0;
    view->hover_message = td_messages_number(&view->messages, view->trace, track, first) + 1;
    for (size_t i = 0; i < count && i < 8; i++) {
        struct td_message m = message_at(view, track, first + i);
        td_format_time(time, (double)m.time_ns, 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\t%.80s\n", time,
                                 TD_PLAIN(td_dict_text(view->dict, m.text)));
        if (used >= sizeof text - 130)
            break;
    }
    if (count > 8)
        snprintf(text + used, sizeof text - used, "\tand %s more\n", td_format_count(number, count - 8));
    td_tip(view, count == 1 ? "Message" : "Messages", "%s", text);
}

void td_draw_messages(struct td_view *view, const struct td_node *node, float y)
{
    uint32_t track = node->number;
    size_t count = td_messages_count(&view->messages, view->trace, track);
    float half = TD_U(view, 3.5f), middle = y + view->metrics.pad + view->metrics.messages / 2 - 1;
    double cell_ns = view->ns_per_pixel * TD_U(view, MESSAGE_PIXELS);
    size_t i = first_message(view, track, view->camera.start_ns - cell_ns);
    while (i < count) {
        struct td_message m = message_at(view, track, i);
        if ((double)m.time_ns > view->camera.end_ns)
            break;
        size_t next = first_message(view, track, (floor((double)m.time_ns / cell_ns) + 1) * cell_ns);
        if (next <= i)
            next = i + 1;
        float x = td_view_x(view, (double)m.time_ns);
        float next_x =
            next < count ? td_view_x(view, (double)message_at(view, track, next).time_ns) : view->right;
        td_rgba color = m.color ? 0xff000000u | m.color : TD_C(MESSAGE);
        float size = next - i > 1 ? half * 1.15f : half;
        float up[6] = {x - size, middle, x, middle - size, x + size, middle};
        float down[6] = {x - size, middle, x + size, middle, x, middle + size};
        td_ui_triangle(view->ui, up, color);
        td_ui_triangle(view->ui, down, color);
        float label = 0;
        if (next_x - x > TD_U(view, 44))
            label = td_ui_text_fit(view->ui, TD_FONT_SMALL, x + half + TD_U(view, 4),
                                   middle - td_ui_text_height(view->ui, TD_FONT_SMALL) / 2,
                                   next_x - x - half - TD_U(view, 12), td_color_mix(TD_C(BACK), color, .72f),
                                   td_dict_text(view->dict, m.text));
        float mx = td_ui_mouse_x(view->ui) - x, my = td_ui_mouse_y(view->ui) - middle;
        if (mx > -half - 2 && mx < half + 2 + label && fabsf(my) < view->metrics.messages / 2 &&
            view->hover_node >= 0)
            set_message_tip(view, track, i, next - i);
        i = next;
    }
}

void td_closed_message_tip(struct td_view *view, int number, double from_ns, double to_ns)
{
    for (int i = number; i < view->layout.nodes[number].end; i++) {
        const struct td_node *node = &view->layout.nodes[i];
        if (node->kind != TD_NODE_TRACK || !node->has_messages)
            continue;
        const size_t first = first_message(view, node->number, from_ns);
        const size_t end = first_message(view, node->number, to_ns);
        if (first < end) {
            set_message_tip(view, node->number, first, end - first);
            return;
        }
    }
}

/* ---- plots ---- */

static size_t first_point(const struct td_view *view, uint32_t plot, double time_ns)
{
    size_t low = 0, high = td_trace_plot_points(view->trace, plot);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)td_trace_plot_point(view->trace, plot, middle).time_ns >= time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The plot's value at a time between point `next` and the point before it, if there is one. */
static double plot_value_at(const struct td_view *view, uint32_t plot, size_t next, double time_ns)
{
    struct td_plot_point b = td_trace_plot_point(view->trace, plot, next);
    if (!next)
        return b.value;
    struct td_plot_point a = td_trace_plot_point(view->trace, plot, next - 1);
    if (td_dict_get_plot(view->dict, plot)->step || b.time_ns <= a.time_ns)
        return a.value;
    return a.value + (b.value - a.value) * (time_ns - (double)a.time_ns) / (double)(b.time_ns - a.time_ns);
}

/* Screen coordinate of a value; NaN is drawn at the bottom, values that are all the same in the middle. */
static float plot_y(double value, double low, double range, float base, float height)
{
    double part = range > 0 ? (value - low) / range : value == low ? .5 : 0;
    return base - height * (float)(part > 0 ? fmin(part, 1) : 0);
}

struct plot_curve {
    struct td_view *view;
    float xy[256];
    int points;
    float base;
    td_rgba color;
    bool fill;
};

static void draw_curve(struct plot_curve *c)
{
    if (c->points > 1) {
        if (c->fill)
            td_ui_area(c->view->ui, c->xy, c->points, c->base, td_color_alpha(c->color, .16f));
        td_ui_polyline(c->view->ui, c->xy, c->points, c->color, TD_U(c->view, 1.3f));
    } else if (c->points == 1) { /* a lone point */
        const float r = TD_U(c->view, 2);
        td_ui_rect(c->view->ui, c->xy[0] - r, c->xy[1] - r, c->xy[0] + r, c->xy[1] + r, c->color, r);
    }
}

static void add_curve_point(struct plot_curve *c, float x, float y)
{
    if (c->points == 128) { /* full: draw it and continue from its last point */
        draw_curve(c);
        c->xy[0] = c->xy[254];
        c->xy[1] = c->xy[255];
        c->points = 1;
    }
    c->xy[2 * c->points] = x;
    c->xy[2 * c->points + 1] = y;
    c->points++;
}

static void set_plot_tip(struct td_view *view, const struct td_node *node, float height, float low_y,
                         double low, double range)
{
    size_t count = td_trace_plot_points(view->trace, node->number);
    float mx = td_ui_mouse_x(view->ui);
    size_t at = first_point(view, node->number, td_view_time(view, mx));
    if (at == count ||
        (at && mx - td_view_x(view, (double)td_trace_plot_point(view->trace, node->number, at - 1).time_ns) <
                   td_view_x(view, (double)td_trace_plot_point(view->trace, node->number, at).time_ns) - mx))
        at--;
    struct td_plot_point p = td_trace_plot_point(view->trace, node->number, at);
    float x = td_view_x(view, (double)p.time_ns);
    float py = plot_y(p.value, low, range, low_y, height), r = TD_U(view, 3);
    td_ui_rect(view->ui, x - r, py - r, x + r, py + r, 0xffffffff, r);
    char value[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    td_format_value(value, p.value, td_dict_get_plot(view->dict, node->number)->format);
    td_tip(view, node->label, "value\t%s\nat\t%s\n", value, td_format_time(time, (double)p.time_ns, 1));
}

/* Draws the least or greatest value at the left edge. */
static void draw_plot_limit(struct td_view *view, float y, double value, int format)
{
    char text[TD_FORMAT_BYTES];
    td_format_value(text, value, format);
    float x = view->left + TD_U(view, 5), wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text);
    td_ui_rect(view->ui, view->left, y, x + wide + TD_U(view, 4),
               y + td_ui_text_height(view->ui, TD_FONT_SMALL) + 1, td_color_alpha(TD_C(BACK), .75f), 0);
    td_ui_text(view->ui, TD_FONT_SMALL, x, y, TD_C(TEXT_FAINT), text);
}

void td_draw_plot(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_plot *plot = td_dict_get_plot(view->dict, node->number);
    double low, high;
    td_view_plot_range(view, node->number, &low, &high);
    const double range = high - low;
    float pad = TD_U(view, 6), height = view->metrics.plot - 2 * pad, base = y + view->metrics.plot - pad;
    struct plot_curve curve = {.view = view, .base = base, .fill = plot->fill};
    curve.color = plot->color ? 0xff000000u | plot->color : td_color_of_name(node->label);
    size_t count = td_trace_plot_points(view->trace, node->number);
    double cell_ns = view->ns_per_pixel * TD_U(view, 2);
    size_t i = first_point(view, node->number, view->camera.start_ns);
    if (i > 0 && i < count)
        add_curve_point(
            &curve, view->left,
            plot_y(plot_value_at(view, node->number, i, view->camera.start_ns), low, range, base, height));
    while (i < count) {
        struct td_plot_point p = td_trace_plot_point(view->trace, node->number, i);
        if ((double)p.time_ns > view->camera.end_ns) {
            double value = plot_value_at(view, node->number, i, view->camera.end_ns);
            add_curve_point(&curve, view->right, plot_y(value, low, range, base, height));
            break;
        }
        size_t next = first_point(view, node->number, (floor((double)p.time_ns / cell_ns) + 1) * cell_ns);
        if (next <= i)
            next = i + 1;
        float x = td_view_x(view, (double)p.time_ns);
        if (plot->step && curve.points)
            add_curve_point(&curve, x, curve.xy[2 * curve.points - 1]);
        double least = p.value, most = p.value;
        for (size_t s = 1, samples = next - i < PLOT_SAMPLES ? next - i : PLOT_SAMPLES; s < samples; s++) {
            double v = td_trace_plot_point(view->trace, node->number, i + s * (next - i) / samples).value;
            least = fmin(least, v);
            most = fmax(most, v);
        }
        add_curve_point(&curve, x, plot_y(most, low, range, base, height));
        if (least < most)
            add_curve_point(&curve, x, plot_y(least, low, range, base, height));
        i = next;
    }
    draw_curve(&curve);
    float small = td_ui_text_height(view->ui, TD_FONT_SMALL);
    draw_plot_limit(view, y + 2, high, plot->format);
    if (range > 0)
        draw_plot_limit(view, y + view->metrics.plot - small - 3, low, plot->format);
    float my = td_ui_mouse_y(view->ui);
    if (view->hover_node >= 0 && &view->layout.nodes[view->hover_node] == node && my >= y && count &&
        td_ui_mouse_x(view->ui) >= view->left)
        set_plot_tip(view, node, height, base, low, range);
}

/* ---- frames ---- */

/* The first frame at or after `from` that ends after a time. It is looked for near `from` first. */
static size_t first_frame(const struct td_view *view, uint32_t set, size_t from, double time_ns)
{
    const size_t count = td_trace_frames(view->trace, set);
    size_t low = from, high = from, step = 1;
    while (high < count && (double)td_trace_frame(view->trace, set, high).end_ns <= time_ns) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    if (high > count)
        high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)td_trace_frame(view->trace, set, middle).end_ns > time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The frame under the mouse: its tooltip, and what a click selects. */
static void set_frame_tip(struct td_view *view, const struct td_node *node)
{
    const float x = td_ui_mouse_x(view->ui);
    if (view->hover_node < 0 || &view->layout.nodes[view->hover_node] != node || x < view->left)
        return;
    const double time = td_view_time(view, x);
    const size_t frame = td_frame_at(view->trace, node->number, time);
    if (frame == SIZE_MAX)
        return;
    const struct td_frame f = td_trace_frame(view->trace, node->number, frame);
    const double end_ns = (double)(f.end_ns == TD_OPEN ? view->last_ns : f.end_ns);
    if (time >= end_ns)
        return;
    td_frame_tip(view, node->number, frame, "");
    view->hover_set = node->number;
    view->hover_frame = frame + 1;
    view->hover_span = (struct td_time_span){true, (double)f.start_ns, end_ns};
}

void td_draw_frames(struct td_view *view, const struct td_node *node, float y)
{
    set_frame_tip(view, node);
    size_t count = td_trace_frames(view->trace, node->number);
    double cell_ns = view->ns_per_pixel * TD_U(view, 4);
    float y0 = y + TD_U(view, 3), y1 = y + view->metrics.frames - TD_U(view, 3);
    float text_y = (y0 + y1 - td_ui_text_height(view->ui, TD_FONT_SMALL)) / 2;
    for (size_t i = first_frame(view, node->number, 0, view->camera.start_ns), next; i < count; i = next) {
        struct td_frame f = td_trace_frame(view->trace, node->number, i);
        if ((double)f.start_ns > view->camera.end_ns)
            break;
        next = i + 1;
        double end = f.end_ns == TD_OPEN ? (double)view->last_ns : (double)f.end_ns;
        bool many = end - (double)f.start_ns < cell_ns;
        if (many) {
            next = first_frame(view, node->number, next, (floor((double)f.start_ns / cell_ns) + 1) * cell_ns);
            end = (double)td_trace_frame(view->trace, node->number, next - 1).end_ns;
            end = fmin(end, (double)view->last_ns);
        }
        float x0 = roundf(td_view_x(view, (double)f.start_ns)), x1 = roundf(td_view_x(view, end));
        td_rgba fill = many ? 0xff2c3442 : i & 1 ? 0xff313a49 : 0xff28303c;
        td_ui_rect(view->ui, x0, y0, fmaxf(x1 - (many ? 0 : 1), x0 + 1), y1, fill, many ? 0 : TD_U(view, 2));
        if (many)
            continue;
        char time[TD_FORMAT_BYTES], text[2 * TD_FORMAT_BYTES];
        const uint64_t number = td_frame_number(view->trace, node->number, i);
        td_format_ns(time, end - (double)f.start_ns);
        if (number == SIZE_MAX)
            snprintf(text, sizeof text, "%s", time);
        else
            snprintf(text, sizeof text, "#%" PRIu64 "  %s", number, time);
        x0 = fmaxf(x0, view->left) + TD_U(view, 5);
        float room = fminf(x1, view->right) - x0 - TD_U(view, 4);
        if (room > TD_U(view, 30))
            td_ui_text_fit(view->ui, TD_FONT_SMALL, x0, text_y, room, TD_C(TEXT_DIM), text);
    }
}
