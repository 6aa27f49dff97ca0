/* Sections with their own functions: facts about the trace, frames, crash, plots, memory; and resolving
 * references after all sections are read. */
#include "host/base/grow.h"
#include "host/file/convention.h"
#include "host/file/reader.h"

#include <stdio.h>
#include <stdlib.h>

static void check_memory(struct reader *r, int result)
{
    if (result < 0)
        td_in_no_memory(&r->in);
}

void td_reader_header_(struct reader *r)
{
    char magic[5];
    td_in_bytes(&r->in, magic, sizeof magic);
    uint32_t version = (uint32_t)td_in_u8(&r->in) << 16;
    version |= (uint32_t)td_in_u8(&r->in) << 8;
    version |= td_in_u8(&r->in);
    if (r->in.failed)
        return;
    if (memcmp(magic, TD_FILE_MAGIC_PAYLOAD, sizeof magic)) {
        r->in.failed = td_fail(r->in.err, TD_E_FORMAT, "'%s' is not a trace file", r->in.path);
        return;
    }
    r->in.version = version;
    if (version < TD_FILE_VERSION_OLDEST || version > TD_FILE_VERSION_NEWEST)
        r->in.failed = td_fail(r->in.err, TD_E_VERSION,
                               "'%s' was written by version %u.%u.%u; readable are 0.9.0 to 0.14.0",
                               r->in.path, version >> 16, version >> 8 & 255, version & 255);
}

void td_reader_info_(struct reader *r)
{
    struct td_trace_info *info = td_trace_edit_info(r->trace);
    int64_t row[TD_SERIES_COLUMNS];
    td_reader_fields_(r, &td_sections[TD_P1], row);
    info->delay_ns = row[TD_INFO_DELAY];
    info->resolution_ns = row[TD_INFO_RESOLUTION];
    memcpy(&info->timer_mul, &row[TD_INFO_TIMER_MUL], sizeof info->timer_mul);
    info->last_time_ns = row[TD_INFO_LAST_TIME];
    info->frame_offset = (uint64_t)row[TD_INFO_FRAME_OFFSET];
    info->pid = (uint64_t)row[TD_INFO_PID];
    info->sampling_period_ns = row[TD_INFO_SAMPLING_PERIOD];
    info->cpu_arch = (uint8_t)row[TD_INFO_CPU_ARCH];
    info->cpu_id = (uint32_t)row[TD_INFO_CPU_ID];
    for (int i = 0; i < 12; i++)
        info->cpu_vendor[i] = (char)(row[i < 8 ? TD_INFO_VENDOR : TD_INFO_VENDOR_END] >> 8 * (i % 8));
    info->on_demand =
        r->in.version >= TD_FILE_VERSION(0, 9, 2) ? row[TD_INFO_ON_DEMAND] != 0 : info->frame_offset != 0;
}

static void read_name(struct reader *r, char **to)
{
    char text[TD_FILE_NAME_BYTES];
    uint64_t bytes = td_in_u64(&r->in);
    if (bytes >= sizeof text) {
        td_in_damaged(&r->in, "a name of impossible length");
        return;
    }
    td_in_bytes(&r->in, text, (size_t)bytes);
    text[bytes] = 0;
    check_memory(r, td_trace_set_string(to, text));
}

void td_reader_texts_(struct reader *r)
{
    struct td_trace_info *info = td_trace_edit_info(r->trace);
    read_name(r, &info->capture_name);
    read_name(r, &info->program);
    info->capture_time_s = td_in_u64(&r->in);
    info->executable_time_s = td_in_u64(&r->in);
    read_name(r, &info->host_info);
}

/* Times before 0 are kept: stock programs with fibers write them. */
void td_reader_crash_(struct reader *r)
{
    r->crash_thread = td_in_u64(&r->in);
    int64_t time = (int64_t)td_in_u64(&r->in);
    r->crash_time_ns = time > -TD_FILE_TIME_LIMIT && time < TD_FILE_TIME_LIMIT ? time : 0;
    r->crash_message = td_in_u64(&r->in);
    r->crash_stack = td_in_u32(&r->in);
}

/* Names come later in the file. Until then, sets have the numbers that they would get if all names differ. */
static void read_frame_set(struct reader *r)
{
    struct read_frame_set set = {.name = td_in_u64(&r->in)};
    set.continuous = td_in_u8(&r->in) != 0;
    if (r->in.failed || READER_GROW(r, frame_sets, frame_set_capacity, frame_set_count) < 0)
        return;
    set.number = r->frame_set_count ? r->frame_sets[r->frame_set_count - 1].number + 1 : set.name != 0;
    r->frame_sets[r->frame_set_count++] = set;
    td_reader_list_(r, set.continuous ? &td_list_frames : &td_list_frames_with_ends, set.number);
}

void td_reader_frames_(struct reader *r)
{
    uint64_t sets = td_in_u64(&r->in);
    for (uint64_t i = 0; i < sets && !r->in.failed; i++)
        read_frame_set(r);
}

/* If bit 63 of a set's key is set, the rest is a display's number: the frames are its vertical blanks. */
static uint32_t frame_set_name(struct reader *r, uint64_t key)
{
    if (key == 0)
        return 0;
    if (!(key >> 63))
        return td_reader_pointer_(r, key);
    char text[40];
    int n = snprintf(text, sizeof text, TD_FILE_VSYNC "%llu", (unsigned long long)(key & (UINT64_MAX >> 1)));
    return td_dict_string(r->dict, text, (size_t)n);
}

static void move_frames(struct reader *r, uint32_t from, uint32_t to)
{
    const struct td_series *frames = td_trace_list(r->trace, TD_TABLE_FRAME, from);
    struct td_series *target = td_trace_fill_list(r->trace, TD_TABLE_FRAME, to);
    uint64_t count = td_series_count(frames);
    int64_t row[TD_SERIES_COLUMNS];
    check_memory(r, target ? 0 : -1);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        td_series_row(frames, i, row);
        check_memory(r, td_series_append(target, row));
    }
}

/* Names the sets and merges those of the same name. */
static void name_frame_sets(struct reader *r)
{
    for (size_t i = 0; i < r->frame_set_count && !r->in.failed; i++) {
        const struct read_frame_set *set = &r->frame_sets[i];
        uint32_t name = frame_set_name(r, set->name);
        uint32_t number = name == UINT32_MAX ? UINT32_MAX : td_dict_frame_set(r->dict, name, set->continuous);
        if (number == UINT32_MAX)
            return td_in_no_memory(&r->in);
        if (number == set->number)
            continue;
        move_frames(r, set->number, number);
        struct td_series *emptied = td_trace_fill_list(r->trace, TD_TABLE_FRAME, set->number);
        if (emptied)
            td_series_init(emptied, emptied->store, TD_FRAME_COLUMN_COUNT, 1);
    }
}

static void link_crash(struct reader *r)
{
    if (!r->crash_thread || r->in.failed)
        return;
    uint32_t track = td_map_get(&r->tracks, r->crash_thread, UINT32_MAX);
    if (track == UINT32_MAX)
        track = td_reader_track_(r, &(struct td_track){.thread = r->crash_thread});
    struct td_crash crash = {.time_ns = r->crash_time_ns, .track = track, .stack = r->crash_stack};
    crash.text = r->crash_message ? td_reader_pointer_(r, r->crash_message) : 0;
    if (!r->in.failed)
        td_trace_set_crash(r->trace, &crash);
}

/* Replaces the file's numbers in a column, which was read before the strings. */
static void link_strings(struct reader *r, enum td_table table, unsigned column)
{
    struct td_series *series = td_trace_fill_table(r->trace, table);
    uint64_t count = series ? td_series_count(series) : 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)td_series_get(series, i, column);
        td_series_set(series, i, column, number && number <= r->string_count ? r->strings[number - 1] : 0);
    }
}

/* Adds the names of threads that have no track but may have context switches or memory events. */
static void link_thread_names(struct reader *r)
{
    struct td_map tracks = {0};
    for (uint32_t t = 0; t < td_dict_track_count(r->dict); t++)
        check_memory(r, td_map_add(&tracks, td_dict_get_track(r->dict, t)->thread, 1));
    struct td_series *names =
        r->thread_names.count ? td_trace_fill_table(r->trace, TD_TABLE_THREAD_NAME) : NULL;
    check_memory(r, names || !r->thread_names.count ? 0 : -1);
    for (size_t i = 0; names && i <= r->thread_names.mask && !r->in.failed; i++) {
        const struct td_map_slot *slot = &r->thread_names.slots[i];
        if (!slot->used || td_map_get(&tracks, slot->key, 0))
            continue;
        int64_t row[] = {[TD_THREAD_NAME_THREAD] = (int64_t)slot->key, [TD_THREAD_NAME_NAME] = slot->value};
        check_memory(r, td_series_append(names, row));
    }
    td_map_finish(&tracks);
}

/* Messages that no thread lists belong to the first track, so there must be one. */
static void link_messages(struct reader *r)
{
    if (r->message_count && !td_dict_track_count(r->dict))
        td_reader_track_(r, &(struct td_track){0});
}

void td_reader_link_(struct reader *r)
{
    td_trace_edit_info(r->trace)->no_base_frames = r->frame_set_count && r->frame_sets[0].name;
    link_strings(r, TD_TABLE_SECTION, TD_SECTION_TEXT);
    link_strings(r, TD_TABLE_SECTION_CATEGORY, TD_SECTION_CATEGORY_TEXT);
    name_frame_sets(r);
    link_crash(r);
    link_messages(r);
    link_thread_names(r);
}

static void read_plot(struct reader *r)
{
    struct td_plot plot = {.kind = td_in_u8(&r->in)};
    plot.format = td_in_u8(&r->in);
    plot.step = td_in_u8(&r->in) != 0;
    plot.fill = td_in_u8(&r->in) != 0;
    plot.color = td_file_swap_color(td_in_u32(&r->in));
    uint64_t key = td_in_u64(&r->in);
    int64_t range[TD_PLOT_RANGE_COLUMN_COUNT];
    for (int i = 0; i < TD_PLOT_RANGE_COLUMN_COUNT; i++)
        range[i] = (int64_t)td_in_u64(&r->in);
    if (r->in.failed)
        return;
    if (plot.kind != TD_PLOT_CPU_USAGE && plot.kind != TD_PLOT_POWER)
        plot.kind = TD_PLOT_USER;
    plot.name =
        plot.kind == TD_PLOT_CPU_USAGE ? td_dict_cstring(r->dict, "CPU usage") : td_reader_pointer_(r, key);
    uint32_t number = plot.name == UINT32_MAX ? UINT32_MAX : td_dict_plot(r->dict, &plot);
    struct td_series *ranges =
        number == UINT32_MAX ? NULL : td_trace_fill_list(r->trace, TD_TABLE_PLOT_RANGE, number);
    if (!ranges || td_series_append(ranges, range) < 0)
        td_in_no_memory(&r->in);
    else
        td_reader_list_(r, &td_list_points, number);
}

void td_reader_plots_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++)
        read_plot(r);
}

/* Viewers look up the default pool: if a file has none, an empty one is added. */
void td_reader_memory_(struct reader *r)
{
    td_reader_section_(r, &td_sections[TD_P24]);
    struct td_series *pools = td_trace_fill_table(r->trace, TD_TABLE_POOL);
    uint64_t count = pools ? td_series_count(pools) : 0;
    for (uint64_t i = 0; i < count; i++) {
        if (td_series_get(pools, i, TD_POOL_NAME) == 0)
            return;
    }
    static const int64_t empty[TD_POOL_COLUMN_COUNT] = {[TD_POOL_LOW] = -1};
    if (!r->in.failed)
        check_memory(r, pools ? td_series_append(pools, empty) : -1);
}

static void mark_unsynced(struct reader *r, const char *text)
{
    const size_t key_bytes = sizeof TD_NOTE_UNSYNCED - 1;
    if (strncmp(text, TD_NOTE_UNSYNCED ": ", key_bytes + 2))
        return;
    uint32_t number = td_map_get(&r->tracks, strtoull(text + key_bytes + 2, NULL, 10), UINT32_MAX);
    if (number == UINT32_MAX)
        return;
    struct td_track track = *td_dict_get_track(r->dict, number);
    track.unsynced = 1;
    td_dict_track(r->dict, &track);
}

void td_reader_app_info_(struct reader *r)
{
    td_reader_section_(r, &td_sections[TD_P27]);
    const struct td_series *lines = td_trace_table(r->trace, TD_TABLE_APP_INFO);
    for (uint64_t i = 0; i < td_series_count(lines); i++)
        mark_unsynced(r, td_dict_text(r->dict, (uint32_t)td_series_get(lines, i, TD_APP_INFO_TEXT)));
}
