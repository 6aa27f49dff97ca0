/* Copies of traces that stock programs made: a whole one has the same bytes when it is written; several in
 * one model have the contents of all, apart from each other. */
#include "host/trace/copy.h"
#include "tests/file/corpus.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct source {
    const struct td_trace *trace;
    struct td_copy_options options;
};

static struct td_trace *copy_of(const struct source *sources, size_t count)
{
    struct td_trace *to = td_trace_create(td_dict_create());
    struct td_err err = {0};
    struct td_copier *copier = td_copier_create(to, &err);
    assert_non_null(copier);
    for (size_t i = 0; i < count; i++)
        if (td_copier_add(copier, sources[i].trace, &sources[i].options, &err) < 0)
            fail_msg("%s", err.text);
    assert_int_equal(td_copier_end(copier, &err), 0);
    assert_string_equal(td_copier_notice(copier), "");
    td_copier_destroy(copier);
    assert_int_equal(td_trace_finish(to, &err), 0);
    const char *broken = broken_rule(to);
    if (broken)
        fail_msg("a rule of the model is broken: %s", broken);
    return to;
}

static struct bytes written(const struct td_trace *trace, struct td_file_options options)
{
    struct td_err err = {0};
    char *path = temporary("written.tracy");
    if (td_file_write(trace, path, &options, &err) < 0)
        fail_msg("%s", err.text);
    struct bytes bytes = read_bytes(path);
    free(path);
    return bytes;
}

static void copy_and_compare(const char *path)
{
    struct td_trace *trace = corpus_read(path);
    struct td_trace *copy = copy_of(&(struct source){.trace = trace}, 1);
    const char *what = difference(trace, copy);
    if (what)
        fail_msg("%s: %s", path, what);
    const struct td_file_options options = {.version = TD_FILE_VERSION(0, 14, 0), .packing = TD_PACK_LZ4};
    struct bytes a = written(trace, options), b = written(copy, options);
    if (a.count != b.count || memcmp(a.data, b.data, a.count))
        fail_msg("%s: the copy is written as other bytes", path);
    free(a.data);
    free(b.data);
    td_trace_destroy(copy);
    td_trace_destroy(trace);
}

static void a_copy_of_a_whole_trace_is_written_as_the_same_bytes(void **state)
{
    assert_true(corpus_all(copy_and_compare) >= 14);
}

/* ---- several ---- */

static uint64_t frames_of(const struct td_trace *trace)
{
    return td_trace_table_rows(trace, TD_TABLE_FRAME);
}

static void assert_sums(const char *path, const struct td_trace *one, const struct td_trace *two)
{
    static const enum td_table summed[] = {
        TD_TABLE_MESSAGE,       TD_TABLE_POINT,       TD_TABLE_IMAGE,       TD_TABLE_LOCK,
        TD_TABLE_LOCK_EVENT,    TD_TABLE_MEMORY,      TD_TABLE_STACK_ENTRY, TD_TABLE_STACK_FRAME,
        TD_TABLE_STACK_LINE,    TD_TABLE_SAMPLE,      TD_TABLE_SYMBOL,      TD_TABLE_SWITCH,
        TD_TABLE_CPU_SWITCH,    TD_TABLE_GPU_CONTEXT, TD_TABLE_CODE,        TD_TABLE_SYMBOL_OF,
        TD_TABLE_TRACK_MESSAGE, TD_TABLE_TOPOLOGY,    TD_TABLE_THREAD_NAME,
    };
    for (size_t i = 0; i < sizeof summed / sizeof *summed; i++) {
        uint64_t each = td_trace_table_rows(one, summed[i]);
        if (summed[i] == TD_TABLE_MESSAGE || summed[i] == TD_TABLE_TRACK_MESSAGE)
            each *= 2, each += td_trace_crash(one) != NULL;
        else
            each *= 2;
        if (td_trace_table_rows(two, summed[i]) != each)
            fail_msg("%s: %s", path, td_table_get_shape(summed[i])->name);
    }
    assert_int_equal(frames_of(two), 2 * frames_of(one));
    assert_int_equal(zones_of(two, 0, NULL), 2 * zones_of(one, 0, NULL));
    assert_int_equal(open_zones(two), 2 * open_zones(one));
    assert_int_equal(td_dict_track_count(td_trace_dict(two)), 2 * td_dict_track_count(td_trace_dict(one)));
    /* The locations are shared. */
    assert_int_equal(td_dict_srcloc_count(td_trace_dict(two)), td_dict_srcloc_count(td_trace_dict(one)));
}

/* No address, thread or lock of one source is one of the other. */
static void assert_apart(const char *path, const struct td_trace *two, enum td_table table, unsigned column)
{
    const struct td_series *all = td_trace_table(two, table);
    uint64_t count = td_series_count(all), half = count / 2;
    for (uint64_t a = 0; a < half; a++)
        for (uint64_t b = half; b < count; b++)
            if (td_series_get(all, a, column) == td_series_get(all, b, column))
                fail_msg("%s: %s row %d and %d", path, td_table_get_shape(table)->name, (int)a, (int)b);
}

/* Rows that belong together still do: each frame of a stack has the lines that it had. */
static void assert_stacks(const struct td_trace *one, const struct td_trace *two)
{
    const struct td_series *entries = td_trace_table(one, TD_TABLE_STACK_ENTRY);
    uint64_t count = td_series_count(entries);
    for (uint64_t i = 0; i < count; i++) {
        int64_t row = td_trace_stack_frame(one, (uint64_t)td_series_get(entries, i, 0));
        for (int k = 0; k < 2; k++) {
            uint64_t id = (uint64_t)at(two, TD_TABLE_STACK_ENTRY, i + (k ? count : 0), 0);
            int64_t to = td_trace_stack_frame(two, id);
            uint64_t frames = rows(one, TD_TABLE_STACK_FRAME);
            if (row < 0)
                assert_int_equal(to, -1);
            else
                assert_int_equal(to, row + (k ? (int64_t)frames : 0));
        }
    }
}

static void copy_twice(const char *path)
{
    struct td_trace *one = corpus_read(path);
    const int64_t shift_ns = 1000000;
    const struct source sources[] = {{one, {.label = "a"}},
                                     {one, {.label = "b", .clock.offset_ns = shift_ns}}};
    struct td_trace *two = copy_of(sources, 2);
    assert_sums(path, one, two);
    assert_apart(path, two, TD_TABLE_LOCK, TD_LOCK_ID);
    assert_apart(path, two, TD_TABLE_STACK_FRAME, TD_STACK_FRAME_FRAME);
    assert_apart(path, two, TD_TABLE_SWITCH_THREAD, TD_SWITCH_THREAD_THREAD);
    assert_apart(path, two, TD_TABLE_TOPOLOGY, TD_TOPOLOGY_CPU);
    assert_stacks(one, two);
    assert_int_equal(td_trace_get_info(two)->last_time_ns, td_trace_get_info(one)->last_time_ns + shift_ns);
    const struct td_stat *a, *b;
    size_t count = td_trace_stats(one, &a);
    assert_int_equal(td_trace_stats(two, &b), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(b[i].count, 2 * a[i].count);
        assert_int_equal(b[i].total_ns, 2 * a[i].total_ns);
        assert_int_equal(b[i].self_ns, 2 * a[i].self_ns);
        assert_int_equal(b[i].min_ns, a[i].min_ns);
    }
    td_trace_destroy(two);
    td_trace_destroy(one);
}

static void two_processes_in_one_trace_have_all_their_contents_and_share_no_number(void **state)
{
    assert_true(corpus_all(copy_twice) >= 14);
}

static void a_copy_without_label_is_alone(void **state)
{
    struct td_trace *to = td_trace_create(td_dict_create()), *one = rich_trace(10);
    struct td_err err = {0};
    struct td_copier *copier = td_copier_create(to, &err);
    assert_int_equal(td_copier_add(copier, one, &(struct td_copy_options){0}, &err), 0);
    assert_int_equal(td_copier_add(copier, one, &(struct td_copy_options){.label = "x"}, &err), TD_E_USAGE);
    td_copier_destroy(copier);
    td_trace_destroy(to);
    td_trace_destroy(one);
}

/* ---- a part of the time ---- */

static bool overlaps(const struct td_copy_options *o, int64_t start_ns, int64_t end_ns)
{
    return start_ns < o->until_ns && end_ns > o->from_ns;
}

/* Zones of all tracks that overlap: how many, and the sum of depths and starts. */
static uint64_t sum_zones(const struct td_trace *trace, const struct td_copy_options *o)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++)
            for (size_t i = 0; i < td_trace_row_zones(trace, t, r); i++) {
                struct td_zone z = td_trace_zone(trace, t, r, i);
                if (overlaps(o, z.start_ns, z.end_ns))
                    sum += 1 + (uint64_t)r * 1000003 + (uint64_t)z.start_ns * 7919 + z.srcloc +
                           strlen(text_of(trace, z.text)) * 31;
            }
    return sum;
}

static uint64_t sum_messages(const struct td_trace *trace, const struct td_copy_options *o)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < td_trace_messages(trace); i++) {
        struct td_message m = td_trace_message(trace, i);
        if (m.time_ns >= o->from_ns && m.time_ns < o->until_ns)
            sum += 1 + (uint64_t)m.time_ns * 31 + strlen(text_of(trace, m.text));
    }
    return sum;
}

static uint64_t sum_memory(const struct td_trace *trace, const struct td_copy_options *o)
{
    uint64_t sum = 0;
    for (uint64_t p = 0; p < td_trace_lists(trace, TD_TABLE_MEMORY); p++)
        for (uint64_t i = 0; i < rows_in(trace, TD_TABLE_MEMORY, p); i++) {
            int64_t end = in(trace, TD_TABLE_MEMORY, p, i, TD_MEMORY_FREE_TIME);
            if (overlaps(o, in(trace, TD_TABLE_MEMORY, p, i, TD_MEMORY_TIME), end < 0 ? INT64_MAX : end))
                sum += 1 + (uint64_t)in(trace, TD_TABLE_MEMORY, p, i, TD_MEMORY_ADDRESS);
        }
    return sum;
}

static const struct td_copy_options everything = {.from_ns = INT64_MIN, .until_ns = INT64_MAX};

static void cut_and_compare(const char *path)
{
    struct td_trace *one = corpus_read(path);
    int64_t last = td_trace_get_info(one)->last_time_ns;
    for (int64_t k = 0; k < 4; k++) {
        const struct td_copy_options o = {.from_ns = last / 5 * k + 1, .until_ns = last / 5 * (k + 1) + 2};
        struct td_trace *part = copy_of(&(struct source){one, o}, 1);
        if (sum_zones(part, &everything) != sum_zones(one, &o))
            fail_msg("%s: zones of part %d", path, (int)k);
        assert_int_equal(sum_messages(part, &everything), sum_messages(one, &o));
        assert_int_equal(sum_memory(part, &everything), sum_memory(one, &o));
        td_trace_destroy(part);
    }
    td_trace_destroy(one);
}

static void a_range_of_time_has_what_overlaps_it(void **state)
{
    corpus_all(cut_and_compare);
}

static void a_clipped_range_has_no_time_outside_it(void **state)
{
    struct td_trace *one = rich_trace(2000);
    int64_t last = td_trace_get_info(one)->last_time_ns;
    const struct td_copy_options o = {.from_ns = last / 3, .until_ns = last / 2, .clip = 1};
    struct td_trace *part = copy_of(&(struct source){one, o}, 1);
    uint64_t zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(part)); t++)
        for (uint32_t r = 0; r < td_trace_rows(part, t); r++)
            for (size_t i = 0; i < td_trace_row_zones(part, t, r); i++, zones++) {
                struct td_zone z = td_trace_zone(part, t, r, i);
                assert_true(z.start_ns >= o.from_ns && z.start_ns < o.until_ns);
                assert_true(z.end_ns == TD_OPEN || z.end_ns <= o.until_ns);
            }
    assert_true(zones > 0);
    td_trace_destroy(part);
    td_trace_destroy(one);
}

static void a_line_between_two_clocks_goes_through_both_points(void **state)
{
    struct td_time_line line = td_time_line_through(1000, 5000, 1000001000, 1000105000);
    assert_int_equal(td_time_line_at(&line, 1000), 5000);
    assert_int_equal(td_time_line_at(&line, 1000001000), 1000105000);
    assert_int_equal(td_time_line_at(&line, 500001000), 500055000);
    int64_t before = INT64_MIN;
    for (int64_t t = -50000; t < 50000; t++) {
        int64_t now = td_time_line_at(&line, t);
        assert_true(now >= before);
        before = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_of_a_whole_trace_is_written_as_the_same_bytes),
        cmocka_unit_test(two_processes_in_one_trace_have_all_their_contents_and_share_no_number),
        cmocka_unit_test(a_copy_without_label_is_alone),
        cmocka_unit_test(a_range_of_time_has_what_overlaps_it),
        cmocka_unit_test(a_clipped_range_has_no_time_outside_it),
        cmocka_unit_test(a_line_between_two_clocks_goes_through_both_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
