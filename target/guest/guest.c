/* The runtime as a guest. No start code and no loader of this kit prepares a launch, so an image begins
 * without a lane, and its first marker comes here to find it. From then on the core looks at the host's
 * words of its lane whenever it comes here, at least once in a quarter of the ring. So an agent may come and
 * go at any time. */
#include "target/src/lane.h"

#include "tendril/guest_place.h"

#include <stddef.h>

/* In this kit's boards with Tensix tiles, unless the link says otherwise. */
__asm__(".weak td_clock_low\n\t.set td_clock_low,0xffb121f0\n\t"
        ".weak td_clock_live_high\n\t.set td_clock_live_high,0xffb121f4");

/* No clock has this high half for centuries, so the first marker comes to the slow path. */
volatile uint32_t td_guest_words[TD_RT_BYTES / 4]
    __attribute__((section(".sdata.td_guest_words"), aligned(TD_RT_BYTES))) = {[TD_RT_HIGH / 4] = UINT32_MAX};
struct td_guest td_guest;

/* For the host: where the words are. */
#define MAGIC   TD_SPELL(TD_GUEST_MAGIC)
#define VERSION TD_SPELL(TD_DEVICE_PROTO_VERSION)
__asm__(".pushsection " TD_SECTION_GUEST ",\"\",@progbits\n\t"
        ".word " MAGIC "," VERSION ",td_guest_words\n\t"
        ".popsection");

/* Ends of the sections that the sites make longer. The linker defines these symbols after it has relaxed the
 * code. */
#define SUM(n, section)                                                                                      \
    __asm__(".pushsection " section ",\"\",@nobits\n\t.popsection");                                         \
    static uint32_t get_sum##n(void)                                                                         \
    {                                                                                                        \
        uint32_t end;                                                                                        \
        __asm__(".option push\n\t.option norelax\n\t"                                                        \
                "lui %0,%%hi(__stop_" section ")\n\taddi %0,%0,%%lo(__stop_" section ")\n\t"                 \
                ".option pop"                                                                                \
                : "=r"(end));                                                                                \
        return end;                                                                                          \
    }
SUM(0, TD_SECTION_SUM0)
SUM(1, TD_SECTION_SUM1)

/* Markers between two looks for lanes. */
#define SKIPPED 63

static volatile uint32_t *find_lanes(void)
{
    const struct td_guest_place *place = &td_guest_place;
    volatile uint32_t *lanes = (volatile uint32_t *)place->lanes;
    if (place->word)
        lanes = (volatile uint32_t *)*(volatile uint32_t *)place->word;
    if (!lanes || (uintptr_t)lanes % 16 || lanes[TD_TILE_magic / 4] != TD_LANE_MAGIC)
        return NULL;
    td_fence();
    const uint32_t slots = lanes[TD_TILE_ring_slots / 4];
    const bool is_ours =
        lanes[TD_TILE_version / 4] == TD_DEVICE_PROTO_VERSION && place->core < lanes[TD_TILE_lanes / 4];
    return is_ours && slots && slots % (4 * TD_BLOCK_SLOTS) == 0 ? lanes : NULL;
}

static void enter_lane(volatile uint32_t *lanes)
{
    const uint32_t core = td_guest_place.core;
    /* What a marker said before there was a lane, or an agent. */
    struct td_main_zone *const open = td_state.open;
    const uint32_t op = td_state.op;
    const bool mute = td_state.mute;
    td_guest.tile_ctrl = lanes;
    td_guest.lane = lanes + (TD_TILE_CTRL_BYTES + core * TD_LANE_CTRL_BYTES) / 4;
    td_guest.ring_slots = lanes[TD_TILE_ring_slots / 4];
    td_guest.ring = lanes + (lanes[TD_TILE_ring_offset / 4] + core * td_guest.ring_slots * TD_SLOT_BYTES) / 4;
    td_guest.id[0] = TD_GUEST_ID0(get_sum0(), (uint32_t)(uintptr_t)td_guest_words);
    td_guest.id[1] = TD_GUEST_ID1(get_sum1());
    td_lane_begin_launch();
    td_guest.is_in_lane = true;
    td_state.open = open;
    td_state.op = op ? op : td_state.op;
    td_state.mute = mute;
    for (struct td_main_zone *zone = open; zone; zone = zone->outer)
        zone->written = 0; /* not in this recording: the end writes it whole */
    TD_LANE(proto_version) = TD_DEVICE_PROTO_VERSION;
    TD_LANE(build_id0) = td_guest.id[0];
    TD_LANE(build_id1) = td_guest.id[1];
}

/* Is td_state that of the recording which an agent makes now, if there is one? */
static bool is_up_to_date(void)
{
    const uint32_t policy = TD_LANE(policy);
    if (td_tile_ctrl[TD_TILE_agent / 4] == 0 || policy == TD_POLICY_OFF)
        return true; /* where the core would have to wait it leaves the recording */
    return policy == td_state.policy && TD_LANE(join) == TD_LANE(joined);
}

bool td_slow_begin(void)
{
    if (TD_RT(SKIP)) {
        TD_RT(SKIP)--;
        return false;
    }
    volatile uint32_t *lanes = find_lanes();
    if (lanes) {
        if (!td_guest.is_in_lane || !is_up_to_date())
            enter_lane(lanes);
        return true;
    }
    td_guest.is_in_lane = false;
    td_state.dead = true;
    td_lane_settle();
    TD_RT(SKIP) = SKIPPED;
    return false;
}

/* What the compiler calls; firmware need not have it. */
void *memset(void *to, int value, size_t bytes) __attribute__((weak));
void *memset(void *to, int value, size_t bytes)
{
    volatile unsigned char *at = to;
    while (bytes-- > 0)
        *at++ = (unsigned char)value;
    return to;
}
