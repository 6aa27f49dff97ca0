// Zones of Vulkan commands, by time stamps in command buffers.
//
//     TracyVkCtx tracy = TracyVkContext(physdev, device, queue, cmdbuf);
//     {
//         TracyVkZone(tracy, cmdbuf, "shadows");       // cmdbuf is being recorded, also when the zone ends
//         ... commands ...
//     }
//     TracyVkCollect(tracy, cmdbuf);                   // outside of render passes
//
// TracyVkContextCalibrated also takes the functions of VK_EXT_calibrated_timestamps: each Collect then sets
// the clocks against each other. TracyVkContextHostCalibrated needs neither queue nor command buffer, but
// vkResetQueryPool (Vulkan 1.2 or VK_EXT_host_query_reset, enabled); for it there is TracyVkCollectHost.
// With TRACY_VK_USE_SYMBOL_TABLE they take the instance and two functions to look others up with, and nothing
// is linked. Zones may be marked by any threads; one at a time collects. Include it after Vulkan's header.
// docs/client-gpu.md
#ifndef TENDRIL_TRACY_VULKAN_HPP
#define TENDRIL_TRACY_VULKAN_HPP

#ifndef TRACY_ENABLE

#define TracyVkContext(...)               nullptr
#define TracyVkContextCalibrated(...)     nullptr
#define TracyVkContextHostCalibrated(...) nullptr
#define TracyVkDestroy(ctx)
#define TracyVkContextName(ctx, name, size)
#define TracyVkNamedZone(ctx, var, cmdbuf, name, active)
#define TracyVkNamedZoneC(ctx, var, cmdbuf, name, color, active)
#define TracyVkZone(ctx, cmdbuf, name)
#define TracyVkZoneC(ctx, cmdbuf, name, color)
#define TracyVkZoneTransient(ctx, var, cmdbuf, name, active)
#define TracyVkCollect(ctx, cmdbuf)
#define TracyVkCollectHost(ctx)
#define TracyVkNamedZoneS(ctx, var, cmdbuf, name, depth, active)
#define TracyVkNamedZoneCS(ctx, var, cmdbuf, name, color, depth, active)
#define TracyVkZoneS(ctx, cmdbuf, name, depth)
#define TracyVkZoneCS(ctx, cmdbuf, name, color, depth)
#define TracyVkZoneTransientS(ctx, var, cmdbuf, name, depth, active)

namespace tracy
{
class VkCtxScope
{
};
} // namespace tracy
using TracyVkCtx = void *;

#else

#ifndef VK_NULL_HANDLE
#error "include Vulkan's header before tracy/TracyVulkan.hpp"
#endif

#include "../tendril/gpu.hpp"

#ifndef TRACY_VK_USE_SYMBOL_TABLE
// Around calls of Vulkan, where programs write time stamps of their own for VkCtx::NextQueryId().
#define VK_FUNCTION_WRAPPER(call)         call
#define CONTEXT_VK_FUNCTION_WRAPPER(call) call
#endif

namespace tracy
{
// clang-format off
#define TENDRIL_VK_DEVICE_FUNCTIONS_(X)                                                                       \
    X(vkBeginCommandBuffer) X(vkCmdResetQueryPool) X(vkCmdWriteTimestamp) X(vkCreateQueryPool)                \
    X(vkDestroyQueryPool) X(vkEndCommandBuffer) X(vkGetQueryPoolResults) X(vkQueueSubmit) X(vkQueueWaitIdle)
// clang-format on

struct VkSymbolTable {
#define TENDRIL_VK_MEMBER_(name) PFN_##name name;
    TENDRIL_VK_DEVICE_FUNCTIONS_(TENDRIL_VK_MEMBER_)
#undef TENDRIL_VK_MEMBER_
    PFN_vkGetPhysicalDeviceProperties vkGetPhysicalDeviceProperties;
    // What may be missing.
    PFN_vkResetQueryPoolEXT vkResetQueryPool;
    PFN_vkGetCalibratedTimestampsEXT vkGetCalibratedTimestampsEXT;
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT vkGetPhysicalDeviceCalibrateableTimeDomainsEXT;
};

// The trace's context for a queue (or for all of a device, when it needs none).
class VkCtx : public tendril::GpuMarks
{
  public:
    static constexpr uint32_t QueryCount = 64 * 1024;

#ifdef TRACY_VK_USE_SYMBOL_TABLE
    VkCtx(VkInstance instance, VkPhysicalDevice physdev, VkDevice device, VkQueue queue,
          VkCommandBuffer cmdbuf, PFN_vkGetInstanceProcAddr instanceProcAddr,
          PFN_vkGetDeviceProcAddr deviceProcAddr, bool calibrated)
        : GpuMarks(QueryCount), m_device(device),
          m_vk(Load(instance, device, instanceProcAddr, deviceProcAddr))
    {
        if (!calibrated)
            m_vk.vkGetCalibratedTimestampsEXT = nullptr;
        StartOnQueue(physdev, queue, cmdbuf);
    }
    VkCtx(VkInstance instance, VkPhysicalDevice physdev, VkDevice device,
          PFN_vkGetInstanceProcAddr instanceProcAddr, PFN_vkGetDeviceProcAddr deviceProcAddr)
        : GpuMarks(QueryCount), m_device(device),
          m_vk(Load(instance, device, instanceProcAddr, deviceProcAddr))
    {
        StartOnHost(physdev);
    }
#else
    VkCtx(VkPhysicalDevice physdev, VkDevice device, VkQueue queue, VkCommandBuffer cmdbuf,
          PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT timeDomains,
          PFN_vkGetCalibratedTimestampsEXT timestamps)
        : GpuMarks(QueryCount), m_device(device), m_vk(Linked(nullptr, timeDomains, timestamps))
    {
        m_vk.vkResetQueryPool = (PFN_vkResetQueryPoolEXT)vkGetDeviceProcAddr(device, "vkResetQueryPool");
        StartOnQueue(physdev, queue, cmdbuf);
    }
    VkCtx(VkPhysicalDevice physdev, VkDevice device, PFN_vkResetQueryPoolEXT reset,
          PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT timeDomains,
          PFN_vkGetCalibratedTimestampsEXT timestamps)
        : GpuMarks(QueryCount), m_device(device), m_vk(Linked(reset, timeDomains, timestamps))
    {
        StartOnHost(physdev);
    }
#endif
    ~VkCtx()
    {
        if (m_pool != VK_NULL_HANDLE)
            m_vk.vkDestroyQueryPool(m_device, m_pool, nullptr);
    }
    void Name(const char *name, uint16_t size)
    {
        SetName(name, size);
    }
    // Sends the times of queries that have their results, in order, and resets those: in the command buffer,
    // or by the host without one.
    void Collect(VkCommandBuffer cmdbuf)
    {
        ZoneScopedC(tendril::GpuCollectColor);
        uint32_t left = Waiting();
        if (!IsAlive() || !left)
            return;
        if (!td_client_is_live()) {
            while (left)
                left -= GiveBack(cmdbuf, left < Count() - Oldest() ? left : Count() - Oldest());
            return;
        }
        while (left) {
            const uint32_t ready = Send(left);
            if (!ready)
                break;
            left -= GiveBack(cmdbuf, ready);
        }
        Recalibrate();
    }
    // A query of the program's own: it has to write a time stamp and markers of its own for it.
    unsigned int NextQueryId()
    {
        CountOne();
        return Take();
    }
    uint8_t GetId() const
    {
        return uint8_t(Id());
    }
    VkQueryPool GetQueryPool() const
    {
        return m_pool;
    }
    // For scopes: a time stamp after the commands so far.
    void Stamp(VkCommandBuffer cmdbuf, uint32_t query)
    {
        m_vk.vkCmdWriteTimestamp(cmdbuf, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_pool, query);
    }

  private:
#ifdef TRACY_VK_USE_SYMBOL_TABLE
    static VkSymbolTable Load(VkInstance instance, VkDevice device, PFN_vkGetInstanceProcAddr ofInstance,
                              PFN_vkGetDeviceProcAddr ofDevice)
    {
        VkSymbolTable table = {};
#define TENDRIL_VK_LOAD_(name) table.name = (PFN_##name)ofDevice(device, #name);
        TENDRIL_VK_DEVICE_FUNCTIONS_(TENDRIL_VK_LOAD_)
        TENDRIL_VK_LOAD_(vkGetCalibratedTimestampsEXT)
#undef TENDRIL_VK_LOAD_
        table.vkResetQueryPool = (PFN_vkResetQueryPoolEXT)ofDevice(device, "vkResetQueryPool");
        if (!table.vkResetQueryPool)
            table.vkResetQueryPool = (PFN_vkResetQueryPoolEXT)ofDevice(device, "vkResetQueryPoolEXT");
        table.vkGetPhysicalDeviceProperties =
            (PFN_vkGetPhysicalDeviceProperties)ofInstance(instance, "vkGetPhysicalDeviceProperties");
        table.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT =
            (PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT)ofInstance(
                instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT");
        return table;
    }
#else
    static VkSymbolTable Linked(PFN_vkResetQueryPoolEXT reset,
                                PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT timeDomains,
                                PFN_vkGetCalibratedTimestampsEXT timestamps)
    {
        VkSymbolTable table = {};
#define TENDRIL_VK_LINK_(name) table.name = name;
        TENDRIL_VK_DEVICE_FUNCTIONS_(TENDRIL_VK_LINK_)
        TENDRIL_VK_LINK_(vkGetPhysicalDeviceProperties)
#undef TENDRIL_VK_LINK_
        table.vkResetQueryPool = reset;
        table.vkGetCalibratedTimestampsEXT = timestamps;
        table.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT = timeDomains;
        return table;
    }
#endif
    struct Moment { // on three clocks
        int64_t gpu, cpu, host;
    };

    void StartOnQueue(VkPhysicalDevice physdev, VkQueue queue, VkCommandBuffer cmdbuf)
    {
        Moment moment = {};
        FindHostClock(physdev);
        VkResult result = MakePool();
        if (result == VK_SUCCESS)
            result = Submit(queue, cmdbuf, 0, Count(), false);
        if (result == VK_SUCCESS)
            result = m_hostClock != VK_TIME_DOMAIN_DEVICE_EXT ? ReadClocks(&moment, 16)
                                                              : Measure(queue, cmdbuf, &moment);
        Begin(physdev, result, moment);
    }
    void StartOnHost(VkPhysicalDevice physdev)
    {
        Moment moment = {};
        VkResult result = VK_ERROR_EXTENSION_NOT_PRESENT;
        FindHostClock(physdev);
        if (m_vk.vkResetQueryPool && m_vk.vkGetCalibratedTimestampsEXT)
            result = MakePool();
        if (result == VK_SUCCESS) {
            m_vk.vkResetQueryPool(m_device, m_pool, 0, Count());
            result = ReadClocks(&moment, 16);
        }
        Begin(physdev, result, moment);
    }
    void Begin(VkPhysicalDevice physdev, VkResult result, const Moment &moment)
    {
        if (result != VK_SUCCESS) {
            tendril::GpuWarn("Vulkan error %d: zones of this context are not recorded", int(result));
            return;
        }
        VkPhysicalDeviceProperties properties;
        m_vk.vkGetPhysicalDeviceProperties(physdev, &properties);
        const bool calibrated = m_hostClock != VK_TIME_DOMAIN_DEVICE_EXT;
        Announce(tendril::GpuVulkan, 0, moment.cpu, moment.gpu, properties.limits.timestampPeriod,
                 calibrated ? tendril::GpuCalibrated : 0, moment.host);
    }
    // As many queries as the driver gives.
    VkResult MakePool()
    {
        VkQueryPoolCreateInfo info = {};
        info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
        info.queryType = VK_QUERY_TYPE_TIMESTAMP;
        VkResult result = VK_ERROR_INITIALIZATION_FAILED;
        for (info.queryCount = QueryCount; info.queryCount >= 64; info.queryCount /= 2) {
            result = m_vk.vkCreateQueryPool(m_device, &info, nullptr, &m_pool);
            if (result == VK_SUCCESS) {
                SetCount(info.queryCount);
                return result;
            }
            m_pool = VK_NULL_HANDLE;
        }
        return result;
    }
    // Runs a reset of some queries, then perhaps a time stamp into the first, and waits.
    VkResult Submit(VkQueue queue, VkCommandBuffer cmdbuf, uint32_t first, uint32_t count, bool stamp)
    {
        VkCommandBufferBeginInfo begin = {};
        begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
        begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
        VkSubmitInfo submit = {};
        submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &cmdbuf;
        VkResult result = m_vk.vkBeginCommandBuffer(cmdbuf, &begin);
        if (result != VK_SUCCESS)
            return result;
        m_vk.vkCmdResetQueryPool(cmdbuf, m_pool, first, count);
        if (stamp)
            m_vk.vkCmdWriteTimestamp(cmdbuf, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, m_pool, first);
        result = m_vk.vkEndCommandBuffer(cmdbuf);
        if (result == VK_SUCCESS)
            result = m_vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
        return result == VK_SUCCESS ? m_vk.vkQueueWaitIdle(queue) : result;
    }
    // The GPU's clock by time stamps that are waited for; of a few the one that took least.
    VkResult Measure(VkQueue queue, VkCommandBuffer cmdbuf, Moment *moment)
    {
        int64_t best = INT64_MAX;
        for (int i = 0; i < 4; i++) {
            int64_t gpu = 0;
            const int64_t before = int64_t(td_client_ticks());
            VkResult result = Submit(queue, cmdbuf, 0, 1, true);
            const int64_t after = int64_t(td_client_ticks());
            if (result == VK_SUCCESS)
                result = m_vk.vkGetQueryPoolResults(m_device, m_pool, 0, 1, sizeof gpu, &gpu, sizeof gpu,
                                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
            if (result != VK_SUCCESS)
                return result;
            if (after - before >= best)
                continue;
            best = after - before;
            moment->gpu = gpu;
            moment->cpu = after;
        }
        return Submit(queue, cmdbuf, 0, 1, false);
    }
    // A clock of the CPU that the driver reads together with the GPU's. Without one m_hostClock stays the
    // GPU's.
    void FindHostClock(VkPhysicalDevice physdev)
    {
        VkTimeDomainEXT domains[16];
        uint32_t count = 16;
        if (!m_vk.vkGetCalibratedTimestampsEXT || !m_vk.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT ||
            m_vk.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(physdev, &count, domains) < 0)
            return;
        for (uint32_t i = 0; i < count; i++)
            if (domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT ||
                (domains[i] == VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT &&
                 m_hostClock == VK_TIME_DOMAIN_DEVICE_EXT))
                m_hostClock = domains[i];
    }
    // Of a few readings the one whose clocks are closest together.
    VkResult ReadClocks(Moment *moment, int tries)
    {
        VkCalibratedTimestampInfoEXT clocks[2] = {};
        clocks[0].sType = clocks[1].sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
        clocks[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
        clocks[1].timeDomain = m_hostClock;
        const uint32_t count = m_hostClock == VK_TIME_DOMAIN_DEVICE_EXT ? 1 : 2;
        uint64_t best = UINT64_MAX;
        VkResult result = VK_SUCCESS;
        for (int i = 0; i < tries; i++) {
            uint64_t time[2] = {}, deviation = 0;
            const uint64_t before = td_client_ticks();
            result = m_vk.vkGetCalibratedTimestampsEXT(m_device, count, clocks, time, &deviation);
            const uint64_t after = td_client_ticks();
            if (result != VK_SUCCESS)
                break;
            if (after - before >= best)
                continue;
            best = after - before;
            moment->gpu = int64_t(time[0]);
            moment->host = int64_t(time[1]);
            moment->cpu = int64_t(before + (after - before) / 2);
        }
        return result;
    }
    void Recalibrate()
    {
        Moment moment = {};
        if (m_hostClock == VK_TIME_DOMAIN_DEVICE_EXT || ReadClocks(&moment, 4) != VK_SUCCESS ||
            moment.host <= CalibratedNs())
            return;
        Calibrate(moment.gpu, moment.host, moment.cpu);
    }
    // Sends times of some of the oldest queries; how many were there.
    uint32_t Send(uint32_t most)
    {
        constexpr uint32_t Some = 256;
        uint64_t results[Some][2] = {}; // time, whether it is there
        const uint32_t first = Oldest();
        uint32_t count = most < Some ? most : Some, ready = 0;
        if (count > Count() - first)
            count = Count() - first;
        const VkResult result = m_vk.vkGetQueryPoolResults(
            m_device, m_pool, first, count, sizeof results, results, sizeof results[0],
            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
        if (result != VK_SUCCESS && result != VK_NOT_READY)
            return 0;
        for (; ready < count && results[ready][1]; ready++)
            Time(first + ready, int64_t(results[ready][0]));
        return ready;
    }
    uint32_t GiveBack(VkCommandBuffer cmdbuf, uint32_t count)
    {
        if (cmdbuf != VK_NULL_HANDLE)
            m_vk.vkCmdResetQueryPool(cmdbuf, m_pool, Oldest(), count);
        else if (m_vk.vkResetQueryPool)
            m_vk.vkResetQueryPool(m_device, m_pool, Oldest(), count);
        TakeBack(count);
        return count;
    }

    VkDevice m_device;
    VkSymbolTable m_vk;
    VkQueryPool m_pool = VK_NULL_HANDLE;
    VkTimeDomainEXT m_hostClock = VK_TIME_DOMAIN_DEVICE_EXT;
};

class VkCtxScope : public tendril::GpuZone
{
  public:
    VkCtxScope(VkCtx *ctx, const SourceLocationData *srcloc, VkCommandBuffer cmdbuf, bool active)
        : VkCtxScope(ctx, cmdbuf, active, tendril::GpuSite(srcloc, 0))
    {
    }
    VkCtxScope(VkCtx *ctx, const SourceLocationData *srcloc, VkCommandBuffer cmdbuf, int32_t depth,
               bool active)
        : VkCtxScope(ctx, cmdbuf, active, tendril::GpuSite(srcloc, depth))
    {
    }
    VkCtxScope(VkCtx *ctx, uint32_t line, const char *source, size_t sourceSz, const char *function,
               size_t functionSz, const char *name, size_t nameSz, VkCommandBuffer cmdbuf, bool active)
        : VkCtxScope(ctx, cmdbuf, active,
                     tendril::GpuSite(line, source, sourceSz, function, functionSz, name, nameSz, 0))
    {
    }
    VkCtxScope(VkCtx *ctx, uint32_t line, const char *source, size_t sourceSz, const char *function,
               size_t functionSz, const char *name, size_t nameSz, VkCommandBuffer cmdbuf, int32_t depth,
               bool active)
        : VkCtxScope(ctx, cmdbuf, active,
                     tendril::GpuSite(line, source, sourceSz, function, functionSz, name, nameSz, depth))
    {
    }
    ~VkCtxScope()
    {
        if (!IsRecorded())
            return;
        const uint32_t query = m_ctx->Take();
        m_ctx->Stamp(m_cmdbuf, query);
        MarkEnd(query);
    }

  private:
    VkCtxScope(VkCtx *ctx, VkCommandBuffer cmdbuf, bool active, const tendril::GpuSite &site)
        : GpuZone(ctx, active), m_ctx(ctx), m_cmdbuf(cmdbuf)
    {
        if (!IsRecorded())
            return;
        const uint32_t query = m_ctx->Take();
        m_ctx->Stamp(m_cmdbuf, query);
        MarkBegin(query, site);
    }

    VkCtx *const m_ctx;
    const VkCommandBuffer m_cmdbuf;
};

#ifdef TRACY_VK_USE_SYMBOL_TABLE
inline VkCtx *CreateVkContext(VkInstance instance, VkPhysicalDevice physdev, VkDevice device, VkQueue queue,
                              VkCommandBuffer cmdbuf, PFN_vkGetInstanceProcAddr instanceProcAddr,
                              PFN_vkGetDeviceProcAddr deviceProcAddr, bool calibrated = false)
{
    return tendril::GpuCreate<VkCtx>(instance, physdev, device, queue, cmdbuf, instanceProcAddr,
                                     deviceProcAddr, calibrated);
}
inline VkCtx *CreateVkContext(VkInstance instance, VkPhysicalDevice physdev, VkDevice device,
                              PFN_vkGetInstanceProcAddr instanceProcAddr,
                              PFN_vkGetDeviceProcAddr deviceProcAddr)
{
    return tendril::GpuCreate<VkCtx>(instance, physdev, device, instanceProcAddr, deviceProcAddr);
}
#else
inline VkCtx *CreateVkContext(VkPhysicalDevice physdev, VkDevice device, VkQueue queue,
                              VkCommandBuffer cmdbuf,
                              PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT timeDomains,
                              PFN_vkGetCalibratedTimestampsEXT timestamps)
{
    return tendril::GpuCreate<VkCtx>(physdev, device, queue, cmdbuf, timeDomains, timestamps);
}
inline VkCtx *CreateVkContext(VkPhysicalDevice physdev, VkDevice device, PFN_vkResetQueryPoolEXT reset,
                              PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT timeDomains,
                              PFN_vkGetCalibratedTimestampsEXT timestamps)
{
    return tendril::GpuCreate<VkCtx>(physdev, device, reset, timeDomains, timestamps);
}
#endif
inline void DestroyVkContext(VkCtx *ctx)
{
    tendril::GpuDestroy(ctx);
}
} // namespace tracy

using TracyVkCtx = tracy::VkCtx *;

// clang-format off
#ifdef TRACY_VK_USE_SYMBOL_TABLE
#define TracyVkContext(instance, physdev, device, queue, cmdbuf, instanceProcAddr, deviceProcAddr) tracy::CreateVkContext(instance, physdev, device, queue, cmdbuf, instanceProcAddr, deviceProcAddr);
#define TracyVkContextCalibrated(instance, physdev, device, queue, cmdbuf, instanceProcAddr, deviceProcAddr) tracy::CreateVkContext(instance, physdev, device, queue, cmdbuf, instanceProcAddr, deviceProcAddr, true);
#define TracyVkContextHostCalibrated(instance, physdev, device, instanceProcAddr, deviceProcAddr) tracy::CreateVkContext(instance, physdev, device, instanceProcAddr, deviceProcAddr);
#else
#define TracyVkContext(physdev, device, queue, cmdbuf) tracy::CreateVkContext(physdev, device, queue, cmdbuf, nullptr, nullptr);
#define TracyVkContextCalibrated(physdev, device, queue, cmdbuf, timeDomains, timestamps) tracy::CreateVkContext(physdev, device, queue, cmdbuf, timeDomains, timestamps);
#define TracyVkContextHostCalibrated(physdev, device, reset, timeDomains, timestamps) tracy::CreateVkContext(physdev, device, reset, timeDomains, timestamps);
#endif
#define TracyVkDestroy(ctx) tracy::DestroyVkContext(ctx);
#define TracyVkContextName(ctx, name, size) ctx->Name(name, size);

#define TracyVkNamedZoneCS(ctx, var, cmdbuf, name, color, depth, active) TENDRIL_GPU_SRCLOC_(name, color); tracy::VkCtxScope var(ctx, TENDRIL_GPU_HERE_, cmdbuf, depth, active);
#define TracyVkNamedZoneS(ctx, var, cmdbuf, name, depth, active) TracyVkNamedZoneCS(ctx, var, cmdbuf, name, 0, depth, active)
#define TracyVkNamedZoneC(ctx, var, cmdbuf, name, color, active) TracyVkNamedZoneCS(ctx, var, cmdbuf, name, color, TRACY_CALLSTACK, active)
#define TracyVkNamedZone(ctx, var, cmdbuf, name, active) TracyVkNamedZoneCS(ctx, var, cmdbuf, name, 0, TRACY_CALLSTACK, active)
#define TracyVkZone(ctx, cmdbuf, name) TracyVkNamedZoneCS(ctx, ___tracy_gpu_zone, cmdbuf, name, 0, TRACY_CALLSTACK, true)
#define TracyVkZoneC(ctx, cmdbuf, name, color) TracyVkNamedZoneCS(ctx, ___tracy_gpu_zone, cmdbuf, name, color, TRACY_CALLSTACK, true)
#define TracyVkZoneS(ctx, cmdbuf, name, depth) TracyVkNamedZoneCS(ctx, ___tracy_gpu_zone, cmdbuf, name, 0, depth, true)
#define TracyVkZoneCS(ctx, cmdbuf, name, color, depth) TracyVkNamedZoneCS(ctx, ___tracy_gpu_zone, cmdbuf, name, color, depth, true)
#define TracyVkZoneTransient(ctx, var, cmdbuf, name, active) TracyVkZoneTransientS(ctx, var, cmdbuf, name, TRACY_CALLSTACK, active)
#define TracyVkZoneTransientS(ctx, var, cmdbuf, name, depth, active) tracy::VkCtxScope var(ctx, TENDRIL_GPU_PARTS_(name), cmdbuf, depth, active);

#define TracyVkCollect(ctx, cmdbuf) ctx->Collect(cmdbuf);
#define TracyVkCollectHost(ctx) ctx->Collect(VK_NULL_HANDLE);
// clang-format on

#endif
#endif
