/* Zones that overlap without being in each other: the first ends while the second is open, ten times. */
#include "tendril/tendril.h"

static void wait_a_little(void)
{
    for (volatile int i = 0; i < 200; i++)
        ;
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        TD_ZONE_BEGIN(first, "first");
        wait_a_little();
        TD_ZONE_BEGIN(second, "second");
        wait_a_little();
        TD_ZONE_END(first);
        wait_a_little();
        TD_ZONE_END(second);
    }
    return 0;
}
