/* A compute kernel as it is written for tt-metal: its entry point is in a namespace. */
#include "compute_kernel_api.h"
#include "tools/profiler/kernel_profiler.hpp"

#if COMPILE_FOR_TRISC != 1
#error "the build says for which core a kernel is"
#endif

namespace NAMESPACE
{
void MAIN
{
    for (int i = 0; i < LOOP_COUNT; i++) {
        DeviceZoneScopedN("MATH");
        DeviceZoneScopedNIf("ODD", (i & 1) != 0);
        DeviceZoneScopedNIf("NEVER", i > LOOP_COUNT);
    }
    DeviceFlag("MATH-DONE");
}
} // namespace NAMESPACE
