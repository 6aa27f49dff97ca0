/* One lane as the drain sees it: through a map of the tile's memory, or by reads and writes. Private to
 * drain*.c. */
#ifndef TD_HOST_DEVICE_DRAIN_LANE_H
#define TD_HOST_DEVICE_DRAIN_LANE_H
#include "host/device/drain.h"

struct td_drain_lane {
    struct td_lane_at at;
    uint32_t ctrl_address, ring_address;
    uint32_t *ctrl;   /* mapped, or NULL */
    uint64_t *ring;   /* mapped, or NULL */
    uint32_t head;    /* slots taken */
    uint32_t quiet;   /* polls since a slot was seen */
    int armed;        /* the core obeys the policy; 0: it was running when the drain came */
    int gathered;     /* a gatherer has it: nobody else may touch its ring and head */
    uint32_t missing; /* gathered: slots lost before those that come next */
    int late;         /* slots of it are kept */
    int again;        /* it had joined before its gatherer was lost */
};

struct td_drain_io {
    struct td_transport *t;
    uint32_t ring_slots;
    uint32_t *buffer; /* ring_slots slots */
    struct td_drain_stats stats;
};

/* Slots that are there, in order from the lane's head, copied to io->buffer; at most a ring. `tail`: the
 * core's hint; `beyond`: look further than it. Returns their number or an error. */
int td_drain_lane_copy(struct td_drain_io *io, const struct td_drain_lane *lane, uint32_t tail, int beyond,
                       struct td_err *err);
/* The first `slots` of them are dealt with: clears them, then gives them back to the core. */
int td_drain_lane_release(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t slots,
                          struct td_err *err);
/* What an overwritten ring still holds, the core standing still: the slots up to the tail that follow the
 * last overwritten block, invalid ones left out. `exact`: the tail is, else
 * its block may hold more. *gap = some before them are lost. */
int td_drain_lane_newest(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t tail, int exact,
                         int *gap, struct td_err *err);
/* Hands on slots that were copied, if there are any, and counts them. */
int td_drain_lane_hand_on(struct td_drain_io *io, const struct td_drain_lane *lane, const uint32_t *from,
                          uint32_t slots, td_drain_words *words, void *self, struct td_err *err);
/* Empties the ring and begins at `tail`. */
int td_drain_lane_rewind(struct td_drain_io *io, struct td_drain_lane *lane, uint32_t tail,
                         struct td_err *err);
int td_drain_lane_policy(struct td_drain_io *io, struct td_drain_lane *lane, enum td_policy policy,
                         struct td_err *err);
#endif
