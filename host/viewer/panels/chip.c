/* The chips as they are: the grid of tiles, each divided into its cores, coloured by a measure. */
#include "host/viewer/panels/chip.h"
#include "host/viewer/panels/chip_values.h"
#include "host/viewer/panels/sweep.h"
#include "host/viewer/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEGEND      44
#define LASSO_SLACK 5
#define LEAST_SPLIT 9 /* pixels of a tile that is divided into cores */
#define NO_CHIP     SIZE_MAX

struct chip_panel {
    struct td_chip_values values;
    uint32_t enlarged; /* 1 + the number of the chip; 0: all are shown */
    bool pressed;      /* the button went down on the map */
    float from_x, from_y;
    struct td_sweep sweep;
};

/* Where the map of a chip is: tiles are squares of `tile` pixels. */
struct chip_map {
    float left, top, tile;
};

struct chip_maps {
    size_t first, count; /* chips that are shown */
    int columns;
    float left, top, wide, high, tile, title; /* of a map, with its gap */
};

static struct chip_panel *state_of(struct td_view *view)
{
    return td_panel_state(view, TD_PANEL_CHIP);
}

/* ---- places ---- */

/* Chooses the number of columns that makes tiles largest. */
static struct chip_maps place_maps(const struct td_view *view, const struct chip_panel *s,
                                   const struct td_rect *area)
{
    const struct td_grid *g = &s->values.grid;
    struct chip_maps m = {.first = 0, .count = g->chips, .left = area->left, .top = area->top};
    for (size_t c = 0; s->enlarged && c < g->chips; c++)
        if (g->chip[c] == s->enlarged - 1) {
            m.first = c;
            m.count = 1;
        }
    float gap = TD_U(view, m.count > 1 ? 8 : 2), title = TD_U(view, 17);
    float wide = area->right - area->left, high = area->bottom - area->top;
    m.title = title;
    for (int columns = 1; columns <= (int)m.count; columns++) {
        int rows = ((int)m.count + columns - 1) / columns;
        float tile = fminf((wide / (float)columns - gap) / (float)g->width,
                           (high / (float)rows - gap - title) / (float)g->height);
        if (tile <= m.tile)
            continue;
        m.tile = tile;
        m.columns = columns;
    }
    m.tile = fminf(m.tile >= 2 ? floorf(m.tile) : m.tile, TD_U(view, 64));
    m.wide = m.tile * (float)g->width + gap;
    m.high = m.tile * (float)g->height + gap + title;
    return m;
}

static struct chip_map map_of(const struct chip_maps *m, size_t chip)
{
    const int i = (int)(chip - m->first);
    return (struct chip_map){m->left + (float)(i % m->columns) * m->wide,
                             m->top + (float)(i / m->columns) * m->high + m->title, m->tile};
}

static bool is_shown(const struct chip_maps *m, size_t chip)
{
    return chip >= m->first && chip < m->first + m->count && m->tile > 0;
}

/* The place of the i-th of `count` cores in a tile: rows of up to three. */
static struct td_rect core_place(const struct td_rect *tile, size_t i, size_t count)
{
    const size_t columns = count < 2    ? 1
                           : count < 5  ? 2
                           : count < 10 ? 3
                                        : 8,
                 rows = (count + columns - 1) / columns;
    const size_t row = i / columns, in_row = row + 1 < rows ? columns : count - row * columns;
    const float wide = (tile->right - tile->left) / (float)in_row,
                high = (tile->bottom - tile->top) / (float)rows;
    const float left = tile->left + wide * (float)(i % columns), top = tile->top + high * (float)row;
    return (struct td_rect){roundf(left), roundf(top), roundf(left + wide), roundf(top + high)};
}

static struct td_rect tile_place(const struct chip_map *map, uint32_t x, uint32_t y)
{
    const float gap = map->tile >= 5 ? 1 : 0, left = map->left + (float)x * map->tile,
                top = map->top + (float)y * map->tile;
    return (struct td_rect){left, top, left + map->tile - gap, top + map->tile - gap};
}

static bool is_in(const struct td_rect *r, float x, float y)
{
    return x >= r->left && x < r->right && y >= r->top && y < r->bottom;
}

/* ---- drawing ---- */

static void draw_tile(struct td_view *view, const struct chip_panel *s, const struct td_grid_tile *tile,
                      const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    if (place->right - place->left < TD_U(view, LEAST_SPLIT)) {
        bool passes;
        double value = td_chip_tile_value(view, &s->values, tile, &passes);
        td_ui_rect(ui, place->left, place->top, place->right, place->bottom,
                   td_chip_color(&s->values, value, passes), 0);
        return;
    }
    for (size_t i = 0; i < tile->count; i++) {
        const uint32_t track = s->values.grid.track[tile->first + i];
        const struct td_rect core = core_place(place, i, tile->count);
        const float gap = place->right - place->left >= TD_U(view, 24) ? 1 : 0;
        td_ui_rect(ui, core.left, core.top, core.right - gap, core.bottom - gap,
                   td_chip_color(&s->values, s->values.value[track], td_lanes_passes(view, track)), 0);
    }
}

static void frame(struct td_view *view, const struct td_rect *r, td_rgba color, float thick)
{
    td_ui_frame_rect(view->ui, r->left - 1, r->top - 1, r->right + 1, r->bottom + 1, color, 0, thick);
}

/* Frames the tiles of the selected lane and of the row under the mouse in the timeline. */
static void draw_lights(struct td_view *view, const struct chip_panel *s, const struct chip_maps *m)
{
    const struct td_lane *lane = td_lanes_get(view, view->lanes.selected);
    const struct td_grid_tile *tile = lane ? td_grid_tile_of(&s->values.grid, &lane->facts) : NULL;
    if (tile && is_shown(m, tile->chip)) {
        struct chip_map map = map_of(m, tile->chip);
        struct td_rect place = tile_place(&map, tile->x, tile->y);
        frame(view, &place, TD_C(SELECTED), TD_U(view, 1.5f));
    }
    const int node = view->hover_node;
    for (int i = node; node >= 0 && i < view->layout.nodes[node].end; i++) {
        const struct td_node *n = &view->layout.nodes[i];
        lane = n->kind == TD_NODE_TRACK ? td_lanes_get(view, n->number) : NULL;
        tile = lane ? td_grid_tile_of(&s->values.grid, &lane->facts) : NULL;
        if (!tile || !is_shown(m, tile->chip))
            continue;
        struct chip_map map = map_of(m, tile->chip);
        struct td_rect place = tile_place(&map, tile->x, tile->y);
        frame(view, &place, TD_C(ACCENT), TD_U(view, 1.5f));
    }
}

static void draw_axes(struct td_view *view, const struct td_grid *g, const struct chip_map *map)
{
    char text[16];
    float y = map->top - td_ui_text_height(view->ui, TD_FONT_SMALL) - 1;
    for (uint32_t x = 0; x < g->width; x++) {
        snprintf(text, sizeof text, "%u", g->left + x);
        float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text);
        if (wide + 2 < map->tile)
            td_ui_text(view->ui, TD_FONT_SMALL, map->left + ((float)x + .5f) * map->tile - wide / 2, y,
                       TD_C(TEXT_FAINT), text);
    }
    for (uint32_t row = 0; row < g->height; row++) {
        snprintf(text, sizeof text, "%u", g->top + row);
        float wide = td_ui_text_width(view->ui, TD_FONT_SMALL, text),
              high = td_ui_text_height(view->ui, TD_FONT_SMALL);
        if (high < map->tile)
            td_ui_text(view->ui, TD_FONT_SMALL, map->left - wide - TD_U(view, 4),
                       map->top + ((float)row + .5f) * map->tile - high / 2, TD_C(TEXT_FAINT), text);
    }
}

static void draw_maps(struct td_view *view, const struct chip_panel *s, const struct chip_maps *m)
{
    const struct td_grid *g = &s->values.grid;
    char text[32];
    for (size_t c = m->first; c < m->first + m->count; c++) {
        const struct chip_map map = map_of(m, c);
        snprintf(text, sizeof text, "Chip %u", g->chip[c]);
        if (m->count > 1)
            td_ui_text_fit(view->ui, TD_FONT_SMALL, map.left, map.top - m->title + 1, m->wide - 2,
                           TD_C(TEXT_DIM), text);
        else
            draw_axes(view, g, &map);
        for (uint32_t y = 0; y < g->height && map.tile >= 5; y++)
            for (uint32_t x = 0; x < g->width; x++) {
                struct td_rect place = tile_place(&map, x, y);
                if (!td_grid_at(g, c, x, y))
                    td_ui_frame_rect(view->ui, place.left, place.top, place.right, place.bottom, TD_C(EDGE),
                                     0, 1);
            }
    }
    for (size_t i = 0; i < g->tiles; i++) {
        const struct td_grid_tile *tile = &g->tile[i];
        if (!is_shown(m, tile->chip))
            continue;
        const struct chip_map map = map_of(m, tile->chip);
        const struct td_rect place = tile_place(&map, tile->x, tile->y);
        draw_tile(view, s, tile, &place);
    }
}

static void draw_legend(struct td_view *view, const struct chip_panel *s, const struct td_rect *area)
{
    struct td_ui *ui = view->ui;
    char low[TD_FORMAT_BYTES], high[TD_FORMAT_BYTES];
    const int steps = 48;
    float wide = (area->right - area->left) / (float)steps, top = area->top + TD_U(view, 6),
          bar = TD_U(view, 9);
    for (int i = 0; i < steps; i++)
        td_ui_rect(ui, area->left + wide * (float)i, top, area->left + wide * (float)(i + 1), top + bar,
                   td_chip_scale_color(s->values.measure, (double)i / (steps - 1)), 0);
    float y = top + bar + TD_U(view, 3);
    if (s->values.high < s->values.low || !s->values.grid.tracks)
        return;
    td_chip_value_text(view, s->values.measure, s->values.low, low);
    td_chip_value_text(view, s->values.measure, s->values.high, high);
    td_ui_text(ui, TD_FONT_SMALL, area->left, y, TD_C(TEXT_DIM), low);
    td_ui_text(ui, TD_FONT_SMALL, area->right - td_ui_text_width(ui, TD_FONT_SMALL, high), y, TD_C(TEXT_DIM),
               high);
    const char *note = td_chip_measure_note(&s->values);
    float left = area->left + td_ui_text_width(ui, TD_FONT_SMALL, low) + TD_U(view, 10);
    float room = area->right - td_ui_text_width(ui, TD_FONT_SMALL, high) - TD_U(view, 10) - left;
    td_ui_text_fit(ui, TD_FONT_SMALL, left, y, room, TD_C(TEXT_FAINT), note);
}

/* ---- tools ---- */

static void draw_measures(struct td_view *view, struct chip_panel *s, float left, float right, float *y)
{
    struct td_ui *ui = view->ui;
    float high = TD_U(view, 23), x = left, text = (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    for (int i = 0; i < TD_MEASURE_COUNT; i++) {
        float wide = td_ui_text_width(ui, TD_FONT_SMALL, td_chip_measure_name((enum td_chip_measure)i)) +
                     TD_U(view, 12);
        bool hovered, chosen = (int)s->values.measure == i;
        if (x + wide > right && x > left) {
            x = left;
            *y += high + 1;
        }
        if (td_ui_click_area(ui, td_chip_measure_name((enum td_chip_measure)i), x, *y, wide, high, &hovered))
            s->values.measure = (enum td_chip_measure)i;
        if (chosen)
            td_ui_rect(ui, x, *y, x + wide, *y + high, 0xff39424f, TD_U(view, 3));
        td_ui_text(ui, TD_FONT_SMALL, x + TD_U(view, 6), *y + text,
                   chosen || hovered ? TD_C(TEXT) : TD_C(TEXT_FAINT),
                   td_chip_measure_name((enum td_chip_measure)i));
        x += wide;
    }
    *y += high + TD_U(view, 3);
}

static void toggle_sweep(struct td_view *view, struct chip_panel *s)
{
    if (s->sweep.running)
        td_sweep_stop(view, &s->sweep);
    else
        td_sweep_start(view, &s->sweep, TD_SWEEP_STEPS);
}

int td_chip_sweep(struct td_view *view, const char *steps, struct td_err *err)
{
    struct chip_panel *s = state_of(view);
    char *end;
    if (steps && !strcmp(steps, "stop")) {
        td_sweep_stop(view, &s->sweep);
        return 0;
    }
    const long count = steps ? strtol(steps, &end, 10) : TD_SWEEP_STEPS;
    if (steps && (end == steps || *end || count < 1 || count > TD_SWEEP_STEPS_MOST))
        return td_fail(err, TD_E_USAGE, "'%.80s' is neither a number of steps from 1 to %d nor 'stop'", steps,
                       TD_SWEEP_STEPS_MOST);
    td_panel_set_open(view, TD_PANEL_CHIP, true);
    td_sweep_start(view, &s->sweep, (int)count);
    return 0;
}

/* The button, and which step is shown; returns where the next control begins. */
static float draw_sweep(struct td_view *view, struct chip_panel *s, float left, float right, float y)
{
    const float high = TD_U(view, 23), wide = TD_U(view, 52);
    char text[40];
    if (left + wide > right)
        return left;
    if (td_ui_button(view->ui, s->sweep.running ? "Stop##sweep" : "Play##sweep", left, y, wide, high))
        toggle_sweep(view, s);
    left += wide + TD_U(view, 8);
    if (!s->sweep.running)
        return left;
    snprintf(text, sizeof text, "%d of %d", s->sweep.step + 1, s->sweep.steps);
    return left +
           td_ui_text_fit(view->ui, TD_FONT_SMALL, left, y + TD_U(view, 5), right - left, TD_C(TEXT), text) +
           TD_U(view, 8);
}

/* Draws the controls; returns the y below them. */
static float draw_tools(struct td_view *view, struct chip_panel *s, const struct td_rect *place)
{
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float left = place->left + pad, right = place->right - pad;
    draw_measures(view, s, left, right, &y);
    float limits = td_draw_limits(view, right, y, high) - pad;
    left = draw_sweep(view, s, left, limits, y);
    if (s->enlarged && s->values.grid.chips > 1) {
        float wide = fminf(TD_U(view, 86), limits - left);
        if (wide > TD_U(view, 40) && td_ui_button(view->ui, "All chips", left, y, wide, high))
            s->enlarged = 0;
        char text[24];
        snprintf(text, sizeof text, "Chip %u", s->enlarged ? s->enlarged - 1 : 0);
        const float x = left + wide + pad;
        if (s->enlarged)
            td_ui_text_fit(view->ui, TD_FONT_SMALL, x, y + TD_U(view, 5), limits - x, TD_C(TEXT), text);
    } else if (!s->sweep.running && td_view_sums_progress(view) >= 0) {
        td_ui_text_fit(view->ui, TD_FONT_SMALL, left, y + TD_U(view, 5), limits - left, TD_C(TEXT_FAINT),
                       "counting ...");
    }
    y += high + TD_U(view, 5);
    left = place->left + pad;
    td_draw_lane_filter(view, "##chip filter", left, y, right - left, high, false);
    return y + high + TD_U(view, 8);
}

/* ---- mouse ---- */

static size_t chip_at(const struct chip_panel *s, const struct chip_maps *m, float x, float y)
{
    for (size_t c = m->first; c < m->first + m->count && m->tile > 0; c++) {
        const struct chip_map map = map_of(m, c);
        const struct td_rect all = {map.left, map.top - m->title,
                                    map.left + m->tile * (float)s->values.grid.width,
                                    map.top + m->tile * (float)s->values.grid.height};
        if (is_in(&all, x, y))
            return c;
    }
    return NO_CHIP;
}

static const struct td_grid_tile *tile_at(const struct chip_panel *s, const struct chip_maps *m, float x,
                                          float y, uint32_t *track)
{
    const size_t chip = chip_at(s, m, x, y);
    *track = TD_NO_LANE;
    if (chip == NO_CHIP)
        return NULL;
    const struct chip_map map = map_of(m, chip);
    if (y < map.top)
        return NULL;
    const struct td_grid_tile *tile = td_grid_at(&s->values.grid, chip, (uint32_t)((x - map.left) / m->tile),
                                                 (uint32_t)((y - map.top) / m->tile));
    if (!tile)
        return NULL;
    const struct td_rect place = tile_place(&map, tile->x, tile->y);
    *track = s->values.grid.track[tile->first];
    for (size_t i = 0; place.right - place.left >= 1 && i < tile->count; i++) {
        const struct td_rect core = core_place(&place, i, tile->count);
        if (is_in(&core, x, y))
            *track = s->values.grid.track[tile->first + i];
    }
    return tile;
}

static void set_tip(struct td_view *view, const struct chip_panel *s, uint32_t track)
{
    const struct td_lane *lane = td_lanes_get(view, track);
    char name[TD_LANE_NAME_BYTES], number[4][TD_FORMAT_BYTES], found[80] = "";
    if (!lane)
        return;
    if (s->values.measure == TD_MEASURE_NAMED && *s->values.named)
        snprintf(found, sizeof found, "%.40s\t%.2f %%\n", s->values.named, s->values.value[track] * 100);
    td_chip_value_text(view, TD_MEASURE_END, lane->sum.zones ? (double)lane->sum.last_ns : 0, number[0]);
    td_tip(view, td_lanes_name(view, track, name),
           "kernel\t%.60s\nbusy\t%.1f %%\nwaiting\t%.1f %%\nlost, stalled\t%.2f "
           "%%\nzones\t%s\nlongest\t%s\nend\t%s\n%s",
           *lane->facts.kernel ? lane->facts.kernel : "-", lane->facts.busy * 100, lane->facts.wait * 100,
           lane->facts.lost * 100, td_format_count(number[1], lane->sum.zones),
           td_format_ns(number[2], lane->facts.longest_ns), number[0], found);
}

/* The tiles of a chip's map in the lasso, as an expression; "": none. */
static void name_tiles(const struct chip_panel *s, const struct chip_maps *m, size_t chip,
                       const struct td_rect *lasso, char *text, size_t bytes)
{
    const struct td_grid *g = &s->values.grid;
    const struct chip_map map = map_of(m, chip);
    float x0 = fmaxf((lasso->left - map.left) / m->tile, 0), y0 = fmaxf((lasso->top - map.top) / m->tile, 0);
    float x1 = fminf((lasso->right - map.left) / m->tile, (float)g->width - .5f);
    float y1 = fminf((lasso->bottom - map.top) / m->tile, (float)g->height - .5f);
    *text = 0;
    if (x0 >= (float)g->width || y0 >= (float)g->height || x1 < 0 || y1 < 0 || x0 > x1 || y0 > y1)
        return;
    const unsigned left = g->left + (unsigned)x0, right = g->left + (unsigned)x1;
    const unsigned top = g->top + (unsigned)y0, bottom = g->top + (unsigned)y1;
    const bool whole = left == g->left && top == g->top && right == g->left + g->width - 1 &&
                       bottom == g->top + g->height - 1;
    if (whole)
        snprintf(text, bytes, "chip %u", g->chip[chip]);
    else
        snprintf(text, bytes, "chip %u tile %u-%u,%u-%u", g->chip[chip], left, right, top, bottom);
}

/* Sets the filter to the tiles in the lasso, or adds them. Parts for which it has no room are left out. */
static void take_lasso(struct td_view *view, const struct chip_panel *s, const struct chip_maps *m,
                       const struct td_rect *lasso, bool add)
{
    char text[TD_LANE_FILTER_BYTES] = "", part[64];
    if (add && view->lanes.filter.count)
        snprintf(text, sizeof text, "%.150s", view->lanes.filter.text);
    for (size_t c = m->first; c < m->first + m->count; c++) {
        name_tiles(s, m, c, lasso, part, sizeof part);
        size_t used = strlen(text);
        if (*part && used + strlen(part) + 5 < sizeof text)
            snprintf(text + used, sizeof text - used, "%s%s", used ? " or " : "", part);
    }
    if (*text)
        td_lanes_set_filter(view, text);
}

static void click_map(struct td_view *view, struct chip_panel *s, const struct chip_maps *m, float x, float y)
{
    uint32_t track;
    const struct td_grid_tile *tile = tile_at(s, m, x, y, &track);
    const size_t chip = chip_at(s, m, x, y);
    if (tile)
        td_lanes_go(view, track);
    else if (chip != NO_CHIP && m->count > 1)
        s->enlarged = 1 + s->values.grid.chip[chip];
}

static void take_mouse(struct td_view *view, struct chip_panel *s, const struct chip_maps *m,
                       const struct td_rect *area)
{
    struct td_ui *ui = view->ui;
    const float x = td_ui_mouse_x(ui), y = td_ui_mouse_y(ui);
    const bool inside =
        is_in(area, x, y) && td_ui_region_hovered(ui) && !td_region_of(view, TD_PANEL_CHIP)->dragged;
    uint32_t track;
    if (inside && td_ui_mouse_pressed(ui, TD_MOUSE_LEFT)) {
        s->pressed = true;
        s->from_x = x;
        s->from_y = y;
    }
    const bool moved = fabsf(x - s->from_x) + fabsf(y - s->from_y) > TD_U(view, LASSO_SLACK);
    const struct td_rect lasso = {fminf(x, s->from_x), fminf(y, s->from_y), fmaxf(x, s->from_x),
                                  fmaxf(y, s->from_y)};
    if (s->pressed && moved) {
        td_ui_rect(ui, lasso.left, lasso.top, lasso.right, lasso.bottom, td_color_alpha(TD_C(ACCENT), .2f),
                   0);
        td_ui_frame_rect(ui, lasso.left, lasso.top, lasso.right, lasso.bottom, TD_C(ACCENT), 0, 1);
    } else if (inside && tile_at(s, m, x, y, &track)) {
        view->lanes.lit = track;
        set_tip(view, s, track);
    }
    if (!s->pressed || td_ui_mouse_down(ui, TD_MOUSE_LEFT))
        return;
    s->pressed = false;
    if (moved)
        take_lasso(view, s, m, &lasso, td_ui_shift(ui));
    else if (inside)
        click_map(view, s, m, x, y);
}

/* ---- the panel ---- */

static void draw_chip(struct td_view *view, const struct td_rect *place)
{
    struct chip_panel *s = state_of(view);
    td_sweep_update(view, &s->sweep);
    td_chip_values_update(view, &s->values);
    float top = draw_tools(view, s, place), pad = TD_U(view, 10);
    const float axis = s->enlarged || s->values.grid.chips == 1 ? TD_U(view, 14) : 0;
    struct td_rect area = {place->left + pad + axis, top, place->right - pad,
                           place->bottom - TD_U(view, LEGEND)};
    const struct td_rect legend = {place->left + pad, area.bottom, place->right - pad, place->bottom};
    if (!s->values.grid.tracks) {
        td_ui_text_fit(view->ui, TD_FONT_TEXT, area.left, area.top, area.right - area.left, TD_C(TEXT_FAINT),
                       "There are no device cores in this trace.");
        return;
    }
    if (area.bottom <= area.top || area.right <= area.left || !s->values.value)
        return;
    const struct chip_maps maps = place_maps(view, s, &area);
    if (maps.tile <= 0)
        return;
    draw_maps(view, s, &maps);
    draw_lights(view, s, &maps);
    draw_legend(view, s, &legend);
    take_mouse(view, s, &maps, &area);
}

/* The next tile in that direction; cores keep their number. */
static void step_tile(struct td_view *view, const struct chip_panel *s, int dx, int dy)
{
    const struct td_lane *lane = td_lanes_get(view, view->lanes.selected);
    const struct td_grid_tile *tile = lane ? td_grid_tile_of(&s->values.grid, &lane->facts) : NULL;
    const struct td_grid *g = &s->values.grid;
    if (!tile && g->tracks)
        td_lanes_go(view, g->track[0]);
    if (!tile)
        return;
    size_t core = 0;
    while (core < tile->count && g->track[tile->first + core] != view->lanes.selected)
        core++;
    for (int x = (int)tile->x + dx, y = (int)tile->y + dy;
         x >= 0 && y >= 0 && x < (int)g->width && y < (int)g->height; x += dx, y += dy) {
        const struct td_grid_tile *next = td_grid_at(g, tile->chip, (uint32_t)x, (uint32_t)y);
        if (next) {
            td_lanes_go(view, g->track[next->first + (core < next->count ? core : 0)]);
            return;
        }
    }
}

static bool take_chip_key(struct td_view *view, const struct td_key_press *press)
{
    struct chip_panel *s = state_of(view);
    const struct td_lane *lane = td_lanes_get(view, view->lanes.selected);
    if (!td_panel_has_keys(view, TD_PANEL_CHIP) || td_panel_is_open(view, TD_PANEL_GROUPING))
        return false;
    if (press->key >= '1' && press->key < '1' + TD_MEASURE_COUNT) {
        s->values.measure = (enum td_chip_measure)(press->key - '1');
        return true;
    }
    switch (press->key) {
    case ' ':
        toggle_sweep(view, s);
        return true;
    case TD_KEY_LEFT:
        step_tile(view, s, -1, 0);
        return true;
    case TD_KEY_RIGHT:
        step_tile(view, s, 1, 0);
        return true;
    case TD_KEY_UP:
        step_tile(view, s, 0, -1);
        return true;
    case TD_KEY_DOWN:
        step_tile(view, s, 0, 1);
        return true;
    case TD_KEY_ENTER:
        s->enlarged = s->enlarged || !lane || !lane->facts.is_core ? 0 : 1 + lane->facts.chip;
        return true;
    default:
        return false;
    }
}

static void free_chip(struct td_view *view)
{
    td_chip_values_free(&state_of(view)->values);
}

static const struct td_help_line chip_help[] = {
    {"B", "the chips, coloured by a measure of the range"},
    {"1 to 7 in Chips", "the measure"},
    {"Drag in Chips, with Shift", "filter the lanes of these tiles, add them"},
    {"Space in Chips", "plays the marked range in steps, stops"},
    {"Arrows, Enter in Chips", "next tile, enlarge its chip"},
    {0},
};

const struct td_panel td_panel_chip = {
    .name = "chip",
    .dock = TD_DOCK_LEFT,
    .title = "Chips",
    .keys = {{'b', false}},
    .help = chip_help,
    .state_bytes = sizeof(struct chip_panel),
    .draw = draw_chip,
    .free_state = free_chip,
    .take_key = take_chip_key,
};
