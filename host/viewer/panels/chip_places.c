#include "host/viewer/panels/chip_places.h"
#include "host/viewer/timeline/lanes.h"

#include <math.h>

/* Chooses the number of columns that makes tiles largest. */
struct td_chip_places td_chip_places_make(float scale, const struct td_grid *g, uint32_t enlarged,
                                          const struct td_rect *area)
{
    struct td_chip_places m = {.first = 0, .count = g->chips, .left = area->left, .top = area->top};
    for (size_t c = 0; enlarged && c < g->chips; c++)
        if (g->chip[c] == enlarged - 1) {
            m.first = c;
            m.count = 1;
        }
    float gap = (m.count > 1 ? 8 : 2) * scale, title = 17 * scale;
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
    m.tile = fminf(m.tile >= 2 ? floorf(m.tile) : m.tile, 64 * scale);
    m.wide = m.tile * (float)g->width + gap;
    m.high = m.tile * (float)g->height + gap + title;
    return m;
}

struct td_chip_corner td_chip_corner_of(const struct td_chip_places *m, size_t chip)
{
    const int i = (int)(chip - m->first);
    return (struct td_chip_corner){m->left + (float)(i % m->columns) * m->wide,
                                   m->top + (float)(i / m->columns) * m->high + m->title, m->tile};
}

bool td_chip_is_shown(const struct td_chip_places *m, size_t chip)
{
    return chip >= m->first && chip < m->first + m->count && m->tile > 0;
}

/* The place of the i-th of `count` cores in a tile: rows of up to three. */
struct td_rect td_chip_core_place(const struct td_rect *tile, size_t i, size_t count)
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

struct td_rect td_chip_tile_place(const struct td_chip_corner *map, uint32_t x, uint32_t y)
{
    const float gap = map->tile >= 5 ? 1 : 0, left = map->left + (float)x * map->tile,
                top = map->top + (float)y * map->tile;
    return (struct td_rect){left, top, left + map->tile - gap, top + map->tile - gap};
}

static bool is_in_rect(const struct td_rect *r, float x, float y)
{
    return x >= r->left && x < r->right && y >= r->top && y < r->bottom;
}

size_t td_chip_at(const struct td_grid *grid, const struct td_chip_places *m, float x, float y)
{
    for (size_t c = m->first; c < m->first + m->count && m->tile > 0; c++) {
        const struct td_chip_corner map = td_chip_corner_of(m, c);
        const struct td_rect all = {map.left, map.top - m->title, map.left + m->tile * (float)grid->width,
                                    map.top + m->tile * (float)grid->height};
        if (is_in_rect(&all, x, y))
            return c;
    }
    return TD_CHIP_NONE;
}

bool td_chip_grid_at(const struct td_grid *grid, const struct td_chip_places *m, float x, float y,
                     size_t *chip, uint32_t *at_x, uint32_t *at_y)
{
    *chip = td_chip_at(grid, m, x, y);
    if (*chip == TD_CHIP_NONE)
        return false;
    const struct td_chip_corner corner = td_chip_corner_of(m, *chip);
    if (y < corner.top)
        return false;
    *at_x = (uint32_t)((x - corner.left) / m->tile);
    *at_y = (uint32_t)((y - corner.top) / m->tile);
    return true;
}

const struct td_grid_tile *td_chip_tile_at(const struct td_grid *grid, const struct td_chip_places *m,
                                           float x, float y, uint32_t *track)
{
    size_t chip;
    uint32_t at_x, at_y;
    *track = TD_NO_LANE;
    const struct td_grid_tile *tile =
        td_chip_grid_at(grid, m, x, y, &chip, &at_x, &at_y) ? td_grid_at(grid, chip, at_x, at_y) : NULL;
    if (!tile)
        return NULL;
    const struct td_chip_corner corner = td_chip_corner_of(m, chip);
    const struct td_rect place = td_chip_tile_place(&corner, tile->x, tile->y);
    *track = grid->track[tile->first];
    for (size_t i = 0; place.right - place.left >= 1 && i < tile->count; i++) {
        const struct td_rect core = td_chip_core_place(&place, i, tile->count);
        if (is_in_rect(&core, x, y))
            *track = grid->track[tile->first + i];
    }
    return tile;
}
