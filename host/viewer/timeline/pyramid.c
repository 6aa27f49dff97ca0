#include "host/viewer/timeline/pyramid.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/trace/tables.h"

#include <math.h>

#define WAIT_DIM .55f /* how far the colour of waiting zones is from the background */

/* ---- reading zones ---- */

void td_row_reader_begin(struct td_row_reader *reader, const struct td_trace *trace,
                         struct td_zone_styles *styles, uint32_t track, uint32_t row, double open_ns)
{
    reader->trace = trace;
    reader->styles = styles;
    reader->series = td_trace_row(trace, track, row);
    reader->track = track;
    reader->row = row;
    reader->inherited = (struct td_inherited){0};
    if (styles->as.by == TD_ZONE_COLOR_TRACK)
        reader->row_color = td_color_of_row(td_dict_get_track(styles->dict, track), row);
    reader->zones = reader->series ? td_series_count(reader->series) : 0;
    reader->open_ns = open_ns;
    reader->first = 0;
    reader->count = 0;
    reader->has_open = false;
}

static int64_t end_of(int64_t start_ns, int64_t duration_ns)
{
    return start_ns > TD_OPEN - 1 - duration_ns ? TD_OPEN - 1 : start_ns + duration_ns;
}

/* Colours of their own replace the location's. */
static void load_colors(struct td_row_reader *reader, uint64_t first, uint32_t n)
{
    int64_t extra[TD_PYRAMID_ZONES];
    td_series_read(reader->series, TD_ZONE_EXTRA, first, n, extra);
    const struct td_series *table = td_trace_table(reader->trace, TD_TABLE_EXTRA);
    const uint64_t rows = td_series_count(table);
    for (uint32_t i = 0; i < n; i++) {
        if (extra[i] <= 0 || (uint64_t)extra[i] >= rows)
            continue;
        td_rgba color = (td_rgba)td_series_get(table, (uint64_t)extra[i], TD_EXTRA_COLOR);
        if (color) {
            reader->color[i] = td_color_readable(color) & 0xffffffu;
            reader->flags[i] |= TD_STYLE_FIXED;
        }
    }
}

/* What the track, the depth and the zones around make of the colours. */
static void color_by_place(struct td_row_reader *reader, uint32_t n)
{
    const struct td_zone_coloring as = reader->styles->as;
    for (uint32_t i = 0; i < n; i++) {
        if (reader->flags[i] & TD_STYLE_FIXED)
            continue;
        td_rgba color = as.by == TD_ZONE_COLOR_TRACK ? reader->row_color : reader->color[i];
        if (as.by == TD_ZONE_COLOR_LOCATION)
            color = td_color_at_depth(color, reader->row);
        const td_rgba inherited = as.inherit
                                      ? td_zone_color_inherit(reader->trace, reader->track, reader->row,
                                                              reader->start[i], &reader->inherited)
                                      : 0;
        reader->color[i] = (inherited ? inherited : color) & 0xffffffu;
    }
}

void td_row_reader_load_(struct td_row_reader *reader, uint64_t first)
{
    int64_t start[TD_PYRAMID_ZONES + 1], duration[TD_PYRAMID_ZONES], srcloc[TD_PYRAMID_ZONES];
    const uint64_t left = reader->zones - first;
    const uint32_t n = left < TD_PYRAMID_ZONES ? (uint32_t)left : TD_PYRAMID_ZONES;
    td_series_read(reader->series, TD_ZONE_START, first, n + (left > n), start);
    td_series_read(reader->series, TD_ZONE_DURATION, first, n, duration);
    td_series_read(reader->series, TD_ZONE_SRCLOC, first, n, srcloc);
    reader->first = first;
    reader->count = n;
    for (uint32_t i = 0; i < n; i++) {
        struct td_zone_style style = td_zone_style_of(reader->styles, (uint32_t)srcloc[i]);
        reader->start[i] = start[i];
        reader->srcloc[i] = (uint32_t)srcloc[i];
        reader->color[i] = style.color & 0xffffffu;
        reader->flags[i] = style.flags;
        if (duration[i] >= 0) {
            reader->end[i] = end_of(start[i], duration[i]);
        } else if (first + i + 1 < reader->zones) {
            reader->end[i] = start[i + 1]; /* zones of a row do not overlap */
        } else {
            reader->end[i] = TD_OPEN;
            reader->has_open = true;
        }
    }
    if (!reader->styles->as.ignore_own)
        load_colors(reader, first, n);
    if (!td_zone_coloring_equal(reader->styles->as, (struct td_zone_coloring){0}))
        color_by_place(reader, n);
    for (uint32_t i = 0; i < n; i++)
        reader->flags[i] &= ~TD_STYLE_FIXED;
}

/* ---- sums ---- */

/* A sum with a mean that is not rounded yet. */
struct sum_builder {
    struct td_zone_sum sum;
    bool has_zones;
    double weight, red, green, blue;
};

static void add_color(struct sum_builder *b, uint32_t color, double weight)
{
    b->weight += weight;
    b->red += weight * (double)(color >> 16 & 255);
    b->green += weight * (double)(color >> 8 & 255);
    b->blue += weight * (double)(color & 255);
}

static void add_srcloc(struct sum_builder *b, uint32_t srcloc)
{
    b->sum.srcloc = !b->has_zones || b->sum.srcloc == srcloc ? srcloc : TD_SUM_MIXED;
    b->has_zones = true;
}

static int64_t length_of(const struct td_row_reader *reader, uint32_t at)
{
    if (reader->end[at] == TD_OPEN)
        return reader->open_ns > (double)reader->start[at]
                   ? (int64_t)(reader->open_ns - (double)reader->start[at])
                   : 0;
    return reader->end[at] - reader->start[at];
}

/* Zones of no length weigh as much as 1 ns, so that a block of them has a colour. */
static void add_zones(struct sum_builder *b, struct td_row_reader *reader, uint64_t first, uint64_t end)
{
    while (first < end) {
        uint32_t at = td_row_reader_at(reader, first), n = reader->count - at;
        n = end - first < n ? (uint32_t)(end - first) : n;
        for (uint32_t i = at; i < at + n; i++) {
            const int64_t length = length_of(reader, i);
            const uint32_t flags = reader->flags[i];
            b->sum.busy_ns += flags & TD_SRCLOC_LOST ? 0 : length;
            b->sum.lost_ns += flags & TD_SRCLOC_LOST ? length : 0;
            b->sum.wait_ns += flags & TD_SRCLOC_WAIT ? length : 0;
            b->sum.flags |= flags;
            add_srcloc(b, reader->srcloc[i]);
            uint32_t color = reader->color[i];
            if (flags & TD_SRCLOC_WAIT)
                color = td_color_mix(TD_C(BACK), color, WAIT_DIM);
            add_color(b, color, (double)length + 1);
        }
        b->sum.end_ns = reader->end[at + n - 1];
        first += n;
    }
}

static void add_block(struct sum_builder *b, const struct td_zone_sum *block, double zones)
{
    b->sum.busy_ns += block->busy_ns;
    b->sum.lost_ns += block->lost_ns;
    b->sum.wait_ns += block->wait_ns;
    b->sum.flags |= block->flags;
    b->sum.end_ns = block->end_ns;
    add_srcloc(b, block->srcloc);
    add_color(b, block->color, (double)block->busy_ns + (double)block->lost_ns + zones);
}

static struct td_zone_sum finish_sum(struct sum_builder *b)
{
    const double w = b->weight > 0 ? b->weight : 1;
    b->sum.color =
        (uint32_t)(b->red / w + .5) << 16 | (uint32_t)(b->green / w + .5) << 8 | (uint32_t)(b->blue / w + .5);
    return b->sum;
}

/* ---- building ---- */

static uint64_t zones_of_level(unsigned level)
{
    uint64_t zones = TD_PYRAMID_ZONES;
    while (level--)
        zones *= TD_PYRAMID_FAN;
    return zones;
}

static int add_to_level(struct td_pyramid *pyramid, unsigned level, const struct td_zone_sum *sum)
{
    struct td_pyramid_level *l = &pyramid->level[level];
    return TD_APPEND(l->blocks, l->count, l->capacity, *sum);
}

/* Adds the blocks of the levels above that are complete now. */
static int extend_levels(struct td_pyramid *pyramid)
{
    for (unsigned level = 1; level < TD_PYRAMID_LEVELS; level++) {
        const struct td_pyramid_level *below = &pyramid->level[level - 1];
        while ((pyramid->level[level].count + 1) * TD_PYRAMID_FAN <= below->count) {
            const struct td_zone_sum *from = &below->blocks[pyramid->level[level].count * TD_PYRAMID_FAN];
            struct sum_builder b = {.sum.start_ns = from->start_ns};
            for (unsigned i = 0; i < TD_PYRAMID_FAN; i++)
                add_block(&b, &from[i], (double)zones_of_level(level - 1));
            struct td_zone_sum sum = finish_sum(&b);
            if (add_to_level(pyramid, level, &sum) < 0)
                return TD_E_NOMEM;
        }
    }
    return 0;
}

int td_pyramid_extend(struct td_pyramid *pyramid, struct td_row_reader *reader)
{
    struct td_pyramid_level *lowest = &pyramid->level[0];
    const size_t wanted = reader->zones ? (size_t)((reader->zones - 1) / TD_PYRAMID_ZONES) : 0;
    if (wanted <= lowest->count)
        return 0;
    /* The first blocks get room for just them: most rows are complete when they are seen first. */
    if (!lowest->count) {
        lowest->blocks = malloc(wanted * sizeof *lowest->blocks);
        lowest->capacity = lowest->blocks ? wanted : 0;
    }
    while (lowest->count < wanted) {
        const uint64_t first = (uint64_t)lowest->count * TD_PYRAMID_ZONES;
        struct sum_builder b = {.sum.start_ns = reader->start[td_row_reader_at(reader, first)]};
        add_zones(&b, reader, first, first + TD_PYRAMID_ZONES);
        struct td_zone_sum sum = finish_sum(&b);
        if (add_to_level(pyramid, 0, &sum) < 0)
            return TD_E_NOMEM;
    }
    return extend_levels(pyramid);
}

void td_pyramid_free(struct td_pyramid *pyramid)
{
    for (unsigned i = 0; i < TD_PYRAMID_LEVELS; i++)
        free(pyramid->level[i].blocks);
    *pyramid = (struct td_pyramid){0};
}

size_t td_pyramid_bytes(const struct td_pyramid *pyramid)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < TD_PYRAMID_LEVELS; i++)
        bytes += pyramid->level[i].capacity * sizeof *pyramid->level[i].blocks;
    return bytes;
}

/* ---- queries ---- */

/* The first block of the lowest level from `from` on that ends after time_ns. */
static size_t block_after(const struct td_pyramid_level *level, size_t from, double time_ns)
{
    TD_BISECT_NEAR(from, level->count, i, (double)level->blocks[i].end_ns <= time_ns);
    return from;
}

uint64_t td_pyramid_after(const struct td_pyramid *pyramid, struct td_row_reader *reader, uint64_t from,
                          double time_ns)
{
    if (from >= reader->zones)
        return reader->zones;
    uint64_t block = block_after(&pyramid->level[0], (size_t)(from / TD_PYRAMID_ZONES), time_ns);
    uint64_t first = block * TD_PYRAMID_ZONES;
    from = from > first ? from : first;
    /* The zone is in this block, or in the zones that have no block. */
    while (from < reader->zones) {
        uint32_t low = td_row_reader_at(reader, from), high = reader->count;
        if ((double)reader->end[reader->count - 1] <= time_ns) {
            from = reader->first + reader->count;
            continue;
        }
        TD_BISECT(low, high, i, (double)reader->end[i] <= time_ns);
        return reader->first + low;
    }
    return reader->zones;
}

struct td_zone_sum td_pyramid_sum(const struct td_pyramid *pyramid, struct td_row_reader *reader,
                                  uint64_t first, uint64_t end)
{
    struct sum_builder b = {.sum.start_ns = reader->start[td_row_reader_at(reader, first)]};
    while (first < end) {
        /* The largest block that begins here and ends in the range. */
        unsigned level = 0;
        uint64_t zones = 0;
        for (uint64_t n = TD_PYRAMID_ZONES; level < TD_PYRAMID_LEVELS; level++, n *= TD_PYRAMID_FAN) {
            if (first % n || first + n > end || first / n >= pyramid->level[level].count)
                break;
            zones = n;
        }
        if (zones) {
            add_block(&b, &pyramid->level[level - 1].blocks[first / zones], (double)zones);
            first += zones;
            continue;
        }
        uint64_t stop = (first / TD_PYRAMID_ZONES + 1) * TD_PYRAMID_ZONES;
        stop = stop < end ? stop : end;
        add_zones(&b, reader, first, stop);
        first = stop;
    }
    return finish_sum(&b);
}

/* ---- cover ---- */

struct cover_pass {
    const struct td_pyramid *pyramid;
    struct td_row_reader *reader;
    double start_ns, cell_ns;
    unsigned cells;
    uint32_t kinds;
    struct td_cover *cover;
};

static void cover_zones(const struct cover_pass *p, uint64_t first, uint64_t end)
{
    struct td_row_reader *r = p->reader;
    for (uint64_t i = first; i < end; i++) {
        const uint32_t at = td_row_reader_at(r, i), flags = r->flags[at];
        if (p->kinds && !(flags & p->kinds))
            continue;
        const double from = (double)r->start[at] - p->start_ns;
        const double to = from + (double)length_of(r, at), width = p->cell_ns * p->cells;
        if (to < 0 || from >= width || (to == 0 && from < 0))
            continue;
        const unsigned low = from > 0 ? (unsigned)(from / p->cell_ns) : 0;
        for (unsigned c = low; c < p->cells; c++) {
            const double cell = c * p->cell_ns;
            const double covered = fmin(to, cell + p->cell_ns) - fmax(from, cell);
            if (c > low && covered <= 0)
                break;
            struct td_cover *into = &p->cover[c];
            into->flags |= flags;
            *(flags & TD_SRCLOC_LOST ? &into->lost_ns : &into->busy_ns) += fmax(covered, 0);
            into->wait_ns += flags & TD_SRCLOC_WAIT ? fmax(covered, 0) : 0;
        }
    }
}

/* A block within one cell is added as a whole; others are divided into the blocks below. */
static void cover_block(const struct cover_pass *p, unsigned level, size_t index)
{
    const struct td_zone_sum *block = &p->pyramid->level[level].blocks[index];
    const double from = ((double)block->start_ns - p->start_ns) / p->cell_ns;
    const double to = ((double)block->end_ns - p->start_ns) / p->cell_ns;
    if (to < 0 || from >= p->cells || (p->kinds && !(block->flags & p->kinds)))
        return;
    const double cell = floor(from);
    if (from >= 0 && to <= cell + 1 && cell < p->cells) {
        struct td_cover *into = &p->cover[(unsigned)cell];
        into->busy_ns += (double)block->busy_ns;
        into->wait_ns += (double)block->wait_ns;
        into->lost_ns += (double)block->lost_ns;
        into->flags |= block->flags;
    } else if (level) {
        for (size_t i = 0; i < TD_PYRAMID_FAN; i++)
            cover_block(p, level - 1, index * TD_PYRAMID_FAN + i);
    } else {
        cover_zones(p, (uint64_t)index * TD_PYRAMID_ZONES, (uint64_t)(index + 1) * TD_PYRAMID_ZONES);
    }
}

void td_pyramid_cover(const struct td_pyramid *pyramid, struct td_row_reader *reader, double start_ns,
                      double cell_ns, unsigned cells, uint32_t kinds, struct td_cover *cover)
{
    const struct cover_pass pass = {pyramid, reader, start_ns, cell_ns, cells, kinds, cover};
    const double end_ns = start_ns + cell_ns * cells;
    /* Zones that end at the start may have no length there. */
    uint64_t at = block_after(&pyramid->level[0], 0, nextafter(start_ns, -INFINITY)) * TD_PYRAMID_ZONES;
    while (at < reader->zones) {
        unsigned level = 0;
        uint64_t zones = 0;
        for (uint64_t n = TD_PYRAMID_ZONES; level < TD_PYRAMID_LEVELS; level++, n *= TD_PYRAMID_FAN) {
            if (at % n || at / n >= pyramid->level[level].count)
                break;
            zones = n;
        }
        if (zones) {
            if ((double)pyramid->level[level - 1].blocks[at / zones].start_ns >= end_ns)
                return;
            cover_block(&pass, level - 1, (size_t)(at / zones));
            at += zones;
            continue;
        }
        uint64_t stop = (at / TD_PYRAMID_ZONES + 1) * TD_PYRAMID_ZONES;
        stop = stop < reader->zones ? stop : reader->zones;
        if ((double)reader->start[td_row_reader_at(reader, at)] >= end_ns)
            return;
        cover_zones(&pass, at, stop);
        at = stop;
    }
}
