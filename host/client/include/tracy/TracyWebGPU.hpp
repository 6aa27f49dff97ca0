// Markers of WebGPU: only without TRACY_ENABLE, when they are nothing. They are not implemented with it;
// docs/client-gpu.md says what programs can do instead.
#ifndef TENDRIL_TRACY_WEBGPU_HPP
#define TENDRIL_TRACY_WEBGPU_HPP

#ifdef TRACY_ENABLE
#error                                                                                                       \
    "tracy/TracyWebGPU.hpp: zones of WebGPU are not recorded yet (docs/client-gpu.md); do not include it with TRACY_ENABLE"
#endif

#define TracyWebGPUSetupDeviceDescriptor(deviceDescriptor)
#define TracyWebGPUContext(instance, device, queue) nullptr
#define TracyWebGPUDestroy(ctx)
#define TracyWebGPUContextName(ctx, name, size)
#define TracyWebGPUZone(ctx, encoder, passDesc, name)
#define TracyWebGPUZoneC(ctx, encoder, passDesc, name, color)
#define TracyWebGPUNamedZone(ctx, var, encoder, passDesc, name, active)
#define TracyWebGPUNamedZoneC(ctx, var, encoder, passDesc, name, color, active)
#define TracyWebGPUZoneTransient(ctx, var, encoder, passDesc, name, active)
#define TracyWebGPUZoneS(ctx, encoder, passDesc, name, depth)
#define TracyWebGPUZoneCS(ctx, encoder, passDesc, name, color, depth)
#define TracyWebGPUNamedZoneS(ctx, var, encoder, passDesc, name, depth, active)
#define TracyWebGPUNamedZoneCS(ctx, var, encoder, passDesc, name, color, depth, active)
#define TracyWebGPUZoneTransientS(ctx, var, encoder, passDesc, name, depth, active)
#define TracyWebGPUCollect(ctx)

namespace tracy
{
class WebGPUZoneScope
{
};
} // namespace tracy
using TracyWebGPUCtx = void *;

#endif
