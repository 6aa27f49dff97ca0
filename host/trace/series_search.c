/* Binary search in a series. */
#include "host/base/sorted.h"
#include "host/trace/series.h"

#define ROW_MASK (TD_SERIES_ROWS - 1)

/* The first value of a chunk's column. */
static int64_t first_of(const struct td_series *s, uint64_t number, unsigned column)
{
    uintptr_t entry = td_series_entry_(s, number);
    return entry & TD_SERIES_RAW ? td_series_get_raw_(s, number << TD_SERIES_LOG2_ROWS, column)
                                 : td_series_packed_(s, entry, 0, column);
}

/* How many of a packed chunk's rows have values not greater than `value`. */
static unsigned rows_until(const struct td_series *s, uintptr_t entry, unsigned column, unsigned rows,
                           int64_t value)
{
    unsigned low = 0;
    while (rows) {
        unsigned half = rows / 2;
        int greater = td_series_packed_(s, entry, low + half, column) > value;
        low = greater ? low : low + half + 1;
        rows = greater ? half : rows - half - 1;
    }
    return low;
}

static uint64_t after_in_chunk(const struct td_series *s, uint64_t number, unsigned column, unsigned rows,
                               int64_t value)
{
    uint64_t first = number << TD_SERIES_LOG2_ROWS, low = first, high = first + rows;
    uintptr_t entry = td_series_entry_(s, number);
    if (!(entry & TD_SERIES_RAW))
        return first + rows_until(s, entry, column, rows, value);
    TD_BISECT(low, high, middle, td_series_get_raw_(s, middle, column) <= value);
    return low;
}

uint64_t td_series_after(const struct td_series *s, unsigned column, int64_t value)
{
    uint64_t count = td_series_count(s), chunks = (count + ROW_MASK) >> TD_SERIES_LOG2_ROWS;
    uint64_t low = 0, high = chunks; /* finds the first chunk that begins with a greater value */
    TD_BISECT(low, high, middle, first_of(s, middle, column) <= value);
    if (!low)
        return 0;
    uint64_t left = count - ((low - 1) << TD_SERIES_LOG2_ROWS);
    return after_in_chunk(s, low - 1, column, left < TD_SERIES_ROWS ? (unsigned)left : TD_SERIES_ROWS, value);
}
