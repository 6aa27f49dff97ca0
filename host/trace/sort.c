/* Sorts a series by a column. */
#include "host/trace/model.h"
#include "host/trace/work.h"

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

/* Fills in the rows from `first` on, and their times. */
static void list_items(const struct td_series *series, unsigned column, uint64_t first,
                       struct sort_item *items, uint64_t count)
{
    int64_t values[TD_SERIES_ROWS];
    for (uint64_t done = 0, n; done < count; done += n) {
        n = count - done < TD_SERIES_ROWS ? count - done : TD_SERIES_ROWS;
        td_series_read(series, column, first + done, n, values);
        for (uint64_t i = 0; i < n; i++)
            items[done + i] = (struct sort_item){values[i], first + done + i};
    }
}

static int append_row(struct td_series *to, const struct td_series *from, uint64_t index)
{
    int64_t row[TD_SERIES_COLUMNS];
    td_series_row(from, index, row);
    return td_series_append(to, row);
}

/* Rows in any order: each may be in a part of the file that is not in memory. */
static int append_rows(struct td_series *to, const struct td_series *from, const struct sort_item *order,
                       uint64_t count)
{
    int rc = 0;
    for (uint64_t i = 0, chunk = UINT64_MAX; rc == 0 && i < count; i++) {
        if (order[i].row >> TD_SERIES_LOG2_ROWS != chunk)
            td_store_touch_(from->store, sizeof order[i].key);
        chunk = order[i].row >> TD_SERIES_LOG2_ROWS;
        rc = append_row(to, from, order[i].row);
    }
    return rc;
}

static int apply_order(struct td_series *series, const struct sort_item *order)
{
    struct td_series sorted;
    uint64_t count = td_series_count(series) - td_series_first(series);
    td_series_init(&sorted, series->store, series->columns, 0);
    if (append_rows(&sorted, series, order, count) < 0)
        return TD_E_NOMEM;
    if (td_series_seal(&sorted) < 0 || td_series_seal(series) < 0)
        return TD_E_NOMEM;
    td_series_replace(series, &sorted);
    return 0;
}

/* ---- a few runs, each in order: those of merged traces ---- */

#define RUNS_MAX   1024u  /* more are made few by sorting blocks */
#define BLOCK_ROWS 65536u /* of a block, at least */

struct run {
    uint64_t next, end;   /* rows */
    uint64_t first, read; /* the window: first row, number of rows */
    int64_t keys[TD_SERIES_ROWS];
};

/* Returns the number of runs, and sets `begins` for each, if there are at most RUNS_MAX; else 0. */
static size_t find_runs(const struct td_series *series, unsigned column, uint64_t *begins)
{
    int64_t values[TD_SERIES_ROWS], before = INT64_MAX;
    uint64_t count = td_series_count(series);
    size_t runs = 0;
    for (uint64_t first = 0; first < count; first += TD_SERIES_ROWS) {
        uint64_t n = count - first < TD_SERIES_ROWS ? count - first : TD_SERIES_ROWS;
        td_series_read(series, column, first, n, values);
        for (uint64_t i = 0; i < n; i++) {
            if ((values[i] < before || !runs) && runs == RUNS_MAX)
                return 0;
            if (values[i] < before || !runs)
                begins[runs++] = first + i;
            before = values[i];
        }
    }
    return runs;
}

static int64_t run_key(const struct td_series *series, unsigned column, struct run *run)
{
    if (run->next >= run->first + run->read || !run->read) {
        uint64_t left = run->end - run->next;
        run->first = run->next;
        run->read = left < TD_SERIES_ROWS ? left : TD_SERIES_ROWS;
        td_series_read(series, column, run->first, run->read, run->keys);
    }
    return run->keys[run->next - run->first];
}

/* The heap has the run with the least key first; of equal keys that of the earlier rows. */
struct heap_item {
    int64_t key;
    struct run *run;
};

static bool is_less(const struct heap_item *a, const struct heap_item *b)
{
    return a->key != b->key ? a->key < b->key : a->run->next < b->run->next;
}

static void sift_down(struct heap_item *heap, size_t count, size_t at)
{
    for (;;) {
        size_t least = at, left = 2 * at + 1;
        if (left < count && is_less(&heap[left], &heap[least]))
            least = left;
        if (left + 1 < count && is_less(&heap[left + 1], &heap[least]))
            least = left + 1;
        if (least == at)
            return;
        struct heap_item swap = heap[at];
        heap[at] = heap[least];
        heap[least] = swap;
        at = least;
    }
}

static int merge_runs(struct td_series *series, unsigned column, struct heap_item *heap, size_t count)
{
    struct td_series sorted;
    td_series_init(&sorted, series->store, series->columns, 0);
    for (size_t i = 0; i < count; i++)
        heap[i].key = run_key(series, column, heap[i].run);
    for (size_t i = count; i-- > 0;)
        sift_down(heap, count, i);
    while (count) {
        struct run *run = heap[0].run;
        if (append_row(&sorted, series, run->next++) < 0)
            return TD_E_NOMEM;
        if (run->next < run->end)
            heap[0].key = run_key(series, column, run);
        else
            heap[0] = heap[--count];
        sift_down(heap, count, 0);
    }
    if (td_series_seal(&sorted) < 0 || td_series_seal(series) < 0)
        return TD_E_NOMEM;
    td_series_replace(series, &sorted);
    return 0;
}

/* Merges the runs of a series that has few of them: in memory of a window a run, whatever its size. 1: there
 * are too many. */
static int sort_runs(struct td_series *series, unsigned column)
{
    uint64_t begins[RUNS_MAX + 1], rows = td_series_count(series);
    size_t count = find_runs(series, column, begins);
    if (!count || rows / count < TD_SERIES_ROWS) /* short runs gain nothing */
        return 1;
    struct run *runs = calloc(count, sizeof *runs);
    struct heap_item *heap = malloc(count * sizeof *heap);
    begins[count] = rows;
    for (size_t i = 0; runs && heap && i < count; i++) {
        runs[i].next = begins[i];
        runs[i].end = begins[i + 1];
        heap[i].run = &runs[i];
    }
    int rc = runs && heap ? merge_runs(series, column, heap, count) : TD_E_NOMEM;
    free(runs);
    free(heap);
    return rc;
}

/* Sorts blocks of the series, each in memory, so that it has few runs. */
static int sort_blocks(struct td_series *series, unsigned column)
{
    const uint64_t count = td_series_count(series);
    const size_t room = count / (RUNS_MAX / 2) > BLOCK_ROWS ? (size_t)(count / (RUNS_MAX / 2)) : BLOCK_ROWS;
    struct sort_item *items = malloc(room * sizeof *items), *spare = malloc(room * sizeof *spare);
    struct td_series sorted;
    int rc = items && spare ? 0 : TD_E_NOMEM;
    td_series_init(&sorted, series->store, series->columns, 0);
    for (uint64_t first = 0; rc == 0 && first < count; first += room) {
        const size_t n = count - first < room ? (size_t)(count - first) : room;
        list_items(series, column, first, items, n);
        const struct sort_item *order = td_trace_merge_sort_(items, spare, n);
        rc = append_rows(&sorted, series, order, n);
    }
    if (rc == 0 && (td_series_seal(&sorted) < 0 || td_series_seal(series) < 0))
        rc = TD_E_NOMEM;
    if (rc == 0)
        td_series_replace(series, &sorted);
    free(items);
    free(spare);
    return rc;
}

int td_trace_sort_(struct td_series *series, unsigned column, bool *changed)
{
    *changed = !is_in_order(series, column);
    if (!*changed)
        return 0;
    const uint64_t first = td_series_first(series), count = td_series_count(series) - first;
    int rc = first ? 1 : sort_runs(series, column);
    if (rc > 0 && !first && count >= 2 * BLOCK_ROWS) {
        rc = sort_blocks(series, column);
        rc = rc < 0 ? rc : sort_runs(series, column);
    }
    if (rc <= 0)
        return rc;
    const size_t bytes = count * sizeof(struct sort_item);
    struct sort_item *items = td_work_take(series->store, bytes), *spare = td_work_take(series->store, bytes);
    if (items)
        list_items(series, column, first, items, count);
    rc = items && spare ? apply_order(series, td_trace_merge_sort_(items, spare, count)) : TD_E_NOMEM;
    td_work_give_back(series->store, items, bytes);
    td_work_give_back(series->store, spare, bytes);
    return rc;
}
