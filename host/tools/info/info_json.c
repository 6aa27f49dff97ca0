/* tendril info --json: see docs/info-json.md. */
#include "host/base/wrap.h"
#include "host/tools/info/info.h"
#include "host/trace/clock_parts.h"
#include "host/trace/lost_note.h"
#include "host/trace/tables.h"
#include "proto/chip_map.h"

#include <stdio.h>
#include <stdlib.h>

static void json_location(struct td_json *j, const struct td_dict *dict, uint32_t srcloc)
{
    const struct td_srcloc *loc = td_dict_get_srcloc(dict, srcloc);
    td_json_string(j, "name", td_dict_zone_name(dict, srcloc));
    td_json_string(j, "function", td_dict_text(dict, loc->function));
    td_json_string(j, "file", td_dict_text(dict, loc->file));
    td_json_uint(j, "line", loc->line);
    td_json_bool(j, "wait", loc->flags & TD_SRCLOC_WAIT);
    td_json_bool(j, "lost", loc->flags & TD_SRCLOC_LOST);
}

static void json_track_names(struct td_json *j, const struct td_trace *trace, uint32_t track,
                             struct info_count *counts)
{
    const struct td_dict *dict = td_trace_dict(trace);
    info_count_names(trace, track, counts);
    td_json_array(j, "names");
    for (uint32_t s = 0; s < td_dict_srcloc_count(dict); s++) {
        if (!counts[s].finished && !counts[s].open)
            continue;
        td_json_object(j, NULL);
        td_json_string(j, "name", td_dict_zone_name(dict, s));
        td_json_string(j, "file", td_dict_text(dict, td_dict_get_srcloc(dict, s)->file));
        td_json_uint(j, "line", td_dict_get_srcloc(dict, s)->line);
        td_json_uint(j, "count", counts[s].finished);
        td_json_uint(j, "open", counts[s].open);
        td_json_int(j, "total_ns", counts[s].total_ns);
        td_json_end_object(j);
        counts[s] = (struct info_count){0};
    }
    td_json_end_array(j);
}

static void json_track(struct td_json *j, const struct td_trace *trace, uint32_t number,
                       struct info_count *counts)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_track *track = td_dict_get_track(dict, number);
    struct info_track s = info_track(trace, number);
    char name[INFO_TRACK_BYTES];
    td_json_object(j, NULL);
    td_json_uint(j, "thread", track->thread);
    td_json_string(j, "name", info_track_name(trace, number, name));
    td_json_string(j, "kind", track->kind == TD_TRACK_CORE ? "core" : track->context ? "gpu" : "thread");
    if (track->context)
        td_json_uint(j, "context", track->context - 1);
    else
        td_json_null(j, "context");
    td_json_uint(j, "line", track->line);
    if (track->kind == TD_TRACK_CORE) {
        td_json_uint(j, "chip", track->chip);
        td_json_uint(j, "x", track->x);
        td_json_uint(j, "y", track->y);
        td_json_uint(j, "core", track->core);
        td_json_bool(j, "synced", !track->unsynced);
    }
    td_json_bool(j, "fiber", track->fiber);
    td_json_int(j, "group_hint", track->group_hint);
    td_json_uint(j, "zones", s.zones);
    td_json_uint(j, "open_zones", s.open);
    td_json_uint(j, "depth", td_trace_rows(trace, number));
    td_json_uint(j, "messages", td_trace_track_messages(trace, number));
    td_json_uint(j, "samples", td_series_count(td_trace_list(trace, TD_TABLE_SAMPLE, number)));
    td_json_int(j, "busy_ns", s.busy_ns);
    if (s.first_ns <= s.last_ns) {
        td_json_int(j, "first_ns", s.first_ns);
        td_json_int(j, "last_ns", s.last_ns);
    } else {
        td_json_null(j, "first_ns");
        td_json_null(j, "last_ns");
    }
    json_track_names(j, trace, number, counts);
    td_json_end_object(j);
}

static void json_stats(struct td_json *j, const struct td_trace *trace, const char *key,
                       const struct td_stat *stats, size_t count)
{
    td_json_array(j, key);
    for (size_t i = 0; i < count; i++) {
        td_json_object(j, NULL);
        json_location(j, td_trace_dict(trace), stats[i].srcloc);
        td_json_uint(j, "count", stats[i].count);
        td_json_uint(j, "open", stats[i].open);
        td_json_int(j, "total_ns", stats[i].total_ns);
        td_json_int(j, "self_ns", stats[i].self_ns);
        td_json_double(j, "mean_ns", stats[i].mean_ns);
        td_json_int(j, "min_ns", stats[i].min_ns);
        td_json_int(j, "max_ns", stats[i].max_ns);
        td_json_double(j, "std_ns", stats[i].std_ns);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static void json_plots(struct td_json *j, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    td_json_array(j, "plots");
    for (uint32_t p = 0; p < td_dict_plot_count(dict); p++) {
        size_t points = td_trace_plot_points(trace, p);
        double min = 0, max = 0, sum = 0;
        for (size_t i = 0; i < points; i++) {
            double value = td_trace_plot_point(trace, p, i).value;
            min = i == 0 || value < min ? value : min;
            max = i == 0 || value > max ? value : max;
            sum += value;
        }
        td_json_object(j, NULL);
        td_json_string(j, "name", td_dict_text(dict, td_dict_get_plot(dict, p)->name));
        td_json_uint(j, "points", points);
        td_json_double(j, "min", min);
        td_json_double(j, "max", max);
        td_json_double(j, "sum", sum);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

/* Times of finished frames. The first entry of the base set is no frame. */
static void json_frame_times(struct td_json *j, const struct td_trace *trace, uint32_t set)
{
    size_t count = td_trace_frames(trace, set);
    int64_t min = 0, max = 0, total = 0;
    uint64_t timed = 0;
    for (size_t i = set == 0; i < count; i++) {
        struct td_frame frame = td_trace_frame(trace, set, i);
        if (frame.end_ns == TD_OPEN || frame.end_ns < frame.start_ns)
            continue;
        int64_t length = frame.end_ns - frame.start_ns;
        min = timed == 0 || length < min ? length : min;
        max = length > max ? length : max;
        total = td_wrap_add(total, length);
        timed++;
    }
    td_json_uint(j, "timed", timed);
    td_json_int(j, "min_ns", min);
    td_json_int(j, "max_ns", max);
    td_json_double(j, "mean_ns", timed ? (double)total / (double)timed : 0);
}

static void json_frame_sets(struct td_json *j, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    td_json_array(j, "frame_sets");
    for (uint32_t f = 0; f < td_dict_frame_set_count(dict); f++) {
        int continuous;
        uint32_t name = td_dict_get_frame_set(dict, f, &continuous);
        if (!td_trace_frames(trace, f))
            continue;
        td_json_object(j, NULL);
        td_json_string(j, "name", f ? td_dict_text(dict, name) : "Frame");
        td_json_bool(j, "continuous", continuous);
        td_json_uint(j, "frames", td_trace_frames(trace, f));
        json_frame_times(j, trace, f);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

/* A note that is a number; null if the trace does not have it. */
static void json_note(struct td_json *j, const struct td_trace *trace, const char *field, const char *key)
{
    const char *note = td_trace_get_note(trace, key, 0);
    char *end = NULL;
    double value = note ? strtod(note, &end) : 0;
    if (note && end != note)
        td_json_double(j, field, value);
    else
        td_json_null(j, field);
}

static void json_lines(struct td_json *j, const struct td_trace *trace, const char *field, const char *key)
{
    const char *line;
    td_json_array(j, field);
    for (size_t i = 0; (line = td_trace_get_note(trace, key, i)); i++)
        td_json_string(j, NULL, line);
    td_json_end_array(j);
}

static void json_numbers(struct td_json *j, const char *field, const uint8_t *numbers, uint32_t count)
{
    td_json_array(j, field);
    for (uint32_t i = 0; i < count; i++)
        td_json_uint(j, NULL, numbers[i]);
    td_json_end_array(j);
}

static void json_chip_map(struct td_json *j, const struct td_chip_map *map)
{
    td_json_object(j, NULL);
    td_json_uint(j, "chip", map->chip);
    td_json_uint(j, "width", map->width);
    td_json_uint(j, "height", map->height);
    json_numbers(j, "columns", map->column_x, map->columns);
    json_numbers(j, "rows", map->row_y, map->rows);
    td_json_array(j, "tiles");
    for (uint32_t y = 0; y < map->height; y++) {
        char line[TD_CHIP_MAP_SIZE + 1] = "";
        for (uint32_t x = 0; x < map->width; x++)
            line[x] = td_chip_place_letter((enum td_chip_place)map->place[y][x]);
        td_json_string(j, NULL, line);
    }
    td_json_end_array(j);
    td_json_end_object(j);
}

static void json_chip_maps(struct td_json *j, const struct td_trace *trace)
{
    struct td_chip_map map;
    const char *line;
    td_json_array(j, "chip_maps");
    for (size_t i = 0; (line = td_trace_get_note(trace, TD_NOTE_CHIP_MAP, i)); i++)
        if (td_chip_map_read(line, &map))
            json_chip_map(j, &map);
    td_json_end_array(j);
}

static void json_clock_bounds(struct td_json *j, const struct td_trace *trace)
{
    struct td_clock_part part;
    size_t next = 0;
    td_json_array(j, "clock_bounds");
    while (td_clock_part_next(trace, &next, &part)) {
        td_json_object(j, NULL);
        td_json_uint(j, "chip", part.chip);
        td_json_int(j, "from_ns", part.from_ns);
        td_json_uint(j, "bound_ns", part.bound_ns);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static void json_capture(struct td_json *j, const struct td_trace *trace)
{
    static const struct {
        const char *field, *key;
    } notes[] = {
        {"clock_error_ns", TD_NOTE_CLOCK_ERROR_NS}, {"lost_zones", TD_NOTE_LOST},
        {"lost_other", TD_NOTE_LOST_OTHER},         {"stalls", TD_NOTE_STALLS},
        {"bad_bytes", TD_NOTE_BAD_BYTES},           {"unknown_lanes", TD_NOTE_LOST_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        json_note(j, trace, notes[i].field, notes[i].key);
    json_clock_bounds(j, trace);
    td_json_string(j, "board", td_trace_get_note(trace, TD_NOTE_BOARD, 0));
    json_lines(j, trace, "sources", TD_NOTE_SOURCE);
    json_lines(j, trace, "boards", TD_NOTE_BOARD);
    json_chip_maps(j, trace);
    json_lines(j, trace, "processes", TD_NOTE_PROCESS);
    json_lines(j, trace, "faults", TD_NOTE_FAULT);
    json_lines(j, trace, "damages", TD_NOTE_DAMAGE);
    json_lines(j, trace, "instrumentation", TD_NOTE_INSTRUMENTATION);
}

static void json_crash(struct td_json *j, const struct td_trace *trace)
{
    const struct td_crash *crash = td_trace_crash(trace);
    if (!crash) {
        td_json_null(j, "crash");
        return;
    }
    td_json_object(j, "crash");
    td_json_uint(j, "thread", td_dict_get_track(td_trace_dict(trace), crash->track)->thread);
    td_json_int(j, "time_ns", td_trace_crash_ns(trace));
    td_json_int(j, "reported_ns", crash->time_ns);
    td_json_string(j, "message", td_dict_text(td_trace_dict(trace), crash->text));
    td_json_end_object(j);
}

static void json_totals(struct td_json *j, const struct td_trace *trace)
{
    struct info_totals all = info_totals(trace);
    td_json_uint(j, "threads", all.threads);
    td_json_uint(j, "cores", all.cores);
    td_json_uint(j, "zones", all.zones);
    td_json_uint(j, "open_zones", all.open);
    td_json_uint(j, "gpu_zones", all.gpu_zones);
    td_json_uint(j, "open_gpu_zones", all.gpu_open);
    td_json_uint(j, "messages", td_trace_messages(trace));
    td_json_uint(j, "clamped", td_trace_clamped(trace));
}

int info_json(const struct td_trace *trace, const char *path, uint32_t version, bool compensated,
              struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_trace_info *info = td_trace_get_info(trace);
    struct info_count *counts = calloc(td_dict_srcloc_count(dict), sizeof *counts);
    if (!counts)
        return td_fail_no_memory(err, NULL);
    struct td_json json = {.to = stdout}, *j = &json;
    char text[32];
    const struct td_stat *stats;
    td_json_object(j, NULL);
    td_json_uint(j, "schema", 1);
    td_json_string(j, "file", path);
    td_json_string(j, "version", info_version(text, sizeof text, version));
    td_json_string(j, "program", info->program ? info->program : "");
    td_json_string(j, "capture", info->capture_name ? info->capture_name : "");
    td_json_uint(j, "capture_time_s", info->capture_time_s);
    td_json_string(j, "host", info->host_info ? info->host_info : "");
    td_json_uint(j, "pid", info->pid);
    td_json_int(j, "last_time_ns", info->last_time_ns);
    td_json_int(j, "resolution_ns", info->resolution_ns);
    td_json_bool(j, "on_demand", info->on_demand);
    td_json_bool(j, "compensated", compensated);
    json_totals(j, trace);
    json_capture(j, trace);
    json_crash(j, trace);
    td_json_array(j, "tracks");
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        json_track(j, trace, t, counts);
    td_json_end_array(j);
    size_t stat_count = td_trace_stats(trace, &stats);
    json_stats(j, trace, "names", stats, stat_count);
    stat_count = td_trace_gpu_stats(trace, &stats);
    json_stats(j, trace, "gpu_names", stats, stat_count);
    json_plots(j, trace);
    json_frame_sets(j, trace);
    td_json_array(j, "app_info");
    for (size_t i = 0; i < td_trace_app_infos(trace); i++)
        td_json_string(j, NULL, td_dict_text(dict, td_trace_app_info(trace, i)));
    td_json_end_array(j);
    int rc = info_json_bill(j, trace, err);
    if (rc == 0)
        rc = info_json_tables(j, trace, err);
    td_json_end_object(j);
    free(counts);
    return rc;
}
