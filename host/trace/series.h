/* A series: rows of 64-bit integers, append-only, in chunks of 1024 rows. A chunk that is full is packed: of
 * each column its least value and, for each row, the difference to it in as few bytes (0 to 8) as the chunk
 * needs. So a column that is constant costs nothing, a time some three bytes, and every value is still found
 * without unpacking others.
 *
 * One thread writes; any number of threads read meanwhile, without locks: rows below td_series_count() stay
 * readable at all times. The last row may still be changed by the writer (td_series_set_last()); rows of a
 * series that was made loose may be changed until it is sealed. */
#ifndef TD_HOST_TRACE_SERIES_H
#define TD_HOST_TRACE_SERIES_H
#include "host/trace/store.h"

#define TD_SERIES_LOG2_ROWS 10u
#define TD_SERIES_ROWS      (1u << TD_SERIES_LOG2_ROWS) /* of a chunk */
#define TD_SERIES_COLUMNS   12u                         /* at most */
#define TD_SERIES_SEGMENTS  26u                         /* of the directory: 4, 8, 16 ... chunks */

struct td_series_column {
    int64_t base;
    uint32_t offset; /* of its bytes from the chunk's begin */
    uint32_t width;  /* bytes a row, 0..8 */
};

/* A chunk as readers find it. Raw: `columns` are unused, column c begins at raw + (c << log2_rows). */
struct td_series_chunk {
    const int64_t *raw; /* NULL: packed */
    uint32_t log2_rows; /* room for rows, when raw */
    uint32_t rows;      /* when packed */
    struct td_series_column columns[];
};

struct td_series {
    struct td_store *store;
    uint64_t count;                                        /* atomic: rows that readers may see */
    struct td_series_chunk **segments[TD_SERIES_SEGMENTS]; /* atomic, as the entries are */
    uint8_t columns, loose, sealed;
    /* The writer's: the tail, a raw chunk. */
    uint8_t tail_log2; /* room for rows in it */
    uint32_t tail_rows;
    int64_t *tail;
};

/* `columns` 1..TD_SERIES_COLUMNS. `loose`: rows stay changeable (and unpacked) until td_series_seal().
 * Nothing is allocated before the first row. There is no free: the store owns everything. */
void td_series_init(struct td_series *series, struct td_store *store, unsigned columns, int loose);
/* Appends a row of `columns` integers. 0 or -1: no memory. */
int td_series_append(struct td_series *series, const int64_t *row);
/* Makes sure that td_series_push_() has room: 0 or -1. */
int td_series_make_room_(struct td_series *series);
/* Changes a row that may be changed. */
void td_series_set(struct td_series *series, uint64_t index, unsigned column, int64_t value);
/* Packs what is raw; no rows may follow. 0, or -1: no memory (then it stays raw, and readable). */
int td_series_seal(struct td_series *series);
/* Bytes that the series occupies (chunks, directory). */
uint64_t td_series_bytes(const struct td_series *series);

static inline uint64_t td_series_count(const struct td_series *series)
{
    return __atomic_load_n(&series->count, __ATOMIC_ACQUIRE);
}
/* Index must be below the count, column below `columns`. */
int64_t td_series_get(const struct td_series *series, uint64_t index, unsigned column);
/* A whole row. */
void td_series_row(const struct td_series *series, uint64_t index, int64_t *row);
/* `count` values of one column from row `first` on. */
void td_series_read(const struct td_series *series, unsigned column, uint64_t first, uint64_t count,
                    int64_t *values);
/* First row whose value in `column`, which must never fall from row to row, is greater than `value`; the
 * count if there is none: O(log n). */
uint64_t td_series_after(const struct td_series *series, unsigned column, int64_t value);

/* For writers that append millions: room for one row in the tail, column c at
 * series->tail + (c << series->tail_log2) + series->tail_rows. Fill all columns with td_series_put_(), then
 * td_series_publish_(). NULL-free: returns 0, or -1: no memory. */
static inline int td_series_reserve(struct td_series *series)
{
    if (__builtin_expect(series->tail && series->tail_rows < (1u << series->tail_log2), 1))
        return 0;
    return td_series_make_room_(series);
}
static inline void td_series_put_(struct td_series *series, unsigned column, int64_t value)
{
    __atomic_store_n(series->tail + ((size_t)column << series->tail_log2) + series->tail_rows, value,
                     __ATOMIC_RELAXED);
}
static inline void td_series_publish_(struct td_series *series)
{
    series->tail_rows++;
    __atomic_store_n(&series->count, series->count + 1, __ATOMIC_RELEASE);
}
/* The last row, which must exist. */
static inline void td_series_set_last(struct td_series *series, unsigned column, int64_t value)
{
    __atomic_store_n(series->tail + ((size_t)column << series->tail_log2) + series->tail_rows - 1, value,
                     __ATOMIC_RELAXED);
}
static inline int64_t td_series_get_last(const struct td_series *series, unsigned column)
{
    return series->tail[((size_t)column << series->tail_log2) + series->tail_rows - 1];
}
#endif
