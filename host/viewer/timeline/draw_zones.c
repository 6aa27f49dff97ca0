/* Draws the zones of a track, row by row, and the flow arrows between zones. */
#include "host/viewer/timeline/pixels.h"
#include "host/viewer/timeline/zone_name.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define CELL_PIXELS  1.5f /* the least width of a cell; the most is twice as much */
#define PLAIN_PIXELS 9    /* narrower zones have neither round corners nor text */
#define COVER_LEVELS 5
#define MAX_FLOWS    64
#define SAME_PLACE   TD_C(SELECTED)
#define TONES        1024 /* colours of runs that are kept */

/* Adjacent items of one colour are drawn as one rectangle. */
struct item_run {
    float x0, x1;
    td_rgba color;
    float match; /* height of the mark of matches */
    bool same;   /* all zones are of the place of the zone under the mouse */
    bool used;
};

/* The colour of runs of zones. */
struct run_tone {
    uint32_t key; /* the colour of the zones, the level of their coverage, whether a search dims; 0: none */
    td_rgba back, color;
};

struct zone_row {
    struct td_view *view;
    uint32_t track, number;
    float y0, y1;
    struct td_pixel_strip strip;
    struct item_run run;
    uint64_t next; /* zones before were drawn */
};

/* Whether zones of that location are marked, because one of them is under the mouse. */
static bool is_same_place(const struct td_view *view, uint32_t srcloc)
{
    return srcloc == view->hover.srcloc && srcloc != TD_SUM_MIXED;
}

/* A rectangle with an outline, cheaper than drawing lines. */
static void draw_outlined(struct zone_row *row, float x0, float x1, td_rgba fill)
{
    td_ui_rect(row->view->ui, x0, row->y0, x1, row->y1, SAME_PLACE, 0);
    if (x1 - x0 > 2)
        td_ui_rect(row->view->ui, x0 + 1, row->y0 + 1, x1 - 1, row->y1 - 1, fill, 0);
}

static void draw_run(struct zone_row *row)
{
    const struct item_run *run = &row->run;
    row->view->drawn.count += run->used;
    if (run->used && run->same)
        draw_outlined(row, run->x0, run->x1, run->color);
    else if (run->used)
        td_strip_fill(&row->strip, run->x0, run->x1, run->color);
    if (run->used && run->match > 0)
        td_ui_rect(row->view->ui, run->x0, row->y1 - run->match, run->x1, row->y1, TD_C(MATCH), 0);
    row->run.used = false;
}

static void extend_run(struct zone_row *row, float x0, float x1, td_rgba color, float match, bool same)
{
    struct item_run *p = &row->run;
    x0 = td_pixel_below(x0);
    x1 = td_pixel_above(x1);
    x1 = x1 > x0 ? x1 : x0 + 1;
    if (p->used && p->color == color && p->match == match && p->same == same && x0 <= p->x1) {
        p->x1 = fmaxf(p->x1, x1);
        return;
    }
    float from = p->used ? fmaxf(x0, p->x1) : x0;
    draw_run(row);
    if (from < x1)
        *p = (struct item_run){from, x1, color, match, same, true};
}

/* Draws diagonal lines, clipped to the rectangle. */
static void draw_hatching(struct td_view *view, float x0, float y0, float x1, float y1, float anchor,
                          td_rgba color)
{
    /* Lines of whole pixels are the cheapest. */
    const float step = TD_U(view, 6), thick = fmaxf(roundf(TD_U(view, 1.2f)), 1), height = y1 - y0;
    float from = x0 - height;
    from += step - fmodf(from - anchor, step);
    if (from - (x0 - height) > step)
        from -= step;
    for (float x = from; x < x1; x += step) {
        float s0 = fmaxf(0, x0 - x), s1 = fminf(height, x1 - x);
        if (s0 < s1)
            td_ui_line(view->ui, x + s0, y1 - s0, x + s1, y1 - s1, color, thick);
    }
}

struct label_font {
    struct td_ui *ui;
    enum td_font font;
};

static float label_width(void *self, const char *name)
{
    const struct label_font *label = self;
    return td_ui_text_width(label->ui, label->font, name);
}

/* The visible part of a zone, without margins. False: no text fits. */
static bool label_span(const struct td_view *view, float x0, float x1, float *seen0, float *seen1)
{
    *seen0 = fmaxf(x0, view->area.left) + TD_U(view, 5);
    *seen1 = fminf(x1, view->area.right) - TD_U(view, 5);
    return *seen1 - *seen0 >= TD_U(view, 12);
}

static void draw_label(struct td_view *view, const struct td_zone *zone, float seen0, float seen1, float y,
                       float height, td_rgba color, bool bold)
{
    enum td_font font = bold ? TD_FONT_BOLD : TD_FONT_TEXT;
    float text_y = y + (height - td_ui_text_height(view->ui, font)) / 2;
    char short_name[TD_ZONE_NAME_BYTES];
    struct label_font label = {view->ui, font};
    const char *name = td_zone_name_fit(short_name, td_zone_label(view->model.dict, zone),
                                        (enum td_zone_names)td_view_choice(view, TD_CHOICE_NAMES),
                                        seen1 - seen0, label_width, &label);
    float wide = td_ui_text_fit(view->ui, font, seen0, text_y, seen1 - seen0, color, name);
    if (zone->end_ns == TD_OPEN || seen1 - seen0 - wide < TD_U(view, 52))
        return;
    char time[TD_FORMAT_BYTES];
    td_format_ns(time, (double)(zone->end_ns - zone->start_ns));
    float time_wide = td_ui_text_width(view->ui, TD_FONT_SMALL, time);
    if (seen1 - seen0 - wide < time_wide + TD_U(view, 14))
        return;
    float small_y = y + (height - td_ui_text_height(view->ui, TD_FONT_SMALL)) / 2;
    td_ui_text(view->ui, TD_FONT_SMALL, seen1 - time_wide, small_y, td_color_alpha(color, .62f), time);
}

/* Fades out the right end of a zone that has not ended. */
static void draw_open_end(struct zone_row *row, float x0, float x1)
{
    struct td_view *view = row->view;
    float step = TD_U(view, 4);
    for (int i = 1; i <= 3; i++) {
        float x = x1 - step * (float)i;
        if (x > x0)
            td_ui_rect(view->ui, x, row->y0, x + step, row->y1,
                       td_color_alpha(TD_C(BACK), .72f - .2f * (float)i), 0);
    }
}

/* How a zone looks. */
struct zone_look {
    td_rgba own, fill;
    bool wait, lost, match, searched;
};

static struct zone_look zone_look(const struct zone_row *row, const struct td_band_item *item, bool match,
                                  bool hovered)
{
    const td_rgba own = 0xff000000u | item->color;
    struct zone_look l = {
        own, own, item->flags & TD_SRCLOC_WAIT, item->flags & TD_SRCLOC_LOST, match, row->view->find.active};
    if (l.wait)
        l.fill = td_color_mix(TD_C(BACK), own, .36f);
    if (l.searched && !match && !l.lost)
        l.fill = td_color_mix(TD_C(BACK), l.fill, .32f);
    if (hovered)
        l.fill = td_color_mix(l.fill, 0xffffffff, l.wait ? .10f : .16f);
    return l;
}

static td_rgba label_color(const struct zone_look *l)
{
    if (l->lost)
        return 0xffffffff;
    if (l->searched && !l->match)
        return td_color_mix(l->fill, td_color_text_on(l->fill), .5f);
    return l->wait ? td_color_mix(l->own, td_color_text_on(l->fill), .7f) : td_color_text_on(l->fill);
}

/* A zone that is wide enough for corners, text and marks. */
static void draw_zone(struct zone_row *row, const struct td_band_item *item, bool match)
{
    struct td_view *view = row->view;
    struct td_ui *ui = view->ui;
    const struct td_zone_ref ref = {row->track, row->number, item->first};
    const bool hovered = td_ref_equal(ref, view->hover.zone),
               selected = td_ref_equal(ref, view->selection.zone);
    const struct zone_look look = zone_look(row, item, match, hovered);
    /* An open zone may have ended since the item was made. */
    struct td_zone zone = {.start_ns = item->start_ns, .end_ns = item->end_ns, .srcloc = item->srcloc};
    if (item->flags & TD_ITEM_OPEN)
        zone = td_view_zone(view, ref);
    const float x0 = td_pixel_nearest(td_view_x(view, (double)zone.start_ns));
    float x1 = td_pixel_nearest(td_view_x(view, td_view_zone_end(view, &zone))), seen0, seen1;
    if (look.lost)
        x1 = fmaxf(x1, x0 + TD_U(view, 3));
    view->drawn.count++;
    /* A gap of one pixel separates adjacent zones. */
    const float right = x1 - x0 > 3 ? x1 - 1 : fmaxf(x1, x0 + 1);
    const float rounding = right - x0 > TD_U(view, 9) ? TD_U(view, 2.5f) : 0;
    td_ui_rect(ui, x0, row->y0, right, row->y1, look.fill, rounding);
    if ((look.wait || look.lost) && right - x0 > TD_U(view, 5)) {
        td_rgba stripe =
            look.lost ? 0x50000000u : td_color_alpha(look.own, look.searched && !match ? .15f : .5f);
        draw_hatching(view, fmaxf(x0, view->area.left), row->y0, fminf(right, view->area.right), row->y1, x0,
                      stripe);
    }
    if (zone.end_ns == TD_OPEN)
        draw_open_end(row, x0, right);
    if (look.lost)
        td_ui_frame_rect(ui, x0, row->y0, right, row->y1, 0xccffffff, rounding, 1);
    else if (!match && is_same_place(view, zone.srcloc))
        td_ui_frame_rect(ui, x0, row->y0, right, row->y1, SAME_PLACE, rounding, 1);
    if (label_span(view, x0, right, &seen0, &seen1)) {
        zone = td_view_zone(view, ref);
        draw_label(view, &zone, seen0, seen1, row->y0, row->y1 - row->y0, label_color(&look), look.lost);
    }
    td_draw_zone_errors(view, td_dict_get_track(view->model.dict, row->track), &zone, selected || hovered,
                        row->y0, row->y1);
    if (match)
        td_ui_frame_rect(ui, x0, row->y0, right, row->y1, TD_C(MATCH), rounding, TD_U(view, 1.5f));
    if (selected)
        td_ui_frame_rect(ui, x0 - 1, row->y0 - 1, right + 1, row->y1 + 1, TD_C(SELECTED), rounding + 1,
                         TD_U(view, 2));
}

/* Rounded, so that similar adjacent runs of zones are drawn as one. */
static td_rgba run_color(const struct zone_row *row, const struct td_band_item *item)
{
    static struct run_tone tones[TONES]; /* one thread draws */
    const unsigned level = (item->coverage * COVER_LEVELS + 254u) / 255;
    const bool dims = row->view->find.active;
    const td_rgba rounded = (item->color & 0xf8f8f8u) | 0x040404u, back = TD_C(BACK);
    const uint32_t key = rounded | level << 24 | (uint32_t)dims << 28;
    struct run_tone *tone = &tones[key * 2654435761u >> 22];
    if (tone->key != key || tone->back != back) {
        const float strength = (.3f + .6f * (float)level / COVER_LEVELS) * (dims ? .35f : 1);
        *tone = (struct run_tone){key, back, td_color_mix(back, rounded, strength)};
    }
    return tone->color;
}

static void draw_item_run(struct zone_row *row, const struct td_band_item *item, uint8_t match)
{
    struct td_view *view = row->view;
    float x0 = td_view_x(view, (double)item->start_ns), x1 = td_view_x(view, (double)item->end_ns), mark = 0;
    if (item->flags & TD_SRCLOC_LOST) {
        extend_run(row, x0, fmaxf(x1, x0 + TD_U(view, 2)), TD_C(LOST), 0, false);
        return;
    }
    if (match)
        mark = fmaxf(roundf((float)match / 255 * (row->y1 - row->y0)), TD_U(view, 2));
    extend_run(row, x0, x1, run_color(row, item), mark, is_same_place(view, item->srcloc));
}

/* Zones too narrow for all but their colour. False: the zone has to be drawn by draw_zone(). */
static bool draw_plain_zone(struct zone_row *row, const struct td_band_item *item, uint8_t match)
{
    struct td_view *view = row->view;
    const bool chosen =
        (row->track == view->hover.zone.track && row->number == view->hover.zone.row &&
         item->first == view->hover.zone.index) ||
        (row->track == view->selection.zone.track && row->number == view->selection.zone.row &&
         item->first == view->selection.zone.index);
    if (match || chosen || item->flags & (TD_ITEM_OPEN | TD_SRCLOC_LOST))
        return false;
    const float x0 = td_pixel_nearest(td_view_x(view, (double)item->start_ns));
    const float x1 = td_pixel_nearest(td_view_x(view, (double)item->end_ns));
    const float right = x1 - x0 > 3 ? x1 - 1 : x1 > x0 ? x1 : x0 + 1;
    const bool wait = item->flags & TD_SRCLOC_WAIT;
    if (right - x0 > TD_U(view, wait ? 5 : PLAIN_PIXELS))
        return false;
    td_rgba fill = 0xff000000u | item->color;
    if (wait)
        fill = td_color_mix(TD_C(BACK), fill, .36f);
    if (view->find.active)
        fill = td_color_mix(TD_C(BACK), fill, .32f);
    if (is_same_place(view, item->srcloc))
        draw_outlined(row, x0, right, fill);
    else
        td_strip_fill(&row->strip, x0, right, fill);
    return true;
}

static void draw_items(void *self, const struct td_band *band, const struct td_band_key *key, double from_ns,
                       double to_ns)
{
    struct zone_row *row = self;
    struct td_view *view = row->view;
    from_ns = fmax(from_ns, view->camera.start_ns);
    to_ns = fmin(to_ns, view->camera.end_ns);
    for (uint32_t i = 0; i < band->data.count; i++) {
        const struct td_band_item *item = &band->data.items[i];
        /* Items at the end of a band may be in the next one, too. */
        if (item->first + item->count <= row->next || (double)item->end_ns < from_ns)
            continue;
        if ((double)item->start_ns > to_ns)
            break;
        const uint8_t match = view->find.active && band->match ? band->match[i] : 0;
        row->next = item->first + item->count;
        if (!(item->flags & TD_ITEM_ZONE)) {
            draw_item_run(row, item, match);
            continue;
        }
        draw_run(row);
        if (!draw_plain_zone(row, item, match))
            draw_zone(row, item, match);
    }
}

static void draw_row(struct td_view *view, uint32_t track, uint32_t number, float y)
{
    struct zone_row row = {.view = view, .track = track, .number = number};
    row.y0 = y + 1;
    row.y1 = y + view->metrics.row - 1;
    row.strip = td_view_strip(view, row.y0, row.y1);
    td_draw_bands(view, track, number, NULL, view->camera.start_ns, view->camera.end_ns,
                  view->area.ns_per_pixel * TD_U(view, CELL_PIXELS), draw_items, &row);
    draw_run(&row);
}

void td_draw_zones(struct td_view *view, const struct td_node *node, float y)
{
    float first = td_layout_row_y(node, &view->metrics, 0) - node->y + y;
    for (uint32_t r = 0; r < node->rows; r++) {
        float row_y = first + (float)r * view->metrics.row;
        if (row_y > view->area.bottom)
            break;
        if (row_y + view->metrics.row >= view->area.pins_top)
            draw_row(view, node->number, r, row_y);
    }
}

void td_draw_flow_arrow(struct td_view *view, const struct td_flow_pair *pair, td_rgba color)
{
    float y0, y1, half = view->metrics.row / 2;
    if (!td_view_zone_y(view, pair->from->zone, &y0) || !td_view_zone_y(view, pair->to->zone, &y1))
        return;
    float x0 = td_view_x(view, (double)td_flow_sent_ns(&view->model.flows, pair));
    float x1 = td_view_x(view, (double)pair->to->start_ns);
    td_draw_arrow(view, x0, y0 + half, x1, y1 + half, color);
}

void td_draw_arrow(struct td_view *view, float x0, float y0, float x1, float y1, td_rgba color)
{
    float bend = fminf(fmaxf(fabsf(x1 - x0) * .5f, TD_U(view, 18)), TD_U(view, 90));
    float curve[8] = {x0, y0, x0 + bend, y0, x1 - bend, y1, x1, y1};
    td_ui_bezier(view->ui, curve, 0xa0000000, TD_U(view, 3.6f));
    td_ui_bezier(view->ui, curve, color, TD_U(view, 1.6f));
    float tip = TD_U(view, 5),
          head[6] = {x1, y1, x1 - tip * 1.5f, y1 - tip * .8f, x1 - tip * 1.5f, y1 + tip * .8f};
    td_ui_triangle(view->ui, head, color);
}

void td_draw_flows(struct td_view *view)
{
    struct td_zone_ref zones[2] = {view->selection.zone, view->hover.zone};
    struct td_flow_pair pairs[MAX_FLOWS];
    for (int z = 0; z < 2; z++) {
        if (!td_ref_valid(zones[z]) || (z && td_ref_equal(zones[0], zones[1])))
            continue;
        size_t count = td_flows_of(&view->model.flows, zones[z], pairs, MAX_FLOWS);
        for (size_t i = 0; i < count; i++)
            td_draw_flow_arrow(view, &pairs[i], TD_C(FLOW));
    }
}
