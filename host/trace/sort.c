/* Sorts a series by a column. */
#include "host/trace/model.h"

#include <stdlib.h>
#include <string.h>

/* 1 + the column of the time by which the table is sorted; 0: it is not sorted. */
static const uint8_t ordered[TD_TABLE_COUNT] = {
    [TD_TABLE_MESSAGE] = 1 + TD_MESSAGE_TIME,
    [TD_TABLE_POINT] = 1 + TD_POINT_TIME,
    [TD_TABLE_FRAME] = 1 + TD_FRAME_START,
    [TD_TABLE_LOCK_EVENT] = 1 + TD_LOCK_EVENT_TIME,
    [TD_TABLE_MEMORY] = 1 + TD_MEMORY_TIME,
    [TD_TABLE_SAMPLE] = 1 + TD_SAMPLE_TIME,
    [TD_TABLE_SWITCH_SAMPLE] = 1 + TD_SWITCH_SAMPLE_TIME,
    [TD_TABLE_CPU_SWITCH] = 1 + TD_CPU_SWITCH_START,
    [TD_TABLE_HW_CYCLES] = 1 + TD_HW_CYCLES_TIME,
    [TD_TABLE_HW_RETIRED] = 1 + TD_HW_RETIRED_TIME,
    [TD_TABLE_HW_CACHE_REFERENCES] = 1 + TD_HW_CACHE_REFERENCES_TIME,
    [TD_TABLE_HW_CACHE_MISSES] = 1 + TD_HW_CACHE_MISSES_TIME,
    [TD_TABLE_HW_BRANCHES] = 1 + TD_HW_BRANCHES_TIME,
    [TD_TABLE_HW_BRANCH_MISSES] = 1 + TD_HW_BRANCH_MISSES_TIME,
};

unsigned td_trace_time_column_(enum td_table table)
{
    return ordered[table] ? ordered[table] - 1u : TD_SERIES_COLUMNS;
}

static bool is_in_order(const struct td_series *series, unsigned column)
{
    int64_t values[TD_SERIES_ROWS], before = INT64_MIN;
    uint64_t count = td_series_count(series);
    for (uint64_t first = td_series_first(series); first < count; first += TD_SERIES_ROWS) {
        uint64_t n = count - first < TD_SERIES_ROWS ? count - first : TD_SERIES_ROWS;
        td_series_read(series, column, first, n, values);
        for (uint64_t i = 0; i < n; i++) {
            if (values[i] < before)
                return false;
            before = values[i];
        }
    }
    return true;
}

/* A bottom-up merge sort. */
struct sort_item *td_trace_merge_sort_(struct sort_item *items, struct sort_item *spare, size_t count)
{
    struct sort_item *from = items, *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            size_t a = begin, b = middle;
            if (middle == end || from[middle - 1].key <= from[middle].key) {
                memcpy(to + begin, from + begin, (end - begin) * sizeof *from);
                continue;
            }
            for (size_t i = begin; i < end; i++) {
                int left = b == end || (a < middle && from[a].key <= from[b].key);
                to[i] = from[left ? a++ : b++];
            }
        }
        struct sort_item *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static int apply_order(struct td_series *series, const struct sort_item *order)
{
    struct td_series sorted;
    int64_t row[TD_SERIES_COLUMNS];
    uint64_t count = td_series_count(series) - td_series_first(series);
    td_series_init(&sorted, series->store, series->columns, 0);
    for (uint64_t i = 0; i < count; i++) {
        td_series_row(series, order[i].row, row);
        if (td_series_append(&sorted, row) < 0)
            return TD_E_NOMEM;
    }
    if (td_series_seal(&sorted) < 0 || td_series_seal(series) < 0)
        return TD_E_NOMEM;
    td_series_replace(series, &sorted);
    return 0;
}

int td_trace_sort_(struct td_series *series, unsigned column, bool *changed)
{
    *changed = !is_in_order(series, column);
    if (!*changed)
        return 0;
    uint64_t first = td_series_first(series), count = td_series_count(series) - first;
    struct sort_item *items = malloc(count * sizeof *items), *spare = malloc(count * sizeof *spare);
    for (uint64_t i = 0; items && i < count; i++)
        items[i] = (struct sort_item){td_series_get(series, first + i, column), first + i};
    int rc = items && spare ? apply_order(series, td_trace_merge_sort_(items, spare, count)) : TD_E_NOMEM;
    free(items);
    free(spare);
    return rc;
}
