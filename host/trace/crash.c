/* The time of the crash. */
#include "host/trace/trace.h"

/* The last event of the track that has arrived; INT64_MIN: it has none. */
static int64_t last_event_ns(const struct td_trace *trace, uint32_t track)
{
    const size_t messages = td_trace_track_messages(trace, track);
    int64_t last = INT64_MIN;
    for (uint32_t r = 0; r < td_trace_rows(trace, track); r++) {
        const size_t count = td_trace_row_zones(trace, track, r);
        if (!count)
            continue;
        const struct td_zone zone = td_trace_zone(trace, track, r, count - 1);
        const int64_t end = zone.end_ns == TD_OPEN ? zone.start_ns : zone.end_ns;
        last = end > last ? end : last;
    }
    if (messages) {
        const int64_t time =
            td_trace_message(trace, td_trace_track_message(trace, track, messages - 1)).time_ns;
        last = time > last ? time : last;
    }
    return last;
}

int64_t td_trace_crash_ns(const struct td_trace *trace)
{
    const struct td_crash *crash = td_trace_crash(trace);
    const int64_t end = td_trace_get_info(trace)->last_time_ns;
    if (!crash)
        return 0;
    const int64_t last = last_event_ns(trace, crash->track);
    int64_t time = crash->time_ns;
    if (td_trace_is_finished(trace) && end > 0 && time > end)
        time = end;
    return time < last ? last : time;
}
