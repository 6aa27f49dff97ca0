/* A compute kernel with tt-metal's newer entry point and path. */
#include "api/compute/compute_kernel_api.h"

void kernel_main()
{
    for (int i = 0; i < LOOP_COUNT; i++) {
        DeviceZoneScopedN("MATH");
        DeviceZoneScopedNIf("ODD", (i & 1) != 0);
        DeviceZoneScopedNIf("NEVER", i > LOOP_COUNT);
    }
    DeviceFlag("MATH-DONE");
}
