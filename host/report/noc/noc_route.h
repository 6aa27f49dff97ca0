/* The links that a transfer over the NoC takes, and how many bytes went over each link of a chip.
 *
 * Each NoC is a torus of width x height routers. On NoC 0 data goes right, then down; on NoC 1 up, then
 * left (tt-isa-documentation, WormholeB0/NoC/RoutingPaths.md). So a router has two links on each NoC, one
 * to its neighbour on the row and one to that on the column. A link's number is (y * width + x) * 2, plus
 * 1 if it is that of the column, where x, y is the router from which it leads. The data of a read takes
 * the way from the place that is read. A multicast goes along the row to the first column of its
 * rectangle, from there along that column through all rows, and along each row; its data takes each link
 * once. Nothing is counted between a router and its tile. */
#pragma once
#include "host/report/noc/noc_transfers.h"

struct td_noc_size {
    uint32_t width, height;
};
static inline size_t td_noc_links(struct td_noc_size size)
{
    return (size_t)size.width * size.height * 2;
}

/* Writes the numbers of the links, in the order of the way, at most `room`. Returns how many there are; 0
 * also if a place is outside of the chip. */
size_t td_noc_route(struct td_noc_size size, const struct td_noc_transfer *transfer, uint32_t *links,
                    size_t room);
/* The routers at both ends of a link. */
void td_noc_link_ends(struct td_noc_size size, uint32_t noc, uint32_t link, struct td_noc_place *from,
                      struct td_noc_place *to);

struct td_noc_loads { /* of one chip; all zero: not initialised */
    struct td_noc_size size;
    uint64_t *bytes[2]; /* by NoC and link */
    uint64_t transfers; /* that were added */
};
int td_noc_loads_init(struct td_noc_loads *loads, struct td_noc_size size); /* 0 or TD_E_NOMEM */
void td_noc_loads_free(struct td_noc_loads *loads);
void td_noc_loads_add(struct td_noc_loads *loads, const struct td_noc_transfer *transfer);
