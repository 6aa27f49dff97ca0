// Enumerations that arguments of markers are of.
#ifndef TENDRIL_TRACY_QUEUE_HPP
#define TENDRIL_TRACY_QUEUE_HPP
#include <stdint.h>

namespace tracy
{
enum class PlotFormatType : uint8_t { Number, Memory, Percentage, Watt };

enum class MessageSourceType : uint8_t { User, Tracy, COUNT };

enum class MessageSeverity : uint8_t { Trace, Debug, Info, Warning, Error, Fatal, COUNT };

enum class GpuContextType : uint8_t {
    Invalid,
    OpenGl,
    Vulkan,
    OpenCL,
    Direct3D12,
    Direct3D11,
    Metal,
    Custom,
    CUDA,
    Rocprof,
    WebGPU
};

enum GpuContextFlags : uint8_t { GpuContextCalibration = 1 << 0 };

enum class LockType : uint8_t { Lockable, SharedLockable };

// Of Tracy's items those that tendril/items.hpp makes markers of, and what Profiler::SendFrameMark() takes.
enum class QueueType : uint8_t {
    FrameMarkMsg,
    FrameMarkMsgStart,
    FrameMarkMsgEnd,
    ZoneBegin,
    ZoneBeginCallstack,
    ZoneBeginAllocSrcLoc,
    ZoneBeginAllocSrcLocCallstack,
    ZoneEnd,
    ZoneValidation,
    ZoneText,
    ZoneName,
    ZoneColor,
    ZoneValue,
    Message,
    MessageColor,
    MessageLiteral,
    MessageLiteralColor,
    MessageAppInfo,
    PlotDataInt,
    PlotDataFloat,
    PlotDataDouble,
    PlotConfig,
    ParamSetup,
    FiberEnter,
    FiberLeave,
    LockAnnounce,
    LockTerminate,
    LockWait,
    LockObtain,
    LockRelease,
    LockSharedWait,
    LockSharedObtain,
    LockSharedRelease,
    LockMark,
    LockName,
    MemNamePayload,
    MemAlloc,
    MemAllocNamed,
    MemFree,
    MemFreeNamed,
    GpuNewContext,
    GpuContextName,
    GpuZoneBegin,
    GpuZoneBeginSerial,
    GpuZoneBeginAllocSrcLoc,
    GpuZoneBeginAllocSrcLocSerial,
    GpuZoneEnd,
    GpuZoneEndSerial,
    GpuTime,
    GpuTimeSync,
    GpuCalibration
};
} // namespace tracy
#endif
