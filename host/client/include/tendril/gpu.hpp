// Shared by the headers for GPU interfaces (tracy/TracyOpenGL.hpp and so on): numbers of queries, contexts,
// and the markers of a zone. Only those headers include it. Header only, no C++ runtime, no exceptions.
//
// A GPU zone is two markers with the CPU's time. Each has the number of a query, whose result is the GPU's
// time; Collect() sends the results that it finds. Numbers come from a ring, and are freed in the order in
// which they were taken.
#ifndef TENDRIL_GPU_HPP
#define TENDRIL_GPU_HPP

#include "../tracy/Tracy.hpp"
#include "client.h"

#include <atomic>
#include <new>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifndef _WIN32
#include <time.h>
#endif

namespace tendril
{
// Types of contexts, as in traces.
enum GpuType : uint8_t {
    GpuOpenGl = 1,
    GpuVulkan = 2,
    GpuOpenCl = 3,
    GpuDirect3D12 = 4,
    GpuDirect3D11 = 5,
    GpuMetal = 6,
    GpuCuda = 8,
    GpuWebGpu = 10,
    GpuTenstorrent = TD_CLIENT_GPU_TENSTORRENT
};
enum : uint8_t { GpuCalibrated = 1 };
enum : uint32_t { GpuCollectColor = 0x8b0000 };

// Sends a warning, as a message of the trace.
__attribute__((format(printf, 1, 2))) inline void GpuWarn(const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0)
        ___tracy_emit_logString(TracyMessageSeverityWarning, 0, 0, strlen(text), text);
}

#ifndef _WIN32
// The host's time, to measure how long two calibrations are apart. `clock` is one of clock_gettime()'s.
inline int64_t GpuHostNs(clockid_t clock = CLOCK_MONOTONIC)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}
#endif

// Objects in the client's memory, so that programs link without operator new.
template <class T, class... Args> T *GpuCreate(Args... args)
{
    void *memory = td_client_alloc(sizeof(T));
    return memory ? new (memory) T(args...) : nullptr;
}
template <class T> void GpuDestroy(T *object)
{
    if (!object)
        return;
    object->~T();
    td_client_free(object);
}

// Where a zone is marked: a static source location, or the parts of one that is made if the zone is recorded.
struct GpuSite {
    const void *srcloc;
    int32_t depth; // of the call stack
    uint32_t line;
    const char *source, *function, *name;
    size_t sourceSz, functionSz, nameSz;

    GpuSite(const tracy::SourceLocationData *location, int32_t stack)
        : srcloc(location), depth(stack), line(0), source(nullptr), function(nullptr), name(nullptr),
          sourceSz(0), functionSz(0), nameSz(0)
    {
    }
    GpuSite(uint32_t at, const char *file, size_t fileSz, const char *func, size_t funcSz, const char *title,
            size_t titleSz, int32_t stack)
        : srcloc(nullptr), depth(stack), line(at), source(file), function(func), name(title),
          sourceSz(fileSz), functionSz(funcSz), nameSz(titleSz)
    {
    }
};

// A context, its markers and its ring of queries. Taking numbers is thread-safe; Take...Back() is for one
// thread at a time.
class GpuMarks
{
  public:
    GpuMarks(const GpuMarks &) = delete;
    GpuMarks &operator=(const GpuMarks &) = delete;

    // Announces the context to the recorder. thread 0: each zone belongs to the thread that marks it. hostNs:
    // the time of a clock of the host at that moment, if the context will be calibrated.
    void Announce(GpuType type, uint32_t thread, int64_t cpuTime, int64_t gpuTime, float period,
                  uint8_t flags, int64_t hostNs = 0)
    {
        const td_client_gpu_context context = {gpuTime, cpuTime, period, thread, m_id, flags, type};
        td_client_gpu_new_context(&context);
        m_thread = thread;
        m_announcedNs = m_calibratedNs = hostNs;
        m_alive = true;
    }
    bool IsAlive() const // announced
    {
        return m_alive;
    }
    uint16_t Id() const
    {
        return m_id;
    }
    void SetName(const char *name, size_t size)
    {
        td_client_gpu_context_name(m_id, name, size);
    }
    void Time(uint32_t query, int64_t gpuTime)
    {
        td_client_gpu_time(m_id, uint16_t(query), gpuTime);
    }
    // A calibration: the same moment on the GPU's clock, in ns of the host's clock, and in the host's ticks.
    void Calibrate(int64_t gpuTime, int64_t hostNs, int64_t cpuTime)
    {
        const uint32_t live = td_client_is_live();
        if (live !=
            m_calibratedFor) // a recorder that has connected since got the context as it was announced
            m_calibratedNs = m_announcedNs;
        td_client_gpu_calibration(m_id, gpuTime, hostNs - m_calibratedNs, cpuTime);
        m_calibratedFor = live;
        m_calibratedNs = hostNs;
    }
    int64_t CalibratedNs() const // hostNs of the last calibration
    {
        return m_calibratedNs;
    }
    void Begin(uint32_t query, const GpuSite &site)
    {
        uint64_t srcloc = uint64_t(uintptr_t(site.srcloc));
        const bool made = !site.srcloc;
        if (made)
            srcloc = ___tracy_alloc_srcloc_name(site.line, site.source, site.sourceSz, site.function,
                                                site.functionSz, site.name, site.nameSz, 0);
        td_client_gpu_zone_begin(m_id, uint16_t(query), srcloc, made, site.depth, 0, Thread());
    }
    void End(uint32_t query)
    {
        td_client_gpu_zone_end(m_id, uint16_t(query), 0, Thread());
    }

    // Reserves two numbers, for a zone's begin and end. Take() them only if this returns true.
    bool Reserve()
    {
        if (m_used.fetch_add(2, std::memory_order_acquire) + 2 <= m_count)
            return true;
        m_used.fetch_sub(2, std::memory_order_relaxed);
        if (!m_full.exchange(true, std::memory_order_relaxed))
            GpuWarn("GPU context %d has no free queries: zones are left out until Collect finds results",
                    m_id);
        return false;
    }
    uint32_t Take()
    {
        return uint32_t(m_head.fetch_add(1, std::memory_order_relaxed) % m_count);
    }
    // The queries that wait for results: `Waiting` numbers from Oldest() on, wrapping at Count().
    uint32_t Waiting() const
    {
        return uint32_t(m_head.load(std::memory_order_acquire) - m_tail);
    }
    uint32_t Oldest() const
    {
        return uint32_t(m_tail % m_count);
    }
    uint32_t Count() const
    {
        return m_count;
    }
    void TakeBack(uint32_t count)
    {
        m_tail += count;
        m_used.fetch_sub(count, std::memory_order_release); // their results have been read
        m_full.store(false, std::memory_order_relaxed);
    }

  protected:
    explicit GpuMarks(uint32_t count)
        : m_id(td_client_gpu_next_context()), m_alive(false), m_thread(0), m_calibratedFor(0),
          m_announcedNs(0), m_calibratedNs(0), m_count(count), m_tail(0), m_head(0), m_used(0), m_full(false)
    {
    }
    ~GpuMarks() = default;
    void SetCount(uint32_t count) // before any number is taken
    {
        m_count = count;
    }
    // For numbers that are taken without Reserve().
    void CountOne()
    {
        m_used.fetch_add(1, std::memory_order_acquire);
    }

  private:
    uint32_t Thread() const
    {
        return m_thread ? 0 : td_client_thread_id();
    }

    const uint16_t m_id;
    bool m_alive;
    uint32_t m_thread, m_calibratedFor; // m_calibratedFor: the number of a connection
    int64_t m_announcedNs, m_calibratedNs;
    uint32_t m_count;
    uint64_t m_tail;
    std::atomic<uint64_t> m_head;
    std::atomic<uint32_t> m_used;
    std::atomic<bool> m_full;
};

// The base of zones: whether the zone is recorded. Its end is marked only if the connection is still the one
// of its begin; the end's query is used in any case.
class GpuZone
{
  public:
    GpuZone(const GpuZone &) = delete;
    GpuZone &operator=(const GpuZone &) = delete;

  protected:
    GpuZone(GpuMarks *marks, bool active) : m_marks(nullptr), m_live(0)
    {
        if (!active || !marks || !marks->IsAlive())
            return;
        m_live = td_client_is_live();
        if (m_live && marks->Reserve())
            m_marks = marks;
    }
    ~GpuZone() = default;
    bool IsRecorded() const
    {
        return m_marks != nullptr;
    }
    void MarkBegin(uint32_t query, const GpuSite &site)
    {
        m_marks->Begin(query, site);
    }
    void MarkEnd(uint32_t query)
    {
        if (td_client_is_live() == m_live)
            m_marks->End(query);
    }

  private:
    GpuMarks *m_marks;
    uint32_t m_live;
};
} // namespace tendril

#define TENDRIL_GPU_SRCLOC_(name, color)                                                                     \
    static constexpr tracy::SourceLocationData TracyConcat(__tracy_gpu_source_location, TracyLine)           \
    {                                                                                                        \
        name, TracyFunction, TracyFile, (uint32_t)TracyLine, color                                           \
    }
#define TENDRIL_GPU_HERE_ &TracyConcat(__tracy_gpu_source_location, TracyLine)
#define TENDRIL_GPU_PARTS_(name)                                                                             \
    TracyLine, TracyFile, strlen(TracyFile), TracyFunction, strlen(TracyFunction), name, strlen(name)

#endif
