/* What a test counts of the records of one lane. */
#pragma once
#include "host/device/drain/drain.h"
#include "host/device/image/image.h"
#include "host/device/drain/packet_decoder.h"

#include <stdint.h>

struct lane_count {
    struct td_packet_decoder decoder;
    const struct td_image *image;
    uint64_t slots, missing;               /* that came; that the drain says were lost */
    uint32_t counted_zones, counted_other; /* overwrite: came or are known to be lost, as the core counts */
    uint64_t zones, logs, plots, texts, values, ops, begins, kernels, exits, stalls, lost_zones, lost_other;
    uint64_t first_log, last_log, last_op, last_plot, last_end_ticks, stall_ticks;
    uint64_t out_of_order; /* an end before the one that came before it */
    uint64_t wrong_logs; /* "after N" that does not come after N zones, or not after the 1000 that are due */
    char last_text[64];
};

void lane_count_init(struct lane_count *lane);
/* What the drain hands over of this lane; the result of td_packet_decoder_feed(). */
int lane_count_words(struct lane_count *lane, const struct td_lane_at *at, const uint32_t *words,
                     size_t slots);
/* What the decoder still holds. */
void lane_count_finish(struct lane_count *lane);
