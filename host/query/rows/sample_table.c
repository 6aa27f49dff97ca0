#include "host/query/code/stack_text.h"
#include "host/query/table/list_rows.h"
#include "host/query/table/tables.h"

struct one_sample_rows {
    struct td_query_rows rows;
    struct td_list_rows lists;
};
#define ROWS struct one_sample_rows

static uint64_t track_of(const struct one_sample_rows *r, uint64_t i)
{
    return td_list_rows_find(&r->lists, &i);
}

static int64_t sample_cell(const struct one_sample_rows *r, uint64_t i, unsigned column)
{
    const uint64_t track = td_list_rows_find(&r->lists, &i);
    return td_series_get(td_trace_list(r->rows.of.trace, TD_TABLE_SAMPLE, track), i, column);
}

static const char *function_at(const struct one_sample_rows *r, uint64_t i, char *room)
{
    return td_stack_text(r->rows.of.trace, (uint32_t)sample_cell(r, i, TD_SAMPLE_STACK), "", 1, room,
                         TD_QUERY_ROOM);
}

/* clang-format off */
#define SAMPLE_COLUMNS(X)                                                                    \
    X(track,    "Track",    TRACK, 190, td_is_uint(track_of(r, i)))                          \
    X(time_ns,  "Time",     TIME,  106, td_is_int(sample_cell(r, i, TD_SAMPLE_TIME)))        \
    X(stack,    "Stack",    ID,    76,  td_is_int(sample_cell(r, i, TD_SAMPLE_STACK)))       \
    X(function, "Function", TEXT,  0,   td_is_text(function_at(r, i, room)))
/* clang-format on */
TD_QUERY_COLUMNS(SAMPLE_COLUMNS)

static int make_samples(struct td_query_rows *rows)
{
    return td_list_rows_make(&((struct one_sample_rows *)rows)->lists, rows->of.trace, TD_TABLE_SAMPLE,
                             &rows->count);
}

TD_QUERY_FREES(free_samples, td_list_rows_free(&r->lists))

const struct td_query_table td_table_samples = {
    .name = "samples",
    .about = "a sample of a thread's call stack",
    TD_QUERY_WITH_COLUMNS,
    .make = make_samples,
    .free = free_samples,
    .rises = "track time_ns",
};
