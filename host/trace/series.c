#include "host/trace/series.h"

#include <string.h>

#define TAIL_LOG2_FIRST 4u /* rows of a series' first raw chunk */

static unsigned log2_ceil(unsigned n)
{
    return n <= 1 ? 0 : 32u - (unsigned)__builtin_clz(n - 1);
}

/* Integers of a raw chunk with room for 1 << log2_rows rows, as a power of two. */
static unsigned raw_log2(const struct td_series *s, unsigned log2_rows)
{
    return log2_rows + log2_ceil(s->columns);
}

/* The place of a chunk in the directory: segment k begins at chunk 4 * (2^k - 1). */
static unsigned segment_of(uint64_t chunk, uint64_t *at)
{
    unsigned k = 63u - (unsigned)__builtin_clzll(chunk / 4 + 1);
    *at = chunk - 4 * ((UINT64_C(1) << k) - 1);
    return k;
}

static const struct td_series_chunk *chunk_of(const struct td_series *s, uint64_t chunk)
{
    uint64_t at;
    unsigned k = segment_of(chunk, &at);
    struct td_series_chunk **segment = __atomic_load_n(&s->segments[k], __ATOMIC_ACQUIRE);
    return __atomic_load_n(&segment[at], __ATOMIC_ACQUIRE);
}

static int set_chunk(struct td_series *s, uint64_t chunk, struct td_series_chunk *to)
{
    uint64_t at;
    unsigned k = segment_of(chunk, &at);
    if (!s->segments[k]) {
        size_t bytes = (UINT64_C(4) << k) * sizeof(struct td_series_chunk *);
        struct td_series_chunk **segment = td_store_alloc(s->store, bytes);
        if (!segment)
            return -1;
        memset(segment, 0, bytes);
        __atomic_store_n(&s->segments[k], segment, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&s->segments[k][at], to, __ATOMIC_RELEASE);
    return 0;
}

void td_series_init(struct td_series *s, struct td_store *store, unsigned columns, int loose)
{
    memset(s, 0, sizeof *s);
    s->store = store;
    s->columns = (uint8_t)columns;
    s->loose = loose != 0;
}

static unsigned width_of(uint64_t span)
{
    return span ? (71u - (unsigned)__builtin_clzll(span)) / 8 : 0;
}

static void pack_column(uint8_t *to, const int64_t *from, unsigned rows, int64_t base, unsigned width)
{
    /* Each store writes 8 bytes of which the next overwrites the rest; the chunk ends with room for them. */
    for (unsigned i = 0; width && i < rows; i++) {
        uint64_t value = (uint64_t)from[i] - (uint64_t)base;
        memcpy(to + (size_t)i * width, &value, sizeof value);
    }
}

static struct td_series_chunk *pack(struct td_series *s, const int64_t *raw, unsigned log2_rows,
                                    unsigned rows)
{
    int64_t base[TD_SERIES_COLUMNS];
    unsigned width[TD_SERIES_COLUMNS];
    size_t header = sizeof(struct td_series_chunk) + s->columns * sizeof(struct td_series_column);
    size_t bytes = header;
    for (unsigned c = 0; c < s->columns; c++) {
        const int64_t *column = raw + ((size_t)c << log2_rows);
        int64_t least = column[0], most = column[0];
        for (unsigned i = 1; i < rows; i++) {
            least = column[i] < least ? column[i] : least;
            most = column[i] > most ? column[i] : most;
        }
        base[c] = least;
        width[c] = width_of((uint64_t)most - (uint64_t)least);
        bytes += (size_t)width[c] * rows;
    }
    struct td_series_chunk *chunk = td_store_alloc(s->store, bytes + 8);
    if (!chunk)
        return NULL;
    *chunk = (struct td_series_chunk){.rows = rows};
    size_t at = header;
    for (unsigned c = 0; c < s->columns; c++) {
        chunk->columns[c] = (struct td_series_column){base[c], (uint32_t)at, width[c]};
        pack_column((uint8_t *)chunk + at, raw + ((size_t)c << log2_rows), rows, base[c], width[c]);
        at += (size_t)width[c] * rows;
    }
    return chunk;
}

static struct td_series_chunk *raw_chunk(struct td_series *s, unsigned log2_rows)
{
    struct td_series_chunk *chunk = td_store_alloc(s->store, sizeof *chunk);
    int64_t *raw = chunk ? td_store_raw(s->store, raw_log2(s, log2_rows)) : NULL;
    if (!raw)
        return NULL;
    *chunk = (struct td_series_chunk){.raw = raw, .log2_rows = log2_rows};
    return chunk;
}

static int new_tail(struct td_series *s, uint64_t number, unsigned log2_rows)
{
    struct td_series_chunk *chunk = raw_chunk(s, log2_rows);
    if (!chunk)
        return -1;
    int64_t *raw = (int64_t *)(uintptr_t)chunk->raw;
    for (unsigned c = 0; c < s->columns; c++) {
        for (uint32_t i = 0; i < s->tail_rows; i++)
            __atomic_store_n(raw + ((size_t)c << log2_rows) + i, s->tail[((size_t)c << s->tail_log2) + i],
                             __ATOMIC_RELAXED);
    }
    if (set_chunk(s, number, chunk) < 0)
        return -1;
    s->tail = raw;
    s->tail_log2 = (uint8_t)log2_rows;
    return 0;
}

int td_series_make_room_(struct td_series *s)
{
    uint64_t number = s->count >> TD_SERIES_LOG2_ROWS;
    if (!s->tail)
        return new_tail(s, number, TAIL_LOG2_FIRST);
    int64_t *old = s->tail;
    unsigned old_log2 = s->tail_log2;
    if (old_log2 < TD_SERIES_LOG2_ROWS) {
        unsigned next = old_log2 + 2 < TD_SERIES_LOG2_ROWS ? old_log2 + 2 : TD_SERIES_LOG2_ROWS;
        if (new_tail(s, number, next) < 0)
            return -1;
        td_store_give_back(s->store, old, raw_log2(s, old_log2));
        return 0;
    }
    if (!s->loose) {
        struct td_series_chunk *packed = pack(s, old, old_log2, s->tail_rows);
        if (!packed || set_chunk(s, number - 1, packed) < 0)
            return -1;
    }
    s->tail_rows = 0;
    if (new_tail(s, number, TD_SERIES_LOG2_ROWS) < 0) {
        s->tail = NULL;
        return -1;
    }
    if (!s->loose)
        td_store_give_back(s->store, old, raw_log2(s, old_log2));
    return 0;
}

int td_series_append(struct td_series *s, const int64_t *row)
{
    if (td_series_reserve(s) < 0)
        return -1;
    for (unsigned c = 0; c < s->columns; c++)
        td_series_put_(s, c, row[c]);
    td_series_publish_(s);
    return 0;
}

void td_series_set(struct td_series *s, uint64_t index, unsigned column, int64_t value)
{
    const struct td_series_chunk *chunk = chunk_of(s, index >> TD_SERIES_LOG2_ROWS);
    int64_t *raw = (int64_t *)(uintptr_t)chunk->raw;
    __atomic_store_n(raw + ((size_t)column << chunk->log2_rows) + (index & (TD_SERIES_ROWS - 1)), value,
                     __ATOMIC_RELAXED);
}

int td_series_seal(struct td_series *s)
{
    if (s->sealed || !s->count)
        return 0;
    uint64_t last = (s->count - 1) >> TD_SERIES_LOG2_ROWS;
    for (uint64_t i = s->loose ? 0 : last; i <= last; i++) {
        const struct td_series_chunk *chunk = chunk_of(s, i);
        if (!chunk->raw)
            continue;
        unsigned rows = i < last ? TD_SERIES_ROWS : (unsigned)(s->count - (last << TD_SERIES_LOG2_ROWS));
        struct td_series_chunk *packed = pack(s, chunk->raw, chunk->log2_rows, rows);
        if (!packed || set_chunk(s, i, packed) < 0)
            return -1;
        td_store_give_back(s->store, (int64_t *)(uintptr_t)chunk->raw, raw_log2(s, chunk->log2_rows));
    }
    s->tail = NULL;
    s->sealed = 1;
    return 0;
}

uint64_t td_series_bytes(const struct td_series *s)
{
    uint64_t bytes = 0, chunks = (td_series_count(s) + TD_SERIES_ROWS - 1) >> TD_SERIES_LOG2_ROWS;
    for (unsigned k = 0; k < TD_SERIES_SEGMENTS; k++)
        bytes += s->segments[k] ? (UINT64_C(4) << k) * sizeof(void *) : 0;
    for (uint64_t i = 0; i < chunks; i++) {
        const struct td_series_chunk *chunk = chunk_of(s, i);
        bytes += sizeof *chunk;
        if (chunk->raw) {
            bytes += (uint64_t)8 << raw_log2(s, chunk->log2_rows);
            continue;
        }
        bytes += s->columns * sizeof chunk->columns[0] + 8;
        for (unsigned c = 0; c < s->columns; c++)
            bytes += (uint64_t)chunk->columns[c].width * chunk->rows;
    }
    return bytes;
}

/* One value of a chunk that is packed. */
static inline int64_t unpack(const struct td_series_chunk *chunk, unsigned column, unsigned row)
{
    const struct td_series_column *c = &chunk->columns[column];
    uint64_t value;
    if (!c->width)
        return c->base;
    memcpy(&value, (const uint8_t *)chunk + c->offset + (size_t)row * c->width, sizeof value);
    return (int64_t)((uint64_t)c->base + (value & (UINT64_MAX >> (64 - 8 * c->width))));
}

/* The buffer of a raw chunk may have been given back while it was read; then the directory says otherwise. */
static int still(const struct td_series *s, uint64_t number, const struct td_series_chunk *chunk)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return chunk_of(s, number) == chunk;
}

int64_t td_series_get(const struct td_series *s, uint64_t index, unsigned column)
{
    uint64_t number = index >> TD_SERIES_LOG2_ROWS;
    unsigned row = (unsigned)(index & (TD_SERIES_ROWS - 1));
    for (;;) {
        const struct td_series_chunk *chunk = chunk_of(s, number);
        if (!chunk->raw)
            return unpack(chunk, column, row);
        int64_t value =
            __atomic_load_n(chunk->raw + ((size_t)column << chunk->log2_rows) + row, __ATOMIC_RELAXED);
        if (still(s, number, chunk))
            return value;
    }
}

void td_series_row(const struct td_series *s, uint64_t index, int64_t *row)
{
    for (unsigned c = 0; c < s->columns; c++)
        row[c] = td_series_get(s, index, c);
}

static void read_chunk(const struct td_series *s, uint64_t number, unsigned column, unsigned first,
                       unsigned count, int64_t *values)
{
    for (;;) {
        const struct td_series_chunk *chunk = chunk_of(s, number);
        if (!chunk->raw) {
            for (unsigned i = 0; i < count; i++)
                values[i] = unpack(chunk, column, first + i);
            return;
        }
        const int64_t *from = chunk->raw + ((size_t)column << chunk->log2_rows) + first;
        for (unsigned i = 0; i < count; i++)
            values[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
        if (still(s, number, chunk))
            return;
    }
}

void td_series_read(const struct td_series *s, unsigned column, uint64_t first, uint64_t count,
                    int64_t *values)
{
    while (count) {
        unsigned row = (unsigned)(first & (TD_SERIES_ROWS - 1)), n = TD_SERIES_ROWS - row;
        n = n < count ? n : (unsigned)count;
        read_chunk(s, first >> TD_SERIES_LOG2_ROWS, column, row, n, values);
        first += n;
        values += n;
        count -= n;
    }
}

uint64_t td_series_after(const struct td_series *s, unsigned column, int64_t value)
{
    uint64_t low = 0, high = td_series_count(s);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (td_series_get(s, middle, column) > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
