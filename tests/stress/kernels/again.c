/* As many zones as bits 0..23 of the launch's argument say; then, with bit 30, zones for ever, with bit 31
 * nothing for ever: a kernel that hangs. */
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
