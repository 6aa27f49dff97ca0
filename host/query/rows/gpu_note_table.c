/* The table of the notes in GPU contexts. */
#include "host/query/table/tables.h"
#include "host/base/grow.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct gpu_note_rows {
    struct td_query_rows rows;
    struct gpu_note {
        uint64_t context, row; /* of GPU_NOTE_NAME */
        uint64_t count;
    } * at;
    size_t capacity;
};
#define ROWS struct gpu_note_rows

static int64_t note_cell(const struct gpu_note_rows *r, uint64_t i, unsigned column)
{
    return td_series_get(td_trace_list(r->rows.of.trace, TD_TABLE_GPU_NOTE_NAME, r->at[i].context),
                         r->at[i].row, column);
}

/* clang-format off */
#define GPU_NOTE_COLUMNS(X)                                                                                              \
    X(context, "Context", ID,    66, td_is_uint(r->at[i].context))                                                       \
    X(name,    "Note",    TEXT,  0,  td_is_string(rows->dict, note_cell(r, i, TD_GPU_NOTE_NAME_NAME)))                   \
    X(count,   "Count",   COUNT, 84, td_is_uint(r->at[i].count))
/* clang-format on */
TD_QUERY_COLUMNS(GPU_NOTE_COLUMNS)

static uint64_t count_notes(const struct td_trace *trace, uint64_t context, int64_t note)
{
    const struct td_series *notes = td_trace_list(trace, TD_TABLE_GPU_NOTE, context);
    uint64_t count = 0;
    for (uint64_t i = 0; i < td_series_count(notes); i++)
        count += td_series_get(notes, i, TD_GPU_NOTE_NOTE) == note;
    return count;
}

static int add_context(struct gpu_note_rows *r, uint64_t context)
{
    const struct td_trace *trace = r->rows.of.trace;
    const struct td_series *names = td_trace_list(trace, TD_TABLE_GPU_NOTE_NAME, context);
    for (uint64_t n = 0; n < td_series_count(names); n++) {
        if (TD_APPEND(r->at, r->rows.count, r->capacity,
                      (struct gpu_note){
                          context, n,
                          count_notes(trace, context, td_series_get(names, n, TD_GPU_NOTE_NAME_NOTE))}) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

static int make_gpu_notes(struct td_query_rows *rows)
{
    int rc = 0;
    for (uint64_t c = 0; rc == 0 && c < td_trace_lists(rows->of.trace, TD_TABLE_GPU_NOTE_NAME); c++)
        if (!rows->of.only || rows->of.only == c + 1)
            rc = add_context((struct gpu_note_rows *)rows, c);
    return rc;
}

TD_QUERY_FREES(free_gpu_notes, free(r->at))

const struct td_query_table td_table_gpu_notes = {
    .name = "gpu_notes",
    .about = "a kind of note in a GPU context",
    TD_QUERY_WITH_COLUMNS,
    .make = make_gpu_notes,
    .free = free_gpu_notes,
    .json = "name count",
};
