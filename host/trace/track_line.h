/* Further tracks for zones of a track that overlap others: their number is in the thread's id. */
#pragma once
#include "host/event/dict.h"

/* In bits that no thread has. */
#define TD_TRACK_LINE_SHIFT 56

/* 0: not such a track. */
static inline uint32_t td_track_line(const struct td_track *track)
{
    return (uint32_t)(track->thread >> TD_TRACK_LINE_SHIFT);
}
