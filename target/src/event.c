#include "target/src/lane.h"

void td_event_write(uint32_t id)
{
    uint32_t room[TD_PACKET_WORDS_EVENT];
    struct td_packet_words p;
    td_packet_begin(&p, room, TD_PACKET_EVENT, id & 0xffff, td_clock64());
    td_packet_write(&p, td_keep());
}
