/* Bits 0 to 23 of the launch's argument are the number of zones. Then the kernel hangs: with bit 30 it marks
 * zones for ever, with bit 31 it marks nothing. */
#include "tendril/tendril.h"

static void zones(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ZoneScopedN("work");
    }
}

int main(void)
{
    zones(td_arg() & 0xffffff);
    while (td_arg() >> 30) {
        if (td_arg() >> 30 & 1)
            zones(100);
    }
    return 0;
}
