#include "host/query/ops/noc_traffic.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#include <stdlib.h>

#define STEP 4096 /* transfers from one question whether the work is still wanted to the next */

struct counting {
    struct td_noc_traffic *to;
    const struct td_chip_maps *maps;
    struct td_map by_pair; /* mixed identity: its place in `pair` */
};

static void add_sum(struct td_noc_sum *sum, uint64_t bytes)
{
    sum->bytes += bytes;
    sum->transfers++;
}

static bool is_pair(const struct td_noc_pair *p, const struct td_noc_transfer *t)
{
    return p->chip == t->chip && p->noc == t->noc && td_noc_place_equal(p->from, t->from) &&
           td_noc_place_equal(p->to, t->to) && td_noc_place_equal(p->to_last, t->to_last);
}

/* NULL: no memory. */
static struct td_noc_pair *take_pair(struct counting *c, const struct td_noc_transfer *t)
{
    struct td_noc_traffic *to = c->to;
    const uint64_t ends =
        (uint64_t)t->from.x << 48 | (uint64_t)t->from.y << 32 | (uint64_t)t->to.x << 16 | t->to.y;
    uint64_t key = td_mix64(ends) ^ td_mix64((uint64_t)t->chip << 40 | (uint64_t)t->to_last.x << 24 |
                                             (uint64_t)t->to_last.y << 8 | t->noc);
    for (;; key++) {
        const uint32_t at = td_map_get(&c->by_pair, key, UINT32_MAX);
        if (at == UINT32_MAX)
            break;
        if (is_pair(&to->pair[at], t))
            return &to->pair[at];
    }
    if (td_grow(&to->pair, &to->pair_room, to->pairs + 1, sizeof *to->pair) < 0 ||
        td_map_add(&c->by_pair, key, (uint32_t)to->pairs) < 0)
        return NULL;
    to->pair[to->pairs] = (struct td_noc_pair){
        .chip = t->chip, .from = t->from, .to = t->to, .to_last = t->to_last, .noc = t->noc};
    return &to->pair[to->pairs++];
}

static struct td_noc_chip *find_chip(const struct td_noc_traffic *traffic, uint32_t chip)
{
    for (size_t i = 0; i < traffic->chips; i++)
        if (traffic->chip[i].chip == chip)
            return &traffic->chip[i];
    return NULL;
}

const struct td_noc_chip *td_noc_traffic_chip(const struct td_noc_traffic *traffic, uint32_t chip)
{
    return find_chip(traffic, chip);
}

static struct td_noc_chip *take_chip(struct counting *c, uint32_t number)
{
    struct td_noc_traffic *to = c->to;
    struct td_noc_chip *chip = find_chip(to, number);
    const struct td_chip_map *map = td_chip_maps_get(c->maps, number);
    if (chip)
        return chip;
    chip = realloc(to->chip, (to->chips + 1) * sizeof *chip);
    if (!chip)
        return NULL;
    to->chip = chip;
    chip += to->chips++;
    *chip = (struct td_noc_chip){.chip = number};
    if (!map)
        return chip;
    const size_t places = (size_t)map->width * map->height;
    chip->sent = calloc(places, sizeof *chip->sent);
    chip->got = calloc(places, sizeof *chip->got);
    if (!chip->sent || !chip->got ||
        td_noc_loads_init(&chip->loads, (struct td_noc_size){map->width, map->height}) < 0)
        return NULL;
    return chip;
}

static void add_place(struct td_noc_sum *sums, struct td_noc_size size, uint32_t x, uint32_t y,
                      uint64_t bytes)
{
    if (sums && x < size.width && y < size.height)
        add_sum(&sums[(size_t)y * size.width + x], bytes);
}

/* A multicast reaches the tiles with cores of its rectangle. */
static void add_receivers(const struct counting *c, struct td_noc_chip *chip, const struct td_noc_transfer *t)
{
    const struct td_chip_map *map = td_chip_maps_get(c->maps, chip->chip);
    const uint32_t x0 = t->to.x < t->to_last.x ? t->to.x : t->to_last.x, x1 = t->to.x + t->to_last.x - x0;
    const uint32_t y0 = t->to.y < t->to_last.y ? t->to.y : t->to_last.y, y1 = t->to.y + t->to_last.y - y0;
    const bool is_one = x0 == x1 && y0 == y1;
    for (uint32_t y = y0; map && y <= y1 && y < map->height; y++)
        for (uint32_t x = x0; x <= x1 && x < map->width; x++)
            if (is_one || map->place[y][x] == TD_PLACE_TENSIX)
                add_place(chip->got, chip->loads.size, x, y, t->bytes);
}

static int count_transfer(struct counting *c, const struct td_noc_transfer *t)
{
    struct td_noc_pair *pair = take_pair(c, t);
    struct td_noc_chip *chip = pair ? take_chip(c, t->chip) : NULL;
    if (!chip)
        return TD_E_NOMEM;
    add_sum(&pair->sum, t->bytes);
    add_sum(&c->to->all, t->bytes);
    add_sum(&c->to->core[t->track], t->bytes);
    if (!chip->sent)
        return 0;
    td_noc_loads_add(&chip->loads, t);
    add_place(chip->sent, chip->loads.size, t->from.x, t->from.y, t->bytes);
    add_receivers(c, chip, t);
    return 0;
}

TD_COMPARE(compare_pairs, struct td_noc_pair, TD_DOWN(sum.bytes) TD_DOWN(sum.transfers))

static void find_most(struct td_noc_traffic *traffic)
{
    for (size_t i = 0; i < traffic->chips; i++) {
        struct td_noc_chip *chip = &traffic->chip[i];
        for (int noc = 0; chip->sent && noc < 2; noc++)
            for (size_t link = 0; link < td_noc_links(chip->loads.size); link++)
                if (chip->loads.bytes[noc][link] > chip->most)
                    chip->most = chip->loads.bytes[noc][link];
        traffic->most = chip->most > traffic->most ? chip->most : traffic->most;
    }
}

int td_noc_traffic_make(struct td_noc_traffic *traffic, const struct td_noc_index *index, int64_t from_ns,
                        int64_t to_ns, struct td_job *job)
{
    *traffic = (struct td_noc_traffic){.tracks = index->tracks, .from_ns = from_ns, .to_ns = to_ns};
    struct counting c = {traffic, &index->transfers.maps, {0}};
    const size_t first = td_noc_index_at(index, from_ns), last = td_noc_index_at(index, to_ns);
    traffic->core = calloc((size_t)index->tracks + 1, sizeof *traffic->core);
    int rc = traffic->core ? 0 : TD_E_NOMEM;
    for (size_t i = first; i < last && rc == 0; i++) {
        if ((i - first) % STEP == 0 && job && td_job_cancelled(job))
            rc = TD_E_STOPPED;
        else
            rc = count_transfer(&c, &index->transfers.list[i]);
    }
    td_map_finish(&c.by_pair);
    if (rc) {
        td_noc_traffic_free(traffic);
        return rc;
    }
    find_most(traffic);
    if (traffic->pairs)
        qsort(traffic->pair, traffic->pairs, sizeof *traffic->pair, compare_pairs);
    return 0;
}

void td_noc_traffic_free(struct td_noc_traffic *traffic)
{
    for (size_t i = 0; i < traffic->chips; i++) {
        td_noc_loads_free(&traffic->chip[i].loads);
        free(traffic->chip[i].sent);
        free(traffic->chip[i].got);
    }
    free(traffic->chip);
    free(traffic->pair);
    free(traffic->core);
    *traffic = (struct td_noc_traffic){0};
}
