/* Counting for tendril info. */
#include "host/base/plain_text.h"
#include "host/base/wrap.h"
#include "host/tools/info/info.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK TD_SERIES_ROWS

static uint64_t count_all_open(const struct td_series *row)
{
    uint64_t count = td_series_count(row), open = 0;
    for (uint64_t i = 0; i < count; i += BLOCK) {
        int64_t durations[BLOCK];
        uint64_t n = count - i < BLOCK ? count - i : BLOCK;
        td_series_read(row, TD_ZONE_DURATION, i, n, durations);
        for (uint64_t k = 0; k < n; k++)
            open += durations[k] < 0;
    }
    return open;
}

/* In a thread, only the last zone of a row can be open, and only if its parent is. In a GPU context, any zone
 * can. */
static uint64_t count_open(const struct td_trace *trace, uint32_t track)
{
    int gpu = td_dict_get_track(td_trace_dict(trace), track)->context != 0;
    uint64_t open = 0;
    for (uint32_t r = 0; r < td_trace_rows(trace, track); r++) {
        const struct td_series *row = td_trace_row(trace, track, r);
        uint64_t count = td_series_count(row);
        if (gpu)
            open += count_all_open(row);
        else if (count && td_series_get(row, count - 1, TD_ZONE_DURATION) < 0)
            open++;
        else
            break;
    }
    return open;
}

struct info_track info_track(const struct td_trace *trace, uint32_t track)
{
    struct info_track s = {.zones = td_trace_track_zones(trace, track), .first_ns = 0, .last_ns = -1};
    const struct td_series *roots = td_trace_row(trace, track, 0);
    uint64_t count = roots ? td_series_count(roots) : 0;
    for (uint64_t i = 0; i < count; i += BLOCK) {
        int64_t starts[BLOCK], durations[BLOCK];
        uint64_t n = count - i < BLOCK ? count - i : BLOCK;
        td_series_read(roots, TD_ZONE_START, i, n, starts);
        td_series_read(roots, TD_ZONE_DURATION, i, n, durations);
        for (uint64_t k = 0; k < n; k++) {
            int64_t length = durations[k] < 0 ? 0 : durations[k];
            int64_t end = td_wrap_add(starts[k], length);
            s.first_ns = i + k ? s.first_ns : starts[k];
            s.last_ns = end > s.last_ns ? end : s.last_ns;
            s.busy_ns = td_wrap_add(s.busy_ns, length);
        }
    }
    s.open = count_open(trace, track);
    return s;
}

/* What the track of a GPU context is called: the context, the thread that sent the zones, the line. */
static void name_gpu_track(const struct td_trace *trace, const struct td_track *track, char *room)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_series *contexts = td_trace_table(trace, TD_TABLE_GPU_CONTEXT);
    const uint64_t context = track->context - 1;
    char name[INFO_TRACK_BYTES / 3] = "", thread[INFO_TRACK_BYTES / 3] = "", line[32] = "";
    if (context < td_series_count(contexts))
        td_plain_copy(name, sizeof name,
                      td_dict_text(dict, (uint32_t)td_series_get(contexts, context, TD_GPU_CONTEXT_NAME)));
    if (!*name)
        snprintf(name, sizeof name, "GPU context %" PRIu64, context);
    for (uint32_t t = 0; track->thread && t < td_dict_track_count(dict) && !*thread; t++) {
        const struct td_track *other = td_dict_get_track(dict, t);
        if (!other->context && other->thread == track->thread && other->name)
            td_plain_copy(thread, sizeof thread, td_dict_text(dict, other->name));
    }
    if (track->kind == TD_TRACK_CORE)
        snprintf(thread, sizeof thread, "chip %u tile %u,%u core %u", track->chip, track->x, track->y,
                 track->core);
    else if (track->thread && !*thread)
        snprintf(thread, sizeof thread, "row %" PRIu64, track->thread);
    if (track->line)
        snprintf(line, sizeof line, ", line %" PRIu32, track->line + 1);
    snprintf(room, INFO_TRACK_BYTES, "%s%s%s%s", name, *thread ? ": " : "", thread, line);
}

const char *info_track_name(const struct td_trace *trace, uint32_t number, char room[INFO_TRACK_BYTES])
{
    const struct td_track *track = td_dict_get_track(td_trace_dict(trace), number);
    const char *name = td_dict_text(td_trace_dict(trace), track->name);
    if (track->name && !track->line)
        return name;
    if (track->name) {
        td_plain_copy(room, INFO_TRACK_BYTES - 32, name);
        snprintf(room + strlen(room), 32, ", line %" PRIu32, track->line + 1);
    } else if (track->context) {
        name_gpu_track(trace, track, room);
    } else {
        return "???";
    }
    return room;
}

void info_count_names(const struct td_trace *trace, uint32_t track, struct info_count *counts)
{
    for (uint32_t r = 0; r < td_trace_rows(trace, track); r++) {
        const struct td_series *row = td_trace_row(trace, track, r);
        int64_t durations[BLOCK], srclocs[BLOCK];
        for (uint64_t i = 0; i < td_series_count(row); i += BLOCK) {
            uint64_t n = td_series_count(row) - i < BLOCK ? td_series_count(row) - i : BLOCK;
            td_series_read(row, TD_ZONE_DURATION, i, n, durations);
            td_series_read(row, TD_ZONE_SRCLOC, i, n, srclocs);
            for (uint64_t k = 0; k < n; k++) {
                struct info_count *c = &counts[srclocs[k]];
                c->open += durations[k] < 0;
                c->finished += durations[k] >= 0;
                c->total_ns = td_wrap_add(c->total_ns, durations[k] < 0 ? 0 : durations[k]);
            }
        }
    }
}

struct info_totals info_totals(const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct info_totals all = {0};
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        struct info_track s = info_track(trace, t);
        if (track->context) {
            all.gpu_rows++;
            all.gpu_zones += s.zones;
            all.gpu_open += s.open;
            continue;
        }
        all.cores += track->kind == TD_TRACK_CORE;
        all.threads += track->kind != TD_TRACK_CORE;
        all.zones += s.zones;
        all.open += s.open;
    }
    return all;
}

const char *info_version(char *to, size_t bytes, uint32_t version)
{
    to[0] = 0;
    if (version)
        snprintf(to, bytes, "%u.%u.%u", version >> 16, version >> 8 & 255, version & 255);
    return to;
}

const char *info_gpu_type(int64_t type)
{
    static const char *const names[] = {"none",  "OpenGL", "Vulkan", "OpenCL", "Direct3D 12", "Direct3D 11",
                                        "Metal", "custom", "CUDA",   "ROCm",   "WebGPU"};
    if (type >= 0 && type < (int64_t)(sizeof names / sizeof *names))
        return names[type];
    return type == 100 ? "Tenstorrent" : "unknown";
}

struct info_release {
    int64_t time_ns, bytes;
};

static int by_time(const void *a, const void *b)
{
    const struct info_release *x = a, *y = b;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

int info_pool(const struct td_trace *trace, uint64_t pool, struct info_pool *found)
{
    const struct td_series *events = td_trace_list(trace, TD_TABLE_MEMORY, pool);
    uint64_t count = td_series_count(events), frees = 0, f = 0, usage = 0;
    struct info_release *releases = malloc((count + 1) * sizeof *releases);
    *found = (struct info_pool){.events = count};
    if (!releases)
        return TD_E_NOMEM;
    for (uint64_t i = 0; i < count; i++) {
        int64_t time = td_series_get(events, i, TD_MEMORY_FREE_TIME);
        int64_t bytes = td_series_get(events, i, TD_MEMORY_SIZE);
        if (time >= 0) {
            releases[frees++] = (struct info_release){time, bytes};
        } else {
            found->active++;
            found->active_bytes += (uint64_t)bytes;
        }
    }
    qsort(releases, frees, sizeof *releases, by_time);
    for (uint64_t i = 0; i < count; i++) {
        while (f < frees && releases[f].time_ns <= td_series_get(events, i, TD_MEMORY_TIME))
            usage -= (uint64_t)releases[f++].bytes;
        usage += (uint64_t)td_series_get(events, i, TD_MEMORY_SIZE);
        found->peak_bytes = usage > found->peak_bytes && usage < INT64_MAX ? usage : found->peak_bytes;
    }
    free(releases);
    return 0;
}
