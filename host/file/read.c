/* The reader: one function a section, called in the order of a table. Names P0 .. P38 are those of the
 * format's page. */
#include "host/base/grow.h"
#include "host/file/convention.h"
#include "host/file/reader.h"

#include <stdio.h>
#include <stdlib.h>

void td_reader_flush_(struct reader *r)
{
    struct td_sink sink = td_trace_sink(r->trace);
    size_t count = r->batch_count;
    r->batch_count = 0;
    if (!r->in.failed && count) {
        int rc = sink.events(sink.self, r->batch, count, r->in.err);
        if (rc < 0)
            r->in.failed = rc;
    }
}

void td_reader_push_(struct reader *r, struct td_event event)
{
    r->batch[r->batch_count++] = event;
    if (r->batch_count == READER_BATCH)
        td_reader_flush_(r);
}

int64_t td_reader_bounded_(int64_t time_ns)
{
    if (time_ns < 0)
        return 0;
    return time_ns < TD_FILE_TIME_LIMIT ? time_ns : TD_FILE_TIME_LIMIT - 1;
}

static void read_header(struct reader *r)
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

static void read_clock_and_process(struct reader *r)
{
    struct td_trace_info *info = td_trace_info(r->trace);
    if (r->in.version < TD_FILE_VERSION(0, 12, 3))
        td_in_skip(&r->in, 8);
    info->resolution_ns = (int64_t)td_in_u64(&r->in);
    info->timer_mul = td_in_f64(&r->in);
    info->last_time_ns = td_reader_bounded_((int64_t)td_in_u64(&r->in));
    info->frame_offset = td_in_u64(&r->in);
    info->pid = td_in_u64(&r->in);
    td_in_skip(&r->in, 8);
    info->cpu_arch = td_in_u8(&r->in);
    info->cpu_id = td_in_u32(&r->in);
    td_in_bytes(&r->in, info->cpu_vendor, sizeof info->cpu_vendor);
    info->on_demand =
        r->in.version >= TD_FILE_VERSION(0, 9, 2) ? td_in_u8(&r->in) != 0 : info->frame_offset != 0;
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
    if (td_trace_set_string(to, text) < 0)
        td_in_no_memory(&r->in);
}

static void read_texts(struct reader *r)
{
    struct td_trace_info *info = td_trace_info(r->trace);
    read_name(r, &info->capture_name);
    read_name(r, &info->program);
    info->capture_time_s = td_in_u64(&r->in);
    info->executable_time_s = td_in_u64(&r->in);
    read_name(r, &info->host_info);
}

static void read_crash(struct reader *r)
{
    r->crash_thread = td_in_u64(&r->in);
    r->crash_time_ns = (int64_t)td_in_u64(&r->in);
    r->crash_message = td_in_u64(&r->in);
    td_in_skip(&r->in, 4);
}

static void read_frame_set(struct reader *r)
{
    struct read_frame_set set = {.name = td_in_u64(&r->in), .first = r->frame_count};
    set.continuous = td_in_u8(&r->in) != 0;
    uint64_t count = td_in_u64(&r->in);
    r->in.reference_ns = 0;
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        struct td_frame frame = {.start_ns = td_reader_bounded_(td_in_time(&r->in)), .end_ns = TD_OPEN};
        if (!set.continuous) {
            int64_t end = td_in_time(&r->in);
            frame.end_ns = end < 0 ? TD_OPEN : td_reader_bounded_(end);
        }
        td_in_skip(&r->in, 4); /* image */
        if (r->in.failed || READER_GROW(r, frames, frame_capacity, frame_count) < 0)
            return;
        r->frames[r->frame_count++] = frame;
    }
    set.count = r->frame_count - set.first;
    if (READER_GROW(r, frame_sets, frame_set_capacity, frame_set_count) == 0)
        r->frame_sets[r->frame_set_count++] = set;
}

static void read_frames(struct reader *r)
{
    uint64_t sets = td_in_u64(&r->in);
    for (uint64_t i = 0; i < sets && !r->in.failed; i++)
        read_frame_set(r);
}

/* Bit 63 of a set's key: a display's vertical blanks, which have a number instead of a name. */
static uint32_t frame_set_name(struct reader *r, uint64_t key)
{
    if (key == 0)
        return 0;
    if (!(key >> 63))
        return td_reader_pointer_(r, key);
    char text[40];
    int n = snprintf(text, sizeof text, "vertical sync %llu", (unsigned long long)(key & (UINT64_MAX >> 1)));
    return td_dict_string(r->dict, text, (size_t)n);
}

static void push_frames(struct reader *r)
{
    for (size_t i = 0; i < r->frame_set_count && !r->in.failed; i++) {
        const struct read_frame_set *set = &r->frame_sets[i];
        uint32_t number = td_dict_frame_set(r->dict, frame_set_name(r, set->name), set->continuous);
        if (number == UINT32_MAX) {
            td_in_no_memory(&r->in);
            return;
        }
        for (size_t f = set->first; f < set->first + set->count; f++) {
            struct td_event e = {.kind = set->continuous ? TD_EVENT_FRAME : TD_EVENT_FRAME_START,
                                 .a = number};
            e.time_ns = r->frames[f].start_ns;
            td_reader_push_(r, e);
            if (r->frames[f].end_ns == TD_OPEN)
                continue;
            e.kind = TD_EVENT_FRAME_END;
            e.time_ns = r->frames[f].end_ns;
            td_reader_push_(r, e);
        }
    }
}

static void push_crash(struct reader *r)
{
    if (!r->crash_thread)
        return;
    uint32_t track = td_map_get(&r->tracks, r->crash_thread, UINT32_MAX);
    if (track == UINT32_MAX)
        track = td_reader_track_(r, &(struct td_track){.thread = r->crash_thread});
    td_reader_push_(r, (struct td_event){.kind = TD_EVENT_CRASH,
                                         .track = track,
                                         .time_ns = td_reader_bounded_(r->crash_time_ns),
                                         .a = td_reader_pointer_(r, r->crash_message)});
}

static void read_messages(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    r->in.reference_ns = 0;
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        struct read_message m = {.track = UINT32_MAX};
        int none;
        uint64_t token = td_in_u64(&r->in);
        m.time_ns = td_reader_bounded_(td_in_time(&r->in));
        m.text = td_reader_reference_(r, &none);
        uint32_t color = td_in_u32(&r->in);
        m.color = color == UINT32_MAX ? 0 : td_file_swap_color(color);
        td_in_skip(&r->in,
                   r->in.version >= TD_FILE_VERSION(0, 13, 2) ? 5 : 3); /* call stack; source, severity */
        if (r->in.failed || READER_GROW(r, messages, message_capacity, message_count) < 0)
            return;
        if (td_map_add(&r->message_tokens, token, (uint32_t)r->message_count) < 0)
            td_in_no_memory(&r->in);
        r->messages[r->message_count++] = m;
    }
}

static void read_plot(struct reader *r)
{
    struct td_plot plot = {.kind = td_in_u8(&r->in)};
    plot.format = td_in_u8(&r->in);
    plot.step = td_in_u8(&r->in) != 0;
    plot.fill = td_in_u8(&r->in) != 0;
    plot.color = td_file_swap_color(td_in_u32(&r->in));
    uint64_t key = td_in_u64(&r->in);
    td_in_skip(&r->in, 24); /* min, max, sum */
    uint64_t points = td_in_u64(&r->in);
    if (r->in.failed)
        return;
    if (plot.kind != TD_PLOT_CPU_USAGE && plot.kind != TD_PLOT_POWER)
        plot.kind = TD_PLOT_USER;
    plot.name =
        plot.kind == TD_PLOT_CPU_USAGE ? td_dict_cstring(r->dict, "CPU usage") : td_reader_pointer_(r, key);
    uint32_t number = plot.name == UINT32_MAX ? UINT32_MAX : td_dict_plot(r->dict, &plot);
    if (number == UINT32_MAX) {
        td_in_no_memory(&r->in);
        return;
    }
    r->in.reference_ns = 0;
    for (uint64_t i = 0; i < points && !r->in.failed; i++) {
        struct td_event e = {
            .kind = TD_EVENT_PLOT, .a = number, .time_ns = td_reader_bounded_(td_in_time(&r->in))};
        e.value.f64 = td_in_f64(&r->in);
        td_reader_push_(r, e);
    }
}

static void read_plots(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++)
        read_plot(r);
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

static void read_app_info(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        int none;
        uint32_t string = td_reader_reference_(r, &none);
        if (r->in.failed)
            return;
        mark_unsynced(r, td_dict_text(r->dict, string));
        td_reader_push_(r, (struct td_event){.kind = TD_EVENT_APP_INFO, .a = string});
    }
}

#define FROM(a, b, c) TD_FILE_VERSION(a, b, c)

/* clang-format off */
static const struct section {
    const char *name;
    void (*read)(struct reader *r);
    uint32_t from; /* first version that has it, 0: all */
} sections[] = {
    {"the header", read_header, 0},                                     /* P0 */
    {"clock, process, CPU", read_clock_and_process, 0},                 /* P1 */
    {"names", read_texts, 0},                                           /* P2 */
    {"CPU topology", td_reader_skip_topology_, 0},                      /* P3 */
    {"crash", read_crash, 0},                                           /* P4 */
    {"frames", read_frames, 0},                                         /* P5 */
    {"trace sections", td_reader_skip_sections_, FROM(0, 13, 4)},       /* P6 */
    {"strings", td_reader_strings_, 0},                                 /* P7 */
    {"strings by address", td_reader_pointers_, 0},                     /* P8 */
    {"thread names", td_reader_thread_names_, 0},                       /* P9 */
    {"threads of other programs", td_reader_skip_foreign_threads_, 0},  /* P10 */
    {"thread numbers", td_reader_thread_table_, 0},                     /* P11 */
    {"numbers of other programs' threads", td_reader_skip_table_, 0},   /* P12 */
    {"source locations", td_reader_static_locations_, 0},               /* P13 */
    {"numbers of source locations", td_reader_static_numbers_, 0},      /* P14 */
    {"dynamic source locations", td_reader_dynamic_locations_, 0},      /* P15 */
    {"zone counts", td_reader_zone_locations_, 0},                       /* P16 */
    {"GPU zone counts", td_reader_gpu_locations_, 0},                    /* P17 */
    {"locks", td_reader_skip_locks_, 0},                                /* P18 */
    {"messages", read_messages, 0},                                     /* P19 */
    {"texts of zones", td_reader_extras_, 0},                           /* P20 */
    {"threads and zones", td_reader_threads_, 0},                       /* P21 */
    {"GPU contexts", td_reader_gpu_, 0},                                /* P22 */
    {"plots", read_plots, 0},                                           /* P23 */
    {"memory", td_reader_skip_memory_, 0},                              /* P24 */
    {"call stacks", td_reader_skip_call_stacks_, 0},                    /* P25 */
    {"call stack frames", td_reader_skip_frames_, 0},                   /* P26 */
    {"application info", read_app_info, 0},                             /* P27 */
    {"frame images", td_reader_skip_images_, 0},                        /* P28 */
    {"context switches", td_reader_skip_switches_, 0},                  /* P29 */
    {"context switches a CPU", td_reader_skip_cpu_switches_, 0},        /* P30 */
    {"processes of threads", td_reader_skip_pairs_, 0},                 /* P31 */
    {"CPU totals", td_reader_skip_cpu_totals_, 0},                      /* P32 */
    {"symbols", td_reader_skip_symbols_, 0},                            /* P33 */
    {"symbol code", td_reader_skip_code_, 0},                           /* P34; P35 ended with 0.8 */
    {"addresses of symbols", td_reader_skip_pairs_, 0},                 /* P36 */
    {"hardware samples", td_reader_skip_samples_, 0},                   /* P37 */
    {"source files", td_reader_skip_sources_, 0},                       /* P38 */
};
/* clang-format on */

static void release(struct reader *r)
{
    struct td_map *maps[] = {&r->tokens, &r->pointers,    &r->thread_names, &r->thread_numbers,
                             &r->tracks, &r->static_keys, &r->twins,        &r->message_tokens};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        td_map_finish(maps[i]);
    free(r->strings);
    free(r->frame_sets);
    free(r->frames);
    free(r->static_locations);
    free(r->static_numbers);
    free(r->dynamic_numbers);
    free(r->messages);
    free(r->locations);
    free(r->thread_ids);
    free(r->depth_left);
    td_in_close(&r->in);
    free(r);
}

static void read_payload(struct reader *r)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections && !r->in.failed; i++) {
        r->in.section = sections[i].name;
        if (r->in.version >= sections[i].from)
            sections[i].read(r);
    }
    if (r->in.failed)
        return;
    push_frames(r);
    push_crash(r);
    td_reader_flush_(r);
}

int td_file_read(const char *path, struct td_trace **trace, struct td_err *err)
{
    return td_file_read_with(path, NULL, trace, err);
}

int td_file_read_with(const char *path, struct td_file_read_options *options, struct td_trace **trace,
                      struct td_err *err)
{
    struct td_in_options in_options = {0};
    if (options)
        in_options = (struct td_in_options){.threads = options->threads, .progress = options->progress};
    struct td_err own = {0};
    *trace = NULL;
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return td_fail(err, TD_E_NOMEM, "out of memory while reading '%s'", path);
    int rc = td_in_open(&r->in, path, &in_options, &own);
    if (rc == 0) {
        r->dict = td_dict_create();
        r->trace = td_trace_create(r->dict);
        r->unknown = r->trace ? td_dict_cstring(r->dict, "???") : UINT32_MAX;
        if (r->unknown == UINT32_MAX)
            td_in_no_memory(&r->in);
        else
            read_payload(r);
        rc = r->in.failed;
    }
    if (rc == 0)
        rc = td_trace_finish(r->trace, &own);
    if (options)
        options->version = r->in.version;
    if (rc == 0)
        *trace = r->trace;
    else
        td_trace_destroy(r->trace);
    if (rc < 0)
        td_fail(err, rc, "%s", own.text);
    release(r);
    return rc;
}
