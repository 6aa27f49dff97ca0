/* Checks lane frames (proto/device/frame.h) from a gatherer, and delivers them. */
#pragma once
#include "host/transport/gather.h"

/* Delivers the whole frames at the beginning of `words`. *used is the number of words that were consumed;
 * a frame that is cut off at the end is not. Words that are not part of a frame are skipped and counted in
 * stats. Returns 0, or what the callback returned. */
int td_lane_frames(const uint32_t *words, size_t count, struct td_gather_stats *stats,
                   td_gather_words *on_words, void *self, size_t *used, struct td_err *err);
