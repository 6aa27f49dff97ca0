/* A data-movement kernel as it is written for tt-metal, in C. */
#include <stdint.h>
#include <tools/profiler/kernel_profiler.hpp>

#define TEST_ADVANCE (*(volatile uint32_t *)0xffb12f00)

void kernel_main(void);
void kernel_main(void)
{
    DeviceProfilerInit();
    DeviceZoneScopedMainN("BRISC-FW");
    DeviceZoneSetCounter(1025);
    DeviceValidateProfiler(1);
    {
        DeviceZoneScopedMainChildN("BRISC-CHILD");
        for (uint32_t i = 0; i < 2; i++) {
            DeviceZoneScopedNIf("SECOND", i == 1);
        }
        DeviceFlag("FLAG");
        for (uint32_t i = 0; i < 4; i++) {
            DeviceZoneScopedN("READ-TILE");
            DeviceZoneScopedSumN1("SUM-ONE");
            DeviceZoneScopedSumN2("SUM-TWO");
            TEST_ADVANCE = 100;
            DeviceTimestampedData("ADDRESS", ((uint64_t)i << 32) | 0xabcd);
            DeviceRecordEvent(i + 5);
        }
        DeviceRecordEvent("BARRIER");
    }
}
