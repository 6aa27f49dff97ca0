// Zones of OpenGL commands, by timer queries (OpenGL 3.3, ARB_timer_query or EXT_disjoint_timer_query).
//
//     TracyGpuContext;                 // once, in the thread of the OpenGL context, which stays in it
//     TracyGpuContextName(name, size);
//     {
//         TracyGpuZone("shadows");
//         ... commands ...
//     }
//     swap(); TracyGpuCollect;
//
// Include it after the header that declares OpenGL's functions. A thread without TracyGpuContext records no
// zones. TRACY_OPENGL_AUTO_CALIBRATION: Collect sets the clocks against each other once a second (each time
// the CPU waits for the GPU). docs/client-gpu.md
#ifndef TENDRIL_TRACY_OPENGL_HPP
#define TENDRIL_TRACY_OPENGL_HPP

#ifdef __APPLE__ // its drivers' time stamps mean nothing
#define TRACY_OPENGL_DISABLE
#endif

#if !defined TRACY_ENABLE || defined TRACY_OPENGL_DISABLE

#define TracyGpuContext
#define TracyGpuContextName(name, size)
#define TracyGpuNamedZone(var, name, active)
#define TracyGpuNamedZoneC(var, name, color, active)
#define TracyGpuZone(name)
#define TracyGpuZoneC(name, color)
#define TracyGpuZoneTransient(var, name, active)
#define TracyGpuCollect
#define TracyGpuNamedZoneS(var, name, depth, active)
#define TracyGpuNamedZoneCS(var, name, color, depth, active)
#define TracyGpuZoneS(name, depth)
#define TracyGpuZoneCS(name, color, depth)
#define TracyGpuZoneTransientS(var, name, depth, active)

#ifndef TRACY_ENABLE
#include <stdint.h>
#else
#include "Tracy.hpp"
#endif
namespace tracy
{
#ifndef TRACY_ENABLE
struct SourceLocationData;
#endif
class GpuCtxScope
{
  public:
    GpuCtxScope(const SourceLocationData *, bool)
    {
    }
    GpuCtxScope(const SourceLocationData *, int32_t, bool)
    {
    }
};
} // namespace tracy

#else

#if !defined GL_TIMESTAMP && defined GL_TIMESTAMP_EXT // OpenGL ES
#define GL_TIMESTAMP              GL_TIMESTAMP_EXT
#define GL_QUERY_COUNTER_BITS     GL_QUERY_COUNTER_BITS_EXT
#define GL_QUERY_RESULT           GL_QUERY_RESULT_EXT
#define GL_QUERY_RESULT_AVAILABLE GL_QUERY_RESULT_AVAILABLE_EXT
#define glGenQueries              glGenQueriesEXT
#define glGetQueryiv              glGetQueryivEXT
#define glGetQueryObjectiv        glGetQueryObjectivEXT
#define glGetQueryObjectui64v     glGetQueryObjectui64vEXT
#define glGetInteger64v           glGetInteger64vEXT
#define glQueryCounter            glQueryCounterEXT
#endif
#ifndef GL_TIMESTAMP
#error "include OpenGL's header, with timer queries, before tracy/TracyOpenGL.hpp"
#endif

#include "../tendril/gpu.hpp"

namespace tracy
{
// The trace's context for the OpenGL context that is current in this thread. Its clock is set against the
// CPU's when it is made.
class GpuCtx : public tendril::GpuMarks
{
  public:
    static constexpr size_t QueryCount = 64 * 1024;

    GpuCtx() : GpuMarks(QueryCount)
    {
        ZoneScopedC(tendril::GpuCollectColor);
        GLint bits = 0;
        glGetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
        if (bits <= 0) {
            tendril::GpuWarn("this OpenGL driver has no time stamps: GPU zones are not recorded");
            return;
        }
        int64_t gpu, cpu;
        ReadClocks(&gpu, &cpu);
        const int64_t now = tendril::GpuHostNs();
        glGenQueries(QueryCount, m_query);
#ifdef TRACY_OPENGL_AUTO_CALIBRATION
        const uint8_t flags = tendril::GpuCalibrated;
#else
        const uint8_t flags = 0;
#endif
        Announce(tendril::GpuOpenGl, td_client_thread_id(), cpu, gpu, 1.0f, flags, now);
    }
    void Name(const char *name, uint16_t size)
    {
        SetName(name, size);
    }
    // Sends the times of queries that have their results, in order.
    void Collect()
    {
        ZoneScopedC(tendril::GpuCollectColor);
        if (!IsAlive())
            return;
        if (!td_client_is_live()) {
            TakeBack(Waiting());
            return;
        }
#ifdef TRACY_OPENGL_AUTO_CALIBRATION
        Recalibrate();
#endif
        for (uint32_t left = Waiting(); left; left--) {
            const uint32_t query = Oldest();
            GLint available = GL_FALSE;
            glGetQueryObjectiv(m_query[query], GL_QUERY_RESULT_AVAILABLE, &available);
            if (available == GL_FALSE)
                return;
            GLuint64 time = 0;
            glGetQueryObjectui64v(m_query[query], GL_QUERY_RESULT, &time);
            Time(query, int64_t(time));
            TakeBack(1);
        }
    }
    // For scopes: a time stamp at this place of the commands.
    void Stamp(uint32_t query)
    {
        glQueryCounter(m_query[query], GL_TIMESTAMP);
    }

  private:
    // The same moment on both; of a few readings the one that took least.
    static void ReadClocks(int64_t *gpu, int64_t *cpu)
    {
        int64_t best = INT64_MAX;
        for (int i = 0; i < 4; i++) {
            GLint64 time = 0;
            const int64_t before = int64_t(td_client_ticks());
            glGetInteger64v(GL_TIMESTAMP, &time);
            const int64_t after = int64_t(td_client_ticks());
            if (after - before >= best)
                continue;
            best = after - before;
            *gpu = time;
            *cpu = after;
        }
    }
#ifdef TRACY_OPENGL_AUTO_CALIBRATION
    void Recalibrate()
    {
        const int64_t now = tendril::GpuHostNs();
        if (now - CalibratedNs() < 1000000000)
            return;
        int64_t gpu, cpu;
        ReadClocks(&gpu, &cpu);
        Calibrate(gpu, now, cpu);
    }
#endif

    GLuint m_query[QueryCount];
};

// This thread's; without one nothing happens.
struct GpuCtxWrapper {
    GpuCtx *ptr;

    void Name(const char *name, uint16_t size)
    {
        if (ptr)
            ptr->Name(name, size);
    }
    void Collect()
    {
        if (ptr)
            ptr->Collect();
    }
};
inline GpuCtxWrapper &GetGpuCtx()
{
    static thread_local GpuCtxWrapper wrapper = {nullptr};
    return wrapper;
}

class GpuCtxScope : public tendril::GpuZone
{
  public:
    GpuCtxScope(const SourceLocationData *srcloc, bool active)
        : GpuCtxScope(active, tendril::GpuSite(srcloc, 0))
    {
    }
    GpuCtxScope(const SourceLocationData *srcloc, int32_t depth, bool active)
        : GpuCtxScope(active, tendril::GpuSite(srcloc, depth))
    {
    }
    GpuCtxScope(uint32_t line, const char *source, size_t sourceSz, const char *function, size_t functionSz,
                const char *name, size_t nameSz, bool active)
        : GpuCtxScope(active, tendril::GpuSite(line, source, sourceSz, function, functionSz, name, nameSz, 0))
    {
    }
    GpuCtxScope(uint32_t line, const char *source, size_t sourceSz, const char *function, size_t functionSz,
                const char *name, size_t nameSz, int32_t depth, bool active)
        : GpuCtxScope(active,
                      tendril::GpuSite(line, source, sourceSz, function, functionSz, name, nameSz, depth))
    {
    }
    ~GpuCtxScope()
    {
        if (!IsRecorded())
            return;
        const uint32_t query = m_ctx->Take();
        m_ctx->Stamp(query);
        MarkEnd(query);
    }

  private:
    GpuCtxScope(bool active, const tendril::GpuSite &site)
        : GpuZone(GetGpuCtx().ptr, active), m_ctx(GetGpuCtx().ptr)
    {
        if (!IsRecorded())
            return;
        const uint32_t query = m_ctx->Take();
        m_ctx->Stamp(query);
        MarkBegin(query, site);
    }

    GpuCtx *const m_ctx;
};
} // namespace tracy

// clang-format off
#define TracyGpuContext tracy::GetGpuCtx().ptr = tendril::GpuCreate<tracy::GpuCtx>();
#define TracyGpuContextName(name, size) tracy::GetGpuCtx().Name(name, size);

#define TracyGpuNamedZoneCS(var, name, color, depth, active) TENDRIL_GPU_SRCLOC_(name, color); tracy::GpuCtxScope var(TENDRIL_GPU_HERE_, depth, active);
#define TracyGpuNamedZoneS(var, name, depth, active) TracyGpuNamedZoneCS(var, name, 0, depth, active)
#define TracyGpuNamedZoneC(var, name, color, active) TracyGpuNamedZoneCS(var, name, color, TRACY_CALLSTACK, active)
#define TracyGpuNamedZone(var, name, active) TracyGpuNamedZoneCS(var, name, 0, TRACY_CALLSTACK, active)
#define TracyGpuZone(name) TracyGpuNamedZoneCS(___tracy_gpu_zone, name, 0, TRACY_CALLSTACK, true)
#define TracyGpuZoneC(name, color) TracyGpuNamedZoneCS(___tracy_gpu_zone, name, color, TRACY_CALLSTACK, true)
#define TracyGpuZoneS(name, depth) TracyGpuNamedZoneCS(___tracy_gpu_zone, name, 0, depth, true)
#define TracyGpuZoneCS(name, color, depth) TracyGpuNamedZoneCS(___tracy_gpu_zone, name, color, depth, true)
#define TracyGpuZoneTransient(var, name, active) TracyGpuZoneTransientS(var, name, TRACY_CALLSTACK, active)
#define TracyGpuZoneTransientS(var, name, depth, active) tracy::GpuCtxScope var(TENDRIL_GPU_PARTS_(name), depth, active);

#define TracyGpuCollect tracy::GetGpuCtx().Collect();
// clang-format on

#endif
#endif
