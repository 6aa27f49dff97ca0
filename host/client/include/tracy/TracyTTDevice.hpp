// Zones of Tenstorrent devices, for programs that read the cores' markers themselves, as tt-metal does with
// Tenstorrent's fork of Tracy. (Tendril's own recorder does not need this header.) A context is for a core or
// a chip, and has a row for each core:
//
//     TracyTTCtx ctx = TracyTTContext();
//     TracyTTContextPopulate(ctx, cpu_ticks, device_ticks, device_ghz);   // one moment on both clocks
//     TracyTTContextName(ctx, name, strlen(name));
//     TracyTTPushStartZone(ctx, event);                                    // tracy::TTDeviceEvent, or
//     TracyTTPushEndMarker(ctx, marker);                                   // tracy::TTDeviceMarker
//
// Push the markers of a row in the order of their times. Several threads may push to one context if each has
// rows of its own. C++17. docs/client-gpu.md
#ifndef TENDRIL_TRACY_TTDEVICE_HPP
#define TENDRIL_TRACY_TTDEVICE_HPP

#ifndef TRACY_ENABLE

#define TracyTTContext() nullptr
#define TracyTTDestroy(ctx)
#define TracyTTContextName(ctx, name, size)
#define TracyTTContextNameLockfree(ctx, name, size)
#define TracyTTContextPopulate(ctx, cpuTime, timeshift, frequency)
#define TracyTTContextPopulateCalibrated(ctx, cpuTime, timeshift, frequency)
#define TracyTTContextPopulateCalibratedLockfree(ctx, cpuTime, timeshift, frequency)
#define TracyTTContextCalibrate(ctx, cpuTime, timeshift, frequency)
#define TracyTTPushStartZone(ctx, event)
#define TracyTTPushEndZone(ctx, event)
#define TracyTTPushStartMarker(ctx, marker)
#define TracyTTPushEndMarker(ctx, marker)
#define TracyTTPushMarker(ctx, marker)
#define TracyGetTimerMul() 0
#define TracyGetBaseTime() 0
#define TracyGetCpuTime()  0
#define TracySetCpuTime(t)

namespace tracy
{
class TTCtxScope
{
};
} // namespace tracy
using TracyTTCtx = void *;

#else

#include "../common/TracyTTDeviceData.hpp"
#include "../tendril/gpu.hpp"

#include <math.h>

namespace tracy
{
// Ticks of the CPU's clock for contexts that are populated with none.
inline std::atomic<int64_t> TendrilCpuSyncTime{0};

class TTCtx : public tendril::GpuMarks
{
  public:
    static constexpr uint32_t QueryCount = 64 * 1024;

    TTCtx() : GpuMarks(QueryCount), m_frequency(1)
    {
    }
    uint16_t GetId() const
    {
        return Id();
    }
    void Name(const char *name, uint16_t size)
    {
        SetName(name, size);
    }
    // ticks of the CPU's clock and of the device's at one moment, and the device's clock in GHz.
    void PopulateTTContext(int64_t cpuTime, double deviceTime, double frequency)
    {
        const int64_t cpu = Set(cpuTime, frequency);
        Announce(tendril::GpuTenstorrent, 0, cpu, Ns(deviceTime), 1.0f, tendril::GpuCalibrated, HostNs(cpu));
    }
    // The same at a later moment. Recorders derive the ratio of the clocks from both.
    void CalibrateTTContext(int64_t cpuTime, double deviceTime, double frequency)
    {
        const int64_t cpu = Set(cpuTime, frequency);
        Calibrate(Ns(deviceTime), HostNs(cpu), cpu);
    }

    void PushStartZone(const TTDeviceEvent &event)
    {
        const bool known = event.run_num != TTDeviceEvent::INVALID_NUM && event.run_num > 0;
        const bool together = event.risc == static_cast<uint64_t>(RiscType::TENSIX_RISC_AGG);
        Start(event, event.zone_name, known ? Run(together, event.run_num) : std::string(), event.color);
    }
    void PushEndZone(const TTDeviceEvent &event)
    {
        End(uint32_t(event.get_thread_id()), event.timestamp);
    }
    void PushStartMarker(const TTDeviceMarker &marker)
    {
        using Keyword = MarkerDetails::MarkerNameKeyword;
        const bool known =
            marker.runtime_host_id != TTDeviceMarker::INVALID_NUM && marker.runtime_host_id > 0;
        // Only what runs once an operation: each run is a source location of its own, and viewers have room
        // for 32 thousand.
        const bool tells = Is(marker, Keyword::BRISC_FW) || Is(marker, Keyword::ERISC_FW);
        Start(marker, marker.marker_name,
              known && tells ? Run(marker.risc == RiscType::TENSIX_RISC_AGG, marker.runtime_host_id)
                             : std::string(),
              ColorOf(marker));
    }
    void PushEndMarker(const TTDeviceMarker &marker)
    {
        End(marker.get_thread_id(), marker.timestamp);
    }
    // A moment: a zone of no duration, whose function is the marker's text.
    void PushMarker(const TTDeviceMarker &marker)
    {
        Start(marker, marker.marker_name, marker.to_string(), ColorOf(marker));
        PushEndMarker(marker);
    }

  private:
    int64_t Set(int64_t cpuTime, double frequency)
    {
        m_frequency = frequency > 0 ? frequency : 1;
        return cpuTime ? cpuTime : TendrilCpuSyncTime.load(std::memory_order_relaxed);
    }
    int64_t Ns(double deviceTime) const
    {
        return int64_t(llround(deviceTime / m_frequency));
    }
    static int64_t HostNs(int64_t cpuTime)
    {
        return int64_t(double(cpuTime) * td_client_tick_ns());
    }
    static std::string Run(bool together, uint64_t number)
    {
        return (together ? "TRACE ID:" : "OP ID:") + std::to_string(number);
    }
    static bool Is(const TTDeviceMarker &marker, MarkerDetails::MarkerNameKeyword keyword)
    {
        return marker.marker_name_keyword_flags[static_cast<size_t>(keyword)];
    }
    static uint32_t ColorOf(const TTDeviceMarker &marker)
    {
        static constexpr uint32_t cores[] = {Color::Orange2,    Color::SeaGreen3,  Color::SkyBlue3,
                                             Color::Turquoise2, Color::CadetBlue1, Color::Yellow3};
        const size_t core = static_cast<size_t>(marker.risc);
        if (marker.color)
            return marker.color;
        if (Is(marker, MarkerDetails::MarkerNameKeyword::PROFILER))
            return Color::Tomato3;
        return core < sizeof cores / sizeof *cores ? cores[core] : uint32_t(Color::DarkSlateGray3);
    }

    template <class T>
    void Start(const T &marked, const std::string &name, const std::string &function, uint32_t color)
    {
        const uint64_t srcloc = ___tracy_alloc_srcloc_name(
            marked.line == T::INVALID_NUM ? 0 : uint32_t(marked.line), marked.file.data(), marked.file.size(),
            function.data(), function.size(), name.data(), name.size(), color);
        const uint32_t query = Take();
        td_client_gpu_zone_begin(Id(), uint16_t(query), srcloc, true, 0, 0, uint32_t(marked.get_thread_id()));
        Time(query, Ns(double(marked.timestamp)));
    }
    void End(uint32_t thread, uint64_t deviceTime)
    {
        const uint32_t query = Take();
        td_client_gpu_zone_end(Id(), uint16_t(query), 0, thread);
        Time(query, Ns(double(deviceTime)));
    }

    double m_frequency; // GHz: ticks a ns
};
} // namespace tracy

using TracyTTCtx = tracy::TTCtx *;

#define TracyTTContext()                            tendril::GpuCreate<tracy::TTCtx>()
#define TracyTTDestroy(ctx)                         tendril::GpuDestroy(ctx)
#define TracyTTContextName(ctx, name, size)         (ctx)->Name(name, size)
#define TracyTTContextNameLockfree(ctx, name, size) (ctx)->Name(name, size)
#define TracyTTContextPopulate(ctx, cpuTime, timeshift, frequency)                                           \
    (ctx)->PopulateTTContext(cpuTime, timeshift, frequency)
#define TracyTTContextPopulateCalibrated(ctx, cpuTime, timeshift, frequency)                                 \
    (ctx)->PopulateTTContext(cpuTime, timeshift, frequency)
#define TracyTTContextPopulateCalibratedLockfree(ctx, cpuTime, timeshift, frequency)                         \
    (ctx)->PopulateTTContext(cpuTime, timeshift, frequency)
#define TracyTTContextCalibrate(ctx, cpuTime, timeshift, frequency)                                          \
    (ctx)->CalibrateTTContext(cpuTime, timeshift, frequency)
#define TracyTTPushStartZone(ctx, event)    (ctx)->PushStartZone(event)
#define TracyTTPushEndZone(ctx, event)      (ctx)->PushEndZone(event)
#define TracyTTPushStartMarker(ctx, marker) (ctx)->PushStartMarker(marker)
#define TracyTTPushEndMarker(ctx, marker)   (ctx)->PushEndMarker(marker)
#define TracyTTPushMarker(ctx, marker)      (ctx)->PushMarker(marker)
#define TracyGetTimerMul()                  td_client_tick_ns()
#define TracyGetBaseTime()                  td_client_begin_ticks()
#define TracyGetCpuTime()                   tracy::Profiler::GetTime()
#define TracySetCpuTime(ticks)              tracy::TendrilCpuSyncTime.store(ticks, std::memory_order_relaxed)

#endif
#endif
