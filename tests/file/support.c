#include "tests/file/support.h"
#include "host/base/grow.h"
#include "host/file/in.h"
#include "proto/device/packet.h"
#include "proto/track.h"

#include <dirent.h>
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static void remove_folder(void)
{
    char path[512];
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

const char *temporary_folder(void)
{
    if (!folder[0]) {
        strcpy(folder, "/tmp/tendril-test-XXXXXX");
        if (!mkdtemp(folder))
            abort();
        atexit(remove_folder);
    }
    return folder;
}

char *temporary(const char *name)
{
    char *path = malloc(strlen(name) + sizeof folder + 2);
    sprintf(path, "%s/%s", temporary_folder(), name);
    return path;
}

struct bytes read_bytes(const char *path)
{
    struct bytes b = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return b;
    struct stat st;
    fstat(fileno(f), &st);
    b.data = malloc((size_t)st.st_size + 1);
    b.count = fread(b.data, 1, (size_t)st.st_size, f);
    b.data[b.count] = 0;
    fclose(f);
    return b;
}

void write_bytes(const char *path, const void *data, size_t count)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, count, f) != count || fclose(f) != 0)
        abort();
}

struct bytes payload_of(const char *path)
{
    struct bytes b = {0};
    struct td_in in;
    size_t capacity = 0;
    if (td_in_open(&in, path, NULL, NULL) < 0)
        return b;
    while (td_in_next_block_(&in) == 0) {
        if (td_grow(&b.data, &capacity, b.count + in.bytes, 1) < 0)
            abort();
        memcpy(b.data + b.count, in.block, in.bytes);
        b.count += in.bytes;
    }
    td_in_close(&in);
    return b;
}

struct bytes wrap_payload(const void *payload, size_t count)
{
    const char *from = payload;
    struct bytes b = {
        malloc(4 + (count / TD_FILE_BLOCK_BYTES + 1) * (4 + LZ4_COMPRESSBOUND(TD_FILE_BLOCK_BYTES))), 4};
    memcpy(b.data, TD_FILE_MAGIC_LZ4, 4);
    for (size_t at = 0; at < count; at += TD_FILE_BLOCK_BYTES) {
        size_t bytes = count - at < TD_FILE_BLOCK_BYTES ? count - at : TD_FILE_BLOCK_BYTES;
        int n = LZ4_compress_default(from + at, (char *)b.data + b.count + 4, (int)bytes,
                                     LZ4_COMPRESSBOUND(TD_FILE_BLOCK_BYTES));
        for (int i = 0; i < 4; i++)
            b.data[b.count + (size_t)i] = (uint8_t)(n >> 8 * i);
        b.count += 4 + (size_t)n;
    }
    return b;
}

char *output_of(const char *command, int *status)
{
    char *text = NULL;
    size_t count = 0, capacity = 0;
    FILE *f = popen(command, "r");
    if (!f)
        abort();
    for (;;) {
        if (td_grow(&text, &capacity, count + 4096, 1) < 0)
            abort();
        size_t n = fread(text + count, 1, 4095, f);
        count += n;
        if (n == 0)
            break;
    }
    text[count] = 0;
    int rc = pclose(f);
    if (status)
        *status = WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
    return text;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void sort_lines(char *text)
{
    char *copy = strdup(text), **lines = NULL, *save = NULL;
    size_t count = 0, capacity = 0;
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (td_grow(&lines, &capacity, count + 1, sizeof *lines) < 0)
            abort();
        lines[count++] = line;
    }
    if (count)
        qsort(lines, count, sizeof *lines, compare_lines);
    *text = 0;
    char *at = text;
    for (size_t i = 0; i < count; i++)
        at += sprintf(at, "%s\n", lines[i]);
    free(lines);
    free(copy);
}

/* ---- a trace ---- */

struct making {
    struct td_trace *trace;
    struct td_dict *dict;
};

static void push(const struct making *m, struct td_event e)
{
    struct td_sink sink = td_trace_sink(m->trace);
    if (sink.events(sink.self, &e, 1, NULL) < 0)
        abort();
}

static uint32_t text(const struct making *m, const char *s)
{
    return td_dict_cstring(m->dict, s);
}

static void host_track(const struct making *m, uint32_t track, unsigned zones)
{
    uint32_t outer = td_dict_srcloc(m->dict, &(struct td_srcloc){.name = text(m, "outer"),
                                                                 .function = text(m, "main"),
                                                                 .file = text(m, "main.c"),
                                                                 .line = 10,
                                                                 .color = 0x112233});
    uint32_t plain = td_dict_srcloc(
        m->dict, &(struct td_srcloc){.function = text(m, "no name"), .file = text(m, "main.c"), .line = 20});
    uint32_t empty = td_dict_srcloc(m->dict, &(struct td_srcloc){.function = text(m, "f"),
                                                                 .file = text(m, "main.c"),
                                                                 .line = 30,
                                                                 .flags = TD_SRCLOC_EMPTY_NAME});
    int64_t now = 1000;
    for (unsigned i = 0; i < zones; i++) {
        push(m, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN,
                                  .track = track,
                                  .srcloc = i % 3 ? outer : empty,
                                  .time_ns = now += 7});
        if (i % 5 == 0) {
            push(m, (struct td_event){
                        .kind = TD_EVENT_ZONE_TEXT, .track = track, .subject = text(m, "first line")});
            push(m, (struct td_event){.kind = TD_EVENT_ZONE_VALUE, .track = track, .value.u64 = i});
        }
        push(m,
             (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .track = track, .srcloc = plain, .time_ns = now});
        if (i % 7 == 0) {
            push(m, (struct td_event){
                        .kind = TD_EVENT_ZONE_NAME, .track = track, .subject = text(m, "renamed")});
            push(m, (struct td_event){.kind = TD_EVENT_ZONE_COLOR, .track = track, .subject = 0xabcdef});
        }
        push(m, (struct td_event){.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = now += i % 4});
        push(m, (struct td_event){.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = now += 5});
    }
    push(m, (struct td_event){
                .kind = TD_EVENT_ZONE_BEGIN, .track = track, .srcloc = outer, .time_ns = now += 7});
    push(m, (struct td_event){
                .kind = TD_EVENT_ZONE_BEGIN, .track = track, .srcloc = plain, .time_ns = now += 7});
}

static void core_track(const struct making *m, uint32_t track, unsigned zones)
{
    const struct td_srcloc locs[] = {
        {.name = text(m, "compute"),
         .function = text(m, "kernel_main"),
         .file = text(m, "kernel.c"),
         .line = 5},
        {.name = text(m, "cb full"),
         .function = text(m, "kernel_main"),
         .file = text(m, "kernel.c"),
         .line = 6,
         .flags = TD_SRCLOC_WAIT},
        {.name = text(m, "cb empty"),
         .function = text(m, "kernel_main"),
         .file = text(m, "kernel.c"),
         .line = 7,
         .color = 0x00ff00,
         .flags = TD_SRCLOC_WAIT},
        {.name = text(m, TD_NAME_STALL), .function = 0, .file = text(m, "kernel.c"), .flags = TD_SRCLOC_LOST},
    };
    uint32_t numbers[4];
    for (size_t i = 0; i < 4; i++)
        numbers[i] = td_dict_srcloc(m->dict, &locs[i]);
    int64_t now = 2000;
    for (unsigned i = 0; i < zones; i++) {
        int64_t begin = now += 10;
        for (unsigned k = 0; k < 1 + i % 3; k++) {
            push(m, (struct td_event){.kind = TD_EVENT_ZONE,
                                      .track = track,
                                      .srcloc = numbers[1 + (i + k) % 3],
                                      .time_ns = now + 1,
                                      .value.end_ns = now + 5});
            now += 5;
        }
        now += 3;
        push(m, (struct td_event){.kind = TD_EVENT_ZONE,
                                  .track = track,
                                  .srcloc = numbers[0],
                                  .time_ns = begin,
                                  .value.end_ns = now,
                                  .subject = i % 11 ? 0 : text(m, "tile 3 of 7")});
    }
}

static void series(const struct making *m, const uint32_t *tracks)
{
    uint32_t load = td_dict_plot(
        m->dict, &(struct td_plot){.name = text(m, "load"), .format = 2, .fill = 1, .color = 0x808000});
    uint32_t bytes =
        td_dict_plot(m->dict, &(struct td_plot){.name = text(m, "bytes"), .format = 1, .step = 1});
    uint32_t audio = td_dict_frame_set(m->dict, text(m, "Audio"), 0),
             physics = td_dict_frame_set(m->dict, text(m, "Physics"), 1);
    push(m, (struct td_event){.kind = TD_EVENT_FRAME, .subject = 0, .time_ns = 0});
    push(m, (struct td_event){.kind = TD_EVENT_FRAME, .subject = 0, .time_ns = 500});
    for (int i = 0; i < 50; i++) {
        char line[40];
        snprintf(line, sizeof line, "message %d", i);
        push(m, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                  .track = tracks[i % 3],
                                  .time_ns = 100 * i,
                                  .subject = text(m, line),
                                  .srcloc = i % 4 ? 0 : 0xff8000});
        push(m, (struct td_event){.kind = TD_EVENT_PLOT,
                                  .subject = i % 2 ? load : bytes,
                                  .time_ns = 100 * i,
                                  .value.f64 = i / 4.});
        push(m, (struct td_event){
                    .kind = TD_EVENT_FRAME, .subject = i % 2 ? 0 : physics, .time_ns = 600 + 100 * i});
        push(m, (struct td_event){.kind = TD_EVENT_FRAME_START, .subject = audio, .time_ns = 600 + 100 * i});
        if (i < 49)
            push(m,
                 (struct td_event){.kind = TD_EVENT_FRAME_END, .subject = audio, .time_ns = 650 + 100 * i});
    }
    push(m, (struct td_event){.kind = TD_EVENT_APP_INFO, .subject = text(m, "a line about the program")});
    push(m, (struct td_event){.kind = TD_EVENT_CRASH,
                              .track = tracks[0],
                              .time_ns = 5000,
                              .subject = text(m, "Division by zero.\nFaulting instruction")});
    td_trace_note(m->trace, TD_NOTE_LOST, "%d", 17);
    td_trace_note(m->trace, TD_NOTE_CLOCK_ERROR_NS, "%.1f", 812.5);
}

struct td_trace *rich_trace(unsigned zones)
{
    struct making m = {.dict = td_dict_create()};
    m.trace = td_trace_create(m.dict);
    struct td_trace_info *info = td_trace_edit_info(m.trace);
    td_trace_set_string(&info->program, "rich");
    td_trace_set_string(&info->capture_name, "rich @ noon");
    td_trace_set_string(&info->host_info, "OS: none\nCPU: none\n");
    info->capture_time_s = 1700000000;
    info->executable_time_s = 1600000000;
    info->pid = 4711;
    info->cpu_arch = 2;
    info->cpu_id = 0x50654;
    memcpy(info->cpu_vendor, "GenuineIntel", 12);
    uint32_t tracks[3];
    tracks[0] = td_dict_track(m.dict, &(struct td_track){.thread = 4711, .name = text(&m, "Main thread")});
    tracks[1] = td_dict_track(m.dict, &(struct td_track){.thread = td_track_id(1, 3, 2, 0),
                                                         .name = text(&m, "chip 1 tile 3,2 BRISC"),
                                                         .kind = TD_TRACK_CORE,
                                                         .chip = 1,
                                                         .x = 3,
                                                         .y = 2,
                                                         .group_hint = 100});
    tracks[2] = td_dict_track(m.dict, &(struct td_track){.thread = td_track_id(1, 3, 2, 1),
                                                         .name = text(&m, "chip 1 tile 3,2 NCRISC"),
                                                         .kind = TD_TRACK_CORE,
                                                         .chip = 1,
                                                         .x = 3,
                                                         .y = 2,
                                                         .core = 1,
                                                         .unsynced = 1,
                                                         .group_hint = 101});
    td_dict_track(m.dict, &(struct td_track){.thread = 1, .name = text(&m, "idle")});
    host_track(&m, tracks[0], zones / 3);
    core_track(&m, tracks[1], zones / 6);
    core_track(&m, tracks[2], zones / 6);
    series(&m, tracks);
    if (td_trace_finish(m.trace, NULL) < 0)
        abort();
    return m.trace;
}

/* ---- comparing ---- */

static int same_text(const struct td_trace *a, uint32_t x, const struct td_trace *b, uint32_t y)
{
    const struct td_dict *d = td_trace_dict(a), *e = td_trace_dict(b);
    size_t n = td_dict_text_bytes(d, x);
    return n == td_dict_text_bytes(e, y) && !memcmp(td_dict_text(d, x), td_dict_text(e, y), n);
}

static int same_srcloc(const struct td_trace *a, uint32_t x, const struct td_trace *b, uint32_t y)
{
    const struct td_srcloc *s = td_dict_get_srcloc(td_trace_dict(a), x),
                           *t = td_dict_get_srcloc(td_trace_dict(b), y);
    uint32_t mask = (1u << TD_SRCLOC_OWN_SHIFT) - 1;
    return same_text(a, s->name, b, t->name) && same_text(a, s->function, b, t->function) &&
           same_text(a, s->file, b, t->file) && s->line == t->line && s->color == t->color &&
           (s->flags & mask) == (t->flags & mask);
}

static const char *track_difference(const struct td_trace *a, const struct td_trace *b, uint32_t t)
{
    const struct td_track *x = td_dict_get_track(td_trace_dict(a), t),
                          *y = td_dict_get_track(td_trace_dict(b), t);
    if (x->thread != y->thread || !same_text(a, x->name, b, y->name) || x->kind != y->kind ||
        x->unsynced != y->unsynced || x->chip != y->chip || x->x != y->x || x->y != y->y ||
        x->core != y->core)
        return "a track";
    if (x->group_hint != y->group_hint)
        return "a track's group hint";
    if (td_trace_rows(a, t) != td_trace_rows(b, t))
        return "the rows of a track";
    for (uint32_t r = 0; r < td_trace_rows(a, t); r++) {
        if (td_trace_row_zones(a, t, r) != td_trace_row_zones(b, t, r))
            return "the zones of a row";
        for (size_t i = 0; i < td_trace_row_zones(a, t, r); i++) {
            struct td_zone p = td_trace_zone(a, t, r, i), q = td_trace_zone(b, t, r, i);
            if (p.start_ns != q.start_ns || p.end_ns != q.end_ns || p.child_begin != q.child_begin ||
                p.child_end != q.child_end)
                return "times or children of a zone";
            if (p.color != q.color || !same_text(a, p.text, b, q.text) || !same_text(a, p.name, b, q.name))
                return "text, name or colour of a zone";
            if (!same_srcloc(a, p.srcloc, b, q.srcloc))
                return "the location of a zone";
        }
    }
    return NULL;
}

static const char *series_difference(const struct td_trace *a, const struct td_trace *b)
{
    const struct td_dict *d = td_trace_dict(a), *e = td_trace_dict(b);
    if (td_trace_messages(a) != td_trace_messages(b))
        return "the number of messages";
    for (size_t i = 0; i < td_trace_messages(a); i++) {
        struct td_message x = td_trace_message(a, i), y = td_trace_message(b, i);
        if (x.time_ns != y.time_ns || x.track != y.track || x.color != y.color ||
            !same_text(a, x.text, b, y.text))
            return "a message";
    }
    if (td_dict_plot_count(d) != td_dict_plot_count(e))
        return "the number of plots";
    for (uint32_t p = 0; p < td_dict_plot_count(d); p++) {
        const struct td_plot *x = td_dict_get_plot(d, p), *y = td_dict_get_plot(e, p);
        if (!same_text(a, x->name, b, y->name) || x->format != y->format || x->step != y->step ||
            x->fill != y->fill || x->kind != y->kind || x->color != y->color ||
            td_trace_plot_points(a, p) != td_trace_plot_points(b, p))
            return "a plot";
        for (size_t i = 0; i < td_trace_plot_points(a, p); i++) {
            struct td_plot_point v = td_trace_plot_point(a, p, i), w = td_trace_plot_point(b, p, i);
            if (v.time_ns != w.time_ns || memcmp(&v.value, &w.value, sizeof v.value))
                return "a plot's point";
        }
    }
    if (td_dict_frame_set_count(d) != td_dict_frame_set_count(e))
        return "the number of frame sets";
    /* A trace without base frame set gets one when it is written. */
    for (uint32_t f = td_trace_frames(a, 0) ? 0 : 1; f < td_dict_frame_set_count(d); f++) {
        int x, y;
        uint32_t n = td_dict_get_frame_set(d, f, &x), m = td_dict_get_frame_set(e, f, &y);
        if (x != y || !same_text(a, n, b, m) || td_trace_frames(a, f) != td_trace_frames(b, f))
            return "a frame set";
        for (size_t i = 0; i < td_trace_frames(a, f); i++) {
            struct td_frame v = td_trace_frame(a, f, i), w = td_trace_frame(b, f, i);
            if (v.start_ns != w.start_ns || v.end_ns != w.end_ns)
                return "a frame";
        }
    }
    return NULL;
}

static const char *info_difference(const struct td_trace *a, const struct td_trace *b)
{
    const struct td_trace_info *x = td_trace_get_info(a), *y = td_trace_get_info(b);
    if (strcmp(x->program, y->program) || strcmp(x->capture_name, y->capture_name) ||
        strcmp(x->host_info, y->host_info))
        return "a name of the trace";
    if (x->capture_time_s != y->capture_time_s || x->executable_time_s != y->executable_time_s ||
        x->pid != y->pid || x->resolution_ns != y->resolution_ns || x->last_time_ns != y->last_time_ns ||
        x->timer_mul != y->timer_mul || x->cpu_arch != y->cpu_arch || x->cpu_id != y->cpu_id ||
        memcmp(x->cpu_vendor, y->cpu_vendor, 12) || x->on_demand != y->on_demand ||
        x->frame_offset != y->frame_offset)
        return "a fact about the trace";
    const struct td_crash *c = td_trace_crash(a), *e = td_trace_crash(b);
    if (!c != !e ||
        (c && (c->time_ns != e->time_ns || c->track != e->track || !same_text(a, c->text, b, e->text))))
        return "the crash";
    return NULL;
}

const char *difference(const struct td_trace *a, const struct td_trace *b)
{
    uint32_t tracks = td_dict_track_count(td_trace_dict(a));
    const char *what = tracks == td_dict_track_count(td_trace_dict(b)) ? NULL : "the number of tracks";
    for (uint32_t t = 0; t < tracks && !what; t++)
        what = track_difference(a, b, t);
    if (!what)
        what = series_difference(a, b);
    return what ? what : info_difference(a, b);
}

static const char *broken_track(const struct td_trace *trace, uint32_t t)
{
    for (uint32_t r = 0; r < td_trace_rows(trace, t); r++) {
        size_t next = 0;
        int64_t before = INT64_MIN;
        for (size_t i = 0; i < td_trace_row_zones(trace, t, r); i++) {
            struct td_zone z = td_trace_zone(trace, t, r, i);
            if (z.start_ns < before || z.end_ns < z.start_ns)
                return "zones of a row overlap";
            before = z.end_ns;
            if (z.child_begin != next || z.child_end < z.child_begin)
                return "children are not ranges in order";
            next = z.child_end;
            for (size_t c = z.child_begin; c < z.child_end; c++) {
                struct td_zone child = td_trace_zone(trace, t, r + 1, c);
                if (child.start_ns < z.start_ns) /* it may end later: threads end zones in any order */
                    return "a child begins before its parent";
            }
        }
        if (next != td_trace_row_zones(trace, t, r + 1))
            return "a zone has no parent";
    }
    return NULL;
}

const char *broken_rule(const struct td_trace *trace)
{
    const char *what = NULL;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)) && !what; t++)
        what = broken_track(trace, t);
    for (size_t i = 1; i < td_trace_messages(trace) && !what; i++) {
        if (td_trace_message(trace, i).time_ns < td_trace_message(trace, i - 1).time_ns)
            what = "messages are not in order";
    }
    return what;
}
