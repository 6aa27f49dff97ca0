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

/* ---- runs of many marks ---- */

#define LEVELS 16u /* depths that a loop can visit, half of them above the one where it begins */
#define MANY   32  /* marks that are worth loading the levels */

/* A row of the track while zones are put into it. Zones that are not published yet count. */
struct run_row {
    int64_t *tail;        /* where the first column begins; NULL: the row has no tail */
    size_t columns_apart; /* integers from one column to the next */
    uint64_t before;      /* zones of the row before the tail */
    uint32_t rows, room;  /* zones in the tail; zones that have a place there */
    uint32_t published;   /* of those in the tail */
};

struct run_rows {
    struct run_row levels[LEVELS];
    uint32_t base, count; /* depth of the first level; number of levels */
};

static void load_level(struct run_row *level, const struct td_series *row)
{
    *level = (struct run_row){.before = row->count};
    if (!row->tail)
        return;
    level->tail = row->tail;
    level->columns_apart = (size_t)1 << row->tail_log2;
    level->before -= row->tail_rows;
    level->rows = level->published = row->tail_rows;
    level->room = row->tail_rows + td_series_room_(row);
}

static void load_levels(struct run_rows *loop, const struct td_fill *fill)
{
    loop->base = fill->depth < LEVELS / 2 ? 0 : fill->depth - LEVELS / 2;
    loop->count = 0;
    for (uint32_t d = loop->base; d < fill->row_count && loop->count < LEVELS; d++)
        load_level(&loop->levels[loop->count++], fill->rows[d]);
}

/* Children first, so that readers never see a zone without its children. */
static void publish_levels(struct run_rows *loop, const struct td_fill *fill)
{
    for (uint32_t i = loop->count; i-- > 0;) {
        struct run_row *level = &loop->levels[i];
        if (level->rows != level->published)
            td_series_publish_many_(fill->rows[loop->base + i], level->rows - level->published);
        level->published = level->rows;
    }
}

/* Makes room in a full row. False: no memory. */
static bool make_room(struct run_rows *loop, const struct td_fill *fill, struct run_row *level)
{
    struct td_series *row = fill->rows[loop->base + (uint32_t)(level - loop->levels)];
    publish_levels(loop, fill);
    if (td_series_reserve(row) < 0)
        return false;
    load_level(level, row);
    return true;
}

static inline int64_t zone_count(const struct run_row *level)
{
    return (int64_t)(level->before + level->rows);
}

static inline void set_column(int64_t *zone, size_t columns_apart, unsigned column, int64_t value)
{
    __atomic_store_n(zone + column * columns_apart, value, __ATOMIC_RELAXED);
}

static inline void put_zone(struct run_row *level, int64_t start_ns, int64_t duration_ns, uint32_t srcloc)
{
    /* Read before the stores, after which the compiler would have to read again. */
    const size_t apart = level->columns_apart;
    const int64_t children = zone_count(level + 1);
    int64_t *zone = level->tail + level->rows++;
    set_column(zone, apart, TD_ZONE_START, start_ns);
    set_column(zone, apart, TD_ZONE_DURATION, duration_ns);
    set_column(zone, apart, TD_ZONE_SRCLOC, srcloc);
    set_column(zone, apart, TD_ZONE_CHILD_END, children);
    set_column(zone, apart, TD_ZONE_EXTRA, 0);
}

/* Ends the zone that was put last. Returns whether it has children. A reader that may see the zone, and sees
 * its end, must find its children. */
static inline bool leave_zone(struct run_rows *loop, const struct td_fill *fill, const struct run_row *level,
                              int64_t duration_ns)
{
    const size_t apart = level->columns_apart;
    const int64_t children = zone_count(level + 1);
    int64_t *zone = level->tail + (level->rows - 1);
    const bool is_parent = zone[TD_ZONE_CHILD_END * apart] != children;
    if (level->rows == level->published)
        publish_levels(loop, fill);
    set_column(zone, apart, TD_ZONE_CHILD_END, children);
    __atomic_store_n(zone + TD_ZONE_DURATION * apart, duration_ns, __ATOMIC_RELEASE);
    return is_parent;
}

static inline int64_t later(int64_t time_ns, int64_t last_ns, uint64_t *clamped)
{
    *clamped += time_ns < last_ns;
    return time_ns < last_ns ? last_ns : time_ns;
}

/* Takes marks up to one that is rare, which is returned: it needs a deeper row, ends a zone with properties, or
 * ends none. */
static const struct td_zone_mark *take_many(struct zone_batch *run, const struct td_zone_mark *mark,
                                            const struct td_zone_mark *end)
{
    struct track *const track = run->track;
    struct td_fill *const fill = &track->fill;
    struct run_rows loop;
    load_levels(&loop, fill);
    struct run_row *level = loop.levels + (fill->depth - loop.base), *const last =
                                                                         loop.levels + loop.count - 1;
    struct open_zone *open = track->open + track->open_count, *const full =
                                                                  track->open + track->open_capacity;
    int64_t last_ns = run->last_ns;
    uint64_t clamped = 0, parents = 0;
    for (; mark < end; mark++) {
        if (mark->srcloc == TD_ZONE_MARK_END) {
            if (level == loop.levels || !level[-1].tail || open == track->open || has_extra(open - 1))
                break;
            last_ns = later(mark->time_ns, last_ns, &clamped);
            open--;
            level--;
            parents += leave_zone(&loop, fill, level, td_trace_length_(open->start_ns, last_ns));
            continue;
        }
        if (level >= last || (level->rows == level->room && !make_room(&loop, fill, level)))
            break;
        const uint32_t srcloc = mark->srcloc < run->srclocs ? mark->srcloc : 0;
        if (mark + 1 < end && mark[1].srcloc == TD_ZONE_MARK_END) {
            /* A zone without children begins and ends at once. */
            const int64_t start_ns = later(mark->time_ns, last_ns, &clamped);
            last_ns = later((++mark)->time_ns, start_ns, &clamped);
            put_zone(level, start_ns, td_trace_length_(start_ns, last_ns), srcloc);
        } else if (open < full) {
            last_ns = later(mark->time_ns, last_ns, &clamped);
            put_zone(level++, last_ns, -1, srcloc);
            *open++ = (struct open_zone){.start_ns = last_ns, .srcloc = srcloc};
        } else {
            break;
        }
    }
    publish_levels(&loop, fill);
    fill->depth = loop.base + (uint32_t)(level - loop.levels);
    fill->parents += parents;
    track->open_count = (size_t)(open - track->open);
    run->last_ns = last_ns;
    run->clamped += clamped;
    return mark;
}

/* Takes a mark, and the one after it if these are a zone without children. */
static int take_mark(struct zone_batch *run, const struct td_zone_mark **at, const struct td_zone_mark *end,
                     struct td_err *err)
{
    const struct td_zone_mark *mark = (*at)++;
    if (mark->srcloc == TD_ZONE_MARK_END)
        return close_zone(run, mark, err);
    const int64_t start_ns = run_time(run, mark->time_ns);
    const uint32_t srcloc = mark->srcloc < run->srclocs ? mark->srcloc : 0;
    if (mark + 1 == end || mark[1].srcloc != TD_ZONE_MARK_END)
        return open_zone(run, start_ns, srcloc);
    const int64_t end_ns = run_time(run, (*at)++->time_ns);
    return td_fill_enter(&run->track->fill, start_ns, td_trace_length_(start_ns, end_ns), srcloc, 0);
}

static int take_run(struct td_trace *trace, struct track *track, uint32_t number,
                    const struct td_zone_mark *marks, size_t count, struct td_err *err)
{
    struct zone_batch run = {trace, track, number, td_dict_srcloc_count(trace->dict), 0, 0};
    const struct td_zone_mark *mark = marks, *const end = marks + count;
    struct td_err own = {0};
    int rc = 0;
    run_begin(&run);
    while (mark < end && rc == 0) {
        if (end - mark >= MANY && track->fill.row_count)
            mark = take_many(&run, mark, end);
        if (mark < end)
            rc = take_mark(&run, &mark, end, &own);
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
