/* Call stacks with what every release's C API has. */
#include "tracy/TracyC.h"

static volatile int used;

__attribute__((noinline)) void leaf(int n)
{
    used = n;
    TracyCZoneS(zone, 20, 1);
    used = n + 1;
    TracyCZoneEnd(zone);
    TracyCAllocS((void *)0x1000, 16, 20);
    TracyCFreeS((void *)0x1000, 20);
    used = n + 2;
}

static inline __attribute__((always_inline)) void inlined(int n)
{
    used = n + 3;
    leaf(n);
    used = n + 4;
}

__attribute__((noinline)) static void root(int n)
{
    used = n + 5;
    inlined(n);
    used = n + 6;
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        root(i);
    return 0;
}
