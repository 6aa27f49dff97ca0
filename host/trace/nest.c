/* From arrived zones to rows.
 *
 * The zones of a track arrive in the order of their ends. Read backwards, that order has every parent before
 * its children, so one pass with a stack finds each zone's depth, a second one fills the rows from their
 * ends. */
#include "host/base/grow.h"
#include "host/trace/model.h"

struct parent {
    int64_t start_ns;
    int64_t room_ns; /* where its next (earlier) child must have ended */
    uint32_t first;  /* only zones that arrived from here on can be its children */
    int by_time;     /* its children are those that lie in it; else: all from `first` on */
};

struct nest {
    struct td_trace *trace;
    struct track *track;
    struct parent *stack; /* [0] is the track itself */
    size_t depth, stack_capacity;
    uint32_t *row_zones; /* zones a row */
    uint8_t *row_extras; /* a zone of the row has extras */
    size_t rows, rows_capacity, extras_capacity;
};

static int no_memory(struct td_err *err)
{
    return td_fail(err, TD_E_NOMEM, "out of memory while nesting the zones of the trace");
}

/* Stable merge sort of `count` zones by end. */
static void sort_by_end(struct arrived *zones, struct arrived *spare, size_t count)
{
    struct arrived *from = zones, *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            size_t a = begin, b = middle;
            for (size_t i = begin; i < end; i++) {
                int left = b == end || (a < middle && from[a].end_ns <= from[b].end_ns);
                to[i] = from[left ? a++ : b++];
            }
        }
        struct arrived *swap = from;
        from = to;
        to = swap;
    }
    if (from != zones)
        memcpy(zones, from, count * sizeof *zones);
}

static struct arrived_chunk *one_chunk(size_t zones)
{
    struct arrived_chunk *chunk = malloc(sizeof *chunk + zones * sizeof *chunk->zones);
    if (chunk)
        *chunk = (struct arrived_chunk){.count = (uint32_t)zones, .capacity = (uint32_t)zones};
    return chunk;
}

/* Zones that came out of order: all into one chunk, sorted; nesting then follows from times alone. */
static int sort_track(struct track *track, struct td_err *err)
{
    struct arrived_chunk *all = one_chunk(track->arrived), *spare = one_chunk(track->arrived);
    if (!all || !spare) {
        free(all);
        free(spare);
        return no_memory(err);
    }
    size_t at = track->arrived;
    while (track->last) {
        struct arrived_chunk *chunk = track->last;
        at -= chunk->count;
        memcpy(all->zones + at, chunk->zones, chunk->count * sizeof *chunk->zones);
        track->last = chunk->previous;
        free(chunk);
    }
    for (uint32_t i = 0; i < all->count; i++)
        all->zones[i].span = SPAN_BY_TIME;
    sort_by_end(all->zones, spare->zones, all->count);
    free(spare);
    track->last = all;
    return 0;
}

/* Drops parents that cannot hold the zone that arrived as number `index`. */
static struct parent *find_parent(struct nest *n, const struct arrived *zone, uint32_t index)
{
    for (;; n->depth--) {
        struct parent *p = &n->stack[n->depth];
        if (n->depth == 0)
            return p;
        if (index < p->first)
            continue;
        if (!p->by_time || zone->start_ns >= p->start_ns || zone->end_ns > p->start_ns)
            return p;
    }
}

static int place(struct nest *n, struct arrived *zone, uint32_t index, struct td_err *err)
{
    struct parent *p = find_parent(n, zone, index);
    int64_t start = zone->start_ns, end = zone->end_ns;
    if (end > p->room_ns)
        end = p->room_ns;
    if (start < p->start_ns)
        start = p->start_ns;
    if (start > end)
        start = end;
    n->trace->clamped += start != zone->start_ns || end != zone->end_ns;
    zone->start_ns = start;
    zone->end_ns = end;
    zone->depth = (uint32_t)n->depth;
    p->room_ns = start;

    uint32_t first = zone->span == SPAN_BY_TIME ? p->first : index - zone->span;
    struct parent self = {start, end, first > p->first ? first : p->first, zone->span == SPAN_BY_TIME};
    if (td_grow(&n->stack, &n->stack_capacity, n->depth + 2, sizeof *n->stack) < 0)
        return no_memory(err);
    n->stack[++n->depth] = self;

    if (zone->depth == n->rows) {
        if (td_grow(&n->row_zones, &n->rows_capacity, n->rows + 1, sizeof *n->row_zones) < 0 ||
            td_grow(&n->row_extras, &n->extras_capacity, n->rows + 1, sizeof *n->row_extras) < 0)
            return no_memory(err);
        n->row_zones[n->rows] = 0;
        n->row_extras[n->rows++] = 0;
    }
    n->row_zones[zone->depth]++;
    n->row_extras[zone->depth] |= zone->extra != 0;
    return 0;
}

static int find_depths(struct nest *n, struct td_err *err)
{
    if (td_grow(&n->stack, &n->stack_capacity, 1, sizeof *n->stack) < 0)
        return no_memory(err);
    n->stack[0] = (struct parent){INT64_MIN, TD_OPEN, 0, 0};
    uint32_t index = n->track->arrived;
    for (struct arrived_chunk *chunk = n->track->last; chunk; chunk = chunk->previous) {
        for (uint32_t i = chunk->count; i-- > 0;) {
            int rc = place(n, &chunk->zones[i], --index, err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* One allocation a row: times, then 32-bit fields. */
static int allocate_row(struct row *row, size_t zones, int extras)
{
    char *block = malloc(zones * (2 * sizeof(int64_t) + (extras ? 3 : 2) * sizeof(uint32_t)));
    if (!block)
        return -1;
    row->start_ns = (int64_t *)(void *)block;
    row->end_ns = row->start_ns + zones;
    row->srcloc = (uint32_t *)(void *)(row->end_ns + zones);
    row->child_end = row->srcloc + zones;
    row->extra = extras ? row->child_end + zones : NULL;
    row->count = zones;
    return 0;
}

static int fill_rows(struct nest *n, struct td_err *err)
{
    struct track *track = n->track;
    track->rows = calloc(n->rows ? n->rows : 1, sizeof *track->rows);
    if (!track->rows)
        return no_memory(err);
    track->row_count = (uint32_t)n->rows;
    for (size_t r = 0; r < n->rows; r++) {
        if (allocate_row(&track->rows[r], n->row_zones[r], n->row_extras[r]) < 0)
            return no_memory(err);
    }
    uint32_t *left = n->row_zones; /* places of each row that are still free */
    while (track->last) {
        struct arrived_chunk *chunk = track->last;
        for (uint32_t i = chunk->count; i-- > 0;) {
            const struct arrived *zone = &chunk->zones[i];
            struct row *row = &track->rows[zone->depth];
            uint32_t at = --left[zone->depth];
            row->start_ns[at] = zone->start_ns;
            row->end_ns[at] = zone->end_ns;
            row->srcloc[at] = zone->srcloc;
            row->child_end[at] = zone->depth + 1 < n->rows ? left[zone->depth + 1] : 0;
            if (row->extra)
                row->extra[at] = zone->extra;
        }
        track->last = chunk->previous;
        free(chunk);
    }
    track->zones = track->arrived;
    for (size_t r = 0; r + 1 < n->rows; r++) {
        const struct row *row = &track->rows[r];
        uint32_t before = 0;
        for (size_t i = 0; i < row->count; before = row->child_end[i++])
            track->parents += row->child_end[i] != before;
    }
    return 0;
}

int td_trace_nest_(struct td_trace *trace, struct track *track, struct td_err *err)
{
    if (track->unsorted) {
        trace->clamped++;
        int rc = sort_track(track, err);
        if (rc < 0)
            return rc;
    }
    struct nest n = {.trace = trace, .track = track};
    int rc = find_depths(&n, err);
    if (rc == 0)
        rc = fill_rows(&n, err);
    free(n.stack);
    free(n.row_zones);
    free(n.row_extras);
    return rc;
}
