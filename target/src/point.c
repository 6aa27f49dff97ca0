#include "target/src/point.h"

void td_point_slow(enum td_packet type, uint32_t site, uint32_t word)
{
    uint32_t room[TD_PACKET_WORDS_PLOT_INT];
    struct td_packet_words p;
    if (!td_slow_begin())
        return;
    td_packet_begin(&p, room, type, td_site_number(site), td_clock64());
    td_packet_add(&p, word);
    td_packet_write(&p, td_keep());
}
