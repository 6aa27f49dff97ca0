// Zones of OpenCL commands: each is as long as the command whose event it gets.
//
//     TracyCLCtx tracy = TracyCLContext(context, device);
//     {
//         TracyCLZone(tracy, "multiply");
//         clEnqueueNDRangeKernel(queue, kernel, ..., &event);
//         TracyCLZoneSetEvent(event);
//     }
//     clFinish(queue);
//     TracyCLCollect(tracy);
//
// Queues must have CL_QUEUE_PROFILING_ENABLE. Zones may be marked by any threads; one thread at a time
// collects. A zone that gets no event has no length, and a warning is written. docs/client-gpu.md
#ifndef TENDRIL_TRACY_OPENCL_HPP
#define TENDRIL_TRACY_OPENCL_HPP

#ifndef TRACY_ENABLE

#define TracyCLContext(context, device) nullptr
#define TracyCLDestroy(ctx)
#define TracyCLContextName(ctx, name, size)
#define TracyCLNamedZone(ctx, var, name, active)
#define TracyCLNamedZoneC(ctx, var, name, color, active)
#define TracyCLZone(ctx, name)
#define TracyCLZoneC(ctx, name, color)
#define TracyCLZoneTransient(ctx, var, name, active)
#define TracyCLNamedZoneS(ctx, var, name, depth, active)
#define TracyCLNamedZoneCS(ctx, var, name, color, depth, active)
#define TracyCLZoneS(ctx, name, depth)
#define TracyCLZoneCS(ctx, name, color, depth)
#define TracyCLZoneTransientS(ctx, var, name, depth, active)
#define TracyCLNamedZoneSetEvent(var, event)
#define TracyCLZoneSetEvent(event)
#define TracyCLCollect(ctx)

namespace tracy
{
class OpenCLCtxScope
{
};
} // namespace tracy
using TracyCLCtx = void *;

#else

#if defined(__has_include)
#if !__has_include(<CL/cl.h>)
#error "tracy/TracyOpenCL.hpp needs OpenCL's headers (CL/cl.h; package opencl-headers)"
#endif
#endif
#include <CL/cl.h>

#include "../tendril/gpu.hpp"

namespace tracy
{
enum class EventPhase : uint8_t { Begin, End };

// A context of the trace for the devices of an OpenCL context. Its clock is set against the CPU's once, by
// a few small transfers.
class OpenCLCtx : public tendril::GpuMarks
{
  public:
    static constexpr size_t QueryCount = 64 * 1024;

    OpenCLCtx(cl_context context, cl_device_id device) : GpuMarks(QueryCount), m_last(0)
    {
        for (auto &slot : m_slots)
            slot.event.store(nullptr, std::memory_order_relaxed);
        int64_t cpu = 0;
        const cl_int err = ReadClocks(context, device, &cpu, &m_last);
        if (err == CL_SUCCESS)
            Announce(tendril::GpuOpenCl, 0, cpu, m_last, 1.0f, 0);
        else
            tendril::GpuWarn("OpenCL error %d: zones of this context are not recorded", int(err));
    }
    ~OpenCLCtx()
    {
        Drop();
    }
    uint8_t GetId() const
    {
        return uint8_t(Id());
    }
    void Name(const char *name, uint16_t size)
    {
        SetName(name, size);
    }
    // Sends the times of commands that are complete, in the order of their zones.
    void Collect()
    {
        ZoneScopedC(tendril::GpuCollectColor);
        if (!td_client_is_live()) {
            Drop();
            return;
        }
        for (uint32_t left = Waiting(); left; left--) {
            const uint32_t query = Oldest();
            Slot &slot = m_slots[query];
            cl_event event = slot.event.load(std::memory_order_acquire);
            if (!event || !Read(event, slot.phase))
                return;
            Time(query, m_last);
            GiveBack(slot, event);
        }
    }
    // For scopes: whose time the query is. Both of a zone have one reference of the event together.
    void SetQuery(uint32_t query, cl_event event, EventPhase phase)
    {
        m_slots[query].phase = phase;
        m_slots[query].event.store(event ? event : NoEvent(), std::memory_order_release);
    }

  private:
    struct Slot {
        std::atomic<cl_event> event;
        EventPhase phase;
    };

    static cl_event NoEvent() // a zone that ended without one
    {
        static char none;
        return reinterpret_cast<cl_event>(&none);
    }
    void GiveBack(Slot &slot, cl_event event)
    {
        if (event != NoEvent() && slot.phase == EventPhase::End)
            clReleaseEvent(event);
        slot.event.store(nullptr, std::memory_order_relaxed);
        TakeBack(1);
    }
    // Releases the oldest events, whose times are not needed any more.
    void Drop()
    {
        for (uint32_t left = Waiting(); left; left--) {
            Slot &slot = m_slots[Oldest()];
            cl_event event = slot.event.load(std::memory_order_acquire);
            if (!event)
                return;
            GiveBack(slot, event);
        }
    }
    // The event's time into m_last, which stays where there is none. false: not complete yet.
    bool Read(cl_event event, EventPhase phase)
    {
        if (event == NoEvent()) {
            if (phase == EventPhase::End)
                tendril::GpuWarn("an OpenCL zone ended without TracyCLZoneSetEvent");
            return true;
        }
        cl_int status = CL_COMPLETE;
        cl_int err =
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
        if (err == CL_SUCCESS && status > CL_COMPLETE)
            return false;
        cl_ulong time = 0;
        if (err == CL_SUCCESS && status < 0)
            err = status; // the command failed
        if (err == CL_SUCCESS)
            err = clGetEventProfilingInfo(
                event, phase == EventPhase::Begin ? CL_PROFILING_COMMAND_START : CL_PROFILING_COMMAND_END,
                sizeof time, &time, nullptr);
        if (err == CL_SUCCESS)
            m_last = int64_t(time);
        else if (phase == EventPhase::End)
            tendril::GpuWarn(err == CL_PROFILING_INFO_NOT_AVAILABLE
                                 ? "OpenCL error %d: the queue has no CL_QUEUE_PROFILING_ENABLE"
                                 : "OpenCL error %d of an event: its zone has no length",
                             int(err));
        return true;
    }
    // A moment on both clocks: the end of a transfer that has just been waited for. Of a few, the one that
    // took least.
    static cl_int ReadClocks(cl_context context, cl_device_id device, int64_t *cpu, int64_t *gpu)
    {
        cl_int err = CL_SUCCESS;
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // the one that platforms of every version have
#endif
        cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
        if (err != CL_SUCCESS)
            return err;
        cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(cl_uint), nullptr, &err);
        int64_t best = INT64_MAX;
        for (int i = 0; i < 8 && err == CL_SUCCESS; i++) {
            const cl_uint value = 0;
            cl_event event = nullptr;
            cl_ulong end = 0;
            const int64_t before = int64_t(td_client_ticks());
            err = clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, nullptr, &event);
            if (err != CL_SUCCESS)
                break;
            err = clWaitForEvents(1, &event);
            const int64_t after = int64_t(td_client_ticks());
            if (err == CL_SUCCESS)
                err = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
            clReleaseEvent(event);
            if (err == CL_SUCCESS && after - before < best) {
                best = after - before;
                *cpu = after;
                *gpu = int64_t(end);
            }
        }
        if (buffer)
            clReleaseMemObject(buffer);
        clReleaseCommandQueue(queue);
        return err;
    }

    Slot m_slots[QueryCount];
    int64_t m_last; // the latest time of any event
};

class OpenCLCtxScope : public tendril::GpuZone
{
  public:
    OpenCLCtxScope(OpenCLCtx *ctx, const SourceLocationData *srcloc, bool active)
        : OpenCLCtxScope(ctx, active, tendril::GpuSite(srcloc, 0))
    {
    }
    OpenCLCtxScope(OpenCLCtx *ctx, const SourceLocationData *srcloc, int32_t depth, bool active)
        : OpenCLCtxScope(ctx, active, tendril::GpuSite(srcloc, depth))
    {
    }
    OpenCLCtxScope(OpenCLCtx *ctx, uint32_t line, const char *source, size_t sourceSz, const char *function,
                   size_t functionSz, const char *name, size_t nameSz, bool active)
        : OpenCLCtxScope(ctx, active,
                         tendril::GpuSite(line, source, sourceSz, function, functionSz, name, nameSz, 0))
    {
    }
    OpenCLCtxScope(OpenCLCtx *ctx, uint32_t line, const char *source, size_t sourceSz, const char *function,
                   size_t functionSz, const char *name, size_t nameSz, int32_t depth, bool active)
        : OpenCLCtxScope(ctx, active,
                         tendril::GpuSite(line, source, sourceSz, function, functionSz, name, nameSz, depth))
    {
    }
    ~OpenCLCtxScope()
    {
        if (!IsRecorded())
            return;
        const uint32_t end = m_ctx->Take();
        MarkEnd(end);
        m_ctx->SetQuery(m_begin, m_event, EventPhase::Begin);
        m_ctx->SetQuery(end, m_event, EventPhase::End);
    }
    // The command that the zone is; the last one counts. The caller keeps its own reference.
    void SetEvent(cl_event event)
    {
        if (!IsRecorded() || !event || clRetainEvent(event) != CL_SUCCESS)
            return;
        if (m_event)
            clReleaseEvent(m_event);
        m_event = event;
    }

  private:
    OpenCLCtxScope(OpenCLCtx *ctx, bool active, const tendril::GpuSite &site)
        : GpuZone(ctx, active), m_ctx(ctx), m_event(nullptr), m_begin(0)
    {
        if (!IsRecorded())
            return;
        m_begin = ctx->Take();
        MarkBegin(m_begin, site);
    }

    OpenCLCtx *const m_ctx;
    cl_event m_event;
    uint32_t m_begin;
};

inline OpenCLCtx *CreateCLContext(cl_context context, cl_device_id device)
{
    return tendril::GpuCreate<OpenCLCtx>(context, device);
}
inline void DestroyCLContext(OpenCLCtx *ctx)
{
    tendril::GpuDestroy(ctx);
}
} // namespace tracy

using TracyCLCtx = tracy::OpenCLCtx *;

// clang-format off
#define TracyCLContext(context, device) tracy::CreateCLContext(context, device);
#define TracyCLDestroy(ctx) tracy::DestroyCLContext(ctx);
#define TracyCLContextName(ctx, name, size) ctx->Name(name, size);

#define TracyCLNamedZoneCS(ctx, var, name, color, depth, active) TENDRIL_GPU_SRCLOC_(name, color); tracy::OpenCLCtxScope var(ctx, TENDRIL_GPU_HERE_, depth, active);
#define TracyCLNamedZoneS(ctx, var, name, depth, active) TracyCLNamedZoneCS(ctx, var, name, 0, depth, active)
#define TracyCLNamedZoneC(ctx, var, name, color, active) TracyCLNamedZoneCS(ctx, var, name, color, TRACY_CALLSTACK, active)
#define TracyCLNamedZone(ctx, var, name, active) TracyCLNamedZoneCS(ctx, var, name, 0, TRACY_CALLSTACK, active)
#define TracyCLZone(ctx, name) TracyCLNamedZoneCS(ctx, __tracy_gpu_zone, name, 0, TRACY_CALLSTACK, true)
#define TracyCLZoneC(ctx, name, color) TracyCLNamedZoneCS(ctx, __tracy_gpu_zone, name, color, TRACY_CALLSTACK, true)
#define TracyCLZoneS(ctx, name, depth) TracyCLNamedZoneCS(ctx, __tracy_gpu_zone, name, 0, depth, true)
#define TracyCLZoneCS(ctx, name, color, depth) TracyCLNamedZoneCS(ctx, __tracy_gpu_zone, name, color, depth, true)
#define TracyCLZoneTransient(ctx, var, name, active) TracyCLZoneTransientS(ctx, var, name, TRACY_CALLSTACK, active)
#define TracyCLZoneTransientS(ctx, var, name, depth, active) tracy::OpenCLCtxScope var(ctx, TENDRIL_GPU_PARTS_(name), depth, active);

#define TracyCLNamedZoneSetEvent(var, event) var.SetEvent(event)
#define TracyCLZoneSetEvent(event) __tracy_gpu_zone.SetEvent(event)
#define TracyCLCollect(ctx) ctx->Collect()
// clang-format on

#endif
#endif
