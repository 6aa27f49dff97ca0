#include "target/src/args_packet.h"

void td_args_slow(enum td_packet type, uint32_t site, uint32_t count, const uint32_t *word)
{
    struct td_packet_words p;
    if (!td_slow_begin())
        return;
    td_packet_begin(&p, td_packet_room, type, td_site_number(site), td_clock64());
    for (; count >= 3; count -= 3, word += 3) {
        td_packet_add(&p, (uint64_t)(word[2] & TD_CONT_LOW_MASK) << 32 | word[0]);
        td_packet_add(&p, (uint64_t)(word[2] >> 16) << 32 | word[1]);
    }
    for (; count > 0; count--, word++)
        td_packet_add(&p, *word);
    td_packet_write(&p, td_keep());
}
