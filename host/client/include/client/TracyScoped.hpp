// Zones as long as their objects.
#ifndef TENDRIL_TRACY_SCOPED_HPP
#define TENDRIL_TRACY_SCOPED_HPP
#include "TracyProfiler.hpp"

#ifdef TRACY_ENABLE
namespace tracy
{
class ScopedZone
{
  public:
    ScopedZone(const ScopedZone &) = delete;
    ScopedZone(ScopedZone &&) = delete;
    ScopedZone &operator=(const ScopedZone &) = delete;
    ScopedZone &operator=(ScopedZone &&) = delete;

    // depth: of the call stack; 0 or less: none.
    tracy_force_inline ScopedZone(const SourceLocationData *srcloc, int32_t depth, bool active = true)
        : m_zone(Begin(srcloc, depth, active))
    {
    }
    tracy_force_inline ScopedZone(const SourceLocationData *srcloc, bool active = true)
        : m_zone(Begin(srcloc, 0, active))
    {
    }

    // With a source location of its own, copied.
    ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function, size_t functionSz,
               const char *name, size_t nameSz, uint32_t color, int32_t depth, bool active = true)
        : m_zone(BeginTransient(active ? ___tracy_alloc_srcloc_name(line, source, sourceSz, function,
                                                                    functionSz, name, nameSz, color)
                                       : 0,
                                depth, active))
    {
    }
    ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function, size_t functionSz,
               const char *name, size_t nameSz, uint32_t color, bool active = true)
        : ScopedZone(line, source, sourceSz, function, functionSz, name, nameSz, color, 0, active)
    {
    }
    ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function, size_t functionSz,
               const char *name, size_t nameSz, int32_t depth, bool active = true)
        : ScopedZone(line, source, sourceSz, function, functionSz, name, nameSz, 0u, depth, active)
    {
    }
    ScopedZone(uint32_t line, const char *source, size_t sourceSz, const char *function, size_t functionSz,
               const char *name, size_t nameSz, bool active = true)
        : ScopedZone(line, source, sourceSz, function, functionSz, name, nameSz, 0u, 0, active)
    {
    }

    tracy_force_inline ~ScopedZone()
    {
        // Where the compiler knows that the zone is off, nothing is left of it.
        if (__builtin_constant_p(m_zone) && m_zone == TD_CLIENT_OFF)
            return;
        td_client_zone_end(m_zone);
    }

    tracy_force_inline void Text(const char *text, size_t size)
    {
        td_client_zone_text(m_zone, text, size);
    }
    void TextFmt(const char *format, ...) TRACY_ATTRIBUTE_FORMAT_PRINTF(2, 3)
    {
        va_list args;
        va_start(args, format);
        td_client_zone_text_args(m_zone, format, args);
        va_end(args);
    }
    tracy_force_inline void Name(const char *text, size_t size)
    {
        td_client_zone_name(m_zone, text, size);
    }
    void NameFmt(const char *format, ...) TRACY_ATTRIBUTE_FORMAT_PRINTF(2, 3)
    {
        va_list args;
        va_start(args, format);
        td_client_zone_name_args(m_zone, format, args);
        va_end(args);
    }
    tracy_force_inline void Color(uint32_t color)
    {
        td_client_zone_word(m_zone, TD_CLIENT_ZONE_COLOR, color);
    }
    tracy_force_inline void Value(uint64_t value)
    {
        td_client_zone_word(m_zone, TD_CLIENT_ZONE_VALUE, value);
    }
    tracy_force_inline bool IsActive() const
    {
        return m_zone != TD_CLIENT_OFF;
    }

  private:
    static tracy_force_inline uint32_t Begin(const SourceLocationData *srcloc, int32_t depth, bool active)
    {
        if (!active)
            return TD_CLIENT_OFF;
        if (depth > 0 && has_callstack())
            return ___tracy_emit_zone_begin_callstack(TendrilLocation(srcloc), depth, 1).id;
        return td_client_zone_begin(srcloc);
    }
    static uint32_t BeginTransient(uint64_t srcloc, int32_t depth, bool active)
    {
        return ___tracy_emit_zone_begin_alloc_callstack(srcloc, has_callstack() ? depth : 0, active).id;
    }
    const uint32_t m_zone; // what td_client_zone_begin() gave
};
} // namespace tracy
#endif
#endif
