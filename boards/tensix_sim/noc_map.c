/* Places of the NoC: from what kernels call a tile (coordinates of NoC 0 or 1, translated ones) to the tile. */
#include "boards/tensix_sim/niu.h"
#include "host/device/board/coordinates.h"

#include <stdlib.h>

enum { SIDE = 64, NODES = SIDE * SIDE, NOWHERE = 0xff };

struct chip_map {
    struct noc_place of[2][NODES]; /* by NoC and bits; NOWHERE: no such tile */
    uint32_t tile[NODES];          /* by place: number + 1; 0: not simulated */
    bool receives[NODES];
};

struct noc_map {
    struct noc_place *of_tile; /* by number */
    struct chip_map chips[];
};

static unsigned node(struct noc_place p)
{
    return p.x + (unsigned)p.y * SIDE;
}

/* Where a tile is whose address the host uses. */
static struct noc_place place_of_address(const struct td_board *b, uint32_t chip, uint32_t x, uint32_t y)
{
    if (b->translated_addresses)
        td_coordinate(b, chip, TD_COORDINATE_TRANSLATED, x, y, TD_COORDINATE_NOC0, &x, &y, NULL);
    return (struct noc_place){(uint8_t)x, (uint8_t)y};
}

/* Blackhole's firmware translates all rows but the first two: a tile there that has a translated place is not
 * called by any other. */
static bool has_another_name(const struct td_board *b, uint32_t chip, uint32_t x, uint32_t y)
{
    enum { PLAIN_ROWS = 2 };
    uint32_t to_x = x, to_y = y;
    if (b->niu != TD_NIU_BLACKHOLE || y < PLAIN_ROWS)
        return false;
    return td_coordinate(b, chip, TD_COORDINATE_NOC0, x, y, TD_COORDINATE_TRANSLATED, &to_x, &to_y, NULL) ==
               0 &&
           (to_x != x || to_y != y);
}

static struct noc_place find_place(const struct td_board *b, uint32_t chip, uint32_t noc, uint32_t x,
                                   uint32_t y)
{
    static const struct noc_place nowhere = {NOWHERE, NOWHERE};
    const bool is_plain = x < td_board_first_translated(b);
    if (noc && is_plain) {
        if (x >= b->noc_width || y >= b->noc_height)
            return nowhere;
        x = b->noc_width - 1 - x;
        y = b->noc_height - 1 - y;
    }
    if (!b->translated_addresses)
        return x < b->noc_width && y < b->noc_height ? (struct noc_place){(uint8_t)x, (uint8_t)y} : nowhere;
    uint32_t noc_x, noc_y;
    if (td_coordinate(b, chip, TD_COORDINATE_TRANSLATED, x, y, TD_COORDINATE_NOC0, &noc_x, &noc_y, NULL) ||
        (noc_x == x && noc_y == y && has_another_name(b, chip, x, y)))
        return nowhere;
    return (struct noc_place){(uint8_t)noc_x, (uint8_t)noc_y};
}

/* All ports of a bank lead to its memory. */
static void add_ports(const struct td_board *b, struct chip_map *map, struct noc_place place, uint32_t number)
{
    const struct td_places *at = &b->dram.at;
    uint32_t port = 0;
    while (port < at->count && (at->x[port] != place.x || at->y[port] != place.y))
        port++;
    if (!b->dram_ports || port == at->count)
        return;
    port -= port % b->dram_ports;
    for (uint32_t i = port; i < port + b->dram_ports && i < at->count; i++)
        map->tile[node((struct noc_place){(uint8_t)at->x[i], (uint8_t)at->y[i]})] = number + 1;
}

static void fill_chip(const struct td_board *b, uint32_t chip, struct chip_map *map)
{
    const struct td_chip_desc *c = &b->chip[chip];
    for (uint32_t noc = 0; noc < 2; noc++)
        for (uint32_t i = 0; i < NODES; i++)
            map->of[noc][i] = find_place(b, chip, noc, i % SIDE, i / SIDE);
    for (uint32_t x = 0; x < c->columns; x++)
        for (uint32_t y = 0; y < c->rows; y++)
            map->receives[node((struct noc_place){(uint8_t)c->column_x[x], (uint8_t)c->row_y[y]})] = true;
}

int noc_map_init(struct sim *sim)
{
    const struct td_board *b = &sim->board;
    struct noc_map *map = calloc(1, sizeof *map + b->chips * sizeof *map->chips);
    if (map)
        map->of_tile = calloc(sim->bar->tile_count + 1, sizeof *map->of_tile);
    sim->noc_map = map;
    if (!map || !map->of_tile)
        return TD_E_NOMEM;
    for (uint32_t chip = 0; chip < b->chips; chip++)
        fill_chip(b, chip, &map->chips[chip]);
    for (uint32_t i = 0; i < sim->bar->tile_count; i++) {
        const struct td_bar_tile *e = sim->tiles[i].entry;
        const struct noc_place place = place_of_address(b, e->chip, e->x, e->y);
        map->of_tile[i] = place;
        map->chips[e->chip].tile[node(place)] = i + 1;
        if (e->kind == TD_BAR_DRAM)
            add_ports(b, &map->chips[e->chip], place, i);
    }
    return 0;
}

void noc_map_finish(struct sim *sim)
{
    if (sim->noc_map)
        free(sim->noc_map->of_tile);
    free(sim->noc_map);
}

bool noc_map_place(const struct sim *sim, uint32_t chip, uint32_t noc, uint32_t bits, struct noc_place *place)
{
    *place = sim->noc_map->chips[chip].of[noc][bits & (NODES - 1)];
    return place->x != NOWHERE;
}

bool noc_map_receives(const struct sim *sim, uint32_t chip, struct noc_place place)
{
    return sim->noc_map->chips[chip].receives[node(place)];
}

struct tile *noc_map_tile(const struct sim *sim, uint32_t chip, struct noc_place place)
{
    const uint32_t number = sim->noc_map->chips[chip].tile[node(place)];
    return number ? &sim->tiles[number - 1] : NULL;
}

struct noc_place noc_map_of_tile(const struct sim *sim, const struct tile *tile)
{
    return sim->noc_map->of_tile[tile - sim->tiles];
}

struct noc_place noc_mirror(const struct sim *sim, uint32_t noc, struct noc_place place)
{
    const struct td_board *b = &sim->board;
    return noc ? (struct noc_place){(uint8_t)(b->noc_width - 1 - place.x),
                                    (uint8_t)(b->noc_height - 1 - place.y)}
               : place;
}
