#include "bench/file/generate.h"

#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <stdio.h>

#define THREADS    8u
#define NAMES      200u
#define TEXTS      1000u
#define TEXT_EVERY 128u /* one zone of 128 has a text */

struct making {
    struct td_fill fill;
    uint64_t random, left; /* zones that are to come */
    int64_t now_ns;
    uint32_t first_srcloc;
};

static uint32_t draw(struct making *m, uint32_t below)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (uint32_t)((m->random >> 32) * below >> 32);
}

/* From 64 ns to a millisecond, each power of two as often as the others. */
static int64_t draw_ns(struct making *m)
{
    int64_t least = INT64_C(64) << draw(m, 14);
    return least + draw(m, (uint32_t)least);
}

/* A zone and what is in it, `levels` more at most; 0, or -1: no memory. */
static int make_zone(struct making *m, unsigned levels)
{
    uint32_t extra = draw(m, TEXT_EVERY) ? 0 : 1 + draw(m, TEXTS);
    int64_t start = m->now_ns;
    m->left--;
    if (td_fill_enter(&m->fill, start, -1, m->first_srcloc + draw(m, NAMES), extra) < 0)
        return -1;
    td_fill_down(&m->fill);
    unsigned children = levels ? 1 + draw(m, 5) : 0;
    m->now_ns += children ? draw_ns(m) / 16 : draw_ns(m);
    for (unsigned i = 0; i < children && m->left; i++) {
        /* Some branches end before the last level. */
        if (make_zone(m, draw(m, 4) ? levels - 1 : 0) < 0)
            return -1;
        m->now_ns += draw_ns(m) / 16;
    }
    td_fill_leave(&m->fill, m->now_ns - start);
    return 0;
}

static int make_thread(struct td_trace *trace, uint32_t number, uint64_t zones, uint32_t first_srcloc)
{
    char name[32];
    struct td_dict *dict = td_trace_fill_dict(trace);
    snprintf(name, sizeof name, "worker %u", (unsigned)number);
    struct td_track track = {.thread = 1000 + number, .name = td_dict_cstring(dict, name)};
    struct making m = {.random = UINT64_C(0x9e3779b97f4a7c15) * (number + 1),
                       .left = zones,
                       .now_ns = 1000,
                       .first_srcloc = first_srcloc};
    int rc = td_fill_begin(&m.fill, trace, td_dict_track(dict, &track), NULL);
    while (rc == 0 && m.left) {
        rc = make_zone(&m, 2 + draw(&m, 3));
        m.now_ns += draw_ns(&m);
    }
    td_fill_end(&m.fill);
    return rc;
}

/* The first location's number; they follow each other. */
static uint32_t make_names(struct td_dict *dict)
{
    uint32_t first = 0;
    for (unsigned i = 0; i < NAMES; i++) {
        char name[40], file[40];
        snprintf(name, sizeof name, "function_%03u", i);
        snprintf(file, sizeof file, "source/part_%02u.c", i % 17);
        struct td_srcloc location = {
            .function = td_dict_cstring(dict, name), .file = td_dict_cstring(dict, file), .line = 10 + i * 7};
        uint32_t number = td_dict_srcloc(dict, &location);
        first = i ? first : number;
    }
    return first;
}

static int make_texts(struct td_trace *trace)
{
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_series *extras = td_trace_fill_table(trace, TD_TABLE_EXTRA);
    for (unsigned i = 0; extras && i <= TEXTS; i++) {
        char text[40];
        snprintf(text, sizeof text, "request number %u", i);
        int64_t row[TD_EXTRA_COLUMN_COUNT] = {[TD_EXTRA_TEXT] = i ? td_dict_cstring(dict, text) : 0};
        if (i >= td_series_count(extras) && td_series_append(extras, row) < 0)
            return -1;
    }
    return extras ? 0 : -1;
}

struct td_trace *generate(uint64_t zones)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    if (!trace)
        return NULL;
    struct td_trace_info *info = td_trace_edit_info(trace);
    uint32_t first = make_names(td_trace_fill_dict(trace));
    int rc = td_trace_set_string(&info->program, "bench") | make_texts(trace);
    info->timer_mul = 1;
    for (uint32_t t = 0; t < THREADS && rc == 0; t++)
        rc = make_thread(trace, t, zones / THREADS + (t < zones % THREADS), first);
    if (rc < 0 || td_trace_finish(trace, NULL) < 0) {
        td_trace_destroy(trace);
        return NULL;
    }
    return trace;
}
