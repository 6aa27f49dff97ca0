#include "host/base/err.h"
#include "host/device/board/coordinates.h"

#include <stdbool.h>
#include <stdio.h>

_Static_assert(TD_CHIP_MAP_SIZE == TD_MAX_GRID, "a map has room for any board's NoC");

struct at {
    uint32_t x, y;
};

static const char *const kind_names[] = {
#define TD_X(name, cli, what) cli,
    TD_COORDINATES(TD_X)
#undef TD_X
};

/* Position of a value in a list; `count` when it is not there. */
static uint32_t find_value(const uint16_t *list, uint32_t count, uint32_t value)
{
    uint32_t i = 0;
    while (i < count && list[i] != value)
        i++;
    return i;
}

static uint32_t find_place(const struct td_places *p, uint32_t count, uint32_t x, uint32_t y)
{
    uint32_t i = 0;
    while (i < count && (p->x[i] != x || p->y[i] != y))
        i++;
    return i;
}

/* One axis: its columns (or rows) with cores, and where they are translated to. */
struct axis {
    const uint16_t *own, *translated;
    uint32_t count;
};

static struct axis axis_of(const struct td_board *b, uint32_t chip, int is_y)
{
    const struct td_chip_desc *c = &b->chip[chip];
    return is_y ? (struct axis){c->row_y, b->translated_y, b->translated_rows}
                : (struct axis){c->column_x, b->translated_x, b->translated_columns};
}

/* The item of `to` at the place that `value` has in `from`; false: it is not there. */
static bool map_value(const uint16_t *from, const uint16_t *to, uint32_t count, uint32_t value,
                      uint32_t *result)
{
    const uint32_t n = find_value(from, count, value);
    if (n < count)
        *result = to[n];
    return n < count;
}

static const struct td_other_tiles *other_kind(const struct td_board *b, int i)
{
    const struct td_other_tiles *kinds[] = {&b->dram, &b->ethernet, &b->arc, &b->pcie};
    return i < 4 ? kinds[i] : NULL;
}

static bool is_tensix(const struct td_board *b, uint32_t chip, struct at noc)
{
    const struct td_chip_desc *c = &b->chip[chip];
    return find_value(c->column_x, b->all_columns, noc.x) < b->all_columns &&
           find_value(c->row_y, b->all_rows, noc.y) < b->all_rows;
}

/* NoC 0 to translated: the tile's own entry if it has one; a Tensix tile's column and row by their lists; the
 * other tiles keep their numbers. */
static void translate(const struct td_board *b, uint32_t chip, struct at noc, struct at *to)
{
    const struct td_other_tiles *kind;
    *to = noc;
    for (int i = 0; (kind = other_kind(b, i)); i++) {
        uint32_t n = find_place(&kind->at, kind->translated.count, noc.x, noc.y);
        if (n < kind->translated.count) {
            *to = (struct at){kind->translated.x[n], kind->translated.y[n]};
            return;
        }
    }
    const struct axis x = axis_of(b, chip, 0), y = axis_of(b, chip, 1);
    struct at own;
    if (map_value(x.own, x.translated, x.count, noc.x, &own.x) &&
        map_value(y.own, y.translated, y.count, noc.y, &own.y))
        *to = own;
}

static void translate_back(const struct td_board *b, uint32_t chip, struct at from, struct at *to)
{
    const struct td_other_tiles *kind;
    *to = from;
    for (int i = 0; (kind = other_kind(b, i)); i++) {
        uint32_t n = find_place(&kind->translated, kind->translated.count, from.x, from.y);
        if (n < kind->translated.count) {
            *to = (struct at){kind->at.x[n], kind->at.y[n]};
            return;
        }
    }
    const struct axis x = axis_of(b, chip, 0), y = axis_of(b, chip, 1);
    struct at own;
    if (map_value(x.translated, x.own, x.count, from.x, &own.x) &&
        map_value(y.translated, y.own, y.count, from.y, &own.y))
        *to = own;
}

/* -> NoC 0; TD_E_NOTFOUND: there is no such tile */
static int to_noc(const struct td_board *b, uint32_t chip, enum td_coordinate_kind kind, struct at from,
                  struct at *noc)
{
    const struct td_chip_desc *c = &b->chip[chip];
    *noc = from;
    switch (kind) {
    case TD_COORDINATE_NOC0:
    case TD_COORDINATE_PHYSICAL:
        break;
    case TD_COORDINATE_NOC1:
        *noc = (struct at){b->noc_width - 1 - from.x, b->noc_height - 1 - from.y};
        break;
    case TD_COORDINATE_TRANSLATED:
        translate_back(b, chip, from, noc);
        break;
    case TD_COORDINATE_LOGICAL:
        if (from.x >= c->columns || from.y >= c->rows)
            return TD_E_NOTFOUND;
        *noc = (struct at){c->column_x[from.x], c->row_y[from.y]};
        break;
    }
    return noc->x < b->noc_width && noc->y < b->noc_height ? 0 : TD_E_NOTFOUND;
}

static int from_noc(const struct td_board *b, uint32_t chip, struct at noc, enum td_coordinate_kind kind,
                    struct at *to)
{
    const struct td_chip_desc *c = &b->chip[chip];
    *to = noc;
    switch (kind) {
    case TD_COORDINATE_NOC0:
    case TD_COORDINATE_PHYSICAL:
        return 0;
    case TD_COORDINATE_NOC1:
        *to = (struct at){b->noc_width - 1 - noc.x, b->noc_height - 1 - noc.y};
        return 0;
    case TD_COORDINATE_TRANSLATED:
        translate(b, chip, noc, to);
        return 0;
    case TD_COORDINATE_LOGICAL:
        *to = (struct at){find_value(c->column_x, c->columns, noc.x), find_value(c->row_y, c->rows, noc.y)};
        return to->x < c->columns && to->y < c->rows ? 0 : TD_E_NOTFOUND;
    }
    return TD_E_NOTFOUND;
}

int td_coordinate(const struct td_board *board, uint32_t chip, enum td_coordinate_kind from, uint32_t x,
                  uint32_t y, enum td_coordinate_kind to, uint32_t *to_x, uint32_t *to_y, struct td_err *err)
{
    struct at noc, result;
    if (chip >= board->chips)
        return td_fail(err, TD_E_USAGE, "board %s has no chip %u", board->name, chip);
    if (to_noc(board, chip, from, (struct at){x, y}, &noc))
        return td_fail(err, TD_E_USAGE, "chip %u of board %s has no tile at %s %u,%u", chip, board->name,
                       kind_names[from], x, y);
    if (from_noc(board, chip, noc, to, &result))
        return td_fail(err, TD_E_NOTFOUND,
                       "tile %u,%u (noc0) of chip %u has no %s number that board %s knows", noc.x, noc.y,
                       chip, kind_names[to], board->name);
    *to_x = result.x;
    *to_y = result.y;
    return 0;
}

static bool is_relay(const struct td_chip_desc *c, uint32_t x, uint32_t y)
{
    for (uint32_t i = 0; i < c->relay_count; i++)
        if (c->relay_x[i] == x && c->relay_y[i] == y)
            return true;
    return false;
}

/* Number of a place among others; TD_E_NOTFOUND: it is none of them. */
static int number_of(const struct td_places *p, uint32_t x, uint32_t y)
{
    uint32_t n = find_place(p, p->count, x, y);
    return n < p->count ? (int)n : TD_E_NOTFOUND;
}

static enum td_chip_place place_kind(const struct td_board *b, uint32_t chip, struct at noc)
{
    const uint32_t x = noc.x, y = noc.y;
    struct at logical;
    if (from_noc(b, chip, noc, TD_COORDINATE_LOGICAL, &logical) == 0)
        return TD_PLACE_TENSIX;
    if (is_relay(&b->chip[chip], x, y))
        return TD_PLACE_RELAY;
    if (is_tensix(b, chip, noc))
        return TD_PLACE_HARVESTED;
    if (number_of(&b->dram.at, x, y) >= 0)
        return TD_PLACE_DRAM;
    if (number_of(&b->ethernet.at, x, y) >= 0)
        return TD_PLACE_ETHERNET;
    if (number_of(&b->pcie.at, x, y) >= 0)
        return TD_PLACE_PCIE;
    return number_of(&b->arc.at, x, y) >= 0 ? TD_PLACE_ARC : TD_PLACE_ROUTER;
}

const char *td_tile_name(const struct td_board *board, uint32_t chip, uint32_t x, uint32_t y, char *to,
                         size_t bytes)
{
    struct at noc = {x, y}, logical;
    if (chip >= board->chips || x >= board->noc_width || y >= board->noc_height) {
        snprintf(to, bytes, "nothing");
        return to;
    }
    const enum td_chip_place kind = place_kind(board, chip, noc);
    const char *name = td_chip_place_name(kind);
    if (kind == TD_PLACE_TENSIX && from_noc(board, chip, noc, TD_COORDINATE_LOGICAL, &logical) == 0)
        snprintf(to, bytes, "%s %u,%u", name, logical.x, logical.y);
    else if (kind == TD_PLACE_DRAM)
        snprintf(to, bytes, "%s bank %u", name,
                 (uint32_t)number_of(&board->dram.at, x, y) / board->dram_ports);
    else if (kind == TD_PLACE_ETHERNET || kind == TD_PLACE_PCIE)
        snprintf(to, bytes, "%s %d", name,
                 number_of(kind == TD_PLACE_PCIE ? &board->pcie.at : &board->ethernet.at, x, y));
    else
        snprintf(to, bytes, "%s", name);
    return to;
}

bool td_board_chip_map(const struct td_board *board, uint32_t chip, struct td_chip_map *map)
{
    if (chip >= board->chips || !board->noc_regs)
        return false;
    const struct td_chip_desc *c = &board->chip[chip];
    *map = (struct td_chip_map){.chip = chip,
                                .width = board->noc_width,
                                .height = board->noc_height,
                                .columns = c->columns,
                                .rows = c->rows};
    for (uint32_t i = 0; i < c->columns; i++)
        map->column_x[i] = (uint8_t)c->column_x[i];
    for (uint32_t i = 0; i < c->rows; i++)
        map->row_y[i] = (uint8_t)c->row_y[i];
    for (uint32_t y = 0; y < map->height; y++)
        for (uint32_t x = 0; x < map->width; x++)
            map->place[y][x] = (uint8_t)place_kind(board, chip, (struct at){x, y});
    return true;
}
