/* The notice: counts data that a version cannot hold, and makes one line about it. */
#include "host/file/writer.h"
#include "host/trace/fill.h"
#include "host/trace/track_line.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t count_rows(const struct writer *w, enum td_table table)
{
    return td_series_count(td_trace_table(w->trace, table));
}

/* The number of values in a column, which this version lacks, that differ from the value that readers will
 * use instead: that of the column `like` or, if `like` is -1, `missing`. */
static uint64_t lost_values(const struct writer *w, enum td_table table, unsigned column, int like,
                            int64_t missing)
{
    uint64_t lost = 0, lists = td_table_get_shape(table)->each ? td_trace_lists(w->trace, table) : 1;
    for (uint64_t k = 0; k < lists; k++) {
        const struct td_series *series = td_trace_list(w->trace, table, k);
        uint64_t count = td_series_count(series);
        for (uint64_t i = 0; i < count; i++)
            lost += td_series_next(series, i, column) !=
                    (like >= 0 ? td_series_get(series, i, (unsigned)like) : missing);
    }
    return lost;
}

static void count_messages(struct writer *w)
{
    const struct td_series *messages = td_trace_table(w->trace, TD_TABLE_MESSAGE);
    if (w->version >= TD_FILE_VERSION(0, 13, 2) || w->strip & TD_STRIP_MESSAGES)
        return;
    for (uint64_t i = 0; i < td_series_count(messages); i++)
        w->dropped[TD_DROPPED_SEVERITIES] += td_series_next(messages, i, TD_MESSAGE_SOURCE) != 0 ||
                                             td_series_get(messages, i, TD_MESSAGE_SEVERITY) != 2;
}

/* Only threads: the hints of cores, and of their further tracks, follow from their places. */
static void count_hints(struct writer *w)
{
    if (w->version >= TD_FILE_VERSION(0, 11, 1))
        return;
    for (uint32_t t = 0; t < td_dict_track_count(w->dict); t++) {
        const struct td_track *track = td_dict_get_track(w->dict, t);
        w->dropped[TD_DROPPED_HINTS] += track->group_hint != 0 && track->kind == TD_TRACK_THREAD &&
                                        !track->context && !td_track_line(track);
    }
}

static void count_queries(struct writer *w, uint32_t track)
{
    for (uint32_t r = 0; r < td_trace_rows(w->trace, track); r++) {
        const struct td_series *row = td_trace_row(w->trace, track, r);
        if (!row || row->columns != TD_ZONE_GPU_COLUMNS)
            return;
        for (uint64_t i = 0; i < td_series_count(row); i++)
            w->dropped[TD_DROPPED_QUERIES] += (td_series_next(row, i, TD_ZONE_QUERY) & UINT16_MAX) != 0;
    }
}

static void count_gpu(struct writer *w)
{
    const struct td_series *contexts = td_trace_table(w->trace, TD_TABLE_GPU_CONTEXT);
    for (uint64_t i = 0; i < td_series_count(contexts); i++) {
        bool known;
        td_writer_gpu_type_(w, td_series_get(contexts, i, TD_GPU_CONTEXT_TYPE), &known);
        w->dropped[TD_DROPPED_TYPES] += !known;
        if (w->version < TD_FILE_VERSION(0, 12, 4))
            w->dropped[TD_DROPPED_NOTES] += td_series_count(td_trace_list(w->trace, TD_TABLE_GPU_NOTE, i));
    }
    for (uint32_t t = 0; w->version < TD_FILE_VERSION(0, 12, 4) && t < td_dict_track_count(w->dict); t++)
        count_queries(w, t);
}

static void count_sections(struct writer *w)
{
    if (w->version < TD_FILE_VERSION(0, 13, 4))
        w->dropped[TD_DROPPED_SECTIONS] = count_rows(w, TD_TABLE_SECTION);
    else if (w->version < TD_FILE_VERSION(0, 13, 5))
        w->dropped[TD_DROPPED_CATEGORIES] = count_rows(w, TD_TABLE_SECTION_CATEGORY);
}

static void count_old(struct writer *w)
{
    if (w->version < TD_FILE_VERSION(0, 9, 2))
        w->dropped[TD_DROPPED_ON_DEMAND] = (w->info->on_demand != 0) != (w->info->frame_offset != 0);
    for (uint32_t i = 0; w->version < TD_FILE_VERSION(0, 10, 0) && i < td_dict_plot_count(w->dict); i++) {
        const struct td_plot *plot = td_dict_get_plot(w->dict, i);
        w->dropped[TD_DROPPED_POWER] += plot->kind == TD_PLOT_POWER || plot->format > 2;
    }
}

/* Samples whose call stack has no number are left out: readers look it up unchecked. */
static void count_samples(struct writer *w, enum td_table table)
{
    for (uint64_t k = 0; k < td_trace_lists(w->trace, table) && !(w->strip & TD_STRIP_SAMPLES); k++) {
        const struct td_series *samples = td_trace_list(w->trace, table, k);
        for (uint64_t i = 0; i < td_series_count(samples); i++)
            w->dropped[TD_DROPPED_SAMPLES] +=
                td_series_next(samples, i, TD_SAMPLE_STACK) > TD_FILE_STACK_LIMIT;
    }
}

/* Data that no version can hold. */
static void count_too_many(struct writer *w)
{
    const struct td_series *stacks = td_trace_table(w->trace, TD_TABLE_STACK);
    int64_t begin = 0;
    if (td_series_count(stacks) > TD_FILE_STACK_LIMIT + 1) {
        w->dropped[TD_DROPPED_STACKS] = td_series_count(stacks) - TD_FILE_STACK_LIMIT - 1;
        count_samples(w, TD_TABLE_SAMPLE);
        count_samples(w, TD_TABLE_SWITCH_SAMPLE);
    }
    for (uint64_t i = 0; i < td_series_count(stacks); i++) {
        int64_t end = td_series_next(stacks, i, TD_STACK_END);
        w->dropped[TD_DROPPED_ENTRIES] += end - begin > UINT16_MAX ? (uint64_t)(end - begin - UINT16_MAX) : 0;
        begin = end;
    }
    for (uint64_t i = 0; i < count_rows(w, TD_TABLE_LOCK) && !(w->strip & TD_STRIP_LOCKS); i++) {
        const struct td_series *events = td_trace_list(w->trace, TD_TABLE_LOCK_EVENT, i);
        if (td_series_count(td_trace_list(w->trace, TD_TABLE_LOCK_THREAD, i)) <= TD_FILE_LOCK_THREADS)
            continue;
        for (uint64_t k = 0; k < td_series_count(events); k++)
            w->dropped[TD_DROPPED_LOCK_THREADS] +=
                td_series_next(events, k, TD_LOCK_EVENT_THREAD) >= TD_FILE_LOCK_THREADS;
    }
    uint64_t cpus = td_trace_lists(w->trace, TD_TABLE_CPU_SWITCH);
    if (cpus > TD_FILE_CPU_LISTS && !(w->strip & TD_STRIP_SWITCHES))
        w->dropped[TD_DROPPED_CPUS] = cpus - TD_FILE_CPU_LISTS;
}

void td_writer_count_dropped_(struct writer *w)
{
    if (w->version < TD_FILE_VERSION(0, 11, 2))
        w->dropped[TD_DROPPED_DIES] = lost_values(w, TD_TABLE_TOPOLOGY, TD_TOPOLOGY_DIE, -1, 0);
    if (w->version < TD_FILE_VERSION(0, 11, 3) && !(w->strip & TD_STRIP_SWITCHES))
        w->dropped[TD_DROPPED_WAKEUPS] =
            lost_values(w, TD_TABLE_SWITCH, TD_SWITCH_WAKEUP_CPU, TD_SWITCH_CPU, 0);
    count_messages(w);
    count_hints(w);
    count_gpu(w);
    count_sections(w);
    count_old(w);
    count_too_many(w);
}

/* Adds a count to a line, as far as there is room. */
static void add_count(char *to, size_t bytes, uint64_t count, const char *one, const char *many)
{
    size_t at = strlen(to);
    if (count)
        snprintf(to + at, bytes - at, "%s%" PRIu64 " %s", at ? ", " : "", count, count == 1 ? one : many);
}

void td_writer_make_notice_(struct writer *w)
{
    static const struct {
        const char *one, *many;
    } names[] = {
#define TD_X(name, one, many) {one, many},
        TD_DROPPED(TD_X)
#undef TD_X
    };
    struct td_file_notice *n = &w->notice;
    char moved[200] = "";
    for (size_t i = 0; i < TD_DROPPED_COUNT; i++)
        add_count(n->dropped, sizeof n->dropped, w->dropped[i], names[i].one, names[i].many);
    add_count(moved, sizeof moved, n->folded_locations,
              "source location beyond the limit of 65532 is merged with others",
              "source locations beyond the limit of 65532 are merged into one");
    add_count(moved, sizeof moved, n->clamped_times,
              "time outside 0 .. 39 hours was moved to the nearest bound",
              "times outside 0 .. 39 hours were moved to the nearest bound");
    char left_out[800] = "";
    add_count(left_out, sizeof left_out, n->dropped_texts, "text beyond what the format holds",
              "texts beyond what the format holds");
    add_count(left_out, sizeof left_out, n->dropped_extras, "text, name or colour of a device zone",
              "texts, names and colours of device zones");
    size_t at = strlen(left_out);
    snprintf(left_out + at, sizeof left_out - at, "%s%s", at && n->dropped[0] ? ", " : "", n->dropped);
    if (left_out[0])
        snprintf(n->text, sizeof n->text, "the file (version %u.%u.%u) cannot hold %s", w->version >> 16,
                 w->version >> 8 & 255, w->version & 255, left_out);
    at = strlen(n->text);
    if (moved[0])
        snprintf(n->text + at, sizeof n->text - at, "%s%s", at ? "; " : "", moved);
}
