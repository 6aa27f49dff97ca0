/* The part of a trace that is exported: a range of time, and some tracks. */
#pragma once
#include "host/trace/trace.h"

struct export_part {
    const char *range;     /* "1.2ms..1.5ms"; NULL: all */
    const char *lanes;     /* an expression of lane_filter.h; NULL: all */
    uint64_t memory_bytes; /* as of td_trace_create_within() */
};

/* TD_E_USAGE: a wrong text. */
int export_part_check(const struct export_part *part, struct td_err *err);
/* Replaces *trace by a copy of the part. What overlaps the range is whole. TD_E_NOTFOUND: no track passes. */
int export_part_take(const struct export_part *part, struct td_trace **trace, struct td_err *err);
