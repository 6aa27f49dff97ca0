/* Levels of detail: what of a row of zones is drawn at a scale, found without walking over all of them.
 *
 * Time is cut into cells of a few pixels at fixed places, so that nothing flickers while panning. Zones
 * narrower than a cell are drawn together with those behind them that end in the same cell; one binary search
 * finds the last of them. The number of blocks is so at most twice the number of cells, whatever the number
 * of zones. Only reads the model; thread-safe. */
#ifndef TD_HOST_VIEWER_LOD_H
#define TD_HOST_VIEWER_LOD_H
#include "host/trace/trace.h"
#include <stdbool.h>

/* To whole ns, downwards; what is out of range becomes the end of it. */
int64_t td_lod_time(double ns);

struct td_lod {
    const struct td_trace *trace;
    uint32_t track, row;
    size_t next, count;
    double end_ns, cell_ns;
};

struct td_lod_block {
    size_t first, count;      /* zones first .. first + count - 1 */
    int64_t start_ns, end_ns; /* end of the last zone; TD_OPEN if it has none */
};

/* Blocks of the row that are seen between start_ns and end_ns, with cells of cell_ns (> 0). */
void td_lod_begin(struct td_lod *lod, const struct td_trace *trace, uint32_t track, uint32_t row,
                  double start_ns, double end_ns, double cell_ns);
/* False: no more. A block of one zone may be as wide as it likes, others are at most a cell wide or so. */
bool td_lod_next(struct td_lod *lod, struct td_lod_block *block);

/* What a block of many zones looks like, by a few of them. */
#define TD_LOD_SAMPLES 8
struct td_lod_samples {
    int count;
    size_t zones[TD_LOD_SAMPLES]; /* looked at, spread unevenly so that no pattern of theirs is met */
    float weight[TD_LOD_SAMPLES]; /* their lengths; the sum is 1 */
    float coverage;               /* about how much of the block's time is in zones, 0..1 */
};
struct td_lod_samples td_lod_sample_block(const struct td_trace *trace, uint32_t track, uint32_t row,
                                          const struct td_lod_block *block);

/* First zone of the row from `from` on that ends after time_ns: as td_trace_zone_after(), faster when it is
 * near. */
size_t td_lod_after(const struct td_trace *trace, uint32_t track, uint32_t row, size_t from, size_t count,
                    double time_ns);

/* Adds to busy[i] how much of cell i is covered by zones of the track, and to waits[i] (may be NULL) how much
 * by zones that wait; 0..1 each. Cells of cell_ns from start_ns on. */
void td_lod_density(const struct td_trace *trace, uint32_t track, double start_ns, double cell_ns, int cells,
                    float *busy, float *waits);
#endif
