/* Areas of the grid as filters of lanes, which have logical coordinates. */
#include "host/query/ops/grid.h"

#include <stdio.h>
#include <string.h>

/* Logical columns or rows that follow each other. */
struct logical_run {
    uint32_t first, last;
};

bool td_grid_logical(const struct td_grid *grid, size_t chip, uint32_t *x, uint32_t *y)
{
    const struct td_chip_map *map = grid->map[chip];
    uint32_t column = 0, row = 0;
    if (!map) {
        *x += grid->left;
        *y += grid->top;
        return true;
    }
    while (column < map->columns && map->column_x[column] != *x)
        column++;
    while (row < map->rows && map->row_y[row] != *y)
        row++;
    if (column == map->columns || row == map->rows)
        return false;
    *x = column;
    *y = row;
    return true;
}

/* The runs of logical numbers whose places are from first to last. Returns how many there are. */
static size_t find_runs(const uint8_t *places, uint32_t count, uint32_t first, uint32_t last,
                        struct logical_run runs[TD_CHIP_MAP_SIZE])
{
    size_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] < first || places[i] > last)
            continue;
        if (!found || runs[found - 1].last + 1 != i)
            runs[found++].first = i;
        runs[found - 1].last = i;
    }
    return found;
}

static void add_part(char *text, size_t bytes, const char *part)
{
    const size_t used = strlen(text);
    if (used + strlen(part) + 5 < bytes)
        snprintf(text + used, bytes - used, "%s%s", used ? " or " : "", part);
}

static bool has_all(const struct logical_run *runs, size_t count, uint32_t numbers)
{
    return count == 1 && runs->first == 0 && runs->last == numbers - 1;
}

static void add_tiles(const struct td_grid *g, size_t chip, const struct logical_run *x,
                      const struct logical_run *y, char *text, size_t bytes)
{
    char part[80];
    snprintf(part, sizeof part, "chip %u tile %u-%u,%u-%u", g->chip[chip], x->first, x->last, y->first,
             y->last);
    add_part(text, bytes, part);
}

static void add_chip(const struct td_grid *g, size_t chip, char *text, size_t bytes)
{
    char part[80];
    snprintf(part, sizeof part, "chip %u", g->chip[chip]);
    add_part(text, bytes, part);
}

void td_grid_name_area(const struct td_grid *grid, size_t chip, const struct td_grid_area *area, char *text,
                       size_t bytes)
{
    const struct td_chip_map *map = grid->map[chip];
    if (!map) {
        const struct logical_run x = {grid->left + area->left, grid->left + area->right},
                                 y = {grid->top + area->top, grid->top + area->bottom};
        if (!area->left && !area->top && area->right == grid->width - 1 && area->bottom == grid->height - 1)
            add_chip(grid, chip, text, bytes);
        else
            add_tiles(grid, chip, &x, &y, text, bytes);
        return;
    }
    struct logical_run x[TD_CHIP_MAP_SIZE], y[TD_CHIP_MAP_SIZE];
    const size_t columns = find_runs(map->column_x, map->columns, area->left, area->right, x),
                 rows = find_runs(map->row_y, map->rows, area->top, area->bottom, y);
    if (has_all(x, columns, map->columns) && has_all(y, rows, map->rows)) {
        add_chip(grid, chip, text, bytes);
        return;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < columns; k++)
            add_tiles(grid, chip, &x[k], &y[i], text, bytes);
}
