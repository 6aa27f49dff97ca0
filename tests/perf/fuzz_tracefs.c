/* Descriptions of tracepoints, lists of mounts and /proc/N/status that may be anything. */
#include "host/perf/proc.h"
#include "host/perf/tracefs.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"prev_pid", "next_prio", "pid", "crtc", "x", "prev_comm", ""};
    char path[64], *text = malloc(size + 1);
    int64_t value;
    uint64_t number;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct td_trace_field field;
        if (td_trace_text_find(text, size, names[i], &field) && !field.bytes)
            abort();
        if (!td_trace_field_find(text, size, names[i], &field))
            continue;
        const bool fits = (size_t)field.offset + field.bytes <= size;
        if (td_trace_field_value(&field, data, size, &value) != fits)
            abort();
    }
    if (td_tracefs_path_in(text, size, path, sizeof path) && !memchr(path, 0, sizeof path))
        abort();
    td_proc_status_number(text, "Tgid", &number);
    free(text);
    return 0;
}
