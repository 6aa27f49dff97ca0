#include "tests/query/random_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

static uint32_t dice(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Nested zones of several threads and cores, some without an end or without length, waits, losses, messages, plots
 * and frames. */
struct td_trace *random_trace(uint32_t seed)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    const uint32_t tracks = 1 + dice(&seed, 8), plots = dice(&seed, 4);
    for (uint32_t i = 0; i < plots; i++) {
        char name[20];
        snprintf(name, sizeof name, "plot %u", i);
        struct td_plot plot = {.name = td_dict_cstring(dict, name)};
        td_dict_plot(dict, &plot);
    }
    for (uint32_t t = 0; t < tracks; t++) {
        char name[40];
        snprintf(name, sizeof name, "track %u", t);
        struct td_track track = {.thread = 100 + t, .name = td_dict_cstring(dict, name)};
        const uint32_t number = td_dict_track(dict, &track), steps = dice(&seed, 4000);
        uint32_t depth = 0;
        int64_t at = dice(&seed, 100000);
        for (uint32_t i = 0; i < steps; i++) {
            struct td_event event = {.track = number, .time_ns = at};
            const uint32_t what = dice(&seed, 20), kind = dice(&seed, 9);
            if (what == 0 && plots) {
                event.kind = TD_EVENT_PLOT;
                event.subject = dice(&seed, plots);
                event.value.f64 = (double)dice(&seed, 100000) / 16 - 1000;
            } else if (what == 1) {
                event.kind = TD_EVENT_MESSAGE;
                event.subject = td_dict_cstring(dict, kind ? "said" : "said\nmore");
                event.value.u64 = TD_EVENT_MESSAGE_WITH(0, kind % 2, kind % 6);
            } else if (depth && (what < 11 || depth > 9)) {
                event.kind = TD_EVENT_ZONE_END;
                depth--;
            } else {
                char zone[40];
                snprintf(zone, sizeof zone, "zone, %u", kind);
                struct td_srcloc s = {.name = td_dict_cstring(dict, zone),
                                      .file = td_dict_cstring(dict, "r.c"),
                                      .line = 1 + kind,
                                      .flags = kind == 3   ? TD_SRCLOC_WAIT
                                               : kind == 4 ? TD_SRCLOC_LOST
                                                           : 0};
                event.kind = TD_EVENT_ZONE_BEGIN;
                event.srcloc = td_dict_srcloc(dict, &s);
                depth++;
            }
            sink.events(sink.self, &event, 1, NULL);
            at += dice(&seed, 5) ? dice(&seed, 3000) : 0;
        }
        for (; depth > t % 2; depth--) { /* every other track has an open zone */
            struct td_event event = {.kind = TD_EVENT_ZONE_END, .track = number, .time_ns = at += 50};
            sink.events(sink.self, &event, 1, NULL);
        }
    }
    int64_t at = 0;
    for (uint32_t i = 0, frames = dice(&seed, 300); i < frames; i++) {
        struct td_event event = {.kind = TD_EVENT_FRAME, .time_ns = at};
        sink.events(sink.self, &event, 1, NULL);
        at += 1 + dice(&seed, 30000);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}
