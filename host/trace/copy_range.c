/* Which rows of a table overlap the range of time that is copied. */
#include "host/trace/copy_internal.h"

#include <string.h>

struct span_columns {
    uint8_t start, end; /* 1 + the column; 0: none */
};

/* Tables of things that happen at a time, or last for some time. Others are copied whole. */
static const struct span_columns spans[TD_TABLE_COUNT] = {
    [TD_TABLE_MESSAGE] = {1 + TD_MESSAGE_TIME, 0},
    [TD_TABLE_POINT] = {1 + TD_POINT_TIME, 0},
    [TD_TABLE_FRAME] = {1 + TD_FRAME_START, 1 + TD_FRAME_END},
    [TD_TABLE_LOCK_EVENT] = {1 + TD_LOCK_EVENT_TIME, 0},
    [TD_TABLE_MEMORY] = {1 + TD_MEMORY_TIME, 1 + TD_MEMORY_FREE_TIME},
    [TD_TABLE_SAMPLE] = {1 + TD_SAMPLE_TIME, 0},
    [TD_TABLE_SWITCH_SAMPLE] = {1 + TD_SWITCH_SAMPLE_TIME, 0},
    [TD_TABLE_SWITCH] = {1 + TD_SWITCH_START, 1 + TD_SWITCH_END},
    [TD_TABLE_CPU_SWITCH] = {1 + TD_CPU_SWITCH_START, 1 + TD_CPU_SWITCH_END},
    [TD_TABLE_HW_CYCLES] = {1 + TD_HW_CYCLES_TIME, 0},
    [TD_TABLE_HW_RETIRED] = {1 + TD_HW_RETIRED_TIME, 0},
    [TD_TABLE_HW_CACHE_REFERENCES] = {1 + TD_HW_CACHE_REFERENCES_TIME, 0},
    [TD_TABLE_HW_CACHE_MISSES] = {1 + TD_HW_CACHE_MISSES_TIME, 0},
    [TD_TABLE_HW_BRANCHES] = {1 + TD_HW_BRANCHES_TIME, 0},
    [TD_TABLE_HW_BRANCH_MISSES] = {1 + TD_HW_BRANCH_MISSES_TIME, 0},
    [TD_TABLE_SECTION] = {1 + TD_SECTION_START, 1 + TD_SECTION_END},
};

unsigned td_copy_start_column_(enum td_table table)
{
    return spans[table].start ? spans[table].start - 1u : TD_SERIES_COLUMNS;
}

unsigned td_copy_end_column_(enum td_table table)
{
    return spans[table].end ? spans[table].end - 1u : TD_SERIES_COLUMNS;
}

/* A frame of a continuous set lasts until the next one begins. */
static void read_frame_ends(const struct td_series *frames, uint64_t first, unsigned count, int64_t *ends)
{
    uint64_t left = td_series_count(frames) - first - 1;
    unsigned known = left < count ? (unsigned)left : count;
    if (known)
        td_series_read(frames, TD_FRAME_START, first + 1, known, ends);
    for (unsigned i = known; i < count; i++)
        ends[i] = -1;
}

static void select_messages(const struct copy_run *run, uint64_t first, unsigned count, uint8_t *keep)
{
    int64_t tracks[TD_SERIES_ROWS];
    td_series_read(td_trace_table(run->from, TD_TABLE_MESSAGE), TD_MESSAGE_TRACK, first, count, tracks);
    for (unsigned i = 0; i < count; i++)
        keep[i] &= td_copy_has_track_(run, (uint64_t)tracks[i]);
}

void td_copy_select_(const struct copy_run *run, enum td_table table, uint64_t parent, uint64_t begin,
                     uint64_t first, unsigned count, uint8_t *keep)
{
    const struct td_series *list = td_trace_list(run->from, table, parent);
    const int64_t from_ns = run->options->from_ns, until_ns = run->options->until_ns;
    unsigned start = td_copy_start_column_(table), end = td_copy_end_column_(table);
    int64_t starts[TD_SERIES_ROWS], ends[TD_SERIES_ROWS];
    int continuous = 0;
    memset(keep, 1, count);
    if (table == TD_TABLE_MESSAGE && run->options->tracks)
        select_messages(run, first, count, keep);
    if (!run->ranged || start == TD_SERIES_COLUMNS)
        return;
    td_series_read(list, start, first, count, starts);
    if (table == TD_TABLE_FRAME)
        td_dict_get_frame_set(run->from_dict, (uint32_t)parent, &continuous);
    if (continuous)
        read_frame_ends(list, first, count, ends);
    else if (end < TD_SERIES_COLUMNS)
        td_series_read(list, end, first, count, ends);
    for (unsigned i = 0; i < count; i++) {
        bool lasts = end < TD_SERIES_COLUMNS && (ends[i] < 0 || ends[i] > from_ns);
        bool is_late = starts[i] >= from_ns || table == TD_TABLE_LOCK_EVENT;
        keep[i] &= first + i >= begin && starts[i] < until_ns && (is_late || lasts);
    }
}

/* The last event at or before the range at which no thread has the lock or waits for it. */
static uint64_t find_idle_lock(const struct copy_run *run, const struct td_series *events)
{
    enum { WAIT, OBTAIN, RELEASE, KINDS };
    uint64_t waiting = 0, idle = 0, holding = 0, count = td_series_count(events);
    for (uint64_t i = td_series_first(events); i < count; i++) {
        int64_t row[TD_LOCK_EVENT_COLUMN_COUNT];
        td_series_row(events, i, row);
        if (!waiting && !holding)
            idle = i;
        if (row[TD_LOCK_EVENT_TIME] >= run->options->from_ns)
            break;
        uint64_t thread = UINT64_C(1) << (row[TD_LOCK_EVENT_THREAD] & 63);
        switch (row[TD_LOCK_EVENT_KIND] % KINDS) {
        case WAIT:
            waiting |= thread;
            break;
        case OBTAIN:
            waiting &= ~thread;
            holding++;
            break;
        default:
            holding -= holding > 0;
        }
        if (i + 1 == count && !waiting && !holding)
            idle = count;
    }
    return idle;
}

uint64_t td_copy_list_begin_(const struct copy_run *run, enum td_table table, uint64_t parent)
{
    if (!run->ranged || table != TD_TABLE_LOCK_EVENT)
        return 0;
    return find_idle_lock(run, td_trace_list(run->from, table, parent));
}

void td_copy_find_images_(struct copy_run *run)
{
    run->image_first = 0;
    run->image_end = (int64_t)td_series_count(td_trace_table(run->from, TD_TABLE_IMAGE));
    if (!run->ranged)
        return;
    run->image_first = run->image_end;
    run->image_end = 0;
    for (uint64_t set = 0; set < td_trace_lists(run->from, TD_TABLE_FRAME); set++) {
        const struct td_series *frames = td_trace_list(run->from, TD_TABLE_FRAME, set);
        uint64_t count = td_series_count(frames);
        for (uint64_t first = td_series_first(frames); first < count; first += TD_SERIES_ROWS) {
            unsigned n = count - first < TD_SERIES_ROWS ? (unsigned)(count - first) : TD_SERIES_ROWS;
            int64_t images[TD_SERIES_ROWS];
            uint8_t keep[TD_SERIES_ROWS];
            td_copy_select_(run, TD_TABLE_FRAME, set, 0, first, n, keep);
            td_series_read(frames, TD_FRAME_IMAGE, first, n, images);
            for (unsigned i = 0; i < n; i++) {
                if (!keep[i] || images[i] < 0)
                    continue;
                run->image_first = images[i] < run->image_first ? images[i] : run->image_first;
                run->image_end = images[i] >= run->image_end ? images[i] + 1 : run->image_end;
            }
        }
    }
}
