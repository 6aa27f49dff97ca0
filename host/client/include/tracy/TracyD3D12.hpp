// Markers of Direct3D 12: only without TRACY_ENABLE, when they are nothing. Direct3D is Windows', and the
// client library runs on Linux (docs/client-gpu.md).
#ifndef TENDRIL_TRACY_D3D12_HPP
#define TENDRIL_TRACY_D3D12_HPP

#ifdef TRACY_ENABLE
#error                                                                                                       \
    "tracy/TracyD3D12.hpp: Tendril's client runs on Linux, where no Direct3D is; do not include it with TRACY_ENABLE"
#endif

#define TracyD3D12Context(device, queue) nullptr
#define TracyD3D12Destroy(ctx)
#define TracyD3D12ContextName(ctx, name, size)
#define TracyD3D12NewFrame(ctx)
#define TracyD3D12Zone(ctx, cmdList, name)
#define TracyD3D12ZoneC(ctx, cmdList, name, color)
#define TracyD3D12NamedZone(ctx, var, cmdList, name, active)
#define TracyD3D12NamedZoneC(ctx, var, cmdList, name, color, active)
#define TracyD3D12ZoneTransient(ctx, var, cmdList, name, active)
#define TracyD3D12ZoneS(ctx, cmdList, name, depth)
#define TracyD3D12ZoneCS(ctx, cmdList, name, color, depth)
#define TracyD3D12NamedZoneS(ctx, var, cmdList, name, depth, active)
#define TracyD3D12NamedZoneCS(ctx, var, cmdList, name, color, depth, active)
#define TracyD3D12ZoneTransientS(ctx, var, cmdList, name, depth, active)
#define TracyD3D12Collect(ctx)

namespace tracy
{
class D3D12ZoneScope
{
};
} // namespace tracy
using TracyD3D12Ctx = void *;

#endif
