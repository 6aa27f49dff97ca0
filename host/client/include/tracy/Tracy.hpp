// Markers for C++ programs (C++11 and newer): Tracy's macros, those of 0.11.1 and of 0.14.0, over Tendril's
// own client. tracy/TracyC.h says what they promise, docs/client-macros.md lists them. Header only; needs no
// C++ runtime. Without TRACY_ENABLE a marker is nothing: no code, no data, arguments are not looked at.
//
// This file is the macros alone, each once. What they call: client/TracyScoped.hpp (zones),
// client/TracyLock.hpp (locks), client/TracyProfiler.hpp (all else), common/TracySystem.hpp (threads),
// common/TracyColor.hpp.
#ifndef TENDRIL_TRACY_TRACY_HPP
#define TENDRIL_TRACY_TRACY_HPP

#include "../common/TracyColor.hpp"
#include "../common/TracySystem.hpp"
#include "../tendril/marker.h"

#ifdef TRACY_ENABLE
#include "../client/TracyLock.hpp"
#include "../client/TracyProfiler.hpp"
#include "../client/TracyScoped.hpp"
#include <string.h>
#else
#define TracyIsStarted false
#endif

#define TracyParamTypeInt     0
#define TracyParamTypeBool    1
#define TracyParamTypeTrigger 2

// clang-format off
#define TracyNoop TENDRIL_ON_(tracy::ProfilerAvailable())

// ---- Zones. S takes a depth of the call stack, N a name, C a colour; V names the zone's variable.

#define TENDRIL_SRCLOC_(prefix, name, function, color)                                                        \
    static constexpr tracy::SourceLocationData TracyConcat(prefix, TracyLine){                                \
        name, function, TracyFile, uint32_t(TracyLine), color}

#define ZoneNamedNCS(varname, name, color, depth, active)                                                     \
    TENDRIL_ON_(TENDRIL_SRCLOC_(__tracy_source_location, name, TracyFunction, color);                         \
    tracy::ScopedZone varname(&TracyConcat(__tracy_source_location, TracyLine), depth, active))
#define ZoneNamedS(varname, depth, active) ZoneNamedNCS(varname, nullptr, 0, depth, active)
#define ZoneNamedNS(varname, name, depth, active) ZoneNamedNCS(varname, name, 0, depth, active)
#define ZoneNamedCS(varname, color, depth, active) ZoneNamedNCS(varname, nullptr, color, depth, active)
#define ZoneNamed(varname, active) ZoneNamedNCS(varname, nullptr, 0, TRACY_CALLSTACK, active)
#define ZoneNamedN(varname, name, active) ZoneNamedNCS(varname, name, 0, TRACY_CALLSTACK, active)
#define ZoneNamedC(varname, color, active) ZoneNamedNCS(varname, nullptr, color, TRACY_CALLSTACK, active)
#define ZoneNamedNC(varname, name, color, active) ZoneNamedNCS(varname, name, color, TRACY_CALLSTACK, active)

#define TENDRIL_TRANSIENT_(varname, name, size, color, depth, active)                                         \
    TENDRIL_ON_(tracy::ScopedZone varname(uint32_t(TracyLine), TracyFile, strlen(TracyFile), TracyFunction,   \
                                          strlen(TracyFunction), name, size, uint32_t(color), depth, active))
#define ZoneTransientS(varname, depth, active) TENDRIL_TRANSIENT_(varname, nullptr, 0, 0, depth, active)
#define ZoneTransientNS(varname, name, depth, active) TENDRIL_TRANSIENT_(varname, name, strlen(name), 0, depth, active)
#define ZoneTransient(varname, active) ZoneTransientS(varname, TRACY_CALLSTACK, active)
#define ZoneTransientN(varname, name, active) ZoneTransientNS(varname, name, TRACY_CALLSTACK, active)
#define ZoneTransientNC(varname, name, color, active) TENDRIL_TRANSIENT_(varname, name, strlen(name), color, TRACY_CALLSTACK, active)

// Scopes within scopes have variables of one name; that is meant.
#ifndef TRACY_ENABLE
#define SuppressVarShadowWarning(Expr)
#elif defined(TRACY_ALLOW_SHADOW_WARNING)
#define SuppressVarShadowWarning(Expr) Expr
#else
#define SuppressVarShadowWarning(Expr) _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") \
    Expr; _Pragma("GCC diagnostic pop")
#endif
#define ZoneScoped SuppressVarShadowWarning(ZoneNamed(___tracy_scoped_zone, true))
#define ZoneScopedN(name) SuppressVarShadowWarning(ZoneNamedN(___tracy_scoped_zone, name, true))
#define ZoneScopedC(color) SuppressVarShadowWarning(ZoneNamedC(___tracy_scoped_zone, color, true))
#define ZoneScopedNC(name, color) SuppressVarShadowWarning(ZoneNamedNC(___tracy_scoped_zone, name, color, true))
#define ZoneScopedS(depth) SuppressVarShadowWarning(ZoneNamedS(___tracy_scoped_zone, depth, true))
#define ZoneScopedNS(name, depth) SuppressVarShadowWarning(ZoneNamedNS(___tracy_scoped_zone, name, depth, true))
#define ZoneScopedCS(color, depth) SuppressVarShadowWarning(ZoneNamedCS(___tracy_scoped_zone, color, depth, true))
#define ZoneScopedNCS(name, color, depth) SuppressVarShadowWarning(ZoneNamedNCS(___tracy_scoped_zone, name, color, depth, true))

#define ZoneTextV(varname, text, size) TENDRIL_ON_(varname.Text(text, size))
#define ZoneTextVF(varname, ...) TENDRIL_ON_(varname.TextFmt(__VA_ARGS__))
#define ZoneNameV(varname, text, size) TENDRIL_ON_(varname.Name(text, size))
#define ZoneNameVF(varname, ...) TENDRIL_ON_(varname.NameFmt(__VA_ARGS__))
#define ZoneColorV(varname, color) TENDRIL_ON_(varname.Color(color))
#define ZoneValueV(varname, value) TENDRIL_ON_(varname.Value(value))
#define ZoneIsActiveV(varname) TENDRIL_OR_(false, varname.IsActive())
#define ZoneText(text, size) ZoneTextV(___tracy_scoped_zone, text, size)
#define ZoneTextF(...) ZoneTextVF(___tracy_scoped_zone, __VA_ARGS__)
#define ZoneName(text, size) ZoneNameV(___tracy_scoped_zone, text, size)
#define ZoneNameF(...) ZoneNameVF(___tracy_scoped_zone, __VA_ARGS__)
#define ZoneColor(color) ZoneColorV(___tracy_scoped_zone, color)
#define ZoneValue(value) ZoneValueV(___tracy_scoped_zone, value)
#define ZoneIsActive ZoneIsActiveV(___tracy_scoped_zone)

// ---- Frames

#define FrameMark TENDRIL_ON_(tracy::Profiler::SendFrameMark(nullptr))
#define FrameMarkNamed(name) TENDRIL_ON_(tracy::Profiler::SendFrameMark(name))
#define FrameMarkStart(name) TENDRIL_ON_(tracy::Profiler::SendFrameMark(name, tracy::QueueType::FrameMarkMsgStart))
#define FrameMarkEnd(name) TENDRIL_ON_(tracy::Profiler::SendFrameMark(name, tracy::QueueType::FrameMarkMsgEnd))
#define FrameImage(image, width, height, offset, flip) TENDRIL_ON_(tracy::Profiler::SendFrameImage(image, width, height, offset, flip))

// ---- Locks

#ifdef TRACY_ENABLE
#define TENDRIL_LOCKABLE_(base, type, varname, what)                                                          \
    base(type) varname{[]() -> const tracy::SourceLocationData * {                                            \
        static constexpr tracy::SourceLocationData tendril_lock_location_{                                    \
            nullptr, what, TracyFile, uint32_t(TracyLine), 0};                                                \
        return &tendril_lock_location_;                                                                       \
    }()}
#define LockMark(varname)                                                                                     \
    TENDRIL_SRCLOC_(__tracy_lock_location_, nullptr, TracyFunction, 0);                                       \
    varname.Mark(&TracyConcat(__tracy_lock_location_, TracyLine))
#else
#define TENDRIL_LOCKABLE_(base, type, varname, what) type varname
#define LockMark(varname) (void)varname
#endif
#define LockableBase(type) TENDRIL_OR_(type, tracy::Lockable<type>)
#define SharedLockableBase(type) TENDRIL_OR_(type, tracy::SharedLockable<type>)
#define TracyLockable(type, varname) TENDRIL_LOCKABLE_(LockableBase, type, varname, #type " " #varname)
#define TracyLockableN(type, varname, desc) TENDRIL_LOCKABLE_(LockableBase, type, varname, desc)
#define TracySharedLockable(type, varname) TENDRIL_LOCKABLE_(SharedLockableBase, type, varname, #type " " #varname)
#define TracySharedLockableN(type, varname, desc) TENDRIL_LOCKABLE_(SharedLockableBase, type, varname, desc)
#define LockableName(varname, text, size) TENDRIL_ON_(varname.CustomName(text, size))

// ---- Plots, messages, information

#define TracyPlot(name, value) TENDRIL_ON_(tracy::Profiler::PlotData(name, value))
#define TracyPlotConfig(name, type, step, fill, color) TENDRIL_ON_(tracy::Profiler::ConfigurePlot(name, type, step, fill, color))

#define TracyAppInfo(text, size) TENDRIL_ON_(tracy::Profiler::MessageAppInfo(text, size))
#define TracySetProgramName(name) TENDRIL_ON_(tracy::GetProfiler().SetProgramName(name))

// ...: a size and a text, or a text that lives as long as the program.
#define TracyLogString(severity, color, depth, ...) TENDRIL_ON_(tracy::Profiler::LogString(tracy::MessageSourceType::User, severity, color, depth, __VA_ARGS__))
#define TracyMessageCS(text, size, color, depth) TracyLogString(tracy::MessageSeverity::Info, color, depth, size, text)
#define TracyMessageLCS(text, color, depth) TracyLogString(tracy::MessageSeverity::Info, color, depth, text)
#define TracyMessageS(text, size, depth) TracyMessageCS(text, size, 0, depth)
#define TracyMessageLS(text, depth) TracyMessageLCS(text, 0, depth)
#define TracyMessage(text, size) TracyMessageCS(text, size, 0, TRACY_CALLSTACK)
#define TracyMessageL(text) TracyMessageLCS(text, 0, TRACY_CALLSTACK)
#define TracyMessageC(text, size, color) TracyMessageCS(text, size, color, TRACY_CALLSTACK)
#define TracyMessageLC(text, color) TracyMessageLCS(text, color, TRACY_CALLSTACK)

// ---- Memory. N: of a pool.

#define TracyAllocS(ptr, size, depth) TENDRIL_ON_(tracy::Profiler::MemAllocCallstack(ptr, size, depth))
#define TracyFreeS(ptr, depth) TENDRIL_ON_(tracy::Profiler::MemFreeCallstack(ptr, depth))
#define TracyAllocNS(ptr, size, depth, name) TENDRIL_ON_(tracy::Profiler::MemAllocCallstackNamed(ptr, size, depth, name))
#define TracyFreeNS(ptr, depth, name) TENDRIL_ON_(tracy::Profiler::MemFreeCallstackNamed(ptr, depth, name))
#define TracyMemoryDiscardS(name, depth) TENDRIL_ON_(tracy::Profiler::MemDiscardCallstack(name, depth))
#define TracyAlloc(ptr, size) TracyAllocS(ptr, size, TRACY_CALLSTACK)
#define TracyFree(ptr) TracyFreeS(ptr, TRACY_CALLSTACK)
#define TracyAllocN(ptr, size, name) TracyAllocNS(ptr, size, TRACY_CALLSTACK, name)
#define TracyFreeN(ptr, name) TracyFreeNS(ptr, TRACY_CALLSTACK, name)
#define TracyMemoryDiscard(name) TracyMemoryDiscardS(name, TRACY_CALLSTACK)
#define TracySecureMemoryDiscardS(name, depth) TracyMemoryDiscardS(name, depth)
#define TracySecureMemoryDiscard(name) TracyMemoryDiscard(name)
#define TracySecureAllocS(ptr, size, depth) TracyAllocS(ptr, size, depth)
#define TracySecureFreeS(ptr, depth) TracyFreeS(ptr, depth)
#define TracySecureAllocNS(ptr, size, depth, name) TracyAllocNS(ptr, size, depth, name)
#define TracySecureFreeNS(ptr, depth, name) TracyFreeNS(ptr, depth, name)
#define TracySecureAlloc(ptr, size) TracyAlloc(ptr, size)
#define TracySecureFree(ptr) TracyFree(ptr)
#define TracySecureAllocN(ptr, size, name) TracyAllocN(ptr, size, name)
#define TracySecureFreeN(ptr, name) TracyFreeN(ptr, name)

// ---- Parameters, sources, sections, fibers, state

#define TracyParameterRegister(callback, data) TENDRIL_ON_(tracy::Profiler::ParameterRegister(callback, data))
#define TracyParameterSetup(idx, name, type, value) TENDRIL_ON_(tracy::Profiler::ParameterSetup(idx, name, type, value))
#define TracySourceCallbackRegister(callback, data) TENDRIL_ON_(tracy::Profiler::SourceCallbackRegister(callback, data))

#define TracySectionEnter(...) TENDRIL_OR_(0, tracy::Profiler::SectionEnter(0, __VA_ARGS__))
#define TracySectionEnterCategory(category, ...) TENDRIL_OR_(0, tracy::Profiler::SectionEnter(category, __VA_ARGS__))
#define TracySectionLeave(id) TENDRIL_ON_(tracy::Profiler::SectionLeave(id))
#define TracySectionSetup(category, ...) TENDRIL_ON_(tracy::Profiler::SectionSetup(category, __VA_ARGS__))

#define TracyFiberEnter(fiber) TENDRIL_ON_(tracy::Profiler::EnterFiber(fiber, 0))
#define TracyFiberEnterHint(fiber, groupHint) TENDRIL_ON_(tracy::Profiler::EnterFiber(fiber, groupHint))
#define TracyFiberLeave TENDRIL_ON_(tracy::Profiler::LeaveFiber())

#define TracyIsConnected TENDRIL_OR_(false, tracy::GetProfiler().IsConnected())
// clang-format on

#endif
