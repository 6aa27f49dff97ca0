/* What has to be numbered before the first byte of a trace file is written: strings and source locations. */
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/file/convention.h"
#include "host/file/writer.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>

static uint32_t add_string(struct writer *w, uint32_t string)
{
    if (td_grow(&w->strings, &w->string_capacity, (size_t)w->string_count + 1, sizeof *w->strings) < 0) {
        w->failed = 1;
        return 0;
    }
    w->strings[w->string_count] = string;
    return w->string_count++;
}

uint32_t td_writer_string_(struct writer *w, uint32_t string)
{
    if (string >= td_dict_string_count(w->dict))
        string = 0;
    if (w->string_number[string] != UINT32_MAX)
        return w->string_number[string];
    if (w->string_count >= TD_FILE_STRING_LIMIT ||
        td_dict_text_bytes(w->dict, string) >= TD_FILE_STRING_BYTES_LIMIT) {
        w->notice.dropped_texts++;
        return w->dropped_string;
    }
    return w->string_number[string] = add_string(w, string);
}

const char *td_writer_text_(const struct writer *w, uint32_t number, size_t *bytes)
{
    uint32_t known = td_dict_string_count(w->dict), string = w->strings[number];
    if (string < known) {
        *bytes = td_dict_text_bytes(w->dict, string);
        return td_dict_text(w->dict, string);
    }
    *bytes = strlen(w->own[string - known]);
    return w->own[string - known];
}

int64_t td_writer_time_(struct writer *w, int64_t time_ns)
{
    if (time_ns == TD_OPEN)
        return -1;
    if (time_ns >= 0 && time_ns < TD_FILE_TIME_LIMIT)
        return time_ns;
    w->notice.clamped_times++;
    return time_ns < 0 ? 0 : TD_FILE_TIME_LIMIT - 1;
}

uint32_t td_writer_own_string_(struct writer *w, const char *text)
{
    char *copy = strdup(text);
    if (!copy || td_grow(&w->own, &w->own_capacity, w->own_count + 1, sizeof *w->own) < 0) {
        free(copy);
        w->failed = 1;
        return 0;
    }
    w->own[w->own_count] = copy;
    return add_string(w, td_dict_string_count(w->dict) + (uint32_t)w->own_count++);
}

/* The number of that text, be it in the dictionary or not. */
static uint32_t text_string(struct writer *w, const char *text)
{
    for (uint32_t s = td_dict_string_count(w->dict); s-- > 0;) {
        if (!strcmp(td_dict_text(w->dict, s), text))
            return td_writer_string_(w, s);
    }
    return td_writer_own_string_(w, text);
}

uint16_t td_writer_thread_(struct writer *w, uint64_t thread)
{
    uint32_t number = td_map_get(&w->thread_map, thread, UINT32_MAX);
    if (number != UINT32_MAX)
        return (uint16_t)number;
    if (w->thread_count > TD_FILE_THREAD_LIMIT)
        return 0;
    if (td_grow(&w->threads, &w->thread_capacity, w->thread_count + 1, sizeof *w->threads) < 0 ||
        td_map_add(&w->thread_map, thread, (uint32_t)w->thread_count) < 0) {
        w->failed = 1;
        return 0;
    }
    w->threads[w->thread_count] = thread;
    return (uint16_t)w->thread_count++;
}

/* A line for each track without a clock, unless the trace has it already. */
static void number_notes(struct writer *w)
{
    struct td_map known = {0};
    const size_t key_bytes = sizeof TD_NOTE_UNSYNCED - 1;
    for (size_t i = 0; i < td_trace_app_infos(w->trace); i++) {
        const char *text = td_dict_text(w->dict, td_trace_app_info(w->trace, i));
        if (!strncmp(text, TD_NOTE_UNSYNCED ": ", key_bytes + 2) &&
            td_map_add(&known, strtoull(text + key_bytes + 2, NULL, 10), 1) < 0)
            w->failed = 1;
    }
    w->first_note = w->string_count;
    for (uint32_t i = 0; i < td_dict_track_count(w->dict); i++) {
        const struct td_track *track = td_dict_get_track(w->dict, i);
        if (!track->unsynced || td_map_get(&known, track->thread, 0))
            continue;
        char line[64];
        snprintf(line, sizeof line, TD_NOTE_UNSYNCED ": %" PRIu64, track->thread);
        td_writer_own_string_(w, line);
        w->note_count++;
    }
    td_map_finish(&known);
}

static void number_locations(struct writer *w)
{
    const size_t limit = TD_FILE_DYNAMIC_LOCATIONS + TD_FILE_STATIC_LOCATIONS;
    size_t count = w->used_count < limit ? w->used_count : limit;
    w->first_folded = w->used_count <= limit ? w->used_count : limit - 1;
    w->dynamic_count = count < TD_FILE_DYNAMIC_LOCATIONS ? (uint32_t)count : TD_FILE_DYNAMIC_LOCATIONS;
    w->static_count = (uint32_t)count - w->dynamic_count;
    w->notice.folded_locations = w->used_count - w->first_folded;
    for (size_t i = 0; i < w->used_count; i++) {
        int16_t *number = &w->location[w->used[i]];
        if (i < w->dynamic_count)
            *number = (int16_t)(-1 - (int32_t)i);
        else if (i < w->first_folded)
            *number = (int16_t)(i - w->dynamic_count + 1);
        else
            *number = (int16_t)w->static_count;
    }
}

/* Strings of zones with a text or name of their own. */
static void number_extras(struct writer *w)
{
    const struct td_series *extras = td_trace_table(w->trace, TD_TABLE_EXTRA);
    for (uint64_t i = 1; i < td_series_count(extras); i++) {
        td_writer_string_(w, (uint32_t)td_series_get(extras, i, TD_EXTRA_TEXT));
        td_writer_string_(w, (uint32_t)td_series_get(extras, i, TD_EXTRA_NAME));
    }
}

/* Threads of tracks first, so that these have numbers where there are too many. */
static void number_threads(struct writer *w)
{
    td_writer_thread_(w, 0);
    for (uint32_t t = 0; t < td_dict_track_count(w->dict); t++)
        td_writer_thread_(w, td_dict_get_track(w->dict, t)->thread);
    for (uint32_t t = 0; t < td_dict_track_count(w->dict); t++) {
        for (uint32_t r = 0; r < td_trace_rows(w->trace, t); r++) {
            const struct td_series *row = td_trace_row(w->trace, t, r);
            if (!row || row->columns != TD_ZONE_GPU_COLUMNS)
                continue;
            for (uint64_t i = 0; i < td_series_count(row); i++)
                td_writer_thread_(w, (uint64_t)td_series_get(row, i, TD_ZONE_THREAD));
        }
    }
}

/* All strings that the file needs, names first, so that the limit hits texts of messages and zones. */
static void number_strings(struct writer *w)
{
    const struct td_dict *d = w->dict;
    w->dropped_string = text_string(w, "(text left out: the file format holds no more)");
    w->frame_string = text_string(w, "Frame");
    w->catch_all_string = text_string(w, "(more zones: the file format holds no more source locations)");
    number_notes(w);
    for (size_t i = 0; i < w->first_folded; i++) {
        const struct td_srcloc *s = td_dict_get_srcloc(d, w->used[i]);
        td_writer_string_(w, s->name);
        td_writer_string_(w, s->function);
        td_writer_string_(w, s->file);
    }
    for (uint32_t i = 0; i < td_dict_track_count(d); i++)
        td_writer_string_(w, td_dict_get_track(d, i)->name);
    for (uint32_t i = 0; i < td_dict_plot_count(d); i++)
        td_writer_string_(w, td_dict_get_plot(d, i)->name);
    for (uint32_t i = 1; i < td_dict_frame_set_count(d); i++)
        td_writer_string_(w, td_dict_get_frame_set(d, i, NULL));
    for (size_t i = 0; i < td_trace_app_infos(w->trace); i++)
        td_writer_string_(w, td_trace_app_info(w->trace, i));
    if (td_trace_crash(w->trace))
        td_writer_string_(w, td_trace_crash(w->trace)->text);
    for (size_t i = 0; i < td_trace_messages(w->trace); i++)
        td_writer_string_(w, td_trace_message(w->trace, i).text);
    number_extras(w);
    number_threads(w);
}

int td_writer_number_(struct writer *w, struct td_err *err)
{
    uint32_t strings = td_dict_string_count(w->dict), tracks = td_dict_track_count(w->dict);
    uint64_t zones = 0;
    if (tracks > TD_FILE_THREAD_LIMIT)
        return td_fail(err, TD_E_LIMIT, "%" PRIu32 " tracks: the file format holds %u", tracks,
                       TD_FILE_THREAD_LIMIT);
    for (uint32_t t = 0; t < tracks; t++) {
        zones += td_trace_track_zones(w->trace, t);
        if (td_trace_rows(w->trace, t) && td_trace_row_zones(w->trace, t, 0) > UINT32_MAX - 1)
            return td_fail(err, TD_E_LIMIT, "a track has more zones than the file format holds");
    }
    if (zones > UINT32_MAX)
        return td_fail(err, TD_E_LIMIT, "%" PRIu64 " zones: the file format holds %u", zones, UINT32_MAX);
    w->string_number = malloc(strings * sizeof *w->string_number);
    w->location = calloc(td_dict_srcloc_count(w->dict), sizeof *w->location);
    if (!w->string_number || !w->location || td_writer_count_zones_(w) < 0)
        return td_fail(err, TD_E_NOMEM, "out of memory for writing the trace");
    memset(w->string_number, 0xff, strings * sizeof *w->string_number);
    number_locations(w);
    number_strings(w);
    if (!w->failed)
        td_writer_number_contexts_(w);
    return w->failed ? td_fail(err, TD_E_NOMEM, "out of memory for writing the trace") : 0;
}

void td_writer_number_finish_(struct writer *w)
{
    for (size_t i = 0; i < w->own_count; i++)
        free(w->own[i]);
    free(w->own);
    free(w->contexts);
    free(w->context_tracks);
    free(w->gpu_zones);
    free(w->cpu_zones);
    free(w->used);
    free(w->threads);
    td_map_finish(&w->thread_map);
    free(w->strings);
    free(w->string_number);
    free(w->location);
}
