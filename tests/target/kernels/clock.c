/* Zones around the borders of the clock. Each is 2 ticks (two of its clock reads) and what the kernel adds;
 * tests/target/test_clock.c identifies them by their order. */
#include "tendril/tendril.h"
#include "tests/target/kernels/test_regs.h"

static void advance(uint32_t high, uint32_t low)
{
    for (uint32_t i = 0; i < high; i++) { /* 2^32 ticks */
        TEST_ADVANCE64K = 0x8000;
        TEST_ADVANCE64K = 0x8000;
    }
    TEST_ADVANCE = low;
}

int main(void)
{
    TEST_SET_LOW = 1000;
    {
        ZoneScopedN("longest short");
        advance(0, 0xffff - 2);
    }
    {
        ZoneScopedN("shortest long");
        advance(0, 0x10000 - 2);
    }
    {
        ZoneScopedN("just below 2^32");
        advance(0, 0xffffffff - 2);
    }
    TEST_SET_LOW = 0xffffff00;
    {
        ZoneScopedN("low half wraps inside");
        advance(0, 1000);
    }
    {
        ZoneScopedN("first after the wrap");
    }
    {
        ZoneScopedN("3 * 2^32 + 7");
        advance(3, 5);
    }
    {
        ZoneScopedN("outer 2^32 + 20");
        advance(1, 3);
        {
            ZoneScopedN("inner in the new epoch");
            advance(0, 1);
        }
        advance(0, 10);
    }
    TEST_SET_LOW = 0xfffffff0;
    TEST_WRAP_AFTER = 1;
    {
        ZoneScopedN("wrap between the reads of an open");
        advance(0, 5);
    }
    TEST_SET_LOW = 0xffffff00;
    TEST_WRAP_AFTER = 3;
    {
        ZoneScopedN("wrap between the reads of a close");
    }
    TEST_SET_LOW = 0xffffff00;
    TEST_WRAP_AFTER = 2;
    {
        ZoneScopedN("wrap after an open");
    }
    TEST_SET_LOW = 0xffffff00;
    TEST_WRAP_AFTER = 1;
    TD_LOG("wrap between the first two reads of an instant");
    TEST_SET_LOW = 0xffffff00;
    TEST_WRAP_AFTER = 2;
    TD_LOG("wrap between the last two reads of an instant");
    TEST_SET_LOW = 5;
    {
        ZoneScopedN("opened while the lane's high half is old");
        advance(0, 3);
    }
    advance(5, 0);
    {
        ZoneScopedN("opened after epochs without a packet");
        advance(0, 1);
    }
    return 0;
}
