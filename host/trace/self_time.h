/* The time of a zone without that of its direct children. */
#pragma once
#include <stdint.h>

/* At least 0: children may last longer than the zone that they began in, as in host/trace/fill.h. */
static inline int64_t td_self_time(int64_t length_ns, int64_t children_ns)
{
    int64_t self_ns;
    if (__builtin_sub_overflow(length_ns, children_ns, &self_ns))
        return length_ns < 0 ? 0 : length_ns;
    return self_ns < 0 ? 0 : self_ns;
}
