/* Inside of the board source:
 *
 *   board_replay.c  feeds it without a board
 *   board_source.c  creates it, drains and decodes, ends the lanes
 *   board_tt.c      reads tt-metal's buffers in place of lanes
 *   board_push.c    clock samples; converts times and pushes events to the hub
 */
#pragma once
#include "host/agent/board/board_source.h"
#include "host/agent/board/board_tap.h"
#include "host/agent/board/core_samples.h"
#include "host/agent/board/lane_send.h"
#include "host/device/drain/drain.h"
#include "host/device/drain/sync.h"

/* Of a replay: a lane's control words at the end. */
struct td_board_control {
    bool known, joined;
    uint32_t ctrl[32];
};

struct td_board_source {
    struct td_transport *transport; /* NULL: a replay, which has no board */
    const struct td_board *board;
    struct td_board_source_options options;
    struct td_dict *dict;
    struct td_dict_holder holder; /* of texts that wait in the lanes */
    struct td_images *images;
    struct td_drain *drain;
    struct td_tt_buffers *tt; /* in place of the drain; NULL: none */
    bool lacks_tt;
    bool lacks_stamps;      /* zones of timestampers were not read */
    struct td_sync **syncs; /* one a chip: all Tensix tiles of a chip share one clock */
    uint64_t *launches;     /* per lane: begin of the launch that ran at the last read of open zones */
    int64_t next_open_ns, next_look_ns;
    struct td_hub *hub; /* NULL: events wait until finish */
    uint64_t t0;
    double ns_per_tick;
    int64_t earliest_ns;
    uint32_t *tracks;        /* per lane; UINT32_MAX: none yet */
    uint32_t *sample_tracks; /* the same, of samples */
    struct td_lane_names names;
    struct td_core_sampler *sampler; /* NULL: cores are not sampled, or it is a replay */
    struct td_core_samples *samples;
    struct td_store *store; /* events of the lanes until they are pushed to the hub */
    struct td_lane_events *lanes;
    uint32_t lane_count;
    char **faults, **damages; /* lines; at most one for each lane and tile */
    struct td_board_summary summary;
    struct td_board_control *controls; /* of a replay, per lane; else NULL */
    struct td_drain_stats replayed;    /* of a replay */
    struct td_err gone;                /* why the board went away at the end; code 0: it did not */
};

/* The place of a lane. Lane numbers run over chips, then rows, then columns, then cores. */
/* A store for the lanes' events that wait; NULL: no memory. */
struct td_store *td_board_new_store_(const struct td_board_source *source);
struct td_lane_at td_board_lane_at_(const struct td_board_source *source, uint32_t index);
/* The chip's number in the trace, in which other boards may have the first ones. */
static inline unsigned td_board_chip_in_trace_(const struct td_board_source *source, struct td_tile_at tile)
{
    return source->options.first_chip + tile.chip;
}
#define TD_BOARD_CORE_BYTES_ 96
/* Writes the name of the lane's core in the trace. Returns its length. */
int td_board_put_core_(const struct td_board_source *source, const struct td_lane_at *at, char *to,
                       size_t bytes);
/* What the drain calls: td_drain_words and td_drain_damaged. `self` is the source. */
int td_board_on_words_(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                       struct td_err *err);
void td_board_on_damaged_(void *self, const struct td_lane_at *at, uint32_t address, uint32_t slots);
/* Sends on what no later clock sample or packet changes. */
int td_board_push_settled_(struct td_board_source *source, struct td_err *err);
/* board_tt.c: looks at tt-metal's buffers; at the end for the last time, and sums up. */
int td_board_poll_tt_(struct td_board_source *source, size_t *taken, struct td_err *err);
int td_board_end_tt_(struct td_board_source *source, int board_gone, struct td_err *err);
/* Keeps a sample of a core (td_core_sampled); `self` is the source. */
int td_board_on_sample_(void *self, const struct td_core_sample *sample, struct td_err *err);
/* Pushes the events of all lanes that were not sent on yet, and frees the rest of the lanes' memory. 0 or a
 * negative enum td_e. */
int td_board_push_rest_(struct td_board_source *source, struct td_hub *hub, uint64_t t0, double ns_per_tick,
                        struct td_err *err);
