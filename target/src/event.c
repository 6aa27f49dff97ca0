#include "target/src/quick.h"

static __attribute__((noinline)) void write_event_slowly(uint32_t id)
{
    uint32_t room[TD_PACKET_WORDS_EVENT];
    struct td_packet_words p;
    if (!td_slow_begin())
        return;
    td_packet_begin(&p, room, TD_PACKET_EVENT, id, td_clock64());
    td_packet_write(&p, td_keep());
}

void td_event_write(uint32_t id)
{
    uint32_t low;
    volatile uint32_t *at;
    id &= 0xffff;
    if (td_quick_begin(1, &at, &low))
        td_quick_end(at, TD_PACKET_EVENT, TD_SLOT_VALID | id << TD_SHORT_ID_SHIFT, low, 1);
    else
        write_event_slowly(id);
}
