#include "host/trace/clock_parts.h"

bool td_clock_part_next(const struct td_trace *trace, size_t *next, struct td_clock_part *part)
{
    const char *text;
    while ((text = td_trace_next_note(trace, TD_NOTE_CLOCK_PART, next)))
        if (td_clock_part_read(text, part))
            return true;
    return false;
}
