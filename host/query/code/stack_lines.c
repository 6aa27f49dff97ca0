#include "host/query/code/stack_lines.h"
#include "host/base/code_address.h"
#include "host/query/code/code_origin.h"
#include "host/trace/tables.h"

bool td_is_outside_program(const char *file, const char *image, uint64_t address)
{
    return td_code_origin_of(file, image, address) != TD_CODE_OWN;
}

size_t td_stack_lines(const struct td_trace *trace, uint32_t stack, struct td_stack_place *to, size_t most,
                      size_t *all)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY),
                           *frames = td_trace_table(trace, TD_TABLE_STACK_FRAME),
                           *lines = td_trace_table(trace, TD_TABLE_STACK_LINE);
    uint64_t first, count;
    size_t n = 0;
    td_trace_stack(trace, stack, &first, &count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t frame = (uint64_t)td_series_get(entries, first + i, TD_STACK_ENTRY_FRAME);
        uint64_t at, end;
        const int64_t row = td_trace_frame_lines(trace, frame, &at, &end);
        struct td_stack_place place = {.frame = (uint32_t)i, .address = td_frame_address(frame)};
        place.is_kernel = td_is_kernel_address(place.address);
        place.function = place.file = place.image = "";
        if (row >= 0)
            place.image =
                td_dict_text(dict, (uint32_t)td_series_get(frames, (uint64_t)row, TD_STACK_FRAME_IMAGE));
        if (at >= end) {
            place.is_outside = td_is_outside_program("", place.image, place.address);
            if (n++ < most)
                to[n - 1] = place;
        }
        for (; at < end; at++) {
            place.function = td_dict_text(dict, (uint32_t)td_series_get(lines, at, TD_STACK_LINE_FUNCTION));
            place.file_string = (uint32_t)td_series_get(lines, at, TD_STACK_LINE_FILE);
            place.file = td_dict_text(dict, (uint32_t)td_series_get(lines, at, TD_STACK_LINE_FILE));
            place.line = (uint32_t)td_series_get(lines, at, TD_STACK_LINE_LINE);
            place.symbol = (uint64_t)td_series_get(lines, at, TD_STACK_LINE_SYMBOL);
            place.is_inline = at + 1 < end;
            place.is_outside = td_is_outside_program(place.file, place.image, place.address);
            if (n++ < most)
                to[n - 1] = place;
        }
    }
    *all = n;
    return n < most ? n : most;
}
