/* A series: rows of 64-bit integers, append-only, in chunks of TD_SERIES_ROWS rows. A chunk that is full is
 * packed: of each column its least value and, for each row, the difference to it in as few bytes (0 to 8) as
 * the chunk needs. So a column that is constant costs nothing, a time some three bytes, and every value is
 * still found without unpacking others.
 *
 * One thread writes; any number of threads read meanwhile, without locks: rows below td_series_count() stay
 * readable at all times. The last row may still be changed by the writer (td_series_set_last()); rows of a
 * series that was made loose may be changed until it is sealed. Different series of a store may have
 * different writers. When there is no memory, a call fails and what was written stays as it was: readable,
 * and the same call may be tried again. */
#ifndef TD_HOST_TRACE_SERIES_H
#define TD_HOST_TRACE_SERIES_H
#include "host/trace/pack.h"
#include "host/trace/store.h"

#define TD_SERIES_LOG2_ROWS 8u
#define TD_SERIES_ROWS      (1u << TD_SERIES_LOG2_ROWS) /* of a chunk */
#define TD_SERIES_COLUMNS   12u                         /* at most */
#define TD_SERIES_SEGMENTS  13u                         /* of the directory: 4, 16, 64 ... chunks */

/* What the directory has for a chunk: the address of a packed chunk, or that of a raw one (column c begins at
 * c << log2 of its room for rows) with TD_SERIES_RAW, the room (1, 16, 64 or 256 rows) and a turn in the low
 * bits, so that a chunk never has the same raw entry twice. */
#define TD_SERIES_RAW 1u

struct td_series {
    struct td_store *store;
    uint64_t count;       /* atomic: rows that readers may see */
    uintptr_t first;      /* atomic: chunk 0 */
    uintptr_t **segments; /* atomic, as the segments and their entries are; NULL: no further chunks */
    uint8_t columns, loose, sealed;
    /* The writer's: the tail, a raw chunk. */
    uint8_t tail_log2; /* room for rows in it */
    uint8_t tail_turn; /* how often its chunk was packed and then raw again */
    uint32_t tail_rows;
    int64_t *tail;
};

/* `columns` 1..TD_SERIES_COLUMNS. `loose`: rows stay changeable (and unpacked) until td_series_seal().
 * Nothing is allocated before the first row. There is no free: the store owns everything. */
void td_series_init(struct td_series *series, struct td_store *store, unsigned columns, int loose);
/* Of a loose series without rows: it is none, because its rows will stay as they are appended. */
static inline void td_series_tighten(struct td_series *series)
{
    series->loose = 0;
}
/* Appends a row of `columns` integers. 0 or -1: no memory. */
int td_series_append(struct td_series *series, const int64_t *row);
/* Makes sure that td_series_publish_() has room: 0 or -1. */
int td_series_make_room_(struct td_series *series);
/* Changes a row that may be changed. */
void td_series_set(struct td_series *series, uint64_t index, unsigned column, int64_t value);
/* Packs what is raw; no rows may follow, and none be changed. 0, or -1: no memory (then some stays raw, all
 * readable; call again). */
int td_series_seal(struct td_series *series);
/* Packs what is raw although rows may follow, for when that may take long or never happen. Then the last row
 * can be neither changed nor had with td_series_get_last() before the next one is appended. Does nothing to
 * a loose series. 0, or -1: no memory, and all is as it was. */
int td_series_settle(struct td_series *series);
/* The rows of `by` in the place of as many others, chunk by chunk; both must be sealed. Readers meanwhile
 * find in each chunk the old rows or the new ones. */
void td_series_replace(struct td_series *series, const struct td_series *by);
/* Lets rows follow after a seal, for what adds to a trace that was read; not for loose series. */
static inline void td_series_reopen(struct td_series *series)
{
    series->sealed = 0;
}
/* No rows any more: for what writes a table of a trace anew, which nobody else reads meanwhile. */
static inline void td_series_clear(struct td_series *series)
{
    td_series_init(series, series->store, series->columns, series->loose);
}
/* Bytes that the series occupies (chunks, directory). */
uint64_t td_series_bytes(const struct td_series *series);

static inline uint64_t td_series_count(const struct td_series *series)
{
    return __atomic_load_n(&series->count, __ATOMIC_ACQUIRE);
}
/* The place of a chunk in the directory: segment k begins at chunk (4^k - 1) / 3, number 0 stands in the
 * series itself. */
static inline unsigned td_series_segment_(uint64_t chunk, uint64_t *at)
{
    unsigned k2 = (63u - (unsigned)__builtin_clzll(3 * chunk + 1)) & ~1u;
    *at = chunk - (UINT64_C(0x5555555555555555) & ((UINT64_C(1) << k2) - 1));
    return k2 / 2;
}
static inline uintptr_t td_series_entry_(const struct td_series *series, uint64_t chunk)
{
    if (!chunk)
        return __atomic_load_n(&series->first, __ATOMIC_ACQUIRE);
    uint64_t at;
    unsigned k = td_series_segment_(chunk, &at);
    uintptr_t *const *segments = __atomic_load_n(&series->segments, __ATOMIC_ACQUIRE);
    const uintptr_t *segment = __atomic_load_n(&segments[k - 1], __ATOMIC_ACQUIRE);
    return __atomic_load_n(&segment[at], __ATOMIC_ACQUIRE);
}
/* A packed chunk: the columns' bases, where their bytes begin and how wide they are, the bytes. */
static inline int64_t td_series_packed_(const struct td_series *series, uintptr_t entry, unsigned row,
                                        unsigned column)
{
    const int64_t *base = (const int64_t *)entry;
    uint32_t place = ((const uint32_t *)(base + series->columns))[column];
    return td_pack_get((const uint8_t *)entry + (place >> 4), row, base[column], place & 15);
}
int64_t td_series_get_raw_(const struct td_series *series, uint64_t index, unsigned column);

/* Index must be below the count, column below `columns`. */
static inline int64_t td_series_get(const struct td_series *series, uint64_t index, unsigned column)
{
    uintptr_t entry = td_series_entry_(series, index >> TD_SERIES_LOG2_ROWS);
    if (__builtin_expect((entry & TD_SERIES_RAW) != 0, 0))
        return td_series_get_raw_(series, index, column);
    return td_series_packed_(series, entry, (unsigned)(index & (TD_SERIES_ROWS - 1)), column);
}
/* A whole row. */
void td_series_row(const struct td_series *series, uint64_t index, int64_t *row);
/* `count` values of one column from row `first` on: for passes over many rows, some times faster than a
 * td_series_get() each. */
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
/* The same for many rows: how many may be put in one go (after td_series_reserve()), each into the place
 * behind the one before it, and how many were. */
static inline unsigned td_series_room_(const struct td_series *series)
{
    return (1u << series->tail_log2) - series->tail_rows;
}
static inline void td_series_publish_many_(struct td_series *series, unsigned rows)
{
    series->tail_rows += rows;
    __atomic_store_n(&series->count, series->count + rows, __ATOMIC_RELEASE);
}
/* The last row, which must exist, of a series that is not sealed. */
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
