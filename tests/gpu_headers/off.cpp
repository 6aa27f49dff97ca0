// Markers of all GPU interfaces, switched off. No header of an interface is needed. With PLAIN, which leaves
// the markers out, the compiler makes the same code.
#ifndef PLAIN
#include "tracy/TracyCUDA.hpp"
#include "tracy/TracyD3D11.hpp"
#include "tracy/TracyD3D12.hpp"
#include "tracy/TracyMetal.hmm"
#include "tracy/TracyOpenCL.hpp"
#include "tracy/TracyOpenGL.hpp"
#include "tracy/TracyTTDevice.hpp"
#include "tracy/TracyVulkan.hpp"
#include "tracy/TracyWebGPU.hpp"
#define MARK(...) __VA_ARGS__;
#else
#define MARK(...)
#endif

extern int work(int value);

int opengl(int value)
{
    MARK(TracyGpuContext)
    MARK(TracyGpuContextName("n", 1))
    MARK(TracyGpuZone("n"))
    MARK(TracyGpuZoneC("n", 1))
    MARK(TracyGpuZoneS("n", 1))
    MARK(TracyGpuZoneCS("n", 1, 1))
    MARK(TracyGpuNamedZone(a, "n", true))
    MARK(TracyGpuNamedZoneC(b, "n", 1, true))
    MARK(TracyGpuNamedZoneS(c, "n", 1, true))
    MARK(TracyGpuNamedZoneCS(d, "n", 1, 1, true))
    MARK(TracyGpuZoneTransient(e, "n", true))
    MARK(TracyGpuZoneTransientS(f, "n", 1, true))
    value = work(value);
    MARK(TracyGpuCollect)
    return value;
}

int opencl(int value)
{
    MARK(TracyCLCtx ctx = TracyCLContext(0, 0); (void)ctx)
    MARK(TracyCLContextName(ctx, "n", 1))
    MARK(TracyCLZone(ctx, "n"))
    MARK(TracyCLZoneC(ctx, "n", 1))
    MARK(TracyCLZoneS(ctx, "n", 1))
    MARK(TracyCLZoneCS(ctx, "n", 1, 1))
    MARK(TracyCLNamedZone(ctx, a, "n", true))
    MARK(TracyCLNamedZoneC(ctx, b, "n", 1, true))
    MARK(TracyCLNamedZoneS(ctx, c, "n", 1, true))
    MARK(TracyCLNamedZoneCS(ctx, d, "n", 1, 1, true))
    MARK(TracyCLZoneTransient(ctx, e, "n", true))
    MARK(TracyCLZoneTransientS(ctx, f, "n", 1, true))
    MARK(TracyCLZoneSetEvent(event))
    MARK(TracyCLNamedZoneSetEvent(a, event))
    value = work(value);
    MARK(TracyCLCollect(ctx))
    MARK(TracyCLDestroy(ctx))
    return value;
}

int vulkan(int value)
{
    MARK(TracyVkCtx ctx = TracyVkContext(1, 2, 3, 4); (void)ctx)
    MARK(ctx = TracyVkContextCalibrated(1, 2, 3, 4, 5, 6))
    MARK(ctx = TracyVkContextHostCalibrated(1, 2, 3, 4, 5))
    MARK(TracyVkContextName(ctx, "n", 1))
    MARK(TracyVkZone(ctx, cmdbuf, "n"))
    MARK(TracyVkZoneC(ctx, cmdbuf, "n", 1))
    MARK(TracyVkZoneS(ctx, cmdbuf, "n", 1))
    MARK(TracyVkZoneCS(ctx, cmdbuf, "n", 1, 1))
    MARK(TracyVkNamedZone(ctx, a, cmdbuf, "n", true))
    MARK(TracyVkNamedZoneC(ctx, b, cmdbuf, "n", 1, true))
    MARK(TracyVkNamedZoneS(ctx, c, cmdbuf, "n", 1, true))
    MARK(TracyVkNamedZoneCS(ctx, d, cmdbuf, "n", 1, 1, true))
    MARK(TracyVkZoneTransient(ctx, e, cmdbuf, "n", true))
    MARK(TracyVkZoneTransientS(ctx, f, cmdbuf, "n", 1, true))
    value = work(value);
    MARK(TracyVkCollect(ctx, cmdbuf))
    MARK(TracyVkCollectHost(ctx))
    MARK(TracyVkDestroy(ctx))
    return value;
}

int direct3d11(int value)
{
    MARK(TracyD3D11Ctx ctx = TracyD3D11Context(1, 2); (void)ctx)
    MARK(TracyD3D11ContextName(ctx, "n", 1))
    MARK(TracyD3D11NewFrame(ctx))
    MARK(TracyD3D11Zone(ctx, "n"))
    MARK(TracyD3D11ZoneC(ctx, "n", 1))
    MARK(TracyD3D11ZoneS(ctx, "n", 1))
    MARK(TracyD3D11ZoneCS(ctx, "n", 1, 1))
    MARK(TracyD3D11NamedZone(ctx, a, "n", true))
    MARK(TracyD3D11NamedZoneC(ctx, b, "n", 1, true))
    MARK(TracyD3D11NamedZoneS(ctx, c, "n", 1, true))
    MARK(TracyD3D11NamedZoneCS(ctx, d, "n", 1, 1, true))
    MARK(TracyD3D11ZoneTransient(ctx, e, "n", true))
    MARK(TracyD3D11ZoneTransientS(ctx, f, "n", 1, true))
    value = work(value);
    MARK(TracyD3D11Collect(ctx))
    MARK(TracyD3D11Destroy(ctx))
    return value;
}

int direct3d12(int value)
{
    MARK(TracyD3D12Ctx ctx = TracyD3D12Context(1, 2); (void)ctx)
    MARK(TracyD3D12ContextName(ctx, "n", 1))
    MARK(TracyD3D12NewFrame(ctx))
    MARK(TracyD3D12Zone(ctx, list, "n"))
    MARK(TracyD3D12ZoneC(ctx, list, "n", 1))
    MARK(TracyD3D12ZoneS(ctx, list, "n", 1))
    MARK(TracyD3D12ZoneCS(ctx, list, "n", 1, 1))
    MARK(TracyD3D12NamedZone(ctx, a, list, "n", true))
    MARK(TracyD3D12NamedZoneC(ctx, b, list, "n", 1, true))
    MARK(TracyD3D12NamedZoneS(ctx, c, list, "n", 1, true))
    MARK(TracyD3D12NamedZoneCS(ctx, d, list, "n", 1, 1, true))
    MARK(TracyD3D12ZoneTransient(ctx, e, list, "n", true))
    MARK(TracyD3D12ZoneTransientS(ctx, f, list, "n", 1, true))
    value = work(value);
    MARK(TracyD3D12Collect(ctx))
    MARK(TracyD3D12Destroy(ctx))
    return value;
}

int webgpu(int value)
{
    MARK(TracyWebGPUSetupDeviceDescriptor(descriptor))
    MARK(TracyWebGPUCtx ctx = TracyWebGPUContext(1, 2, 3); (void)ctx)
    MARK(TracyWebGPUContextName(ctx, "n", 1))
    MARK(TracyWebGPUZone(ctx, encoder, pass, "n"))
    MARK(TracyWebGPUZoneC(ctx, encoder, pass, "n", 1))
    MARK(TracyWebGPUZoneS(ctx, encoder, pass, "n", 1))
    MARK(TracyWebGPUZoneCS(ctx, encoder, pass, "n", 1, 1))
    MARK(TracyWebGPUNamedZone(ctx, a, encoder, pass, "n", true))
    MARK(TracyWebGPUNamedZoneC(ctx, b, encoder, pass, "n", 1, true))
    MARK(TracyWebGPUNamedZoneS(ctx, c, encoder, pass, "n", 1, true))
    MARK(TracyWebGPUNamedZoneCS(ctx, d, encoder, pass, "n", 1, 1, true))
    MARK(TracyWebGPUZoneTransient(ctx, e, encoder, pass, "n", true))
    MARK(TracyWebGPUZoneTransientS(ctx, f, encoder, pass, "n", 1, true))
    value = work(value);
    MARK(TracyWebGPUCollect(ctx))
    MARK(TracyWebGPUDestroy(ctx))
    return value;
}

int metal_and_cuda(int value)
{
    MARK(TracyMetalCtx *metal = TracyMetalContext(1); (void)metal)
    MARK(TracyMetalContextName(metal, "n", 1))
    MARK(TracyMetalZone(metal, encoder, "n"))
    MARK(TracyMetalZoneC(metal, encoder, "n", 1))
    MARK(TracyMetalNamedZone(metal, a, encoder, "n", true))
    MARK(TracyMetalNamedZoneC(metal, b, encoder, "n", 1, true))
    MARK(tracy::CUDACtx cuda = TracyCUDAContext(); (void)cuda)
    MARK(TracyCUDAContextName(cuda, "n", 1))
    MARK(TracyCUDAStartProfiling(cuda))
    value = work(value);
    MARK(TracyCUDAStopProfiling(cuda))
    MARK(TracyCUDACollect(cuda))
    MARK(TracyCUDAContextDestroy(cuda))
    MARK(TracyMetalCollect(metal))
    MARK(TracyMetalDestroy(metal))
    return value;
}

int tenstorrent(int value)
{
    MARK(TracyTTCtx ctx = TracyTTContext(); (void)ctx)
    MARK(TracyTTContextPopulate(ctx, 1, 2, 3))
    MARK(TracyTTContextPopulateCalibrated(ctx, 1, 2, 3))
    MARK(TracyTTContextPopulateCalibratedLockfree(ctx, 1, 2, 3))
    MARK(TracyTTContextName(ctx, "n", 1))
    MARK(TracyTTContextNameLockfree(ctx, "n", 1))
    MARK(TracySetCpuTime(1))
    MARK(TracyTTPushStartZone(ctx, event))
    MARK(TracyTTPushEndZone(ctx, event))
    value = work(value);
    MARK(TracyTTPushStartMarker(ctx, marker))
    MARK(TracyTTPushEndMarker(ctx, marker))
    MARK(TracyTTPushMarker(ctx, marker))
    MARK(TracyTTContextCalibrate(ctx, 1, 2, 3))
    MARK(TracyTTDestroy(ctx))
    return value;
}
