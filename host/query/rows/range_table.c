#include "host/query/rows/range_table.h"
#include "host/query/table/track_name.h"

#include <stdlib.h>

#define ROWS  struct td_query_rows
#define RANGE (td_range_at(rows, i))

const struct td_counted_range *td_range_at(const struct td_query_rows *rows, uint64_t row)
{
    return &((const struct td_ranges_wanted *)rows->of.with)->at[row];
}

static const char *kind_text(enum td_range_kind kind)
{
    static const char *const texts[] = {
#define TD_X(id, text) text,
        TD_RANGE_KINDS(TD_X)
#undef TD_X
    };
    return texts[kind];
}

/* clang-format off */
#define RANGE_COLUMNS(X)                                                                     \
    X(range,     "Range",  TEXT,     0,   td_is_text(RANGE->name))                           \
    X(kind,      "Kind",   TEXT,     80,  td_is_text(kind_text(RANGE->kind)))                \
    X(start_ns,  "Start",  TIME,     120, td_is_int(RANGE->from_ns))                         \
    X(end_ns,    "End",    TIME,     120, td_is_int(RANGE->to_ns))                           \
    X(length_ns, "Length", DURATION, 92,  td_is_int(RANGE->to_ns - RANGE->from_ns))
/* clang-format on */
TD_QUERY_COLUMNS(RANGE_COLUMNS)

static int make_ranges(struct td_query_rows *rows)
{
    rows->count = rows->of.with ? ((const struct td_ranges_wanted *)rows->of.with)->count : 0;
    return 0;
}

static struct td_query_place place_of_range(const struct td_query_rows *rows, uint64_t i)
{
    return td_at_range(TD_NO_TRACK, RANGE->from_ns, RANGE->to_ns);
}

#define RANGE_LINES "range kind start_ns end_ns length_ns"
const struct td_query_table td_table_ranges = {
    .name = "ranges",
    .about = "a range of time that can be counted",
    TD_QUERY_WITH_COLUMNS,
    .make = make_ranges,
    .free_with = free,
    .place_of_row = place_of_range,
    .json = RANGE_LINES,
    .lines = RANGE_LINES,
    .text = RANGE_LINES,
};
