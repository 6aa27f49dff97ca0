#include "host/trace/gpu_lines.h"
#include "host/base/compare.h"

#include "host/base/grow.h"
#include "host/trace/model.h"

/* More lines than this are made at the end only, when the zones can be sorted: there are then as few lines as
 * there are zones at one time, whatever the order in which they came. */
#define LINES_AT_ONCE 64u
#define LINES_MOST    4096u
#define NOWHERE       UINT32_MAX

struct gpu_line {
    struct td_fill fill; /* its depth: the zones of this line around the next one */
    int64_t low_ns;      /* the latest time so far, which no later one precedes */
    /* The rows [open_first, open_end), whose last zones have no end and no later zone. */
    uint32_t open_first, open_end;
};

/* A zone around the next one. */
struct around {
    uint32_t line; /* NOWHERE: it waits in `late` */
    uint64_t order;
    size_t late;
    int64_t end_ns;
    int64_t room_ns; /* the zones in it end until then, on its line */
    bool has_start;
};

struct late_zone {
    struct td_gpu_zone zone;
    uint64_t order, parent;
};

struct td_gpu_lines {
    struct td_trace *trace;
    uint32_t track;
    uint64_t order; /* of the zone that was added last */
    struct gpu_line *lines;
    size_t line_count, line_capacity;
    struct around *around;
    size_t depth, around_capacity;
    struct late_zone *late;
    size_t late_count, late_capacity;
};

struct td_gpu_lines *td_gpu_lines_create(struct td_trace *trace, uint32_t track)
{
    struct td_gpu_lines *g = calloc(1, sizeof *g);
    if (g) {
        g->trace = trace;
        g->track = track;
    }
    return g;
}

void td_gpu_lines_destroy(struct td_gpu_lines *g)
{
    if (!g)
        return;
    free(g->lines);
    free(g->around);
    free(g->late);
    free(g);
}

static uint32_t add_line(struct td_gpu_lines *g)
{
    struct td_dict *dict = g->trace->dict;
    struct td_track track = *td_dict_get_track(dict, g->track);
    track.line = (uint32_t)g->line_count;
    const uint32_t number = td_dict_track(dict, &track);
    if (number == UINT32_MAX ||
        td_grow(&g->lines, &g->line_capacity, g->line_count + 1, sizeof *g->lines) < 0)
        return NOWHERE;
    struct gpu_line *line = &g->lines[g->line_count];
    *line = (struct gpu_line){0};
    return td_fill_begin(&line->fill, g->trace, number, NULL) < 0 ? NOWHERE : (uint32_t)g->line_count++;
}

/* Ends the zones without an end at the time of the next start or end on their line. */
static void end_open_zones(struct gpu_line *line, int64_t time_ns)
{
    for (uint32_t depth = line->open_first; depth < line->open_end; depth++) {
        struct td_series *row = line->fill.rows[depth];
        td_series_set_last(row, TD_ZONE_DURATION,
                           td_trace_length_(td_series_get_last(row, TD_ZONE_START), time_ns));
    }
    line->open_first = line->open_end = 0;
}

static void raise_low(struct gpu_line *line, int64_t time_ns)
{
    line->low_ns = time_ns > line->low_ns ? time_ns : line->low_ns;
}

static void leave_zone(struct td_gpu_lines *g)
{
    const struct around *zone = &g->around[--g->depth];
    if (zone->line == NOWHERE)
        return;
    struct gpu_line *line = &g->lines[zone->line];
    const uint32_t depth = line->fill.depth - 1;
    const int64_t start_ns = td_series_get_last(line->fill.rows[depth], TD_ZONE_START);
    if (zone->has_start && (zone->end_ns < 0 || zone->end_ns == TD_GPU_END_LATER)) {
        td_fill_leave(&line->fill, -1);
        if (line->open_first == line->open_end)
            line->open_end = depth + 1;
        line->open_first = depth;
        return;
    }
    /* A zone without a start, which begins at the end of the one before it, ends with its last child. */
    int64_t end_ns = zone->has_start || (zone->end_ns > line->low_ns && zone->end_ns != TD_GPU_END_LATER)
                         ? zone->end_ns
                         : line->low_ns;
    end_ns = end_ns > start_ns ? end_ns : start_ns;
    end_open_zones(line, end_ns);
    raise_low(line, end_ns);
    td_fill_leave(&line->fill, end_ns - start_ns);
}

#define BACK_MOST (INT64_MAX >> TD_ZONE_BACK_SHIFT) /* 9.7 hours */

/* The bits and values of TD_ZONE_QUERY. */
static int64_t query_of(const struct td_gpu_zone *zone, int64_t start_ns)
{
    int64_t query = zone->query & TD_ZONE_QUERY_MASK;
    if (zone->start_ns < 0)
        query |= TD_ZONE_NO_START;
    if (zone->end_ns < 0)
        query |= TD_ZONE_NO_END;
    else if (zone->end_ns < start_ns) {
        const int64_t back = start_ns - zone->end_ns;
        query |= (back < BACK_MOST ? back : BACK_MOST) << TD_ZONE_BACK_SHIFT;
    }
    return query;
}

static int enter_zone(struct td_gpu_lines *g, uint32_t number, const struct td_gpu_zone *zone, uint64_t order,
                      uint64_t parent)
{
    struct gpu_line *line = &g->lines[number];
    const int64_t start_ns = zone->start_ns < 0 ? line->low_ns : zone->start_ns;
    const int64_t query = zone->end_ns == TD_GPU_END_LATER ? zone->start_ns < 0 ? TD_ZONE_NO_START : 0
                                                           : query_of(zone, start_ns);
    const struct td_fill_gpu gpu = {
        zone->cpu_start_ns, zone->cpu_duration_ns, zone->thread, query, order, parent};
    int64_t duration = zone->start_ns < 0 ? 0 : -1;
    if (zone->end_ns >= 0 && zone->end_ns != TD_GPU_END_LATER)
        duration = td_trace_length_(start_ns, zone->end_ns);
    end_open_zones(line, start_ns);
    raise_low(line, start_ns);
    if (td_fill_enter_gpu(&line->fill, start_ns, duration, zone->srcloc, zone->extra, &gpu) < 0)
        return TD_E_NOMEM;
    td_fill_down(&line->fill);
    return 0;
}

/* The line for a zone: that of the zone around it if it lies in that one and after all others there, or else
 * the first line on which it comes after all others. */
static uint32_t find_line(struct td_gpu_lines *g, const struct td_gpu_zone *zone)
{
    const struct around *parent = g->depth ? &g->around[g->depth - 1] : NULL;
    const int64_t end_ns =
        zone->end_ns != TD_GPU_END_LATER && zone->end_ns > zone->start_ns ? zone->end_ns : zone->start_ns;
    if (parent && parent->line != NOWHERE) {
        const struct gpu_line *line = &g->lines[parent->line];
        if (zone->start_ns < 0 || (zone->start_ns >= line->low_ns && end_ns <= parent->room_ns))
            return parent->line;
    }
    for (uint32_t i = 0; i < g->line_count; i++)
        if (!g->lines[i].fill.depth && (zone->start_ns < 0 || zone->start_ns >= g->lines[i].low_ns))
            return i;
    return g->line_count < LINES_AT_ONCE ? add_line(g) : NOWHERE;
}

/* The zone waits for td_gpu_lines_finish(). */
static int keep_late(struct td_gpu_lines *g, const struct td_gpu_zone *zone, uint64_t parent)
{
    return TD_APPEND(g->late, g->late_count, g->late_capacity, (struct late_zone){*zone, g->order, parent});
}

int td_gpu_lines_add(struct td_gpu_lines *g, const struct td_gpu_zone *zone)
{
    while (g->depth > zone->depth)
        leave_zone(g);
    if (zone->depth > g->depth)
        return TD_E_USAGE;
    if (td_grow(&g->around, &g->around_capacity, g->depth + 1, sizeof *g->around) < 0)
        return TD_E_NOMEM;
    const struct around *parent = g->depth ? &g->around[g->depth - 1] : NULL;
    const uint32_t line = find_line(g, zone);
    const bool is_outside = parent && (parent->line == NOWHERE || parent->line != line);
    if (line == NOWHERE && g->line_count < LINES_AT_ONCE)
        return TD_E_NOMEM;
    int64_t room_ns = zone->end_ns < 0 ? TD_OPEN : zone->end_ns;
    if (parent && !is_outside && parent->room_ns < room_ns)
        room_ns = parent->room_ns;
    g->order++;
    int rc = line == NOWHERE ? keep_late(g, zone, parent ? parent->order : 0)
                             : enter_zone(g, line, zone, g->order, is_outside ? parent->order : 0);
    if (rc == 0)
        g->around[g->depth++] =
            (struct around){line, g->order, g->late_count - 1, zone->end_ns, room_ns, zone->start_ns >= 0};
    return rc;
}

void td_gpu_lines_end_zone(struct td_gpu_lines *g, const struct td_gpu_zone *zone)
{
    while (g->depth > zone->depth + 1)
        leave_zone(g);
    struct around *known = &g->around[g->depth - 1];
    known->end_ns = zone->end_ns;
    if (known->line == NOWHERE) {
        struct td_gpu_zone *late = &g->late[known->late].zone;
        late->end_ns = zone->end_ns;
        late->cpu_duration_ns = zone->cpu_duration_ns;
        late->query = zone->query;
        return;
    }
    const struct td_fill *fill = &g->lines[known->line].fill;
    struct td_series *row = fill->rows[fill->depth - 1];
    td_series_set_last(row, TD_ZONE_QUERY, query_of(zone, td_series_get_last(row, TD_ZONE_START)));
    td_series_set_last(row, TD_ZONE_CPU_DURATION, zone->cpu_duration_ns);
}

/* ---- zones that came too early for the lines there were ---- */

TD_COMPARE(by_start, struct late_zone, TD_UP(zone.start_ns) TD_UP(order))

static bool is_before(const struct td_gpu_lines *g, uint32_t a, uint32_t b)
{
    return g->lines[a].low_ns < g->lines[b].low_ns;
}

/* heap[0] is the line with the least low_ns; it has risen. */
static void sift_down(const struct td_gpu_lines *g, uint32_t *heap, size_t count)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_before(g, heap[child + 1], heap[child]);
        if (!is_before(g, heap[child], heap[at]))
            return;
        const uint32_t moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

static int place_late_zone(struct td_gpu_lines *g, uint32_t line, struct late_zone *late)
{
    struct td_gpu_zone *zone = &late->zone;
    if (zone->start_ns < g->lines[line].low_ns) { /* thousands of zones at one time */
        zone->start_ns = g->lines[line].low_ns;
        zone->end_ns = zone->end_ns < zone->start_ns ? zone->start_ns : zone->end_ns;
        td_trace_clamp_(g->trace, 1);
    }
    int rc = enter_zone(g, line, zone, late->order, late->parent);
    g->around[0] = (struct around){line, 0, 0, zone->end_ns, TD_OPEN, true};
    g->depth = rc == 0;
    if (rc == 0)
        leave_zone(g);
    return rc;
}

static int place_late_zones(struct td_gpu_lines *g)
{
    uint32_t *heap = malloc(LINES_MOST * sizeof *heap);
    size_t count = 0;
    int rc = heap ? 0 : TD_E_NOMEM;
    qsort(g->late, g->late_count, sizeof *g->late, by_start);
    for (size_t i = 0; rc == 0 && i < g->late_count; i++) {
        const bool fits = count && g->late[i].zone.start_ns >= g->lines[heap[0]].low_ns;
        if (!fits && count < LINES_MOST) {
            const uint32_t line = add_line(g);
            rc = line == NOWHERE ? TD_E_NOMEM : place_late_zone(g, line, &g->late[i]);
            size_t at = count++;
            for (; at && line != NOWHERE && is_before(g, line, heap[(at - 1) / 2]); at = (at - 1) / 2)
                heap[at] = heap[(at - 1) / 2];
            heap[at] = line;
        } else {
            rc = place_late_zone(g, heap[0], &g->late[i]);
            sift_down(g, heap, count);
        }
    }
    free(heap);
    return rc;
}

int td_gpu_lines_finish(struct td_gpu_lines *g, uint64_t clamped)
{
    td_trace_clamp_(g->trace, clamped);
    while (g->depth)
        leave_zone(g);
    int rc = g->late_count ? place_late_zones(g) : 0;
    for (size_t i = 0; i < g->line_count; i++) {
        g->lines[i].fill.last_time_ns = g->lines[i].low_ns;
        td_fill_end(&g->lines[i].fill);
    }
    g->line_count = g->late_count = 0;
    return rc;
}
