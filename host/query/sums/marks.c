#include "host/query/sums/marks.h"
#include "host/base/grow.h"
#include "host/trace/walk.h"

#define LOST_LIMIT 2000000

static int add_mark_row(struct td_marks *marks, uint32_t track, uint32_t row)
{
    return TD_APPEND(marks->rows, marks->row_count, marks->row_capacity,
                     (struct td_mark_row){track, row, marks->count, 0});
}

static int add_mark(struct td_marks *marks, uint32_t track, uint32_t row, size_t before, size_t index)
{
    if (marks->count == before && add_mark_row(marks, track, row) < 0)
        return TD_E_NOMEM;
    if (TD_APPEND(marks->index, marks->count, marks->capacity, index) < 0)
        return TD_E_NOMEM;
    marks->rows[marks->row_count - 1].count++;
    return 0;
}

static int collect_row(struct td_marks *marks, const struct td_trace *trace, uint32_t track, uint32_t row)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct td_zones zones;
    const size_t before = marks->count;
    uint32_t n;
    for (uint64_t at = 0; (n = td_trace_zones_read(trace, track, row, at, 1u << TD_ZONE_SRCLOC, &zones));
         at += n)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t srcloc = (uint32_t)zones.column[TD_ZONE_SRCLOC][i];
            if (!(td_dict_get_srcloc(dict, srcloc)->flags & TD_SRCLOC_LOST))
                continue;
            if (marks->count == LOST_LIMIT) {
                marks->cut = true;
                return 0;
            }
            if (add_mark(marks, track, row, before, (size_t)at + i) < 0)
                return TD_E_NOMEM;
        }
    return 0;
}

int td_marks_lost(struct td_marks *marks, const struct td_trace *trace, struct td_err *err)
{
    marks->count = marks->row_count = 0;
    marks->cut = false;
    uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    for (uint32_t t = 0; t < tracks; t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t) && !marks->cut; r++)
            if (collect_row(marks, trace, t, r) < 0)
                return td_fail_no_memory(err, "while searching zones");
    return 0;
}

int td_marks_copy(struct td_marks *to, const struct td_marks *from)
{
    *to = (struct td_marks){.cut = from->cut};
    if (td_grow(&to->rows, &to->row_capacity, from->row_count, sizeof *to->rows) < 0 ||
        td_grow(&to->index, &to->capacity, from->count, sizeof *to->index) < 0) {
        td_marks_free(to);
        return TD_E_NOMEM;
    }
    for (; to->row_count < from->row_count; to->row_count++)
        to->rows[to->row_count] = from->rows[to->row_count];
    for (; to->count < from->count; to->count++)
        to->index[to->count] = from->index[to->count];
    return 0;
}

void td_marks_free(struct td_marks *marks)
{
    free(marks->rows);
    free(marks->index);
    *marks = (struct td_marks){0};
}
