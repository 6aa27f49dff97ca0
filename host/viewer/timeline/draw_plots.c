/* Draws rows of plots. */
#include "host/query/rows/plot_sums.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

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

/* The value of the point nearest to the mouse, also if the mouse is over another row. */
static void draw_at_mouse(struct td_view *view, const struct td_node *node, const struct plot_row *row,
                          float y, int format)
{
    const float mx = td_ui_mouse_x(view->ui), my = td_ui_mouse_y(view->ui), r = TD_U(view, 3);
    struct td_plot_point p;
    char value[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES], count[TD_FORMAT_BYTES];
    if (!td_ui_region_hovered(view->ui) || mx < view->area.left || mx >= view->area.right ||
        my < view->area.top || my >= view->area.bottom || !nearest_point(view, node->number, &p))
        return;
    const float x = td_view_x(view, (double)p.time_ns), py = row_y(row, p.value);
    if (x < view->area.left || x >= view->area.right)
        return;
    td_ui_rect(view->ui, x - r, py - r, x + r, py + r, TD_C(TEXT), r);
    td_format_value(value, p.value, format);
    if (td_view_is_over(view, node) && my >= y) {
        const struct td_plot_sum *sum = td_view_plot_stats(view, node->number);
        td_tip(view, node->label, "value\t%s\nat\t%s\nvisible points\t%s\n", value,
               td_format_time(time, (double)p.time_ns, 1), td_format_count(count, sum ? sum->points : 0));
        return;
    }
    const float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, value),
                left = x + 2 * r + wide < view->area.right ? x + 2 * r : x - 2 * r - wide,
                top = fminf(py, y + view->metrics.plot - TD_U(view, 16));
    td_ui_rect(view->ui, left - 2, top, left + wide + 2, top + td_ui_text_height(view->ui, TD_FONT_SMALL),
               td_color_alpha(TD_C(BACK), .8f), 0);
    td_ui_text(view->ui, TD_FONT_SMALL, left, top, TD_C(TEXT), value);
}

void td_draw_plot(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_plot *plot = td_dict_get_plot(view->model.dict, node->number);
    double low, high;
    td_plot_scale(view, node->number, &low, &high);
    const float pad = TD_U(view, 6), height = view->metrics.plot - 2 * pad,
                base = y + view->metrics.plot - pad;
    struct plot_row row = {.curve = {.view = view, .base = base, .fill = plot->fill},
                           .step = plot->step,
                           .low = low,
                           .range = high - low,
                           .height = height};
    row.curve.color = plot->color ? 0xff000000u | plot->color : td_color_of_name(node->label);
    td_draw_bands(view, node->number, TD_BAND_PLOT, NULL, view->camera.start_ns, view->camera.end_ns,
                  view->area.ns_per_pixel * TD_U(view, CELL_PIXELS), draw_points, &row);
    draw_curve(&row.curve);
    draw_at_mouse(view, node, &row, y, plot->format);
}
