/* Traces that stock programs made: each is read, written and read again. The contents of the small ones are
 * compared with what is known of them. test_features.c has the large one, tests/compat compares tables and
 * whole contents. */
#include "tests/file/corpus.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- read, write, read ---- */

static uint32_t version_of(const char *path)
{
    struct td_file_read_options options = {0};
    struct td_trace *trace;
    struct td_err err = {0};
    if (td_file_read_with(path, &options, &trace, &err) < 0)
        fail_msg("%s", err.text);
    td_trace_destroy(trace);
    return options.version;
}

static void write_and_compare(const char *path, const struct td_trace *trace, struct td_file_options options)
{
    struct td_file_notice notice;
    struct td_err err = {0};
    char *copy = temporary("copy.tracy");
    options.notice = &notice;
    if (td_file_write(trace, copy, &options, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    if (options.version) {
        if (notice.text[0])
            fail_msg("%s: in its own version: %s", path, notice.text);
        assert_int_equal(version_of(copy), options.version);
    }
    struct td_trace *back = corpus_read(copy);
    const char *what = difference(trace, back);
    if (what && (options.version || !notice.text[0]))
        fail_msg("%s, version %x: %s", path, options.version, what);
    td_trace_destroy(back);
    free(copy);
}

static void write_and_compare_both_ways(const char *path)
{
    struct td_trace *trace = corpus_read(path);
    write_and_compare(path, trace, (struct td_file_options){0});
    write_and_compare(path, trace,
                      (struct td_file_options){.version = version_of(path),
                                               .tenstorrent = strstr(path, "/ttfork/") != NULL});
    td_trace_destroy(trace);
}

static void every_file_is_read_and_comes_back_when_written(void **state)
{
    assert_true(corpus_all(write_and_compare_both_ways) >= 14);
}

/* ---- small programs ---- */

static int modern(size_t version)
{
    return !corpus_before(version, "0.14.0");
}

static void check_many(const struct td_trace *trace, size_t version)
{
    static const char *const threads[] = {"first", "second"};
    assert_int_equal(zones_of(trace, 0, "outer"), 10000);
    assert_int_equal(zones_of(trace, 0, "leaf"), 10000);
    for (size_t i = 0; i < 2; i++) {
        int64_t t = track_named(trace, threads[i]);
        assert_true(t >= 0);
        assert_int_equal(td_trace_rows(trace, (uint32_t)t), 2);
        assert_int_equal(td_trace_row_zones(trace, (uint32_t)t, 0), 5000);
        assert_int_equal(td_trace_row_zones(trace, (uint32_t)t, 1), 5000);
        assert_int_equal(td_trace_track_parents(trace, (uint32_t)t), 5000);
    }
    assert_int_equal(messages_with(trace, "text "), 3000);
    assert_int_equal(td_trace_messages(trace), 3000 + modern(version));
}

static void many_zones_in_two_threads(void **state)
{
    corpus_each("many", check_many);
}

static void check_images(const struct td_trace *trace, size_t version)
{
    assert_int_equal(zones_of(trace, 0, "render"), 64);
    assert_int_equal(rows(trace, TD_TABLE_IMAGE), 64);
    assert_int_equal(td_trace_frames(trace, 0), 66);
    for (uint64_t i = 0; i < 64; i++) {
        assert_int_equal(at(trace, TD_TABLE_IMAGE, i, TD_IMAGE_WIDTH), 64);
        assert_int_equal(at(trace, TD_TABLE_IMAGE, i, TD_IMAGE_BYTES), 64 * 64 / 2);
    }
}

static void an_image_a_frame(void **state)
{
    corpus_each("images", check_images);
}

static void a_dictionary_for_images_is_kept(void **state)
{
    const char *path = corpus_path("0.11.1", "images.dict");
    if (!path) {
        print_message("skipped: no images.dict of 0.11.1\n");
        return;
    }
    struct td_trace *trace = corpus_read(path);
    check_images(trace, 3);
    assert_int_equal(rows(trace, TD_TABLE_IMAGE_DICTIONARY), 1);
    assert_true(at(trace, TD_TABLE_IMAGE_DICTIONARY, 0, TD_IMAGE_DICTIONARY_BYTES) > 1000);
    td_trace_destroy(trace);
}

static void check_ondemand(const struct td_trace *trace, size_t version)
{
    assert_int_equal(zones_of(trace, 0, "after"), 20);
    assert_int_equal(zones_of(trace, 0, "before"), 0);
    assert_int_equal(messages_with(trace, "literal"), 20);
    assert_int_equal(td_trace_plot_points(trace, (uint32_t)plot_named(trace, "plot")), 20);
    assert_int_equal(td_trace_get_info(trace)->frame_offset, 5);
    assert_int_equal(td_trace_get_info(trace)->on_demand, 1);
    assert_int_equal(td_trace_frames(trace, 0), 23);
}

static void a_program_that_was_connected_late(void **state)
{
    corpus_each("ondemand", check_ondemand);
}

static void check_killed(const struct td_trace *trace, size_t version)
{
    assert_int_equal(zones_of(trace, 0, "outer unfinished"), 1);
    assert_int_equal(zones_of(trace, 0, "inner unfinished"), 1);
    assert_int_equal(zones_of(trace, 0, "done"), 10);
    assert_int_equal(open_zones(trace), 2);
    assert_int_equal(messages_with(trace, "alive"), 10);
    assert_int_equal(td_trace_frames(trace, 0), 12);
}

static void check_killed_without_crash(const struct td_trace *trace, size_t version)
{
    check_killed(trace, version);
    assert_null(td_trace_crash(trace));
}

static void a_killed_program_has_open_zones(void **state)
{
    corpus_each("killed", check_killed_without_crash);
}

static void check_crash(const struct td_trace *trace, size_t version)
{
    check_killed(trace, version);
    const struct td_crash *crash = td_trace_crash(trace);
    assert_non_null(crash);
    const char *text = text_of(trace, crash->text);
    assert_true(!strncmp(text, "Invalid memory reference.\n", 26));
    assert_non_null(strchr(text + 26, '\n'));
    assert_int_equal(crash->stack, 1);
    assert_true(td_trace_track_zones(trace, crash->track) == 12);
}

static void a_crashed_program_says_where(void **state)
{
    corpus_each("crash", check_crash);
}

/* ---- GPU contexts of several types ---- */

static const int64_t *expected_ns;
static unsigned seen;

static void check_next_duration(const struct td_trace *trace, uint32_t track, struct td_zone z)
{
    assert_int_equal(z.end_ns - z.start_ns, expected_ns[seen]);
    seen++;
}

/* Zones of the context without the GPU's time of start or end (or both). */
static unsigned zones_without(const struct td_trace *trace, const char *context, int64_t what)
{
    unsigned found = 0;
    int64_t number = context_named(trace, context);
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++) {
        if (td_dict_get_track(td_trace_dict(trace), t)->context != (uint32_t)number)
            continue;
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++) {
            for (uint64_t i = 0; i < td_trace_row_zones(trace, t, r); i++)
                found += (td_series_get(td_trace_row(trace, t, r), i, TD_ZONE_QUERY) & what) == what;
        }
    }
    return found;
}

static void check_context(const struct td_trace *trace, const char *name, int type, uint64_t zones)
{
    int64_t c = context_named(trace, name);
    assert_true(c > 0);
    assert_int_equal(at(trace, TD_TABLE_GPU_CONTEXT, (uint64_t)c - 1, TD_GPU_CONTEXT_TYPE), type);
    assert_int_equal(zones_of(trace, (uint32_t)c, NULL), zones);
}

static void check_contexts(const struct td_trace *trace, size_t version)
{
    static const int64_t ticks[] = {200, 240, 280, 320, 360, 400, 440, 480, 520, 560},
                         wrap[] = {100, 100, 100, 100, 100, 100, 100, 100}, clocked[] = {2000, 3000},
                         one[] = {500};
    const struct {
        const char *context, *zone;
        const int64_t *lasts;
        unsigned count;
    } timed[] = {{"ticks", "timed", ticks, 10},
                 {"", "timed", one, 1},
                 {"wrapping", "wrap", wrap, 8},
                 {"clocked", "calibrated", clocked, 2}};
    assert_int_equal(zones_of(trace, 0, "submit"), 1);
    assert_int_equal(rows(trace, TD_TABLE_GPU_CONTEXT), 4);
    check_context(trace, "ticks", 1, 12);
    check_context(trace, "", 4, 2);
    check_context(trace, "wrapping", 5, 8);
    check_context(trace, "clocked", 3, 2);
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        expected_ns = timed[i].lasts;
        seen = 0;
        each_zone(trace, (uint32_t)context_named(trace, timed[i].context), timed[i].zone,
                  check_next_duration);
        assert_int_equal(seen, timed[i].count);
    }
    assert_int_equal(zones_without(trace, "ticks", TD_ZONE_NO_START | TD_ZONE_NO_END), 2);
    assert_int_equal(zones_without(trace, "", TD_ZONE_NO_START), 0);
    assert_int_equal(zones_without(trace, "", TD_ZONE_NO_END), 1);
    assert_int_equal(zones_without(trace, "wrapping", TD_ZONE_NO_END), 0);
    uint64_t wrapping = (uint64_t)context_named(trace, "wrapping") - 1,
             calibrated = (uint64_t)context_named(trace, "clocked") - 1;
    assert_int_equal(at(trace, TD_TABLE_GPU_CONTEXT, wrapping, TD_GPU_CONTEXT_OVERFLOW), INT64_C(1) << 34);
    assert_int_equal(at(trace, TD_TABLE_GPU_CONTEXT, calibrated, TD_GPU_CONTEXT_CALIBRATED), 1);
}

static void gpu_contexts_of_all_kinds(void **state)
{
    corpus_each("gpu", check_contexts);
}

/* ---- only in 0.11.1 ---- */

static struct td_trace *read_one(const char *name)
{
    const char *path = corpus_path("0.11.1", name);
    if (!path)
        print_message("skipped: no %s of 0.11.1\n", name);
    return path ? corpus_read(path) : NULL;
}

static void sampling_has_samples_switches_and_symbols(void **state)
{
    struct td_trace *trace = read_one("sampling");
    if (!trace)
        return;
    uint64_t samples = 0;
    for (uint64_t t = 0; t < td_trace_lists(trace, TD_TABLE_SAMPLE); t++)
        samples += rows_in(trace, TD_TABLE_SAMPLE, t);
    assert_true(samples > 10);
    assert_true(rows(trace, TD_TABLE_SWITCH_THREAD) > 0);
    assert_true(rows(trace, TD_TABLE_SYMBOL) > 0);
    assert_true(rows(trace, TD_TABLE_STACK_FRAME) > 0);
    assert_true(rows(trace, TD_TABLE_SOURCE) > 0);
    assert_int_equal(zones_of(trace, 0, "burn"), 40);
    assert_int_equal(zones_of(trace, 0, "nap"), 10);
    assert_int_equal(td_trace_track_zones(trace, (uint32_t)track_named(trace, "sleeper")), 10);
    td_trace_destroy(trace);
}

static void an_imported_trace_has_what_its_source_had(void **state)
{
    struct td_trace *trace = read_one("chrome");
    if (!trace)
        return;
    assert_int_equal(zones_of(trace, 0, "task"), 120);
    assert_int_equal(zones_of(trace, 0, "step"), 120);
    assert_int_equal(zones_of(trace, 0, "deep"), 120);
    assert_int_equal(zones_of(trace, 0, "async"), 10);
    assert_int_equal(zones_of(trace, 0, "unfinished"), 1);
    assert_int_equal(open_zones(trace), 1);
    assert_int_equal(messages_with(trace, "note "), 12);
    assert_int_equal(td_trace_messages(trace), 12);
    assert_int_equal(td_trace_frames(trace, (uint32_t)frames_named(trace, "frame")), 20);
    uint32_t load = (uint32_t)plot_named(trace, "load"), heap = (uint32_t)plot_named(trace, "heap_bytes");
    assert_int_equal(td_trace_plot_points(trace, load), 25);
    assert_int_equal(td_trace_plot_points(trace, heap), 25);
    assert_int_equal(td_dict_get_plot(td_trace_dict(trace), heap)->format, 1);
    assert_true(track_named(trace, "(PID 1 TID 10) alpha") >= 0);
    td_trace_destroy(trace);
}

static void stripped_traces_lack_what_was_stripped_and_nothing_else(void **state)
{
    static const char names[] = "lmpMicsCS";
    for (size_t i = 0; names[i]; i++) {
        char name[40];
        snprintf(name, sizeof name, "features.strip-%c", names[i]);
        struct td_trace *trace = read_one(name);
        if (!trace)
            return;
        assert_int_equal(rows(trace, TD_TABLE_LOCK), names[i] == 'l' ? 0 : 3);
        assert_int_equal(td_trace_messages(trace), names[i] == 'm' ? 0 : 100);
        assert_int_equal(plot_named(trace, "plot int") >= 0, names[i] != 'p');
        assert_int_equal(rows_in(trace, TD_TABLE_MEMORY, 0), names[i] == 'M' ? 0 : 64);
        assert_int_equal(rows(trace, TD_TABLE_IMAGE), names[i] == 'i' ? 0 : 6);
        assert_int_equal(zones_of(trace, 0, NULL), 788);
        td_trace_destroy(trace);
    }
}

static void packings_and_streams_make_no_difference(void **state)
{
    static const char *const names[] = {"features.lz4",    "features.hc",     "features.extreme",
                                        "features.z1",     "features.z19",    "features.j1",
                                        "features.j8",     "features.lz4.j1", "many.lz4.j1",
                                        "features.lz4.j8", "many.lz4.j3",     "many.j8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct td_trace *trace = read_one(names[i]),
                        *plain = read_one(names[i][0] == 'm' ? "many" : "features");
        if (trace && plain && difference(trace, plain))
            fail_msg("%s: %s", names[i], difference(trace, plain));
        td_trace_destroy(trace);
        td_trace_destroy(plain);
    }
}

/* ---- every section ---- */

static void check_synthetic(const struct td_trace *trace, size_t version)
{
    static const enum td_table filled[] = {
        TD_TABLE_MESSAGE,    TD_TABLE_IMAGE,          TD_TABLE_APP_INFO,       TD_TABLE_LOCK,
        TD_TABLE_POOL,       TD_TABLE_STACK,          TD_TABLE_STACK_ENTRY,    TD_TABLE_STACK_FRAME,
        TD_TABLE_STACK_LINE, TD_TABLE_SWITCH_THREAD,  TD_TABLE_THREAD_PROCESS, TD_TABLE_CPU_TOTAL,
        TD_TABLE_TOPOLOGY,   TD_TABLE_FOREIGN_THREAD, TD_TABLE_GPU_CONTEXT,    TD_TABLE_SYMBOL,
        TD_TABLE_CODE,       TD_TABLE_SYMBOL_OF,      TD_TABLE_HW_ADDRESS,     TD_TABLE_SOURCE};
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) {
        if (!rows(trace, filled[i]))
            fail_msg("table %s is empty", td_table_get_shape(filled[i])->name);
    }
    assert_int_equal(rows(trace, TD_TABLE_SECTION), modern(version) ? 3 : 0);
    assert_int_equal(zones_of(trace, 0, "outer"), 1);
    assert_int_equal(zones_of(trace, 0, "inner"), 2);
    assert_int_equal(zones_of(trace, 0, "unnamed"), 3);
    assert_int_equal(open_zones(trace), 1);
    assert_int_equal(zones_of(trace, 1, NULL) + zones_of(trace, 2, NULL), 7);
    assert_non_null(td_trace_crash(trace));
}

static void a_trace_with_every_section_fills_every_table(void **state)
{
    corpus_each("synthetic", check_synthetic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_read_and_comes_back_when_written),
        cmocka_unit_test(many_zones_in_two_threads),
        cmocka_unit_test(an_image_a_frame),
        cmocka_unit_test(a_dictionary_for_images_is_kept),
        cmocka_unit_test(a_program_that_was_connected_late),
        cmocka_unit_test(a_killed_program_has_open_zones),
        cmocka_unit_test(a_crashed_program_says_where),
        cmocka_unit_test(gpu_contexts_of_all_kinds),
        cmocka_unit_test(sampling_has_samples_switches_and_symbols),
        cmocka_unit_test(an_imported_trace_has_what_its_source_had),
        cmocka_unit_test(stripped_traces_lack_what_was_stripped_and_nothing_else),
        cmocka_unit_test(packings_and_streams_make_no_difference),
        cmocka_unit_test(a_trace_with_every_section_fills_every_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
