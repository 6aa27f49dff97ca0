#include "host/query/code/code_origin.h"
#include "host/base/code_address.h"
#include "host/trace/tables.h"

#include <string.h>

const char *td_code_origin_text(enum td_code_origin origin)
{
    static const char *const texts[] = {
#define TD_X(id, text) text,
        TD_CODE_ORIGINS(TD_X)
#undef TD_X
    };
    return texts[origin];
}

enum td_code_origin td_code_origin_of(const char *file, const char *image, uint64_t address)
{
    static const char *const folders[] = {"/usr/", "/lib/",       "/lib64/", "/build/", "[",
                                          "<",     "../sysdeps/", "./csu/",  "../csu/"};
    const char *where = *file ? file : image;
    if (td_is_kernel_address(address))
        return TD_CODE_KERNEL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!strncmp(where, folders[i], strlen(folders[i])))
            return TD_CODE_LIBRARY;
    /* Files of libraries have relative names. */
    return !strncmp(image, "/usr/lib", 8) || !strncmp(image, "/lib", 4) ? TD_CODE_LIBRARY : TD_CODE_OWN;
}

enum td_code_origin td_code_origin_of_stack(const struct td_trace *trace, uint32_t stack)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY),
                           *frames = td_trace_table(trace, TD_TABLE_STACK_FRAME),
                           *lines = td_trace_table(trace, TD_TABLE_STACK_LINE);
    uint64_t first, count, at, end;
    const char *file = "", *image = "";
    td_trace_stack(trace, stack, &first, &count);
    if (!count)
        return TD_CODE_OWN;
    const uint64_t frame = (uint64_t)td_series_get(entries, first, TD_STACK_ENTRY_FRAME);
    const int64_t row = td_trace_frame_lines(trace, frame, &at, &end);
    if (row >= 0)
        image = td_dict_text(dict, (uint32_t)td_series_get(frames, (uint64_t)row, TD_STACK_FRAME_IMAGE));
    if (at < end)
        file = td_dict_text(dict, (uint32_t)td_series_get(lines, end - 1, TD_STACK_LINE_FILE));
    return td_code_origin_of(file, image, td_frame_address(frame));
}
