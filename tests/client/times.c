/* One zone around 50 ms, which another clock measures from inside and from outside. Prints both in ns. */
#include "tracy/TracyC.h"

#include <stdint.h>
#include <stdio.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(void)
{
    const struct timespec nap = {0, 50000000};
    const int64_t outer = now_ns();
    TracyCZoneN(zone, "measured", 1);
    const int64_t inner = now_ns();
    nanosleep(&nap, NULL);
    const int64_t inner_end = now_ns();
    TracyCZoneEnd(zone);
    const int64_t outer_end = now_ns();
    printf("%lld %lld\n", (long long)(inner_end - inner), (long long)(outer_end - outer));
    return 0;
}
