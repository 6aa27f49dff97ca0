/* A series: an append-only list of rows of 64-bit integers, in chunks of TD_SERIES_ROWS rows. A full chunk is
 * packed: for each column its least value and, for each row, the difference to it in as few bytes (0 to 8) as
 * the chunk needs. A column that rises evenly is packed as the differences to a line. A constant column costs
 * nothing and a time one to three bytes. Any value can be read
 * without unpacking others.
 *
 * One thread writes while any number of threads read without locks: rows below td_series_count() are readable
 * at all times. The writer may change the last row (td_series_set_last()). In a series made loose it may
 * change any row until the series is sealed; its chunks are raw until then, or packed early and made raw again when
 * a row changes. Different series of a store may have different writers. A call
 * that finds no memory fails and changes nothing; it may be repeated.
 *
 * The writer may forget rows from the front, whole chunks at a time (td_series_forget()). The other rows keep
 * their indices. A forgotten row still reads: as zeros, except columns whose values do not decrease, which
 * have the value of the last forgotten row. So binary searches find the kept rows. */
#pragma once
#include "host/base/err.h"
#include "host/trace/pack.h"
#include "host/trace/store.h"
#include <stdbool.h>

#define TD_SERIES_LOG2_ROWS 8u
#define TD_SERIES_ROWS      (1u << TD_SERIES_LOG2_ROWS) /* of a chunk */
#define TD_SERIES_COLUMNS   12u                         /* at most */
#define TD_SERIES_SEGMENTS  13u                         /* of the directory, for 4, 16, 64 ... chunks */

/* A chunk's entry in the directory is the address of a packed chunk, or of a raw one plus low bits:
 * TD_SERIES_RAW, its capacity (1, 16, 64 or 256 rows) and a turn, which makes each raw entry of a chunk
 * unique. Column c of a raw chunk begins at c << log2 of the capacity. */
#define TD_SERIES_RAW 1u

/* What forgotten rows read as: a packed chunk without bytes. Their entries in the directory are 0. */
struct td_series_blank {
    uint64_t rows; /* rows below are forgotten */
    int64_t chunk[TD_SERIES_COLUMNS + TD_SERIES_COLUMNS / 2];
};

struct td_series {
    struct td_store *store;
    uint64_t count;       /* atomic: rows that readers may see */
    uintptr_t first;      /* atomic: chunk 0 */
    uintptr_t **segments; /* atomic, as the segments and their entries are; NULL: no further chunks */
    struct td_series_blank *blank; /* atomic; NULL: no row was forgotten */
    uint8_t columns;
    uint8_t loose; /* 0: it is not; else full chunks that are raw at least */
    uint8_t sealed;
    /* For the writer only: the tail, a raw chunk. */
    uint8_t tail_log2; /* of its capacity in rows */
    uint8_t tail_turn; /* how often its chunk was packed and then raw again */
    uint32_t tail_rows;
    int64_t *tail;
};

/* `columns` 1..TD_SERIES_COLUMNS. `loose`, unless 0: rows stay changeable until td_series_seal(). Where the store
 * spills early, chunks before the last `loose` full ones are packed before: changes of older rows cost more. Nothing is allocated before the first row. There is no free: the store owns everything. */
void td_series_init(struct td_series *series, struct td_store *store, unsigned columns, unsigned loose);
/* Makes a loose series without rows an ordinary one. */
static inline void td_series_tighten(struct td_series *series)
{
    series->loose = 0;
}
/* Appends a row of `columns` integers. Returns 0 or TD_E_NOMEM; TD_E_USAGE: the series is sealed. */
int td_series_append(struct td_series *series, const int64_t *row);
/* Makes room for a row in the tail. Returns 0 or TD_E_NOMEM. */
int td_series_make_room_(struct td_series *series);
/* Changes a value of a row that may be changed (see above). Returns 0, or TD_E_NOMEM: the row is as it was. */
int td_series_set(struct td_series *series, uint64_t index, unsigned column, int64_t value);
/* Packs all raw chunks; afterwards rows can be neither appended nor changed. Returns 0, or TD_E_NOMEM: some
 * chunks are still raw, all are readable, and the call may be repeated. */
int td_series_seal(struct td_series *series);
/* Packs the tail although rows may follow, to save memory when they follow late or never. Until the next row
 * is appended, td_series_set_last() and td_series_get_last() must not be called. Does nothing to a loose
 * series. Returns 0, or TD_E_NOMEM: nothing has changed. */
int td_series_settle(struct td_series *series);
/* Replaces the rows that are not forgotten by those of `by`, which has as many; both must be sealed. Chunks are replaced one by one,
 * so concurrent readers find the old or the new rows in each chunk. */
void td_series_replace(struct td_series *series, const struct td_series *by);
/* Replaces the rows of a packed chunk of a sealed series; column c of `values` begins at c << TD_SERIES_LOG2_ROWS.
 * Returns 0 or TD_E_NOMEM. */
int td_series_repack_(struct td_series *series, uint64_t chunk, const int64_t *values, unsigned rows);
/* Allows appending after a seal, for code that adds to a trace read from a file. Not for loose series. */
static inline void td_series_reopen(struct td_series *series)
{
    series->sealed = 0;
}
/* Removes all rows, to rewrite a table of a trace. No other thread may read it meanwhile. */
static inline void td_series_clear(struct td_series *series)
{
    td_series_init(series, series->store, series->columns, series->loose);
}
/* Forgets the chunks that lie wholly below `row`, without the last chunk of the series, which is not sealed.
 * Forgotten rows then read as zeros, except the columns whose bits are in `rising` (1u << column). The memory
 * is retired (td_store_retire()): a reader on another thread holds a pin (td_trace_pin()) while it reads.
 * Without memory, nothing is forgotten. */
void td_series_forget(struct td_series *series, uint64_t row, unsigned rising);
/* Bytes that the series occupies (chunks, directory). */
uint64_t td_series_bytes(const struct td_series *series);

static inline uint64_t td_series_count(const struct td_series *series)
{
    return __atomic_load_n(&series->count, __ATOMIC_ACQUIRE);
}
/* The place of a chunk in the directory: segment k begins at chunk (4^k - 1) / 3. Chunk 0 has its entry in
 * struct td_series. */
static inline unsigned td_series_segment_(uint64_t chunk, uint64_t *at)
{
    unsigned k2 = (63u - (unsigned)__builtin_clzll(3 * chunk + 1)) & ~1u;
    *at = chunk - (UINT64_C(0x5555555555555555) & ((UINT64_C(1) << k2) - 1));
    return k2 / 2;
}
/* The first row that is not forgotten. */
static inline uint64_t td_series_first(const struct td_series *series)
{
    const struct td_series_blank *blank = __atomic_load_n(&series->blank, __ATOMIC_ACQUIRE);
    return blank ? blank->rows : 0;
}
static inline uintptr_t td_series_entry_(const struct td_series *series, uint64_t chunk)
{
    uintptr_t entry;
    if (!chunk) {
        entry = __atomic_load_n(&series->first, __ATOMIC_ACQUIRE);
    } else {
        uint64_t at;
        unsigned k = td_series_segment_(chunk, &at);
        uintptr_t *const *segments = __atomic_load_n(&series->segments, __ATOMIC_ACQUIRE);
        const uintptr_t *segment = __atomic_load_n(&segments[k - 1], __ATOMIC_ACQUIRE);
        entry = __atomic_load_n(&segment[at], __ATOMIC_ACQUIRE);
    }
    if (__builtin_expect(entry != 0, 1))
        return entry;
    return (uintptr_t)__atomic_load_n(&series->blank, __ATOMIC_ACQUIRE)->chunk;
}
/* A packed chunk is: the base of each column, the place of its bytes, the bytes. A place is the width of an
 * integer (4 bits), the offset of the bytes (16), and the line that the integers are relative to (12, see
 * td_pack_line()). */
static inline unsigned td_series_width_(uint32_t place)
{
    return place & 15;
}
static inline unsigned td_series_offset_(uint32_t place)
{
    return place >> 4 & 0xffff;
}
static inline unsigned td_series_line_(uint32_t place)
{
    return place >> 20;
}
static inline int64_t td_series_packed_(const struct td_series *series, uintptr_t entry, unsigned row,
                                        unsigned column)
{
    const int64_t *base = (const int64_t *)entry;
    uint32_t place = ((const uint32_t *)(base + series->columns))[column];
    int64_t value = td_pack_get((const uint8_t *)entry + td_series_offset_(place), row, base[column],
                                td_series_width_(place));
    return (int64_t)((uint64_t)value + td_pack_line(td_series_line_(place), row));
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
/* No value of the column is less in the chunk that has the row `index`. INT64_MIN: not known. */
int64_t td_series_floor(const struct td_series *series, uint64_t index, unsigned column);
/* Loads the beginning of the chunk of a row that a pass will read soon; the index must be below the count. */
static inline void td_series_prefetch(const struct td_series *series, uint64_t index)
{
    __builtin_prefetch((const void *)td_series_entry_(series, index >> TD_SERIES_LOG2_ROWS));
}
/* Reports to the store that a pass reads this chunk, as td_series_read() and td_series_row() do. */
void td_series_touch_(const struct td_series *series, uint64_t chunk);
/* td_series_get() for a pass over the rows of a series in order. */
static inline int64_t td_series_next(const struct td_series *series, uint64_t index, unsigned column)
{
    if (!(index & (TD_SERIES_ROWS - 1)))
        td_series_touch_(series, index >> TD_SERIES_LOG2_ROWS);
    return td_series_get(series, index, column);
}
/* A column of the packed chunk that has the row `index`, as it is packed: the base plus an integer of `width`
 * bytes for each row. Valid like the chunk. False: the chunk is raw, or the integers are relative to a line. */
struct td_series_packed {
    int64_t base;
    unsigned width;
    const uint8_t *bytes;
};
bool td_series_get_packed(const struct td_series *series, uint64_t index, unsigned column,
                          struct td_series_packed *packed);
/* A whole row. */
void td_series_row(const struct td_series *series, uint64_t index, int64_t *row);
/* Reads `count` values of one column from row `first` on: for passes over many rows, several times faster
 * than td_series_get() for each. */
void td_series_read(const struct td_series *series, unsigned column, uint64_t first, uint64_t count,
                    int64_t *values);
/* The first row whose value in `column` is greater than `value`; the count if there is none. O(log n). The
 * column's values must not decrease from row to row. */
uint64_t td_series_after(const struct td_series *series, unsigned column, int64_t value);

/* For writers that append millions of rows: makes room for a row in the tail. Then fill all columns with
 * td_series_put_() and call td_series_publish_(). Returns 0 or TD_E_NOMEM. */
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
/* For many rows at once: after td_series_reserve(), how many rows fit in the tail one after the other; and
 * publishing those that were put there. */
static inline unsigned td_series_room_(const struct td_series *series)
{
    return (1u << series->tail_log2) - series->tail_rows;
}
static inline void td_series_publish_many_(struct td_series *series, unsigned rows)
{
    series->tail_rows += rows;
    __atomic_store_n(&series->count, series->count + rows, __ATOMIC_RELEASE);
}
/* The last row, which must exist, of a series that is not sealed. A reader that sees the value also sees what
 * was stored before. */
static inline void td_series_set_last(struct td_series *series, unsigned column, int64_t value)
{
    __atomic_store_n(series->tail + ((size_t)column << series->tail_log2) + series->tail_rows - 1, value,
                     __ATOMIC_RELEASE);
}
static inline int64_t td_series_get_last(const struct td_series *series, unsigned column)
{
    return series->tail[((size_t)column << series->tail_log2) + series->tail_rows - 1];
}
