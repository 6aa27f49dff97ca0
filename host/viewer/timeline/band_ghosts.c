#include "host/viewer/timeline/band_ghosts.h"
#include "host/viewer/timeline/band_items.h"
#include "host/viewer/timeline/ghost_cache.h"
#include "host/viewer/ui/color.h"

#include <math.h>

#define MAX_ITEMS   (3 * TD_BAND_CELLS + 8)
#define LOOKS       64 /* that are kept: most ghost zones are of few functions */
#define KERNEL_TINT 0xff5a2f33u

bool td_band_is_ghosts(const struct td_band_key *key)
{
    return key->row <= TD_BAND_GHOSTS && key->row > TD_BAND_GHOSTS - TD_GHOST_ROWS;
}

struct ghost_items {
    const struct td_trace *trace;
    uint32_t count;
    struct td_band_item items[MAX_ITEMS];
    struct ghost_look {
        td_rgba color; /* 0: none */
        uint32_t line, entry;
        bool is_inline;
    } looks[LOOKS];
};

static td_rgba color_of(const struct td_trace *trace, const struct td_ghost *g)
{
    char room[32];
    const td_rgba color = td_color_of_name(td_ghost_name(trace, g, room));
    return td_ghost_is_kernel(trace, g) ? td_color_mix(KERNEL_TINT, color, .15f) : color;
}

static const struct ghost_look *look_of(struct ghost_items *made, const struct td_ghost *g)
{
    struct ghost_look *known = &made->looks[(g->line * 7 + g->entry) % LOOKS];
    if (!known->color || known->line != g->line || known->entry != g->entry)
        *known = (struct ghost_look){color_of(made->trace, g), g->line, g->entry,
                                     td_ghost_is_inline(made->trace, g)};
    return known;
}

/* The zones from `first` to `end`. */
static void add_item(struct ghost_items *made, const struct td_ghost_row *row, size_t first, size_t end,
                     bool is_long)
{
    const struct td_ghost *g = &row->zones[first];
    const struct ghost_look *look = look_of(made, g);
    const unsigned flags = (is_long ? TD_ITEM_ZONE : 0) | (look->is_inline ? TD_ITEM_INLINED : 0);
    made->items[made->count++] =
        (struct td_band_item){.start_ns = g->start_ns,
                              .end_ns = row->zones[end - 1].end_ns,
                              .first = first,
                              .flags = flags & 0xff,
                              .count = end - first < UINT32_MAX ? (uint32_t)(end - first) : UINT32_MAX,
                              .color = 0xffffffu & look->color,
                              .line = g->line,
                              .entry = g->entry};
}

/* Returns the zone after the last item. */
static size_t make_items(struct ghost_items *made, const struct td_ghost_row *row,
                         const struct td_band_key *key)
{
    const double cell = td_band_cell_ns(key->level), start = td_band_start_ns(key);
    size_t next = td_ghosts_after(row, 0, start);
    while (next < row->count && made->count < MAX_ITEMS) {
        const size_t first = next;
        const struct td_ghost *g = &row->zones[first];
        if ((double)g->start_ns >= start + cell * TD_BAND_CELLS)
            break;
        const bool is_long = (double)(g->end_ns - g->start_ns) >= cell;
        next++;
        if (!is_long)
            next = td_ghosts_after(row, next, (floor((double)g->start_ns / cell) + 1) * cell);
        add_item(made, row, first, next, is_long);
    }
    return next;
}

/* Whether all functions are known. Of a growing trace, they may come later than the samples. */
static bool has_lines(const struct ghost_items *made)
{
    for (uint32_t i = 0; i < made->count; i++)
        if (made->items[i].line == TD_GHOST_NO_LINE)
            return false;
    return true;
}

int td_band_make_ghosts_(struct td_ghost_cache *cache, const struct td_trace *trace,
                         const struct td_band_key *key, struct td_band_data *data)
{
    struct td_track_ghosts *held = cache ? td_ghost_cache_hold(cache, key->track) : NULL;
    const uint32_t level = TD_BAND_GHOSTS - key->row;
    struct ghost_items made = {.trace = trace};
    if (!held)
        return TD_E_NOTFOUND;
    if (level < held->ghosts.row_count) {
        const struct td_ghost_row *row = &held->ghosts.rows[level];
        data->complete = make_items(&made, row, key) < row->count && has_lines(&made);
    }
    td_track_ghosts_release(held);
    return td_band_keep_items(data, made.items, made.count);
}
