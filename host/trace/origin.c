#include "host/trace/origin.h"
#include "host/trace/model.h"

void td_trace_expect_origin(struct td_trace *trace, int64_t time_ns)
{
    __atomic_store_n(&trace->origin_ns, time_ns, __ATOMIC_RELEASE);
}

void td_trace_begins(struct td_trace *trace, int64_t time_ns)
{
    if (time_ns < 0)
        time_ns = 0;
    if (!trace->has_begun || time_ns < trace->origin_ns)
        __atomic_store_n(&trace->origin_ns, time_ns, __ATOMIC_RELEASE);
    __atomic_store_n(&trace->has_begun, true, __ATOMIC_RELEASE);
}

int64_t td_trace_origin(const struct td_trace *trace)
{
    return td_trace_is_finished(trace) ? 0 : __atomic_load_n(&trace->origin_ns, __ATOMIC_ACQUIRE);
}

bool td_trace_has_begun(const struct td_trace *trace)
{
    return __atomic_load_n(&trace->has_begun, __ATOMIC_ACQUIRE);
}

int64_t td_trace_moved(const struct td_trace *trace)
{
    return td_trace_is_finished(trace) ? __atomic_load_n(&trace->origin_ns, __ATOMIC_ACQUIRE) : 0;
}
