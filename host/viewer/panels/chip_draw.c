#include "host/viewer/panels/chip_draw.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>

#define LEAST_SPLIT 9 /* pixels of a tile that is divided into cores */

static void draw_tile(struct td_view *view, const struct td_chip_values *s, const struct td_grid_tile *tile,
                      const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    if (place->right - place->left < TD_U(view, LEAST_SPLIT)) {
        bool passes;
        double value = td_chip_tile_value(view, s, tile, &passes);
        td_ui_rect(ui, place->left, place->top, place->right, place->bottom, td_chip_color(s, value, passes),
                   0);
        return;
    }
    for (size_t i = 0; i < tile->count; i++) {
        const uint32_t track = s->grid.track[tile->first + i];
        const struct td_rect core = td_chip_core_place(place, i, tile->count);
        const float gap = place->right - place->left >= TD_U(view, 24) ? 1 : 0;
        td_ui_rect(ui, core.left, core.top, core.right - gap, core.bottom - gap,
                   td_chip_color(s, s->value[track], td_lanes_passes(view, track)), 0);
    }
}

/* A place without cores that have zones: an outline, hatched where a tile is harvested, and for other kinds of
 * tiles a letter. */
static void draw_other(struct td_view *view, enum td_chip_place kind, const struct td_rect *r)
{
    struct td_ui *ui = view->ui;
    const float wide = r->right - r->left, high = r->bottom - r->top;
    const bool is_harvested = kind == TD_PLACE_HARVESTED || kind == TD_PLACE_RELAY;
    const bool has_letter = kind != TD_PLACE_COUNT && kind != TD_PLACE_ROUTER && kind != TD_PLACE_TENSIX &&
                            kind != TD_PLACE_HARVESTED;
    if (has_letter && !is_harvested)
        td_ui_rect(ui, r->left, r->top, r->right, r->bottom, TD_C(GROUP), 0);
    if (kind != TD_PLACE_ROUTER)
        td_ui_frame_rect(ui, r->left, r->top, r->right, r->bottom, TD_C(EDGE), 0, 1);
    for (int i = 1; is_harvested && i < 6;
         i++) { /* lines from the left and lower edges to the right and upper */
        const float at = (float)i / 3;
        const float from_x = at <= 1 ? 0 : at - 1, from_y = at <= 1 ? at : 1;
        td_ui_line(ui, r->left + from_x * wide, r->top + from_y * high, r->left + from_y * wide,
                   r->top + from_x * high, td_color_alpha(TD_C(TEXT_FAINT), .6f), 1);
    }
    const char text[] = {has_letter ? td_chip_place_letter(kind) : 0, 0};
    const float text_wide = td_ui_text_width(ui, TD_FONT_SMALL, text),
                text_high = td_ui_text_height(ui, TD_FONT_SMALL);
    if (has_letter && text_wide + 1 < wide && text_high - 2 < high)
        td_ui_text(ui, TD_FONT_SMALL, r->left + (wide - text_wide) / 2, r->top + (high - text_high) / 2,
                   TD_C(TEXT_FAINT), text);
}

static void frame(struct td_view *view, const struct td_rect *r, td_rgba color, float thick)
{
    td_ui_frame_rect(view->ui, r->left - 1, r->top - 1, r->right + 1, r->bottom + 1, color, 0, thick);
}

/* Frames the tiles of the selected lane and of the row under the mouse in the timeline. */
static void draw_lights(struct td_view *view, const struct td_chip_values *s, const struct td_chip_places *m)
{
    const struct td_lane *lane = td_lanes_get(view, view->lanes.selected);
    const struct td_grid_tile *tile = lane ? td_grid_tile_of(&s->grid, &lane->facts) : NULL;
    if (tile && td_chip_is_shown(m, tile->chip)) {
        struct td_chip_corner map = td_chip_corner_of(m, tile->chip);
        struct td_rect place = td_chip_tile_place(&map, tile->x, tile->y);
        frame(view, &place, TD_C(SELECTED), TD_U(view, 1.5f));
    }
    const int node = view->hover.node;
    for (int i = node; node >= 0 && i < view->layout.nodes[node].end; i++) {
        const struct td_node *n = &view->layout.nodes[i];
        lane = n->kind == TD_NODE_TRACK ? td_lanes_get(view, n->number) : NULL;
        tile = lane ? td_grid_tile_of(&s->grid, &lane->facts) : NULL;
        if (!tile || !td_chip_is_shown(m, tile->chip))
            continue;
        struct td_chip_corner map = td_chip_corner_of(m, tile->chip);
        struct td_rect place = td_chip_tile_place(&map, tile->x, tile->y);
        frame(view, &place, TD_C(ACCENT), TD_U(view, 1.5f));
    }
}

static void draw_axes(struct td_view *view, const struct td_grid *g, size_t chip,
                      const struct td_chip_corner *map)
{
    const uint32_t columns = g->map[chip] ? g->map[chip]->width : g->width,
                   rows = g->map[chip] ? g->map[chip]->height : g->height;
    char text[16];
    float y = map->top - td_ui_text_height(view->ui, TD_FONT_SMALL) - 1;
    for (uint32_t x = 0; x < columns; x++) {
        snprintf(text, sizeof text, "%u", g->left + x);
        float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text);
        if (wide + 2 < map->tile)
            td_ui_text(view->ui, TD_FONT_SMALL, map->left + ((float)x + .5f) * map->tile - wide / 2, y,
                       TD_C(TEXT_FAINT), text);
    }
    for (uint32_t row = 0; row < rows; row++) {
        snprintf(text, sizeof text, "%u", g->top + row);
        float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text),
              high = td_ui_text_height(view->ui, TD_FONT_SMALL);
        if (high < map->tile)
            td_ui_text(view->ui, TD_FONT_SMALL, map->left - wide - TD_U(view, 4),
                       map->top + ((float)row + .5f) * map->tile - high / 2, TD_C(TEXT_FAINT), text);
    }
}

static void draw_maps(struct td_view *view, const struct td_chip_values *s, const struct td_chip_places *m)
{
    const struct td_grid *g = &s->grid;
    char text[32];
    for (size_t c = m->first; c < m->first + m->count; c++) {
        const struct td_chip_corner map = td_chip_corner_of(m, c);
        snprintf(text, sizeof text, "Chip %u", g->chip[c]);
        if (m->count > 1)
            td_ui_text_fit(view->ui, TD_FONT_SMALL, map.left, map.top - m->title + 1, m->wide - 2,
                           TD_C(TEXT_DIM), text);
        else
            draw_axes(view, g, c, &map);
        for (uint32_t y = 0; y < g->height && map.tile >= 5; y++)
            for (uint32_t x = 0; x < g->width; x++) {
                const struct td_rect place = td_chip_tile_place(&map, x, y);
                if (!td_grid_at(g, c, x, y) && (!g->map[c] || td_grid_kind(g, c, x, y) < TD_PLACE_COUNT))
                    draw_other(view, td_grid_kind(g, c, x, y), &place);
            }
    }
    for (size_t i = 0; i < g->tiles; i++) {
        const struct td_grid_tile *tile = &g->tile[i];
        if (!td_chip_is_shown(m, tile->chip))
            continue;
        const struct td_chip_corner map = td_chip_corner_of(m, tile->chip);
        const struct td_rect place = td_chip_tile_place(&map, tile->x, tile->y);
        draw_tile(view, s, tile, &place);
    }
}

void td_chip_draw(struct td_view *view, const struct td_chip_values *values, const struct td_chip_places *m)
{
    draw_maps(view, values, m);
    draw_lights(view, values, m);
}
