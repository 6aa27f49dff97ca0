/* Writes a trace for the tests of pages: html_trace FILE OPERATIONS NAMES [hostile|report].
 *
 * Two chips with 8 x 4 tiles of 5 cores run operations, whose names ("name op 7") recur. Operation n has 4 * (n % 8 + 1)
 * tiles and takes about 100 + n % NAMES % 50 us, a quarter of it waiting. Tile 0,1 straggles in every tenth one. With
 * `hostile`, names and texts of all kinds try to be markup. With `report`, there are no cores: chip 3 has operations
 * as zones of a track, as in a trace that was imported from a report of operations. */
#include "proto/clock_text.h"
#include "proto/track.h"
#include "tests/file/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES 5
#define HOSTILE                                                                                              \
    "</td></title><script>document.title='owned'</script>\"'><img src=x "                                    \
    "onerror=\"document.title=1\">&lt;\xff\x01"

struct maker {
    struct td_dict *dict;
    struct td_trace *trace;
    struct td_sink sink;
    uint32_t tracks[2][32][CORES], kernels[CORES], wait, stall;
    const char *hostile; /* "" or HOSTILE */
};

static const char *const core_names[CORES] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};

static uint32_t location(struct maker *m, const char *name, const char *more, uint32_t flags)
{
    char text[400];
    snprintf(text, sizeof text, "%s%s", more, name);
    return td_dict_srcloc(m->dict,
                          &(struct td_srcloc){.name = td_dict_cstring(m->dict, text), .flags = flags});
}

static void add(struct maker *m, uint32_t track, uint32_t srcloc, int64_t start, int64_t end,
                const char *text)
{
    const struct td_event event = {.kind = TD_EVENT_ZONE,
                                   .track = track,
                                   .srcloc = srcloc,
                                   .time_ns = start,
                                   .value.end_ns = end,
                                   .subject = *text ? td_dict_cstring(m->dict, text) : 0};
    if (m->sink.events(m->sink.self, &event, 1, NULL) < 0)
        abort();
}

static void make_tracks(struct maker *m)
{
    char name[64];
    for (unsigned chip = 0; chip < 2; chip++)
        for (unsigned tile = 0; tile < 32; tile++)
            for (unsigned core = 0; core < CORES; core++) {
                const unsigned x = tile % 8, y = tile / 8;
                snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, chip, x, y, core_names[core]);
                const struct td_track track = {.thread = td_track_id(chip, x, y, core),
                                               .name = td_dict_cstring(m->dict, name),
                                               .kind = TD_TRACK_CORE,
                                               .core = (uint8_t)core,
                                               .chip = (uint16_t)chip,
                                               .x = (uint16_t)x,
                                               .y = (uint16_t)y};
                m->tracks[chip][tile][core] = td_dict_track(m->dict, &track);
            }
    for (unsigned core = 0; core < CORES; core++) {
        snprintf(name, sizeof name, "%s-KERNEL", core_names[core]);
        m->kernels[core] = location(m, name, "", 0);
    }
    m->wait = location(m, "in full", m->hostile, TD_SRCLOC_WAIT);
    m->stall = location(m, "waited for room", m->hostile, TD_SRCLOC_LOST);
}

static void make_op(struct maker *m, int64_t n, int64_t names, int64_t start)
{
    const unsigned chip = n & 1, tiles = 4 * ((unsigned)(n % 8) + 1);
    char text[500];
    snprintf(text, sizeof text, "op %u\nname %sop %d", (unsigned)(n + 1) << 10 | chip, m->hostile,
             (int)(n % names));
    for (unsigned tile = 0; tile < tiles; tile++)
        for (unsigned core = 0; core < CORES; core++) {
            const int64_t length = (100 + n % names % 50) * (tile == 8 && n % 10 == 0 ? 2000 : 1000),
                          from = start + 100 * tile + 300 * core;
            const uint32_t track = m->tracks[chip][tile][core];
            add(m, track, m->wait, from + 1000, from + 1000 + length / 4, "");
            if (core == 1 && n % 50 == 7)
                add(m, track, m->stall, from + length / 2, from + length / 2 + 5000, "");
            add(m, track, m->kernels[core], from, from + length, text);
        }
}

static void make_host(struct maker *m, int64_t operations)
{
    char name[400];
    snprintf(name, sizeof name, "%smain thread", m->hostile);
    const uint32_t track =
        td_dict_track(m->dict, &(struct td_track){.thread = 7, .name = td_dict_cstring(m->dict, name)});
    const uint32_t launch = location(m, "launch", m->hostile, 0);
    for (int64_t n = 0; n < operations; n++)
        add(m, track, launch, n * 300000, n * 300000 + 40000, "");
}

static void make_op_track(struct maker *m, int64_t operations, int64_t names)
{
    char text[64];
    const uint32_t track = td_dict_track(
        m->dict, &(struct td_track){.thread = 8, .name = td_dict_cstring(m->dict, "chip 3 operations")});
    for (int64_t n = 0; n < operations; n++) {
        snprintf(text, sizeof text, "op %d", (int)(n % names));
        const uint32_t name = location(m, text, "", 0);
        snprintf(text, sizeof text, "op %u", (unsigned)(n + 1) << 10 | 3);
        add(m, track, name, n * 300000, n * 300000 + 100000 + n % names * 1000, text);
    }
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const int64_t operations = atoll(argv[2]), names = atoll(argv[3]);
    const bool hostile = argc > 4 && !strcmp(argv[4], "hostile"), report = argc > 4 && !hostile;
    struct maker m = {.dict = td_dict_create(), .hostile = hostile ? HOSTILE : ""};
    m.trace = td_trace_create(m.dict);
    m.sink = td_trace_sink(m.trace);
    if (report)
        make_op_track(&m, operations, names);
    else
        make_tracks(&m);
    make_host(&m, operations);
    for (int64_t n = 0; n < operations && !report; n++)
        make_op(&m, n, names, 50000 + n * 300000);
    td_trace_set_string(&td_trace_edit_info(m.trace)->program, hostile ? HOSTILE : "program");
    td_trace_set_string(&td_trace_edit_info(m.trace)->host_info,
                        hostile ? "OS: " HOSTILE : "OS: any\nCPU: any");
    int rc = td_trace_note(m.trace, TD_NOTE_LOST, "12") ||
             td_trace_note(m.trace, TD_NOTE_CLOCK_ERROR_NS, "550") ||
             td_trace_note(m.trace, TD_NOTE_BOARD, "%stwo_chips 8x4", m.hostile) ||
             td_trace_note(m.trace, TD_NOTE_FAULT, "%schip 0 tile 1,1 BRISC: load from address 0", m.hostile);
    for (int i = 0; i < 40; i++) {
        const struct td_clock_part part = {(uint32_t)i / 20, 100 + 22 * (uint64_t)i,
                                           i % 20 * operations * 15000};
        char text[100];
        td_clock_part_text(text, sizeof text, &part);
        rc = rc || td_trace_note(m.trace, TD_NOTE_CLOCK_PART, "%s", text);
    }
    struct td_err err = {0};
    rc = rc || td_trace_finish(m.trace, &err) < 0 || td_file_write(m.trace, argv[1], NULL, &err) < 0;
    td_trace_destroy(m.trace);
    if (rc)
        fprintf(stderr, "html_trace: %s\n", err.text);
    return rc;
}
