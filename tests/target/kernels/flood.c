/* arg & 0xffffff zones, where zone i lasts i % 4096 ticks plus two clock reads; with bit 24 also a message
 * every 16 zones, with bit 25 a long zone every 100. */
#include "tendril/tendril.h"
#include "tests/target/kernels/test_regs.h"

int main(void)
{
    uint32_t count = td_arg() & 0xffffff, messages = td_arg() >> 24 & 1, long_zones = td_arg() >> 25 & 1;
    for (uint32_t i = 0; i < count; i++) {
        if (messages && i % 16 == 0)
            TD_LOG("%u %u %u %u", i, i + 1, i + 2, i + 3);
        if (long_zones && i % 100 == 99) {
            ZoneScopedN("long");
            TEST_ADVANCE64K = 2;
        }
        ZoneScopedN("flood");
        TEST_ADVANCE = i % 4096;
    }
    return 0;
}
