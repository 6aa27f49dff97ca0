/* td_trace_finish(): nests and sorts everything, once. */
#include "host/base/parallel.h"
#include "host/trace/gpu_lines.h"
#include "host/trace/model.h"
#include "host/trace/track_line.h"

#include <stdio.h>
#include <stdlib.h>

#define WHILE_FINISHING "while finishing the trace"

#define WORTH_THREADS 100000 /* rows or zones */
#define MOST_LINES    200    /* tracks of zones of one track that overlap */

/* Work for several threads; an item is a track or a list. The first error is reported. */
struct finish {
    struct td_trace *trace;
    enum td_table table;
    unsigned column;
    pthread_mutex_t lock;
    struct td_err *err;
};

static int keep_error(struct finish *f, const struct td_err *own)
{
    pthread_mutex_lock(&f->lock);
    if (f->err && !f->err->code)
        td_fail(f->err, own->code, "%s", own->text);
    pthread_mutex_unlock(&f->lock);
    return own->code;
}

/* Zones that are still open stay unfinished. */
static int close_track(struct td_trace *trace, struct track *track, struct td_err *err)
{
    int rc = td_trace_settles_(track) ? td_trace_settle_(trace, track, err) : 0;
    while (rc == 0 && track->open_count)
        rc = td_trace_close_(trace, track, TD_OPEN, err);
    if (rc < 0)
        return rc;
    free(track->open);
    track->open = NULL;
    track->open_capacity = 0;
    td_trace_free_batch_(track);
    if (!td_trace_waits_(track))
        td_fill_end(&track->fill);
    rc = track->lines ? td_gpu_lines_finish(track->lines, 0) : 0;
    td_gpu_lines_destroy(track->lines);
    track->lines = NULL;
    return rc < 0 ? td_fail_no_memory(err, WHILE_FINISHING) : 0;
}

static int finish_track(struct td_trace *trace, uint32_t number, bool may_move, struct td_err *err)
{
    struct track *track = td_trace_track_(trace, number);
    if (!track)
        return td_fail_no_memory(err, WHILE_FINISHING);
    int rc = track->arrived ? td_trace_nest_(trace, number, track, may_move, err) : 0;
    const struct rows *rows = track->rows;
    for (uint32_t r = 0; rc == 0 && rows && r < rows->count; r++) {
        if (td_series_seal(rows->at[r]) < 0)
            rc = td_fail_no_memory(err, WHILE_FINISHING);
        track->zones += td_series_count(rows->at[r]);
    }
    return rc;
}

/* A further track for zones of `of` that overlap others. Its number; UINT32_MAX: no memory. */
static uint32_t add_line(struct td_trace *trace, const struct td_track *of, uint32_t line)
{
    char name[256];
    struct td_track track = *of;
    const char *text = td_dict_text(trace->dict, of->name);
    snprintf(name, sizeof name, "%.200s, line %u", of->name ? text : "thread", line + 1);
    track.thread |= (uint64_t)line << TD_TRACK_LINE_SHIFT;
    track.kind = TD_TRACK_THREAD;
    track.name = td_dict_cstring(trace->dict, name);
    return track.name == UINT32_MAX ? UINT32_MAX : td_dict_track(trace->dict, &track);
}

/* Gives zones that overlap others of their track as many tracks of their own as they need. */
static int spread_lines(struct td_trace *trace, uint32_t number, struct td_err *err)
{
    const struct td_track of = *td_dict_get_track(trace->dict, number);
    struct track *from = td_trace_track_(trace, number);
    int rc = 0;
    for (uint32_t line = 1; rc == 0 && from->elsewhere_count; line++) {
        const uint32_t next = add_line(trace, &of, line);
        struct track *to = next == UINT32_MAX ? NULL : td_trace_track_(trace, next);
        if (!to)
            return td_fail_no_memory(err, WHILE_FINISHING);
        to->mode = MODE_ARRIVED;
        for (size_t i = 0; rc == 0 && i < from->elsewhere_count; i++) {
            struct arrived zone = from->elsewhere[i];
            zone.span = SPAN_BY_TIME;
            rc = td_trace_arrive_(trace, to, &zone, err);
        }
        free(from->elsewhere);
        from->elsewhere = NULL;
        from->elsewhere_count = 0;
        rc = rc ? rc : finish_track(trace, next, line < MOST_LINES, err);
        from = to;
    }
    return rc;
}

/* The latest time in a track. It is that of the last zone of a row. */
static int64_t last_time(const struct td_trace *trace, uint32_t number)
{
    int64_t last = 0;
    for (uint32_t r = 0, rows = td_trace_rows(trace, number); r < rows; r++) {
        const struct td_series *row = td_trace_row(trace, number, r);
        uint64_t at = td_series_count(row) - 1;
        int64_t start = td_series_get(row, at, TD_ZONE_START),
                duration = td_series_get(row, at, TD_ZONE_DURATION);
        int64_t end = duration > 0 ? td_trace_end_(start, duration) : start;
        last = end > last ? end : last;
    }
    return last;
}

static int track_item(void *self, size_t item, unsigned worker)
{
    struct finish *f = self;
    struct td_err own = {0};
    if (!td_trace_find_track_(f->trace, (uint32_t)item))
        return 0;
    const bool may_move = !td_dict_get_track(f->trace->dict, (uint32_t)item)->context;
    int rc = finish_track(f->trace, (uint32_t)item, may_move, &own);
    return rc < 0 ? keep_error(f, &own) : 0;
}

static int list_item(void *self, size_t item, unsigned worker)
{
    struct finish *f = self;
    if (!td_series_count(td_trace_list(f->trace, f->table, item)))
        return 0;
    struct td_series *list = td_trace_fill_list(f->trace, f->table, item);
    bool changed = false;
    int rc = f->column == TD_SERIES_COLUMNS ? 0 : td_trace_sort_(list, f->column, &changed);
    if (rc == 0 && changed && f->table == TD_TABLE_FRAME)
        td_trace_clamp_(f->trace, 1);
    if (rc < 0 || td_series_seal(list) < 0) {
        struct td_err own = {0};
        td_fail_no_memory(&own, WHILE_FINISHING);
        return keep_error(f, &own);
    }
    return 0;
}

static int finish_table(struct finish *f, enum td_table table)
{
    f->table = table;
    f->column = td_trace_time_column_(table);
    uint64_t lists = td_trace_lists(f->trace, table), rows = 0;
    for (uint64_t i = 0; i < lists && lists > 1; i++)
        rows += td_series_count(td_trace_list(f->trace, table, i));
    return td_parallel(rows >= WORTH_THREADS ? 0 : 1, lists, list_item, f);
}

/* Fills TRACK_MESSAGE: for each track the numbers of its messages. */
static int list_messages(struct td_trace *trace, struct td_err *err)
{
    const struct td_series *messages = td_trace_table(trace, TD_TABLE_MESSAGE);
    uint64_t count = td_series_count(messages);
    if (td_trace_lists(trace, TD_TABLE_TRACK_MESSAGE))
        return 0;
    for (uint64_t i = td_series_first(messages); i < count; i++) {
        uint64_t track = (uint64_t)td_series_next(messages, i, TD_MESSAGE_TRACK);
        const int64_t row[] = {(int64_t)i};
        if (track >= td_dict_track_count(trace->dict))
            continue;
        struct td_series *list = td_trace_fill_list(trace, TD_TABLE_TRACK_MESSAGE, track);
        if (!list || td_series_append(list, row) < 0)
            return td_fail_no_memory(err, WHILE_FINISHING);
    }
    return 0;
}

static void find_last_time(struct td_trace *trace)
{
    int64_t last = trace->last_time_ns;
    for (uint32_t t = 0; t < trace->tracks.count; t++) {
        int64_t own = last_time(trace, t);
        last = own > last ? own : last;
    }
    if (trace->info.last_time_ns < last)
        trace->info.last_time_ns = last;
}

static int close_tracks(struct td_trace *trace, uint64_t *arrived, struct td_err *err)
{
    for (uint32_t t = 0; t < trace->tracks.count; t++) {
        struct track *track = (struct track *)(uintptr_t)td_trace_find_track_(trace, t);
        int rc = track ? close_track(trace, track, err) : 0;
        if (rc < 0)
            return rc;
        if (track && track->arrived)
            td_series_settle(&track->arrivals); /* saves memory; failing does no harm */
        *arrived += track ? track->arrived : 0;
    }
    td_store_trim(trace->scratch);
    return 0;
}

/* The first frame of the base set begins at time 0, whichever process the set is of. */
static void set_first_frame(struct td_trace *trace)
{
    const struct td_series *frames = td_trace_list(trace, TD_TABLE_FRAME, 0);
    if (trace->origin_ns && td_series_count(frames) && !td_series_first(frames))
        td_series_set(td_trace_fill_list(trace, TD_TABLE_FRAME, 0), 0, TD_FRAME_START, trace->origin_ns);
}

bool td_trace_is_finished(const struct td_trace *trace)
{
    return __atomic_load_n(&trace->finished, __ATOMIC_ACQUIRE) == FINISHED;
}

int td_trace_finish(struct td_trace *trace, struct td_err *err)
{
    if (trace->finished)
        return td_fail(err, TD_E_USAGE, "the trace is already finished");
    __atomic_store_n(&trace->finished, FINISHING, __ATOMIC_RELEASE);
    struct finish f = {.trace = trace, .err = err};
    uint64_t many = 0;
    pthread_mutex_init(&f.lock, NULL);
    set_first_frame(trace);
    int rc = close_tracks(trace, &many, err);
    if (rc == 0)
        rc = td_parallel(many >= WORTH_THREADS ? 0 : 1, trace->tracks.count, track_item, &f);
    for (uint32_t t = 0, tracks = trace->tracks.count; rc == 0 && t < tracks; t++)
        if (td_trace_find_track_(trace, t) && td_trace_find_track_(trace, t)->elsewhere_count)
            rc = spread_lines(trace, t, err);
    for (int table = 0; rc == 0 && table < TD_TABLE_COUNT; table++) {
        if (table != TD_TABLE_TRACK_MESSAGE)
            rc = finish_table(&f, (enum td_table)table);
    }
    rc = rc ? rc : list_messages(trace, err);
    rc = rc ? rc : finish_table(&f, TD_TABLE_TRACK_MESSAGE);
    pthread_mutex_destroy(&f.lock);
    if (rc == 0 && td_trace_move_(trace) < 0)
        rc = td_fail_no_memory(err, WHILE_FINISHING);
    find_last_time(trace);
    td_store_trim(trace->store); /* all rows are packed now */
    if (rc == 0) {
        td_store_destroy(trace->scratch);
        trace->scratch = NULL;
    }
    if (rc == 0)
        __atomic_store_n(&trace->finished, FINISHED, __ATOMIC_RELEASE);
    return rc;
}
