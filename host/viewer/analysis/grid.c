#include "host/viewer/analysis/grid.h"

#include <stdlib.h>

static uint64_t place_of(const struct td_lane_facts *f)
{
    return (uint64_t)f->chip << 40 | (uint64_t)f->y << 24 | (uint64_t)f->x << 8 | (f->core & 255);
}

static int compare_places(const void *a, const void *b, void *self)
{
    const struct td_lane_table *table = self;
    const uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    uint64_t p = place_of(&table->lane[m].facts), q = place_of(&table->lane[n].facts);
    return p != q ? (p < q ? -1 : 1) : m < n ? -1 : m > n;
}

static void measure(struct td_grid *grid, const struct td_lane_table *table, uint32_t width, uint32_t height)
{
    uint32_t right = 0, bottom = 0;
    grid->left = grid->top = UINT32_MAX;
    for (size_t i = 0; i < grid->tracks; i++) {
        const struct td_lane_facts *f = &table->lane[grid->track[i]].facts;
        grid->left = f->x < grid->left ? f->x : grid->left;
        grid->top = f->y < grid->top ? f->y : grid->top;
        right = f->x > right ? f->x : right;
        bottom = f->y > bottom ? f->y : bottom;
    }
    if (right < width && bottom < height) {
        grid->left = grid->top = 0;
        right = width - 1;
        bottom = height - 1;
    }
    grid->width = right - grid->left + 1;
    grid->height = bottom - grid->top + 1;
}

static void divide(struct td_grid *grid, const struct td_lane_table *table)
{
    for (size_t i = 0; i < grid->tracks; i++) {
        const struct td_lane_facts *f = &table->lane[grid->track[i]].facts;
        const uint32_t x = f->x - grid->left, y = f->y - grid->top;
        if (!grid->chips || grid->chip[grid->chips - 1] != f->chip)
            grid->chip[grid->chips++] = f->chip;
        const uint32_t chip = (uint32_t)grid->chips - 1;
        struct td_grid_tile *last = grid->tiles ? &grid->tile[grid->tiles - 1] : NULL;
        if (!last || last->chip != chip || last->x != x || last->y != y) {
            last = &grid->tile[grid->tiles++];
            *last = (struct td_grid_tile){.chip = chip, .x = x, .y = y, .first = i};
        }
        last->count++;
        grid->cores = last->count > grid->cores ? last->count : grid->cores;
    }
}

int td_grid_make(struct td_grid *grid, const struct td_lane_table *table, uint32_t width, uint32_t height)
{
    td_grid_free(grid);
    const size_t room = (size_t)table->tracks + 1;
    grid->track = malloc(room * sizeof *grid->track);
    grid->tile = malloc(room * sizeof *grid->tile);
    grid->chip = malloc(room * sizeof *grid->chip);
    if (!grid->track || !grid->tile || !grid->chip) {
        td_grid_free(grid);
        return TD_E_NOMEM;
    }
    for (uint32_t t = 0; t < table->tracks; t++)
        if (table->lane[t].facts.is_core && table->lane[t].has_zones)
            grid->track[grid->tracks++] = t;
    if (!grid->tracks)
        return 0;
    qsort_r(grid->track, grid->tracks, sizeof *grid->track, compare_places, (void *)table);
    measure(grid, table, width, height);
    divide(grid, table);
    return 0;
}

void td_grid_free(struct td_grid *grid)
{
    free(grid->track);
    free(grid->tile);
    free(grid->chip);
    *grid = (struct td_grid){0};
}

const struct td_grid_tile *td_grid_at(const struct td_grid *grid, size_t chip, uint32_t x, uint32_t y)
{
    size_t low = 0, high = grid->tiles;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct td_grid_tile *t = &grid->tile[middle];
        if (t->chip != chip ? t->chip < chip : t->y != y ? t->y < y : t->x < x)
            low = middle + 1;
        else
            high = middle;
    }
    const struct td_grid_tile *t = low < grid->tiles ? &grid->tile[low] : NULL;
    return t && t->chip == chip && t->x == x && t->y == y ? t : NULL;
}

const struct td_grid_tile *td_grid_tile_of(const struct td_grid *grid, const struct td_lane_facts *lane)
{
    for (size_t c = 0; lane->is_core && c < grid->chips; c++)
        if (grid->chip[c] == lane->chip)
            return td_grid_at(grid, c, lane->x - grid->left, lane->y - grid->top);
    return NULL;
}
