/* Each allocation fails once while a trace is built, written and read: this gives one error, no leak and no
 * file. */
#include "tests/base/failing_memory.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define EVERY_SECTION TD_SOURCE_DIR "/tests/data/trace/0.14.0/synthetic.tracy"

/* Zones in threads and in GPU contexts. */
static uint64_t zones_of(const struct td_trace *trace)
{
    uint64_t zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += td_trace_track_zones(trace, t);
    return zones;
}

static void read_with_holes(const char *path, uint64_t zones)
{
    long n = 0;
    for (;; n++) {
        struct td_trace *trace;
        struct td_err err = {0};
        long before = memory_failures();
        memory_fails(n);
        int rc = td_file_read(path, &trace, &err);
        memory_fails(-1);
        /* The failed allocation was optional: then nothing is missing. */
        if (rc == 0)
            assert_int_equal(zones_of(trace), zones);
        td_trace_destroy(trace);
        if (memory_failures() == before) {
            assert_int_equal(rc, 0);
            break;
        }
        if (rc == 0)
            continue;
        assert_int_equal(rc, TD_E_NOMEM);
        assert_int_equal(err.code, TD_E_NOMEM);
        assert_null(trace);
    }
    assert_true(n > 50);
}

static void reading_survives_every_failing_allocation(void **state)
{
    read_with_holes(TD_SOURCE_DIR "/tests/data/trace/0.11.1/features.tracy", 788 + 108);
    read_with_holes(EVERY_SECTION, 6 + 7);
}

static struct td_trace *every_section(void)
{
    struct td_trace *trace;
    assert_int_equal(td_file_read(EVERY_SECTION, &trace, NULL), 0);
    return trace;
}

static struct td_trace *some_of_everything(void)
{
    return rich_trace(60);
}

static void write_with_holes(struct td_trace *(*make)(void), uint32_t version)
{
    char *path = temporary("nomem.tracy");
    long n = 0;
    for (;; n++) {
        struct td_trace *trace = make(); /* a new one: values that are computed once are not cached yet */
        struct td_err err = {0};
        long before = memory_failures();
        memory_fails(n);
        int rc = td_file_write(trace, path, &(struct td_file_options){.version = version}, &err);
        memory_fails(-1);
        td_trace_destroy(trace);
        if (memory_failures() == before) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, TD_E_NOMEM);
        assert_int_equal(err.code, TD_E_NOMEM);
        assert_int_equal(access(path, F_OK), -1);
    }
    assert_true(n > 10);
    unlink(path);
    free(path);
}

static void writing_survives_every_failing_allocation(void **state)
{
    write_with_holes(some_of_everything, 0);
    write_with_holes(every_section, TD_FILE_VERSION(0, 14, 0));
}

/* Without the abort of rich_trace(): only what the model itself allocates. */
static int build(struct td_trace **trace)
{
    struct td_err err = {0};
    struct td_dict *dict = td_dict_create();
    *trace = td_trace_create(dict);
    if (!*trace)
        return TD_E_NOMEM;
    struct td_sink sink = td_trace_sink(*trace);
    uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1});
    uint32_t plot = td_dict_plot(dict, &(struct td_plot){.name = 1});
    uint32_t line = td_dict_cstring(dict, "a line");
    if (track == UINT32_MAX || plot == UINT32_MAX || line == UINT32_MAX)
        return TD_E_NOMEM;
    struct td_event events[] = {
        {.kind = TD_EVENT_ZONE, .track = track, .time_ns = 90, .value.end_ns = 100},
        {.kind = TD_EVENT_ZONE,
         .track = track,
         .time_ns = 5,
         .value.end_ns = 10,
         .subject = line}, /* unsorted */
        {.kind = TD_EVENT_ZONE_BEGIN, .track = track, .time_ns = 110},
        {.kind = TD_EVENT_ZONE_TEXT, .track = track, .subject = line},
        {.kind = TD_EVENT_ZONE_VALUE, .track = track, .value.u64 = 7},
        {.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = 120},
        {.kind = TD_EVENT_ZONE_BEGIN, .track = track, .time_ns = 130},
        {.kind = TD_EVENT_MESSAGE, .track = track, .time_ns = 9, .subject = line},
        {.kind = TD_EVENT_MESSAGE, .track = track, .time_ns = 8, .subject = line},
        {.kind = TD_EVENT_PLOT, .subject = plot, .time_ns = 9, .value.f64 = 1},
        {.kind = TD_EVENT_PLOT, .subject = plot, .time_ns = 8, .value.f64 = 1},
        {.kind = TD_EVENT_FRAME, .subject = 0, .time_ns = 8},
        {.kind = TD_EVENT_APP_INFO, .subject = line},
    };
    int rc = sink.events(sink.self, events, sizeof events / sizeof *events, &err);
    if (rc == 0)
        rc = td_trace_finish(*trace, &err);
    return rc < 0 && err.code != rc ? 1 : rc;
}

static void building_survives_every_failing_allocation(void **state)
{
    long n = 0;
    for (;; n++) {
        struct td_trace *trace;
        long before = memory_failures();
        memory_fails(n);
        int rc = build(&trace);
        memory_fails(-1);
        if (rc == 0) /* as above */
            assert_int_equal(zones_of(trace), 4);
        td_trace_destroy(trace);
        if (memory_failures() == before) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_true(rc == 0 || rc == TD_E_NOMEM);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_survives_every_failing_allocation),
        cmocka_unit_test(reading_survives_every_failing_allocation),
        cmocka_unit_test(writing_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
