// Markers for C++ programs: Tracy's macros over the C interface of tracy/TracyC.h (which says what they
// promise). Header only; needs no C++ runtime. Without TRACY_ENABLE every macro is nothing.
#ifndef TENDRIL_TRACY_TRACY_HPP
#define TENDRIL_TRACY_TRACY_HPP

#include "TracyC.h"

#ifndef TRACY_ENABLE

#define TracyNoop
#define ZoneNamed(var, active)
#define ZoneNamedN(var, name, active)
#define ZoneNamedC(var, color, active)
#define ZoneNamedNC(var, name, color, active)
#define ZoneTransient(var, active)
#define ZoneTransientN(var, name, active)
#define ZoneTransientNC(var, name, color, active)
#define ZoneScoped
#define ZoneScopedN(name)
#define ZoneScopedC(color)
#define ZoneScopedNC(name, color)
#define ZoneText(text, size)
#define ZoneTextV(var, text, size)
#define ZoneTextF(format, ...)
#define ZoneTextVF(var, format, ...)
#define ZoneName(text, size)
#define ZoneNameV(var, text, size)
#define ZoneNameF(format, ...)
#define ZoneNameVF(var, format, ...)
#define ZoneColor(color)
#define ZoneColorV(var, color)
#define ZoneValue(value)
#define ZoneValueV(var, value)
#define ZoneIsActive       false
#define ZoneIsActiveV(var) false
#define FrameMark
#define FrameMarkNamed(name)
#define FrameMarkStart(name)
#define FrameMarkEnd(name)
#define TracyPlot(name, value)
#define TracyPlotConfig(name, type, step, fill, color)
#define TracyMessage(text, size)
#define TracyMessageL(text)
#define TracyMessageC(text, size, color)
#define TracyMessageLC(text, color)
#define TracyAppInfo(text, size)
#define ZoneNamedS(var, depth, active)
#define ZoneNamedNS(var, name, depth, active)
#define ZoneNamedCS(var, color, depth, active)
#define ZoneNamedNCS(var, name, color, depth, active)
#define ZoneScopedS(depth)
#define ZoneScopedNS(name, depth)
#define ZoneScopedCS(color, depth)
#define ZoneScopedNCS(name, color, depth)
#define TracyMessageS(text, size, depth)
#define TracyMessageLS(text, depth)
#define TracyMessageCS(text, size, color, depth)
#define TracyMessageLCS(text, color, depth)
#define TracySetProgramName(name)
#define TracyIsConnected false
#define TracyIsStarted   false

namespace tracy
{
inline void SetThreadName(const char *)
{
}
inline void SetThreadNameWithHint(const char *, int32_t)
{
}
} // namespace tracy

#else

#include "../tendril/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace tracy
{
typedef ___tracy_source_location_data SourceLocationData;

enum class PlotFormatType : uint8_t { Number, Memory, Percentage, Watt };

inline void SetThreadName(const char *name)
{
    ___tracy_set_thread_name(name);
}
inline void SetThreadNameWithHint(const char *name, int32_t groupHint)
{
    td_client_set_thread_name(name, groupHint);
}

// A zone as long as its object. Texts, names and colours go to the zone if it is the innermost open one.
class ScopedZone
{
  public:
    ScopedZone(const ScopedZone &) = delete;
    ScopedZone &operator=(const ScopedZone &) = delete;

    explicit ScopedZone(const SourceLocationData *srcloc, bool active = true)
        : m_ctx(___tracy_emit_zone_begin(srcloc, active))
    {
    }
    ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function, size_t functionSz,
               const char *name, size_t nameSz, bool active = true)
        : ScopedZone(line, source, sourceSz, function, functionSz, name, nameSz, 0u, active)
    {
    }
    ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function, size_t functionSz,
               const char *name, size_t nameSz, uint32_t color, bool active)
        : m_ctx(___tracy_emit_zone_begin_alloc(active ? ___tracy_alloc_srcloc_name(line, source, sourceSz,
                                                                                   function, functionSz, name,
                                                                                   nameSz, color)
                                                      : 0,
                                               active))
    {
    }
    ~ScopedZone()
    {
        ___tracy_emit_zone_end(m_ctx);
    }
    void Text(const char *text, size_t size)
    {
        ___tracy_emit_zone_text(m_ctx, text, size);
    }
    void TextFmt(const char *format, ...) __attribute__((format(printf, 2, 3)))
    {
        if (!m_ctx.active)
            return;
        va_list args;
        va_start(args, format);
        char text[1024];
        ___tracy_emit_zone_text(m_ctx, text, Format(text, sizeof text, format, args));
        va_end(args);
    }
    void Name(const char *text, size_t size)
    {
        ___tracy_emit_zone_name(m_ctx, text, size);
    }
    void NameFmt(const char *format, ...) __attribute__((format(printf, 2, 3)))
    {
        if (!m_ctx.active)
            return;
        va_list args;
        va_start(args, format);
        char text[1024];
        ___tracy_emit_zone_name(m_ctx, text, Format(text, sizeof text, format, args));
        va_end(args);
    }
    void Color(uint32_t color)
    {
        ___tracy_emit_zone_color(m_ctx, color);
    }
    void Value(uint64_t value)
    {
        ___tracy_emit_zone_value(m_ctx, value);
    }
    bool IsActive() const
    {
        return m_ctx.active != 0;
    }

  private:
    static size_t Format(char *to, size_t room, const char *format, va_list args)
    {
        const int n = vsnprintf(to, room, format, args);
        return n < 0 ? 0 : size_t(n) < room ? size_t(n) : room - 1;
    }
    const TracyCZoneCtx m_ctx;
};

// Plots take any number: whole ones as integers, float and double as they are.
inline void TendrilPlot(const char *name, float value)
{
    ___tracy_emit_plot_float(name, value);
}
inline void TendrilPlot(const char *name, double value)
{
    ___tracy_emit_plot(name, value);
}
inline void TendrilPlot(const char *name, long long value)
{
    ___tracy_emit_plot_int(name, value);
}
inline void TendrilPlot(const char *name, long value)
{
    ___tracy_emit_plot_int(name, value);
}
inline void TendrilPlot(const char *name, int value)
{
    ___tracy_emit_plot_int(name, value);
}
inline void TendrilPlot(const char *name, unsigned value)
{
    ___tracy_emit_plot_int(name, value);
}
inline void TendrilPlot(const char *name, unsigned long value)
{
    ___tracy_emit_plot_int(name, int64_t(value));
}
inline void TendrilPlot(const char *name, unsigned long long value)
{
    ___tracy_emit_plot_int(name, int64_t(value));
}
} // namespace tracy

// clang-format off
#define TracyNoop

#define ZoneNamedNC(var, name, color, active)                                                                 \
    static constexpr tracy::SourceLocationData TracyConcat(__tracy_source_location, TracyLine){               \
        name, TracyFunction, TracyFile, (uint32_t)TracyLine, color};                                          \
    tracy::ScopedZone var(&TracyConcat(__tracy_source_location, TracyLine), active)
#define ZoneNamed(var, active) ZoneNamedNC(var, nullptr, 0, active)
#define ZoneNamedN(var, name, active) ZoneNamedNC(var, name, 0, active)
#define ZoneNamedC(var, color, active) ZoneNamedNC(var, nullptr, color, active)

#define ZoneTransient(var, active)                                                                            \
    tracy::ScopedZone var(TracyLine, TracyFile, strlen(TracyFile), TracyFunction, strlen(TracyFunction), nullptr, 0, active)
#define ZoneTransientN(var, name, active)                                                                     \
    tracy::ScopedZone var(TracyLine, TracyFile, strlen(TracyFile), TracyFunction, strlen(TracyFunction), name, strlen(name), active)
#define ZoneTransientNC(var, name, color, active)                                                             \
    tracy::ScopedZone var(TracyLine, TracyFile, strlen(TracyFile), TracyFunction, strlen(TracyFunction), name, strlen(name), color, active)

#define ZoneScoped ZoneNamed(___tracy_scoped_zone, true)
#define ZoneScopedN(name) ZoneNamedN(___tracy_scoped_zone, name, true)
#define ZoneScopedC(color) ZoneNamedC(___tracy_scoped_zone, color, true)
#define ZoneScopedNC(name, color) ZoneNamedNC(___tracy_scoped_zone, name, color, true)

#define ZoneText(text, size) ___tracy_scoped_zone.Text(text, size)
#define ZoneTextV(var, text, size) var.Text(text, size)
#define ZoneTextF(format, ...) ___tracy_scoped_zone.TextFmt(format, ##__VA_ARGS__)
#define ZoneTextVF(var, format, ...) var.TextFmt(format, ##__VA_ARGS__)
#define ZoneName(text, size) ___tracy_scoped_zone.Name(text, size)
#define ZoneNameV(var, text, size) var.Name(text, size)
#define ZoneNameF(format, ...) ___tracy_scoped_zone.NameFmt(format, ##__VA_ARGS__)
#define ZoneNameVF(var, format, ...) var.NameFmt(format, ##__VA_ARGS__)
#define ZoneColor(color) ___tracy_scoped_zone.Color(color)
#define ZoneColorV(var, color) var.Color(color)
#define ZoneValue(value) ___tracy_scoped_zone.Value(value)
#define ZoneValueV(var, value) var.Value(value)
#define ZoneIsActive ___tracy_scoped_zone.IsActive()
#define ZoneIsActiveV(var) var.IsActive()

#define FrameMark ___tracy_emit_frame_mark(nullptr)
#define FrameMarkNamed(name) ___tracy_emit_frame_mark(name)
#define FrameMarkStart(name) ___tracy_emit_frame_mark_start(name)
#define FrameMarkEnd(name) ___tracy_emit_frame_mark_end(name)

#define TracyPlot(name, value) tracy::TendrilPlot(name, value)
#define TracyPlotConfig(name, type, step, fill, color) ___tracy_emit_plot_config(name, (int)(type), step, fill, color)

#define TracyMessage(text, size) ___tracy_emit_message(text, size, 0)
#define TracyMessageL(text) ___tracy_emit_messageL(text, 0)
#define TracyMessageC(text, size, color) ___tracy_emit_messageC(text, size, color, 0)
#define TracyMessageLC(text, color) ___tracy_emit_messageLC(text, color, 0)
#define TracyAppInfo(text, size) ___tracy_emit_message_appinfo(text, size)

#define ZoneNamedS(var, depth, active) ZoneNamed(var, active)
#define ZoneNamedNS(var, name, depth, active) ZoneNamedN(var, name, active)
#define ZoneNamedCS(var, color, depth, active) ZoneNamedC(var, color, active)
#define ZoneNamedNCS(var, name, color, depth, active) ZoneNamedNC(var, name, color, active)
#define ZoneScopedS(depth) ZoneScoped
#define ZoneScopedNS(name, depth) ZoneScopedN(name)
#define ZoneScopedCS(color, depth) ZoneScopedC(color)
#define ZoneScopedNCS(name, color, depth) ZoneScopedNC(name, color)
#define TracyMessageS(text, size, depth) TracyMessage(text, size)
#define TracyMessageLS(text, depth) TracyMessageL(text)
#define TracyMessageCS(text, size, color, depth) TracyMessageC(text, size, color)
#define TracyMessageLCS(text, color, depth) TracyMessageLC(text, color)

#define TracySetProgramName(name) td_client_set_program_name(name);
#define TracyIsConnected (___tracy_connected() != 0)
#define TracyIsStarted true
// clang-format on

#endif
#endif
