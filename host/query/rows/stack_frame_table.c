#include "host/query/table/tables.h"
#include "host/trace/tables.h"

#define ROWS struct td_query_rows

struct frame_place {
    uint64_t frame;
    uint64_t line, end; /* rows of STACK_LINE; equal: none */
    int64_t row;        /* of STACK_FRAME; below 0: none */
};

static struct frame_place place_at(const struct td_query_rows *rows, uint64_t i)
{
    struct frame_place place;
    place.frame = (uint64_t)td_series_get(td_trace_table(rows->of.trace, TD_TABLE_STACK_ENTRY), i,
                                          TD_STACK_ENTRY_FRAME);
    place.row = td_trace_frame_lines(rows->of.trace, place.frame, &place.line, &place.end);
    return place;
}

static uint64_t stack_of(const struct td_query_rows *rows, uint64_t i)
{
    return td_series_after(td_trace_table(rows->of.trace, TD_TABLE_STACK), TD_STACK_END, (int64_t)i);
}

static uint64_t depth_of(const struct td_query_rows *rows, uint64_t i)
{
    uint64_t first, count;
    td_trace_stack(rows->of.trace, (uint32_t)stack_of(rows, i), &first, &count);
    return i - first;
}

/* Of the function itself: those that were inlined there come before it. */
static int64_t line_cell(const struct td_query_rows *rows, struct frame_place place, unsigned column)
{
    const struct td_series *lines = td_trace_table(rows->of.trace, TD_TABLE_STACK_LINE);
    return place.line < place.end ? td_series_get(lines, place.end - 1, column) : 0;
}

static struct td_query_value image_at(const struct td_query_rows *rows, uint64_t i)
{
    const struct frame_place place = place_at(rows, i);
    const struct td_series *frames = td_trace_table(rows->of.trace, TD_TABLE_STACK_FRAME);
    return place.row < 0
               ? td_is_text("")
               : td_is_string(rows->dict, td_series_get(frames, (uint64_t)place.row, TD_STACK_FRAME_IMAGE));
}

static struct td_query_value address_at(const struct td_query_rows *rows, uint64_t i, char *room)
{
    snprintf(room, TD_QUERY_ROOM, "0x%" PRIx64, td_frame_address(place_at(rows, i).frame));
    return td_is_text(room);
}

/* clang-format off */
#define STACK_FRAME_COLUMNS(X)                                                                                    \
    X(stack,    "Stack",    ID,   76,  td_is_uint(stack_of(rows, i)))                                             \
    X(depth,    "Depth",    COUNT, 60, td_is_uint(depth_of(rows, i)))                                             \
    X(function, "Function", TEXT, 0,                                                                              \
      td_is_string(rows->dict, line_cell(rows, place_at(rows, i), TD_STACK_LINE_FUNCTION)))                       \
    X(file,     "File",     TEXT, 190, td_is_string(rows->dict, line_cell(rows, place_at(rows, i), TD_STACK_LINE_FILE))) \
    X(line,     "Line",     ID,   60,  td_is_int(line_cell(rows, place_at(rows, i), TD_STACK_LINE_LINE)))         \
    X(image,    "Image",    TEXT, 150, image_at(rows, i))                                                         \
    X(address,  "Address",  TEXT, 134, address_at(rows, i, room))
/* clang-format on */
TD_QUERY_COLUMNS(STACK_FRAME_COLUMNS)

static int make_frames(struct td_query_rows *rows)
{
    rows->count = td_series_count(td_trace_table(rows->of.trace, TD_TABLE_STACK_ENTRY));
    return 0;
}

const struct td_query_table td_table_stack_frames = {
    .name = "stack_frames",
    .about = "a frame of a call stack, the innermost first",
    TD_QUERY_WITH_COLUMNS,
    .make = make_frames,
    .rises = "stack depth",
};
