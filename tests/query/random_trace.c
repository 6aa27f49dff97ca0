#include "tests/query/random_trace.h"
#include "host/trace/fill.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>

#define TRACKS 7
#define NAMES  9

static uint32_t seed = 1;

void draw_from(uint32_t number)
{
    seed = number;
}

uint32_t draw(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* ---- a trace ---- */

static void push(struct td_trace *trace, struct td_event event)
{
    const struct td_sink sink = td_trace_sink(trace);
    assert_int_equal(sink.events(sink.self, &event, 1, NULL), 0);
}

static uint32_t location(struct td_dict *dict, uint32_t number)
{
    char name[20], file[20];
    snprintf(name, sizeof name, "name %u", number % NAMES);
    snprintf(file, sizeof file, "file%u.c", number % 3);
    const struct td_srcloc s = {.name = number % 5 ? td_dict_cstring(dict, name) : 0,
                                .function = td_dict_cstring(dict, "f"),
                                .file = td_dict_cstring(dict, file),
                                .line = number};
    return td_dict_srcloc(dict, &s);
}

static void add_zones(struct td_trace *trace, uint32_t track, uint32_t steps, bool has_own_names)
{
    struct td_dict *dict = td_trace_fill_dict(trace);
    uint32_t open = 0;
    int64_t now = draw(50);
    while (steps--) {
        now += draw(20) * draw(3);
        if (open && draw(2)) {
            push(trace, (struct td_event){.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = now});
            open--;
            continue;
        }
        if (open == 6)
            continue;
        push(trace, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN,
                                      .track = track,
                                      .time_ns = now,
                                      .srcloc = location(dict, draw(14))});
        open++;
        if (!draw(6) && has_own_names)
            push(trace, (struct td_event){.kind = TD_EVENT_ZONE_NAME,
                                          .track = track,
                                          .subject = td_dict_cstring(dict, draw(2) ? "name 3" : "own")});
        if (!draw(5))
            push(trace, (struct td_event){.kind = TD_EVENT_ZONE_VALUE, .track = track, .value.u64 = draw(9)});
    }
}

struct td_trace *random_trace(bool has_own_names)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    assert_non_null(trace);
    for (uint32_t t = 0; t < TRACKS; t++) {
        const struct td_track core = {.thread = 100 + t,
                                      .name = td_dict_cstring(dict, t < 4 ? "core" : "thread"),
                                      .kind = t < 4 ? TD_TRACK_CORE : TD_TRACK_THREAD,
                                      .core = (uint8_t)(t % 2),
                                      .x = (uint16_t)(t / 2)};
        add_zones(trace, td_dict_track(dict, &core), draw(3) ? draw(2000) : draw(4), has_own_names);
    }
    for (uint32_t p = 0; p < 3; p++) {
        const uint32_t plot =
            td_dict_plot(dict, &(struct td_plot){.name = td_dict_cstring(dict, p ? "a" : "b")});
        for (uint32_t i = draw(600); i > 0; i--)
            push(trace,
                 (struct td_event){
                     .kind = TD_EVENT_PLOT, .time_ns = draw(3000), .subject = plot, .value.f64 = draw(50)});
    }
    for (uint32_t i = draw(400); i > 0; i--)
        push(trace, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                      .time_ns = draw(3000),
                                      .track = draw(TRACKS),
                                      .subject = td_dict_cstring(dict, "text")});
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}
