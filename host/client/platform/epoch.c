/* The clock and the time of the client's start, from which all times of a session are counted. */
#include "host/client/platform/epoch.h"
#include "host/base/clock.h"
#include "host/client/platform/client_api.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int late;
static _Atomic(int64_t) begin_ticks;
static uint64_t epoch;

void td_epoch_begin(void)
{
    td_clock_init();
    atomic_store(&begin_ticks, (int64_t)td_host_ticks());
    epoch = (uint64_t)time(NULL);
}

void td_epoch_include(int64_t ticks)
{
    if (ticks < atomic_load(&begin_ticks))
        atomic_store(&begin_ticks, ticks);
}

void td_epoch_is_late(void)
{
    atomic_store(&late, 1);
}

bool td_client_began_late(void)
{
    return atomic_load(&late);
}

int64_t td_client_begin_ticks(void)
{
    return atomic_load_explicit(&begin_ticks, memory_order_relaxed);
}

double td_client_tick_ns(void)
{
    static _Atomic(double) known;
    double ns = atomic_load(&known);
    if (ns == 0)
        atomic_store(&known, ns = td_host_ns_per_tick(100));
    return ns;
}

uint64_t td_client_epoch(void)
{
    return epoch;
}

uint64_t td_client_ticks_slow(void)
{
    return td_host_ticks();
}
