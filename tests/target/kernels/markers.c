/* Every marker once or a few times, in C. */
#include "tendril/tendril.h"
#include "tests/target/kernels/test_regs.h"

#include <stdio.h>

static int counter = 5;
static int zeroed[4];
TD_L1 int in_l1[16];
TD_L1_DATA int in_l1_with_value = 77;

static inline void helper(int i)
{
    ZoneScopedC(0x102030);
    ZoneText("i = %d, \"100%%\"", i);
}

static int scoped(void)
{
    ZoneScoped;
    TEST_ADVANCE = 10;
    return counter++;
}

int main(void)
{
    TEST_NOTE = (uint32_t)counter + (uint32_t)zeroed[3] + (uint32_t)in_l1[15] + (uint32_t)in_l1_with_value;
    in_l1[15] = 3;
    in_l1_with_value++;
    zeroed[3] = 1;
    scoped();
    {
        ZoneScopedN("outer");
        for (int i = 0; i < 3; i++) {
            ZoneScopedNC("inner", 0xff0000 | 0xff);
            TEST_ADVANCE = 100;
            helper(i);
        }
        ZoneValue(0x123456789abcdef0ull);
        TD_PLOT_INT("depth", -7);
        TD_PLOT_FLOAT("load", 0.5f);
        TD_FLOW_OUT("page", 0x1234);
        TD_FLOW_IN("page", 0x5678);
    }
    TD_ZONE_BEGIN(span, "span");
    TEST_ADVANCE = 1000;
    {
        TD_WAIT("cb full");
        TEST_ADVANCE = 50;
    }
    TD_ZONE_END(span);
    TD_LOG("no arguments");
    TD_LOG("tile %d of %u: %s %f %c", -3, 12u, "text", 1.5, 'x');
    TD_LOG("%d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, (int)td_arg());
    printf("line %d\n", 1);
    printf("a longer line: %s %x\nand no end", "abcdefghijklmnopqrstuvwxyz", 0xbeefu);
    return 42;
}
