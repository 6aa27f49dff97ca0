/* The lane as the core sees it: room, policies, packets. Private to the runtime.
 *
 * tp is the address of the next slot; the close of a zone only moves it. Everything else happens in calls
 * that the close makes when tp reaches the limit: at the ring's end, at each quarter of the ring (to publish
 * the tail hint), at the end of the room known so far, and where a LOST packet has to be written. */
#pragma once
#include "proto/device/lane.h"
#include "proto/device/packet.h"
#include "tendril/markers.h"
#include "riscv/clock.h"
#include "riscv/fence.h"
#include "riscv/rt_words.h"
#include "target/src/places.h"

#include <stdbool.h>
#include <stdint.h>

#define TD_LANE(name) td_lane[TD_LANE_##name / 4]
#define TD_RT(name)   td_rt_words[TD_RT_##name / 4]

/* Slots of the largest packet: with a TIME packet, it fits into an overwrite block after the block's context.
 */
#define TD_MAX_PACKET_SLOTS 27
#define TD_TEXT_BYTES       ((TD_MAX_PACKET_SLOTS - 1) * 6)

struct td_lane_state {
    uint32_t round;    /* number of the slot at the ring's start */
    uint32_t head;     /* slots taken by the consumer, as last seen */
    uint32_t policy;   /* enum td_policy of this launch */
    uint32_t reserved; /* drop: slots kept for the ends of zones whose begin is written */
    uint32_t op, written_op;
    /* Whole words: all of it is cleared at once, and a byte could be loaded before that (riscv/fence.h). */
    uint32_t dead;          /* no lane is set up here */
    uint32_t mute;          /* nothing is recorded */
    uint32_t image_written; /* this image's IMAGE packet */
    uint32_t stalled;       /* a STALL packet follows the packet that waited */
    uint64_t stall_ticks;
    uint64_t lost_from_ticks, lost_to_ticks;
    uint32_t untold; /* lost packets that no LOST packet has reported */
    /* The lane's words of these names. A kernel may write over those, so they are never read while it runs. In
     * `overwrite`, told_zones has the slots that were given up and that no marker had written, told_other the
     * recording's first slot. */
    uint32_t lost_zones, lost_other, told_zones, told_other, joined, skipped;
    struct td_main_zone *open; /* zones whose begin was announced, innermost first */
};

#ifdef TD_NATIVE
#include "target/native/core.h"
#else
extern struct td_lane_state td_state;
/* Room for the largest packet, for one packet at a time; in L1, since stacks are small. */
extern uint32_t td_packet_room[2 * TD_MAX_PACKET_SLOTS];
#endif
#if defined TD_GUEST && !defined TD_GUEST_TP
static inline volatile uint32_t *td_tp(void)
{
    return (volatile uint32_t *)TD_RT(NEXT);
}

static inline void td_set_tp(volatile uint32_t *at)
{
    TD_RT(NEXT) = (uint32_t)(uintptr_t)at;
}
#elif !defined TD_NATIVE
static inline volatile uint32_t *td_tp(void)
{
    volatile uint32_t *at;
    __asm__ volatile("mv %0,tp" : "=r"(at));
    return at;
}

static inline void td_set_tp(volatile uint32_t *at)
{
    __asm__ volatile("mv tp,%0" : : "r"(at) : "memory");
}
#endif

/* A packet in the making. */
struct td_packet_words {
    uint32_t *word; /* room for all its slots, 2 words each */
    uint32_t slots;
    uint32_t high; /* high half of its time */
    bool is_zone;
};
/* Starts it: head of `type` with id field and time; further slots by td_packet_add, in order. */
void td_packet_begin(struct td_packet_words *p, uint32_t *room, enum td_packet type, uint32_t id,
                     uint64_t ticks);
/* A continuation slot: 48 bits. */
void td_packet_add(struct td_packet_words *p, uint64_t v48);
/* Writes it into the lane; if there is no room it waits, drops or overwrites, by the policy. `keep`: slots
 * that it must leave free, 0 for what ends a launch, td_keep() for all else. True: it is in the lane. */
bool td_packet_write(struct td_packet_words *p, uint32_t keep);
/* The same, but what does not fit is not counted as lost. */
bool td_packet_try(struct td_packet_words *p, uint32_t keep);
/* The same for the end of a zone whose begin is in the lane: room was reserved, so it is never dropped, muted
 * or not. */
bool td_packet_write_reserved(struct td_packet_words *p, uint32_t keep);
/* If the previous packet found the lane full and nothing has been taken since, counts a zone as lost and
 * returns true. */
bool td_lane_drop_zone(uint64_t end_ticks);
#ifdef TD_GUEST
/* Every call that a marker makes because its quick path could not write begins with this: it finds the lane,
 * and sees an agent that has come. False: there is no lane, so the marker need not be written. */
bool td_slow_begin(void);
#else
static inline bool td_slow_begin(void)
{
    return true;
}
#endif
/* Takes up the lane where the launch before left it, or joins the recording that the agent has begun since
 * (proto/device/lane.h). */
void td_lane_begin_launch(void);
/* Slots that a packet has to leave free. */
uint32_t td_keep(void);
/* Room for `slots` in one piece at tp. May move tp. False: to be dropped. */
bool td_lane_room(uint32_t slots, uint32_t keep);
/* Writes the words of the lane again that a kernel may have written over. */
void td_lane_rewrite(void);
/* Sets the limit anew and publishes the tail. Every change of tp in the runtime ends with it. */
void td_lane_settle(void);
/* Number of the slot at tp. */
uint32_t td_lane_position(void);

/* Writes a zone in its short or long form. */
bool td_zone_write(uint32_t site, uint64_t start_ticks, uint64_t end_ticks, uint32_t keep);

/* The id field of a head: a site's number. */
static inline uint32_t td_site_number(uint32_t site)
{
    return (site & ~TD_SLOT_VALID) >> TD_SHORT_ID_SHIFT;
}
