#include "host/query/ops/grid.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"

#include <stdlib.h>

/* A core, with the place of its tile. */
struct placed_core {
    uint64_t rank;
    uint32_t track, x, y;
};

/* What places are made from. */
struct placing {
    const struct td_lane_table *table;
    const struct td_chip_maps *maps;
    bool *lacking; /* of each map: it lacks a tile of the chip */
};

TD_COMPARE(compare_cores, struct placed_core, TD_UP(rank) TD_UP(track))

/* The map by which the chip's tiles are placed. */
static const struct td_chip_map *map_of(const struct placing *p, uint32_t chip)
{
    const struct td_chip_map *map = p->maps ? td_chip_maps_get(p->maps, chip) : NULL;
    return map && !p->lacking[map - p->maps->map] ? map : NULL;
}

static void find_lacking(const struct placing *p)
{
    for (uint32_t t = 0; p->maps && t < p->table->tracks; t++) {
        const struct td_lane_facts *f = &p->table->lane[t].facts;
        const struct td_chip_map *map = f->is_core ? td_chip_maps_get(p->maps, f->chip) : NULL;
        if (map && (f->x >= map->columns || f->y >= map->rows))
            p->lacking[map - p->maps->map] = true;
    }
}

static struct placed_core place_core(const struct placing *p, uint32_t track)
{
    const struct td_lane_facts *f = &p->table->lane[track].facts;
    const struct td_chip_map *map = map_of(p, f->chip);
    struct placed_core core = {.track = track, .x = f->x, .y = f->y};
    if (map) {
        core.x = map->column_x[f->x];
        core.y = map->row_y[f->y];
    }
    core.rank = (uint64_t)f->chip << 40 | (uint64_t)core.y << 24 | (uint64_t)core.x << 8 | (f->core & 255);
    return core;
}

/* The corner and the size of the grid. */
static void measure(struct td_grid *grid, const struct placing *p, const struct placed_core *cores,
                    uint32_t width, uint32_t height)
{
    uint32_t right = 0, bottom = 0;
    bool is_mapped = false;
    grid->left = grid->top = UINT32_MAX;
    for (size_t i = 0; i < grid->tracks; i++) {
        const struct td_chip_map *map = map_of(p, p->table->lane[cores[i].track].facts.chip);
        grid->left = cores[i].x < grid->left ? cores[i].x : grid->left;
        grid->top = cores[i].y < grid->top ? cores[i].y : grid->top;
        right = cores[i].x > right ? cores[i].x : right;
        bottom = cores[i].y > bottom ? cores[i].y : bottom;
        if (!map)
            continue;
        is_mapped = true;
        right = map->width - 1 > right ? map->width - 1 : right;
        bottom = map->height - 1 > bottom ? map->height - 1 : bottom;
    }
    if (is_mapped) {
        grid->left = grid->top = 0;
    } else if (right < width && bottom < height) {
        grid->left = grid->top = 0;
        right = width - 1;
        bottom = height - 1;
    }
    grid->width = right - grid->left + 1;
    grid->height = bottom - grid->top + 1;
}

static void divide(struct td_grid *grid, const struct placing *p, const struct placed_core *cores)
{
    for (size_t i = 0; i < grid->tracks; i++) {
        const struct td_lane_facts *f = &p->table->lane[cores[i].track].facts;
        const uint32_t x = cores[i].x - grid->left, y = cores[i].y - grid->top;
        if (!grid->chips || grid->chip[grid->chips - 1] != f->chip) {
            grid->map[grid->chips] = map_of(p, f->chip);
            grid->chip[grid->chips++] = f->chip;
        }
        const uint32_t chip = (uint32_t)grid->chips - 1;
        struct td_grid_tile *last = grid->tiles ? &grid->tile[grid->tiles - 1] : NULL;
        if (!last || last->chip != chip || last->x != x || last->y != y) {
            last = &grid->tile[grid->tiles++];
            *last = (struct td_grid_tile){.chip = chip, .x = x, .y = y, .first = i};
        }
        last->count++;
        grid->cores = last->count > grid->cores ? last->count : grid->cores;
        grid->track[i] = cores[i].track;
    }
}

int td_grid_make(struct td_grid *grid, const struct td_lane_table *table, uint32_t width, uint32_t height,
                 const struct td_chip_maps *maps)
{
    td_grid_free(grid);
    const size_t room = (size_t)table->tracks + 1;
    struct placed_core *cores = malloc(room * sizeof *cores);
    struct placing placing = {table, maps, calloc((maps ? maps->count : 0) + 1, sizeof(bool))};
    grid->track = malloc(room * sizeof *grid->track);
    grid->tile = malloc(room * sizeof *grid->tile);
    grid->chip = malloc(room * sizeof *grid->chip);
    grid->map = malloc(room * sizeof *grid->map);
    const bool has_room = cores && placing.lacking && grid->track && grid->tile && grid->chip && grid->map;
    if (has_room)
        find_lacking(&placing);
    for (uint32_t t = 0; has_room && t < table->tracks; t++)
        if (table->lane[t].facts.is_core && table->lane[t].has_zones)
            cores[grid->tracks++] = place_core(&placing, t);
    if (has_room && grid->tracks) {
        qsort(cores, grid->tracks, sizeof *cores, compare_cores);
        measure(grid, &placing, cores, width, height);
        divide(grid, &placing, cores);
    }
    if (!has_room)
        td_grid_free(grid);
    free(placing.lacking);
    free(cores);
    return has_room ? 0 : TD_E_NOMEM;
}

void td_grid_free(struct td_grid *grid)
{
    free(grid->track);
    free(grid->tile);
    free(grid->chip);
    free(grid->map);
    *grid = (struct td_grid){0};
}

const struct td_grid_tile *td_grid_at(const struct td_grid *grid, size_t chip, uint32_t x, uint32_t y)
{
    size_t low = 0, high = grid->tiles;
    const struct td_grid_tile *t;
    TD_BISECT(low, high, i,
              (t = &grid->tile[i], t->chip != chip ? t->chip < chip
                                   : t->y != y     ? t->y < y
                                                   : t->x < x));
    t = low < grid->tiles ? &grid->tile[low] : NULL;
    return t && t->chip == chip && t->x == x && t->y == y ? t : NULL;
}

const struct td_grid_tile *td_grid_tile_of(const struct td_grid *grid, const struct td_lane_facts *lane)
{
    for (size_t c = 0; lane->is_core && c < grid->chips; c++) {
        const struct td_chip_map *map = grid->map[c];
        if (grid->chip[c] != lane->chip)
            continue;
        if (!map)
            return td_grid_at(grid, c, lane->x - grid->left, lane->y - grid->top);
        return lane->x < map->columns && lane->y < map->rows
                   ? td_grid_at(grid, c, map->column_x[lane->x], map->row_y[lane->y])
                   : NULL;
    }
    return NULL;
}

enum td_chip_place td_grid_kind(const struct td_grid *grid, size_t chip, uint32_t x, uint32_t y)
{
    const struct td_chip_map *map = chip < grid->chips ? grid->map[chip] : NULL;
    return map && x < map->width && y < map->height ? (enum td_chip_place)map->place[y][x] : TD_PLACE_COUNT;
}
