/* tendril info --json: see docs/info-json.md. */
#include "host/query/rows/track_sum.h"
#include "host/query/table/tables.h"
#include "host/tools/info/info.h"
#include "host/trace/clock_parts.h"
#include "host/trace/note_kinds.h"
#include "host/trace/tables.h"
#include "proto/chip_map.h"

#include <stdio.h>
#include <stdlib.h>

/* A note that is a number; null if the trace does not have it. */
static void json_number(struct td_json *j, const struct td_trace *trace, const struct td_note *note)
{
    const char *text = td_trace_get_note(trace, note->key, 0);
    char *end = NULL;
    double value = text ? strtod(text, &end) : 0;
    if (text && end != text)
        td_json_double(j, note->field, value);
    else
        td_json_null(j, note->field);
}

static void json_lines(struct td_json *j, const struct td_trace *trace, const struct td_note *note)
{
    const char *line;
    td_json_array(j, note->field);
    for (size_t i = 0; (line = td_trace_get_note(trace, note->key, i)); i++)
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

static void json_chip_maps(struct td_json *j, const struct td_trace *trace, const struct td_note *note)
{
    struct td_chip_map map;
    const char *line;
    td_json_array(j, note->field);
    for (size_t i = 0; (line = td_trace_get_note(trace, note->key, i)); i++)
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
    const struct td_note *const end = td_notes + TD_NOTE_KIND_COUNT;
    for (const struct td_note *note = td_notes; note < end; note++)
        if (note->field && td_note_is_number(note))
            json_number(j, trace, note);
    json_clock_bounds(j, trace);
    td_json_string(j, "board", td_trace_get_note(trace, TD_NOTE_BOARD, 0));
    for (const struct td_note *note = td_notes; note < end; note++)
        if (note == td_notes + TD_NOTE_KIND_CHIP_MAP)
            json_chip_maps(j, trace, note);
        else if (note->field && !td_note_is_number(note))
            json_lines(j, trace, note);
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
    const struct td_track_totals all = td_track_totals_of(trace);
    td_json_uint(j, "threads", all.threads);
    td_json_uint(j, "cores", all.cores);
    td_json_uint(j, "zones", all.zones);
    td_json_uint(j, "open_zones", all.open);
    td_json_uint(j, "gpu_zones", all.gpu_zones);
    td_json_uint(j, "open_gpu_zones", all.gpu_open);
    td_json_uint(j, "messages", td_trace_messages(trace));
    td_json_uint(j, "clamped", td_trace_clamped(trace));
}

static const struct info_list lists[] = {{"tracks", &td_table_tracks},         {"names", &td_table_names},
                                         {"gpu_names", &td_table_gpu_names},   {"plots", &td_table_plots},
                                         {"frame_sets", &td_table_frame_sets}, {0}};
static const struct info_list bill[] = {{"bill", &td_table_bill}, {0}};

int info_json(const struct td_trace *trace, const char *path, uint32_t version, bool compensated,
              struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_trace_info *info = td_trace_get_info(trace);
    struct td_json json = {.to = stdout}, *j = &json;
    char text[32];
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
    int rc = info_json_lists(j, trace, lists);
    td_json_array(j, "app_info");
    for (size_t i = 0; i < td_trace_app_infos(trace); i++)
        td_json_string(j, NULL, td_dict_text(dict, td_trace_app_info(trace, i)));
    td_json_end_array(j);
    rc = rc ? rc : info_json_lists(j, trace, bill);
    rc = rc < 0 ? td_fail_no_memory(err, NULL) : info_json_tables(j, trace, err);
    td_json_end_object(j);
    return rc;
}
