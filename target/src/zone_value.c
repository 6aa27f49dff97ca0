#include "target/src/lane.h"

void td_zone_value(uint64_t value)
{
    uint32_t room[TD_PACKET_WORDS_ZVALUE];
    struct td_packet_words p;
    td_packet_begin(&p, room, TD_PACKET_ZVALUE, 0, td_clock64());
    td_packet_add(&p, value & (((uint64_t)1 << 48) - 1));
    td_packet_add(&p, value >> 48);
    td_packet_write(&p, td_keep());
}
