/* The model as a sink of runs of zones: begins and ends of one track go into its rows in one loop. What is rare
 * (the first zone of a track, tracks with zones that wait, zones with a text) is done as events (build.c). */
#include "host/base/grow.h"
#include "host/trace/model.h"

/* A run that goes into the rows. */
struct zone_batch {
    struct td_trace *trace;
    struct track *track;
    uint32_t number, srclocs; /* srclocs: how many the dictionary has */
    int64_t last_ns;          /* of the track's begins and ends */
    uint64_t clamped;
};

static int pass_event(struct td_trace *trace, uint32_t number, const struct td_zone_mark *mark,
                      struct td_err *err)
{
    const struct td_event event = td_zone_mark_event(number, mark);
    return td_trace_events_(trace, &event, 1, err);
}

static void run_begin(struct zone_batch *run)
{
    run->last_ns = run->track->has_time ? run->track->last_time_ns : INT64_MIN;
    run->clamped = 0;
}

/* Writes what the run has changed back to track and trace. */
static void run_end(struct zone_batch *run)
{
    if (run->last_ns != INT64_MIN) {
        run->track->has_time = 1;
        run->track->last_time_ns = run->last_ns;
        if (run->last_ns != TD_OPEN && run->last_ns > run->trace->last_time_ns)
            run->trace->last_time_ns = run->last_ns;
    }
    if (run->clamped)
        td_trace_clamp_(run->trace, run->clamped);
}

/* The time, but not before the track's last one. */
static inline int64_t run_time(struct zone_batch *run, int64_t time_ns)
{
    run->clamped += time_ns < run->last_ns;
    return run->last_ns = time_ns < run->last_ns ? run->last_ns : time_ns;
}

static inline int open_zone(struct zone_batch *run, int64_t start_ns, uint32_t srcloc)
{
    struct track *track = run->track;
    if (track->open_count == track->open_capacity &&
        td_grow(&track->open, &track->open_capacity, track->open_count + 1, sizeof *track->open) < 0)
        return TD_E_NOMEM;
    if (td_fill_enter(&track->fill, start_ns, -1, srcloc, 0) < 0)
        return TD_E_NOMEM;
    td_fill_down(&track->fill);
    track->open[track->open_count++] = (struct open_zone){.start_ns = start_ns, .srcloc = srcloc};
    return 0;
}

/* The zone has properties that make a row of EXTRA. One with lines of text has a text. */
static inline bool has_extra(const struct open_zone *open)
{
    const struct extra *e = &open->extra;
    return (e->stack | e->text | e->name | e->color) != 0;
}

static int close_with_extra(struct zone_batch *run, const struct td_zone_mark *mark, struct td_err *err)
{
    run_end(run);
    int rc = pass_event(run->trace, run->number, mark, err);
    run_begin(run);
    return rc;
}

static inline int close_zone(struct zone_batch *run, const struct td_zone_mark *mark, struct td_err *err)
{
    struct track *track = run->track;
    if (!track->open_count) {
        run->clamped++;
        return 0;
    }
    const struct open_zone *open = &track->open[track->open_count - 1];
    if (has_extra(open))
        return close_with_extra(run, mark, err);
    int64_t end_ns = run_time(run, mark->time_ns);
    track->open_count--;
    td_fill_leave(&track->fill, td_trace_length_(open->start_ns, end_ns));
    return 0;
}

/* The track's zones go into its rows at once, and have no columns beyond the first ones. */
static bool can_run(const struct td_trace *trace, const struct track *track, uint32_t number)
{
    return track->mode == MODE_NESTED && !track->arrived && !td_dict_get_track(trace->dict, number)->context;
}

static int take_run(struct td_trace *trace, struct track *track, uint32_t number,
                    const struct td_zone_mark *marks, size_t count, struct td_err *err)
{
    struct zone_batch run = {trace, track, number, td_dict_srcloc_count(trace->dict), 0, 0};
    struct td_err own = {0};
    int rc = 0;
    run_begin(&run);
    for (const struct td_zone_mark *mark = marks, *end = marks + count; mark < end && rc == 0; mark++) {
        if (mark->srcloc == TD_ZONE_MARK_END) {
            rc = close_zone(&run, mark, &own);
            continue;
        }
        const int64_t start_ns = run_time(&run, mark->time_ns);
        const uint32_t srcloc = mark->srcloc < run.srclocs ? mark->srcloc : 0;
        if (mark + 1 < end && mark[1].srcloc == TD_ZONE_MARK_END) {
            /* A zone without children begins and ends at once. */
            const int64_t end_ns = run_time(&run, (++mark)->time_ns);
            rc = td_fill_enter(&track->fill, start_ns, td_trace_length_(start_ns, end_ns), srcloc, 0);
        } else {
            rc = open_zone(&run, start_ns, srcloc);
        }
    }
    run_end(&run);
    if (rc == 0)
        return 0;
    return own.code ? td_fail(err, rc, "%s", own.text) : td_fail_no_memory(err, TD_WHILE_BUILDING);
}

static int take_zones(void *self, uint32_t number, const struct td_zone_mark *marks, size_t count,
                      struct td_err *err)
{
    struct td_trace *trace = self;
    for (size_t i = 0; i < count; i++) {
        const bool is_known = !trace->finished && number < td_dict_track_count(trace->dict);
        struct track *track = is_known ? td_trace_track_(trace, number) : NULL;
        if (track && can_run(trace, track, number))
            return take_run(trace, track, number, marks + i, count - i, err);
        int rc = pass_event(trace, number, &marks[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

struct td_sink td_trace_sink(struct td_trace *trace)
{
    return (struct td_sink){td_trace_events_, trace, td_trace_row_, td_trace_set_, take_zones};
}
