#include "host/query/task/span.h"

struct trace_span {
    int64_t first_ns, last_ns;
};

static void add(struct trace_span *span, int64_t from_ns, int64_t to_ns)
{
    span->first_ns = from_ns < span->first_ns ? from_ns : span->first_ns;
    span->last_ns = to_ns > span->last_ns ? to_ns : span->last_ns;
}

static void add_track(struct trace_span *span, const struct td_trace *trace, uint32_t track)
{
    bool more = td_trace_track_zones(trace, track) > 0; /* only in an open zone there may be a later one */
    for (uint32_t r = 0; r < td_trace_rows(trace, track) && more; r++) {
        const size_t count = td_trace_row_zones(trace, track, r);
        const struct td_zone end = td_trace_zone(trace, track, r, count - 1);
        more = end.end_ns == TD_OPEN;
        add(span, r ? span->first_ns : td_trace_zone(trace, track, r, 0).start_ns,
            more ? end.start_ns : end.end_ns);
    }
}

void td_trace_span(const struct td_trace *trace, int64_t *first_ns, int64_t *last_ns)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct trace_span span = {INT64_MAX, 0};
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        add_track(&span, trace, t);
    const size_t messages = td_trace_messages(trace);
    if (messages)
        add(&span, td_trace_message(trace, 0).time_ns, td_trace_message(trace, messages - 1).time_ns);
    for (uint32_t p = 0; p < td_dict_plot_count(dict); p++) {
        const size_t points = td_trace_plot_points(trace, p);
        if (points)
            add(&span, td_trace_plot_point(trace, p, 0).time_ns,
                td_trace_plot_point(trace, p, points - 1).time_ns);
    }
    *first_ns = span.first_ns == INT64_MAX ? 0 : span.first_ns;
    *last_ns = span.last_ns > *first_ns ? span.last_ns : *first_ns + 1;
}
