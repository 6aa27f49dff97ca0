/* TRISC1: the vector unit computes two functions of a tile, of 32 ticks each, while its performance
 * counters run. */
#include "api/compute/compute_kernel_api.h"
#include "tools/profiler/perf_counters.hpp"

void kernel_main()
{
    DeviceZoneScopedMainN("TRISC-KERNEL");
    fill_tile(0, 2.0f); /* before they count */
    td_compute_wait();
    StartPerfCounters();
    exp_tile(0);
    square_tile(0);
    td_compute_wait();
    StopPerfCounters();
    exp_tile(0);
    td_compute_wait(); /* after */
    RecordPerfCounters();
}
