/* What packets refer to by number. */
#include "host/tools/export/perfetto_internal.h"
#include "host/trace/tables.h"

#include <inttypes.h>

static uint64_t numbers_of(const struct perfetto_out *p, enum perfetto_interned what)
{
    switch (what) {
    case PERFETTO_LOCATIONS:
        return td_dict_srcloc_count(p->dict);
    case PERFETTO_STACKS:
        return td_trace_table_rows(p->trace, TD_TABLE_STACK);
    case PERFETTO_LINES:
        return td_trace_table_rows(p->trace, TD_TABLE_STACK_LINE);
    default:
        return td_dict_string_count(p->dict);
    }
}

int perfetto_init_interning_(struct perfetto_out *p)
{
    for (unsigned what = 0; what < PERFETTO_INTERNED; what++)
        if (!(p->known[what] = calloc(numbers_of(p, what) / 8 + 1, 1)))
            return TD_E_NOMEM;
    return td_trace_index_frames(p->trace);
}

void perfetto_free_interning_(struct perfetto_out *p)
{
    for (unsigned what = 0; what < PERFETTO_INTERNED; what++)
        free(p->known[what]);
}

/* Whether it was not written yet; then it is now. */
static bool is_new(struct perfetto_out *p, enum perfetto_interned what, uint64_t number)
{
    uint8_t *byte = &p->known[what][number / 8];
    const uint8_t bit = (uint8_t)(1u << number % 8);
    const bool was_new = !(*byte & bit);
    *byte |= bit;
    return was_new;
}

void perfetto_put_string_(struct perfetto_out *p, unsigned field, uint32_t string)
{
    const char *text = td_dict_text(p->dict, string);
    protobuf_text(&p->out, field, text, td_dict_text_bytes(p->dict, string));
}

/* ---- entries ---- */

static void put_name(struct perfetto_out *p, unsigned field, uint32_t string)
{
    const size_t entry = protobuf_begin(&p->out, field);
    protobuf_uint(&p->out, TD_PF_NAMED_IID, perfetto_iid_(string));
    perfetto_put_string_(p, TD_PF_NAMED_NAME, string);
    protobuf_end(&p->out, entry);
}

static void put_location(struct perfetto_out *p, uint32_t number)
{
    const struct td_srcloc *location = td_dict_get_srcloc(p->dict, number);
    const size_t entry = protobuf_begin(&p->out, TD_PF_INTERNED_SOURCE_LOCATIONS);
    protobuf_uint(&p->out, TD_PF_SOURCE_LOCATION_IID, perfetto_iid_(number));
    perfetto_put_string_(p, TD_PF_SOURCE_LOCATION_FILE, location->file);
    perfetto_put_string_(p, TD_PF_SOURCE_LOCATION_FUNCTION, location->function);
    protobuf_uint(&p->out, TD_PF_SOURCE_LOCATION_LINE, location->line);
    protobuf_end(&p->out, entry);
}

/* ---- call stacks: a frame of Perfetto's is a function, also an inlined one ---- */

/* Frames without functions have the numbers after those with functions. */
static uint64_t iid_of_bare(const struct perfetto_out *p, uint64_t entry)
{
    return perfetto_iid_(numbers_of(p, PERFETTO_LINES) + entry);
}

static uint32_t image_of(const struct perfetto_out *p, uint64_t frame)
{
    const int64_t row = td_trace_stack_frame(p->trace, frame);
    const struct td_series *frames = td_trace_table(p->trace, TD_TABLE_STACK_FRAME);
    return row < 0 ? 0 : (uint32_t)td_series_get(frames, (uint64_t)row, TD_STACK_FRAME_IMAGE);
}

static void put_image(struct perfetto_out *p, uint32_t image)
{
    if (!is_new(p, PERFETTO_IMAGES, image))
        return;
    put_name(p, TD_PF_INTERNED_MAPPING_PATHS, image);
    const size_t entry = protobuf_begin(&p->out, TD_PF_INTERNED_MAPPINGS);
    protobuf_uint(&p->out, TD_PF_MAPPING_IID, perfetto_iid_(image));
    protobuf_uint(&p->out, TD_PF_MAPPING_PATH_IIDS, perfetto_iid_(image));
    protobuf_end(&p->out, entry);
}

static void put_function(struct perfetto_out *p, uint64_t frame, uint64_t line)
{
    const struct td_series *lines = td_trace_table(p->trace, TD_TABLE_STACK_LINE);
    if (!is_new(p, PERFETTO_LINES, line))
        return;
    const uint32_t name = (uint32_t)td_series_get(lines, line, TD_STACK_LINE_FUNCTION);
    const uint32_t file = (uint32_t)td_series_get(lines, line, TD_STACK_LINE_FILE);
    const uint32_t image = image_of(p, frame);
    if (is_new(p, PERFETTO_FUNCTIONS, name))
        put_name(p, TD_PF_INTERNED_FUNCTION_NAMES, name);
    put_image(p, image);
    if (file && is_new(p, PERFETTO_FILES, file))
        put_name(p, TD_PF_INTERNED_SOURCE_PATHS, file);
    const size_t entry = protobuf_begin(&p->out, TD_PF_INTERNED_FRAMES);
    protobuf_uint(&p->out, TD_PF_FRAME_IID, perfetto_iid_(line));
    protobuf_uint(&p->out, TD_PF_FRAME_FUNCTION_IID, perfetto_iid_(name));
    protobuf_uint(&p->out, TD_PF_FRAME_MAPPING_IID, perfetto_iid_(image));
    protobuf_uint(&p->out, TD_PF_FRAME_RELATIVE_PC, td_frame_address(frame));
    if (file)
        protobuf_uint(&p->out, TD_PF_FRAME_SOURCE_PATH_IID, perfetto_iid_(file));
    if (file)
        protobuf_uint(&p->out, TD_PF_FRAME_LINE, (uint64_t)td_series_get(lines, line, TD_STACK_LINE_LINE));
    protobuf_end(&p->out, entry);
}

/* The frame of an entry without functions. */
static void put_bare(struct perfetto_out *p, uint64_t frame, uint64_t at)
{
    const uint32_t image = image_of(p, frame);
    put_image(p, image);
    const size_t entry = protobuf_begin(&p->out, TD_PF_INTERNED_FRAMES);
    protobuf_uint(&p->out, TD_PF_FRAME_IID, iid_of_bare(p, at));
    protobuf_uint(&p->out, TD_PF_FRAME_MAPPING_IID, perfetto_iid_(image));
    protobuf_uint(&p->out, TD_PF_FRAME_RELATIVE_PC, td_frame_address(frame));
    protobuf_end(&p->out, entry);
}

/* The functions of a stack, the outermost first: as entries, or as their numbers. */
static void each_frame(struct perfetto_out *p, uint32_t stack, bool as_entries)
{
    const struct td_series *entries = td_trace_table(p->trace, TD_TABLE_STACK_ENTRY);
    uint64_t first, count;
    td_trace_stack(p->trace, stack, &first, &count);
    while (count--) {
        const uint64_t at = first + count, frame = (uint64_t)td_series_get(entries, at, TD_STACK_ENTRY_FRAME);
        uint64_t line = 0, end = 0;
        const bool is_bare = td_trace_frame_lines(p->trace, frame, &line, &end) < 0 || line == end;
        if (is_bare && as_entries)
            put_bare(p, frame, at);
        else if (is_bare)
            protobuf_uint(&p->out, TD_PF_CALLSTACK_FRAME_IIDS, iid_of_bare(p, at));
        while (!is_bare && end-- > line) {
            if (as_entries)
                put_function(p, frame, end);
            else
                protobuf_uint(&p->out, TD_PF_CALLSTACK_FRAME_IIDS, perfetto_iid_(end));
        }
    }
}

static void put_stack(struct perfetto_out *p, uint32_t stack)
{
    each_frame(p, stack, true);
    const size_t entry = protobuf_begin(&p->out, TD_PF_INTERNED_CALLSTACKS);
    protobuf_uint(&p->out, TD_PF_CALLSTACK_IID, perfetto_iid_(stack));
    each_frame(p, stack, false);
    protobuf_end(&p->out, entry);
}

/* ---- packets ---- */

void perfetto_intern_annotation_(struct perfetto_out *p)
{
    const size_t data = protobuf_begin(&p->out, TD_PF_PACKET_INTERNED_DATA);
    const size_t entry = protobuf_begin(&p->out, TD_PF_INTERNED_ANNOTATION_NAMES);
    protobuf_uint(&p->out, TD_PF_NAMED_IID, PERFETTO_TEXT_IID);
    protobuf_name(&p->out, TD_PF_NAMED_NAME, "text");
    protobuf_end(&p->out, entry);
    protobuf_end(&p->out, data);
}

void perfetto_intern_zone_(struct perfetto_out *p, uint32_t name, uint32_t location, uint32_t stack)
{
    const bool new_name = is_new(p, PERFETTO_NAMES, name);
    const bool new_location = location && is_new(p, PERFETTO_LOCATIONS, location);
    const bool new_stack = stack && is_new(p, PERFETTO_STACKS, stack);
    if (!new_name && !new_location && !new_stack)
        return;
    const size_t data = protobuf_begin(&p->out, TD_PF_PACKET_INTERNED_DATA);
    if (new_name)
        put_name(p, TD_PF_INTERNED_EVENT_NAMES, name);
    if (new_location)
        put_location(p, location);
    if (new_stack)
        put_stack(p, stack);
    protobuf_end(&p->out, data);
}

void perfetto_intern_stack_(struct perfetto_out *p, uint32_t stack)
{
    if (!stack || !is_new(p, PERFETTO_STACKS, stack))
        return;
    const size_t data = protobuf_begin(&p->out, TD_PF_PACKET_INTERNED_DATA);
    put_stack(p, stack);
    protobuf_end(&p->out, data);
}
