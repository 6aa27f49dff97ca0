/* From arrived zones to rows. Zones that overlap others without being in them stay over, for another track.
 *
 * The zones of a track arrive in the order of their ends. Read backwards, every parent comes before its
 * children, so one pass with a stack finds each zone's depth. Read forwards, every zone comes after its
 * children and each row is in order, so a second pass appends to the rows. */
#include "host/base/grow.h"
#include "host/trace/model.h"
#include "host/trace/work.h"

#define WHILE_NESTING "while nesting the zones of the trace"

struct parent {
    int64_t start_ns;
    int64_t room_ns; /* latest end of its next (earlier) child */
    uint64_t first;  /* number of arrival of its first possible child */
    int by_time;     /* 1: its children are those whose times lie in it; 0: all from `first` on */
};

/* Corrected times of a zone. */
struct change {
    uint64_t index;
    int64_t start_ns, end_ns;
};

struct nest {
    struct td_trace *trace;
    struct track *track;
    struct parent *stack; /* [0] is the track itself */
    size_t depth, stack_capacity;
    uint32_t *depth_of;     /* by number of arrival */
    struct change *changes; /* last arrived first */
    size_t change_count, change_capacity;
    uint32_t depths;
    unsigned columns;
    struct rows *rows;
    int64_t *child_end; /* of the last zone of each row */
    uint64_t *inside;   /* of each row: zones in it and below that have no parent yet */
    uint64_t parents;
    bool may_move; /* zones that overlap others go to another line, as they are */
    uint64_t moved;
};
#define ELSEWHERE UINT32_MAX /* as a depth: on another line */

/* Sorts zones that arrived out of order by their ends. Their nesting then follows from times alone. */
static int sort_track(struct td_trace *trace, struct track *track, struct td_err *err)
{
    struct td_store *store = trace->scratch;
    const uint64_t count = track->arrived;
    const size_t all_bytes = (count + TD_SERIES_ROWS) * sizeof(struct arrived),
                 item_bytes = count * sizeof(struct sort_item);
    struct arrived *all = td_work_take(store, all_bytes);
    struct sort_item *items = td_work_take(store, item_bytes), *spare = td_work_take(store, item_bytes),
                     *sorted = NULL;
    int rc = all && items && spare ? 0 : td_fail_no_memory(err, WHILE_NESTING);
    if (rc == 0) {
        for (uint64_t block = 0; block * TD_SERIES_ROWS < count; block++)
            td_trace_arrivals_(track, block, all + block * TD_SERIES_ROWS);
        for (uint64_t i = 0; i < count; i++)
            items[i] = (struct sort_item){all[i].end_ns, i};
        sorted = td_trace_merge_sort_(items, spare, count);
        track->arrived = 0;
    }
    for (uint64_t i = 0; rc == 0 && i < count; i++) {
        struct arrived *zone = &all[sorted[i].row];
        zone->span = SPAN_BY_TIME;
        rc = td_trace_arrive_(trace, track, zone, err);
    }
    td_work_give_back(store, all, all_bytes);
    td_work_give_back(store, items, item_bytes);
    td_work_give_back(store, spare, item_bytes);
    return rc;
}

/* Pops parents until one can hold the zone that arrived as number `index`. */
static struct parent *find_parent(struct nest *n, const struct arrived *zone, uint64_t index)
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

static int add_change(struct nest *n, const struct change *to, struct td_err *err)
{
    td_trace_clamp_(n->trace, 1);
    return TD_APPEND(n->changes, n->change_count, n->change_capacity, *to) < 0
               ? td_fail_no_memory(err, WHILE_NESTING)
               : 0;
}

static int place_zone(struct nest *n, const struct arrived *zone, uint64_t index, struct td_err *err)
{
    struct parent *p = find_parent(n, zone, index);
    int64_t start = zone->start_ns, end = zone->end_ns;
    if (end > p->room_ns)
        end = p->room_ns;
    if (start < p->start_ns)
        start = p->start_ns;
    if (start > end)
        start = end;
    const bool is_same = start == zone->start_ns && end == zone->end_ns;
    if (!is_same && n->may_move) {
        n->depth_of[index] = ELSEWHERE;
        n->moved++;
        return 0;
    }
    if (!is_same && add_change(n, &(struct change){index, start, end}, err) < 0)
        return TD_E_NOMEM;
    p->room_ns = start;

    uint64_t first = zone->span == SPAN_BY_TIME ? p->first : index - zone->span;
    struct parent self = {start, end, first > p->first ? first : p->first, zone->span == SPAN_BY_TIME};
    if (td_grow(&n->stack, &n->stack_capacity, n->depth + 2, sizeof *n->stack) < 0)
        return td_fail_no_memory(err, WHILE_NESTING);
    n->depth_of[index] = (uint32_t)n->depth++;
    n->stack[n->depth] = self;
    if (n->depths < n->depth)
        n->depths = (uint32_t)n->depth;
    return 0;
}

/* The pass backwards. */
static int find_depths(struct nest *n, struct td_err *err)
{
    struct arrived zones[TD_SERIES_ROWS];
    n->depth_of = td_work_take(n->trace->scratch, n->track->arrived * sizeof *n->depth_of);
    if (!n->depth_of || td_grow(&n->stack, &n->stack_capacity, 1, sizeof *n->stack) < 0)
        return td_fail_no_memory(err, WHILE_NESTING);
    n->stack[0] = (struct parent){INT64_MIN, TD_OPEN, 0, 0};
    for (uint64_t block = (n->track->arrived + TD_SERIES_ROWS - 1) / TD_SERIES_ROWS; block-- > 0;) {
        for (unsigned i = td_trace_arrivals_(n->track, block, zones); i-- > 0;) {
            int rc = place_zone(n, &zones[i], block * TD_SERIES_ROWS + i, err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

int td_trace_depths_(struct td_trace *trace, struct arrived *zones, size_t count, uint32_t *depth_of,
                     struct td_err *err)
{
    struct nest n = {.trace = trace, .depth_of = depth_of};
    int rc = td_grow(&n.stack, &n.stack_capacity, 64, sizeof *n.stack) ? TD_E_NOMEM : 0;
    if (rc == 0)
        n.stack[0] = (struct parent){INT64_MIN, TD_OPEN, 0, 0};
    for (size_t i = count; rc == 0 && i-- > 0;)
        rc = place_zone(&n, &zones[i], i, err);
    for (size_t c = 0; rc == 0 && c < n.change_count; c++) {
        zones[n.changes[c].index].start_ns = n.changes[c].start_ns;
        zones[n.changes[c].index].end_ns = n.changes[c].end_ns;
    }
    free(n.changes);
    free(n.stack);
    return rc < 0 ? td_fail_no_memory(err, WHILE_NESTING) : 0;
}

/* The order of the begin of the zone that arrived as number `index`: zones around it begin before it, those in it
 * after it. */
static int64_t order_of(struct nest *n, uint64_t index, uint32_t depth)
{
    const uint64_t inside = n->inside[depth + 1];
    n->inside[depth + 1] = 0;
    n->inside[depth] += inside + 1;
    return (int64_t)(index + depth - inside + 1);
}

static int append_zone(struct nest *n, const struct arrived *zone, uint64_t index, uint32_t depth)
{
    struct td_series *row = n->rows->at[depth];
    const struct td_series *below = n->rows->at[depth + 1];
    if (td_series_reserve(row) < 0)
        return TD_E_NOMEM;
    int64_t before = row->count ? n->child_end[depth] : 0;
    int64_t duration = zone->end_ns == TD_OPEN ? -1 : td_trace_length_(zone->start_ns, zone->end_ns);
    td_series_put_(row, TD_ZONE_START, zone->start_ns);
    td_series_put_(row, TD_ZONE_DURATION, duration);
    td_series_put_(row, TD_ZONE_SRCLOC, zone->srcloc);
    td_series_put_(row, TD_ZONE_CHILD_END, (int64_t)below->count);
    td_series_put_(row, TD_ZONE_EXTRA, zone->extra);
    if (n->columns == TD_ZONE_GPU_COLUMNS) {
        td_series_put_(row, TD_ZONE_CPU_START, 0);
        td_series_put_(row, TD_ZONE_CPU_DURATION, -1);
        td_series_put_(row, TD_ZONE_THREAD, 0);
        td_series_put_(row, TD_ZONE_QUERY, 0);
        td_series_put_(row, TD_ZONE_ORDER, order_of(n, index, depth));
        td_series_put_(row, TD_ZONE_PARENT, 0);
    }
    td_series_publish_(row);
    n->parents += before != (int64_t)below->count;
    n->child_end[depth] = (int64_t)below->count;
    return 0;
}

static void apply_change(struct nest *n, uint64_t index, struct arrived *zone)
{
    const struct change *last = n->change_count ? &n->changes[n->change_count - 1] : NULL;
    if (!last || last->index != index)
        return;
    zone->start_ns = last->start_ns;
    zone->end_ns = last->end_ns;
    n->change_count--;
}

/* The pass forwards. Readers see the rows only when all are complete. */
static int fill_rows(struct nest *n, struct td_err *err)
{
    struct track *track = n->track;
    if (n->moved && !(track->elsewhere = malloc(n->moved * sizeof *track->elsewhere)))
        return td_fail_no_memory(err, WHILE_NESTING);
    n->child_end = calloc((size_t)n->depths + 1, sizeof *n->child_end);
    n->inside = calloc((size_t)n->depths + 1, sizeof *n->inside);
    if (!n->child_end || !n->inside || td_trace_make_rows_(n->trace, &n->rows, n->depths + 1, n->columns) < 0)
        return td_fail_no_memory(err, WHILE_NESTING);
    struct arrived zones[TD_SERIES_ROWS];
    for (uint64_t index = 0; index < n->track->arrived;) {
        unsigned count = td_trace_arrivals_(n->track, index / TD_SERIES_ROWS, zones);
        for (unsigned i = 0; i < count; i++, index++) {
            apply_change(n, index, &zones[i]);
            if (n->depth_of[index] == ELSEWHERE)
                track->elsewhere[track->elsewhere_count++] = zones[i];
            else if (append_zone(n, &zones[i], index, n->depth_of[index]) < 0)
                return td_fail_no_memory(err, WHILE_NESTING);
        }
    }
    return 0;
}

int td_trace_nest_(struct td_trace *trace, uint32_t number, struct track *track, bool may_move,
                   struct td_err *err)
{
    if (track->unsorted) {
        td_trace_clamp_(trace, 1);
        int rc = sort_track(trace, track, err);
        if (rc < 0)
            return rc;
    }
    struct nest n = {.trace = trace,
                     .track = track,
                     .columns = td_trace_zone_columns_(trace, number),
                     .may_move = may_move};
    const size_t depth_bytes = track->arrived * sizeof *n.depth_of;
    int rc = find_depths(&n, err);
    rc = rc ? rc : fill_rows(&n, err);
    if (rc == 0) {
        __atomic_store_n(&track->rows, n.rows, __ATOMIC_RELEASE);
        __atomic_fetch_add(&track->parents, n.parents, __ATOMIC_RELAXED);
        track->arrived = 0;
    }
    td_work_give_back(trace->scratch, n.depth_of, depth_bytes);
    free(n.changes);
    free(n.stack);
    free(n.child_end);
    free(n.inside);
    return rc;
}
