/* Facts that are needed before the first byte of a trace file is written: the numbers of strings, threads and
 * source locations, the zones of each location, and the latest time. */
#include "host/base/compare.h"
#include "host/base/wrap.h"
#include "host/event/map.h"
#include "host/file/convention.h"
#include "host/file/writer.h"
#include "host/trace/fill.h"
#include "host/trace/walk.h"
#include "host/trace/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN_STRINGS 64 /* texts of the writer itself, about, besides those of tracks */

/* The number of a text, which may be in the dictionary. */
static uint32_t text_string(struct writer *w, const char *text)
{
    const size_t bytes = strlen(text);
    for (uint32_t s = td_dict_string_count(w->dict); s-- > 0;) {
        if (td_dict_text_bytes(w->dict, s) == bytes && !memcmp(td_dict_text(w->dict, s), text, bytes))
            return td_writer_string_(w, s);
    }
    return td_writer_own_string_(w, text);
}

/* Numbers an app info line for each track without a clock, unless the trace has it already. */
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

struct placed {
    uint32_t place, track;
};

TD_COMPARE(by_place, struct placed, TD_UP(place) TD_UP(track))

/* Numbers the tracks in the order of the file that they were read from, then others. */
static void number_tracks(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    struct placed *order = malloc((tracks + 1) * sizeof *order);
    if (!order) {
        w->failed = 1;
        return;
    }
    for (uint32_t t = 0; t < tracks; t++) {
        uint32_t number = td_dict_get_track(w->dict, t)->file_number;
        order[t] = (struct placed){number ? number : UINT32_MAX, t};
    }
    qsort(order, tracks, sizeof *order, by_place);
    td_writer_thread_(w, 0);
    for (uint32_t i = 0; i < tracks; i++)
        td_writer_thread_(w, td_dict_get_track(w->dict, order[i].track)->thread);
    free(order);
}

static void visit_thread(struct writer *w, const struct td_field *field, int64_t value)
{
    if (field->kind == TD_FIELD_THREAD16)
        td_writer_thread_(w, (uint64_t)value);
    else
        td_writer_foreign_(w, (uint64_t)value);
}

static void number_row_threads(struct writer *w, const struct td_series *row)
{
    int64_t threads[256], last = 0;
    uint64_t count = td_series_count(row);
    for (uint64_t first = 0; first < count; first += 256) {
        uint64_t n = count - first < 256 ? count - first : 256;
        td_series_read(row, TD_ZONE_THREAD, first, n, threads);
        for (uint64_t i = 0; i < n; i++) {
            if (threads[i] != last)
                td_writer_thread_(w, (uint64_t)threads[i]);
            last = threads[i];
        }
    }
}

/* Numbers threads of tracks first, so that they have numbers if there are too many threads. */
static void number_threads(struct writer *w)
{
    number_tracks(w);
    for (uint32_t t = 0; t < td_dict_track_count(w->dict); t++) {
        for (uint32_t r = 0; r < td_trace_rows(w->trace, t); r++) {
            const struct td_series *row = td_trace_row(w->trace, t, r);
            if (row && row->columns == TD_ZONE_GPU_COLUMNS)
                number_row_threads(w, row);
        }
    }
    for (unsigned i = 0; i < TD_SECTION_COUNT; i++)
        td_writer_each_(w, &td_sections[i], KIND_BIT(THREAD16) | KIND_BIT(FOREIGN16), visit_thread);
}

static inline uint64_t sound_location(int64_t srcloc, uint32_t locations)
{
    return (uint64_t)srcloc < locations ? (uint64_t)srcloc : 0;
}

/* How often chunks with bytes have each byte. Rows of zones repeat a few locations: with several counters for
 * each byte, an addition seldom waits for the one before it. */
#define COUNTERS 4u

#define AHEAD (2 * TD_SERIES_ROWS) /* how far ahead of the count memory is loaded */

struct byte_counts {
    int64_t base; /* of the chunks: the location that byte 0 is */
    uint64_t rows;
    uint32_t of[COUNTERS][256];
};

struct zone_counts {
    uint64_t *finished; /* zones by location */
    uint8_t *used;      /* by location: there are other zones */
    uint32_t locations;
    struct byte_counts bytes;
};

/* Adds the counts of bytes to the locations. */
static void add_bytes(struct zone_counts *to)
{
    struct byte_counts *bytes = &to->bytes;
    for (uint32_t i = 0; bytes->rows && i < 256; i++) {
        uint64_t count = 0;
        for (uint32_t k = 0; k < COUNTERS; k++) {
            count += bytes->of[k][i];
            bytes->of[k][i] = 0;
        }
        if (count)
            to->finished[sound_location(td_wrap_add(bytes->base, i), to->locations)] += count;
    }
    bytes->rows = 0;
}

static void count_bytes(struct zone_counts *to, const struct td_series_packed *chunk, uint64_t n)
{
    struct byte_counts *bytes = &to->bytes;
    uint64_t i = 0;
    if (bytes->base != chunk->base || bytes->rows > UINT32_MAX - TD_SERIES_ROWS)
        add_bytes(to);
    bytes->base = chunk->base;
    bytes->rows += n;
    for (; i + COUNTERS <= n; i += COUNTERS) {
        bytes->of[0][chunk->bytes[i]]++;
        bytes->of[1][chunk->bytes[i + 1]]++;
        bytes->of[2][chunk->bytes[i + 2]]++;
        bytes->of[3][chunk->bytes[i + 3]]++;
    }
    for (; i < n; i++)
        bytes->of[0][chunk->bytes[i]]++;
}

/* Counts zones of which none is open, as they are packed. False: they are packed in another way. */
static bool count_packed(struct zone_counts *to, const struct td_series *row, uint64_t first, uint64_t n)
{
    struct td_series_packed chunk;
    if (td_series_floor(row, first, TD_ZONE_DURATION) < 0 ||
        !td_series_get_packed(row, first, TD_ZONE_SRCLOC, &chunk) || chunk.width > 1)
        return false;
    if (chunk.width)
        count_bytes(to, &chunk, n);
    else
        to->finished[sound_location(chunk.base, to->locations)] += n;
    return true;
}

/* Counts the finished zones of a row by location, and notes the locations of others. */
static void count_row(struct zone_counts *to, const struct td_series *row)
{
    int64_t srclocs[TD_SERIES_ROWS], durations[TD_SERIES_ROWS];
    const uint64_t count = row ? td_series_count(row) : 0;
    for (uint64_t first = 0; first < count; first += TD_SERIES_ROWS) {
        const uint64_t n = count - first < TD_SERIES_ROWS ? count - first : TD_SERIES_ROWS;
        if (first + AHEAD < count)
            td_series_prefetch(row, first + AHEAD);
        if (count_packed(to, row, first, n))
            continue;
        td_series_read(row, TD_ZONE_SRCLOC, first, n, srclocs);
        td_series_read(row, TD_ZONE_DURATION, first, n, durations);
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t location = sound_location(srclocs[i], to->locations);
            if (durations[i] < 0)
                to->used[location] = 1;
            else
                to->finished[location]++;
        }
    }
    add_bytes(to);
}

/* Lists the locations that zones have, in rising order, and counts their zones. Returns 0 or TD_E_NOMEM. */
static int count_zones(struct writer *w)
{
    uint32_t locations = td_dict_srcloc_count(w->dict), tracks = td_dict_track_count(w->dict);
    uint8_t *used = calloc(locations, 1);
    w->cpu_zones = calloc(locations, sizeof *w->cpu_zones);
    w->gpu_zones = calloc(locations, sizeof *w->gpu_zones);
    w->used = malloc(locations * sizeof *w->used);
    if (!used || !w->cpu_zones || !w->gpu_zones || !w->used) {
        free(used);
        return TD_E_NOMEM;
    }
    struct zone_counts counts = {.used = used, .locations = locations};
    for (uint32_t t = 0; t < tracks; t++) {
        counts.finished = td_writer_is_in_context_(w, t) ? w->gpu_zones : w->cpu_zones;
        for (uint32_t r = 0; r < td_trace_rows(w->trace, t); r++)
            count_row(&counts, td_trace_row(w->trace, t, r));
    }
    for (uint32_t i = 0; i < locations; i++) {
        if (used[i] || w->cpu_zones[i] || w->gpu_zones[i])
            w->used[w->used_count++] = i;
    }
    free(used);
    return 0;
}

/* Marks locations of locks, which may have no zones. */
static void visit_location(struct writer *w, const struct td_field *field, int64_t value)
{
    if (value > 0 && value < td_dict_srcloc_count(w->dict))
        w->location[value] = 1;
}

/* Lists the used locations in two groups, each in rising order: first those identified by their content, then
 * those that may have equals. Returns the size of the first group. */
static size_t group_locations(struct writer *w)
{
    uint32_t locations = td_dict_srcloc_count(w->dict);
    size_t by_content = 0;
    w->used_count = 0;
    for (int own = 0; own < 2; own++) {
        for (uint32_t i = 0; i < locations; i++) {
            int is_own = td_dict_get_srcloc(w->dict, i)->flags >> TD_SRCLOC_OWN_SHIFT != 0;
            if (w->location[i] && is_own == own)
                w->used[w->used_count++] = i;
        }
        by_content = own ? by_content : w->used_count;
    }
    return by_content;
}

/* How many locations become dynamic. Preferably only those identified by content: of equal dynamic locations,
 * stock readers would find only one. */
static uint32_t choose_dynamic(size_t by_content, size_t count)
{
    size_t least = count < TD_FILE_STATIC_LOCATIONS ? 0 : count - TD_FILE_STATIC_LOCATIONS;
    size_t dynamic = by_content < TD_FILE_DYNAMIC_LOCATIONS ? by_content : TD_FILE_DYNAMIC_LOCATIONS;
    return (uint32_t)(dynamic > least ? dynamic : least);
}

static void number_locations(struct writer *w)
{
    const size_t limit = TD_FILE_DYNAMIC_LOCATIONS + TD_FILE_STATIC_LOCATIONS;
    for (size_t i = 0; i < w->used_count; i++)
        w->location[w->used[i]] = 1;
    for (unsigned i = 0; i < TD_SECTION_COUNT; i++)
        td_writer_each_(w, &td_sections[i], KIND_BIT(SRCLOC), visit_location);
    size_t by_content = group_locations(w);
    size_t count = w->used_count < limit ? w->used_count : limit;
    w->first_folded = w->used_count <= limit ? w->used_count : limit - 1;
    w->dynamic_count = choose_dynamic(by_content, count);
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

static void visit_string(struct writer *w, const struct td_field *field, int64_t value)
{
    if (value || field->kind == TD_FIELD_SREF || field->kind == TD_FIELD_TOKEN)
        td_writer_string_(w, (uint32_t)value);
}

/* Numbers all strings that the file needs, names first: if there are too many, texts of messages and zones
 * are left out. */
static void number_strings(struct writer *w)
{
    const struct td_dict *d = w->dict;
    const uint64_t kinds = KIND_BIT(SIDX) | KIND_BIT(SREF) | KIND_BIT(TOKEN) | KIND_BIT(POINTER);
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
    for (uint64_t i = 0; i < td_series_count(td_trace_table(w->trace, TD_TABLE_THREAD_NAME)); i++)
        td_writer_string_(w, (uint32_t)td_series_get(td_trace_table(w->trace, TD_TABLE_THREAD_NAME), i,
                                                     TD_THREAD_NAME_NAME));
    for (uint32_t i = 0; i < td_dict_plot_count(d); i++)
        td_writer_string_(w, td_dict_get_plot(d, i)->name);
    for (uint32_t i = 1; i < td_dict_frame_set_count(d); i++)
        td_writer_string_(w, td_dict_get_frame_set(d, i, NULL));
    if (td_trace_crash(w->trace))
        td_writer_string_(w, td_trace_crash(w->trace)->text);
    for (unsigned i = 0; i < TD_SECTION_COUNT; i++) {
        if (i != TD_P20)
            td_writer_each_(w, &td_sections[i], kinds, visit_string);
    }
    td_writer_each_(w, &td_sections[TD_P20], kinds, visit_string);
}

static void visit_time(struct writer *w, const struct td_field *field, int64_t value)
{
    if (value > w->last_time_ns)
        w->last_time_ns = value;
}

/* Viewers require that no time is later than this one, and that it is not 0. */
static void find_last_time(struct writer *w)
{
    w->last_time_ns = w->info->last_time_ns > 1 ? w->info->last_time_ns : 1;
    for (uint32_t t = 0; t < td_dict_track_count(w->dict); t++) {
        const struct td_series *roots = td_trace_rows(w->trace, t) ? td_trace_row(w->trace, t, 0) : NULL;
        uint64_t count = roots ? td_series_count(roots) : 0;
        if (!count)
            continue;
        int64_t duration = td_series_get(roots, count - 1, TD_ZONE_DURATION);
        visit_time(w, NULL, td_series_get(roots, count - 1, TD_ZONE_START) + (duration > 0 ? duration : 0));
    }
    for (unsigned i = 0; i < TD_SECTION_COUNT; i++)
        td_writer_each_(w, &td_sections[i],
                        KIND_BIT(TIME) | KIND_BIT(OPEN) | KIND_BIT(EARLY) | KIND_BIT(AFTER) |
                            KIND_BIT(ORIGIN) | KIND_BIT(START48) | KIND_BIT(END48),
                        visit_time);
    if (w->last_time_ns >= TD_FILE_TIME_LIMIT)
        w->last_time_ns = TD_FILE_TIME_LIMIT - 1;
}

int td_writer_number_(struct writer *w, struct td_err *err)
{
    uint32_t strings = td_dict_string_count(w->dict), tracks = td_dict_track_count(w->dict);
    const size_t in_file = (size_t)strings + tracks + OWN_STRINGS;
    for (uint32_t t = 0; t < tracks; t++) {
        if (td_trace_rows(w->trace, t) && td_trace_row_zones(w->trace, t, 0) > UINT32_MAX - 1)
            return td_fail(err, TD_E_LIMIT, "a track has more zones than the file format holds");
    }
    w->string_number = td_trace_work_take(w->trace, strings * sizeof *w->string_number);
    w->location = calloc(td_dict_srcloc_count(w->dict), sizeof *w->location);
    if (!w->string_number || !w->location || count_zones(w) < 0 ||
        td_trace_work_grow(w->trace, &w->strings, &w->string_capacity, in_file, sizeof *w->strings) < 0)
        return td_fail_no_memory(err, "for writing the trace");
    memset(w->string_number, 0xff, strings * sizeof *w->string_number);
    number_locations(w);
    number_strings(w);
    number_threads(w);
    find_last_time(w);
    if (!w->failed)
        td_writer_number_contexts_(w);
    if (!w->failed)
        td_writer_count_dropped_(w);
    return w->failed ? td_fail_no_memory(err, "for writing the trace") : 0;
}

void td_writer_free_(struct writer *w)
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
    free(w->foreign);
    td_map_finish(&w->thread_map);
    td_map_finish(&w->foreign_map);
    td_trace_work_give_back(w->trace, w->strings, w->string_capacity * sizeof *w->strings);
    td_trace_work_give_back(w->trace, w->string_number,
                            td_dict_string_count(w->dict) * sizeof *w->string_number);
    free(w->location);
}
