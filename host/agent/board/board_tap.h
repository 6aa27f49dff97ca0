/* A tap on a board source: sees everything that decides what the source's events are. With it, the events can
 * be made again (board_replay.h, host/agent/journal).
 *
 * All functions are called by the thread that polls the source. What they get is valid during the call. */
#pragma once
#include "host/agent/board/core_sampler.h"
#include "host/device/drain/drain.h"
#include "host/tt/l1_profiler.h"

#include <stdbool.h>

/* A launch of a tile, as it was read from tt-metal's buffers (tt_buffers.h). */
struct td_tt_launch {
    uint32_t tile; /* in the order of lanes */
    uint64_t now;  /* a recent time of its chip's clock */
    /* Of the launch that was read before: its number, and the host's end of each core. */
    uint32_t run, host_end[TD_TT_L1_CORES];
    int32_t id_bit; /* lowest bit of the host's id; -1: not known yet */
    const uint32_t *control;
    size_t control_words;
    const uint32_t *buffers; /* TD_TT_L1_CORES of TD_TT_L1_BUFFER_WORDS */
};

/* Words of a core's ring that were read one after the other (tt_rings.h), of whole packets. */
struct td_tt_ring_words {
    uint32_t lane;
    uint64_t now;  /* a recent time of its chip's clock */
    uint32_t lost; /* words just before these */
    const uint32_t *words;
    size_t count;
};

struct td_board_tap {
    void *self;
    /* What drain has delivered (td_drain_words, td_drain_damaged). */
    void (*words)(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots);
    void (*damaged)(void *self, const struct td_lane_at *at, uint32_t address, uint32_t slots);
    void (*clock)(void *self, uint32_t chip, const struct td_clock_sample *sample);
    /* A read of a lane's open zones, between two reads of the clock. */
    void (*opens)(void *self, uint32_t lane, uint64_t before, uint64_t after, const uint32_t *words,
                  size_t count);
    /* Where a core was. */
    void (*sample)(void *self, const struct td_core_sample *sample);
    /* An ELF whose names are used from now on. */
    void (*image)(void *self, uint64_t build_id, const void *bytes, size_t count);
    /* tt-metal's buffers: the layout's name, before launches; a line that names a zone, before launches that have it. */
    void (*tt_layout)(void *self, const char *name);
    void (*tt_zone)(void *self, const char *line, size_t bytes);
    void (*tt_launch)(void *self, const struct td_tt_launch *launch);
    void (*tt_words)(void *self, const struct td_tt_ring_words *words);
    /* A lane's control words at the end; joined: they are of this recording. */
    void (*control)(void *self, uint32_t lane, bool joined, const uint32_t ctrl[32]);
    /* The lanes were drained for the last time. */
    void (*finished)(void *self, const struct td_drain_stats *stats);
};
