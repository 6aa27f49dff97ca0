#include "host/query/rows/fiber_at.h"

uint32_t td_fiber_at(const struct td_fiber_runs *r, uint32_t track, int64_t time_ns)
{
    const struct td_track_runs *t = td_fiber_runs_of(r, track);
    const size_t i = t ? td_fiber_runs_after(t, 0, (double)time_ns) : 0;
    return t && i < t->count && t->runs[i].start_ns <= time_ns ? t->runs[i].other : track;
}
