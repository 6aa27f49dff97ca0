/* The entry point, arguments and circular buffers of tt-metal's compute kernels, by the same path. Nothing
 * else of the compute API is here.
 *
 *   namespace NAMESPACE { void MAIN { ... } }       the kernel; kernel_main() without a namespace is one, too
 */
#ifndef TENDRIL_COMPUTE_KERNEL_API_H
#define TENDRIL_COMPUTE_KERNEL_API_H
#include "tools/profiler/kernel_profiler.hpp"

#ifdef __cplusplus
#include "api/dataflow/circular_buffers.h"
#include "api/debug/dprint.h"

namespace td_compute
{
/* The definition after this declaration has C linkage as well, so the runtime finds it by its name. */
extern "C" void kernel_main();
} // namespace td_compute
#ifndef NAMESPACE
#define NAMESPACE td_compute
#endif
#ifndef MAIN
#define MAIN kernel_main()
#endif
#endif

#endif
