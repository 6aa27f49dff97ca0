/* TT rings: the packets of tt-metal's streaming device profiler (host/tt/stream_ring.h) become events of the lanes. Only
 * reads the board: its own relay takes the packets out of the rings, and they stay there until they are written over.
 * Words that were written over before a tile was looked at are counted as lost. For tt_buffers.c. Not thread-safe. */
#pragma once
#include "host/agent/board/board_tap.h"
#include "host/agent/board/lane_events.h"
#include "host/device/board/board.h"
#include "host/tt/stream_ring.h"

struct td_tt_rings_stats {
    uint64_t launches;   /* of cores, whose begin was read */
    uint64_t lost_words; /* that were written over */
    uint64_t odd;        /* words that were no packets */
    uint32_t unknown;    /* ids without a name */
};

struct td_tt_rings;
/* zones: of td_tt_ring_names_create(). `lanes`: of all cores of all tiles. NULL: no memory. */
struct td_tt_rings *td_tt_rings_create(const struct td_board *board, struct td_lane_events *lanes,
                                       struct td_dict *dict, const char *zones,
                                       const struct td_board_tap *tap);
void td_tt_rings_destroy(struct td_tt_rings *rings);
/* Looks at the rings of a tile whose control words are at `control`. now: a recent time of its chip's clock. *taken: reads
 * that had packets. 0 or a negative enum td_e. */
int td_tt_rings_poll(struct td_tt_rings *rings, struct td_transport *t, struct td_tile_at at, uint32_t tile,
                     uint32_t control, uint64_t now, size_t *taken, struct td_err *err);
/* What a tap got. 0, TD_E_FORMAT, TD_E_NOMEM. */
int td_tt_rings_replay_zone(struct td_tt_rings *rings, const char *line, size_t bytes);
int td_tt_rings_replay_words(struct td_tt_rings *rings, const struct td_tt_ring_words *words,
                             struct td_err *err);
struct td_tt_rings_stats td_tt_rings_get_stats(const struct td_tt_rings *rings);
