/* A native core: its places, its state, and what a real core's runtime keeps in static variables. */
#pragma once
#include "target/native/native.h"
#include "target/native/places.h"

struct td_native_core {
    struct td_native_places places;
    struct td_lane_state state;
    uint32_t packet_room[2 * TD_MAX_PACKET_SLOTS];
    struct td_main_zone kernel_zone;
    struct td_native_config config;
    const char *literals[]; /* of each site: the string constant that was found to be its name */
};

static inline struct td_native_core *td_native_current_core(void)
{
    return (struct td_native_core *)td_native_places; /* its first member */
}

static inline uint64_t td_native_clock(void)
{
    const struct td_native_config *config = &td_native_current_core()->config;
    return config->clock(config->self);
}

#define td_state       (td_native_current_core()->state)
#define td_packet_room (td_native_current_core()->packet_room)

static inline volatile uint32_t *td_tp(void)
{
    return td_native_places->tp;
}

static inline void td_set_tp(volatile uint32_t *at)
{
    td_native_places->tp = at;
}
