#include "host/trace/gpu_order.h"
#include "host/base/compare.h"

#include "host/base/grow.h"
#include "host/trace/model.h"

struct td_gpu_cursor {
    const struct td_series *zones;
    uint32_t track, row;
    uint64_t next; /* zone */
    uint64_t last; /* order of the zone before it; 0: none */
};

/* A cursor and the order of its next zone. */
struct td_gpu_turn {
    uint64_t order;
    size_t cursor;
};

void td_gpu_order_begin(struct td_gpu_order *o, const struct td_trace *trace)
{
    *o = (struct td_gpu_order){.trace = trace};
}

void td_gpu_order_end(struct td_gpu_order *o)
{
    free(o->cursors);
    free(o->turns);
    free(o->sorted);
    free(o->around);
    *o = (struct td_gpu_order){0};
}

static uint64_t order_at(const struct td_series *zones, uint64_t index)
{
    return (uint64_t)td_series_get(zones, index, TD_ZONE_ORDER);
}

/* In the rows of zones that could be placed only at the end, the order follows the times. */
static bool is_rising(const struct td_series *zones)
{
    int64_t order[TD_SERIES_ROWS], last = 0;
    const uint64_t end = td_series_count(zones);
    for (uint64_t at = td_series_first(zones); at < end;) {
        uint64_t n = TD_SERIES_ROWS - at % TD_SERIES_ROWS;
        n = n < end - at ? n : end - at;
        td_series_read(zones, TD_ZONE_ORDER, at, n, order);
        for (uint64_t i = 0; i < n; last = order[i++])
            if (order[i] < last)
                return false;
        at += n;
    }
    return true;
}

static int add_sorted(struct td_gpu_order *o, const struct td_gpu_cursor *cursor)
{
    const uint64_t first = td_series_first(cursor->zones), end = td_series_count(cursor->zones);
    if (td_grow(&o->sorted, &o->sorted_capacity, o->sorted_count + (size_t)(end - first), sizeof *o->sorted) <
        0)
        return TD_E_NOMEM;
    for (uint64_t i = first; i < end; i++)
        o->sorted[o->sorted_count++] =
            (struct td_gpu_step){cursor->track, cursor->row, i, order_at(cursor->zones, i), 0};
    return 0;
}

TD_COMPARE(by_order, struct td_gpu_step, TD_UP(order))

/* The place for a line's cursors, and how many there are. */
static size_t find_cursors(const struct td_gpu_order *o, uint32_t track, uint32_t *count)
{
    size_t first = 0;
    while (first < o->cursor_count && o->cursors[first].track != track)
        first++;
    for (*count = 0; first + *count < o->cursor_count && o->cursors[first + *count].track == track;)
        ++*count;
    return first;
}

int td_gpu_order_add(struct td_gpu_order *o, uint32_t track)
{
    const uint32_t rows = td_trace_rows(o->trace, track);
    uint32_t have;
    const size_t first = find_cursors(o, track, &have);
    o->is_stale = 1;
    if (rows <= have)
        return 0;
    const size_t wanted = o->cursor_count + rows - have;
    if (td_grow(&o->cursors, &o->cursor_capacity, wanted, sizeof *o->cursors) < 0 ||
        td_grow(&o->turns, &o->turn_capacity, wanted, sizeof *o->turns) < 0)
        return TD_E_NOMEM;
    memmove(o->cursors + first + rows, o->cursors + first + have,
            (o->cursor_count - first - have) * sizeof *o->cursors);
    o->cursor_count += rows - have;
    int rc = 0;
    for (uint32_t r = have; r < rows; r++) {
        const struct td_series *zones = td_trace_row(o->trace, track, r);
        struct td_gpu_cursor *cursor = &o->cursors[first + r];
        *cursor = (struct td_gpu_cursor){zones, track, r, td_series_first(zones), 0};
        if (td_trace_is_finished(o->trace) && !is_rising(zones)) {
            rc = rc ? rc : add_sorted(o, cursor);
            cursor->next = td_series_count(zones);
        }
    }
    if (o->sorted_count > o->sorted_next)
        qsort(o->sorted + o->sorted_next, o->sorted_count - o->sorted_next, sizeof *o->sorted, by_order);
    return rc;
}

/* Whether the cursor has a zone. Zones that the trace has forgotten are passed over. */
static bool look(struct td_gpu_cursor *cursor, uint64_t *order)
{
    const uint64_t kept = td_series_first(cursor->zones);
    cursor->next = cursor->next < kept ? kept : cursor->next;
    if (cursor->next >= td_series_count(cursor->zones))
        return 0;
    *order = order_at(cursor->zones, cursor->next);
    return 1;
}

static void sift_down(struct td_gpu_turn *turns, size_t count, size_t at)
{
    const struct td_gpu_turn turn = turns[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && turns[child + 1].order < turns[child].order;
        if (turns[child].order >= turn.order)
            break;
        turns[at] = turns[child];
    }
    turns[at] = turn;
}

static void look_at_all(struct td_gpu_order *o)
{
    o->is_whole = td_trace_is_finished(o->trace);
    o->turn_count = 0;
    for (size_t i = 0; i < o->cursor_count; i++)
        if (look(&o->cursors[i], &o->turns[o->turn_count].order))
            o->turns[o->turn_count++].cursor = i;
    for (size_t i = o->turn_count / 2; i-- > 0;)
        sift_down(o->turns, o->turn_count, i);
    o->is_stale = 0;
}

/* Orders only rise: a turn that is not up to date is too early. */
static struct td_gpu_cursor *find_next(struct td_gpu_order *o, uint64_t *order)
{
    while (o->turn_count) {
        struct td_gpu_turn *first = o->turns;
        struct td_gpu_cursor *cursor = &o->cursors[first->cursor];
        if (!look(cursor, order)) {
            *first = o->turns[--o->turn_count];
        } else if (*order == first->order) {
            return cursor;
        } else {
            first->order = *order;
        }
        if (o->turn_count)
            sift_down(o->turns, o->turn_count, 0);
    }
    *order = UINT64_MAX;
    return NULL;
}

/* The order of the zone around the cursor's next one; 0: none. */
static uint64_t parent_of(const struct td_gpu_order *o, const struct td_gpu_step *step,
                          const struct td_gpu_cursor *cursor)
{
    if (!step->row || !cursor)
        return (uint64_t)td_series_get(td_trace_row(o->trace, step->track, step->row), step->index,
                                       TD_ZONE_PARENT);
    return cursor > o->cursors && cursor[-1].track == cursor->track ? cursor[-1].last : 0;
}

int td_gpu_order_next(struct td_gpu_order *o, struct td_gpu_step *step)
{
    uint64_t order;
    if (o->is_stale)
        look_at_all(o);
    struct td_gpu_cursor *cursor = find_next(o, &order);
    if (order != o->last + 1 && !o->is_whole) { /* zones may have been added since */
        look_at_all(o);
        cursor = find_next(o, &order);
    }
    const bool is_sorted = o->sorted_next < o->sorted_count && o->sorted[o->sorted_next].order < order;
    if (is_sorted) {
        *step = o->sorted[o->sorted_next++];
        cursor = NULL;
    } else if (cursor) {
        *step = (struct td_gpu_step){cursor->track, cursor->row, cursor->next, order, 0};
    } else {
        return 0;
    }
    if (td_grow(&o->around, &o->around_capacity, o->depth + 1, sizeof *o->around) < 0)
        return TD_E_NOMEM;
    const uint64_t parent = parent_of(o, step, cursor);
    size_t depth = parent ? o->depth : 0;
    while (depth && o->around[depth - 1] != parent)
        depth--;
    step->depth = (uint32_t)depth;
    o->around[depth] = o->last = step->order;
    o->depth = depth + 1;
    if (cursor) {
        cursor->next++;
        cursor->last = step->order;
    }
    return 1;
}
