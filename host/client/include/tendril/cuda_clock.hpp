// Converts times of CUPTI's clock to the host's. tracy/TracyCUDA.hpp includes it.
#ifndef TENDRIL_CUDA_CLOCK_HPP
#define TENDRIL_CUDA_CLOCK_HPP

#include "gpu.hpp"

#include <cupti.h>

namespace tendril
{
// CUPTI's clock counts nanoseconds and may be set while the program runs; the clock of the host's ticks is
// never set. For one thread at a time.
class CudaClock
{
  public:
    struct Moment { // one moment on three clocks
        uint64_t gpu;
        int64_t cpu, host;
    };

    CudaClock() : m_first(), m_read(), m_set(0), m_setBefore(0)
    {
    }
    // Reads the clocks several times and returns the fastest reading; gpu 0: CUPTI has no clock.
    static Moment ReadClocks()
    {
        Moment best = {0, 0, 0};
        int64_t least = INT64_MAX;
        for (int i = 0; i < 8; i++) {
            uint64_t gpu = 0;
            const int64_t before = int64_t(td_client_ticks());
            if (cuptiGetTimestamp(&gpu) != CUPTI_SUCCESS)
                break;
            const int64_t host = GpuHostNs(), took = int64_t(td_client_ticks()) - before;
            if (took >= least)
                continue;
            least = took;
            best = Moment{gpu, before + took / 2, host};
        }
        return best;
    }
    const Moment &Start()
    {
        return m_first = m_read = ReadClocks();
    }
    // Reads the clocks again, into `now`. false: CUPTI has no clock.
    bool Read(Moment *now)
    {
        *now = ReadClocks();
        if (!now->gpu)
            return false;
        const int64_t host = now->host - m_read.host, set = int64_t(now->gpu - m_read.gpu) - host;
        const int64_t most = host / 64 + MostAhead; // the difference that drift explains
        if (set < -most || set > most) {
            m_setBefore = m_set;
            m_set += set;
        }
        m_read = *now;
        return true;
    }
    // The time as if CUPTI's clock had never been set: viewers take a clock that goes back for one that
    // wrapped. A record may be from before the clock was last set, so there are two candidates: the result is
    // the later one that is not in the future.
    int64_t Unset(uint64_t gpu) const
    {
        const int64_t now = int64_t(m_read.gpu) - m_set + MostAhead;
        const int64_t time = int64_t(gpu) - m_set, before = int64_t(gpu) - m_setBefore;
        return before <= now && (before > time || time > now) ? before : time;
    }
    // CUPTI's time now, as if its clock had never been set. Approximate.
    int64_t Now() const
    {
        return int64_t(m_read.gpu) - m_set + GpuHostNs() - m_read.host;
    }
    // The host's ticks at a time that Unset() returned.
    int64_t TicksOf(int64_t gpu) const
    {
        return m_read.cpu + int64_t(double(gpu - (int64_t(m_read.gpu) - m_set)) * Rate());
    }
    double NsOf(int64_t ticks) const // a duration in ns
    {
        return double(ticks) / Rate();
    }

  private:
    enum : int64_t { MostAhead = 1000000 };

    double Rate() const // ticks in a nanosecond
    {
        const int64_t passed = m_read.host - m_first.host;
        return passed > 0 ? double(m_read.cpu - m_first.cpu) / double(passed) : 1.0;
    }

    Moment m_first, m_read; // the readings of Start() and of the last Read()
    int64_t m_set,
        m_setBefore; // ns by which CUPTI's clock was set since Start(): in all; before the last time
};
} // namespace tendril

#endif
