#include "host/query/code/samples.h"
#include "host/base/code_address.h"
#include "host/query/code/zone_samples.h"
#include "host/base/grow.h"
#include "host/trace/tables.h"

#include <stdlib.h>

#define BLOCK TD_SERIES_ROWS

struct walk {
    const struct td_trace *trace;
    const struct td_samples_choice *choice;
    const struct td_progress *progress;
    uint64_t done, all;
    struct td_zone_samples zones; /* for choice->within */
};

int td_samples_step(const struct td_progress *progress, uint64_t done, uint64_t total)
{
    return progress && progress->step && progress->step(progress->self, done, total) ? TD_E_STOPPED : 0;
}

static enum td_table table_of(const struct td_samples_choice *choice)
{
    return choice->kind == TD_SAMPLES_WAITING ? TD_TABLE_SWITCH_SAMPLE : TD_TABLE_SAMPLE;
}

/* Rows from the first one on that is not before the time. */
static uint64_t row_at(const struct td_series *series, unsigned column, int64_t time_ns)
{
    return time_ns == INT64_MIN ? 0 : td_series_after(series, column, time_ns - 1);
}

static void find_range(const struct td_samples_choice *choice, const struct td_series *series,
                       uint64_t *first, uint64_t *end)
{
    *first = td_series_first(series);
    *end = td_series_count(series);
    if (!choice->from_ns && !choice->to_ns)
        return;
    uint64_t from = row_at(series, TD_SAMPLE_TIME, choice->from_ns),
             to = row_at(series, TD_SAMPLE_TIME, choice->to_ns);
    *first = from > *first ? from : *first;
    *end = to < *end ? to : *end;
    *end = *end > *first ? *end : *first;
}

/* The samples of context switches, which are in both lists, are taken out of the block. Both lists are in order
 * of time. Recorders join stacks of one time, so the time decides; where it is not known (0), the stack does. */
static size_t drop_switches(const struct td_series *switches, uint64_t *at, int64_t *times, int64_t *stacks,
                            size_t count)
{
    const uint64_t all = td_series_count(switches);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t next = 0;
        while (*at < all && (next = td_series_get(switches, *at, TD_SWITCH_SAMPLE_TIME)) < times[i])
            ++*at;
        if (*at < all && next == times[i] &&
            (next || td_series_get(switches, *at, TD_SWITCH_SAMPLE_STACK) == stacks[i])) {
            ++*at;
            continue;
        }
        times[kept] = times[i];
        stacks[kept++] = stacks[i];
    }
    return kept;
}

static int walk_track(struct walk *w, uint32_t track, td_samples_take *take, void *self)
{
    const struct td_series *series = td_trace_list(w->trace, table_of(w->choice), track),
                           *switches = td_trace_list(w->trace, TD_TABLE_SWITCH_SAMPLE, track);
    int64_t times[BLOCK], stacks[BLOCK];
    uint64_t first, end;
    find_range(w->choice, series, &first, &end);
    uint64_t at = td_series_count(switches);
    if (w->choice->kind == TD_SAMPLES_RUNNING && first < end)
        at = row_at(switches, TD_SWITCH_SAMPLE_TIME, td_series_get(series, first, TD_SAMPLE_TIME));
    for (uint64_t i = first; i < end; i += BLOCK) {
        size_t n = (size_t)(end - i < BLOCK ? end - i : BLOCK);
        if ((w->done / BLOCK) % 1024 == 0 && td_samples_step(w->progress, w->done, w->all) < 0)
            return TD_E_STOPPED;
        w->done += n;
        td_series_read(series, TD_SAMPLE_TIME, i, n, times);
        td_series_read(series, TD_SAMPLE_STACK, i, n, stacks);
        if (at < td_series_count(switches))
            n = drop_switches(switches, &at, times, stacks, n);
        if (w->choice->within)
            n = td_zone_samples_keep(&w->zones, track, times, stacks, n);
        int rc = n ? take(self, track, times, stacks, n) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

int td_samples_walk(const struct td_trace *trace, const struct td_samples_choice *choice,
                    const struct td_progress *progress, td_samples_take *take, void *self)
{
    struct walk w = {.trace = trace,
                     .choice = choice,
                     .progress = progress,
                     .all = td_trace_table_rows(trace, table_of(choice))};
    const uint64_t lists = td_trace_lists(trace, table_of(choice));
    const uint64_t count = choice->tracks ? choice->track_count : lists;
    int rc = td_samples_step(progress, 0, w.all);
    if (rc == 0 && choice->within)
        rc = td_zone_samples_init(&w.zones, trace, choice->within);
    for (uint64_t i = 0; i < count && rc == 0; i++) {
        uint32_t track = choice->tracks ? choice->tracks[i] : (uint32_t)i;
        if (track < lists)
            rc = walk_track(&w, track, take, self);
    }
    td_zone_samples_free(&w.zones);
    return rc;
}

static int count_samples(void *self, uint32_t track, const int64_t *times, const int64_t *stacks,
                         size_t count)
{
    *(uint64_t *)self += count;
    return 0;
}

uint64_t td_samples_of_track(const struct td_trace *trace, const struct td_samples_choice *choice,
                             uint32_t track)
{
    struct td_samples_choice one = *choice;
    uint64_t count = 0;
    one.tracks = &track;
    one.track_count = 1;
    td_samples_walk(trace, &one, NULL, count_samples, &count);
    return count;
}

/* ---- counts ---- */

static int count_stacks(void *self, uint32_t track, const int64_t *times, const int64_t *stacks, size_t count)
{
    struct td_stack_counts *counts = self;
    for (size_t i = 0; i < count; i++)
        if ((uint64_t)stacks[i] < counts->stacks) {
            counts->at[stacks[i]]++;
            counts->total++;
        }
    return 0;
}

int td_stack_counts_make(const struct td_trace *trace, const struct td_samples_choice *choice,
                         const struct td_progress *progress, struct td_stack_counts *counts,
                         struct td_err *err)
{
    *counts =
        (struct td_stack_counts){.stacks = (size_t)td_series_count(td_trace_table(trace, TD_TABLE_STACK))};
    counts->at = calloc(counts->stacks + 1, sizeof *counts->at);
    if (!counts->at)
        return td_fail_no_memory(err, "for samples");
    int rc = td_samples_walk(trace, choice, progress, count_stacks, counts);
    return rc < 0 ? td_fail(err, rc, rc == TD_E_NOMEM ? "out of memory" : "stopped") : 0;
}

void td_stack_counts_free(struct td_stack_counts *counts)
{
    free(counts->at);
    free(counts->bytes);
    *counts = (struct td_stack_counts){0};
}

/* ---- levels ---- */

int td_levels_add_frame(struct td_levels *levels, const struct td_trace *trace, uint64_t id, uint32_t frame)
{
    const struct td_series *frames = td_trace_table(trace, TD_TABLE_STACK_FRAME),
                           *lines = td_trace_table(trace, TD_TABLE_STACK_LINE);
    uint64_t first, end;
    const int64_t row = td_trace_frame_lines(trace, id, &first, &end);
    struct td_level level = {.address = td_frame_address(id), .frame = frame};
    level.is_kernel = td_is_kernel_address(level.address) && !(id & TD_FRAME_SCRIPTED);
    if (first < end)
        level.image = (uint32_t)td_series_get(frames, (uint64_t)row, TD_STACK_FRAME_IMAGE);
    const uint64_t count = first < end ? end - first : 1;
    if (td_grow(&levels->at, &levels->capacity, levels->count + count, sizeof *levels->at) < 0)
        return TD_E_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        if (first < end) {
            int64_t line[TD_STACK_LINE_COLUMN_COUNT];
            td_series_row(lines, first + i, line);
            level.function = (uint32_t)line[TD_STACK_LINE_FUNCTION];
            level.file = (uint32_t)line[TD_STACK_LINE_FILE];
            level.line = (uint32_t)line[TD_STACK_LINE_LINE];
            level.symbol = (uint64_t)line[TD_STACK_LINE_SYMBOL];
        }
        level.is_inlined = i + 1 < count;
        levels->at[levels->count++] = level;
    }
    return 0;
}

int td_levels_read(struct td_levels *levels, const struct td_trace *trace, uint32_t stack)
{
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    uint64_t first, count;
    levels->count = 0;
    td_trace_stack(trace, stack, &first, &count);
    for (uint64_t i = 0; i < count; i++)
        if (td_levels_add_frame(levels, trace, (uint64_t)td_series_get(entries, first + i, 0), (uint32_t)i) <
            0)
            return TD_E_NOMEM;
    return 0;
}

void td_levels_free(struct td_levels *levels)
{
    free(levels->at);
    *levels = (struct td_levels){0};
}

uint64_t td_level_key(const struct td_level *level)
{
    /* No address of a symbol has these upper bits: they differ from bits 62 and 61. */
    return level->symbol ? level->symbol : level->function ? UINT64_C(1) << 63 | level->function : 0;
}
