#include "host/trace/series.h"

#include "host/trace/packed_slabs.h"

#include <string.h>
#include <sys/mman.h>

#define ROW_MASK (TD_SERIES_ROWS - 1)
#define TURNS    8u /* of a raw chunk, 3 bits */

#define LINE_ROWS 16u /* of a chunk whose columns may be packed relative to a line, at least */

/* A series' first raw chunk has room for 1 row, the next ones for 16, 64 and 256. The first is that small
 * because a track has a series for each depth of its zones, and most depths of a deep recursion have one
 * zone. An entry codes the room in two bits. */
#define TAIL_LOG2_FIRST 0u

static unsigned larger_log2(unsigned log2_rows)
{
    return log2_rows ? log2_rows + 2 : 4;
}

static uintptr_t raw_entry(const int64_t *raw, unsigned log2_rows, unsigned turn)
{
    unsigned room = log2_rows ? log2_rows / 2 - 1 : 0;
    return (uintptr_t)raw | turn << 3 | room << 1 | TD_SERIES_RAW;
}

static unsigned raw_log2(uintptr_t entry)
{
    unsigned room = entry >> 1 & 3;
    return room ? 2 * room + 2 : 0;
}

_Static_assert(TD_SERIES_LOG2_ROWS == 8, "the largest room is a whole chunk");

static int64_t *raw_of(uintptr_t entry)
{
    return (int64_t *)(entry & ~(uintptr_t)63);
}

static unsigned raw_turn(uintptr_t entry)
{
    return entry >> 3 & (TURNS - 1);
}

static size_t raw_integers(const struct td_series *s, unsigned log2_rows)
{
    return (size_t)s->columns << log2_rows;
}

/* The chunk's entry in the directory, made if missing. NULL: no memory. */
static uintptr_t *place_of(struct td_series *s, uint64_t chunk)
{
    if (!chunk)
        return &s->first;
    uint64_t at;
    unsigned k = td_series_segment_(chunk, &at);
    if (k > TD_SERIES_SEGMENTS)
        return NULL;
    if (!s->segments) {
        uintptr_t **segments = td_store_alloc(s->store, TD_SERIES_SEGMENTS * sizeof *segments);
        if (!segments)
            return NULL;
        memset(segments, 0, TD_SERIES_SEGMENTS * sizeof *segments);
        __atomic_store_n(&s->segments, segments, __ATOMIC_RELEASE);
    }
    if (!s->segments[k - 1]) {
        uintptr_t *segment = td_store_alloc_sparse(s->store, sizeof *segment << 2 * k);
        if (!segment)
            return NULL;
        __atomic_store_n(&s->segments[k - 1], segment, __ATOMIC_RELEASE);
    }
    return &s->segments[k - 1][at];
}

static void set_entry(uintptr_t *place, uintptr_t entry)
{
    __atomic_store_n(place, entry, __ATOMIC_RELEASE);
}

void td_series_init(struct td_series *s, struct td_store *store, unsigned columns, unsigned loose)
{
    *s = (struct td_series){.store = store, .columns = (uint8_t)columns, .loose = (uint8_t)loose};
}

static size_t header_bytes(const struct td_series *s)
{
    return s->columns * (sizeof(int64_t) + sizeof(uint32_t));
}

/* How a column of a chunk is packed. */
struct packing {
    const int64_t *values; /* of the raw chunk, or `lowered` */
    int64_t base;
    unsigned width, line;
};

_Static_assert(TD_SERIES_COLUMNS *(sizeof(int64_t) + sizeof(uint32_t) + sizeof(int64_t) * TD_SERIES_ROWS) <
                   1u << 16,
               "offsets have 16 bits");
_Static_assert(TD_SERIES_ROWS <= TD_PACK_LINE_ROWS, "all rows of a chunk have a place on its line");

/* Uses a line if the values rise and it saves bytes. */
static void choose_packing(struct packing *p, const int64_t *values, unsigned rows, int64_t *lowered)
{
    int64_t most;
    td_pack_span(values, rows, &p->base, &most);
    const uint64_t span = (uint64_t)most - (uint64_t)p->base;
    p->values = values;
    p->width = td_pack_width(span);
    p->line = 0;
    if (!p->width || rows < LINE_ROWS || values[rows - 1] <= values[0])
        return;
    const uint64_t rise = (uint64_t)values[rows - 1] - (uint64_t)values[0];
    const unsigned line = rise > span / 2 ? td_pack_step(rise, rows) : 0;
    if (!line)
        return;
    int64_t least;
    td_pack_lower(lowered, values, rows, line);
    td_pack_span(lowered, rows, &least, &most);
    const unsigned width = td_pack_width((uint64_t)most - (uint64_t)least);
    if (width < p->width)
        *p = (struct packing){lowered, least, width, line};
}

/* Packs a raw chunk into a new one, while readers may still use the raw one. Returns its entry; 0: no
 * memory. */
static uintptr_t pack_chunk(const struct td_series *s, const int64_t *raw, unsigned log2_rows, unsigned rows)
{
    struct packing packing[TD_SERIES_COLUMNS];
    int64_t lowered[TD_SERIES_COLUMNS][TD_SERIES_ROWS];
    unsigned slack = 0;
    size_t at = header_bytes(s), bytes = at;
    for (unsigned c = 0; c < s->columns; c++) {
        choose_packing(&packing[c], raw + ((size_t)c << log2_rows), rows, lowered[c]);
        bytes += (size_t)packing[c].width * rows;
        slack = packing[c].width ? TD_PACK_SLACK : slack;
    }
    struct td_packed_slab *slab;
    int64_t *bases = td_store_take_packed(s->store, bytes + slack, &slab);
    if (!bases)
        return 0;
    uint32_t *places = (uint32_t *)(bases + s->columns);
    for (unsigned c = 0; c < s->columns; c++) {
        const struct packing *p = &packing[c];
        bases[c] = p->base;
        places[c] = (uint32_t)p->line << 20 | (uint32_t)at << 4 | p->width;
        td_pack((uint8_t *)bases + at, p->values, rows, p->base, p->width);
        at += (size_t)p->width * rows;
    }
    if (slab)
        td_packed_filled(slab);
    return (uintptr_t)bases;
}

/* The bytes that pack_chunk() has allocated. */
static uint64_t packed_bytes(const struct td_series *s, uintptr_t entry, unsigned rows)
{
    const uint32_t *places = (const uint32_t *)((const int64_t *)entry + s->columns);
    uint64_t bytes = 0;
    for (unsigned c = 0; c < s->columns; c++)
        bytes += (uint64_t)td_series_width_(places[c]) * rows;
    return header_bytes(s) + bytes + (bytes ? TD_PACK_SLACK : 0);
}

static void set_tail(struct td_series *s, uintptr_t *place, int64_t *raw, unsigned log2_rows)
{
    set_entry(place, raw_entry(raw, log2_rows, s->tail_turn));
    s->tail = raw;
    s->tail_log2 = (uint8_t)log2_rows;
}

/* Replaces the tail by one with more room. */
static int grow_tail(struct td_series *s, uintptr_t *place)
{
    int64_t *old = s->tail;
    unsigned old_log2 = s->tail_log2, log2 = larger_log2(old_log2);
    int64_t *raw = td_store_raw(s->store, raw_integers(s, log2));
    if (!raw)
        return TD_E_NOMEM;
    for (unsigned c = 0; c < s->columns; c++) {
        for (size_t i = 0; i < s->tail_rows; i++)
            __atomic_store_n(raw + ((size_t)c << log2) + i, old[((size_t)c << old_log2) + i],
                             __ATOMIC_RELAXED);
    }
    set_tail(s, place, raw, log2);
    td_store_give_back(s->store, old, raw_integers(s, old_log2));
    return 0;
}

/* Packs the tail and reuses its buffer for the next one. A reader that still uses the buffer for the old
 * rows, and loads a value of the new ones, must then see the directory's new entry: hence the fence. */
static int reuse_tail(struct td_series *s, uintptr_t *place, uintptr_t *next)
{
    uintptr_t packed = pack_chunk(s, s->tail, s->tail_log2, s->tail_rows);
    if (!packed)
        return TD_E_NOMEM;
    set_entry(place, packed);
    td_store_fence_();
    s->tail_turn = 0;
    set_tail(s, next, s->tail, s->tail_log2);
    return 0;
}

static int new_tail(struct td_series *s, uintptr_t *place, unsigned log2)
{
    int64_t *raw = td_store_raw(s->store, raw_integers(s, log2));
    if (!raw)
        return TD_E_NOMEM;
    s->tail_turn = 0;
    set_tail(s, place, raw, log2);
    return 0;
}

/* Makes a chunk that was packed before it was full the raw tail again. */
static int unsettle(struct td_series *s, uintptr_t *place)
{
    unsigned log2 = TAIL_LOG2_FIRST, rows = (unsigned)(s->count & ROW_MASK);
    while (rows >= 1u << log2)
        log2 = larger_log2(log2);
    int64_t *raw = td_store_raw(s->store, raw_integers(s, log2)), values[TD_SERIES_ROWS];
    if (!raw)
        return TD_E_NOMEM;
    for (unsigned c = 0; c < s->columns; c++) {
        td_series_read(s, c, s->count - rows, rows, values);
        for (size_t i = 0; i < rows; i++)
            __atomic_store_n(raw + ((size_t)c << log2) + i, values[i], __ATOMIC_RELAXED);
    }
    s->tail_turn++;
    s->tail_rows = rows;
    set_tail(s, place, raw, log2);
    return 0;
}

/* ---- chunks of loose series ---- */

/* A raw chunk that was packed before has memory that is not given back, unless the store recycles. */
static bool is_kept_raw(const struct td_series *s, uintptr_t entry)
{
    return s->loose && raw_turn(entry) && !td_store_recycles(s->store);
}

static void give_back_raw(struct td_series *s, uintptr_t entry)
{
    if (!is_kept_raw(s, entry))
        td_store_give_back(s->store, raw_of(entry), raw_integers(s, raw_log2(entry)));
}

/* Packs the chunk before the last `loose` ones in front of chunk `number`, once. Without memory it stays raw. */
static void pack_old(struct td_series *s, uint64_t number)
{
    const uint64_t chunk = number - 1 - s->loose;
    if (number <= s->loose || !td_store_spills_early(s->store) ||
        chunk < td_series_first(s) >> TD_SERIES_LOG2_ROWS)
        return;
    const uintptr_t entry = td_series_entry_(s, chunk);
    const uintptr_t packed =
        entry & TD_SERIES_RAW ? pack_chunk(s, raw_of(entry), raw_log2(entry), TD_SERIES_ROWS) : 0;
    if (!packed)
        return;
    set_entry(place_of(s, chunk), packed);
    give_back_raw(s, entry);
}

/* Makes a packed chunk raw again, until the series is sealed. Returns 0 or TD_E_NOMEM. */
static int unpack_old(struct td_series *s, uint64_t number)
{
    const uintptr_t entry = td_series_entry_(s, number);
    const bool recycles = td_store_recycles(s->store);
    const size_t integers = raw_integers(s, TD_SERIES_LOG2_ROWS);
    int64_t values[TD_SERIES_ROWS];
    int64_t *raw =
        recycles ? td_store_raw(s->store, integers) : td_store_alloc(s->store, sizeof *raw * integers + 64);
    if (!raw)
        return TD_E_NOMEM;
    raw = (int64_t *)(((uintptr_t)raw + 63) & ~(uintptr_t)63);
    for (unsigned c = 0; c < s->columns; c++) {
        td_series_read(s, c, number << TD_SERIES_LOG2_ROWS, TD_SERIES_ROWS, values);
        for (size_t i = 0; i < TD_SERIES_ROWS; i++)
            __atomic_store_n(raw + ((size_t)c << TD_SERIES_LOG2_ROWS) + i, values[i], __ATOMIC_RELAXED);
    }
    set_entry(place_of(s, number), raw_entry(raw, TD_SERIES_LOG2_ROWS, 1));
    td_store_retire(s->store, (void *)entry, packed_bytes(s, entry, TD_SERIES_ROWS));
    return 0;
}

int td_series_make_room_(struct td_series *s)
{
    if (s->sealed)
        return TD_E_USAGE;
    uint64_t number = s->count >> TD_SERIES_LOG2_ROWS;
    uintptr_t *place = place_of(s, number);
    if (!place)
        return TD_E_NOMEM;
    if (s->tail && s->tail_log2 < TD_SERIES_LOG2_ROWS)
        return grow_tail(s, place);
    if (!s->tail && s->count & ROW_MASK)
        return unsettle(s, place);
    int rc = s->tail && !s->loose ? reuse_tail(s, place_of(s, number - 1), place)
                                  : new_tail(s, place, s->count ? TD_SERIES_LOG2_ROWS : TAIL_LOG2_FIRST);
    if (rc == 0)
        s->tail_rows = 0;
    if (rc == 0 && s->loose)
        pack_old(s, number);
    return rc;
}

int td_series_append(struct td_series *s, const int64_t *row)
{
    int rc = td_series_reserve(s);
    if (rc < 0)
        return rc;
    for (unsigned c = 0; c < s->columns; c++)
        td_series_put_(s, c, row[c]);
    td_series_publish_(s);
    return 0;
}

int td_series_set(struct td_series *s, uint64_t index, unsigned column, int64_t value)
{
    uintptr_t entry = td_series_entry_(s, index >> TD_SERIES_LOG2_ROWS);
    if (!(entry & TD_SERIES_RAW) && s->loose && !s->sealed) {
        if (unpack_old(s, index >> TD_SERIES_LOG2_ROWS) < 0)
            return TD_E_NOMEM;
        entry = td_series_entry_(s, index >> TD_SERIES_LOG2_ROWS);
    }
    if (entry & TD_SERIES_RAW)
        __atomic_store_n(raw_of(entry) + ((size_t)column << raw_log2(entry)) + (index & ROW_MASK), value,
                         __ATOMIC_RELAXED);
    return 0;
}

int td_series_settle(struct td_series *s)
{
    if (!s->tail || !s->tail_rows || s->loose || s->tail_turn + 1 == TURNS)
        return 0;
    uintptr_t packed = pack_chunk(s, s->tail, s->tail_log2, s->tail_rows);
    if (!packed)
        return TD_E_NOMEM;
    set_entry(place_of(s, (s->count - 1) >> TD_SERIES_LOG2_ROWS), packed);
    td_store_give_back(s->store, s->tail, raw_integers(s, s->tail_log2));
    s->tail = NULL;
    return 0;
}

int td_series_seal(struct td_series *s)
{
    if (s->sealed)
        return 0;
    uint64_t last = s->count ? (s->count - 1) >> TD_SERIES_LOG2_ROWS : 0;
    for (uint64_t i = s->loose ? td_series_first(s) >> TD_SERIES_LOG2_ROWS : last; s->count && i <= last;
         i++) {
        uintptr_t entry = td_series_entry_(s, i);
        if (!(entry & TD_SERIES_RAW))
            continue;
        unsigned rows = i < last ? TD_SERIES_ROWS : (unsigned)(s->count - (last << TD_SERIES_LOG2_ROWS));
        uintptr_t packed = pack_chunk(s, raw_of(entry), raw_log2(entry), rows);
        if (!packed)
            return TD_E_NOMEM;
        set_entry(place_of(s, i), packed);
        give_back_raw(s, entry);
    }
    s->tail = NULL;
    s->sealed = 1;
    return 0;
}

void td_series_replace(struct td_series *s, const struct td_series *by)
{
    uint64_t chunks = (s->count + TD_SERIES_ROWS - 1) >> TD_SERIES_LOG2_ROWS;
    uint64_t first = td_series_first(s) >> TD_SERIES_LOG2_ROWS;
    for (uint64_t i = first; i < chunks; i++)
        set_entry(place_of(s, i), td_series_entry_(by, i - first));
}

int td_series_repack_(struct td_series *s, uint64_t chunk, const int64_t *values, unsigned rows)
{
    const uintptr_t old = td_series_entry_(s, chunk);
    const uintptr_t packed = pack_chunk(s, values, TD_SERIES_LOG2_ROWS, rows);
    if (!packed)
        return TD_E_NOMEM;
    set_entry(place_of(s, chunk), packed);
    td_store_retire(s->store, (void *)old, packed_bytes(s, old, rows));
    return 0;
}

/* ---- forgetting ---- */

/* Replaces what forgotten rows read as; from now on there are `rows` of them. */
static int renew_blank(struct td_series *s, uint64_t rows, unsigned rising)
{
    struct td_series_blank *old = s->blank, *blank = td_store_alloc_chunk(s->store, sizeof *blank);
    if (!blank)
        return TD_E_NOMEM;
    memset(blank, 0, sizeof *blank);
    blank->rows = rows;
    for (unsigned c = 0; c < s->columns; c++)
        blank->chunk[c] = rising >> c & 1 ? td_series_get(s, rows - 1, c) : 0;
    __atomic_store_n(&s->blank, blank, __ATOMIC_RELEASE);
    td_store_retire(s->store, old, sizeof *old);
    return 0;
}

/* Gives the pages of the directory that have only forgotten entries back to the system: they then read as
 * zeros, which is what their entries are. `end`: the first chunk that is kept. */
static void release_directory(const struct td_series *s, uint64_t begin, uint64_t end)
{
    const uintptr_t page = 4096;
    for (uint64_t chunk = begin ? begin : 1; chunk < end;) {
        uint64_t at;
        unsigned k = td_series_segment_(chunk, &at);
        uint64_t left = (UINT64_C(1) << 2 * k) - at, n = left < end - chunk ? left : end - chunk;
        uintptr_t segment = (uintptr_t)s->segments[k - 1];
        uintptr_t from = (segment + page - 1) & ~(page - 1);
        uintptr_t done = (segment + at * sizeof(uintptr_t)) & ~(page - 1); /* by an earlier call */
        uintptr_t to = (segment + (at + n) * sizeof(uintptr_t)) & ~(page - 1);
        from = done > from ? done : from;
        if (to > from && madvise((void *)from, to - from, MADV_REMOVE) < 0)
            madvise((void *)from, to - from, MADV_DONTNEED);
        chunk += n;
    }
}

void td_series_forget(struct td_series *s, uint64_t row, unsigned rising)
{
    uint64_t first = td_series_first(s) >> TD_SERIES_LOG2_ROWS, end = row >> TD_SERIES_LOG2_ROWS;
    uint64_t last = s->count ? (s->count - 1) >> TD_SERIES_LOG2_ROWS : 0;
    end = end < last ? end : last;
    if (end <= first || s->sealed || renew_blank(s, end << TD_SERIES_LOG2_ROWS, rising) < 0)
        return;
    for (uint64_t i = first; i < end; i++) {
        uintptr_t entry = td_series_entry_(s, i);
        set_entry(place_of(s, i), 0);
        if (entry & TD_SERIES_RAW)
            give_back_raw(s, entry);
        else
            td_store_retire(s->store, (void *)entry, packed_bytes(s, entry, TD_SERIES_ROWS));
    }
    release_directory(s, first, end);
}

static uint64_t chunk_bytes(const struct td_series *s, uintptr_t entry, unsigned rows)
{
    if (entry & TD_SERIES_RAW)
        return raw_integers(s, raw_log2(entry)) * sizeof(int64_t);
    return (packed_bytes(s, entry, rows) + 7) & ~(uint64_t)7;
}

uint64_t td_series_bytes(const struct td_series *s)
{
    uint64_t bytes = 0, count = td_series_count(s);
    uintptr_t *const *segments = __atomic_load_n(&s->segments, __ATOMIC_ACQUIRE);
    bytes += segments ? TD_SERIES_SEGMENTS * sizeof *segments : 0;
    for (unsigned k = 1; segments && k <= TD_SERIES_SEGMENTS; k++)
        bytes += __atomic_load_n(&segments[k - 1], __ATOMIC_RELAXED) ? sizeof(uintptr_t) << 2 * k : 0;
    for (uint64_t first = td_series_first(s); first < count; first += TD_SERIES_ROWS) {
        unsigned rows = count - first < TD_SERIES_ROWS ? (unsigned)(count - first) : TD_SERIES_ROWS;
        bytes += chunk_bytes(s, td_series_entry_(s, first >> TD_SERIES_LOG2_ROWS), rows);
    }
    return bytes;
}

/* Reads a raw chunk, whose buffer may have been given back and reused meanwhile. The caller detects that by
 * reading the directory's entry again: the value is loaded before it (acquire), and a thread that reuses the
 * buffer writes after a fence. */
static int64_t load_raw(uintptr_t entry, unsigned row, unsigned column)
{
    return __atomic_load_n(raw_of(entry) + ((size_t)column << raw_log2(entry)) + row, __ATOMIC_ACQUIRE);
}

int64_t td_series_get_raw_(const struct td_series *s, uint64_t index, unsigned column)
{
    uint64_t number = index >> TD_SERIES_LOG2_ROWS;
    unsigned row = (unsigned)(index & ROW_MASK);
    for (uintptr_t entry = td_series_entry_(s, number), now;; entry = now) {
        if (!(entry & TD_SERIES_RAW))
            return td_series_packed_(s, entry, row, column);
        int64_t value = load_raw(entry, row, column);
        now = td_series_entry_(s, number);
        if (now == entry)
            return value;
    }
}

int64_t td_series_floor(const struct td_series *s, uint64_t index, unsigned column)
{
    const uintptr_t entry = td_series_entry_(s, index >> TD_SERIES_LOG2_ROWS);
    const int64_t *base = (const int64_t *)entry;
    if (entry & TD_SERIES_RAW || td_series_line_(((const uint32_t *)(base + s->columns))[column]))
        return INT64_MIN;
    return base[column];
}

/* Reports to the store that a pass reads this packed chunk. */
static void touch_chunk(const struct td_series *s, uintptr_t entry)
{
    uint32_t last = ((const uint32_t *)((const int64_t *)entry + s->columns))[s->columns - 1];
    td_store_touch_(s->store, td_series_offset_(last) + td_series_width_(last) * TD_SERIES_ROWS);
}

void td_series_touch_(const struct td_series *s, uint64_t chunk)
{
    const uintptr_t entry = td_series_entry_(s, chunk);
    if (!(entry & TD_SERIES_RAW))
        touch_chunk(s, entry);
}

bool td_series_get_packed(const struct td_series *s, uint64_t index, unsigned column,
                          struct td_series_packed *packed)
{
    const uint64_t number = index >> TD_SERIES_LOG2_ROWS;
    const uintptr_t entry = td_series_entry_(s, number);
    const int64_t *base = (const int64_t *)entry;
    if (entry & TD_SERIES_RAW)
        return false;
    const uint32_t place = ((const uint32_t *)(base + s->columns))[column];
    if (td_series_line_(place))
        return false;
    touch_chunk(s, entry);
    *packed = (struct td_series_packed){base[column], td_series_width_(place),
                                        (const uint8_t *)entry + td_series_offset_(place)};
    return true;
}

void td_series_row(const struct td_series *s, uint64_t index, int64_t *values)
{
    uint64_t number = index >> TD_SERIES_LOG2_ROWS;
    unsigned row = (unsigned)(index & ROW_MASK);
    for (uintptr_t entry = td_series_entry_(s, number), now;; entry = now) {
        if (!(entry & TD_SERIES_RAW)) {
            if (!row)
                touch_chunk(s, entry);
            for (unsigned c = 0; c < s->columns; c++)
                values[c] = td_series_packed_(s, entry, row, c);
            return;
        }
        for (unsigned c = 0; c < s->columns; c++)
            values[c] = load_raw(entry, row, c);
        now = td_series_entry_(s, number);
        if (now == entry)
            return;
    }
}

static void read_packed(const struct td_series *s, uintptr_t entry, unsigned column, unsigned first,
                        unsigned count, int64_t *values)
{
    const int64_t *base = (const int64_t *)entry;
    uint32_t place = ((const uint32_t *)(base + s->columns))[column];
    unsigned width = td_series_width_(place);
    touch_chunk(s, entry);
    td_pack_expand(values, (const uint8_t *)entry + td_series_offset_(place) + (size_t)first * width, count,
                   base[column], width);
    if (td_series_line_(place))
        td_pack_raise(values, first, count, td_series_line_(place));
}

static void read_chunk(const struct td_series *s, uint64_t number, unsigned column, unsigned first,
                       unsigned count, int64_t *values)
{
    for (uintptr_t entry = td_series_entry_(s, number), now;; entry = now) {
        if (!(entry & TD_SERIES_RAW)) {
            read_packed(s, entry, column, first, count, values);
            return;
        }
        for (unsigned i = 0; i < count; i++)
            values[i] = load_raw(entry, first + i, column);
        now = td_series_entry_(s, number);
        if (now == entry)
            return;
    }
}

void td_series_read(const struct td_series *s, unsigned column, uint64_t first, uint64_t count,
                    int64_t *values)
{
    while (count) {
        unsigned row = (unsigned)(first & ROW_MASK), n = TD_SERIES_ROWS - row;
        n = n < count ? n : (unsigned)count;
        read_chunk(s, first >> TD_SERIES_LOG2_ROWS, column, row, n, values);
        first += n;
        values += n;
        count -= n;
    }
}
