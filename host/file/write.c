/* The writer: one function a section, called in the order of a table. Names P0 .. P38 are those of the
 * format's page. */
#include "host/file/convention.h"
#include "host/file/writer.h"

#include <inttypes.h>
#include <stdio.h>

/* Keys of names that readers look up by address. */
#define POINTER_BASE UINT64_C(0x10000)

static uint64_t pointer(struct writer *w, uint32_t string)
{
    return POINTER_BASE + td_writer_string_(w, string);
}

static void put_reference(struct writer *w, uint32_t number)
{
    td_out_u64(&w->out, number);
    td_out_u8(&w->out, TD_FILE_REF_INDEX);
}

static void put_header(struct writer *w)
{
    td_out_bytes(&w->out, TD_FILE_MAGIC_PAYLOAD, 5);
    td_out_u8(&w->out, TD_FILE_VERSION_WRITTEN >> 16);
    td_out_u8(&w->out, TD_FILE_VERSION_WRITTEN >> 8 & 0xff);
    td_out_u8(&w->out, TD_FILE_VERSION_WRITTEN & 0xff);
}

static void put_clock_and_process(struct writer *w)
{
    const struct td_trace_info *info = w->info;
    int64_t last = info->last_time_ns;
    if (last < 1)
        last = 1;
    if (last >= TD_FILE_TIME_LIMIT)
        last = TD_FILE_TIME_LIMIT - 1;
    td_out_u64(&w->out, 0); /* cost of the client's queue */
    td_out_u64(&w->out, (uint64_t)info->resolution_ns);
    td_out_f64(&w->out, info->timer_mul);
    td_out_u64(&w->out, (uint64_t)last);
    td_out_u64(&w->out, info->frame_offset);
    td_out_u64(&w->out, info->pid);
    td_out_u64(&w->out, 0); /* sampling period */
    td_out_u8(&w->out, info->cpu_arch);
    td_out_u32(&w->out, info->cpu_id);
    td_out_bytes(&w->out, info->cpu_vendor, sizeof info->cpu_vendor);
    td_out_u8(&w->out, info->on_demand != 0);
}

/* Readers copy these into a fixed buffer. A cut does not split a UTF-8 character. */
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

static void put_names(struct writer *w)
{
    put_name(w, w->info->capture_name);
    put_name(w, w->info->program);
    td_out_u64(&w->out, w->info->capture_time_s);
    td_out_u64(&w->out, w->info->executable_time_s);
    put_name(w, w->info->host_info);
}

static void put_empty_list(struct writer *w)
{
    td_out_u64(&w->out, 0);
}

static void put_crash(struct writer *w)
{
    const struct td_crash *crash = td_trace_crash(w->trace);
    td_out_u64(&w->out, crash ? td_dict_get_track(w->dict, crash->track)->thread : 0);
    td_out_u64(&w->out, crash ? (uint64_t)td_writer_time_(w, crash->time_ns) : 0);
    td_out_u64(&w->out, crash ? pointer(w, crash->text) : 0);
    td_out_u32(&w->out, 0);
}

static void put_frame_set(struct writer *w, uint32_t set)
{
    int continuous;
    uint32_t name = td_dict_get_frame_set(w->dict, set, &continuous);
    size_t count = td_trace_frames(w->trace, set);
    /* The base set begins with a frame at 0, which ends when the program was ready, and with on-demand
     * clients one more for the frames that were missed. A source that has told only of frame marks has none
     * of them. */
    size_t lead = 0, least = w->info->on_demand ? 3 : 2;
    if (set == 0 && (count < least || td_trace_frame(w->trace, 0, 0).start_ns > 0))
        lead = count && td_trace_frame(w->trace, 0, 0).start_ns <= 0 ? least - count : least;
    td_out_u64(&w->out, set == 0 ? 0 : pointer(w, name));
    td_out_u8(&w->out, continuous != 0);
    td_out_u64(&w->out, lead + count);
    w->out.reference_ns = 0;
    for (size_t i = 0; i < lead; i++) {
        td_out_time(&w->out, 0);
        td_out_u32(&w->out, UINT32_MAX);
    }
    for (size_t i = 0; i < count; i++) {
        struct td_frame frame = td_trace_frame(w->trace, set, i);
        td_out_time(&w->out, td_writer_time_(w, frame.start_ns));
        if (!continuous)
            td_out_time(&w->out, td_writer_time_(w, frame.end_ns));
        td_out_u32(&w->out, UINT32_MAX); /* no image */
    }
}

static void put_frames(struct writer *w)
{
    uint32_t sets = td_dict_frame_set_count(w->dict);
    uint64_t used = 1;
    for (uint32_t i = 1; i < sets; i++)
        used += td_trace_frames(w->trace, i) != 0;
    td_out_u64(&w->out, used);
    for (uint32_t i = 0; i < sets; i++) {
        if (i == 0 || td_trace_frames(w->trace, i))
            put_frame_set(w, i);
    }
}

/* Tokens are the strings' numbers + 1. */
static void put_strings(struct writer *w)
{
    td_out_u64(&w->out, w->string_count);
    for (uint32_t i = 0; i < w->string_count; i++) {
        size_t bytes;
        const char *text = td_writer_text_(w, i, &bytes);
        td_out_u64(&w->out, (uint64_t)i + 1);
        td_out_text(&w->out, text, bytes);
    }
}

static void put_pointer_string(struct writer *w, uint64_t key, uint32_t number)
{
    td_out_u64(&w->out, key);
    td_out_u64(&w->out, (uint64_t)number + 1);
}

/* Names that are looked up by address; equal names give equal entries, which readers take. */
static void put_pointers(struct writer *w)
{
    const struct td_crash *crash = td_trace_crash(w->trace);
    uint32_t plots = td_dict_plot_count(w->dict), sets = td_dict_frame_set_count(w->dict);
    td_out_u64(&w->out, 1 + (uint64_t)plots + (sets - 1) + (crash != NULL));
    put_pointer_string(w, 0, w->frame_string);
    for (uint32_t i = 0; i < plots; i++) {
        uint32_t name = td_dict_get_plot(w->dict, i)->name;
        put_pointer_string(w, pointer(w, name), td_writer_string_(w, name));
    }
    for (uint32_t i = 1; i < sets; i++) {
        uint32_t name = td_dict_get_frame_set(w->dict, i, NULL);
        put_pointer_string(w, pointer(w, name), td_writer_string_(w, name));
    }
    if (crash)
        put_pointer_string(w, pointer(w, crash->text), td_writer_string_(w, crash->text));
}

static void put_thread_names(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    uint64_t named = 0;
    for (uint32_t i = 0; i < tracks; i++)
        named += td_dict_get_track(w->dict, i)->name != 0;
    td_out_u64(&w->out, named);
    for (uint32_t i = 0; i < tracks; i++) {
        const struct td_track *track = td_dict_get_track(w->dict, i);
        if (track->name)
            put_pointer_string(w, track->thread, td_writer_string_(w, track->name));
    }
}

static void put_thread_table(struct writer *w)
{
    td_out_u64(&w->out, w->thread_count);
    for (size_t i = 0; i < w->thread_count; i++)
        td_out_u64(&w->out, w->threads[i]);
}

static void put_location(struct writer *w, size_t stat)
{
    const struct td_srcloc *s = td_dict_get_srcloc(w->dict, w->used[stat]);
    if (s->name || s->flags & TD_SRCLOC_EMPTY_NAME) {
        put_reference(w, td_writer_string_(w, s->name));
    } else {
        td_out_u64(&w->out, 0);
        td_out_u8(&w->out, TD_FILE_REF_NONE);
    }
    put_reference(w, td_writer_string_(w, s->function));
    put_reference(w, td_writer_string_(w, s->file));
    td_out_u32(&w->out, s->line);
    td_out_u32(&w->out, td_file_color(s));
}

static void put_static_locations(struct writer *w)
{
    td_out_u64(&w->out, w->static_count);
    for (uint32_t i = 0; i < w->static_count; i++) {
        td_out_u64(&w->out, (uint64_t)i + 1);
        size_t stat = w->dynamic_count + i;
        if (stat < w->first_folded) {
            put_location(w, stat);
            continue;
        }
        for (int k = 0; k < 3; k++)
            put_reference(w, w->catch_all_string);
        td_out_u32(&w->out, 0);
        td_out_u32(&w->out, 0);
    }
}

static void put_static_numbers(struct writer *w)
{
    td_out_u64(&w->out, 1 + (uint64_t)w->static_count);
    for (uint32_t i = 0; i <= w->static_count; i++)
        td_out_u64(&w->out, i);
}

static void put_dynamic_locations(struct writer *w)
{
    td_out_u64(&w->out, w->dynamic_count);
    for (uint32_t i = 0; i < w->dynamic_count; i++)
        put_location(w, i);
}

/* Finished zones of a location, in threads or in contexts. */
static uint64_t zones_of(const struct writer *w, size_t stat, int gpu)
{
    return (gpu ? w->gpu_zones : w->cpu_zones)[w->used[stat]];
}

/* Every location that is used has an entry in both lists, be it with 0: readers look them up unchecked. */
static void put_counts(struct writer *w, int gpu)
{
    uint64_t folded = 0;
    for (size_t i = w->first_folded; i < w->used_count; i++)
        folded += zones_of(w, i, gpu);
    int catch_all = w->first_folded < w->used_count;
    td_out_u64(&w->out, w->first_folded + (catch_all != 0));
    for (size_t i = 0; i < w->first_folded; i++) {
        td_out_u16(&w->out, (uint16_t)w->location[w->used[i]]);
        td_out_u64(&w->out, zones_of(w, i, gpu));
    }
    if (catch_all) {
        td_out_u16(&w->out, w->static_count);
        td_out_u64(&w->out, folded);
    }
}

static void put_zone_counts(struct writer *w)
{
    put_counts(w, 0);
}

static void put_gpu_zone_counts(struct writer *w)
{
    if (w->context_count)
        put_counts(w, 1);
    else
        td_out_u64(&w->out, 0);
}

/* Tokens are the messages' numbers + 1. */
static void put_messages(struct writer *w)
{
    size_t count = td_trace_messages(w->trace);
    td_out_u64(&w->out, count);
    w->out.reference_ns = 0;
    for (size_t i = 0; i < count; i++) {
        struct td_message m = td_trace_message(w->trace, i);
        td_out_u64(&w->out, (uint64_t)i + 1);
        td_out_time(&w->out, td_writer_time_(w, m.time_ns));
        put_reference(w, td_writer_string_(w, m.text));
        td_out_u32(&w->out, m.color ? td_file_swap_color(m.color) | 0xff000000 : UINT32_MAX);
        td_out_u24(&w->out, 0);
    }
}

static void put_plot(struct writer *w, uint32_t number)
{
    const struct td_plot *plot = td_dict_get_plot(w->dict, number);
    size_t count = td_trace_plot_points(w->trace, number);
    double min = 0, max = 0, sum = 0;
    for (size_t i = 0; i < count; i++) {
        double v = td_trace_plot_point(w->trace, number, i).value;
        min = i == 0 || v < min ? v : min;
        max = i == 0 || v > max ? v : max;
        sum += v;
    }
    td_out_u8(&w->out, plot->kind);
    td_out_u8(&w->out, plot->format);
    td_out_u8(&w->out, plot->step);
    td_out_u8(&w->out, plot->fill);
    td_out_u32(&w->out, td_file_swap_color(plot->color));
    td_out_u64(&w->out, plot->kind == TD_PLOT_CPU_USAGE ? 0 : pointer(w, plot->name));
    td_out_f64(&w->out, min);
    td_out_f64(&w->out, max);
    td_out_f64(&w->out, sum);
    td_out_u64(&w->out, count);
    w->out.reference_ns = 0;
    for (size_t i = 0; i < count; i++) {
        struct td_point p = td_trace_plot_point(w->trace, number, i);
        td_out_time(&w->out, td_writer_time_(w, p.time_ns));
        td_out_f64(&w->out, p.value);
    }
}

static void put_plots(struct writer *w)
{
    uint32_t plots = td_dict_plot_count(w->dict);
    td_out_u64(&w->out, plots);
    for (uint32_t i = 0; i < plots; i++)
        put_plot(w, i);
}

/* The default pool, empty: viewers look it up. */
static void put_memory(struct writer *w)
{
    static const uint64_t pools_events_name_and_counts[] = {1, 0, 0, 0, 0, 0, 0, UINT64_MAX, 0, 0};
    for (size_t i = 0; i < sizeof pools_events_name_and_counts / sizeof(uint64_t); i++)
        td_out_u64(&w->out, pools_events_name_and_counts[i]);
}

static void put_app_info(struct writer *w)
{
    size_t count = td_trace_app_infos(w->trace);
    td_out_u64(&w->out, count + w->note_count);
    for (size_t i = 0; i < count; i++)
        put_reference(w, td_writer_string_(w, td_trace_app_info(w->trace, i)));
    for (uint32_t i = 0; i < w->note_count; i++)
        put_reference(w, w->first_note + i);
}

static void put_images(struct writer *w)
{
    td_out_u32(&w->out, 0); /* dictionary */
    td_out_u64(&w->out, 0);
}

static void put_cpu_switches(struct writer *w)
{
    td_out_u64(&w->out, 0);
    for (int i = 0; i < TD_FILE_CPU_LISTS; i++)
        td_out_u64(&w->out, 0);
}

static void put_symbols(struct writer *w)
{
    td_out_u64(&w->out, 0);
    td_out_u64(&w->out, 1); /* inline symbols, plus one */
    td_out_u64(&w->out, 0);
}

/* clang-format off */
static const struct section {
    const char *name;
    void (*put)(struct writer *w);
} sections[] = {
    {"P0 header", put_header},
    {"P1 clock, process, CPU", put_clock_and_process},
    {"P2 names", put_names},
    {"P3 CPU topology", put_empty_list},
    {"P4 crash", put_crash},
    {"P5 frame sets", put_frames},
    {"P7 strings", put_strings},
    {"P8 strings by address", put_pointers},
    {"P9 thread names", put_thread_names},
    {"P10 foreign threads", put_empty_list},
    {"P11 threads", put_thread_table},
    {"P12 foreign thread table", put_empty_list},
    {"P13 static locations", put_static_locations},
    {"P14 their numbers", put_static_numbers},
    {"P15 dynamic locations", put_dynamic_locations},
    {"P16 zones a location", put_zone_counts},
    {"P17 GPU zones a location", put_gpu_zone_counts},
    {"P18 locks", put_empty_list},
    {"P19 messages", put_messages},
    {"P20 zone extras", td_writer_extras_},
    {"P21 threads and zones", td_writer_threads_},
    {"P22 GPU contexts and zones", td_writer_contexts_},
    {"P23 plots", put_plots},
    {"P24 memory", put_memory},
    {"P25 call stacks", put_empty_list},
    {"P26 call stack frames", put_empty_list},
    {"P27 application info", put_app_info},
    {"P28 frame images", put_images},
    {"P29 context switches", put_empty_list},
    {"P30 switches a CPU", put_cpu_switches},
    {"P31 thread to process", put_empty_list},
    {"P32 CPU totals", put_empty_list},
    {"P33 symbols", put_symbols},
    {"P34 symbol code", put_empty_list},
    {"P36 addresses", put_empty_list},
    {"P37 hardware samples", put_empty_list},
    {"P38 source files", put_empty_list},
};
/* clang-format on */

/* One line for the user, the weightiest first. */
static void say(struct td_file_notice *n)
{
    if (n->folded_locations)
        snprintf(n->text, sizeof n->text,
                 "%" PRIu64 " source locations beyond the file format's limit of 65532 are shown as one",
                 n->folded_locations);
    else if (n->dropped_texts)
        snprintf(n->text, sizeof n->text, "%" PRIu64 " texts beyond what the file format holds were left out",
                 n->dropped_texts);
    else if (n->dropped_extras)
        snprintf(n->text, sizeof n->text,
                 "%" PRIu64 " texts, names and colours of device zones have no place in contexts",
                 n->dropped_extras);
    else if (n->clamped_times)
        snprintf(n->text, sizeof n->text,
                 "%" PRIu64 " times outside of 0 .. 39 hours were moved to these bounds", n->clamped_times);
}

int td_file_write(const struct td_trace *trace, const char *path, const struct td_file_options *options,
                  struct td_err *err)
{
    const struct td_file_options defaults = {0};
    if (!options)
        options = &defaults;
    struct td_out_options out_options = {.parallel = 1,
                                         .packing = options->packing,
                                         .level = options->level,
                                         .streams = options->streams,
                                         .threads = options->threads,
                                         .progress = options->progress};
    struct writer w = {.trace = trace,
                       .dict = td_trace_dict(trace),
                       .info = td_trace_get_info(trace),
                       .version = TD_FILE_VERSION_WRITTEN,
                       .tenstorrent = options->tenstorrent,
                       .strip = options->strip,
                       .contexts_wanted = options->contexts};
    int rc = td_writer_number_(&w, err);
    if (rc == 0)
        rc = td_out_open(&w.out, path, &out_options, err);
    if (rc == 0) {
        for (size_t i = 0; i < sizeof sections / sizeof *sections && !w.out.failed && !w.failed; i++)
            sections[i].put(&w);
        rc = td_out_finish(&w.out, w.failed, err);
        if (rc == 0 && w.failed)
            rc = td_fail(err, TD_E_NOMEM, "out of memory while writing '%s'", path);
    }
    td_writer_number_finish_(&w);
    say(&w.notice);
    if (options->notice)
        *options->notice = w.notice;
    return rc;
}
