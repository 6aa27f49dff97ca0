/* One lane as the drain sees it: through a map of the tile's memory, or by reads and writes. Private to
 * drain*.c. */
#pragma once
#include "host/device/drain/drain.h"

struct td_drain_lane {
    struct td_lane_at at;
    uint32_t ctrl_address, ring_address;
    uint32_t *ctrl;        /* mapped, or NULL */
    uint64_t *ring;        /* mapped, or NULL */
    uint32_t head;         /* slots taken */
    uint32_t join;         /* number under which the core feeds this drain */
    uint32_t skipped;      /* the core's word of that name, as far as it was reported */
    uint32_t joined;       /* what that word was when the core was invited first */
    uint32_t launch, tail; /* the same; and `tail` as far as missed launches were counted */
    /* Overwrite: packets that the core had given up, and the first slot that it had not, when the lane was
     * found overwritten last. */
    uint32_t given_zones, given_other, given_first;
    uint32_t first;       /* of the core in this recording */
    uint32_t quiet;       /* polls since a slot was seen */
    uint32_t holes;       /* of these: looks at a slot that is not there although the tail is beyond it */
    uint32_t missing;     /* slots lost before the next ones */
    uint8_t in_hole;      /* overwrite: they held nothing */
    uint8_t looked;       /* slots beyond the core's hint were looked for in the last round, too */
    uint8_t open;         /* the core fed the lane when it was last looked at */
    uint8_t opened;       /* it has, in this recording */
    uint8_t rejoining;    /* the core is invited to rejoin: what it writes until then is skipped */
    uint8_t gathered;     /* a gatherer has it: only that may touch its ring and head */
    uint8_t left;         /* it was seen to leave since its last slots */
    uint8_t returned;     /* its gatherer has returned it, and `head` is up to date */
    uint8_t deferred;     /* slots of it are kept */
    uint8_t damaged;      /* that was said */
    uint8_t tile_damaged; /* of a tile's first lane: that was said of the tile */
    uint8_t disarmed;     /* by a gatherer that lost its session */
};

struct td_drain_io {
    struct td_transport *t;
    uint32_t ring_slots;
    uint32_t *buffer; /* ring_slots slots */
    struct td_drain_stats stats;
    uint64_t skipped; /* slots that cores wrote after they had left */
};

/* The most slots that the core can have written from the lane's head on: what looks like a slot further on, a kernel has
 * written over the ring. By its `tail`, and in `overwrite` by its `given`. */
uint32_t td_drain_lane_most(const struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t tail);
uint32_t td_drain_lane_most_given(const struct td_drain_io *io, const struct td_drain_lane *lane,
                                  uint32_t given);
/* Slots that are there, in order from the lane's head, copied to io->buffer; at most a ring. `tail`: the
 * core's hint; `beyond`: look further than it. Returns their number or an error. */
int td_drain_lane_copy(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t tail, int past_hint,
                       struct td_err *err);
/* Can that be the core's word `given`? */
bool td_drain_lane_given_fits(const struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t given);
/* Copies slots of a ring in overwrite, while the core may run: whole ones, from *first on, which is past the
 * lane's head if that was given up. `ctrl`: the lane's control words, read before. */
int td_drain_lane_copy_given(struct td_drain_io *io, const struct td_drain_lane *lane, const uint32_t *ctrl,
                             int past_hint, uint32_t *first, struct td_err *err);
/* What the core says that it has given up. */
struct td_drain_given {
    uint32_t before; /* the first slot that it has not */
    uint32_t zones, other;
    uint32_t
        spoilt; /* slots that held what no marker has written; too many if the words contradict each other */
};
/* 1, or 0: a block is being given up at the moment, or an error. `stands_still`: the core may have been stopped while
 * it gave up a block. Then the counts that it has not written are made up for. */
int td_drain_lane_given(struct td_drain_io *io, const struct td_drain_lane *lane, bool stands_still,
                        struct td_drain_given *given, struct td_err *err);
/* Takes what was given up of `slots` slots in io->buffer, from slot `first` on, off the counts. False: slots after them
 * were given up, too. */
bool td_drain_given_before(const struct td_drain_io *io, struct td_drain_given *given, uint32_t first,
                           uint32_t slots);
/* Slots from the lane's head on, at most `slots`, before the next one that begins a packet: their number, or an error. */
int td_drain_lane_hole(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t slots,
                       struct td_err *err);
/* The first `slots` slots are dealt with: clears them, then gives them back to the core. */
int td_drain_lane_release(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t slots,
                          struct td_err *err);
/* Gives copied slots, if any, to the callback and counts them, after what is missing before them. */
int td_drain_lane_hand_on(struct td_drain_io *io, struct td_drain_lane *lane, const uint32_t *from,
                          uint32_t slots, td_drain_words *words, void *self, struct td_err *err);
int td_drain_lane_read(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t offset,
                       uint32_t *value, struct td_err *err);
int td_drain_lane_write(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t offset,
                        uint32_t value, struct td_err *err);
/* Has the core join: at its next launch, from `head` on. */
int td_drain_lane_invite(struct td_drain_io *io, const struct td_drain_lane *lane, enum td_policy policy,
                         struct td_err *err);
/* A number for an invitation: after `join` and not equal to `joined`; `rejoining`: to the same recording. */
uint32_t td_drain_lane_number(uint32_t join, uint32_t joined, int rejoining);
/* Slots that the core reports as skipped since the last call. False: it cannot be, a kernel has written over
 * the word: only a core that was seen to leave has skipped any. */
bool td_drain_lane_skipped(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t skipped);
/* Counts what launches wrote that began while a gatherer had disarmed the lane, so that their core never joined. */
void td_drain_lane_missed(struct td_drain_io *io, struct td_drain_lane *lane, const uint32_t *ctrl);
/* Does the core feed the lane? Its word `joined` says so. One that had joined goes on when a kernel has
 * written over that word, and writes it again. */
static inline bool td_drain_lane_is_fed(const struct td_drain_lane *lane, uint32_t joined)
{
    return joined == lane->join || (lane->open && joined != (lane->join | TD_JOIN_LEFT));
}
