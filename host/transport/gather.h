/* Gatherer: something near the lanes (a probe, a relay core) that takes what they hold, clears it and gives
 * the room back, so that the host reads one stream instead of polling every lane.
 *
 * The host hands lanes over with add(), and then invites their cores (proto/device/lane.h), so that a
 * gatherer that outlives the host can disarm them; from add() on nobody else may touch rings and heads. A
 * gatherer takes something only while the lane's `joined` is the number that it was given with the lane. It
 * keeps each lane's slots in order. What gets lost on its way is seen by the slot numbers. Same
 * thread rules as the transport's.
 */
#ifndef TD_HOST_TRANSPORT_GATHER_H
#define TD_HOST_TRANSPORT_GATHER_H
#include "host/transport/transport.h"

struct td_gather_lane {
    struct td_tile_at tile;
    uint32_t lane; /* the host's number of it */
    uint32_t ctrl_address, ring_address, ring_slots;
    uint32_t head; /* number of the first slot to take */
    uint32_t join; /* number in `joined` while the core feeds the lane */
};

/* Whole slots of 2 words, in order, each valid, first one number first_slot of its lane. 0 or an error that
 * stops the gathering. */
typedef int td_gather_words(void *self, uint32_t lane, uint32_t first_slot, const uint32_t *words,
                            size_t slots, struct td_err *err);

struct td_gather_ops {
    int (*add)(struct td_gather *g, const struct td_gather_lane *lanes, size_t count, struct td_err *err);
    /* Hands on what has been gathered, about max_slots at most; *taken = slots. Waits up to wait_ms for the
     * first. */
    int (*take)(struct td_gather *g, uint32_t max_slots, int wait_ms, td_gather_words *words, void *self,
                size_t *taken, struct td_err *err);
    /* Hands on what has been gathered and gives the lanes back: what they still hold begins with each lane's
     * next slot. */
    int (*finish)(struct td_gather *g, td_gather_words *words, void *self, struct td_err *err);
};
struct td_gather_stats {
    uint64_t slots, bytes; /* taken; that crossed the link for them */
    uint64_t sessions; /* times that the gatherer was lost and came back: its lanes are the host's again */
    uint64_t bad_frames, lost_slots; /* damaged or missing frames; slots that were in them, as far as known */
};
struct td_gather {
    const struct td_gather_ops *ops;
    struct td_gather_stats stats;
};
#endif
