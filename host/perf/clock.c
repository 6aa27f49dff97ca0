#include "host/perf/clock.h"
#include "host/base/clock.h"

#define TRIES 5

void td_perf_clock_look(struct td_perf_clock *clock)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = td_host_ticks();
        const int64_t now = td_mono_ns();
        const uint64_t after = td_host_ticks();
        if (after - before >= best)
            continue;
        best = after - before;
        clock->ticks = before + best / 2;
        clock->ns = now;
    }
    if (!clock->first_ns) {
        clock->first_ns = clock->ns;
        clock->first_ticks = clock->ticks;
        clock->ticks_per_ns = 1;
    } else if (clock->ns > clock->first_ns) {
        clock->ticks_per_ns =
            (double)(clock->ticks - clock->first_ticks) / (double)(clock->ns - clock->first_ns);
    }
}

int64_t td_perf_clock_ticks(const struct td_perf_clock *clock, int64_t ns)
{
    if (td_clock_source() != 1)
        return ns;
    return (int64_t)clock->ticks + (int64_t)((double)(ns - clock->ns) * clock->ticks_per_ns);
}
