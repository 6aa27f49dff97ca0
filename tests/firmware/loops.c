/* Zones in loops, in C: as many as the host says. */
#include "layout.h"

uint32_t kernel_main(uint32_t count);

static __attribute__((noinline)) void inner(uint32_t i)
{
    ZoneScoped;
    if (i & 1) {
        ZoneScopedNC("odd", 0x00ff00);
    }
}

uint32_t kernel_main(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        ZoneScopedN("outer");
        inner(i);
    }
    TD_LOG("%u loops in %s", (unsigned)count, "loops.c");
    return count;
}
