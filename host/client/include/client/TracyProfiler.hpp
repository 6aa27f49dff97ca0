// What C++ markers call: static functions of tracy::Profiler over the client's C interface (tracy/TracyC.h
// says what they promise), and the client's own state. Used with TRACY_ENABLE only. Arguments are those of
// Tracy 0.11.1 and of 0.14.0; `secure` means nothing here, since every marker is safe before the client
// starts and after it has ended.
#ifndef TENDRIL_TRACY_PROFILER_HPP
#define TENDRIL_TRACY_PROFILER_HPP
#include "../common/TracyAlign.hpp"
#include "../common/TracyAlloc.hpp"
#include "../common/TracyForceInline.hpp"
#include "../common/TracyFormat.h"
#include "../common/TracyMutex.hpp"
#include "../common/TracyQueue.hpp"
#include "../common/TracySystem.hpp"
#include "../tendril/items.hpp"
#include "../tracy/TracyC.h"
#include "TracyCallstack.hpp"
#include <stdarg.h>
#include <string.h>

#ifdef TRACY_ENABLE
// Nothing here uses these. Tracy's headers bring them along, so that programs use them without including
// them.
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <signal.h>
#include <thread>
#include <time.h>
#include <utility>

#ifdef TRACY_MANUAL_LIFETIME
#define TracyIsStarted tracy::IsProfilerStarted()
#else
#define TracyIsStarted true
#endif

namespace tracy
{
// Lives as long as the program: one static object a marker. name nullptr: the function is shown.
struct SourceLocationData {
    const char *name;
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t color;
};
static_assert(sizeof(SourceLocationData) == sizeof(___tracy_source_location_data),
              "one layout for C and C++");

inline const ___tracy_source_location_data *TendrilLocation(const SourceLocationData *srcloc)
{
    return reinterpret_cast<const ___tracy_source_location_data *>(srcloc);
}

typedef void (*ParameterCallback)(void *data, uint32_t idx, int32_t val);
typedef char *(*SourceContentsCallback)(void *data, const char *filename, size_t &size);

// For programs that start and end the client themselves (TRACY_MANUAL_LIFETIME); else it happens by itself.
inline void StartupProfiler()
{
    ___tracy_startup_profiler();
}
inline void ShutdownProfiler()
{
    ___tracy_shutdown_profiler();
}
inline bool IsProfilerStarted()
{
    return ___tracy_profiler_started() != 0;
}
inline bool ProfilerAvailable()
{
    return IsProfilerStarted();
}
inline int64_t GetInitTime() // by Profiler::GetTime()'s clock
{
    return td_client_begin_ticks();
}
inline bool ProfilerAllocatorAvailable()
{
    return true;
}
// Nothing is sampled by this client: false.
inline bool BeginSamplingProfiling()
{
    return ___tracy_begin_sampling_profiling() != 0;
}
inline void EndSamplingProfiling()
{
    ___tracy_end_sampling_profiling();
}
// Of Windows' clock.
inline int64_t GetFrequencyQpc()
{
    return 0;
}
// Whether times are a counter of the processor: time stamp counter, CNTVCT_EL0, RISC-V's time.
inline bool HardwareSupportsInvariantTSC()
{
    return td_client_clock_source_ == 1;
}

class Profiler
{
  public:
    static tracy_force_inline int64_t GetTime()
    {
        return static_cast<int64_t>(td_client_ticks());
    }
    bool IsConnected() const
    {
        return ___tracy_connected() != 0;
    }
    // The number of the connection that events are for; 0: they are dropped.
    uint64_t ConnectionId() const
    {
        return td_client_is_live();
    }
    void SetProgramName(const char *name)
    {
        td_client_set_program_name(name);
    }
    // Ends the session: what is queued has been sent when it returns.
    void RequestShutdown()
    {
        ___tracy_shutdown_profiler();
    }
    bool HasShutdownFinished() const
    {
        return !___tracy_profiler_started();
    }
    bool BeginSamplingProfiling()
    {
        return tracy::BeginSamplingProfiling();
    }
    void EndSamplingProfiling()
    {
        tracy::EndSamplingProfiling();
    }

    // Frames. name nullptr: the main frame set.
    static tracy_force_inline void SendFrameMark(const char *name)
    {
        ___tracy_emit_frame_mark(name);
    }
    static tracy_force_inline void SendFrameMark(const char *name, QueueType type)
    {
        if (type == QueueType::FrameMarkMsgStart)
            ___tracy_emit_frame_mark_start(name);
        else if (type == QueueType::FrameMarkMsgEnd)
            ___tracy_emit_frame_mark_end(name);
        else
            ___tracy_emit_frame_mark(name);
    }
    static tracy_force_inline void SendFrameImage(const void *image, uint16_t width, uint16_t height,
                                                  uint8_t offset, bool flip)
    {
        ___tracy_emit_frame_image(image, width, height, offset, flip);
    }

    // Plots take any number: whole ones as integers, float and double as they are.
    static tracy_force_inline void PlotData(const char *name, long long value)
    {
        td_client_plot(TD_CLIENT_PLOT_INT, name, static_cast<uint64_t>(value));
    }
    static tracy_force_inline void PlotData(const char *name, unsigned long long value)
    {
        PlotData(name, static_cast<long long>(value));
    }
    static tracy_force_inline void PlotData(const char *name, long value)
    {
        PlotData(name, static_cast<long long>(value));
    }
    static tracy_force_inline void PlotData(const char *name, unsigned long value)
    {
        PlotData(name, static_cast<long long>(value));
    }
    static tracy_force_inline void PlotData(const char *name, int value)
    {
        PlotData(name, static_cast<long long>(value));
    }
    static tracy_force_inline void PlotData(const char *name, unsigned value)
    {
        PlotData(name, static_cast<long long>(value));
    }
    static tracy_force_inline void PlotData(const char *name, float value)
    {
        td_client_plot_float(name, value);
    }
    static tracy_force_inline void PlotData(const char *name, double value)
    {
        td_client_plot_double(name, value);
    }
    static tracy_force_inline void ConfigurePlot(const char *name, PlotFormatType type, bool step, bool fill,
                                                 uint32_t color)
    {
        ___tracy_emit_plot_config(name, static_cast<int32_t>(type), step, fill, color);
    }

    // Messages; without a size the text must live as long as the program. depth: of the call stack.
    static tracy_force_inline void LogString(MessageSourceType, MessageSeverity severity, uint32_t color,
                                             int32_t depth, size_t size, const char *text)
    {
        ___tracy_emit_logString(static_cast<int8_t>(severity), static_cast<int32_t>(color), depth, size,
                                text);
    }
    static tracy_force_inline void LogString(MessageSourceType, MessageSeverity severity, uint32_t color,
                                             int32_t depth, const char *text)
    {
        ___tracy_emit_logStringL(static_cast<int8_t>(severity), static_cast<int32_t>(color), depth, text);
    }
    static tracy_force_inline void Message(const char *text, size_t size, int depth)
    {
        ___tracy_emit_message(text, size, depth);
    }
    static tracy_force_inline void Message(const char *text, int depth)
    {
        tendril_c_message_literal_(text, depth);
    }
    static tracy_force_inline void MessageColor(const char *text, size_t size, uint32_t color, int depth)
    {
        ___tracy_emit_messageC(text, size, color, depth);
    }
    static tracy_force_inline void MessageColor(const char *text, uint32_t color, int depth)
    {
        ___tracy_emit_messageLC(text, color, depth);
    }
    static tracy_force_inline void MessageAppInfo(const char *text, size_t size)
    {
        ___tracy_emit_message_appinfo(text, size);
    }

    // Memory. name: of the pool, always the same pointer.
    static tracy_force_inline void MemAllocCallstack(const void *ptr, size_t size, int32_t depth,
                                                     bool secure = false)
    {
        (void)secure;
        TracyCAllocS(ptr, size, depth);
    }
    static tracy_force_inline void MemFreeCallstack(const void *ptr, int32_t depth, bool secure = false)
    {
        (void)secure;
        TracyCFreeS(ptr, depth);
    }
    static tracy_force_inline void MemAllocCallstackNamed(const void *ptr, size_t size, int32_t depth,
                                                          const char *name)
    {
        TracyCAllocNS(ptr, size, depth, name);
    }
    static tracy_force_inline void MemFreeCallstackNamed(const void *ptr, int32_t depth, const char *name)
    {
        TracyCFreeNS(ptr, depth, name);
    }
    static tracy_force_inline void MemAllocCallstackNamed(const void *ptr, size_t size, int32_t depth, bool,
                                                          const char *name)
    {
        TracyCAllocNS(ptr, size, depth, name);
    }
    static tracy_force_inline void MemFreeCallstackNamed(const void *ptr, int32_t depth, bool,
                                                         const char *name)
    {
        TracyCFreeNS(ptr, depth, name);
    }
    static tracy_force_inline void MemAlloc(const void *ptr, size_t size, bool secure = false)
    {
        MemAllocCallstack(ptr, size, 0, secure);
    }
    static tracy_force_inline void MemFree(const void *ptr, bool secure = false)
    {
        MemFreeCallstack(ptr, 0, secure);
    }
    static tracy_force_inline void MemAllocNamed(const void *ptr, size_t size, const char *name)
    {
        MemAllocCallstackNamed(ptr, size, 0, name);
    }
    static tracy_force_inline void MemFreeNamed(const void *ptr, const char *name)
    {
        MemFreeCallstackNamed(ptr, 0, name);
    }
    static tracy_force_inline void MemAllocNamed(const void *ptr, size_t size, bool, const char *name)
    {
        MemAllocCallstackNamed(ptr, size, 0, name);
    }
    static tracy_force_inline void MemFreeNamed(const void *ptr, bool, const char *name)
    {
        MemFreeCallstackNamed(ptr, 0, name);
    }
    static tracy_force_inline void MemDiscard(const char *name)
    {
        ___tracy_emit_memory_discard(name);
    }
    static tracy_force_inline void MemDiscardCallstack(const char *name, int32_t depth)
    {
        ___tracy_emit_memory_discard_callstack(name, depth);
    }

    // Callbacks run in the client's thread.
    static tracy_force_inline void ParameterRegister(ParameterCallback callback, void *data)
    {
        td_client_parameter_register(callback, data);
    }
    static tracy_force_inline void ParameterSetup(uint32_t idx, const char *name, uint8_t type, int32_t value)
    {
        td_client_parameter_setup(idx, name, type, value);
    }
    static tracy_force_inline void SourceCallbackRegister(SourceContentsCallback callback, void *data)
    {
        // What was registered before may be running: its place is not used again.
        void *room = callback ? td_client_alloc(sizeof(SourceCallback)) : nullptr;
        SourceCallback *registered = static_cast<SourceCallback *>(room);
        if (!registered) {
            td_client_source_register(nullptr, nullptr);
            return;
        }
        registered->callback = callback;
        registered->data = data;
        td_client_source_register(SourceCallback::Run, registered);
    }

    static tracy_force_inline void EnterFiber(const char *fiber, int32_t groupHint)
    {
        td_client_fiber_enter(fiber, groupHint);
    }
    static tracy_force_inline void LeaveFiber()
    {
        td_client_fiber_leave();
    }

    static uint32_t SectionEnter(uint16_t category, const char *format, ...)
        TRACY_ATTRIBUTE_FORMAT_PRINTF(2, 3)
    {
        va_list args;
        va_start(args, format);
        const uint32_t id = td_client_section_enter_args(category, format, args);
        va_end(args);
        return id;
    }
    static tracy_force_inline void SectionLeave(uint32_t id)
    {
        td_client_section_leave(id);
    }
    static void SectionSetup(uint16_t category, const char *format, ...) TRACY_ATTRIBUTE_FORMAT_PRINTF(2, 3)
    {
        va_list args;
        va_start(args, format);
        td_client_section_setup_args(category, format, args);
        va_end(args);
    }

    // Source locations made at run time: each goes to exactly one begin of a zone, which frees it.
    static tracy_force_inline uint64_t AllocSourceLocation(uint32_t line, const char *source, size_t sourceSz,
                                                           const char *function, size_t functionSz,
                                                           const char *name, size_t nameSz,
                                                           uint32_t color = 0)
    {
        return ___tracy_alloc_srcloc_name(line, source, sourceSz, function, functionSz, name, nameSz, color);
    }
    static tracy_force_inline uint64_t AllocSourceLocation(uint32_t line, const char *source, size_t sourceSz,
                                                           const char *function, size_t functionSz,
                                                           uint32_t color = 0)
    {
        return AllocSourceLocation(line, source, sourceSz, function, functionSz, nullptr, 0, color);
    }
    static tracy_force_inline uint64_t AllocSourceLocation(uint32_t line, const char *source,
                                                           const char *function, const char *name,
                                                           size_t nameSz, uint32_t color = 0)
    {
        return AllocSourceLocation(line, source, strlen(source), function, strlen(function), name, nameSz,
                                   color);
    }
    static tracy_force_inline uint64_t AllocSourceLocation(uint32_t line, const char *source,
                                                           const char *function, uint32_t color = 0)
    {
        return AllocSourceLocation(line, source, function, nullptr, 0, color);
    }

    // Items that the program writes itself: tendril/items.hpp. One at a time a thread.
    static QueueItem *QueueSerial()
    {
        QueueItem *item = &TendrilItems::OfThread().item;
        *item = QueueItem();
        return item;
    }
    static void QueueSerialFinish()
    {
        TendrilPut(TendrilItems::OfThread().item);
    }
    // Of the zone that an item ZoneBeginCallstack has begun before.
    static TD_CLIENT_IN_PLACE void SendCallstack(int depth)
    {
        TendrilStack(depth);
    }
    // What later connections need is kept by its marker.
    void DeferItem(const QueueItem &)
    {
    }
    // The number of a zone in its context (TracyCZoneCtx): a context with it names the innermost zone.
    uint32_t GetNextZoneId()
    {
        return td_client_is_live() ? TD_CLIENT_INNERMOST : TD_CLIENT_OFF;
    }

  private:
    struct SourceCallback {
        SourceContentsCallback callback;
        void *data;
        static char *Run(void *self, const char *filename, size_t *size)
        {
            SourceCallback *registered = static_cast<SourceCallback *>(self);
            return registered->callback(registered->data, filename, *size);
        }
    };
};

// The one client of the process; the object itself holds nothing.
inline Profiler &GetProfiler()
{
    static Profiler profiler;
    return profiler;
}
} // namespace tracy
#endif
#endif
