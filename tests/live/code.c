/* A zone with a call stack, in a function that calls another one. */
#include "tracy/TracyC.h"

#include <stdio.h>

__attribute__((noinline)) static int add_up(int n)
{
    int sum = 0;
    for (volatile int i = 0; i < n; i++)
        sum += i;
    return sum;
}

__attribute__((noinline)) static int work(int n)
{
    TracyCZoneNS(zone, "work", 8, 1);
    int sum = add_up(n);
    TracyCZoneEnd(zone);
    return sum;
}

int main(void)
{
    printf("%d\n", work(100));
    return 0;
}
