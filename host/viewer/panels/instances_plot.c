/* The histogram of the lengths of a name's instances. */
#include "host/viewer/panels/instances.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BAR_PIXELS   3
#define AXIS_HEIGHT  18
#define MARKS_HEIGHT 15
#define LEAST_HEIGHT 70
#define LABEL_PIXELS 80 /* between ticks */
#define CLICK_PIXELS 3  /* a shorter drag is a click */

/* ---- bins ---- */

uint64_t td_instances_least(const struct instances_plot *plot)
{
    uint64_t least = 1;
    for (int i = 0; i < plot->least; i++)
        least *= 10;
    return least;
}

/* Leaves out the bins at both ends that have too few zones. */
static void trim_bins(struct instances_plot *p, const struct td_instances *set, int bins)
{
    struct td_bins *b = &p->bins;
    const uint64_t least = td_instances_least(p);
    int first = 0, last = b->count - 1;
    while (first < last && b->number[first] < least)
        first++;
    while (last > first && b->number[last] < least)
        last--;
    if (p->least && b->number[first] >= least && (first || last < b->count - 1))
        td_bins_make(b, set, b->edge[first], b->edge[last + 1] - 1, bins, !p->linear_time);
}

static void make_bins(struct td_view *view, struct instances *s, float width)
{
    struct instances_plot *p = &s->plot;
    const struct td_instances *set = &s->set.shown;
    int bins = (int)(width / TD_U(view, BAR_PIXELS));
    bins = bins < 4 ? 4 : bins > TD_BINS_MOST ? TD_BINS_MOST : bins;
    if (p->version != s->set.version || p->width != bins || p->log == p->linear_time ||
        p->made_least != p->least) {
        td_bins_make(&p->bins, set, td_instances_length(set, 0), td_instances_length(set, set->count - 1),
                     bins, !p->linear_time);
        trim_bins(p, set, bins);
        p->list_version = 0;
    }
    p->made_least = p->least;
    p->version = s->set.version;
    p->width = bins;
    p->log = !p->linear_time;
    if (p->list_version == s->list_version)
        return;
    p->list_version = s->list_version;
    if (!p->group_counts)
        p->group_counts = calloc(TD_BINS_MOST, sizeof *p->group_counts);
    if (p->group_counts)
        td_bins_count(&p->bins, set, s->list.by_length, s->list.count, p->group_counts);
}

/* ---- places ---- */

struct instances_place {
    float left, right, top, base;
};

static float x_of(const struct instances_place *at, const struct td_bins *bins, double length)
{
    double part = fmin(fmax(td_bins_place(bins, length), 0), 1);
    return at->left + (at->right - at->left) * (float)part;
}

static int64_t length_at(const struct instances_place *at, const struct td_bins *bins, float x)
{
    double part = fmin(fmax((x - at->left) / (at->right - at->left), 0), 1);
    return td_lod_time(td_bins_length(bins, part));
}

/* The height of a bar as a part of the highest. */
static float part_of(const struct instances_plot *p, double value, double most)
{
    if (value <= 0 || most <= 0)
        return 0;
    return (float)(p->linear_counts ? value / most : log1p(value) / log1p(most));
}

static int bin_at(const struct td_bins *bins, int64_t length)
{
    int low = 0, high = bins->count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (bins->edge[middle] <= length)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- drawing ---- */

static void draw_bars(struct td_view *view, const struct instances *s, const struct instances_place *at)
{
    const struct instances_plot *p = &s->plot;
    const struct td_bins *b = &p->bins;
    const double most = p->times ? (double)b->most_ns : (double)b->most;
    const bool part = s->group != SIZE_MAX && p->group_counts;
    for (int i = 0; i < b->count; i++) {
        float x0 = x_of(at, b, (double)b->edge[i]), x1 = x_of(at, b, (double)b->edge[i + 1]);
        double value = p->times ? (double)b->total_ns[i] : (double)b->number[i];
        float high = (at->base - at->top) * part_of(p, value, most);
        bool in = !s->ranged || (b->edge[i + 1] > s->from_ns && b->edge[i] <= s->to_ns);
        if (high <= 0)
            continue;
        x1 = fmaxf(x1 - (x1 - x0 > 2 ? 1 : 0), x0 + 1);
        td_rgba color = in && !part ? TD_C(DENSITY) : td_color_mix(TD_C(PANEL), TD_C(DENSITY), .38f);
        td_ui_rect(view->ui, x0, at->base - fmaxf(high, 1), x1, at->base, color, 0);
        if (!part || !p->group_counts[i] || p->times)
            continue;
        high = (at->base - at->top) * part_of(p, (double)p->group_counts[i], most);
        td_ui_rect(view->ui, x0, at->base - fmaxf(high, 1), x1, at->base, TD_C(MATCH), 0);
    }
}

/* The part of the zones, or of their time, that is not longer. */
static void draw_cumulative(struct td_view *view, const struct instances *s, const struct instances_place *at)
{
    const struct td_bins *b = &s->plot.bins;
    float xy[2 * TD_BINS_MOST + 2];
    const struct td_instances *set = &s->set.shown;
    double sum = s->plot.times ? (double)td_instances_sum(set, b->before) : (double)b->before,
           all = s->plot.times ? (double)set->total_ns : (double)set->count;
    xy[0] = at->left;
    xy[1] = at->base - (at->base - at->top) * (float)(all > 0 ? sum / all : 0);
    for (int i = 0; i < b->count; i++) {
        sum += s->plot.times ? (double)b->total_ns[i] : (double)b->number[i];
        xy[2 * i + 2] = x_of(at, b, (double)b->edge[i + 1]);
        xy[2 * i + 3] = at->base - (at->base - at->top) * (float)(all > 0 ? sum / all : 0);
    }
    td_ui_polyline(view->ui, xy, b->count + 1, td_color_alpha(TD_C(MESSAGE), .8f), TD_U(view, 1.3f));
}

static void draw_axis(struct td_view *view, const struct instances *s, const struct instances_place *at)
{
    const struct td_bins *b = &s->plot.bins;
    struct td_ui *ui = view->ui;
    float wide = at->right - at->left, last = -1;
    int ticks = (int)(wide / TD_U(view, LABEL_PIXELS));
    td_ui_rect(ui, at->left, at->base, at->right, at->base + 1, TD_C(EDGE), 0);
    for (int i = 0; i <= ticks; i++) {
        char text[TD_FORMAT_BYTES];
        float x = at->left + wide * (float)i / (float)(ticks ? ticks : 1);
        td_format_ns(text, (double)length_at(at, b, x));
        float label = td_ui_text_width(ui, TD_FONT_SMALL, text);
        float left = i == ticks ? at->right - label : fmaxf(at->left, i ? x - label / 2 : x);
        td_ui_rect(ui, i == ticks ? x - 1 : x, at->base, i == ticks ? x : x + 1, at->base + TD_U(view, 3),
                   TD_C(TEXT_FAINT), 0);
        if (left > last && left + label <= at->right + 1)
            td_ui_text(ui, TD_FONT_SMALL, left, at->base + TD_U(view, 4), TD_C(TEXT_FAINT), text);
        last = left + label + TD_U(view, 6);
    }
}

/* A line at a length with its name above the bars, unless another name is there. */
static void draw_line(struct td_view *view, const struct instances_place *at, const struct td_bins *bins,
                      double length, const char *name, td_rgba color, float *free_from)
{
    struct td_ui *ui = view->ui;
    float x = floorf(x_of(at, bins, length)), y = at->top - TD_U(view, MARKS_HEIGHT);
    float wide = td_ui_text_width(ui, TD_FONT_SMALL, name);
    float left = fminf(fmaxf(x - wide / 2, at->left), at->right - wide);
    td_ui_rect(ui, x, at->top - TD_U(view, 2), x + 1, at->base, td_color_alpha(color, .75f), 0);
    if (left < *free_from)
        return;
    td_ui_text(ui, TD_FONT_SMALL, left, y, color, name);
    *free_from = left + wide + TD_U(view, 6);
}

/* -1: the zone is not among them. */
static double length_of_zone(const struct td_instances *set, struct td_zone_ref zone)
{
    const size_t number = td_ref_valid(zone) ? td_instances_find(set, zone) : SIZE_MAX;
    return number == SIZE_MAX ? -1 : (double)td_instances_length_of(set, number);
}

static void draw_lines(struct td_view *view, const struct instances *s, const struct instances_place *at)
{
    const struct td_instances *set = &s->set.shown;
    const double selected = length_of_zone(set, view->selection.zone),
                 hovered = length_of_zone(set, view->hover.zone);
    const struct td_instance_group *group = s->group < s->groups.count ? &s->groups.group[s->group] : NULL;
    float free_from = at->left - 1;
    struct instances_line {
        const char *name;
        double length;
        td_rgba color;
    } lines[] = {
        {"selected", selected, TD_C(SELECTED)},
        {"mouse", hovered == selected ? -1 : hovered, TD_C(TEXT)},
        {"group's mean", group && group->count ? (double)group->total_ns / (double)group->count : -1,
         TD_C(MATCH)},
        {"group's median", group ? (double)group->median_ns : -1, TD_C(MATCH)},
        {"mean", (double)set->total_ns / (double)set->count, TD_C(WAIT)},
        {"median", (double)td_instances_percentile(set, .5), TD_C(ACCENT)},
        {"p90", (double)td_instances_percentile(set, .9), TD_C(STALL)},
        {"p99", (double)td_instances_percentile(set, .99), TD_C(LOST)},
    };
    const int count = sizeof lines / sizeof *lines;
    /* From left to right, so that names make room for one another; the mean moves among the others. */
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && lines[k].length < lines[k - 1].length; k--) {
            struct instances_line other = lines[k];
            lines[k] = lines[k - 1];
            lines[k - 1] = other;
        }
    for (int i = 0; i < count; i++)
        if (lines[i].length >= (double)s->plot.bins.low && lines[i].length <= (double)s->plot.bins.high)
            draw_line(view, at, &s->plot.bins, lines[i].length, lines[i].name, lines[i].color, &free_from);
}

static void tell_bin(struct td_view *view, const struct instances *s, int bin)
{
    const struct td_bins *b = &s->plot.bins;
    const struct td_instances *set = &s->set.shown;
    char title[2 * TD_FORMAT_BYTES + 8], low[TD_FORMAT_BYTES], high[TD_FORMAT_BYTES], count[TD_FORMAT_BYTES];
    char total[TD_FORMAT_BYTES], group[TD_FORMAT_BYTES + 20] = "";
    uint64_t until = b->before;
    for (int i = 0; i <= bin; i++)
        until += b->number[i];
    snprintf(title, sizeof title, "%s .. %s", td_format_ns(low, (double)b->edge[bin]),
             td_format_ns(high, (double)b->edge[bin + 1]));
    td_format_count(count, b->number[bin]);
    td_format_ns(total, (double)b->total_ns[bin]);
    if (s->group != SIZE_MAX && s->plot.group_counts) {
        td_format_count(low, s->plot.group_counts[bin]);
        snprintf(group, sizeof group, "group\t%s\n", low);
    }
    td_tip(view, title, "zones\t%s (%.2f %%)\n%stime\t%s (%.2f %%)\nnot longer\t%.2f %% of the zones\n",
           count, 100. * (double)b->number[bin] / (double)set->count, group, total,
           set->total_ns ? 100. * (double)b->total_ns[bin] / (double)set->total_ns : 0,
           100. * (double)until / (double)set->count);
}

/* ---- mouse ---- */

/* Dragging with the left button chooses a range, which follows the bins; a click or the right button ends it. */
static bool take_mouse(struct td_view *view, struct instances *s, const struct instances_place *at,
                       bool hovered)
{
    struct instances_plot *p = &s->plot;
    const struct td_bins *b = &p->bins;
    float x = td_ui_mouse_x(view->ui);
    if (hovered && td_ui_mouse_pressed(view->ui, TD_MOUSE_RIGHT)) {
        bool was = s->ranged;
        s->ranged = p->dragging = false;
        return was;
    }
    if (hovered && td_ui_mouse_pressed(view->ui, TD_MOUSE_LEFT)) {
        p->dragging = true;
        p->drag_from_ns = length_at(at, b, x);
    }
    if (!p->dragging)
        return false;
    float from = x_of(at, b, (double)p->drag_from_ns);
    bool moved = fabsf(x - from) > TD_U(view, CLICK_PIXELS);
    bool changed = s->ranged != moved;
    if (moved) {
        int64_t low = length_at(at, b, fminf(x, from)), high = length_at(at, b, fmaxf(x, from));
        low = b->edge[bin_at(b, low)];
        high = b->edge[bin_at(b, high) + 1] - 1;
        changed |= low != s->from_ns || high != s->to_ns;
        s->from_ns = low;
        s->to_ns = high;
    }
    s->ranged = moved;
    p->dragging = td_ui_mouse_down(view->ui, TD_MOUSE_LEFT);
    return changed;
}

bool td_instances_draw_plot(struct td_view *view, struct instances *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float pad = TD_U(view, 10);
    struct instances_place at = {place->left + pad, place->right - pad,
                                 place->top + TD_U(view, MARKS_HEIGHT + 3),
                                 place->bottom - TD_U(view, AXIS_HEIGHT)};
    if (!s->set.shown.count || at.base - at.top < TD_U(view, LEAST_HEIGHT) / 2 ||
        at.right - at.left < TD_U(view, 60))
        return false;
    bool hovered;
    make_bins(view, s, at.right - at.left);
    td_ui_click_area(ui, "instances histogram", at.left, at.top, at.right - at.left, at.base - at.top,
                     &hovered);
    bool changed = take_mouse(view, s, &at, hovered);
    td_ui_rect(ui, at.left, at.top, at.right, at.base, TD_C(GUTTER), 0);
    if (s->ranged)
        td_ui_rect(ui, x_of(&at, &s->plot.bins, (double)s->from_ns), at.top,
                   x_of(&at, &s->plot.bins, (double)s->to_ns + 1), at.base,
                   td_color_alpha(TD_C(ACCENT), .16f), 0);
    const struct td_instances *set = &s->set.shown;
    const double mean = (double)set->total_ns / (double)set->count;
    td_ui_rect(ui, x_of(&at, &s->plot.bins, mean - set->deviation_ns), at.top,
               x_of(&at, &s->plot.bins, mean + set->deviation_ns), at.base, td_color_alpha(TD_C(WAIT), .09f),
               0);
    draw_bars(view, s, &at);
    if (!s->plot.no_line)
        draw_cumulative(view, s, &at);
    draw_lines(view, s, &at);
    draw_axis(view, s, &at);
    if (hovered || s->plot.dragging) {
        float x = td_ui_mouse_x(ui);
        td_ui_rect(ui, floorf(x), at.top, floorf(x) + 1, at.base, 0x30ffffff, 0);
        tell_bin(view, s, bin_at(&s->plot.bins, length_at(&at, &s->plot.bins, x)));
    }
    return changed;
}

double td_instances_mode(const struct instances *s)
{
    const struct td_bins *b = &s->plot.bins;
    int fullest = 0;
    if (!b->count || s->plot.version != s->set.version)
        return -1;
    for (int i = 1; i < b->count; i++)
        fullest = b->number[i] > b->number[fullest] ? i : fullest;
    return ((double)b->edge[fullest] + (double)b->edge[fullest + 1] - 1) / 2;
}

void td_instances_free_plot(struct instances *s)
{
    free(s->plot.group_counts);
}
