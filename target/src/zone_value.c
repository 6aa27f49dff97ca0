#include "target/src/quick.h"

static __attribute__((noinline)) void write_value_slowly(uint64_t value)
{
    uint32_t room[TD_PACKET_WORDS_ZVALUE];
    struct td_packet_words p;
    if (!td_slow_begin())
        return;
    td_packet_begin(&p, room, TD_PACKET_ZVALUE, 0, td_clock64());
    td_packet_add(&p, value & (((uint64_t)1 << 48) - 1));
    td_packet_add(&p, value >> 48);
    td_packet_write(&p, td_keep());
}

void td_zone_value(uint64_t value)
{
    uint32_t low;
    volatile uint32_t *at;
    if (!td_quick_begin(3, &at, &low)) {
        write_value_slowly(value);
        return;
    }
    td_quick_add(at, 1, 2, (uint32_t)(value >> 48), 0);
    td_quick_add(at, 0, 2, (uint32_t)value, (uint32_t)(value >> 32) & TD_CONT_LOW_MASK);
    td_quick_end(at, TD_PACKET_ZVALUE, TD_SLOT_VALID, low, 3);
}
