/* Zones that wait for the end of the recording, in the order of their ends. */
#include "host/base/grow.h"
#include "host/trace/model.h"
#include "host/trace/walk.h"

#define FIRST_CHUNK 32
#define LAST_CHUNK  8192

int td_trace_arrive_(struct track *track, const struct arrived *zone, struct td_err *err)
{
    struct arrived_chunk *chunk = track->last;
    if (!chunk || chunk->count == chunk->capacity) {
        uint32_t capacity = !chunk                         ? FIRST_CHUNK
                            : chunk->capacity < LAST_CHUNK ? chunk->capacity * 4
                                                           : LAST_CHUNK;
        struct arrived_chunk *next = malloc(sizeof *next + capacity * sizeof *next->zones);
        if (!next)
            return td_fail(err, TD_E_NOMEM, "out of memory while building the trace");
        *next = (struct arrived_chunk){.previous = chunk, .capacity = capacity};
        track->last = chunk = next;
    }
    chunk->zones[chunk->count++] = *zone;
    if (track->arrived++ && zone->end_ns < track->last_end_ns)
        track->unsorted = 1;
    else
        track->last_end_ns = zone->end_ns;
    return 0;
}

/* Zones are left in the order of their ends; what is between entering and leaving is inside. `first`: for
 * each row, how many had arrived when its zone was entered. */
static int arrive_all(struct td_walk *walk, struct track *track, uint64_t *first, struct td_err *err)
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
            struct arrived zone = {step.zone.start_ns,
                                   step.zone.end_ns,
                                   step.zone.srcloc,
                                   extra,
                                   {track->arrived - first[step.row]}};
            rc = td_trace_arrive_(track, &zone, err);
        }
    }
    return rc;
}

int td_trace_unnest_(struct td_trace *trace, uint32_t number, struct track *track, struct td_err *err)
{
    struct td_walk walk = {0};
    uint64_t *first = calloc((size_t)td_trace_rows(trace, number) + 1, sizeof *first);
    int rc = first ? td_walk_begin(&walk, trace, number) : TD_E_NOMEM;
    if (rc < 0) {
        free(first);
        return td_fail(err, rc, "out of memory while building the trace");
    }
    rc = arrive_all(&walk, track, first, err);
    td_walk_end(&walk);
    free(first);
    __atomic_store_n(&track->rows, NULL, __ATOMIC_RELEASE);
    track->fill = (struct td_fill){0};
    return rc;
}
