/* Levels of detail: reduces a row of zones to the blocks that are drawn at a scale, without reading every
 * zone.
 *
 * Time is divided into cells of a few pixels. Cells begin at multiples of their length, so that nothing
 * flickers while panning. A zone narrower than a cell forms one block with the following zones that end in
 * the same cell; a binary search finds the last of them. There are at most twice as many blocks as cells,
 * however many zones there are. Only reads the model; thread-safe. */
#ifndef TD_HOST_VIEWER_LOD_H
#define TD_HOST_VIEWER_LOD_H
#include "host/trace/trace.h"
#include <stdbool.h>

/* Rounds down to whole ns; values out of range become the least or greatest time. */
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

/* Iterates over the blocks of the row between start_ns and end_ns; cells are cell_ns (> 0) long. */
void td_lod_begin(struct td_lod *lod, const struct td_trace *trace, uint32_t track, uint32_t row,
                  double start_ns, double end_ns, double cell_ns);
/* False: no more blocks. Only a block of a single zone is wider than about a cell. */
bool td_lod_next(struct td_lod *lod, struct td_lod_block *block);

/* A few zones of a block, from which its colour and coverage are estimated. */
#define TD_LOD_SAMPLES 8
struct td_lod_samples {
    int count;
    size_t zones[TD_LOD_SAMPLES]; /* spread unevenly, so that a periodic pattern does not bias them */
    float weight[TD_LOD_SAMPLES]; /* share of the lengths; the sum is 1 */
    float coverage;               /* estimated share of the block's time in zones, 0..1 */
};
struct td_lod_samples td_lod_sample_block(const struct td_trace *trace, uint32_t track, uint32_t row,
                                          const struct td_lod_block *block);

/* First zone of the row from `from` on that ends after time_ns; faster than td_trace_zone_after() when it is
 * close to `from`. */
size_t td_lod_after(const struct td_trace *trace, uint32_t track, uint32_t row, size_t from, size_t count,
                    double time_ns);

/* Adds to busy[i] the share (0..1) of cell i that zones of the track cover, and to waits[i] (may be NULL)
 * the share that waiting zones cover. Cell 0 begins at start_ns; cells are cell_ns long. */
void td_lod_density(const struct td_trace *trace, uint32_t track, double start_ns, double cell_ns, int cells,
                    float *busy, float *waits);
#endif
