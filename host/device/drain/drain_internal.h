/* The inside of a drain, shared by drain.c (rounds over all lanes), drain_take.c (one lane in such a round),
 * drain_gather.c (a gatherer takes what lanes hold) and drain_damage.c (kernels that write over control
 * words). Private to this folder. */
#pragma once
#include "host/device/drain/drain_lane.h"
#include "host/device/drain/owner.h"
#include "host/device/drain/stamps.h"
#include "host/transport/gather.h"

/* Slots that wait: they follow a gap, or have to be given out in the order of the lanes. */
struct td_drain_deferred {
    uint32_t lane, slots;
    size_t at; /* in words */
};

struct td_drain_gather {
    struct td_gather *g;
    struct td_gather_lane *fresh; /* not handed over yet */
    size_t fresh_count, count;    /* count: handed over */
    struct td_drain_deferred *deferred;
    size_t deferred_count, deferred_room;
    uint32_t *words; /* of the deferred ones */
    size_t word_count, word_room;
    uint64_t lost_slots;
    uint64_t sessions; /* of the gatherer: the number of those already handled */
    /* For the callback. */
    td_drain_words *to;
    void *self;
};

struct td_drain {
    const struct td_board *board;
    struct td_drain_io io;
    struct td_owner owner;
    enum td_policy policy;
    int virtual_time; /* a simulated board in insn mode */
    struct td_drain_lane *lanes;
    size_t lane_count;
    int registered;
    size_t turn;     /* whose turn it is to come first; always the same in virtual time */
    uint32_t *block; /* control words of one tile */
    size_t block_bytes;
    struct td_drain_gather gather;
    struct td_stamps *stamps;  /* NULL: the tiles have no timestampers, or a gatherer has the lanes */
    td_drain_damaged *damaged; /* or NULL */
    void *damaged_self;
    int (*epoch)(void *self, struct td_err *err);
    void *epoch_self;
};

enum td_drain_round {
    TD_DRAIN_QUICK,    /* quiet lanes are not looked at closely each time */
    TD_DRAIN_THOROUGH, /* nothing is left that was there before */
    TD_DRAIN_LAST      /* the same, and nothing will follow */
};

static inline const uint32_t *td_drain_block_lane(const struct td_drain *drain, uint32_t core)
{
    return drain->block + (TD_TILE_CTRL_BYTES + TD_LANE_CTRL_BYTES * core) / 4;
}
/* Reads all control words of a tile at once, and checks that the tile is this agent's. `first`: its first
 * lane. */
int td_drain_read_tile(struct td_drain *drain, const struct td_drain_lane *first, struct td_err *err);
/* Checks the host's words of an armed lane, as read, and restores those that a kernel has overwritten. */
int td_drain_watch_lane(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                        struct td_err *err);
/* Reports that a kernel has overwritten a part of the lane, once a lane. `slots`: of its ring, or 0. */
void td_drain_say_damage(struct td_drain *drain, struct td_drain_lane *lane, uint32_t address,
                         uint32_t slots);
/* Takes what one lane has: number of slots dealt with, or an error. */
int td_drain_take_lane(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                       enum td_drain_round kind, td_drain_words *words, void *self, struct td_err *err);
/* At the end, with `overwrite`: reports what shows that a kernel wrote over slots that the core has given up. */
int td_drain_check_given(struct td_drain *drain, struct td_drain_lane *lane, struct td_err *err);
/* At the end: what the core skipped and has not been reported. */
void td_drain_count_skipped(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl);

/* Notes a lane; td_drain_gather_add() hands all noted ones over, then invites their cores. */
void td_drain_gather_note(struct td_drain *drain, const struct td_drain_lane *lane);
int td_drain_gather_add(struct td_drain *drain, struct td_err *err);
/* One look: *taken = slots. Some may be kept until the next td_drain_gather_give(). */
int td_drain_gather_take(struct td_drain *drain, td_drain_words *words, void *self, size_t *taken,
                         struct td_err *err);
/* Gives out the deferred slots, when no answer of the gatherer is under way. */
int td_drain_gather_give(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err);
/* All that is left; afterwards lanes are the drain's again. */
int td_drain_gather_finish(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err);
/* The gatherer's session was lost and began anew (stats.sessions): its lanes join again, and lost slots are
 * counted. */
int td_drain_gather_rejoin(struct td_drain *drain, struct td_err *err);
void td_drain_gather_free(struct td_drain *drain);
