#include "host/trace/walk.h"

#include "host/trace/model.h"

#include <stdlib.h>

uint32_t td_trace_zones_read(const struct td_trace *trace, uint32_t track, uint32_t row, uint64_t first,
                             unsigned columns, struct td_zones *block)
{
    uint64_t below = td_trace_row_zones(trace, track, row + 1);
    const struct td_series *series = td_trace_row(trace, track, row);
    uint64_t count = series ? td_series_count(series) : 0;
    if (first >= count || columns >> series->columns)
        return 0;
    uint64_t n = TD_ZONES_AT_ONCE - first % TD_ZONES_AT_ONCE;
    n = n < count - first ? n : count - first;
    block->first = first;
    block->count = (uint32_t)n;
    for (unsigned c = 0; columns >> c; c++) {
        if (columns >> c & 1)
            td_series_read(series, c, first, n, block->column[c]);
    }
    if (columns >> TD_ZONE_CHILD_END & 1 && first + n == count)
        block->column[TD_ZONE_CHILD_END][n - 1] = (int64_t)below;
    return (uint32_t)n;
}

/* Deep rows are read in smaller pieces: a walk down a deep recursion holds one for each row. */
static uint32_t room_of(uint32_t row, uint64_t zones)
{
    uint32_t most = row < 32 ? TD_SERIES_ROWS : row < 4096 ? 16 : 2;
    return zones < most ? (uint32_t)zones : most;
}

int td_walk_begin(struct td_walk *walk, const struct td_trace *trace, uint32_t track)
{
    *walk = (struct td_walk){.trace = trace, .track = track, .row_count = td_trace_rows(trace, track)};
    if (!walk->row_count)
        return 0;
    walk->rows = calloc(walk->row_count, sizeof *walk->rows);
    size_t integers = 0;
    for (uint32_t r = 0; walk->rows && r < walk->row_count; r++) {
        struct td_walk_row *row = &walk->rows[r];
        row->series = td_trace_row(trace, track, r);
        row->room = room_of(r, td_series_count(row->series));
        integers += (size_t)row->room * TD_ZONE_COLUMNS;
    }
    walk->zones = walk->rows ? malloc(integers * sizeof *walk->zones) : NULL;
    if (!walk->zones) {
        free(walk->rows);
        *walk = (struct td_walk){0};
        return TD_E_NOMEM;
    }
    int64_t *at = walk->zones;
    for (uint32_t r = 0; r < walk->row_count; r++) {
        walk->rows[r].zones = at;
        at += (size_t)walk->rows[r].room * TD_ZONE_COLUMNS;
        walk->rows[r].from = td_series_first(walk->rows[r].series);
        walk->rows[r].to = UINT64_MAX;
    }
    walk->rows[0].next = walk->rows[0].from;
    walk->rows[0].end = td_series_count(walk->rows[0].series);
    return 0;
}

void td_walk_limit(struct td_walk *walk, int64_t from_ns, int64_t to_ns, uint64_t first, uint64_t end)
{
    for (uint32_t r = 0; r < walk->row_count; r++) {
        struct td_walk_row *row = &walk->rows[r];
        const uint64_t from =
            from_ns == INT64_MIN ? 0 : td_trace_zone_after(walk->trace, walk->track, r, from_ns);
        row->from = from > row->from ? from : row->from;
        if (to_ns != INT64_MAX)
            row->to = td_series_after(row->series, TD_ZONE_START, to_ns - 1);
    }
    if (!walk->row_count)
        return;
    struct td_walk_row *outer = &walk->rows[0];
    outer->next = first > outer->from ? first : outer->from;
    outer->end = end < outer->end ? end : outer->end;
    outer->end = outer->to < outer->end ? outer->to : outer->end;
    outer->end = outer->end > outer->next ? outer->end : outer->next;
}

/* Reads zones from the row's next one on. The children of the row's last zone end as in td_trace_zone(). */
void td_walk_read_ahead_(const struct td_walk *walk, struct td_walk_row *row, unsigned columns)
{
    int last_row = row == &walk->rows[walk->row_count - 1];
    uint64_t below = last_row ? 0 : td_series_count(row[1].series), count = td_series_count(row->series);
    uint64_t n = row->room - row->next % row->room;
    n = n < count - row->next ? n : count - row->next;
    row->first = row->next;
    row->read_end = row->first + n;
    row->before = row->first ? (uint64_t)td_series_get(row->series, row->first - 1, TD_ZONE_CHILD_END) : 0;
    for (unsigned c = 0; c < TD_ZONE_COLUMNS; c++) {
        if (columns >> c & 1)
            td_series_read(row->series, c, row->first, n, row->zones + (size_t)c * row->room);
    }
    if (row->read_end == count)
        row->zones[(size_t)TD_ZONE_CHILD_END * row->room + n - 1] = (int64_t)below;
}

/* Makes a step of the zone before the row's next one. */
static void step_at(const struct td_walk *walk, struct td_step *step, int leaves)
{
    const struct td_walk_row *row = &walk->rows[walk->row];
    const int64_t *zone = row->zones + (row->next - 1 - row->first);
    int64_t start = zone[TD_ZONE_START], duration = zone[(size_t)TD_ZONE_DURATION * row->room];
    int64_t extra = zone[(size_t)TD_ZONE_EXTRA * row->room];
    uint64_t end = (uint64_t)zone[(size_t)TD_ZONE_CHILD_END * row->room];
    step->row = walk->row;
    step->index = row->next - 1;
    step->leaves = leaves;
    step->zone = (struct td_zone){
        .start_ns = start,
        .end_ns = duration < 0 ? TD_OPEN : td_trace_end_(start, duration),
        .srcloc = (uint32_t)zone[(size_t)TD_ZONE_SRCLOC * row->room],
        .child_begin = row->children,
        .child_end = end > row->children ? end : row->children,
    };
    if (extra)
        td_trace_zone_extra(walk->trace, extra, &step->zone);
}

bool td_walk_next(struct td_walk *walk, struct td_step *step)
{
    if (!walk->row_count)
        return false;
    if (walk->leaving) {
        walk->leaving = 0;
        step_at(walk, step, 1);
        return true;
    }
    struct td_walk_row *row = &walk->rows[walk->row];
    if (row->next == row->end) {
        if (walk->row == 0)
            return false;
        walk->row--;
        step_at(walk, step, 1);
        return true;
    }
    if (row->next >= row->read_end)
        td_walk_read_ahead_(walk, row, TD_ZONES_ALL);
    int last_row = walk->row + 1 == walk->row_count;
    size_t at = row->next++ - row->first;
    row->children = at ? (uint64_t)row->zones[(size_t)TD_ZONE_CHILD_END * row->room + at - 1] : row->before;
    step_at(walk, step, 0);
    uint64_t child = step->zone.child_begin, end = step->zone.child_end;
    if (!last_row) {
        child = child > row[1].from ? child : row[1].from;
        end = end < row[1].to ? end : row[1].to;
    }
    if (!last_row && child < end) {
        row[1].next = child;
        row[1].end = end;
        walk->row++;
    } else {
        walk->leaving = 1;
    }
    return true;
}

void td_walk_end(struct td_walk *walk)
{
    free(walk->rows);
    free(walk->zones);
    *walk = (struct td_walk){0};
}
