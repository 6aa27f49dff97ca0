#include "target/src/lane.h"

/* A guest's launch ends with its outermost zone of a kernel. In other images launch.c flushes the sums. */
#ifdef TD_GUEST
#define IS_LAUNCH(zone) (!(zone)->outer)
#else
#define IS_LAUNCH(zone) false
#endif
void td_sum_flush(void) __attribute__((weak));

#define END_SLOTS 4 /* END, a TIME and an OP before it, a gap of one slot at the ring's end */

void td_main_begin(struct td_main_zone *zone, uint32_t site)
{
    uint32_t room[TD_PACKET_WORDS_BEGIN];
    struct td_packet_words p;
    td_slow_begin();
    zone->start_ticks = td_clock64();
    zone->site = site;
    zone->written = 0;
    /* Nothing is counted as lost if it does not fit: its end will try as a whole ZONE packet. */
    uint32_t keep = td_keep() + END_SLOTS;
    td_packet_begin(&p, room, TD_PACKET_BEGIN, td_site_number(site), zone->start_ticks);
    if (td_packet_try(&p, keep)) {
        zone->written = 1;
        td_state.reserved += END_SLOTS;
    }
    zone->outer = td_state.open;
    td_state.open = zone;
}

void td_main_end(struct td_main_zone *zone)
{
    td_slow_begin();
    if (td_sum_flush && IS_LAUNCH(zone))
        td_sum_flush();
    uint64_t now = td_clock64();
    uint32_t room[TD_PACKET_WORDS_WHOLE];
    struct td_packet_words p;
    td_state.open = zone->outer;
    if (!zone->written) {
        td_zone_write(zone->site, zone->start_ticks, now, zone->outer ? td_keep() : 0);
        return;
    }
    td_state.reserved -= END_SLOTS;
    /* In `overwrite` the BEGIN may be given up before anybody has seen it. */
    const bool whole = td_state.policy == TD_POLICY_OVERWRITE;
    td_packet_begin(&p, room, whole ? TD_PACKET_WHOLE : TD_PACKET_END, td_site_number(zone->site), now);
    if (whole)
        td_packet_add(&p, now - zone->start_ticks);
    td_packet_write_reserved(&p, zone->outer ? td_keep() : 0);
}
