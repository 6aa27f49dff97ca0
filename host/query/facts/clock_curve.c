#include "host/query/facts/clock_curve.h"
#include "host/trace/clock_parts.h"

static size_t column_at(const struct td_clock_curve *curve, int64_t time_ns)
{
    if (time_ns <= 0)
        return 0;
    if (time_ns >= curve->end_ns)
        return TD_CLOCK_CURVE_COLUMNS - 1;
    const double part = (double)time_ns / (double)curve->end_ns;
    const size_t column = (size_t)(part * TD_CLOCK_CURVE_COLUMNS);
    return column < TD_CLOCK_CURVE_COLUMNS ? column : TD_CLOCK_CURVE_COLUMNS - 1;
}

static void add_part(struct td_clock_curve *curve, const struct td_clock_part *part, int64_t until_ns)
{
    const size_t last = column_at(curve, until_ns);
    if (part->bound_ns > curve->greatest_ns)
        curve->greatest_ns = part->bound_ns;
    for (size_t c = column_at(curve, part->from_ns); c <= last; c++) {
        if (part->bound_ns <= curve->column[c].bound_ns)
            continue;
        curve->column[c].bound_ns = part->bound_ns;
        curve->column[c].chip = part->chip;
    }
}

void td_clock_curve_make(struct td_clock_curve *curve, const struct td_trace *trace)
{
    struct td_clock_part part, after;
    size_t next = 0;
    *curve = (struct td_clock_curve){.end_ns = td_trace_get_info(trace)->last_time_ns};
    while (td_clock_part_next(trace, &next, &part))
        curve->end_ns = part.from_ns > curve->end_ns ? part.from_ns : curve->end_ns;
    next = 0;
    bool any = td_clock_part_next(trace, &next, &part);
    while (any) {
        any = td_clock_part_next(trace, &next, &after);
        const bool is_last = !any || after.chip != part.chip;
        add_part(curve, &part, is_last ? curve->end_ns : after.from_ns);
        if (is_last && part.bound_ns > curve->last_ns)
            curve->last_ns = part.bound_ns;
        part = after;
    }
}
