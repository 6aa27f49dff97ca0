#include "host/transport/link/lane_frames.h"
#include "proto/device/frame.h"

#include <stdbool.h>

static bool is_head(const uint32_t *w)
{
    return w[0] >> 16 == TD_FRAME_MAGIC && (w[0] & 0xffff) != 0 && w[3] == TD_FRAME_CHECK(w[0], w[1], w[2]);
}

int td_lane_frames(const uint32_t *words, size_t count, struct td_gather_stats *stats,
                   td_gather_words *on_words, void *self, size_t *used, struct td_err *err)
{
    size_t at = 0;
    int rc = 0, damaged = 0;
    while (rc == 0 && at < count) {
        const uint32_t *w = words + at;
        if (w[0] == 0) {
            at++;
            continue;
        }
        if (w[0] >> 16 == TD_FRAME_MAGIC && count - at < TD_FRAME_HEAD_WORDS)
            break;
        if (count - at < TD_FRAME_HEAD_WORDS || !is_head(w)) {
            stats->bad_frames += !damaged;
            damaged = 1;
            at++;
            continue;
        }
        damaged = 0;
        size_t slots = w[0] & 0xffff;
        if (count - at < TD_FRAME_HEAD_WORDS + 2 * slots)
            break;
        rc = on_words(self, w[1], w[2], w + TD_FRAME_HEAD_WORDS, slots, err);
        stats->slots += slots;
        at += TD_FRAME_HEAD_WORDS + 2 * slots;
    }
    *used = at;
    return rc;
}
