#include "host/viewer/lod.h"
#include "host/event/map.h"

#include <math.h>

#define CELL_SAMPLES 4 /* zones of a cell that are read for the density */
#define WAIT_ROWS    6 /* rows that are searched for waits */

size_t td_lod_after(const struct td_trace *trace, uint32_t track, uint32_t row, size_t from, size_t count,
                    double time_ns)
{
    /* Widening steps first, then a binary search between the last two. */
    size_t low = from, step = 1;
    while (low < count && (double)td_trace_zone(trace, track, row, low).end_ns <= time_ns) {
        from = low + 1;
        low += step;
        step *= 2;
    }
    size_t high = low < count ? low : count;
    while (from < high) {
        size_t middle = from + (high - from) / 2;
        if ((double)td_trace_zone(trace, track, row, middle).end_ns > time_ns)
            high = middle;
        else
            from = middle + 1;
    }
    return from;
}

int64_t td_lod_time(double ns)
{
    return ns != ns ? 0 : ns >= 9.2e18 ? INT64_MAX : ns <= -9.2e18 ? INT64_MIN : (int64_t)floor(ns);
}

void td_lod_begin(struct td_lod *lod, const struct td_trace *trace, uint32_t track, uint32_t row,
                  double start_ns, double end_ns, double cell_ns)
{
    *lod = (struct td_lod){.trace = trace, .track = track, .row = row, .end_ns = end_ns, .cell_ns = cell_ns};
    lod->count = td_trace_row_zones(trace, track, row);
    lod->next = td_trace_zone_after(trace, track, row, td_lod_time(start_ns));
}

bool td_lod_next(struct td_lod *lod, struct td_lod_block *block)
{
    if (lod->next >= lod->count)
        return false;
    struct td_zone zone = td_trace_zone(lod->trace, lod->track, lod->row, lod->next);
    if ((double)zone.start_ns >= lod->end_ns)
        return false;
    *block = (struct td_lod_block){lod->next, 1, zone.start_ns, zone.end_ns};
    double wide = zone.end_ns == TD_OPEN ? INFINITY : (double)(zone.end_ns - zone.start_ns);
    lod->next++;
    if (wide >= lod->cell_ns)
        return true;
    double cell_end = (floor((double)zone.start_ns / lod->cell_ns) + 1) * lod->cell_ns;
    size_t next = td_lod_after(lod->trace, lod->track, lod->row, lod->next, lod->count, cell_end);
    if (next > lod->next) {
        block->count = next - block->first;
        block->end_ns = td_trace_zone(lod->trace, lod->track, lod->row, next - 1).end_ns;
        lod->next = next;
    }
    return true;
}

/* The i-th sample: a pseudo-random zone of the i-th part of the block. */
static size_t zone_to_sample(const struct td_lod_block *block, int i)
{
    size_t low = block->count * (size_t)i / TD_LOD_SAMPLES,
           high = block->count * (size_t)(i + 1) / TD_LOD_SAMPLES;
    return block->first + low + (size_t)(td_mix64(block->first + (size_t)i) % (high > low ? high - low : 1));
}

struct td_lod_samples td_lod_sample_block(const struct td_trace *trace, uint32_t track, uint32_t row,
                                          const struct td_lod_block *block)
{
    struct td_lod_samples samples = {.coverage = 1};
    samples.count = block->count < TD_LOD_SAMPLES ? (int)block->count : TD_LOD_SAMPLES;
    double total = 0, length[TD_LOD_SAMPLES];
    for (int i = 0; i < samples.count; i++) {
        samples.zones[i] =
            block->count > TD_LOD_SAMPLES ? zone_to_sample(block, i) : block->first + (size_t)i;
        struct td_zone zone = td_trace_zone(trace, track, row, samples.zones[i]);
        length[i] = zone.end_ns == TD_OPEN ? 1 : (double)(zone.end_ns - zone.start_ns);
        total += length[i];
    }
    for (int i = 0; i < samples.count; i++)
        samples.weight[i] = (float)(total > 0 ? length[i] / total : 1. / samples.count);
    double span = (double)block->end_ns - (double)block->start_ns;
    if (span > 0 && block->end_ns != TD_OPEN)
        samples.coverage = (float)fmin(1, total / samples.count * (double)block->count / span);
    return samples;
}

/* Adds the coverage of a row to the cells; only_waits: of waiting zones only. */
static void add_row_density(const struct td_trace *trace, uint32_t track, uint32_t row, double start_ns,
                            double cell_ns, int cells, bool only_waits, float *into)
{
    const struct td_dict *dict = td_trace_dict(trace);
    size_t count = td_trace_row_zones(trace, track, row);
    size_t at = td_trace_zone_after(trace, track, row, td_lod_time(start_ns));
    for (int c = 0; c < cells && at < count; c++) {
        double low = start_ns + c * cell_ns, high = low + cell_ns, covered = 0;
        struct td_zone first = td_trace_zone(trace, track, row, at);
        if ((double)first.start_ns >= high) {
            double skip = floor(((double)first.start_ns - start_ns) / cell_ns) - 1;
            if (skip > c)
                c = skip < cells ? (int)skip : cells;
            continue;
        }
        size_t next = td_lod_after(trace, track, row, at, count, high);
        /* Zones at .. next - 1 end in this cell; zone `next` may begin in it. */
        size_t inside = next - at, samples = inside < CELL_SAMPLES ? inside : CELL_SAMPLES;
        double total = 0;
        for (size_t i = 0; i < samples; i++) {
            struct td_zone z = td_trace_zone(trace, track, row, at + i * inside / samples);
            if (!only_waits || td_dict_get_srcloc(dict, z.srcloc)->flags & TD_SRCLOC_WAIT)
                total += (double)z.end_ns - fmax((double)z.start_ns, low);
        }
        if (samples)
            covered = total / (double)samples * (double)inside;
        if (next < count) {
            struct td_zone z = td_trace_zone(trace, track, row, next);
            if ((double)z.start_ns < high &&
                (!only_waits || td_dict_get_srcloc(dict, z.srcloc)->flags & TD_SRCLOC_WAIT))
                covered += high - fmax((double)z.start_ns, low);
        }
        into[c] += (float)fmin(1, covered / cell_ns);
        at = next;
    }
}

void td_lod_density(const struct td_trace *trace, uint32_t track, double start_ns, double cell_ns, int cells,
                    float *busy, float *waits)
{
    uint32_t rows = td_trace_rows(trace, track);
    if (rows)
        add_row_density(trace, track, 0, start_ns, cell_ns, cells, false, busy);
    for (uint32_t r = 0; waits && r < rows && r < WAIT_ROWS; r++)
        add_row_density(trace, track, r, start_ns, cell_ns, cells, true, waits);
}
