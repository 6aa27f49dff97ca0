/* Traces that exceed the numbers of the file format: the file has all that fits, and the writer's notice
 * counts the rest. */
#include "host/file/file.h"
#include "host/file/format.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void append(struct td_series *series, const int64_t *row)
{
    assert_non_null(series);
    assert_int_equal(td_series_append(series, row), 0);
}

static struct td_trace *there_and_back(struct td_trace *trace, struct td_file_notice *notice)
{
    struct td_err err = {0};
    struct td_trace *back = NULL;
    char *path = temporary("limits.tracy");
    if (td_file_write(trace, path, &(struct td_file_options){.notice = notice}, &err) < 0 ||
        td_file_read(path, &back, &err) < 0)
        fail_msg("%s", err.text);
    unlink(path);
    free(path);
    return back;
}

static struct td_trace *named_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_trace_info *info = td_trace_edit_info(trace);
    assert_int_equal(td_trace_set_string(&info->capture_name, "limits") |
                         td_trace_set_string(&info->program, "limits") |
                         td_trace_set_string(&info->host_info, "host"),
                     0);
    return trace;
}

/* Threads with a zone, a message and an allocation each; as many threads of other programs ran on a
 * processor. */
static struct td_trace *trace_of_threads(uint32_t threads)
{
    struct td_trace *trace = named_trace();
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    uint32_t srcloc = td_dict_srcloc(dict, &(struct td_srcloc){.line = 3});
    append(td_trace_fill_table(trace, TD_TABLE_POOL), (int64_t[TD_POOL_COLUMN_COUNT]){0});
    for (uint32_t i = 1; i <= threads; i++) {
        uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 100 + i, .name = i % 2});
        struct td_event events[] = {
            {.kind = TD_EVENT_ZONE_BEGIN, .track = track, .srcloc = srcloc, .time_ns = i},
            {.kind = TD_EVENT_MESSAGE, .track = track, .time_ns = i, .subject = srcloc},
            {.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = 2 * i},
        };
        assert_int_equal(sink.events(sink.self, events, 3, NULL), 0);
        append(td_trace_fill_list(trace, TD_TABLE_MEMORY, 0),
               (int64_t[TD_MEMORY_COLUMN_COUNT]){
                   [TD_MEMORY_ADDRESS] = i, [TD_MEMORY_TIME] = i, [TD_MEMORY_THREAD] = 100 + i});
        append(td_trace_fill_list(trace, TD_TABLE_CPU_SWITCH, 0), (int64_t[]){i, i + 1, 1000000 + i});
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static uint64_t with_thread(const struct td_trace *trace, enum td_table table, unsigned column)
{
    const struct td_series *series = td_trace_list(trace, table, 0);
    uint64_t known = 0;
    for (uint64_t i = 0; i < td_series_count(series); i++)
        known += td_series_get(series, i, column) != 0;
    return known;
}

static void threads_beyond_the_last_number_are_kept_and_counted(void **state)
{
    static const uint32_t cases[] = {TD_FILE_THREAD_LIMIT, TD_FILE_THREAD_LIMIT + 1, 70000};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t threads = cases[c], beyond = threads - TD_FILE_THREAD_LIMIT;
        char expected[64];
        struct td_file_notice notice;
        struct td_trace *trace = trace_of_threads(threads), *back = there_and_back(trace, &notice);
        assert_null(difference(trace, back)); /* all threads, zones and messages */
        assert_int_equal(td_dict_track_count(td_trace_dict(back)), threads);
        /* Allocations and switches refer to threads by number; thread 0 has a number of the first table. */
        assert_int_equal(with_thread(back, TD_TABLE_MEMORY, TD_MEMORY_THREAD), TD_FILE_THREAD_LIMIT);
        assert_true(with_thread(back, TD_TABLE_CPU_SWITCH, TD_CPU_SWITCH_THREAD) >= TD_FILE_THREAD_LIMIT);
        uint32_t foreign = beyond ? beyond - 1 : 0; /* their table reserves no entry: one more fits */
        snprintf(expected, sizeof expected, "hold %u number%s of ", beyond + foreign, foreign ? "s" : "");
        if (beyond)
            assert_non_null(strstr(notice.text, expected));
        else
            assert_string_equal(notice.text, "");
        /* Writes the trace that was read from the file. */
        struct td_trace *again = there_and_back(back, &notice);
        assert_null(difference(trace, again));
        td_trace_destroy(trace);
        td_trace_destroy(back);
        td_trace_destroy(again);
    }
}

/* Zones of `own` locations of equal content, and of `by_content` locations of different content. */
static struct td_trace *trace_of_locations(uint32_t own, uint32_t by_content)
{
    struct td_trace *trace = named_trace();
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    struct td_srcloc equal = {.name = td_dict_cstring(dict, "equal"), .line = 1}, loc = equal;
    uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1});
    for (uint32_t i = 0; i < own + by_content; i++) {
        loc.line = i + 1;
        uint32_t srcloc = i < own ? td_dict_own_srcloc(dict, &equal) : td_dict_srcloc(dict, &loc);
        struct td_event events[] = {
            {.kind = TD_EVENT_ZONE_BEGIN, .track = track, .srcloc = srcloc, .time_ns = 10 * i},
            {.kind = TD_EVENT_ZONE_END, .track = track, .time_ns = 10 * i + 5},
        };
        assert_int_equal(sink.events(sink.self, events, 2, NULL), 0);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static void locations_of_equal_content_stay_several(void **state)
{
    /* Of the first kind the format has 32,766 numbers of its own, of the second 32,767. */
    static const struct {
        uint32_t own, by_content, back_own;
    } cases[] = {{0, 3, 0}, {3, 0, 3}, {2, 2, 2}, {32766, 1, 32766}, {40000, 1, 40000}, {1, 40000, 7234}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct td_file_notice notice;
        struct td_trace *trace = trace_of_locations(cases[c].own, cases[c].by_content);
        struct td_trace *back = there_and_back(trace, &notice);
        const struct td_stat *stats;
        size_t count = td_trace_stats(back, &stats), own = 0;
        assert_string_equal(notice.text, "");
        assert_null(difference(trace, back));
        assert_int_equal(count, cases[c].own + cases[c].by_content);
        for (size_t i = 0; i < count; i++)
            own +=
                td_dict_get_srcloc(td_trace_dict(back), stats[i].srcloc)->flags >> TD_SRCLOC_OWN_SHIFT != 0;
        if (cases[c].own <= 32766)
            assert_int_equal(own, cases[c].back_own);
        td_trace_destroy(trace);
        td_trace_destroy(back);
    }
}

static void call_stacks_beyond_the_last_number_are_counted(void **state)
{
    const uint64_t stacks = TD_FILE_STACK_LIMIT + UINT64_C(3); /* number 0 is none */
    struct td_trace *trace = named_trace();
    struct td_dict *dict = td_trace_fill_dict(trace);
    uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1});
    append(td_trace_fill_table(trace, TD_TABLE_STACK_ENTRY), (int64_t[]){0x1234});
    struct td_series *series = td_trace_fill_table(trace, TD_TABLE_STACK);
    append(series, (int64_t[]){0});
    for (uint64_t i = 1; i < stacks; i++)
        append(series, (int64_t[]){1});
    for (int64_t i = 0; i < 4; i++) {
        append(td_trace_fill_list(trace, TD_TABLE_SAMPLE, track),
               (int64_t[]){i, TD_FILE_STACK_LIMIT - 1 + i});
        append(td_trace_fill_table(trace, TD_TABLE_MESSAGE),
               (int64_t[]){i, track, 0, 0, TD_FILE_STACK_LIMIT - 1 + i, 0, 2});
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_file_notice notice;
    struct td_trace *back = there_and_back(trace, &notice);
    assert_non_null(strstr(notice.text, "2 call stacks beyond"));
    assert_non_null(strstr(notice.text, "2 samples of such"));
    assert_int_equal(td_series_count(td_trace_list(back, TD_TABLE_SAMPLE, track)), 2);
    assert_int_equal(td_trace_message(back, 0).stack, TD_FILE_STACK_LIMIT - 1);
    assert_int_equal(td_trace_message(back, 1).stack, TD_FILE_STACK_LIMIT);
    assert_int_equal(td_trace_message(back, 2).stack, 0);
    td_trace_destroy(trace);
    td_trace_destroy(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_beyond_the_last_number_are_kept_and_counted),
        cmocka_unit_test(locations_of_equal_content_stay_several),
        cmocka_unit_test(call_stacks_beyond_the_last_number_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
