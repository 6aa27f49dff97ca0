/* Tracks whose source settles its complete zones (TD_EVENT_SETTLED): what is settled becomes rows at once.
 *
 * A batch is in order of ends. Nesting it gives each zone's depth below the zones that are open. The zones
 * are then added in order of their begins, each before its children, as readers of the rows expect. */
#include "host/base/grow.h"
#include "host/trace/model.h"

#define WHILE_NESTING "while nesting the zones of the trace"
#define KEPT_ZONES    1024u /* a larger batch is freed when it has become rows */

void td_trace_free_batch_(struct track *track)
{
    free(track->batch);
    track->batch = NULL;
    track->batch_count = track->batch_capacity = 0;
}

/* The source has broken its promise: from now on all zones of the track wait for td_trace_finish(), too. */
static int mend(struct td_trace *trace, uint32_t number, struct track *track, struct td_err *err)
{
    int rc = td_trace_arrive_again_(trace, number, track, err);
    for (size_t i = 0; rc == 0 && i < track->batch_count; i++)
        rc = td_trace_arrive_(trace, track, &track->batch[i], err);
    track->mode = MODE_MENDED;
    track->shown_ns = track->has_time ? track->last_time_ns : INT64_MIN;
    trace->settled_early++;
    return rc;
}

/* The latest time in the track's rows; INT64_MIN: there is none. */
static int64_t latest_shown(const struct track *track)
{
    if (track->mode == MODE_MENDED)
        return track->shown_ns;
    return track->has_time ? track->last_time_ns : INT64_MIN;
}

/* Zones that end before the zone began are before it; those that began in it are in it. */
static bool overlaps(const struct track *track, const struct arrived *zone)
{
    for (size_t i = track->batch_count; i-- > 0 && track->batch[i].end_ns > zone->start_ns;)
        if (track->batch[i].start_ns < zone->start_ns)
            return true;
    return false;
}

/* May the zone come after those that are rows already, and after those of the batch, or around these? */
static bool is_in_order(const struct track *track, const struct arrived *zone)
{
    return zone->start_ns >= latest_shown(track) &&
           (!track->batch_count || zone->end_ns >= track->batch[track->batch_count - 1].end_ns) &&
           !overlaps(track, zone);
}

int td_trace_add_to_batch_(struct td_trace *trace, uint32_t number, struct track *track,
                           const struct arrived *zone, struct td_err *err)
{
    const bool fits = is_in_order(track, zone);
    int rc = fits || track->mode == MODE_MENDED ? 0 : mend(trace, number, track, err);
    if (rc == 0 && track->mode == MODE_MENDED)
        rc = td_trace_arrive_(trace, track, zone, err);
    if (!fits)
        __atomic_fetch_add(&trace->late_zones, 1, __ATOMIC_RELAXED);
    if (rc < 0 || !fits)
        return rc;
    return TD_APPEND(track->batch, track->batch_count, track->batch_capacity, *zone) < 0
               ? td_fail_no_memory(err, TD_WHILE_BUILDING)
               : 0;
}

/* Fills order[] with the zones in order of their begins, an outer one before its inner ones. In order of
 * ends, the zones in a zone are those just before it; so its place is its own one less their number, plus the
 * number of zones around it. `inner` has room for a number for each depth, and one more; all are 0. */
static void order_by_begin(const uint32_t *depth_of, size_t count, uint32_t *inner, uint32_t *order)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t depth = depth_of[i], in_it = inner[depth + 1];
        inner[depth + 1] = 0;
        inner[depth] += 1 + in_it;
        order[i - in_it + depth] = i;
    }
}

static int64_t duration_of(const struct arrived *zone)
{
    return zone->end_ns == TD_OPEN ? -1 : td_trace_length_(zone->start_ns, zone->end_ns);
}

/* `around`: room for the zones around the next one, by depth. */
static int add_rows(struct track *track, const uint32_t *depth_of, const uint32_t *order, uint32_t *around)
{
    struct td_fill *fill = &track->fill;
    const uint32_t base = fill->depth;
    const size_t count = track->batch_count;
    int rc = 0;
    for (size_t n = 0; rc == 0 && n < count; n++) {
        const struct arrived *zone = &track->batch[order[n]];
        const uint32_t depth = depth_of[order[n]];
        while (fill->depth > base + depth)
            td_fill_leave(fill, duration_of(&track->batch[around[fill->depth - base - 1]]));
        const bool is_parent = n + 1 < count && depth_of[order[n + 1]] > depth;
        rc = td_fill_enter(fill, zone->start_ns, is_parent ? -1 : duration_of(zone), zone->srcloc,
                           zone->extra);
        if (rc == 0 && is_parent) {
            around[depth] = order[n];
            td_fill_down(fill);
        }
    }
    while (fill->depth > base)
        td_fill_leave(fill, duration_of(&track->batch[around[fill->depth - base - 1]]));
    return rc;
}

/* Times only rise from here on, except that zones without an end come last. */
static void note_settled(struct track *track)
{
    for (size_t i = track->batch_count; i-- > 0;) {
        const int64_t end = track->batch[i].end_ns;
        if (end == TD_OPEN)
            continue;
        const int64_t shown = latest_shown(track), latest = shown > end ? shown : end;
        if (track->mode == MODE_MENDED) {
            track->shown_ns = latest;
        } else {
            track->last_time_ns = latest;
            track->has_time = 1;
        }
        break;
    }
}

int td_trace_settle_(struct td_trace *trace, struct track *track, struct td_err *err)
{
    const size_t count = track->batch_count;
    if (!count)
        return 0;
    /* Depths; numbers of inner zones, later zones around the next one; order. A depth is below the count. */
    uint32_t *depth_of = calloc(3 * count + 1, sizeof *depth_of);
    if (!depth_of)
        return td_fail_no_memory(err, WHILE_NESTING);
    uint32_t *inner = depth_of + count, *order = inner + count + 1;
    const uint64_t clamped = __atomic_load_n(&trace->clamped, __ATOMIC_RELAXED);
    int rc = td_trace_depths_(trace, track->batch, count, depth_of, err);
    if (track->mode == MODE_MENDED) /* td_trace_finish() will count them */
        __atomic_store_n(&trace->clamped, clamped, __ATOMIC_RELAXED);
    if (rc == 0) {
        order_by_begin(depth_of, count, inner, order);
        note_settled(track);
        if (add_rows(track, depth_of, order, inner) < 0)
            rc = td_fail_no_memory(err, WHILE_NESTING);
    }
    free(depth_of);
    track->batch_count = 0;
    if (track->batch_capacity > KEPT_ZONES)
        td_trace_free_batch_(track);
    return rc;
}

int td_trace_show_begin_(struct td_trace *trace, struct track *track, int64_t start_ns, uint32_t srcloc,
                         struct td_err *err)
{
    const int64_t shown_ns = start_ns > track->shown_ns ? start_ns : track->shown_ns;
    if (td_fill_enter(&track->fill, shown_ns, -1, srcloc, 0) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    td_fill_down(&track->fill);
    track->shown_ns = shown_ns;
    return 0;
}

void td_trace_show_end_(struct track *track, int64_t end_ns, uint32_t extra)
{
    struct td_fill *fill = &track->fill;
    struct td_series *row = fill->rows[fill->depth - 1];
    if (extra)
        td_series_set_last(row, TD_ZONE_EXTRA, extra);
    if (end_ns == TD_OPEN) {
        td_fill_leave(fill, -1);
        return;
    }
    track->shown_ns = end_ns > track->shown_ns ? end_ns : track->shown_ns;
    td_fill_leave(fill, td_trace_length_(td_series_get_last(row, TD_ZONE_START), track->shown_ns));
}

uint64_t td_trace_late_zones(const struct td_trace *trace)
{
    return __atomic_load_n(&trace->late_zones, __ATOMIC_RELAXED);
}

uint32_t td_trace_settled_early(const struct td_trace *trace)
{
    return trace->settled_early;
}
