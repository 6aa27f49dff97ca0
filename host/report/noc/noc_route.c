#include "host/report/noc/noc_route.h"

#include <stdlib.h>

/* A transfer's way, link by link, from the place where it is now. */
struct noc_way {
    struct td_noc_size size;
    uint32_t noc;
    void (*pass)(void *self, uint32_t link);
    void *self;
};

/* How far it is from one coordinate to another, in the direction in which this NoC moves data. */
static uint32_t distance(const struct noc_way *way, uint32_t from, uint32_t to, uint32_t size)
{
    return way->noc ? (from + size - to) % size : (to + size - from) % size;
}

static uint32_t next_coordinate(uint32_t noc, uint32_t at, uint32_t size)
{
    return noc ? (at + size - 1) % size : (at + 1) % size;
}

static void pass_row(const struct noc_way *way, uint32_t x, uint32_t y, uint32_t hops)
{
    for (; hops; hops--, x = next_coordinate(way->noc, x, way->size.width))
        way->pass(way->self, (y * way->size.width + x) * 2);
}

static void pass_column(const struct noc_way *way, uint32_t x, uint32_t y, uint32_t hops)
{
    for (; hops; hops--, y = next_coordinate(way->noc, y, way->size.height))
        way->pass(way->self, (y * way->size.width + x) * 2 + 1);
}

static void pass_unicast(const struct noc_way *way, struct td_noc_place from, struct td_noc_place to)
{
    const uint32_t columns = distance(way, from.x, to.x, way->size.width);
    const uint32_t rows = distance(way, from.y, to.y, way->size.height);
    if (way->noc) {
        pass_column(way, from.x, from.y, rows);
        pass_row(way, from.x, to.y, columns);
    } else {
        pass_row(way, from.x, from.y, columns);
        pass_column(way, to.x, from.y, rows);
    }
}

/* Of the coordinates `first` to `last`: the nearest one, and how far the others are after it at most. */
static uint32_t nearest(const struct noc_way *way, uint32_t from, uint32_t first, uint32_t last,
                        uint32_t size, uint32_t *further)
{
    uint32_t near = size, far = 0;
    for (uint32_t at = first; at <= last; at++) {
        const uint32_t d = distance(way, from, at, size);
        near = d < near ? d : near;
        far = d > far ? d : far;
    }
    *further = far - near;
    return near;
}

static void pass_multicast(const struct noc_way *way, const struct td_noc_transfer *t)
{
    const uint32_t x0 = t->to.x < t->to_last.x ? t->to.x : t->to_last.x, x1 = t->to.x + t->to_last.x - x0;
    const uint32_t y0 = t->to.y < t->to_last.y ? t->to.y : t->to_last.y, y1 = t->to.y + t->to_last.y - y0;
    const uint32_t width = way->size.width, height = way->size.height;
    uint32_t along_row, along_column;
    const uint32_t columns = nearest(way, t->from.x, x0, x1, width, &along_row);
    const uint32_t rows = nearest(way, t->from.y, y0, y1, height, &along_column);
    const uint32_t x = (way->noc ? t->from.x + width - columns : t->from.x + columns) % width;
    pass_row(way, t->from.x, t->from.y, columns);
    pass_column(way, x, t->from.y, rows + along_column);
    for (uint32_t y = y0; y <= y1; y++)
        pass_row(way, x, y, along_row);
}

static bool is_inside(struct td_noc_size size, struct td_noc_place place)
{
    return place.x < size.width && place.y < size.height;
}

static void pass_all(const struct noc_way *way, const struct td_noc_transfer *t)
{
    if (!is_inside(way->size, t->from) || !is_inside(way->size, t->to) || !is_inside(way->size, t->to_last))
        return;
    if (td_noc_place_equal(t->to, t->to_last))
        pass_unicast(way, t->from, t->to);
    else
        pass_multicast(way, t);
}

struct list {
    uint32_t *links;
    size_t count, room;
};

static void list_link(void *self, uint32_t link)
{
    struct list *list = self;
    if (list->count < list->room)
        list->links[list->count] = link;
    list->count++;
}

size_t td_noc_route(struct td_noc_size size, const struct td_noc_transfer *transfer, uint32_t *links,
                    size_t room)
{
    struct list list = {links, 0, room};
    const struct noc_way way = {size, transfer->noc, list_link, &list};
    pass_all(&way, transfer);
    return list.count;
}

void td_noc_link_ends(struct td_noc_size size, uint32_t noc, uint32_t link, struct td_noc_place *from,
                      struct td_noc_place *to)
{
    const uint32_t at = link / 2;
    *from = (struct td_noc_place){(uint16_t)(at % size.width), (uint16_t)(at / size.width)};
    *to = *from;
    if (link & 1)
        to->y = (uint16_t)next_coordinate(noc, from->y, size.height);
    else
        to->x = (uint16_t)next_coordinate(noc, from->x, size.width);
}

int td_noc_loads_init(struct td_noc_loads *loads, struct td_noc_size size)
{
    *loads = (struct td_noc_loads){.size = size};
    for (int noc = 0; noc < 2; noc++) {
        loads->bytes[noc] = calloc(td_noc_links(size) + 1, sizeof *loads->bytes[noc]);
        if (!loads->bytes[noc]) {
            td_noc_loads_free(loads);
            return TD_E_NOMEM;
        }
    }
    return 0;
}

void td_noc_loads_free(struct td_noc_loads *loads)
{
    free(loads->bytes[0]);
    free(loads->bytes[1]);
    *loads = (struct td_noc_loads){0};
}

struct load_adder {
    uint64_t *bytes, more;
};

static void add_link(void *self, uint32_t link)
{
    const struct load_adder *adder = self;
    adder->bytes[link] += adder->more;
}

void td_noc_loads_add(struct td_noc_loads *loads, const struct td_noc_transfer *transfer)
{
    struct load_adder adder = {loads->bytes[transfer->noc & 1], transfer->bytes};
    const struct noc_way way = {loads->size, transfer->noc & 1u, add_link, &adder};
    pass_all(&way, transfer);
    loads->transfers++;
}
