#include "bench/viewer/lanes.h"

#include "host/trace/fill.h"
#include "proto/track.h"

#include <stdio.h>

enum { TILES_A_ROW = 12, INSIDE = 6 };

struct maker {
    struct td_trace *trace;
    struct td_fill fill;
    uint64_t random;
    uint32_t kernel, work, wait;
};

static int64_t draw_ns(struct maker *m, int64_t least)
{
    m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return least + (int64_t)(m->random >> 33) % (least * 3);
}

static int make_places(struct maker *m)
{
    struct td_dict *dict = td_trace_fill_dict(m->trace);
    struct td_srcloc kernel = {.name = td_dict_cstring(dict, "kernel"), .line = 1};
    struct td_srcloc work = {.name = td_dict_cstring(dict, "multiply"), .line = 2};
    struct td_srcloc wait = {.name = td_dict_cstring(dict, "in full"), .line = 3, .flags = TD_SRCLOC_WAIT};
    m->kernel = td_dict_srcloc(dict, &kernel);
    m->work = td_dict_srcloc(dict, &work);
    m->wait = td_dict_srcloc(dict, &wait);
    return m->kernel == UINT32_MAX || m->work == UINT32_MAX || m->wait == UINT32_MAX ? TD_E_NOMEM : 0;
}

/* A kernel with work and waits by turns; 0 or TD_E_NOMEM. */
static int make_kernel(struct maker *m, int64_t *now_ns)
{
    const int64_t start = *now_ns;
    if (td_fill_enter(&m->fill, start, -1, m->kernel, 0) < 0)
        return TD_E_NOMEM;
    td_fill_down(&m->fill);
    for (int i = 0; i < INSIDE; i++) {
        const int64_t length = draw_ns(m, 800);
        if (td_fill_enter(&m->fill, *now_ns, length, i & 1 ? m->wait : m->work, 0) < 0)
            return TD_E_NOMEM;
        *now_ns += length + draw_ns(m, 20);
    }
    td_fill_leave(&m->fill, *now_ns - start);
    *now_ns += draw_ns(m, 2000);
    return 0;
}

static int make_lane(struct maker *m, uint32_t tile, uint32_t core, uint64_t kernels)
{
    static const char *const names[LANES_PER_TILE] = {"BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2"};
    char name[80];
    struct td_dict *dict = td_trace_fill_dict(m->trace);
    struct td_track track = {.kind = TD_TRACK_CORE, .core = (uint8_t)core, .thread = 1000 + tile * 8 + core};
    track.x = (uint8_t)(tile % TILES_A_ROW);
    track.y = (uint8_t)(tile / TILES_A_ROW % TILES_A_ROW);
    track.chip = (uint16_t)(tile / (TILES_A_ROW * TILES_A_ROW));
    snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, track.chip, track.x, track.y, names[core]);
    track.name = td_dict_cstring(dict, name);
    const uint32_t number = td_dict_track(dict, &track);
    int64_t now_ns = draw_ns(m, 1000);
    if (number == UINT32_MAX || td_fill_begin(&m->fill, m->trace, number, NULL) < 0)
        return TD_E_NOMEM;
    int rc = 0;
    for (uint64_t i = 0; i < kernels && rc == 0; i++)
        rc = make_kernel(m, &now_ns);
    td_fill_end(&m->fill);
    return rc;
}

struct td_trace *make_lanes(uint32_t tiles, uint64_t zones)
{
    struct maker m = {.trace = td_trace_create(td_dict_create()), .random = 4711};
    int rc = m.trace ? make_places(&m) : TD_E_NOMEM;
    const uint64_t kernels = zones / tiles / LANES_PER_TILE / (1 + INSIDE);
    for (uint32_t t = 0; t < tiles && rc == 0; t++)
        for (uint32_t c = 0; c < LANES_PER_TILE && rc == 0; c++)
            rc = make_lane(&m, t, c, kernels ? kernels : 1);
    rc = rc ? rc : td_trace_finish(m.trace, NULL);
    if (rc == 0)
        return m.trace;
    td_trace_destroy(m.trace);
    return NULL;
}
