/* Creating, destroying and reading the model. */
#include "host/trace/gpu_lines.h"
#include "host/trace/model.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH_PART 2 /* arrived zones may take 1 / SCRATCH_PART of the memory limit in addition to it */

struct td_trace *td_trace_create(struct td_dict *dict)
{
    return td_trace_create_within(dict, 0);
}

struct td_trace *td_trace_create_within(struct td_dict *dict, uint64_t memory_bytes)
{
    struct td_trace *trace = dict ? calloc(1, sizeof *trace) : NULL;
    struct td_store *store = trace ? td_store_create(memory_bytes) : NULL;
    struct td_store *scratch = store ? td_store_create(memory_bytes / SCRATCH_PART) : NULL;
    if (!scratch) {
        td_store_destroy(store);
        free(trace);
        td_dict_destroy(dict);
        return NULL;
    }
    trace->store = store;
    trace->scratch = scratch;
    trace->dict = dict;
    trace->info.timer_mul = 1.0;
    trace->info.resolution_ns = 1;
    pthread_mutex_init(&trace->stats_lock, NULL);
    pthread_mutex_init(&trace->fill_lock, NULL);
    pthread_mutex_init(&trace->lookup_lock, NULL);
    return trace;
}

static void *take_for_dict(void *store, size_t bytes)
{
    return td_store_alloc(store, bytes);
}

void td_trace_spill_early(struct td_trace *trace, uint64_t kept_bytes, const char *folder)
{
    td_store_set_folder(trace->store, folder);
    td_store_set_folder(trace->scratch, folder);
    td_store_spill_early(trace->store, kept_bytes);
    td_store_spill_early(trace->scratch, kept_bytes / SCRATCH_PART);
    trace->dict_memory = (struct td_interner_memory){take_for_dict, trace->store};
    td_dict_use_memory(trace->dict, &trace->dict_memory);
}

static void free_track(struct track *track)
{
    for (size_t i = 0; i < track->open_count; i++)
        free(track->open[i].text);
    free(track->open);
    free(track->elsewhere);
    td_trace_free_batch_(track);
    td_gpu_lines_destroy(track->lines);
}

void td_trace_destroy(struct td_trace *trace)
{
    if (!trace)
        return;
    for (uint32_t i = 0; i < trace->tracks.count; i++) {
        uint64_t at;
        unsigned k = td_trace_place_(i, &at);
        if (trace->tracks.groups[k])
            free_track(&trace->tracks.groups[k][at]);
    }
    td_trace_free_forgetting_(trace);
    td_map_finish(&trace->stacks.map);
    td_map_finish(&trace->frames.map);
    td_map_finish(&trace->symbols.map);
    free(trace->stats[0].stats);
    free(trace->stats[1].stats);
    free(trace->info.capture_name);
    free(trace->info.program);
    free(trace->info.host_info);
    free(trace->info.salvaged);
    pthread_mutex_destroy(&trace->stats_lock);
    pthread_mutex_destroy(&trace->fill_lock);
    pthread_mutex_destroy(&trace->lookup_lock);
    td_dict_destroy(trace->dict);
    td_store_destroy(trace->store);
    td_store_destroy(trace->scratch);
    free(trace);
}

struct td_trace_info *td_trace_edit_info(struct td_trace *trace)
{
    return &trace->info;
}

const struct td_trace_info *td_trace_get_info(const struct td_trace *trace)
{
    return &trace->info;
}

int td_trace_set_string(char **field, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return TD_E_NOMEM;
    free(*field);
    *field = copy;
    return 0;
}

const struct td_dict *td_trace_dict(const struct td_trace *trace)
{
    return trace->dict;
}

struct td_dict *td_trace_fill_dict(struct td_trace *trace)
{
    return trace->dict;
}

uint64_t td_trace_clamped(const struct td_trace *trace)
{
    return __atomic_load_n(&trace->clamped, __ATOMIC_RELAXED);
}

size_t td_trace_messages(const struct td_trace *trace)
{
    return td_series_count(td_trace_table(trace, TD_TABLE_MESSAGE));
}

struct td_message td_trace_message(const struct td_trace *trace, size_t index)
{
    const struct td_series *table = td_trace_table(trace, TD_TABLE_MESSAGE);
    int64_t row[TD_MESSAGE_COLUMN_COUNT];
    if (index >= td_series_count(table))
        return (struct td_message){0};
    td_series_row(table, index, row);
    return (struct td_message){
        .time_ns = row[TD_MESSAGE_TIME],
        .track = (uint32_t)row[TD_MESSAGE_TRACK],
        .text = (uint32_t)row[TD_MESSAGE_TEXT],
        .color = (uint32_t)row[TD_MESSAGE_COLOR],
        .stack = (uint32_t)row[TD_MESSAGE_STACK],
        .source = (uint8_t)row[TD_MESSAGE_SOURCE],
        .severity = (uint8_t)row[TD_MESSAGE_SEVERITY],
    };
}

size_t td_trace_track_messages(const struct td_trace *trace, uint32_t track)
{
    return td_series_count(td_trace_list(trace, TD_TABLE_TRACK_MESSAGE, track));
}

size_t td_trace_track_message(const struct td_trace *trace, uint32_t track, size_t index)
{
    const struct td_series *list = td_trace_list(trace, TD_TABLE_TRACK_MESSAGE, track);
    return index < td_series_count(list) ? (size_t)td_series_get(list, index, TD_TRACK_MESSAGE_MESSAGE)
                                         : SIZE_MAX;
}

size_t td_trace_plot_points(const struct td_trace *trace, uint32_t plot)
{
    return td_series_count(td_trace_list(trace, TD_TABLE_POINT, plot));
}

struct td_plot_point td_trace_plot_point(const struct td_trace *trace, uint32_t plot, size_t index)
{
    const struct td_series *list = td_trace_list(trace, TD_TABLE_POINT, plot);
    struct td_plot_point point = {0};
    if (index >= td_series_count(list))
        return point;
    int64_t row[TD_POINT_COLUMN_COUNT];
    td_series_row(list, index, row);
    point.time_ns = row[TD_POINT_TIME];
    memcpy(&point.value, &row[TD_POINT_VALUE], sizeof point.value);
    return point;
}

size_t td_trace_frames(const struct td_trace *trace, uint32_t frame_set)
{
    return td_series_count(td_trace_list(trace, TD_TABLE_FRAME, frame_set));
}

struct td_frame td_trace_frame(const struct td_trace *trace, uint32_t frame_set, size_t index)
{
    const struct td_series *list = td_trace_list(trace, TD_TABLE_FRAME, frame_set);
    size_t count = td_series_count(list);
    if (index >= count)
        return (struct td_frame){0};
    int64_t row[TD_FRAME_COLUMN_COUNT];
    td_series_row(list, index, row);
    struct td_frame frame = {row[TD_FRAME_START], row[TD_FRAME_END], row[TD_FRAME_IMAGE]};
    int continuous;
    td_dict_get_frame_set(trace->dict, frame_set, &continuous);
    if (continuous)
        frame.end_ns = index + 1 < count ? td_series_get(list, index + 1, TD_FRAME_START) : TD_OPEN;
    else if (frame.end_ns < 0)
        frame.end_ns = TD_OPEN;
    return frame;
}

size_t td_trace_app_infos(const struct td_trace *trace)
{
    return td_series_count(td_trace_table(trace, TD_TABLE_APP_INFO));
}

uint32_t td_trace_app_info(const struct td_trace *trace, size_t index)
{
    const struct td_series *table = td_trace_table(trace, TD_TABLE_APP_INFO);
    return index < td_series_count(table) ? (uint32_t)td_series_get(table, index, TD_APP_INFO_TEXT) : 0;
}

const struct td_crash *td_trace_crash(const struct td_trace *trace)
{
    return __atomic_load_n(&trace->crashed, __ATOMIC_ACQUIRE) ? &trace->crash : NULL;
}

void td_trace_set_crash(struct td_trace *trace, const struct td_crash *crash)
{
    if (trace->crashed)
        return;
    trace->crash = *crash;
    __atomic_store_n(&trace->crashed, 1, __ATOMIC_RELEASE);
}
