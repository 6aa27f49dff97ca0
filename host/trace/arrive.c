/* Zones that wait for the end of the recording, in the order of their ends. */
#include "host/base/grow.h"
#include "host/trace/model.h"
#include "host/trace/walk.h"

int td_trace_arrive_(struct td_trace *trace, struct track *track, const struct arrived *zone,
                     struct td_err *err)
{
    struct td_series *s = &track->arrivals;
    if (!track->arrived)
        td_series_init(s, trace->scratch, ARRIVED_COLUMNS, 0);
    if (td_series_reserve(s) < 0)
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    td_series_put_(s, ARRIVED_END, zone->end_ns);
    td_series_put_(s, ARRIVED_LENGTH, (int64_t)((uint64_t)zone->end_ns - (uint64_t)zone->start_ns));
    td_series_put_(s, ARRIVED_SRCLOC, zone->srcloc);
    td_series_put_(s, ARRIVED_EXTRA, zone->extra);
    td_series_put_(s, ARRIVED_SPAN, (int64_t)zone->span);
    td_series_publish_(s);
    if (track->arrived++ && zone->end_ns < track->last_end_ns)
        track->unsorted = 1;
    else
        track->last_end_ns = zone->end_ns;
    return 0;
}

unsigned td_trace_arrivals_(const struct track *track, uint64_t block, struct arrived *zones)
{
    int64_t column[ARRIVED_COLUMNS][TD_SERIES_ROWS];
    uint64_t first = block * TD_SERIES_ROWS, left = track->arrived - first;
    uint64_t forgotten = td_series_first(&track->arrivals);
    unsigned count = left < TD_SERIES_ROWS ? (unsigned)left : TD_SERIES_ROWS;
    for (unsigned c = 0; c < ARRIVED_COLUMNS; c++)
        td_series_read(&track->arrivals, c, forgotten + first, count, column[c]);
    for (unsigned i = 0; i < count; i++) {
        uint64_t end = (uint64_t)column[ARRIVED_END][i];
        zones[i] = (struct arrived){(int64_t)(end - (uint64_t)column[ARRIVED_LENGTH][i]), (int64_t)end,
                                    (uint32_t)column[ARRIVED_SRCLOC][i], (uint32_t)column[ARRIVED_EXTRA][i],
                                    (uint64_t)column[ARRIVED_SPAN][i]};
        if (zones[i].span != SPAN_BY_TIME && zones[i].span > first + i)
            zones[i].span = first + i; /* the others are forgotten */
    }
    return count;
}

void td_trace_forget_arrivals_(struct track *track, int64_t before_ns)
{
    struct td_series *s = &track->arrivals;
    if (!track->arrived || track->unsorted)
        return;
    uint64_t forgotten = td_series_first(s);
    td_series_forget(s, td_series_after(s, ARRIVED_END, before_ns), 1u << ARRIVED_END);
    forgotten = td_series_first(s) - forgotten;
    track->arrived -= forgotten;
    for (size_t i = 0; i < track->open_count; i++)
        track->open[i].first -= track->open[i].first < forgotten ? track->open[i].first : forgotten;
}

/* A walk leaves zones in the order of their ends. The zones that arrive between entering and leaving a zone
 * are inside it. `first`: for each row, how many zones had arrived when its zone was entered. */
static int arrive_all(struct td_trace *trace, struct td_walk *walk, struct track *track, uint64_t *first,
                      struct td_err *err)
{
    struct td_step step;
    int rc = 0;
    while (rc == 0 && td_walk_next(walk, &step)) {
        if (!step.leaves) {
            first[step.row] = track->arrived;
        } else if (step.zone.end_ns == TD_OPEN) {
            track->open[step.row].first = first[step.row];
        } else {
            const struct td_series *row = td_trace_row(walk->trace, walk->track, step.row);
            uint32_t extra = (uint32_t)td_series_get(row, step.index, TD_ZONE_EXTRA);
            struct arrived zone = {step.zone.start_ns, step.zone.end_ns, step.zone.srcloc, extra,
                                   track->arrived - first[step.row]};
            rc = td_trace_arrive_(trace, track, &zone, err);
        }
    }
    return rc;
}

int td_trace_arrive_again_(struct td_trace *trace, uint32_t number, struct track *track, struct td_err *err)
{
    struct td_walk walk = {0};
    uint64_t *first = calloc((size_t)td_trace_rows(trace, number) + 1, sizeof *first);
    int rc = first ? td_walk_begin(&walk, trace, number) : TD_E_NOMEM;
    if (rc < 0) {
        free(first);
        return td_fail_no_memory(err, TD_WHILE_BUILDING);
    }
    rc = arrive_all(trace, &walk, track, first, err);
    td_walk_end(&walk);
    free(first);
    return rc;
}

int td_trace_unnest_(struct td_trace *trace, uint32_t number, struct track *track, struct td_err *err)
{
    int rc = td_trace_arrive_again_(trace, number, track, err);
    if (rc < 0)
        return rc;
    __atomic_store_n(&track->rows, NULL, __ATOMIC_RELEASE);
    track->fill = (struct td_fill){0};
    return 0;
}
