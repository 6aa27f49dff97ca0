/* Markers for C programs: Tracy's C interface, names and meaning, of Tendril's own client.
 *
 * Defined before including this header, TRACY_ENABLE turns the markers on; without it each is nothing: no
 * code, no data, arguments not evaluated. Link libtendril-client.a (pkg-config tendril-client). The program
 * then listens on 127.0.0.1 (TRACY_PORT, else the first free port from 8086 on) for `tendril record` or any
 * Tracy 0.11.1.
 *
 * Names that are pointers without a size (zones, frames, plots, TracyCMessageL) must live until the program
 * ends and be the same pointer for the same thing: string literals. Texts with a size are copied; 65,535
 * bytes at most, the rest is cut off. Colours are 0xRRGGBB, 0: none. Everything may be called from any
 * thread; the zones of a thread nest. Until someone connects, events are kept in memory: nothing is missing,
 * and a program that runs for long without a recorder grows (64 bytes a zone). Nothing fails: where memory or
 * a port is missing, events are lost and the program runs on.
 */
#ifndef TENDRIL_TRACY_TRACYC_H
#define TENDRIL_TRACY_TRACYC_H

#include <stddef.h>
#include <stdint.h>

enum TracyPlotFormatEnum {
    TracyPlotFormatNumber,
    TracyPlotFormatMemory,
    TracyPlotFormatPercentage,
    TracyPlotFormatWatt
};

/* What stands as function, file and line in source locations; may be defined before. */
#ifndef TracyFunction
#define TracyFunction __FUNCTION__
#endif
#ifndef TracyFile
#define TracyFile __FILE__
#endif
#ifndef TracyLine
#define TracyLine __LINE__
#endif

#ifndef TRACY_ENABLE

typedef const void *TracyCZoneCtx;

#define TracyCSetThreadName(name)
#define TracyCZone(ctx, active)
#define TracyCZoneN(ctx, name, active)
#define TracyCZoneC(ctx, color, active)
#define TracyCZoneNC(ctx, name, color, active)
#define TracyCZoneEnd(ctx)
#define TracyCZoneText(ctx, text, size)
#define TracyCZoneName(ctx, text, size)
#define TracyCZoneColor(ctx, color)
#define TracyCZoneValue(ctx, value)
#define TracyCFrameMark
#define TracyCFrameMarkNamed(name)
#define TracyCFrameMarkStart(name)
#define TracyCFrameMarkEnd(name)
#define TracyCPlot(name, value)
#define TracyCPlotF(name, value)
#define TracyCPlotI(name, value)
#define TracyCPlotConfig(name, type, step, fill, color)
#define TracyCMessage(text, size)
#define TracyCMessageL(text)
#define TracyCMessageC(text, size, color)
#define TracyCMessageLC(text, color)
#define TracyCAppInfo(text, size)
#define TracyCZoneS(ctx, depth, active)
#define TracyCZoneNS(ctx, name, depth, active)
#define TracyCZoneCS(ctx, color, depth, active)
#define TracyCZoneNCS(ctx, name, color, depth, active)
#define TracyCMessageS(text, size, depth)
#define TracyCMessageLS(text, depth)
#define TracyCMessageCS(text, size, color, depth)
#define TracyCMessageLCS(text, color, depth)
#define TracyCIsConnected 0
#define TracyCIsStarted   0

#else

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TRACY_API
#define TRACY_API extern
#endif

/* Lives as long as the program: one static object a zone. name NULL: the function is shown. */
struct ___tracy_source_location_data {
    const char *name;
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t color;
};

/* What a zone's begin gives and its end, text and so on want. Not active: all of them do nothing. */
struct ___tracy_c_zone_context {
    uint32_t id;
    int active;
};
typedef struct ___tracy_c_zone_context TracyCZoneCtx;

TRACY_API void ___tracy_set_thread_name(const char *name); /* copied */

/* Source locations made at run time: each call's result goes to exactly one ___tracy_emit_zone_begin_alloc(),
 * which frees it. 0 when memory is out; allowed there. */
TRACY_API uint64_t ___tracy_alloc_srcloc(uint32_t line, const char *source, size_t sourceSz,
                                         const char *function, size_t functionSz, uint32_t color);
TRACY_API uint64_t ___tracy_alloc_srcloc_name(uint32_t line, const char *source, size_t sourceSz,
                                              const char *function, size_t functionSz, const char *name,
                                              size_t nameSz, uint32_t color);

TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin(const struct ___tracy_source_location_data *srcloc,
                                                 int active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc(uint64_t srcloc, int active);
TRACY_API void ___tracy_emit_zone_end(TracyCZoneCtx ctx);
TRACY_API void ___tracy_emit_zone_text(TracyCZoneCtx ctx, const char *txt, size_t size);
TRACY_API void ___tracy_emit_zone_name(TracyCZoneCtx ctx, const char *txt, size_t size);
TRACY_API void ___tracy_emit_zone_color(TracyCZoneCtx ctx, uint32_t color);
TRACY_API void ___tracy_emit_zone_value(TracyCZoneCtx ctx, uint64_t value);

/* Call stacks are not recorded: the depth is accepted and not used. */
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_callstack(const struct ___tracy_source_location_data *srcloc,
                                                           int depth, int active);
TRACY_API TracyCZoneCtx ___tracy_emit_zone_begin_alloc_callstack(uint64_t srcloc, int depth, int active);

TRACY_API void ___tracy_emit_message(const char *txt, size_t size, int callstack);
TRACY_API void ___tracy_emit_messageL(const char *txt, int callstack);
TRACY_API void ___tracy_emit_messageC(const char *txt, size_t size, uint32_t color, int callstack);
TRACY_API void ___tracy_emit_messageLC(const char *txt, uint32_t color, int callstack);
TRACY_API void ___tracy_emit_message_appinfo(const char *txt, size_t size);

/* name NULL: the main frame set. */
TRACY_API void ___tracy_emit_frame_mark(const char *name);
TRACY_API void ___tracy_emit_frame_mark_start(const char *name);
TRACY_API void ___tracy_emit_frame_mark_end(const char *name);

/* Values that are not finite are left out. type: enum TracyPlotFormatEnum. */
TRACY_API void ___tracy_emit_plot(const char *name, double val);
TRACY_API void ___tracy_emit_plot_float(const char *name, float val);
TRACY_API void ___tracy_emit_plot_int(const char *name, int64_t val);
TRACY_API void ___tracy_emit_plot_config(const char *name, int type, int step, int fill, uint32_t color);

/* 1 while a viewer or recorder is connected. */
TRACY_API int ___tracy_connected(void);

/* For programs that end the client before they end themselves; starting happens by itself. */
TRACY_API void ___tracy_startup_profiler(void);
TRACY_API void ___tracy_shutdown_profiler(void);
TRACY_API int ___tracy_profiler_started(void);

#ifndef TracyConcat
#define TracyConcat(x, y) TracyConcatIndirect(x, y)
#endif
#ifndef TracyConcatIndirect
#define TracyConcatIndirect(x, y) x##y
#endif

/* The macros end in a semicolon of their own, as Tracy's do: code that leaves it out compiles. */
/* clang-format off */
#define TENDRIL_C_ZONE_(ctx, name, color, active)                                                             \
    static const struct ___tracy_source_location_data TracyConcat(__tracy_source_location, TracyLine) = {     \
        name, __func__, TracyFile, (uint32_t)TracyLine, color};                                               \
    TracyCZoneCtx ctx = ___tracy_emit_zone_begin(&TracyConcat(__tracy_source_location, TracyLine), active);

#define TracyCSetThreadName(name) ___tracy_set_thread_name(name);
#define TracyCZone(ctx, active) TENDRIL_C_ZONE_(ctx, NULL, 0, active)
#define TracyCZoneN(ctx, name, active) TENDRIL_C_ZONE_(ctx, name, 0, active)
#define TracyCZoneC(ctx, color, active) TENDRIL_C_ZONE_(ctx, NULL, color, active)
#define TracyCZoneNC(ctx, name, color, active) TENDRIL_C_ZONE_(ctx, name, color, active)
#define TracyCZoneEnd(ctx) ___tracy_emit_zone_end(ctx);
#define TracyCZoneText(ctx, text, size) ___tracy_emit_zone_text(ctx, text, size);
#define TracyCZoneName(ctx, text, size) ___tracy_emit_zone_name(ctx, text, size);
#define TracyCZoneColor(ctx, color) ___tracy_emit_zone_color(ctx, color);
#define TracyCZoneValue(ctx, value) ___tracy_emit_zone_value(ctx, value);
#define TracyCFrameMark ___tracy_emit_frame_mark(0);
#define TracyCFrameMarkNamed(name) ___tracy_emit_frame_mark(name);
#define TracyCFrameMarkStart(name) ___tracy_emit_frame_mark_start(name);
#define TracyCFrameMarkEnd(name) ___tracy_emit_frame_mark_end(name);
#define TracyCPlot(name, value) ___tracy_emit_plot(name, value);
#define TracyCPlotF(name, value) ___tracy_emit_plot_float(name, value);
#define TracyCPlotI(name, value) ___tracy_emit_plot_int(name, value);
#define TracyCPlotConfig(name, type, step, fill, color) ___tracy_emit_plot_config(name, type, step, fill, color);
#define TracyCMessage(text, size) ___tracy_emit_message(text, size, 0);
#define TracyCMessageL(text) ___tracy_emit_messageL(text, 0);
#define TracyCMessageC(text, size, color) ___tracy_emit_messageC(text, size, color, 0);
#define TracyCMessageLC(text, color) ___tracy_emit_messageLC(text, color, 0);
#define TracyCAppInfo(text, size) ___tracy_emit_message_appinfo(text, size);
#define TracyCZoneS(ctx, depth, active) TracyCZone(ctx, active)
#define TracyCZoneNS(ctx, name, depth, active) TracyCZoneN(ctx, name, active)
#define TracyCZoneCS(ctx, color, depth, active) TracyCZoneC(ctx, color, active)
#define TracyCZoneNCS(ctx, name, color, depth, active) TracyCZoneNC(ctx, name, color, active)
#define TracyCMessageS(text, size, depth) TracyCMessage(text, size)
#define TracyCMessageLS(text, depth) TracyCMessageL(text)
#define TracyCMessageCS(text, size, color, depth) TracyCMessageC(text, size, color)
#define TracyCMessageLCS(text, color, depth) TracyCMessageLC(text, color)
#define TracyCIsConnected ___tracy_connected()
#define TracyCIsStarted ___tracy_profiler_started()
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
#endif
