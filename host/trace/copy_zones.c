/* Copies the zones of all tracks, row by row. */
#include "host/base/parallel.h"
#include "host/trace/copy_internal.h"
#include "host/trace/walk.h"

#include <stdlib.h>

struct copied_row {
    uint64_t count;    /* zones of the row, at the time when the copy began */
    uint64_t low, end; /* those that are copied */
};

/* A track on its way. */
struct copied_track {
    struct copy_run *run;
    uint32_t from, to;
    uint32_t row_count;
    struct copied_row *rows; /* one more than the track has */
    uint64_t parents;
};

/* A zone overlaps if it ends after the range's begin and begins before its end. Then its parent does, too. */
static bool ends_after(int64_t start_ns, int64_t duration_ns, int64_t time_ns)
{
    return duration_ns < 0 || td_trace_end_(start_ns, duration_ns) > time_ns;
}

static uint64_t find_low(const struct td_series *row, const struct copied_row *r, int64_t from_ns)
{
    /* Zones of a row do not overlap: only the last that begins at or before from_ns can last longer. But in
     * a damaged trace an earlier one may be open. */
    uint64_t at = td_series_after(row, TD_ZONE_START, from_ns);
    at = at < r->end ? at : r->end;
    while (at > r->low && ends_after(td_series_get(row, at - 1, TD_ZONE_START),
                                     td_series_get(row, at - 1, TD_ZONE_DURATION), from_ns))
        at--;
    return at;
}

/* Sets `low` and `end` of each row. A row's children follow from their parents, so that each zone that is
 * copied has its parent. */
static void select_rows(struct copied_track *t)
{
    const struct td_copy_options *o = t->run->options;
    for (uint32_t r = 0; r < t->row_count; r++) {
        struct copied_row *now = &t->rows[r], *below = now + 1;
        const struct td_series *row = td_trace_row(t->run->from, t->from, r);
        if (!r)
            now->end = now->count;
        if (t->run->ranged && row) {
            uint64_t end = td_series_after(row, TD_ZONE_START, o->until_ns - 1);
            now->end = end < now->end ? end : now->end;
            now->low = now->low < now->end ? find_low(row, now, o->from_ns) : now->end;
        }
        if (!row)
            continue;
        below->low = now->low ? (uint64_t)td_series_get(row, now->low - 1, TD_ZONE_CHILD_END) : 0;
        below->end = now->end == now->count ? below->count
                     : now->end             ? (uint64_t)td_series_get(row, now->end - 1, TD_ZONE_CHILD_END)
                                            : 0;
        below->end = below->end < below->count ? below->end : below->count;
        below->low = below->low < below->end ? below->low : below->end;
    }
}

static int measure_track(struct copied_track *t)
{
    t->row_count = td_trace_rows(t->run->from, t->from);
    t->rows = calloc((size_t)t->row_count + 2, sizeof *t->rows);
    if (!t->rows)
        return TD_E_NOMEM;
    for (uint32_t r = t->row_count; r-- > 0;) /* deepest first: parents of counted zones are counted */
        t->rows[r].count = td_trace_row_zones(t->run->from, t->from, r);
    select_rows(t);
    return 0;
}

/* ---- one block of zones ---- */

static void move_times(const struct copy_run *run, struct td_zones *z)
{
    const struct td_copy_options *o = run->options;
    for (uint32_t i = 0; i < z->count; i++) {
        int64_t start = z->column[TD_ZONE_START][i], duration = z->column[TD_ZONE_DURATION][i];
        int64_t end = duration < 0 ? TD_OPEN : td_trace_end_(start, duration);
        if (run->ranged && o->clip) {
            start = start < o->from_ns ? o->from_ns : start;
            end = duration >= 0 && end > o->until_ns ? o->until_ns : end;
        }
        z->column[TD_ZONE_START][i] = td_time_line_at(&o->clock, start);
        if (duration >= 0)
            z->column[TD_ZONE_DURATION][i] =
                td_trace_length_(z->column[TD_ZONE_START][i], td_time_line_at(&o->clock, end));
    }
}

static void change_lengths(const struct copied_track *t, uint32_t r, struct td_zones *z)
{
    const struct td_copy_options *o = t->run->options;
    for (uint32_t i = 0; o->length && i < z->count; i++)
        if (z->column[TD_ZONE_DURATION][i] >= 0)
            z->column[TD_ZONE_DURATION][i] =
                o->length(o->length_self, t->from, r, z->first + i, z->column[TD_ZONE_START][i],
                          z->column[TD_ZONE_DURATION][i]);
}

static int move_extras(struct copy_run *run, struct td_zones *z)
{
    const struct td_series *extras = td_trace_table(run->from, TD_TABLE_EXTRA);
    uint64_t count = td_series_count(extras);
    for (uint32_t i = 0; i < z->count; i++) {
        uint64_t extra = (uint64_t)z->column[TD_ZONE_EXTRA][i];
        int64_t row[TD_EXTRA_COLUMN_COUNT];
        if (!extra || !run->ranged) {
            z->column[TD_ZONE_EXTRA][i] = extra ? (int64_t)(extra + run->base[TD_TABLE_EXTRA]) : 0;
            continue;
        }
        if (extra >= count) {
            z->column[TD_ZONE_EXTRA][i] = 0;
            continue;
        }
        td_series_row(extras, extra, row);
        struct extra copy = {.stack = row[TD_EXTRA_STACK] ? (uint32_t)(row[TD_EXTRA_STACK] +
                                                                       (int64_t)run->base[TD_TABLE_STACK])
                                                          : 0,
                             .text = td_copy_zone_text_(run, (uint64_t)row[TD_EXTRA_TEXT]),
                             .name = td_copy_string_(run, (uint64_t)row[TD_EXTRA_NAME]),
                             .color = (uint32_t)row[TD_EXTRA_COLOR]};
        z->column[TD_ZONE_EXTRA][i] = td_trace_extra_(run->to, &copy);
        if (!z->column[TD_ZONE_EXTRA][i] || run->failed)
            return TD_E_NOMEM;
    }
    return 0;
}

static void move_children(struct copied_track *t, uint32_t r, struct td_zones *z)
{
    const struct copied_row *row = &t->rows[r], *below = row + 1;
    for (uint32_t i = 0; i < z->count; i++) {
        uint64_t end = (uint64_t)z->column[TD_ZONE_CHILD_END][i];
        /* Only the last zone of a row may get more children; a zone that was the last when the copy began
         * has those that were counted. */
        if (z->first + i + 1 == row->count)
            end = below->count;
        end = end < below->end ? end : below->end;
        z->column[TD_ZONE_CHILD_END][i] = (int64_t)(end > below->low ? end - below->low : 0);
    }
}

static void move_gpu(struct copy_run *run, struct td_zones *z)
{
    const struct td_time_line *clock = &run->options->clock;
    for (uint32_t i = 0; i < z->count; i++) {
        int64_t start = z->column[TD_ZONE_CPU_START][i], duration = z->column[TD_ZONE_CPU_DURATION][i];
        z->column[TD_ZONE_CPU_START][i] = td_time_line_at(clock, start);
        if (duration >= 0)
            z->column[TD_ZONE_CPU_DURATION][i] = td_trace_length_(
                z->column[TD_ZONE_CPU_START][i], td_time_line_at(clock, td_trace_end_(start, duration)));
        z->column[TD_ZONE_THREAD][i] = (int64_t)td_copy_thread_(run, (uint64_t)z->column[TD_ZONE_THREAD][i]);
    }
}

static int append_block(struct td_series *to, const struct td_zones *z)
{
    for (uint32_t done = 0; done < z->count;) {
        if (td_series_reserve(to) < 0)
            return TD_E_NOMEM;
        uint32_t n = td_series_room_(to);
        n = n < z->count - done ? n : z->count - done;
        for (unsigned c = 0; c < to->columns; c++)
            for (uint32_t i = 0; i < n; i++)
                __atomic_store_n(to->tail + ((size_t)c << to->tail_log2) + to->tail_rows + i,
                                 z->column[c][done + i], __ATOMIC_RELAXED);
        td_series_publish_many_(to, n);
        done += n;
    }
    return 0;
}

/* ---- one row, one track ---- */

static int copy_row(struct copied_track *t, uint32_t r, struct td_series *to)
{
    const struct td_series *from = td_trace_row(t->run->from, t->from, r);
    struct td_zones z;
    int64_t before = 0;
    unsigned columns = to->columns;
    if (from && from->columns != columns)
        return TD_E_USAGE;
    for (uint64_t at = t->rows[r].low; from && at < t->rows[r].end; at += z.count) {
        if (!td_trace_zones_read(t->run->from, t->from, r, at, (1u << columns) - 1, &z))
            return TD_E_USAGE;
        if (z.count > t->rows[r].end - at)
            z.count = (uint32_t)(t->rows[r].end - at);
        move_times(t->run, &z);
        change_lengths(t, r, &z);
        move_children(t, r, &z);
        for (uint32_t i = 0; i < z.count; i++)
            z.column[TD_ZONE_SRCLOC][i] = td_copy_number_(t->run->locations, t->run->locations_count,
                                                          (uint64_t)z.column[TD_ZONE_SRCLOC][i]);
        if (move_extras(t->run, &z) < 0)
            return TD_E_NOMEM;
        if (columns == TD_ZONE_GPU_COLUMNS)
            move_gpu(t->run, &z);
        for (uint32_t i = 0; i < z.count; i++) {
            t->parents += z.column[TD_ZONE_CHILD_END][i] != before;
            before = z.column[TD_ZONE_CHILD_END][i];
        }
        if (append_block(to, &z) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

static int copy_track(struct copy_run *run, uint32_t from)
{
    struct copied_track t = {.run = run, .from = from, .to = run->tracks[from]};
    if (!td_trace_rows(run->from, from))
        return 0;
    struct track *track = td_trace_track_(run->to, t.to);
    int rc = track ? measure_track(&t) : TD_E_NOMEM;
    uint32_t depths = 0;
    while (rc == 0 && depths < t.row_count && t.rows[depths].low < t.rows[depths].end)
        depths++;
    if (rc == 0 && depths)
        rc = td_trace_make_rows_(run->to, &track->rows, depths + 1, td_trace_zone_columns_(run->to, t.to));
    for (uint32_t r = depths; rc == 0 && r-- > 0;) {
        rc = copy_row(&t, r, track->rows->at[r]);
        td_series_settle(track->rows->at[r]); /* saves memory; failing does no harm */
    }
    if (track)
        __atomic_fetch_add(&track->parents, t.parents, __ATOMIC_RELAXED);
    free(t.rows);
    return rc;
}

/* ---- all tracks ---- */

static bool is_in_context(const struct copy_run *run, size_t track)
{
    return td_dict_get_track(run->from_dict, (uint32_t)track)->context != 0;
}

static int copy_item(void *self, size_t item, unsigned worker)
{
    struct copy_run *run = self;
    return is_in_context(run, item) || !td_copy_has_track_(run, item) ? 0 : copy_track(run, (uint32_t)item);
}

int td_copy_zones_(struct copy_run *run, struct td_err *err)
{
    /* Threads of GPU zones and, with a range, rows of EXTRA are numbered in order. */
    int rc = td_parallel(run->ranged ? 1 : run->options->threads, run->tracks_count, copy_item, run);
    for (uint32_t t = 0; rc == 0 && t < run->tracks_count; t++)
        rc = is_in_context(run, t) && td_copy_has_track_(run, t) ? copy_track(run, t) : 0;
    if (rc == TD_E_USAGE)
        return td_fail(err, rc, "zones of a track changed while they were copied");
    return rc < 0 ? td_fail_no_memory(err, "while copying zones") : 0;
}
