#include "host/query/sums/zone_at.h"

struct td_zone_ref td_zone_at(const struct td_trace *trace, uint32_t track, int64_t time_ns)
{
    for (uint32_t row = td_trace_rows(trace, track); row-- > 0;) {
        const struct td_zone_ref ref = {track, row, td_trace_zone_after(trace, track, row, time_ns)};
        if (ref.index < td_trace_row_zones(trace, track, row) &&
            td_trace_zone(trace, track, row, ref.index).start_ns <= time_ns)
            return ref;
    }
    return TD_NO_ZONE;
}
