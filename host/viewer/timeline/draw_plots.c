/* Draws rows of plots. */
#include "host/base/plain_text.h"
#include "host/query/rows/plot_sums.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL_PIXELS 1.5f /* the least width of a cell, which has one range; the most is twice as much */

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

/* The point nearest to the mouse; false: there is none. */
static bool nearest_point(struct td_view *view, uint32_t plot, struct td_plot_point *point)
{
    const struct td_trace *trace = view->model.trace;
    const size_t count = td_trace_plot_points(trace, plot);
    const float mx = td_ui_mouse_x(view->ui);
    size_t at = td_plot_point_at(trace, plot, td_view_time(view, mx));
    if (!count)
        return false;
    if (at == count || (at && mx - td_view_x(view, (double)td_trace_plot_point(trace, plot, at - 1).time_ns) <
                                  td_view_x(view, (double)td_trace_plot_point(trace, plot, at).time_ns) - mx))
        at--;
    *point = td_trace_plot_point(trace, plot, at);
    return true;
}

/* A plot while its points are drawn from the left to the right. */
struct plot_row {
    struct plot_curve curve;
    bool step;
    double low, range;
    float height;
    struct td_band_point last; /* that was drawn, or is before the picture */
    bool has_last;
};

static float row_y(const struct plot_row *row, double value)
{
    return plot_y(value, row->low, row->range, row->curve.base, row->height);
}

/* The value between two points at an edge of the picture. */
static double value_between(const struct plot_row *row, const struct td_band_point *a,
                            const struct td_band_point *b, double time_ns)
{
    if (row->step || b->time_ns <= a->time_ns)
        return a->least;
    return a->least +
           (b->most - a->least) * (time_ns - (double)a->time_ns) / (double)(b->time_ns - a->time_ns);
}

static void add_point(struct plot_row *row, const struct td_band_point *point)
{
    const struct td_view *view = row->curve.view;
    struct plot_curve *curve = &row->curve;
    if (row->has_last && !curve->points && (double)row->last.time_ns < view->camera.start_ns)
        add_curve_point(curve, view->area.left,
                        row_y(row, value_between(row, &row->last, point, view->camera.start_ns)));
    const bool beyond = (double)point->time_ns > view->camera.end_ns;
    const float x = beyond ? view->area.right : td_view_x(view, (double)point->time_ns);
    double most = point->most;
    if (beyond && row->has_last)
        most = value_between(row, &row->last, point, view->camera.end_ns);
    if (row->step && curve->points)
        add_curve_point(curve, x, curve->xy[2 * curve->points - 1]);
    if (!beyond || (row->has_last && curve->points))
        add_curve_point(curve, x, row_y(row, most));
    if (!beyond && point->least < point->most)
        add_curve_point(curve, x, row_y(row, point->least));
}

static void draw_points(void *self, const struct td_band *band, const struct td_band_key *key, double from_ns,
                        double to_ns)
{
    struct plot_row *row = self;
    const struct td_view *view = row->curve.view;
    for (uint32_t i = 0; i < band->data.count; i++) {
        const struct td_band_point *point = &band->data.points[i];
        const double time = (double)point->time_ns;
        /* Bands have the points around them, which the bands beside them have, too. */
        if (row->has_last &&
            (point->time_ns <= row->last.time_ns || (double)row->last.time_ns > view->camera.end_ns))
            continue;
        if (time >= to_ns && time <= view->camera.end_ns)
            break;
        if (row->has_last && time < from_ns && time >= view->camera.start_ns)
            continue;
        if (time >= view->camera.start_ns)
            add_point(row, point);
        row->last = *point;
        row->has_last = true;
    }
}

/* ---- what is visible ---- */

struct plot_extent {
    const struct td_view *view;
    double least, most;               /* of the visible points */
    double around_least, around_most; /* of these, and those beside them */
};

static void find_extent(void *self, const struct td_band *band, const struct td_band_key *key, double from_ns,
                        double to_ns)
{
    struct plot_extent *e = self;
    for (uint32_t i = 0; i < band->data.count; i++) {
        const struct td_band_point *p = &band->data.points[i];
        e->around_least = fmin(e->around_least, p->least);
        e->around_most = fmax(e->around_most, p->most);
        if ((double)p->time_ns < e->view->camera.start_ns || (double)p->time_ns > e->view->camera.end_ns)
            continue;
        e->least = fmin(e->least, p->least);
        e->most = fmax(e->most, p->most);
    }
}

void td_plot_scale(struct td_view *view, uint32_t plot, double *low, double *high)
{
    struct plot_extent e = {view, INFINITY, -INFINITY, INFINITY, -INFINITY};
    td_view_plot_range(view, plot, low, high);
    if (!td_view_choice(view, TD_CHOICE_PLOT_SCALE)) {
        td_draw_bands(view, plot, TD_BAND_PLOT, NULL, view->camera.start_ns, view->camera.end_ns,
                      view->area.ns_per_pixel * TD_U(view, CELL_PIXELS), find_extent, &e);
        const bool any = e.least <= e.most;
        const double least = any ? e.least : e.around_least, most = any ? e.most : e.around_most;
        if (isfinite(least) && isfinite(most)) {
            *low = least;
            *high = most;
        }
    }
    /* Positive values are drawn from zero on unless they vary little. */
    *low = *low > 0 && *low < *high * .75 ? 0 : *low;
}

/* ---- the plots of a row ---- */

struct row_plot { /* one of them */
    uint32_t plot;
    int line;    /* of the row's texts */
    bool shares; /* there are others in the row */
    int format;
    const char *name;
    td_rgba color;
    struct plot_row row;
};

static td_rgba color_of_plot(const struct td_view *view, const struct td_node *node, uint32_t plot)
{
    const struct td_plot *of = td_dict_get_plot(view->model.dict, plot);
    return of->color              ? 0xff000000u | of->color
           : plot == node->number ? td_color_of_name(node->label)
                                  : td_color_of_name(td_dict_text(view->model.dict, of->name));
}

/* The plot after `plot` in the row, whose first one is the node's own; false: there is none. */
static bool next_plot(const struct td_view *view, const struct td_node *node, uint32_t *plot)
{
    const struct td_row_choices *own = &view->rows.own;
    uint32_t p = *plot == node->number ? 0 : *plot + 1;
    while (node->rows && p < own->plots && (p == node->number || td_row_host(own, p) != node->number))
        p++;
    *plot = p;
    return node->rows && p < own->plots;
}

static float line_height(const struct td_view *view)
{
    return view->metrics.messages;
}

/* The value of the point nearest to the mouse, also if the mouse is over another row. Of several plots, values are below
 * each other. */
static void draw_at_mouse(struct td_view *view, const struct td_node *node, const struct row_plot *p, float y)
{
    const float mx = td_ui_mouse_x(view->ui), my = td_ui_mouse_y(view->ui), r = TD_U(view, 3);
    struct td_plot_point point;
    char value[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES], count[TD_FORMAT_BYTES];
    if (!td_ui_region_hovered(view->ui) || mx < view->area.left || mx >= view->area.right ||
        my < view->area.top || my >= view->area.bottom || !nearest_point(view, p->plot, &point))
        return;
    const float x = td_view_x(view, (double)point.time_ns), py = row_y(&p->row, point.value);
    if (x < view->area.left || x >= view->area.right)
        return;
    td_ui_rect(view->ui, x - r, py - r, x + r, py + r, p->shares ? p->color : TD_C(TEXT), r);
    td_format_value(value, point.value, p->format);
    td_format_time(time, (double)point.time_ns, 1);
    if (td_view_is_over(view, node) && my >= y) {
        const size_t used = strlen(view->hover.tip);
        const struct td_plot_sum *sum = td_view_plot_stats(view, p->plot);
        if (!p->shares)
            td_tip(view, node->label, "value\t%s\nat\t%s\nvisible points\t%s\n", value, time,
                   td_format_count(count, sum ? sum->points : 0));
        else if (!p->line)
            td_tip(view, "At the mouse", "%.60s\t%s, at %s\n", TD_PLAIN(p->name), value, time);
        else if (used < sizeof view->hover.tip)
            snprintf(view->hover.tip + used, sizeof view->hover.tip - used, "%.60s\t%s, at %s\n",
                     TD_PLAIN(p->name), value, time);
        return;
    }
    const float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, value), from = p->shares ? mx : x,
                left = from + 2 * r + wide < view->area.right ? from + 2 * r : from - 2 * r - wide,
                top = p->shares ? y + 2 + line_height(view) * (float)p->line
                                : fminf(py, y + view->metrics.plot - TD_U(view, 16));
    td_ui_rect(view->ui, left - 2, top, left + wide + 2, top + td_ui_text_height(view->ui, TD_FONT_SMALL),
               td_color_alpha(TD_C(BACK), .8f), 0);
    td_ui_text(view->ui, TD_FONT_SMALL, left, top, p->shares ? td_color_legible(p->color) : TD_C(TEXT),
               value);
}

static struct row_plot draw_row_plot(struct td_view *view, const struct td_node *node, uint32_t plot, float y)
{
    const struct td_plot *of = td_dict_get_plot(view->model.dict, plot);
    double low, high;
    td_plot_scale(view, plot, &low, &high);
    const float pad = TD_U(view, 6), base = y + node->height - pad;
    struct row_plot p = {.plot = plot,
                         .shares = node->rows > 0,
                         .format = of->format,
                         .name = td_dict_text(view->model.dict, of->name),
                         .color = color_of_plot(view, node, plot)};
    p.row = (struct plot_row){
        .curve = {.view = view, .color = p.color, .base = base, .fill = of->fill && !p.shares},
        .step = of->step,
        .low = low,
        .range = high - low,
        .height = node->height - 2 * pad};
    td_draw_bands(view, plot, TD_BAND_PLOT, NULL, view->camera.start_ns, view->camera.end_ns,
                  view->area.ns_per_pixel * TD_U(view, CELL_PIXELS), draw_points, &p.row);
    draw_curve(&p.row.curve);
    return p;
}

void td_draw_plot(struct td_view *view, const struct td_node *node, float y)
{
    struct row_plot drawn[TD_ROW_PLOTS];
    int count = 0;
    uint32_t plot = node->number;
    do {
        drawn[count] = draw_row_plot(view, node, plot, y);
        drawn[count].line = count;
    } while (++count < TD_ROW_PLOTS && next_plot(view, node, &plot));
    for (int i = 0; i < count; i++)
        draw_at_mouse(view, node, &drawn[i], y);
}

/* The least and greatest visible value, up to `right`. Returns the width. */
static float draw_visible(struct td_view *view, uint32_t plot, float right, float y, td_rgba color)
{
    const struct td_plot_sum *sum = td_view_plot_stats(view, plot);
    const int format = td_dict_get_plot(view->model.dict, plot)->format;
    char text[2 * TD_FORMAT_BYTES + 8], end[2][TD_FORMAT_BYTES];
    if (!sum || !sum->finite)
        return 0;
    snprintf(text, sizeof text, "%s to %s", td_format_value(end[0], sum->min, format),
             td_format_value(end[1], sum->max, format));
    const float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text);
    td_ui_text(view->ui, TD_FONT_SMALL, right - wide, y, color, text);
    return wide + TD_U(view, 6);
}

void td_draw_plot_names(struct td_view *view, const struct td_node *node, float x, float y, float room)
{
    uint32_t plot = node->number;
    const float line = line_height(view);
    for (int i = 0; i < TD_ROW_PLOTS; i++) {
        const char *name =
            i ? td_dict_text(view->model.dict, td_dict_get_plot(view->model.dict, plot)->name) : node->label;
        const td_rgba color = td_color_legible(color_of_plot(view, node, plot));
        const float at = y + line * (float)i, numbers = draw_visible(view, plot, x + room, at, color);
        td_ui_text_fit(view->ui, TD_FONT_SMALL, x, at, room - numbers, color, TD_PLAIN(name));
        if (!next_plot(view, node, &plot))
            break;
    }
}
