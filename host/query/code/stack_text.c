#include "host/query/code/stack_text.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct stack_writer {
    char *room;
    size_t bytes, used, frames, most;
    const char *separator;
};

static void add_function(struct stack_writer *w, const char *name)
{
    if (w->frames == w->most || w->used >= w->bytes)
        return;
    w->used +=
        (size_t)snprintf(w->room + w->used, w->bytes - w->used, "%s%s", w->frames ? w->separator : "", name);
    w->frames++;
}

/* The inlined functions of a frame, then the real one. */
static void add_frame(struct stack_writer *w, const struct td_trace *trace, uint64_t frame)
{
    const struct td_series *lines = td_trace_table(trace, TD_TABLE_STACK_LINE);
    uint64_t at, end;
    char address[24];
    if (td_trace_frame_lines(trace, frame, &at, &end) < 0) {
        snprintf(address, sizeof address, "0x%" PRIx64, td_frame_address(frame));
        add_function(w, address);
        return;
    }
    for (; at < end; at++)
        add_function(w, td_dict_text(td_trace_dict(trace),
                                     (uint32_t)td_series_get(lines, at, TD_STACK_LINE_FUNCTION)));
}

const char *td_stack_text(const struct td_trace *trace, uint32_t stack, const char *separator, size_t most,
                          char *room, size_t bytes)
{
    struct stack_writer w = {.room = room, .bytes = bytes, .most = most, .separator = separator};
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    uint64_t first = 0, count = 0;
    room[0] = 0;
    if (stack)
        td_trace_stack(trace, stack, &first, &count);
    for (uint64_t i = 0; i < count && w.frames < most && first + i < td_series_count(entries); i++)
        add_frame(&w, trace, (uint64_t)td_series_get(entries, first + i, TD_STACK_ENTRY_FRAME));
    return room;
}
