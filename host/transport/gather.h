/* Gatherer: a probe or a relay near the lanes that takes their slots, clears them and gives the room back, so
 * that the host reads one stream instead of polling each lane.
 *
 * The host hands lanes over with add() and then invites their cores (proto/device/lane.h), so that a gatherer
 * that outlives the host can disarm them. After add() only the gatherer may touch rings and heads. It takes
 * slots only while the lane's `joined` is the number that it got with the lane, and keeps the slots of a lane
 * in order. Slot numbers show which ones were lost on the way. Threads: as for transports.
 */
#pragma once
#include "host/transport/transport.h"

struct td_gather_lane {
    struct td_tile_at tile;
    uint32_t lane; /* the host's number of it */
    uint32_t ctrl_address, ring_address, ring_slots;
    uint32_t head; /* number of the first slot to take */
    uint32_t join; /* the value of `joined` while the core feeds the lane */
};

/* Whole slots of 2 words, in order, each valid, first one number first_slot of its lane. 0 or an error that
 * stops the gathering. */
typedef int td_gather_words(void *self, uint32_t lane, uint32_t first_slot, const uint32_t *words,
                            size_t slots, struct td_err *err);

struct td_gather_ops {
    int (*add)(struct td_gather *g, const struct td_gather_lane *lanes, size_t count, struct td_err *err);
    /* Delivers gathered slots, about max_slots at most; *taken is their number. Waits up to wait_ms for the
     * first one. */
    int (*take)(struct td_gather *g, uint32_t max_slots, int wait_ms, td_gather_words *words, void *self,
                size_t *taken, struct td_err *err);
    /* Delivers all gathered slots and returns the lanes to the host: the slots that are still in them
     * begin with each lane's next slot number. */
    int (*finish)(struct td_gather *g, td_gather_words *words, void *self, struct td_err *err);
};
struct td_gather_stats {
    uint64_t slots, bytes; /* slots taken; bytes that crossed the link for them */
    uint64_t sessions; /* times that the gatherer was lost and came back; the lanes then belong to the host */
    uint64_t bad_frames, lost_slots; /* damaged or missing frames; slots known to have been in them */
};
struct td_gather {
    const struct td_gather_ops *ops;
    struct td_gather_stats stats;
};
