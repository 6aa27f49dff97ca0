#include "host/viewer/panels/chip_traffic.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_ARROWS 300
#define LEAST_HEAD  22   /* pixels of a tile whose links have heads */
#define APART       .15f /* of a tile: from its middle to the links of a NoC */
#define LEAST_PART  .25f /* of the colour of the busiest link, for the others */

struct chip_point {
    float x, y;
};

static td_rgba color_of_noc(uint32_t noc)
{
    return noc ? TD_C(NOC1) : TD_C(NOC0);
}

static bool draws_links(const struct td_view *view, const struct td_grid *g, size_t chip)
{
    return g->map[chip] && td_view_choice(view, TD_CHOICE_TRAFFIC) == 0;
}

/* What the transfers call a place of the grid; false: they cannot name it. */
static bool find_place(const struct td_chip_values *s, size_t chip, uint32_t x, uint32_t y,
                       struct td_noc_place *place)
{
    const struct td_grid *g = &s->grid;
    const struct td_chip_map *map = td_chip_maps_get(&s->maps, g->chip[chip]);
    x += g->left;
    y += g->top;
    if (!g->map[chip] && map && (x >= map->columns || y >= map->rows))
        return false;
    const bool is_logical = !g->map[chip] && map;
    *place = (struct td_noc_place){(uint16_t)(is_logical ? map->column_x[x] : x),
                                   (uint16_t)(is_logical ? map->row_y[y] : y)};
    return true;
}

static bool find_coordinate(const uint8_t *list, uint32_t count, uint32_t place, uint32_t *at)
{
    for (*at = 0; *at < count; ++*at)
        if (list[*at] == place)
            return true;
    return false;
}

/* The middle of a place in the window; false: the grid does not show it. */
static bool find_middle(const struct td_chip_values *s, const struct td_chip_places *m, size_t chip,
                        struct td_noc_place place, struct chip_point *middle)
{
    const struct td_grid *g = &s->grid;
    const struct td_chip_map *map = td_chip_maps_get(&s->maps, g->chip[chip]);
    uint32_t x = place.x, y = place.y;
    if (!g->map[chip] && map &&
        !(find_coordinate(map->column_x, map->columns, place.x, &x) &&
          find_coordinate(map->row_y, map->rows, place.y, &y)))
        return false;
    if (x < g->left || y < g->top || x - g->left >= g->width || y - g->top >= g->height)
        return false;
    const struct td_chip_corner corner = td_chip_corner_of(m, chip);
    *middle = (struct chip_point){corner.left + ((float)(x - g->left) + .5f) * m->tile,
                                  corner.top + ((float)(y - g->top) + .5f) * m->tile};
    return true;
}

/* ---- links ---- */

struct link_line {
    struct chip_point from, to;
    float dx, dy; /* its direction */
};

/* Where a link is drawn: the links of NoC 0 above and to the left of the middles, those of NoC 1 on the other sides. One
 * that leads around the edge of the chip ends half a tile outside of the place from which it leads. */
static bool find_line(const struct td_chip_values *s, const struct td_chip_places *m, size_t chip,
                      struct td_noc_size size, uint32_t noc, uint32_t link, struct link_line *line)
{
    struct td_noc_place from, to;
    struct chip_point middle;
    td_noc_link_ends(size, noc, link, &from, &to);
    if (!find_middle(s, m, chip, from, &middle))
        return false;
    const float apart = m->tile * (noc ? APART : -APART), step = noc ? -1 : 1;
    line->dx = link & 1 ? 0 : step;
    line->dy = link & 1 ? step : 0;
    line->from = (struct chip_point){middle.x + (link & 1 ? apart : 0), middle.y + (link & 1 ? 0 : apart)};
    const bool is_around = link & 1 ? from.y + (int)step != to.y : from.x + (int)step != to.x;
    const float far = m->tile * (is_around ? .5f : 1);
    line->to = (struct chip_point){line->from.x + line->dx * far, line->from.y + line->dy * far};
    return true;
}

static void draw_head(struct td_view *view, struct chip_point at, float dx, float dy, float size,
                      td_rgba color)
{
    const float xy[6] = {at.x + dx * size,
                         at.y + dy * size,
                         at.x - dx * size - dy * size,
                         at.y - dy * size + dx * size,
                         at.x - dx * size + dy * size,
                         at.y - dy * size - dx * size};
    td_ui_triangle(view->ui, xy, color);
}

static void draw_links(struct td_view *view, const struct td_chip_values *s, const struct td_chip_places *m,
                       size_t chip, const struct td_noc_chip *traffic, uint64_t most)
{
    for (uint32_t noc = 0; noc < 2; noc++)
        for (uint32_t link = 0; link < td_noc_links(traffic->loads.size); link++) {
            const uint64_t bytes = traffic->loads.bytes[noc][link];
            struct link_line l;
            if (!bytes || !find_line(s, m, chip, traffic->loads.size, noc, link, &l))
                continue;
            const float part = (float)((double)bytes / (double)most);
            const td_rgba color =
                td_color_mix(TD_C(BACK), color_of_noc(noc), LEAST_PART + (1 - LEAST_PART) * part);
            td_ui_line(view->ui, l.from.x, l.from.y, l.to.x, l.to.y, color, TD_U(view, 1 + 2.5f * part));
            if (m->tile >= TD_U(view, LEAST_HEAD))
                draw_head(view, (struct chip_point){(l.from.x + l.to.x) / 2, (l.from.y + l.to.y) / 2}, l.dx,
                          l.dy, TD_U(view, 2 + 1.5f * part), color);
        }
}

/* ---- arrows ---- */

static bool is_in_rectangle(const struct td_noc_pair *p, struct td_noc_place place)
{
    return place.x >= fminf(p->to.x, p->to_last.x) && place.x <= fmaxf(p->to.x, p->to_last.x) &&
           place.y >= fminf(p->to.y, p->to_last.y) && place.y <= fmaxf(p->to.y, p->to_last.y);
}

static void draw_arrow(struct td_view *view, const struct td_chip_values *s, const struct td_chip_places *m,
                       size_t chip, const struct td_noc_pair *p, uint64_t most)
{
    struct chip_point from, to, last;
    if (!find_middle(s, m, chip, p->from, &from) || !find_middle(s, m, chip, p->to, &to) ||
        !find_middle(s, m, chip, p->to_last, &last))
        return;
    const float part = most ? (float)((double)p->sum.bytes / (double)most) : 0;
    const td_rgba color = td_color_alpha(color_of_noc(p->noc), LEAST_PART + (1 - LEAST_PART) * part);
    const struct chip_point end = {(to.x + last.x) / 2, (to.y + last.y) / 2};
    if (!td_noc_place_equal(p->to, p->to_last)) {
        const float half = m->tile * .45f;
        td_ui_frame_rect(view->ui, fminf(to.x, last.x) - half, fminf(to.y, last.y) - half,
                         fmaxf(to.x, last.x) + half, fmaxf(to.y, last.y) + half, color, 0, TD_U(view, 1));
    }
    const float wide = end.x - from.x, high = end.y - from.y, length = sqrtf(wide * wide + high * high);
    if (length < 1) {
        const float r = m->tile * .2f;
        td_ui_frame_rect(view->ui, from.x - r, from.y - r, from.x + r, from.y + r, color, r,
                         TD_U(view, 1.5f));
        return;
    }
    /* Both directions of a pair are apart. */
    const float dx = wide / length, dy = high / length, apart = m->tile * .07f, head = TD_U(view, 3.5f);
    const struct chip_point a = {from.x - dy * apart, from.y + dx * apart},
                            b = {end.x - dy * apart, end.y + dx * apart};
    td_ui_line(view->ui, a.x, a.y, b.x - dx * head, b.y - dy * head, color,
               TD_U(view, 1) + fminf(TD_U(view, 2.5f), m->tile * .08f) * part);
    draw_head(view, (struct chip_point){b.x - dx * head, b.y - dy * head}, dx, dy, head, color);
}

static void draw_arrows(struct td_view *view, const struct td_chip_values *s, const struct td_chip_places *m,
                        size_t chip, const struct td_noc_traffic *traffic)
{
    size_t at_chip, drawn = 0;
    uint32_t x, y;
    struct td_noc_place lit;
    const bool is_lit =
        td_ui_region_hovered(view->ui) &&
        td_chip_grid_at(&s->grid, m, td_ui_mouse_x(view->ui), td_ui_mouse_y(view->ui), &at_chip, &x, &y) &&
        at_chip == chip && find_place(s, chip, x, y, &lit) && td_grid_at(&s->grid, chip, x, y);
    for (size_t i = 0; i < traffic->pairs && drawn < MOST_ARROWS; i++) {
        const struct td_noc_pair *p = &traffic->pair[i];
        if (p->chip != s->grid.chip[chip] ||
            (is_lit && !td_noc_place_equal(p->from, lit) && !is_in_rectangle(p, lit)))
            continue;
        draw_arrow(view, s, m, chip, p, traffic->pair[0].sum.bytes);
        drawn++;
    }
}

void td_chip_draw_traffic(struct td_view *view, const struct td_chip_values *s,
                          const struct td_chip_places *m)
{
    const struct td_noc_traffic *traffic = td_view_traffic(view);
    for (size_t c = m->first; traffic && c < m->first + m->count; c++) {
        const struct td_noc_chip *chip = td_noc_traffic_chip(traffic, s->grid.chip[c]);
        if (chip && chip->sent && draws_links(view, &s->grid, c))
            draw_links(view, s, m, c, chip, traffic->most);
        else if (chip)
            draw_arrows(view, s, m, c, traffic);
    }
}

/* ---- numbers ---- */

static const char *format_rate(const struct td_view *view, char out[TD_FORMAT_BYTES], uint64_t bytes)
{
    return td_format_rate(out, td_view_noc_rate(view, bytes));
}

void td_chip_draw_traffic_legend(struct td_view *view, const struct td_chip_values *s, float left,
                                 float right, float y)
{
    const struct td_noc_traffic *traffic = td_view_traffic(view);
    char text[160], rate[TD_FORMAT_BYTES], all[TD_FORMAT_BYTES];
    float x = left;
    for (uint32_t noc = 0; noc < 2; noc++) {
        const float high = td_ui_text_height(view->ui, TD_FONT_SMALL), wide = TD_U(view, 16);
        td_ui_rect(view->ui, x, y + high / 2 - 1, x + wide, y + high / 2 + 1, color_of_noc(noc), 0);
        x += wide + TD_U(view, 4);
        x += td_ui_text(view->ui, TD_FONT_SMALL, x, y, TD_C(TEXT_DIM), noc ? "NoC 1" : "NoC 0") +
             TD_U(view, 8);
    }
    if (!traffic)
        snprintf(text, sizeof text, "%s",
                 td_view_noc_is_busy(view) ? "counting ..." : "no NoC events in this trace");
    else if (traffic->most)
        snprintf(text, sizeof text, "busiest link %s, %s in all", format_rate(view, rate, traffic->most),
                 td_format_value(all, (double)traffic->all.bytes, 1));
    else
        snprintf(text, sizeof text, "%s in all", td_format_value(all, (double)traffic->all.bytes, 1));
    td_ui_text_fit(view->ui, TD_FONT_SMALL, x, y, right - x, TD_C(TEXT_FAINT), text);
}

static void add_sum(const struct td_view *view, const char *label, const struct td_noc_sum *sum, char *text,
                    size_t bytes)
{
    char all[TD_FORMAT_BYTES], rate[TD_FORMAT_BYTES], count[TD_FORMAT_BYTES];
    const size_t used = strlen(text);
    snprintf(text + used, bytes - used, "%s\t%s, %s, %s transfers\n", label,
             td_format_value(all, (double)sum->bytes, 1), format_rate(view, rate, sum->bytes),
             td_format_count(count, sum->transfers));
}

void td_chip_add_traffic(struct td_view *view, const struct td_chip_values *s, size_t chip, uint32_t x,
                         uint32_t y, char *text, size_t bytes)
{
    const struct td_noc_traffic *traffic = td_view_traffic(view);
    const struct td_noc_chip *t = traffic ? td_noc_traffic_chip(traffic, s->grid.chip[chip]) : NULL;
    struct td_noc_place place;
    if (!t || !t->sent || !find_place(s, chip, x, y, &place) || place.x >= t->loads.size.width ||
        place.y >= t->loads.size.height)
        return;
    const size_t at = (size_t)place.y * t->loads.size.width + place.x;
    add_sum(view, "NoC, from here", &t->sent[at], text, bytes);
    add_sum(view, "NoC, to here", &t->got[at], text, bytes);
}

static float distance_of(const struct link_line *l, float x, float y)
{
    const float length = fabsf(l->to.x - l->from.x) + fabsf(l->to.y - l->from.y);
    const float along = (x - l->from.x) * l->dx + (y - l->from.y) * l->dy;
    const float off = fabsf((x - l->from.x) * l->dy - (y - l->from.y) * l->dx);
    return along < 0 || along > length ? INFINITY : off;
}

bool td_chip_set_link_tip(struct td_view *view, const struct td_chip_values *s,
                          const struct td_chip_places *m, float x, float y)
{
    const struct td_noc_traffic *traffic = td_view_traffic(view);
    size_t c;
    uint32_t at_x, at_y, noc_of = 0, link_of = 0;
    if (!traffic || !td_chip_grid_at(&s->grid, m, x, y, &c, &at_x, &at_y) || !draws_links(view, &s->grid, c))
        return false;
    const struct td_noc_chip *chip = td_noc_traffic_chip(traffic, s->grid.chip[c]);
    float near = TD_U(view, 4);
    uint64_t bytes = 0;
    for (uint32_t noc = 0; chip && chip->sent && noc < 2; noc++)
        for (uint32_t link = 0; link < td_noc_links(chip->loads.size); link++) {
            struct link_line l;
            if (!chip->loads.bytes[noc][link] || !find_line(s, m, c, chip->loads.size, noc, link, &l) ||
                distance_of(&l, x, y) >= near)
                continue;
            near = distance_of(&l, x, y);
            bytes = chip->loads.bytes[noc][link];
            noc_of = noc;
            link_of = link;
        }
    if (!bytes)
        return false;
    struct td_noc_place from, to;
    char all[TD_FORMAT_BYTES], rate[TD_FORMAT_BYTES], title[60];
    td_noc_link_ends(chip->loads.size, noc_of, link_of, &from, &to);
    snprintf(title, sizeof title, "NoC %u, link from %u,%u to %u,%u", noc_of, from.x, from.y, to.x, to.y);
    td_tip(view, title, "chip\t%u\nbytes\t%s\nrate\t%s\nof the busiest link\t%.1f %%\n", chip->chip,
           td_format_value(all, (double)bytes, 1), format_rate(view, rate, bytes),
           (double)bytes * 100 / (double)traffic->most);
    return true;
}
