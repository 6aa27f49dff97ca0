/* With PRODUCES: makes 20 items of a known time; without: takes them, and waits for each. Both on one tile. */
#include <tendril/tendril.h>

#define ITEMS 20

static volatile unsigned *const shared = (volatile unsigned *)0x120000;

static inline void spin(unsigned n)
{
    __asm__ volatile("1: addi %0,%0,-1\n\tbnez %0,1b" : "+r"(n));
}

#ifdef PRODUCES
static void hand_over(unsigned item)
{
    {
        ZoneScopedN("make");
        spin(50000);
        TD_FLOW_OUT("item", item);
        shared[0] = item;
    }
    while (shared[1] != item)
        ;
}
#else
static void hand_over(unsigned item)
{
    {
        TD_WAIT("want");
        while (shared[0] != item)
            ;
        TD_FLOW_IN("item", item);
    }
    shared[1] = item;
    ZoneScopedN("use");
    spin(20000);
}
#endif

int main(void)
{
    for (unsigned i = 1; i <= ITEMS; i++)
        hand_over(i);
    return 0;
}
