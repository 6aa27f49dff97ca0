// Markers of Direct3D 11: only without TRACY_ENABLE, when they are nothing. Direct3D is Windows', and the
// client library runs on Linux (docs/client-gpu.md).
#ifndef TENDRIL_TRACY_D3D11_HPP
#define TENDRIL_TRACY_D3D11_HPP

#ifdef TRACY_ENABLE
#error                                                                                                       \
    "tracy/TracyD3D11.hpp: Tendril's client runs on Linux, where no Direct3D is; do not include it with TRACY_ENABLE"
#endif

#define TracyD3D11Context(device, queue) nullptr
#define TracyD3D11Destroy(ctx)
#define TracyD3D11ContextName(ctx, name, size)
#define TracyD3D11NewFrame(ctx)
#define TracyD3D11Zone(ctx, name)
#define TracyD3D11ZoneC(ctx, name, color)
#define TracyD3D11NamedZone(ctx, var, name, active)
#define TracyD3D11NamedZoneC(ctx, var, name, color, active)
#define TracyD3D11ZoneTransient(ctx, var, name, active)
#define TracyD3D11ZoneS(ctx, name, depth)
#define TracyD3D11ZoneCS(ctx, name, color, depth)
#define TracyD3D11NamedZoneS(ctx, var, name, depth, active)
#define TracyD3D11NamedZoneCS(ctx, var, name, color, depth, active)
#define TracyD3D11ZoneTransientS(ctx, var, name, depth, active)
#define TracyD3D11Collect(ctx)

namespace tracy
{
class D3D11ZoneScope
{
};
} // namespace tracy
using TracyD3D11Ctx = void *;

#endif
