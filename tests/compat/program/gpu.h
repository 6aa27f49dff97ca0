// GPU contexts, zones and times of features.cpp. The C interface of Tenstorrent's fork leaves one of the two
// bytes of a context's number uninitialised. With FORK, the items are therefore written as the fork's header
// for devices writes them.
#pragma once

#ifdef COLORS
#define ALLOCATE(...) ___tracy_alloc_srcloc_name(__VA_ARGS__)
#else
#define ALLOCATE_(line, file, file_size, function, function_size, name, name_size, color)                    \
    ___tracy_alloc_srcloc_name(line, file, file_size, function, function_size, name, name_size)
#define ALLOCATE(...) ALLOCATE_(__VA_ARGS__)
#endif

static uint64_t place(const char *name)
{
    return ALLOCATE(21, "gpu.cpp", 7, "gpu", 3, name, strlen(name), 0);
}

#ifdef FORK
#include "client/TracyProfiler.hpp"

static void new_context(uint16_t context, const char *name, uint8_t type, float period, uint8_t flags)
{
    using namespace tracy;
    auto item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::GpuNewContext);
    MemWrite(&item->gpuNewContext.cpuTime, Profiler::GetTime());
    MemWrite(&item->gpuNewContext.gpuTime, (int64_t)1000);
    MemWrite(&item->gpuNewContext.thread, (uint32_t)0);
    MemWrite(&item->gpuNewContext.period, period);
    MemWrite(&item->gpuNewContext.context, context);
    MemWrite(&item->gpuNewContext.flags, (GpuContextFlags)flags);
    MemWrite(&item->gpuNewContext.type, (GpuContextType)type);
    Profiler::QueueSerialFinish();
    const uint16_t size = (uint16_t)strlen(name);
    if (!size)
        return;
    auto text = (char *)tracy_malloc(size);
    memcpy(text, name, size);
    auto called = Profiler::QueueSerial();
    MemWrite(&called->hdr.type, QueueType::GpuContextName);
    MemWrite(&called->gpuContextNameFat.context, context);
    MemWrite(&called->gpuContextNameFat.ptr, (uint64_t)text);
    MemWrite(&called->gpuContextNameFat.size, size);
    Profiler::QueueSerialFinish();
}

static void begin_zone(uint16_t context, uint16_t query, const char *name)
{
    using namespace tracy;
    const uint64_t srcloc = place(name);
    auto item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::GpuZoneBeginAllocSrcLocSerial);
    MemWrite(&item->gpuZoneBegin.cpuTime, Profiler::GetTime());
    MemWrite(&item->gpuZoneBegin.srcloc, srcloc);
    MemWrite(&item->gpuZoneBegin.thread, GetThreadHandle());
    MemWrite(&item->gpuZoneBegin.queryId, query);
    MemWrite(&item->gpuZoneBegin.context, context);
    Profiler::QueueSerialFinish();
}

static void end_zone(uint16_t context, uint16_t query)
{
    using namespace tracy;
    auto item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::GpuZoneEndSerial);
    MemWrite(&item->gpuZoneEnd.cpuTime, Profiler::GetTime());
    MemWrite(&item->gpuZoneEnd.thread, GetThreadHandle());
    MemWrite(&item->gpuZoneEnd.queryId, query);
    MemWrite(&item->gpuZoneEnd.context, context);
    Profiler::QueueSerialFinish();
}

static void gpu_time(uint16_t context, uint16_t query, int64_t count)
{
    using namespace tracy;
    auto item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::GpuTime);
    MemWrite(&item->gpuTime.gpuTime, count);
    MemWrite(&item->gpuTime.queryId, query);
    MemWrite(&item->gpuTime.context, context);
    Profiler::QueueSerialFinish();
}

static void calibrate(uint16_t context, int64_t count, int64_t delta_ns)
{
    using namespace tracy;
    auto item = Profiler::QueueSerial();
    MemWrite(&item->hdr.type, QueueType::GpuCalibration);
    MemWrite(&item->gpuCalibration.gpuTime, count);
    MemWrite(&item->gpuCalibration.cpuTime, Profiler::GetTime());
    MemWrite(&item->gpuCalibration.cpuDelta, delta_ns);
    MemWrite(&item->gpuCalibration.context, context);
    Profiler::QueueSerialFinish();
}
#else
static void new_context(uint8_t context, const char *name, uint8_t type, float period, uint8_t flags)
{
    ___tracy_gpu_new_context_data data;
    memset(&data, 0, sizeof data);
    data.gpuTime = 1000;
    data.period = period;
    data.context = context;
    data.flags = flags;
    data.type = type;
    ___tracy_emit_gpu_new_context_serial(data);
    ___tracy_gpu_context_name_data called;
    memset(&called, 0, sizeof called);
    called.context = context;
    called.name = name;
    called.len = (uint16_t)strlen(name);
    if (called.len)
        ___tracy_emit_gpu_context_name_serial(called);
}

static void begin_zone(uint8_t context, uint16_t query, const char *name)
{
    ___tracy_gpu_zone_begin_data begin;
    memset(&begin, 0, sizeof begin);
    begin.srcloc = place(name);
    begin.queryId = query;
    begin.context = context;
    ___tracy_emit_gpu_zone_begin_alloc_serial(begin);
}

static void end_zone(uint8_t context, uint16_t query)
{
    ___tracy_gpu_zone_end_data end;
    memset(&end, 0, sizeof end);
    end.queryId = query;
    end.context = context;
    ___tracy_emit_gpu_zone_end_serial(end);
}

static void gpu_time(uint8_t context, uint16_t query, int64_t count)
{
    ___tracy_gpu_time_data time;
    memset(&time, 0, sizeof time);
    time.gpuTime = count;
    time.queryId = query;
    time.context = context;
    ___tracy_emit_gpu_time_serial(time);
}

static void calibrate(uint8_t context, int64_t count, int64_t delta_ns)
{
    ___tracy_gpu_calibration_data data;
    memset(&data, 0, sizeof data);
    data.gpuTime = count;
    data.cpuDelta = delta_ns;
    data.context = context;
    ___tracy_emit_gpu_calibration_serial(data);
}
#endif
