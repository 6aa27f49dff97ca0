/* The model's life, its fields and how they are read. */
#include "host/base/grow.h"
#include "host/trace/model.h"

#include <stdarg.h>
#include <stdio.h>

struct td_trace *td_trace_create(struct td_dict *dict)
{
    return td_trace_create_within(dict, 0);
}

struct td_trace *td_trace_create_within(struct td_dict *dict, uint64_t memory_bytes)
{
    struct td_trace *trace = dict ? calloc(1, sizeof *trace) : NULL;
    struct td_store *store = trace ? td_store_create(memory_bytes) : NULL;
    if (!store) {
        free(trace);
        td_dict_destroy(dict);
        return NULL;
    }
    trace->store = store;
    trace->dict = dict;
    trace->info.timer_mul = 1.0;
    trace->info.resolution_ns = 1;
    pthread_mutex_init(&trace->stats_lock, NULL);
    return trace;
}

static void track_finish(struct track *track)
{
    for (uint32_t r = 0; r < track->row_count; r++)
        free(track->rows[r].start_ns);
    free(track->rows);
    while (track->last) {
        struct arrived_chunk *previous = track->last->previous;
        free(track->last);
        track->last = previous;
    }
    for (size_t i = 0; i < track->open_count; i++)
        free(track->open[i].text);
    free(track->open);
}

void td_trace_destroy(struct td_trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->track_count; i++)
        track_finish(&trace->tracks[i]);
    for (size_t i = 0; i < trace->plot_count; i++)
        free(trace->plots[i].points);
    for (size_t i = 0; i < trace->frame_set_count; i++)
        free(trace->frame_sets[i].frames);
    free(trace->tracks);
    free(trace->plots);
    free(trace->frame_sets);
    free(trace->extras);
    free(trace->messages);
    free(trace->message_order);
    free(trace->app_infos);
    free(trace->stats);
    free(trace->info.capture_name);
    free(trace->info.program);
    free(trace->info.host_info);
    pthread_mutex_destroy(&trace->stats_lock);
    td_dict_destroy(trace->dict);
    td_store_destroy(trace->store);
    free(trace);
}

struct td_trace_info *td_trace_info(struct td_trace *trace)
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
    return trace->clamped;
}

static const struct row *find_row(const struct td_trace *trace, uint32_t track, uint32_t row)
{
    static const struct row none;
    if (track >= trace->track_count || row >= trace->tracks[track].row_count)
        return &none;
    return &trace->tracks[track].rows[row];
}

uint32_t td_trace_rows(const struct td_trace *trace, uint32_t track)
{
    return track < trace->track_count ? trace->tracks[track].row_count : 0;
}

size_t td_trace_row_zones(const struct td_trace *trace, uint32_t track, uint32_t row)
{
    return find_row(trace, track, row)->count;
}

uint64_t td_trace_track_zones(const struct td_trace *trace, uint32_t track)
{
    return track < trace->track_count ? trace->tracks[track].zones : 0;
}

uint64_t td_trace_track_parents(const struct td_trace *trace, uint32_t track)
{
    return track < trace->track_count ? trace->tracks[track].parents : 0;
}

int td_trace_row_has_extras(const struct td_trace *trace, uint32_t track, uint32_t row)
{
    return find_row(trace, track, row)->extra != NULL;
}

struct td_zone td_trace_zone(const struct td_trace *trace, uint32_t track, uint32_t row, size_t index)
{
    const struct row *r = find_row(trace, track, row);
    if (index >= r->count)
        return (struct td_zone){0};
    struct td_zone zone = {
        .start_ns = r->start_ns[index],
        .end_ns = r->end_ns[index],
        .srcloc = r->srcloc[index],
        .child_begin = index ? r->child_end[index - 1] : 0,
        .child_end = r->child_end[index],
    };
    if (r->extra && r->extra[index]) {
        const struct extra *extra = &trace->extras[r->extra[index]];
        zone.text = extra->text;
        zone.name = extra->name;
        zone.color = extra->color;
    }
    return zone;
}

size_t td_trace_zone_after(const struct td_trace *trace, uint32_t track, uint32_t row, int64_t time_ns)
{
    const struct row *r = find_row(trace, track, row);
    size_t low = 0, high = r->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->end_ns[middle] > time_ns)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

size_t td_trace_messages(const struct td_trace *trace)
{
    return trace->message_count;
}

struct td_message td_trace_message(const struct td_trace *trace, size_t index)
{
    return index < trace->message_count ? trace->messages[index] : (struct td_message){0};
}

size_t td_trace_track_messages(const struct td_trace *trace, uint32_t track)
{
    return track < trace->track_count ? trace->tracks[track].message_count : 0;
}

size_t td_trace_track_message(const struct td_trace *trace, uint32_t track, size_t index)
{
    if (index >= td_trace_track_messages(trace, track))
        return SIZE_MAX;
    return trace->message_order[trace->tracks[track].message_first + index];
}

size_t td_trace_plot_points(const struct td_trace *trace, uint32_t plot)
{
    return plot < trace->plot_count ? trace->plots[plot].count : 0;
}

struct td_point td_trace_plot_point(const struct td_trace *trace, uint32_t plot, size_t index)
{
    return index < td_trace_plot_points(trace, plot) ? trace->plots[plot].points[index]
                                                     : (struct td_point){0};
}

size_t td_trace_frames(const struct td_trace *trace, uint32_t frame_set)
{
    return frame_set < trace->frame_set_count ? trace->frame_sets[frame_set].count : 0;
}

struct td_frame td_trace_frame(const struct td_trace *trace, uint32_t frame_set, size_t index)
{
    size_t count = td_trace_frames(trace, frame_set);
    if (index >= count)
        return (struct td_frame){0};
    const struct td_frame *frames = trace->frame_sets[frame_set].frames;
    struct td_frame frame = frames[index];
    int continuous;
    td_dict_get_frame_set(trace->dict, frame_set, &continuous);
    if (continuous)
        frame.end_ns = index + 1 < count ? frames[index + 1].start_ns : TD_OPEN;
    return frame;
}

size_t td_trace_app_infos(const struct td_trace *trace)
{
    return trace->app_info_count;
}

uint32_t td_trace_app_info(const struct td_trace *trace, size_t index)
{
    return index < trace->app_info_count ? trace->app_infos[index] : 0;
}

const struct td_crash *td_trace_crash(const struct td_trace *trace)
{
    return trace->crashed ? &trace->crash : NULL;
}

int td_trace_note(struct td_trace *trace, const char *key, const char *format, ...)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "%s: ", key);
    if (n < 0 || (size_t)n >= sizeof text)
        return TD_E_USAGE;
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    va_end(args);
    uint32_t string = td_dict_cstring(trace->dict, text);
    if (string == UINT32_MAX)
        return TD_E_NOMEM;
    struct td_event event = {.kind = TD_EVENT_APP_INFO, .a = string};
    struct td_sink sink = td_trace_sink(trace);
    return sink.events(sink.self, &event, 1, NULL);
}

const char *td_trace_get_note(const struct td_trace *trace, const char *key, size_t index)
{
    size_t bytes = strlen(key);
    for (size_t i = 0; i < trace->app_info_count; i++) {
        const char *text = td_dict_text(trace->dict, trace->app_infos[i]);
        if (!strncmp(text, key, bytes) && text[bytes] == ':' && text[bytes + 1] == ' ' && index-- == 0)
            return text + bytes + 2;
    }
    return NULL;
}
