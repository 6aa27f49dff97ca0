/* The details of the selected zone. */
#include "host/viewer/view.h"

#include <inttypes.h>
#include <stdio.h>

struct details_column {
    struct td_view *view;
    float x, y, label, wide;
};

static void draw_pair(struct details_column *c, const char *label, const char *value)
{
    struct td_ui *ui = c->view->ui;
    td_ui_text(ui, TD_FONT_TEXT, c->x, c->y, TD_C(TEXT_FAINT), label);
    td_ui_text_fit(ui, TD_FONT_TEXT, c->x + c->label, c->y, c->wide - c->label, TD_C(TEXT), value);
    c->y += TD_U(c->view, 19);
}

static void draw_pair_ns(struct details_column *c, const char *label, double ns)
{
    char text[TD_FORMAT_BYTES];
    draw_pair(c, label, td_format_ns(text, ns));
}

static void draw_zone_column(struct details_column *c, const struct td_zone *zone)
{
    struct td_view *view = c->view;
    char text[300];
    const struct td_srcloc *s = td_dict_get_srcloc(view->dict, zone->srcloc);
    const struct td_track *t = td_dict_get_track(view->dict, view->selected.track);
    const char *file = td_dict_text(view->dict, s->file), *name = td_dict_text(view->dict, t->name);
    snprintf(text, sizeof text, "%.200s:%" PRIu32, file, s->line);
    draw_pair(c, "source", *file ? text : "unknown");
    if (*name)
        draw_pair(c, "thread", name);
    else {
        snprintf(text, sizeof text, "%" PRIu64, t->thread);
        draw_pair(c, "thread", text);
    }
    if (*td_dict_text(view->dict, s->function))
        draw_pair(c, "function", td_dict_text(view->dict, s->function));
    /* The lines of the zone's text, joined by spaces. */
    snprintf(text, sizeof text, "%.280s", td_dict_text(view->dict, zone->text));
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = p[1] ? ' ' : 0;
    if (*text)
        draw_pair(c, "text", text);
}

static void draw_time_column(struct details_column *c, const struct td_zone *zone)
{
    struct td_view *view = c->view;
    char text[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 32];
    td_format_ns(text, td_view_zone_end(view, zone) - (double)zone->start_ns);
    snprintf(more, sizeof more, "%s%s", text, zone->end_ns == TD_OPEN ? ", not ended" : "");
    draw_pair(c, "duration", more);
    draw_pair_ns(c, "self", (double)td_view_self_ns(view, view->selected));
    draw_pair(c, "start", td_format_time(text, (double)zone->start_ns, 1));
    draw_pair(c, "children", td_format_count(text, zone->child_end - zone->child_begin));
}

static const struct td_stat *find_stat(const struct td_stat *stats, size_t count, uint32_t srcloc)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stats[middle].srcloc < srcloc)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && stats[low].srcloc == srcloc ? &stats[low] : NULL;
}

/* GPU zones have statistics of their own. */
static const struct td_stat *stat_of(const struct td_view *view, uint32_t track, uint32_t srcloc)
{
    const struct td_stat *stats;
    bool gpu = td_dict_get_track(view->dict, track)->context != 0;
    size_t count = gpu ? td_trace_gpu_stats(view->trace, &stats) : td_trace_stats(view->trace, &stats);
    return find_stat(stats, count, srcloc);
}

static void draw_stat(struct details_column *c, const struct td_stat *stat)
{
    char text[TD_FORMAT_BYTES];
    draw_pair(c, "count", td_format_count(text, stat->count + stat->open));
    draw_pair_ns(c, "total", (double)stat->total_ns);
    draw_pair_ns(c, "total self", (double)stat->self_ns);
    if (stat->open)
        draw_pair(c, "not ended", td_format_count(text, stat->open));
    draw_pair_ns(c, "min", (double)stat->min_ns);
    draw_pair_ns(c, "mean", stat->mean_ns);
    draw_pair_ns(c, "max", (double)stat->max_ns);
    draw_pair_ns(c, "deviation", stat->std_ns);
}

static void draw_heading(struct details_column *c, const char *text)
{
    c->y += TD_U(c->view, 8);
    td_ui_rect(c->view->ui, c->x, c->y, c->x + c->wide, c->y + 1, TD_C(EDGE), 0);
    c->y += TD_U(c->view, 8);
    td_ui_text(c->view->ui, TD_FONT_SMALL, c->x, c->y, TD_C(TEXT_FAINT), text);
    c->y += TD_U(c->view, 20);
}

/* Esc: the selection ends first; the panel closes with it if the selection has opened it. */
static bool close_details(struct td_view *view)
{
    if (td_ref_valid(view->selected) || !td_panel_is_open(view, TD_PANEL_DETAILS))
        return false;
    td_panel_set_open(view, TD_PANEL_DETAILS, false);
    return true;
}

static void draw_details(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float pad = TD_U(view, 12), x = place->left + pad, y = place->top + TD_U(view, 10), box = TD_U(view, 12);
    if (!td_ref_valid(view->selected)) {
        td_ui_text_fit(ui, TD_FONT_TEXT, x, y, place->right - x - pad, TD_C(TEXT_FAINT),
                       "Click a zone to see its details.");
        return;
    }
    struct td_zone zone = td_view_zone(view, view->selected);
    float button = TD_U(view, 58), control = TD_U(view, 23);
    td_ui_rect(ui, x, y + TD_U(view, 2), x + box, y + TD_U(view, 2) + box,
               td_color_of_zone(view->dict, &zone), TD_U(view, 2));
    td_ui_text_fit(ui, TD_FONT_BOLD, x + box + TD_U(view, 8), y, place->right - x - box - button - 2 * pad,
                   TD_C(TEXT), td_zone_label(view->dict, &zone));
    if (td_ui_button(ui, "Zoom", place->right - pad - button, y - TD_U(view, 4), button, control))
        td_view_show_zone(view, view->selected, true);
    struct details_column c = {view, x, y + TD_U(view, 30), TD_U(view, 82), place->right - x - pad};
    draw_zone_column(&c, &zone);
    draw_time_column(&c, &zone);
    const struct td_stat *stat = stat_of(view, view->selected.track, zone.srcloc);
    if (stat) {
        draw_heading(&c, "This source location");
        draw_stat(&c, stat);
    }
}

const struct td_panel td_panel_details = {
    .name = "details",
    .dock = TD_DOCK_RIGHT,
    .title = "Zone",
    .draw = draw_details,
    .close = close_details,
};
