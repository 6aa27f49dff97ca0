#include "tests/query/demo_trace.h"
#include "proto/track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct maker {
    struct td_trace *trace;
    struct td_dict *dict;
    struct td_sink sink;
    uint32_t seed;
};

static uint32_t dice(struct maker *m, uint32_t below)
{
    m->seed = m->seed * 1664525u + 1013904223u;
    return (m->seed >> 8) % below;
}

static void push(struct maker *m, struct td_event event)
{
    m->sink.events(m->sink.self, &event, 1, NULL);
}

static uint32_t location(struct maker *m, const char *name, const char *file, uint32_t line, uint32_t color,
                         uint32_t flags)
{
    struct td_srcloc s = {.name = td_dict_cstring(m->dict, name),
                          .function = td_dict_cstring(m->dict, "kernel_main"),
                          .file = td_dict_cstring(m->dict, file),
                          .line = line,
                          .color = color,
                          .flags = flags};
    return td_dict_srcloc(m->dict, &s);
}

static void zone(struct maker *m, uint32_t track, int64_t start, int64_t end, uint32_t srcloc,
                 const char *text)
{
    push(m, (struct td_event){.kind = TD_EVENT_ZONE,
                              .track = track,
                              .time_ns = start,
                              .value.end_ns = end,
                              .srcloc = srcloc,
                              .subject = text ? td_dict_cstring(m->dict, text) : 0});
}

static void message(struct maker *m, uint32_t track, int64_t time, const char *text, uint32_t color)
{
    push(m, (struct td_event){.kind = TD_EVENT_MESSAGE,
                              .track = track,
                              .time_ns = time,
                              .srcloc = color,
                              .subject = td_dict_cstring(m->dict, text)});
}

static uint32_t thread(struct maker *m, uint64_t id, const char *name)
{
    struct td_track t = {.thread = id, .name = td_dict_cstring(m->dict, name)};
    return td_dict_track(m->dict, &t);
}

static uint32_t chip_track(struct maker *m, int chip, int x, int y, int core, const char *name)
{
    char text[64];
    snprintf(text, sizeof text, TD_TRACK_NAME_FORMAT, (unsigned)chip, (unsigned)x, (unsigned)y, name);
    struct td_track t = {.thread = td_track_id((unsigned)chip, (unsigned)x, (unsigned)y, (unsigned)core),
                         .name = td_dict_cstring(m->dict, text),
                         .kind = TD_TRACK_CORE,
                         .core = (uint8_t)core,
                         .chip = (uint16_t)chip,
                         .x = (uint16_t)x,
                         .y = (uint16_t)y};
    return td_dict_track(m->dict, &t);
}

static uint32_t core_track(struct maker *m, int x, int y, int core, const char *name)
{
    return chip_track(m, 0, x, y, core, name);
}

static const char *const core_names[] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};

#define LAUNCHES 3
#define BLOCKS   9

static int64_t launch_start(int launch)
{
    return 400000 + (int64_t)launch * 1700000;
}

static void host_threads(struct maker *m)
{
    uint32_t main_thread = thread(m, 4100, "Main thread"), io = thread(m, 4101, "tilize worker");
    uint32_t program = location(m, "main", "matmul.c", 210, 0, 0);
    uint32_t prepare = location(m, "prepare inputs", "matmul.c", 88, 0, 0);
    uint32_t launch = location(m, "launch", "matmul.c", 140, 0, 0);
    uint32_t load = location(m, "load kernels", "matmul.c", 148, 0, 0);
    uint32_t wait = location(m, "await cores", "matmul.c", 166, 0, TD_SRCLOC_WAIT);
    uint32_t verify = location(m, "verify", "matmul.c", 190, 0x6fae5a, 0);
    uint32_t tilize = location(m, "tilize", "tilize.c", 31, 0, 0);
    int64_t end = launch_start(LAUNCHES) + 500000;
    for (int l = 0; l < LAUNCHES; l++) {
        int64_t at = launch_start(l);
        char text[64];
        snprintf(text, sizeof text, "flow out launch #%d", l);
        zone(m, main_thread, at - 60000, at + 20000, load, text);
        zone(m, main_thread, at + 30000, at + 1390000, wait, NULL);
        zone(m, main_thread, at - 80000, at + 1400000, launch, NULL);
        zone(m, main_thread, at + 1410000, at + 1570000, verify, NULL);
        snprintf(text, sizeof text, "launch %d: 4 tiles, 64x64 blocks", l);
        message(m, main_thread, at - 80000, text, 0);
        push(m, (struct td_event){.kind = TD_EVENT_FRAME, .time_ns = at - 90000, .subject = 0});
    }
    zone(m, main_thread, 20000, 300000, prepare, NULL);
    zone(m, main_thread, 5000, end, program, NULL);
    for (int i = 0; i < 60; i++) {
        int64_t at = 30000 + i * 84000 + dice(m, 9000);
        zone(m, io, at, at + 21000 + dice(m, 40000), tilize, NULL);
    }
}

static void stages(struct maker *m, const uint32_t *srcs, uint32_t track, int core, int64_t from, int launch)
{
    char text[96];
    int64_t at = from + 6000 + dice(m, 5000), end = from + 1280000 - dice(m, 30000);
    int64_t step = (end - at) / BLOCKS;
    for (int b = 0; b < BLOCKS; b++) {
        int64_t begin = at + b * step, wait = step / 6 + dice(m, (uint32_t)step / 5),
                stop = begin + step - 2500;
        snprintf(text, sizeof text, "flow in tile #%d", launch * 1000 + b);
        zone(m, track, begin, begin + wait, srcs[5], NULL);
        for (int i = 0; i < 6; i++) {
            int64_t inner = begin + wait + 1000 + i * ((stop - begin - wait - 1000) / 6);
            zone(m, track, inner, inner + (stop - begin - wait) / 6 - 900 - dice(m, 2500), srcs[6], NULL);
        }
        zone(m, track, begin, stop, srcs[core], text);
    }
    zone(m, track, at - 2000, end + 2000, srcs[7], NULL);
    snprintf(text, sizeof text, "flow in launch #%d", launch);
    zone(m, track, from + 1500, end + 9000, srcs[8], text);
    if (core == 0)
        for (int b = 0; b < 3; b++) {
            snprintf(text, sizeof text, "reader: block %d of %d", b * 3, BLOCKS);
            message(m, track, at + b * 3 * step, text, 0);
        }
}

static void cores(struct maker *m, int tiles)
{
    uint32_t srcs[9] = {location(m, "read tiles", "reader.c", 41, 0, 0),
                        location(m, "write back", "writer.c", 35, 0, 0),
                        location(m, "unpack", "compute.c", 28, 0, 0),
                        location(m, "multiply", "compute.c", 52, 0, 0),
                        location(m, "pack", "compute.c", 77, 0, 0),
                        location(m, "cb full", "compute.c", 25, 0xb0413e, TD_SRCLOC_WAIT),
                        location(m, "face", "compute.c", 61, 0, 0),
                        location(m, "KERNEL", "kernel.c", 12, 0, 0),
                        location(m, "FW", "firmware.c", 90, 0x56657d, 0)};
    uint32_t lost = location(m, "TENDRIL-LOST", "tendril", 0, 0xd11149, TD_SRCLOC_LOST);
    uint32_t stall = location(m, "TENDRIL-STALL", "tendril", 0, 0xc2571a, TD_SRCLOC_LOST);
    for (int y = 0; y < tiles; y++)
        for (int x = 0; x < tiles; x++)
            for (int c = 0; c < 5; c++) {
                uint32_t track = core_track(m, x, y, c, core_names[c]);
                for (int l = 0; l < LAUNCHES; l++)
                    stages(m, srcs, track, c, launch_start(l) + 40000 + (x + y) * 9000, l);
                if (x == 1 && y == 0 && c == 1)
                    zone(m, track, launch_start(1) - 200000, launch_start(1) - 90000, lost,
                         "128 zones and 0 other packets lost");
                if (x == 0 && y == 0 && c == 3)
                    zone(m, track, launch_start(2) - 160000, launch_start(2) - 120000, stall, NULL);
            }
}

static void plots(struct maker *m)
{
    struct td_plot usage = {.name = td_dict_cstring(m->dict, "CPU usage"), .format = 2, .fill = 1};
    struct td_plot room = {.name = td_dict_cstring(m->dict, "cb pages (0/0,0/BRISC)"), .step = 1, .fill = 1};
    uint32_t a = td_dict_plot(m->dict, &usage), b = td_dict_plot(m->dict, &room);
    for (int i = 0; i < 240; i++) {
        push(m, (struct td_event){.kind = TD_EVENT_PLOT,
                                  .time_ns = i * 25000,
                                  .subject = a,
                                  .value.f64 = 40 + 25 * sin(i * .12) + dice(m, 12)});
        push(m, (struct td_event){.kind = TD_EVENT_PLOT,
                                  .time_ns = i * 25000 + 400000,
                                  .subject = b,
                                  .value.f64 = dice(m, 9)});
    }
}

static struct maker begin(void)
{
    struct maker m = {.seed = 7};
    m.trace = td_trace_create(td_dict_create());
    m.dict = td_trace_fill_dict(m.trace);
    m.sink = td_trace_sink(m.trace);
    return m;
}

static struct td_trace *end(struct maker *m)
{
    if (td_trace_finish(m->trace, NULL) < 0) {
        td_trace_destroy(m->trace);
        return NULL;
    }
    return m->trace;
}

struct td_trace *demo_trace(int tiles)
{
    struct maker m = begin();
    td_trace_set_string(&td_trace_edit_info(m.trace)->program, "matmul");
    host_threads(&m);
    cores(&m, tiles);
    plots(&m);
    td_trace_note(m.trace, TD_NOTE_CLOCK_ERROR_NS, "%d", 412);
    td_trace_note(m.trace, TD_NOTE_CLOCK_PART, "chip 0 within 412 ns from 0 ns on");
    td_trace_note(m.trace, TD_NOTE_CLOCK_PART, "chip 0 within 205 ns from %d ns on", DEMO_CLOCK_CHANGE_NS);
    td_trace_note(m.trace, TD_NOTE_LOST, "%d", 128);
    return end(&m);
}

struct td_trace *dense_trace(size_t zones)
{
    struct maker m = begin();
    uint32_t track = core_track(&m, 0, 0, 0, "BRISC");
    uint32_t inner[3] = {location(&m, "load", "a.c", 1, 0x4080c0, 0),
                         location(&m, "multiply", "a.c", 2, 0xc08040, 0),
                         location(&m, "store", "a.c", 3, 0x40c080, 0)};
    for (size_t i = 0; i < zones; i++)
        zone(&m, track, (int64_t)i * 100, (int64_t)i * 100 + 60, inner[i % 3], NULL);
    zone(&m, track, 0, (int64_t)zones * 100, location(&m, "KERNEL", "a.c", 9, 0, 0), NULL);
    return end(&m);
}

#define ROUNDS 60

/* The core's kernel: rounds of a wait and a block of work, which is longest in the middle of the grid. */
static void grid_core(struct maker *m, const uint32_t *srcs, uint32_t track, int core, int slowness)
{
    int64_t at = 100000 + dice(m, 4000), start = at;
    for (int r = 0; r < ROUNDS; r++) {
        int64_t wait = 4000 + dice(m, 6000) + (core == 1 ? 20000 : 0);
        int64_t work = 8000 + slowness * 700 + dice(m, 3000);
        zone(m, track, at, at + wait, srcs[5], NULL);
        zone(m, track, at + wait + 300, at + wait + 300 + work, srcs[6 + core], NULL);
        at += wait + work + 500 + dice(m, 900);
    }
    zone(m, track, start - 500, at + 500, srcs[core], NULL);
}

static struct maker fill_grid(int chips, int width, int height)
{
    struct maker m = begin();
    uint32_t srcs[11], host = thread(&m, 4100, "Main thread");
    static const char *const kernels[] = {"BRISC-KERNEL", "NCRISC-KERNEL", "TRISC-KERNEL", "TRISC-KERNEL",
                                          "TRISC-KERNEL"};
    static const char *const work[] = {"read block", "write block", "unpack", "multiply", "pack"};
    for (int c = 0; c < 5; c++) {
        srcs[c] = location(&m, kernels[c], "kernel.c", 20 + (uint32_t)c, 0, 0);
        srcs[6 + c] = location(&m, work[c], "block.c", 30 + (uint32_t)c, 0, 0);
    }
    srcs[5] = location(&m, "cb full", "block.c", 12, 0, TD_SRCLOC_WAIT);
    uint32_t lost = location(&m, "TENDRIL-LOST", "tendril", 0, 0xd11149, TD_SRCLOC_LOST);
    for (int chip = 0; chip < chips; chip++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                for (int c = 0; c < 5; c++) {
                    if (x == chip % width && y == height - 1) /* harvested */
                        continue;
                    int dx = 2 * x - width + 1, dy = 2 * y - height + 1, off = (dx * dx + dy * dy) / 8;
                    int slowness =
                        chip % 5 + (off < 12 ? 12 - off : 0) + (chip == 0 && x == 1 && y == 0 ? 40 : 0);
                    uint32_t track = chip_track(&m, chip, x, y, c, core_names[c]);
                    grid_core(&m, srcs, track, c, slowness);
                    if (c == 2 && (x + y + chip) % 7 == 0)
                        zone(&m, track, 20000, 20000 + 9000 * (x + 1), lost,
                             "9 zones and 0 other packets lost");
                }
    zone(&m, host, 50000, 4000000, location(&m, "run", "main.c", 9, 0, 0), NULL);
    return m;
}

struct td_trace *grid_trace(int chips, int width, int height)
{
    struct maker m = fill_grid(chips, width, height);
    return end(&m);
}

const char *const mapped_grid_text[MAPPED_CHIPS] = {
    "chip 0 map 7x5 columns 1-2,4-5 rows 1,3-4 tiles DEEAEEP/DTTxTT./DRxxxx./DTTxTT./DTTxTT.",
    "chip 1 map 6x6 columns 5,3,4,1 rows 4,2,0 tiles .T.TTT/D...../.T.TTT/D...../.T.TTT/D.....",
    "chip 2 map 4x4 columns 0-2 rows 0-2 tiles TTT./TTT./TTT./....", /* lacks logical column 3 */
    NULL,
};

struct td_trace *mapped_grid_trace(void)
{
    struct maker m = fill_grid(MAPPED_CHIPS, 4, 3);
    for (int i = 0; i < MAPPED_CHIPS; i++)
        if (mapped_grid_text[i])
            td_trace_note(m.trace, TD_NOTE_CHIP_MAP, "%s", mapped_grid_text[i]);
    return end(&m);
}

struct td_trace *noc_trace(const struct noc_line *lines, size_t count)
{
    struct maker m = begin();
    const uint32_t kernel = location(&m, "BRISC-KERNEL", "kernel.c", 20, 0, 0);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            for (int core = 0; core < 2; core++)
                zone(&m, core_track(&m, x, y, core, core_names[core]), 0, 1000000, kernel, NULL);
    for (size_t i = 0; i < count; i++)
        message(&m, core_track(&m, lines[i].x, lines[i].y, lines[i].core, core_names[lines[i].core]),
                lines[i].time_ns, lines[i].text, 0);
    td_trace_note(m.trace, TD_NOTE_CHIP_MAP, "%s", mapped_grid_text[0]);
    return end(&m);
}
