/* TT buffers: what tt-metal's own device profiler has in the tiles' L1 (host/tt/l1_profiler.h, or the rings of
 * tt_rings.h) becomes events of the lanes. Only reads the board. Launches that were over before a tile was looked at again are counted as lost.
 * What a tap has seen of it makes the same events again, without the board; its values may be hostile.
 * Not thread-safe. */
#pragma once
#include "host/agent/board/board_tap.h"
#include "host/agent/board/lane_events.h"
#include "host/agent/board/tt_options.h"
#include "host/device/board/board.h"

struct td_tt_buffers_stats {
    uint64_t launches;      /* of tiles, that were read */
    uint64_t missed;        /* launches that were not */
    uint64_t full;          /* buffers of a core that were full, so that later markers may be missing */
    uint64_t ring_launches; /* of cores, whose begin was read from a ring */
    uint64_t lost_words;    /* of rings: written over before they were read */
    uint64_t odd;           /* words that were no markers */
    uint32_t unknown;       /* ids without a name */
    const char *layout;     /* NULL: no buffers were found */
};

struct td_tt_buffers;
/* `lanes`: of all cores of all tiles, in the order of the board source. All pointers must outlive it. */
struct td_tt_buffers *td_tt_buffers_create(struct td_transport *t, const struct td_board *board,
                                           struct td_lane_events *lanes, struct td_dict *dict,
                                           const struct td_tt_buffers_options *options,
                                           const struct td_board_tap *tap, struct td_err *err);
void td_tt_buffers_destroy(struct td_tt_buffers *buffers);
/* Looks at all tiles once. now_ticks: a recent time of each chip's clock. *taken: launches that were read. 0 or a
 * negative enum td_e. */
int td_tt_buffers_poll(struct td_tt_buffers *buffers, const uint64_t *now_ticks, size_t *taken,
                       struct td_err *err);
/* Without a board, from a tap. The layout: of this name. 0, TD_E_FORMAT, TD_E_NOMEM. */
struct td_tt_buffers *td_tt_buffers_replay_create(const struct td_board *board, struct td_lane_events *lanes,
                                                  struct td_dict *dict, const char *layout,
                                                  struct td_err *err);
int td_tt_buffers_replay_zone(struct td_tt_buffers *buffers, const char *line, size_t bytes);
int td_tt_buffers_replay_launch(struct td_tt_buffers *buffers, const struct td_tt_launch *launch,
                                struct td_err *err);
int td_tt_buffers_replay_words(struct td_tt_buffers *buffers, const struct td_tt_ring_words *words,
                               struct td_err *err);
struct td_tt_buffers_stats td_tt_buffers_get_stats(const struct td_tt_buffers *buffers);
