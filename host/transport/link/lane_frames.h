/* Lane frames (proto/device/frame.h) as they arrive from a gatherer: checked, and handed on. */
#ifndef TD_HOST_TRANSPORT_LINK_LANE_FRAMES_H
#define TD_HOST_TRANSPORT_LINK_LANE_FRAMES_H
#include "host/transport/gather.h"

/* Hands on the whole frames at the beginning of `words`; *used = words that were dealt with: a frame that is
 * cut off at the end stays. Bytes that are no frame are skipped up to the next one and counted in stats.
 * Returns 0 or what the callback returned. */
int td_lane_frames(const uint32_t *words, size_t count, struct td_gather_stats *stats,
                   td_gather_words *on_words, void *self, size_t *used, struct td_err *err);
#endif
