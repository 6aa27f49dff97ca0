#include "target/src/args_packet.h"

/* Three words in two slots; one or two left over take a slot each. */
void td_args_packet(enum td_packet type, uint32_t site, uint32_t count, va_list args)
{
    struct td_packet_words p;
    td_packet_begin(&p, td_packet_room, type, td_site_number(site), td_clock64());
    for (uint32_t left = count; left > 0;) {
        uint32_t a = va_arg(args, uint32_t);
        if (left >= 3) {
            uint32_t b = va_arg(args, uint32_t), c = va_arg(args, uint32_t);
            td_packet_add(&p, (uint64_t)(c & TD_CONT_LOW_MASK) << 32 | a);
            td_packet_add(&p, (uint64_t)(c >> 16) << 32 | b);
            left -= 3;
        } else {
            td_packet_add(&p, a);
            left--;
        }
    }
    td_packet_write(&p, td_keep());
}
