#include "host/trace/clock_parts.h"

#include <string.h>

/* td_trace_get_note() would search from the beginning for each part. */
bool td_clock_part_next(const struct td_trace *trace, size_t *next, struct td_clock_part *part)
{
    static const char before[] = TD_NOTE_CLOCK_PART ": ";
    const size_t count = td_trace_app_infos(trace), bytes = sizeof before - 1;
    while (*next < count) {
        const char *text = td_dict_text(td_trace_dict(trace), td_trace_app_info(trace, (*next)++));
        if (!strncmp(text, before, bytes) && td_clock_part_read(text + bytes, part))
            return true;
    }
    return false;
}
