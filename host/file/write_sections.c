/* Writes sections with their own functions: facts about the trace, frames, crash, trace sections, plots,
 * memory. */
#include "host/file/convention.h"
#include "host/file/writer.h"

#include <stdlib.h>

void td_writer_info_(struct writer *w)
{
    const struct td_trace_info *info = w->info;
    int64_t row[TD_SERIES_COLUMNS] = {0};
    row[TD_INFO_DELAY] = info->delay_ns;
    row[TD_INFO_RESOLUTION] = info->resolution_ns;
    memcpy(&row[TD_INFO_TIMER_MUL], &info->timer_mul, sizeof info->timer_mul);
    row[TD_INFO_LAST_TIME] = w->last_time_ns;
    row[TD_INFO_FRAME_OFFSET] = (int64_t)info->frame_offset;
    row[TD_INFO_PID] = (int64_t)info->pid;
    row[TD_INFO_SAMPLING_PERIOD] = info->sampling_period_ns;
    row[TD_INFO_CPU_ARCH] = info->cpu_arch;
    row[TD_INFO_CPU_ID] = info->cpu_id;
    for (int i = 0; i < 12; i++)
        row[i < 8 ? TD_INFO_VENDOR : TD_INFO_VENDOR_END] |=
            (int64_t)((uint64_t)(uint8_t)info->cpu_vendor[i] << 8 * (i % 8));
    row[TD_INFO_ON_DEMAND] = info->on_demand != 0;
    td_writer_fields_(w, &td_sections[TD_P1], row);
}

/* Readers copy these names into a fixed buffer. Cutting does not split a UTF-8 character. */
static void put_name(struct writer *w, const char *text)
{
    size_t bytes = text ? strlen(text) : 0;
    if (bytes >= TD_FILE_NAME_BYTES) {
        bytes = TD_FILE_NAME_BYTES - 1;
        while (bytes && ((unsigned char)text[bytes] & 0xc0) == 0x80)
            bytes--;
    }
    td_out_text(&w->out, text ? text : "", bytes);
}

void td_writer_texts_(struct writer *w)
{
    put_name(w, w->info->capture_name);
    put_name(w, w->info->program);
    td_out_u64(&w->out, w->info->capture_time_s);
    td_out_u64(&w->out, w->info->executable_time_s);
    put_name(w, w->info->host_info);
}

/* A time before 0 is kept, as in read_sections.c. */
void td_writer_crash_(struct writer *w)
{
    const struct td_crash *crash = td_trace_crash(w->trace);
    int64_t time = crash ? crash->time_ns : 0;
    if (time <= -TD_FILE_TIME_LIMIT || time >= TD_FILE_TIME_LIMIT)
        time = td_writer_time_(w, time);
    td_out_u64(&w->out, crash ? td_dict_get_track(w->dict, crash->track)->thread : 0);
    td_out_u64(&w->out, (uint64_t)time);
    td_out_u64(&w->out, crash && crash->text ? td_writer_pointer_(w, crash->text) : 0);
    td_out_u32(&w->out, crash ? td_writer_stack_(w, crash->stack) : 0);
}

static bool is_on_demand(const struct writer *w)
{
    return w->version < TD_FILE_VERSION(0, 9, 2) ? w->info->frame_offset != 0 : w->info->on_demand != 0;
}

/* The base set may be missing only if the trace was read from a file without it and has other sets; viewers
 * then use the first of these. */
bool td_writer_has_base_frames_(const struct writer *w)
{
    if (!w->info->no_base_frames || td_trace_frames(w->trace, 0) || is_on_demand(w))
        return true;
    for (uint32_t i = 1; i < td_dict_frame_set_count(w->dict); i++) {
        if (td_trace_frames(w->trace, i))
            return false;
    }
    return true;
}

/* Readers look up image numbers unchecked. */
static int32_t image_of(const struct writer *w, int64_t image)
{
    uint64_t images =
        w->strip & TD_STRIP_IMAGES ? 0 : td_series_count(td_trace_table(w->trace, TD_TABLE_IMAGE));
    return image >= 0 && (uint64_t)image < images && image <= INT32_MAX ? (int32_t)image : -1;
}

/* The key of a frame set; for a display's vertical blanks, bit 63 and the display's number. */
static uint64_t frame_set_key(struct writer *w, uint32_t set, uint32_t name)
{
    const char *text = td_dict_text(w->dict, name);
    const size_t prefix = sizeof TD_FILE_VSYNC - 1;
    if (set == 0)
        return 0;
    if (!strncmp(text, TD_FILE_VSYNC, prefix) && text[prefix])
        return UINT64_C(1) << 63 | strtoull(text + prefix, NULL, 10);
    return td_writer_pointer_(w, name);
}

/* The number of frames that the base set lacks. It must begin with a frame at 0, which ends when the program
 * was ready, and with on-demand clients one more for the missed frames. A source that reported only frame
 * marks has none of these. */
static uint64_t frames_missing(const struct writer *w, uint32_t set, const struct td_series *frames)
{
    uint64_t count = td_series_count(frames), least = is_on_demand(w) ? 3 : 2;
    int64_t first = count ? td_series_get(frames, 0, TD_FRAME_START) : 1;
    if (set != 0 || (count >= least && first <= 0))
        return 0;
    return first <= 0 ? least - count : least;
}

static void put_frame_set(struct writer *w, uint32_t set)
{
    int continuous;
    uint32_t name = td_dict_get_frame_set(w->dict, set, &continuous);
    const struct td_series *frames = td_trace_list(w->trace, TD_TABLE_FRAME, set);
    uint64_t count = td_series_count(frames), missing = frames_missing(w, set, frames);
    td_out_u64(&w->out, frame_set_key(w, set, name));
    td_out_u8(&w->out, continuous != 0);
    td_out_u64(&w->out, missing + count);
    w->out.reference_ns = 0;
    for (uint64_t i = 0; i < missing; i++) {
        td_out_time(&w->out, 0);
        td_out_u32(&w->out, UINT32_MAX);
    }
    for (uint64_t i = 0; i < count && !w->out.failed; i++) {
        int64_t row[TD_SERIES_COLUMNS];
        td_series_row(frames, i, row);
        td_out_time(&w->out, td_writer_time_(w, row[TD_FRAME_START]));
        if (!continuous)
            td_out_time(&w->out, row[TD_FRAME_END] < 0 ? -1 : td_writer_time_(w, row[TD_FRAME_END]));
        td_out_u32(&w->out, (uint32_t)image_of(w, row[TD_FRAME_IMAGE]));
    }
}

void td_writer_frames_(struct writer *w)
{
    uint32_t sets = td_dict_frame_set_count(w->dict), first = !td_writer_has_base_frames_(w);
    td_out_u64(&w->out, sets - first);
    for (uint32_t i = first; i < sets; i++)
        put_frame_set(w, i);
}

static bool has_description(const struct writer *w, int64_t category)
{
    const struct td_series *known = td_trace_table(w->trace, TD_TABLE_SECTION_CATEGORY);
    for (uint64_t i = 0; i < td_series_count(known); i++) {
        if (td_series_get(known, i, TD_SECTION_CATEGORY_CATEGORY) == category)
            return true;
    }
    return false;
}

/* Viewers look up the description of every category unchecked: categories without one get an empty one. */
void td_writer_sections_(struct writer *w)
{
    const struct td_schema_list *body = &td_sections[TD_P6].body;
    const struct td_series *items = td_trace_table(w->trace, TD_TABLE_SECTION);
    const struct td_series *known = td_trace_table(w->trace, TD_TABLE_SECTION_CATEGORY);
    td_writer_list_(w, body->fields[0].list, 0);
    if (!td_field_is_in(&body->fields[1], w->version))
        return;
    uint64_t count = td_series_count(items), missing = 0;
    for (int put = 0; put < 2; put++) {
        int64_t last = -1;
        for (uint64_t i = 0; i < count; i++) {
            int64_t category = td_series_get(items, i, TD_SECTION_CATEGORY);
            if (category == last || has_description(w, category))
                continue;
            last = category;
            missing += !put;
            if (put) {
                td_out_u16(&w->out, (uint32_t)category & 0xffff);
                td_out_u24(&w->out, 0);
            }
        }
        if (!put)
            td_out_u64(&w->out, td_series_count(known) + missing);
    }
    td_writer_items_(w, body->fields[1].list, 0);
}

static double value_of(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Least and greatest value and sum: those in the file that the plot was read from, else of the points. */
static void put_range(struct writer *w, uint32_t number)
{
    const struct td_series *range = td_trace_list(w->trace, TD_TABLE_PLOT_RANGE, number);
    const struct td_series *points = td_trace_list(w->trace, TD_TABLE_POINT, number);
    uint64_t count = td_series_count(points);
    double min = 0, max = 0, sum = 0;
    if (td_series_count(range) == 1) {
        for (unsigned i = 0; i < TD_PLOT_RANGE_COLUMN_COUNT; i++)
            td_out_u64(&w->out, (uint64_t)td_series_get(range, 0, i));
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        double v = value_of(td_series_next(points, i, TD_POINT_VALUE));
        min = i == 0 || v < min ? v : min;
        max = i == 0 || v > max ? v : max;
        sum += v;
    }
    td_out_f64(&w->out, min);
    td_out_f64(&w->out, max);
    td_out_f64(&w->out, sum);
}

static void put_plot(struct writer *w, uint32_t number)
{
    const struct td_plot *plot = td_dict_get_plot(w->dict, number);
    int power = w->version >= TD_FILE_VERSION(0, 10, 0);
    td_out_u8(&w->out, plot->kind == TD_PLOT_POWER && !power ? TD_PLOT_USER : plot->kind);
    td_out_u8(&w->out, plot->format > 2 && !power ? 0 : plot->format);
    td_out_u8(&w->out, plot->step);
    td_out_u8(&w->out, plot->fill);
    td_out_u32(&w->out, td_file_swap_color(plot->color));
    td_out_u64(&w->out, plot->kind == TD_PLOT_CPU_USAGE ? 0 : td_writer_pointer_(w, plot->name));
    put_range(w, number);
    td_writer_list_(w, &td_list_points, number);
}

void td_writer_plots_(struct writer *w)
{
    uint32_t plots = w->strip & TD_STRIP_PLOTS ? 0 : td_dict_plot_count(w->dict);
    td_out_u64(&w->out, plots);
    for (uint32_t i = 0; i < plots; i++)
        put_plot(w, i);
}

/* Viewers look up the default pool, so an empty one is written if there is none. */
void td_writer_memory_(struct writer *w)
{
    const struct td_field *fields = td_sections[TD_P24].body.fields;
    const struct td_series *pools = td_trace_table(w->trace, TD_TABLE_POOL);
    uint64_t count = w->strip & TD_STRIP_MEMORY ? 0 : td_series_count(pools);
    int has_default = 0;
    for (uint64_t i = 0; i < count; i++)
        has_default |= td_series_get(pools, i, TD_POOL_NAME) == 0;
    td_out_u64(&w->out, count + !has_default);
    td_out_u64(&w->out, count ? fields[1].made(w->trace, 0) : 0);
    if (count)
        td_writer_items_(w, &td_list_pools, 0);
    static const uint64_t empty[] = {0, 0,          0, 0,
                                     0, UINT64_MAX, 0, 0}; /* name, counts, high, low, usage, name */
    for (size_t i = 0; i < sizeof empty / sizeof *empty && !has_default; i++)
        td_out_u64(&w->out, empty[i]);
}

void td_writer_app_info_(struct writer *w)
{
    const struct td_series *lines = td_trace_table(w->trace, TD_TABLE_APP_INFO);
    td_out_u64(&w->out, td_series_count(lines) + w->note_count);
    td_writer_items_(w, td_sections[TD_P27].body.fields[0].list, 0);
    for (uint32_t i = 0; i < w->note_count; i++)
        td_writer_reference_(w, w->first_note + i);
}
