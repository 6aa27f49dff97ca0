/* The smallest kernel: a zone in a loop, a message, a printed line. */
#include <tendril/tendril.h>

#include <stdio.h>

int main(void)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 10; i++) {
        ZoneScopedN("hello");
        ZoneValue(i);
        for (unsigned k = 0; k < 100 * (i + 1); k++)
            sum += k;
    }
    TD_LOG("hello from a core, sum %u", sum);
    printf("and printf works too: %d\n", 42);
    return 0;
}
