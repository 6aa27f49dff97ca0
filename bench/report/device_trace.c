#include "bench/report/device_trace.h"

#include "host/file/file.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "proto/chip_text.h"
#include "proto/track.h"
#include "proto/track_text.h"

#include <stdio.h>

#define MEMORY_BYTES (UINT64_C(512) << 20)
#define OP_NS        INT64_C(50000)

static const char *const lanes[DEVICE_LANES] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};

struct device_maker {
    struct td_trace *trace;
    struct td_dict *dict;
    uint32_t firmware[DEVICE_LANES], kernel[DEVICE_LANES], inner[4];
    uint32_t operations;
    uint32_t first_text; /* row of EXTRA of the first operation */
};

static uint32_t location(struct device_maker *m, const char *name, unsigned line)
{
    return td_dict_srcloc(m->dict, &(struct td_srcloc){.name = td_dict_cstring(m->dict, name),
                                                       .file = td_dict_cstring(m->dict, "kernels/step.cpp"),
                                                       .line = line});
}

static void make_locations(struct device_maker *m)
{
    static const char *const riscs[DEVICE_LANES] = {"BRISC", "NCRISC", "TRISC", "TRISC", "TRISC"};
    static const char *const steps[] = {"read tile", "unpack", "multiply", "write tile"};
    char name[40];
    for (unsigned i = 0; i < DEVICE_LANES; i++) {
        snprintf(name, sizeof name, "%s-FW", riscs[i]);
        m->firmware[i] = location(m, name, 1);
        snprintf(name, sizeof name, "%s-KERNEL", riscs[i]);
        m->kernel[i] = location(m, name, 2);
    }
    for (unsigned i = 0; i < 4; i++)
        m->inner[i] = location(m, steps[i], 10 + i);
}

/* A row of EXTRA for each operation: the text of its launches. */
static int make_texts(struct device_maker *m)
{
    struct td_series *extra = td_trace_fill_table(m->trace, TD_TABLE_EXTRA);
    if (!extra)
        return TD_E_NOMEM;
    const int64_t none[TD_EXTRA_COLUMN_COUNT] = {0};
    int rc = td_series_count(extra) ? 0 : td_series_append(extra, none);
    m->first_text = (uint32_t)td_series_count(extra);
    for (uint32_t op = 0; rc == 0 && op < m->operations; op++) {
        char text[40];
        td_op_text(text, sizeof text, (op + 1) << 10);
        const int64_t row[TD_EXTRA_COLUMN_COUNT] = {[TD_EXTRA_TEXT] = td_dict_cstring(m->dict, text)};
        rc = td_series_append(extra, row);
    }
    return rc;
}

static int fill_launch(struct device_maker *m, struct td_fill *fill, unsigned tile, unsigned lane,
                       uint32_t op)
{
    const int64_t start = OP_NS * (op + 1) + 7 * tile + 3 * lane, inner = 1500 + (tile * 13 + op * 7) % 300;
    const unsigned count = DEVICE_ZONES_A_LAUNCH - 2;
    int rc = td_fill_enter(fill, start, -1, m->firmware[lane], m->first_text + op);
    td_fill_down(fill);
    rc = rc ? rc : td_fill_enter(fill, start + 200, -1, m->kernel[lane], 0);
    td_fill_down(fill);
    for (unsigned z = 0; rc == 0 && z < count; z++)
        rc = td_fill_enter(fill, start + 300 + (int64_t)z * 2000, inner, m->inner[z % 4], 0);
    td_fill_leave(fill, 200 + (int64_t)count * 2000);
    td_fill_leave(fill, 700 + (int64_t)count * 2000);
    fill->last_time_ns = start + OP_NS;
    return rc;
}

static int fill_core(struct device_maker *m, unsigned tile, unsigned lane, struct td_err *err)
{
    const unsigned x = 1 + tile % 13, y = 2 + tile / 13;
    struct td_fill fill;
    char name[60];
    snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, 0u, x, y, lanes[lane]);
    const uint32_t track = td_dict_track(m->dict, &(struct td_track){.thread = td_track_id(0, x, y, lane),
                                                                     .name = td_dict_cstring(m->dict, name),
                                                                     .kind = TD_TRACK_CORE,
                                                                     .core = (uint8_t)lane,
                                                                     .x = (uint16_t)x,
                                                                     .y = (uint16_t)y});
    int rc = td_fill_begin(&fill, m->trace, track, err);
    for (uint32_t op = 0; rc == 0 && op < m->operations; op++)
        rc = fill_launch(m, &fill, tile, lane, op);
    td_fill_end(&fill);
    return rc;
}

int device_trace_write(const char *path, uint64_t zones, struct td_err *err)
{
    const uint64_t an_op = DEVICE_TILES * DEVICE_LANES * DEVICE_ZONES_A_LAUNCH;
    const struct td_chip_clock chip = {0, "blackhole", 1350, DEVICE_TILES, 0};
    char text[160];
    struct device_maker m = {.dict = td_dict_create(), .operations = (uint32_t)(zones / an_op + 1)};
    m.trace = m.dict ? td_trace_create_within(m.dict, MEMORY_BYTES) : NULL;
    if (!m.trace)
        return td_fail_no_memory(err, NULL);
    make_locations(&m);
    td_chip_clock_text(text, sizeof text, &chip);
    int rc = td_trace_note(m.trace, TD_NOTE_CHIP_CLOCK, "%s", text);
    rc = rc ? rc : make_texts(&m);
    for (unsigned core = 0; rc == 0 && core < DEVICE_TILES * DEVICE_LANES; core++)
        rc = fill_core(&m, core / DEVICE_LANES, core % DEVICE_LANES, err);
    rc = rc ? rc : td_trace_finish(m.trace, err);
    rc = rc ? rc : td_file_write(m.trace, path, NULL, err);
    td_trace_destroy(m.trace);
    return rc ? td_fail(err, rc, "the trace cannot be made") : 0;
}
