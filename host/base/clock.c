#include "host/base/clock.h"

#include <pthread.h>

int td_clock_source_;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t first_ticks;
static int64_t first_ns;

/* Reads both clocks at one moment: of 16 tries the one with the fewest ticks around the read. */
static void read_both_clocks(uint64_t *ticks, int64_t *ns)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 16; i++) {
        uint64_t before = td_host_ticks();
        int64_t now = td_mono_ns();
        uint64_t after = td_host_ticks();
        if (after - before < best) {
            best = after - before;
            *ticks = before + best / 2;
            *ns = now;
        }
    }
}

static void init(void)
{
    __atomic_store_n(&td_clock_source_, td_host_has_counter() ? 1 : 2, __ATOMIC_RELAXED);
    read_both_clocks(&first_ticks, &first_ns);
}

void td_clock_init(void)
{
    pthread_once(&once, init);
}

double td_host_ns_per_tick(int min_ms)
{
    td_clock_init();
    if (td_clock_source() != 1)
        return 1.0;
    int64_t missing = first_ns + (int64_t)min_ms * 1000000 - td_mono_ns();
    if (missing > 0) {
        struct timespec nap = {missing / 1000000000, missing % 1000000000};
        nanosleep(&nap, NULL);
    }
    uint64_t ticks;
    int64_t ns;
    read_both_clocks(&ticks, &ns);
    return ticks == first_ticks ? 1.0 : (double)(ns - first_ns) / (double)(ticks - first_ticks);
}
