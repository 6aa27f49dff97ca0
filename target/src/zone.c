#include "target/src/lane.h"

/* The close of a zone whose fast path could not take it. `end` is the clock's low half at the close, `ticks`
 * the low half of its duration, `start_high` the live high half right after the open's read. */
void td_zone_slow_c(uint32_t end, uint32_t ticks, uint32_t site, uint32_t start_high)
{
    if (!td_slow_begin())
        return;
    uint64_t now = td_clock64();
    /* The last time before now at which the clock's low half was `end`. */
    uint64_t end_ticks = (now & ~(uint64_t)UINT32_MAX) | end;
    if (end_ticks > now)
        end_ticks -= (uint64_t)1 << 32;
    if (td_lane_drop_zone(end_ticks))
        return;
    uint64_t start_ticks = (uint64_t)start_high << 32 | (uint32_t)(end - ticks);
    if (start_ticks > end_ticks) /* the clock wrapped between the open's two reads */
        start_ticks -= (uint64_t)1 << 32;
    td_zone_write(site, start_ticks, end_ticks, td_keep());
}

bool td_zone_write(uint32_t site, uint64_t start_ticks, uint64_t end_ticks, uint32_t keep)
{
    uint64_t ticks = end_ticks - start_ticks;
    uint32_t room[TD_PACKET_WORDS_ZONE];
    struct td_packet_words p;
    td_packet_begin(&p, room, TD_PACKET_ZONE, td_site_number(site), end_ticks);
    if (ticks <= TD_SHORT_DUR_MASK)
        p.word[0] =
            (site & ~TD_SHORT_DUR_MASK) | (uint32_t)ticks; /* which has the core's number if stamped */
    else
        td_packet_add(&p, ticks);
    return td_packet_write(&p, keep);
}
