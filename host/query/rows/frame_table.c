#include "host/query/rows/frame_times.h"
#include "host/query/table/list_rows.h"
#include "host/query/table/tables.h"

struct frame_rows {
    struct td_query_rows rows;
    struct td_list_rows lists;
};
#define ROWS struct frame_rows

static uint32_t set_of(const struct frame_rows *r, uint64_t i)
{
    return (uint32_t)td_list_rows_find(&r->lists, &i);
}

static size_t number_of(const struct frame_rows *r, uint64_t i)
{
    td_list_rows_find(&r->lists, &i);
    return i;
}

static struct td_frame frame_at(const struct frame_rows *r, uint64_t i)
{
    return td_trace_frame(r->rows.of.trace, set_of(r, i), number_of(r, i));
}

static struct td_query_value set_name(const struct frame_rows *r, uint64_t i)
{
    const uint32_t set = set_of(r, i);
    return set ? td_is_string(r->rows.dict, td_dict_get_frame_set(r->rows.dict, set, NULL))
               : td_is_text("Frame");
}

static struct td_query_value end_of(const struct frame_rows *r, uint64_t i, bool from_start)
{
    const struct td_frame frame = frame_at(r, i);
    return td_is_known(frame.end_ns >= 0 && frame.end_ns != TD_OPEN,
                       td_is_int(frame.end_ns - (from_start ? frame.start_ns : 0)));
}

/* clang-format off */
#define FRAME_COLUMNS(X)                                                                           \
    X(set_id,      "Id",       ID,       60,  td_is_uint(set_of(r, i)))                            \
    X(frame_set,   "Frames",   TEXT,     190, set_name(r, i))                                      \
    X(frame,       "Frame",    ID,       76,  td_is_uint(number_of(r, i)))                         \
    X(label,       "Name",     TEXT,     0,                                                        \
      td_is_text(td_frame_name(rows->of.trace, set_of(r, i), number_of(r, i), room, TD_QUERY_ROOM))) \
    X(start_ns,    "Start",    TIME,     106, td_is_int(frame_at(r, i).start_ns))                  \
    X(end_ns,      "End",      TIME,     106, end_of(r, i, false))                                 \
    X(duration_ns, "Duration", DURATION, 92,  end_of(r, i, true))
/* clang-format on */
TD_QUERY_COLUMNS(FRAME_COLUMNS)

static int make_frames(struct td_query_rows *rows)
{
    return td_list_rows_make(&((struct frame_rows *)rows)->lists, rows->of.trace, TD_TABLE_FRAME,
                             &rows->count);
}

TD_QUERY_FREES(free_frames, td_list_rows_free(&r->lists))

static struct td_query_place place_of_frame(const struct td_query_rows *rows, uint64_t i)
{
    const struct td_frame frame = frame_at((const struct frame_rows *)rows, i);
    return td_at_range(UINT32_MAX, frame.start_ns, frame.end_ns == TD_OPEN ? rows->of.now_ns : frame.end_ns);
}

const struct td_query_table td_table_frames = {
    .name = "frames",
    .about = "a frame",
    TD_QUERY_WITH_COLUMNS,
    .make = make_frames,
    .free = free_frames,
    .place_of_row = place_of_frame,
    .rises = "set_id start_ns",
};
