#include "host/query/code/switch_samples.h"
#include "host/trace/tables.h"

uint64_t td_switch_sample_of(const struct td_trace *trace, uint32_t track, int64_t end_ns, int64_t next_ns)
{
    const struct td_series *samples = td_trace_list(trace, TD_TABLE_SWITCH_SAMPLE, track);
    const uint64_t row =
        end_ns == INT64_MIN ? 0 : td_series_after(samples, TD_SWITCH_SAMPLE_TIME, end_ns - 1);
    if (row >= td_series_count(samples) || td_series_get(samples, row, TD_SWITCH_SAMPLE_TIME) > next_ns)
        return UINT64_MAX;
    return row;
}

uint32_t td_switch_sample_stack(const struct td_trace *trace, uint32_t track, uint64_t row)
{
    return (uint32_t)td_series_get(td_trace_list(trace, TD_TABLE_SWITCH_SAMPLE, track), row,
                                   TD_SWITCH_SAMPLE_STACK);
}
