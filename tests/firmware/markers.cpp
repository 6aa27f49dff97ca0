// One of each kind of marker, `count` times; and tt-metal's macros.
#include "tools/profiler/kernel_profiler.hpp"
#include "layout.h"
// tt-metal's firmware headers and kernels each include it.
#include "tools/profiler/kernel_profiler.hpp"
#include <tools/profiler/kernel_profiler.hpp>

extern "C" uint32_t kernel_main(uint32_t count);

// The tile's counters are one core's at a time.
#if defined(PROFILE_PERF_COUNTERS) && defined(COMPILE_FOR_TRISC) && COMPILE_FOR_TRISC == 1
#define COUNTS
#endif

template <typename T> __attribute__((noinline)) T twice(T value)
{
    ZoneScoped;
    return value + value;
}

static void wait_ticks(uint32_t ticks)
{
    volatile uint32_t *const clock = (volatile uint32_t *)0xffb121f0;
    for (const uint32_t start = *clock; *clock - start < ticks;)
        ;
}

uint32_t kernel_main(uint32_t count)
{
    uint32_t sum = 0;
    DeviceZoneSetCounter(77);
#ifdef COUNTS
    StartPerfCounters();
#endif
    for (uint32_t i = 0; i < count; i++) {
        ZoneScopedN("tile");
        ZoneValue((uint64_t)i << 40 | i);
        {
            TD_WAIT("wait for a page");
            sum = twice(sum) + 1;
        }
        ZoneText("page %u of %s", (unsigned)i, "input");
        TD_LOG("tile %u of %u", (unsigned)i, (unsigned)count);
        TD_PLOT_INT("depth", (int)i);
        TD_PLOT_FLOAT("load", 0.5f);
        TD_FLOW_OUT("page", i);
        TD_FLOW_IN("page", i);
        {
            DeviceZoneScopedSumN1("summed");
        }
        DeviceTimestampedData("stamp", (uint64_t)i << 33);
    }
    TD_ZONE_BEGIN(span, "span");
    wait_ticks(1 << 17);
    TD_ZONE_END(span);
#ifdef COUNTS
    StopPerfCounters();
    RecordPerfCounters();
#endif
    DeviceRecordEvent(sum);
    DeviceRecordEvent("end");
    return sum;
}
