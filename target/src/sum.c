#include "target/src/lane.h"

#define SUMS 2

static struct {
    uint64_t ticks;
    uint32_t site, count;
} sums[SUMS];

void td_sum_flush(void);

static void flush_sum(uint32_t which)
{
    uint32_t room[TD_PACKET_WORDS_SUM];
    struct td_packet_words p;
    if (sums[which].count == 0)
        return;
    td_slow_begin();
    td_packet_begin(&p, room, TD_PACKET_SUM, td_site_number(sums[which].site), td_clock64());
    td_packet_add(&p, sums[which].ticks);
    td_packet_add(&p, sums[which].count);
    td_packet_write(&p, td_keep());
    sums[which].count = 0;
    sums[which].ticks = 0;
}

/* Adds a zone that ends now. A total belongs to one site: another one begins a new total. */
void td_sum_add(uint32_t which, uint32_t site, uint32_t start, uint32_t start_high)
{
    uint64_t now = td_clock64(), start_ticks = (uint64_t)start_high << 32 | start;
    if (start_ticks > now) /* the clock wrapped between the open's two reads */
        start_ticks -= (uint64_t)1 << 32;
    if (sums[which].site != site)
        flush_sum(which);
    sums[which].site = site;
    sums[which].ticks += now - start_ticks;
    sums[which].count++;
}

void td_sum_flush(void)
{
    for (uint32_t i = 0; i < SUMS; i++)
        flush_sum(i);
}
