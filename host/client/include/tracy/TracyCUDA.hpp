// Markers of CUDA: only without TRACY_ENABLE, when they are nothing. What they need of CUPTI cannot be tried
// where Tendril is built; docs/client-gpu.md says what programs can do instead.
#ifndef TENDRIL_TRACY_CUDA_HPP
#define TENDRIL_TRACY_CUDA_HPP

#ifdef TRACY_ENABLE
#error                                                                                                       \
    "tracy/TracyCUDA.hpp: zones of CUDA are not recorded yet (docs/client-gpu.md); do not include it with TRACY_ENABLE"
#endif

#include <cstddef>

#define TracyCUDAContext() nullptr
#define TracyCUDAContextDestroy(ctx)
#define TracyCUDAContextName(ctx, name, size)
#define TracyCUDAStartProfiling(ctx)
#define TracyCUDAStopProfiling(ctx)
#define TracyCUDACollect(ctx)

namespace tracy
{
using CUDACtx = std::nullptr_t;
} // namespace tracy

#endif
