/* Lengths of zones without the cost of the markers inside them, on a made-up trace. */
#include "host/trace/compensate.h"
#include "proto/device/packet.h"
#include "proto/track.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BILL                                                                                                 \
    "chip 0 tile 1,2 core 3: 1 launches, 5 zones, 1 messages, 1 points; 90 instructions, 20 stores, 64 "     \
    "bytes, "                                                                                                \
    "1 waits of 100 ns;"

struct made {
    struct td_trace *trace;
    struct td_sink sink;
    uint32_t core, host;
};

static void add(struct made *m, uint32_t track, const char *name, uint32_t flags, int64_t from, int64_t to)
{
    struct td_dict *dict = td_trace_fill_dict(m->trace);
    const struct td_srcloc place = {.name = td_dict_cstring(dict, name), .flags = (uint8_t)flags};
    const struct td_event event = {.kind = TD_EVENT_ZONE,
                                   .time_ns = from,
                                   .value.end_ns = to,
                                   .track = track,
                                   .srcloc = td_dict_srcloc(dict, &place)};
    assert_int_equal(m->sink.events(m->sink.self, &event, 1, NULL), 0);
}

/* On a core and on a thread: an outer zone with two zones, one of which has another inside, a message, a plot's point
 * and a wait for room. */
static struct made make(const char *bill)
{
    struct td_dict *dict = td_dict_create();
    struct made m = {.trace = td_trace_create(dict)};
    m.sink = td_trace_sink(m.trace);
    m.core = td_dict_track(dict, &(struct td_track){.thread = td_track_id(0, 1, 2, 3),
                                                    .name = td_dict_cstring(dict, "chip 0 tile 1,2 TRISC1"),
                                                    .kind = TD_TRACK_CORE,
                                                    .x = 1,
                                                    .y = 2,
                                                    .core = 3});
    m.host = td_dict_track(dict, &(struct td_track){.thread = 7, .name = td_dict_cstring(dict, "main")});
    const uint32_t tracks[] = {m.core, m.host};
    for (int i = 0; i < 2; i++) {
        add(&m, tracks[i], "innermost", 0, 210, 220);
        add(&m, tracks[i], "inner", 0, 200, 240);
        add(&m, tracks[i], TD_NAME_STALL, TD_SRCLOC_LOST, 300, 400);
        add(&m, tracks[i], "inner", 0, 500, 540);
        add(&m, tracks[i], "outer", 0, 100, 1000);
    }
    const struct td_plot plot = {.name = td_dict_cstring(dict, "depth (0/1,2/TRISC1)")};
    struct td_event events[] = {
        {.kind = TD_EVENT_MESSAGE, .time_ns = 600, .track = m.core, .subject = td_dict_cstring(dict, "here")},
        {.kind = TD_EVENT_MESSAGE,
         .time_ns = 100,
         .track = m.core,
         .subject = td_dict_cstring(dict, "before")},
        {.kind = TD_EVENT_PLOT,
         .time_ns = 700,
         .track = m.core,
         .subject = td_dict_plot(dict, &plot),
         .value.f64 = 1},
    };
    assert_int_equal(m.sink.events(m.sink.self, events, 3, NULL), 0);
    if (bill)
        assert_int_equal(td_trace_note(m.trace, TD_NOTE_BILL, "%s", bill), 0);
    assert_int_equal(td_trace_finish(m.trace, NULL), 0);
    return m;
}

static int64_t length_of(const struct td_trace *trace, uint32_t track, uint32_t row, size_t index)
{
    const struct td_zone zone = td_trace_zone(trace, track, row, index);
    return zone.end_ns - zone.start_ns;
}

static void zones_lose_the_markers_inside_them(void **state)
{
    struct made m = make(BILL " a zone 10000 ps, a message 20000 ps, a point 30000 ps");
    struct td_err err = {0};
    struct td_trace *short_ = td_trace_compensate(m.trace, 0, &err);
    assert_non_null(short_);
    assert_int_equal(length_of(short_, m.core, 0, 0), 900 - 3 * 10 - 20 - 30 - 100);
    assert_int_equal(length_of(short_, m.core, 1, 0), 40 - 10);
    assert_int_equal(length_of(short_, m.core, 1, 1), 100); /* the wait itself */
    assert_int_equal(length_of(short_, m.core, 1, 2), 40);
    assert_int_equal(length_of(short_, m.core, 2, 0), 10);
    assert_int_equal(td_trace_zone(short_, m.core, 0, 0).start_ns, 100);
    assert_int_equal(length_of(short_, m.host, 0, 0), 900); /* no core */
    const struct td_stat *stats;
    const size_t count = td_trace_stats(short_, &stats);
    assert_int_equal(count, 4);
    assert_int_equal(td_trace_clamped(short_), 0);
    td_trace_destroy(short_);
    td_trace_destroy(m.trace);
}

static void a_cost_that_cannot_be_leaves_no_time(void **state)
{
    struct made m = make(BILL " a zone 999999999999999999 ps, a message 0 ps, a point 0 ps");
    struct td_err err = {0};
    struct td_trace *short_ = td_trace_compensate(m.trace, 0, &err);
    assert_non_null(short_);
    assert_int_equal(length_of(short_, m.core, 0, 0), 0);
    assert_int_equal(length_of(short_, m.core, 2, 0), 10);
    td_trace_destroy(short_);
    td_trace_destroy(m.trace);
}

static void without_costs_it_is_refused(void **state)
{
    static const char *const bills[] = {
        NULL,
        BILL " a zone 0 ps, a message 0 ps, a point 0 ps",
        BILL " a zone 10000 ps, a message",
        "chip 0 tile 9,9 core 3: 1 launches, 5 zones, 1 messages, 1 points; 90 instructions, 20 stores, 64 "
        "bytes, "
        "1 waits of 100 ns; a zone 10000 ps, a message 20000 ps, a point 30000 ps",
        "",
    };
    for (size_t i = 0; i < sizeof bills / sizeof *bills; i++) {
        struct made m = make(bills[i]);
        struct td_err err = {0};
        assert_null(td_trace_compensate(m.trace, 0, &err));
        assert_int_equal(err.code, TD_E_NOTFOUND);
        td_trace_destroy(m.trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_lose_the_markers_inside_them),
        cmocka_unit_test(a_cost_that_cannot_be_leaves_no_time),
        cmocka_unit_test(without_costs_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
