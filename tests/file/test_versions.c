/* A trace with content in every section: written for every version and read again, with parts left out, and
 * salvaged from pieces; and content that does not fit. */
#include "tests/file/support.h"
#include "tests/file/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define V(a, b, c) TD_FILE_VERSION(a, b, c)
#define FULL       TD_SOURCE_DIR "/tests/data/trace/0.14.0/synthetic.tracy"

/* The last of each layout, and releases. */
static const uint32_t versions[] = {V(0, 9, 0),  V(0, 9, 1),  V(0, 9, 2),  V(0, 10, 0), V(0, 11, 0),
                                    V(0, 11, 1), V(0, 11, 2), V(0, 11, 3), V(0, 12, 0), V(0, 12, 2),
                                    V(0, 12, 3), V(0, 12, 4), V(0, 13, 0), V(0, 13, 1), V(0, 13, 2),
                                    V(0, 13, 3), V(0, 13, 4), V(0, 13, 5), V(0, 13, 6), V(0, 14, 0)};

static struct td_trace *read_file(const char *path)
{
    struct td_err err = {0};
    struct td_trace *trace;
    if (td_file_read(path, &trace, &err) < 0)
        fail_msg("%s", err.text);
    return trace;
}

static struct td_trace *rewritten(const struct td_trace *trace, const struct td_file_options *options)
{
    struct td_err err = {0};
    char *path = temporary("again.tracy");
    if (td_file_write(trace, path, options, &err) < 0)
        fail_msg("%s", err.text);
    struct td_trace *back = read_file(path);
    free(path);
    assert_null(broken_rule(back));
    return back;
}

/* The value that remains after writing it for that version. */
static int64_t in_version(const struct td_trace *a, enum td_table table, unsigned column, const int64_t *row,
                          uint32_t version)
{
    if (table == TD_TABLE_TOPOLOGY && column == TD_TOPOLOGY_DIE && version < V(0, 11, 2))
        return 0;
    if (table == TD_TABLE_SWITCH && column == TD_SWITCH_WAKEUP_CPU && version < V(0, 11, 3))
        return row[TD_SWITCH_CPU];
    if (table == TD_TABLE_MESSAGE && column == TD_MESSAGE_SOURCE && version < V(0, 13, 2))
        return 0;
    if (table == TD_TABLE_MESSAGE && column == TD_MESSAGE_SEVERITY && version < V(0, 13, 2))
        return 2;
    if (table == TD_TABLE_SECTION && column == TD_SECTION_CATEGORY && version < V(0, 13, 5))
        return 0;
    return row[column];
}

static int is_in_version(enum td_table table, uint32_t version)
{
    if (table == TD_TABLE_SECTION)
        return version >= V(0, 13, 4);
    if (table == TD_TABLE_SECTION_CATEGORY)
        return version >= V(0, 13, 5);
    if (table == TD_TABLE_GPU_NOTE || table == TD_TABLE_GPU_NOTE_NAME)
        return version >= V(0, 12, 4);
    return 1;
}

/* Whether the table contains numbers of locations, which may differ between files. */
static int is_private(enum td_table table)
{
    return table == TD_TABLE_ZONE_LOCATION || table == TD_TABLE_GPU_LOCATION;
}

static void same_tables(const struct td_trace *a, const struct td_trace *b, uint32_t version)
{
    for (int t = 0; t < TD_TABLE_COUNT; t++) {
        enum td_table table = (enum td_table)t;
        if (is_private(table))
            continue;
        if (!is_in_version(table, version)) {
            assert_int_equal(td_series_count(td_trace_table(b, table)), 0);
            continue;
        }
        /* Types of contexts that a version lacks become others: test_contexts. */
        const char *what = table == TD_TABLE_GPU_CONTEXT && version < V(0, 14, 0)
                               ? NULL
                               : table_difference(a, b, table, in_version, version);
        if (what)
            fail_msg("version %u.%u.%u: %s", version >> 16, version >> 8 & 255, version & 255, what);
    }
}

static void every_section_comes_back_from_every_version_that_has_it(void **state)
{
    struct td_trace *full = read_file(FULL);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct td_file_options options = {.version = versions[i]};
        struct td_trace *back = rewritten(full, &options);
        same_tables(full, back, versions[i]);
        struct td_trace *again = rewritten(back, &options);
        same_tables(back, again, V(0, 14, 0));
        const char *what = difference(back, again);
        if (what)
            fail_msg("%s", what);
        td_trace_destroy(back);
        td_trace_destroy(again);
    }
    td_trace_destroy(full);
}

static void the_default_is_what_every_release_opens(void **state)
{
    struct td_trace *trace = rich_trace(60);
    char *path = temporary("default.tracy");
    struct td_file_read_options read = {0};
    for (int on_demand = 0; on_demand < 2; on_demand++) {
        struct td_trace *back;
        td_trace_edit_info(trace)->on_demand = (uint8_t)on_demand;
        assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
        assert_int_equal(td_file_read_with(path, &read, &back, NULL), 0);
        assert_int_equal(read.version, on_demand ? V(0, 10, 0) : V(0, 9, 1));
        assert_int_equal(td_trace_get_info(back)->on_demand, on_demand);
        struct bytes file = read_bytes(path);
        assert_memory_equal(file.data, TD_FILE_MAGIC_ZSTD, 4);
        free(file.data);
        td_trace_destroy(back);
    }
    td_trace_destroy(trace);
    free(path);
}

static void what_a_version_has_no_place_for_is_told(void **state)
{
    static const struct {
        uint32_t version;
        const char *told[6];
    } cases[] = {
        {V(0, 9, 1),
         {"group hint", "of wakeups", "trace sections", "of messages", "GPU notes", "query numbers"}},
        {V(0, 11, 1), {"of wakeups", "trace sections", "GPU notes", NULL}},
        {V(0, 13, 1), {"trace sections", "of messages", NULL}},
        {V(0, 14, 0), {NULL}},
    };
    struct td_trace *full = read_file(FULL);
    char *path = temporary("told.tracy");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_file_notice notice;
        struct td_file_options options = {.version = cases[i].version, .notice = &notice};
        assert_int_equal(td_file_write(full, path, &options, NULL), 0);
        for (int k = 0; k < 6 && cases[i].told[k]; k++) {
            if (!strstr(notice.dropped, cases[i].told[k]) || !strstr(notice.text, cases[i].told[k]))
                fail_msg("'%s' is not in '%s'", cases[i].told[k], notice.dropped);
        }
        assert_true((cases[i].told[0] != NULL) == (notice.text[0] != 0));
        assert_null(strchr(notice.text, '\n'));
    }
    free(path);
    td_trace_destroy(full);
}

/* ---- parts left out ---- */

static unsigned strip_of(enum td_table table)
{
    switch ((int)table) {
    case TD_TABLE_LOCK:
    case TD_TABLE_LOCK_THREAD:
    case TD_TABLE_LOCK_EVENT:
        return TD_STRIP_LOCKS;
    case TD_TABLE_MESSAGE:
    case TD_TABLE_TRACK_MESSAGE:
        return TD_STRIP_MESSAGES;
    case TD_TABLE_POINT:
    case TD_TABLE_PLOT_RANGE:
        return TD_STRIP_PLOTS;
    case TD_TABLE_MEMORY:
        return TD_STRIP_MEMORY;
    case TD_TABLE_IMAGE:
    case TD_TABLE_IMAGE_DICTIONARY:
        return TD_STRIP_IMAGES;
    case TD_TABLE_SWITCH:
    case TD_TABLE_SWITCH_THREAD:
    case TD_TABLE_CPU_SWITCH:
        return TD_STRIP_SWITCHES;
    case TD_TABLE_SAMPLE:
    case TD_TABLE_SWITCH_SAMPLE:
        return TD_STRIP_SAMPLES;
    case TD_TABLE_CODE:
        return TD_STRIP_CODE;
    case TD_TABLE_SOURCE:
        return TD_STRIP_SOURCES;
    default:
        return 0;
    }
}

static uint64_t all_rows(const struct td_trace *trace, enum td_table table)
{
    uint64_t rows = 0;
    for (uint64_t i = 0; i < td_trace_lists(trace, table); i++)
        rows += td_series_count(td_trace_list(trace, table, i));
    return rows;
}

/* Whether the table's columns refer to content that is stripped. */
static int refers(enum td_table table, unsigned strip)
{
    return (table == TD_TABLE_FRAME && strip & TD_STRIP_IMAGES) ||
           (table == TD_TABLE_POOL && strip & TD_STRIP_MEMORY) || is_private(table);
}

static void what_is_stripped_is_gone_and_nothing_else(void **state)
{
    struct td_trace *full = read_file(FULL);
    static const unsigned bits[] = {
#define TD_X(letter, name) TD_STRIP_##name,
        TD_STRIP(TD_X)
#undef TD_X
    };
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        struct td_trace *back =
            rewritten(full, &(struct td_file_options){.version = V(0, 14, 0), .strip = bits[i]});
        for (int t = 0; t < TD_TABLE_COUNT; t++) {
            enum td_table table = (enum td_table)t;
            if (strip_of(table) == bits[i]) {
                assert_int_equal(all_rows(back, table), 0);
            } else if (!refers(table, bits[i])) {
                const char *what = table_difference(full, back, table, NULL, 0);
                if (what)
                    fail_msg("%s", what);
            }
        }
        td_trace_destroy(back);
    }
    td_trace_destroy(full);
}

/* ---- damage ---- */

static void a_file_that_ends_too_early_gives_what_was_whole(void **state)
{
    struct td_trace *full = read_file(FULL);
    struct bytes payload = payload_of(FULL);
    char *path = temporary("cut.tracy");
    uint64_t zones = 0, before = 0;
    for (size_t n = 8; n < payload.count; n += 23) {
        struct bytes file = wrap_payload(payload.data, n);
        write_bytes(path, file.data, file.count);
        free(file.data);
        struct td_err err = {0};
        struct td_trace *trace;
        assert_int_equal(td_file_read(path, &trace, &err), TD_E_FORMAT);
        struct td_file_read_options read = {.salvage = 1};
        assert_int_equal(td_file_read_with(path, &read, &trace, &err), 0);
        assert_non_null(strstr(read.salvaged, "damaged at byte"));
        assert_null(strchr(read.salvaged, '\n'));
        assert_null(broken_rule(trace));
        zones = 0;
        for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
            zones += td_trace_track_zones(trace, t);
        assert_true(zones >= before);
        before = zones;
        for (int t = 0; t < TD_TABLE_COUNT; t++)
            if (t != TD_TABLE_EXTRA && t != TD_TABLE_POOL && t != TD_TABLE_THREAD_NAME)
                assert_true(all_rows(trace, (enum td_table)t) <= all_rows(full, (enum td_table)t));
        td_trace_destroy(trace);
    }
    assert_true(zones > 0);
    struct td_file_read_options read = {.salvage = 1};
    struct td_trace *trace;
    assert_int_equal(td_file_read_with(FULL, &read, &trace, NULL), 0);
    assert_string_equal(read.salvaged, "");
    td_trace_destroy(trace);
    td_trace_destroy(full);
    free(payload.data);
    free(path);
}

/* ---- more than files hold ---- */

static void append(struct td_series *series, const int64_t *row)
{
    assert_non_null(series);
    assert_int_equal(td_series_append(series, row), 0);
}

static struct td_trace *trace_beyond_limits(void)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    uint32_t track = td_dict_track(dict, &(struct td_track){.thread = 1});
    uint32_t here = td_dict_srcloc(dict, &(struct td_srcloc){.line = 7});
    struct td_series *locks = td_trace_fill_table(trace, TD_TABLE_LOCK);
    append(locks, (int64_t[TD_LOCK_COLUMN_COUNT]){[TD_LOCK_SRCLOC] = here, [TD_LOCK_ANNOUNCED] = 100});
    for (int64_t i = 0; i < 70; i++) {
        append(td_trace_fill_list(trace, TD_TABLE_LOCK_THREAD, 0), &i);
        append(td_trace_fill_list(trace, TD_TABLE_LOCK_EVENT, 0), (int64_t[]){100 + i, here, i, 1});
    }
    struct td_series *stacks = td_trace_fill_table(trace, TD_TABLE_STACK);
    struct td_series *entries = td_trace_fill_table(trace, TD_TABLE_STACK_ENTRY);
    for (int64_t i = 0; i < 70000; i++)
        append(entries, &i);
    append(stacks, (int64_t[]){0});
    append(stacks, (int64_t[]){0}); /* an empty one */
    append(stacks, (int64_t[]){70000});
    for (uint64_t cpu = 250; cpu < 260; cpu++)
        append(td_trace_fill_list(trace, TD_TABLE_CPU_SWITCH, cpu), (int64_t[]){5, 6, 77});
    append(td_trace_fill_table(trace, TD_TABLE_SECTION), (int64_t[]){3, 1, 2, 0});
    append(td_trace_fill_list(trace, TD_TABLE_FRAME, 0), (int64_t[]){0, -1, 12345}); /* no such image */
    append(td_trace_fill_table(trace, TD_TABLE_MESSAGE),
           (int64_t[]){9, track, 0, TD_FILE_BLACK, 999 /* no such stack */, 0, 2});
    append(td_trace_fill_table(trace, TD_TABLE_POOL), (int64_t[]){td_dict_cstring(dict, "pool"), 0, -1, 0});
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static void what_no_file_can_hold_is_left_out_and_told(void **state)
{
    struct td_trace *trace = trace_beyond_limits();
    struct td_file_notice notice;
    struct td_trace *back =
        rewritten(trace, &(struct td_file_options){.version = V(0, 14, 0), .notice = &notice});
    assert_non_null(strstr(notice.dropped, "6 events of locks' threads"));
    assert_non_null(strstr(notice.dropped, "4465 frames of call stacks"));
    assert_non_null(strstr(notice.dropped, "4 CPUs"));
    assert_int_equal(td_series_count(td_trace_list(back, TD_TABLE_LOCK_THREAD, 0)), 64);
    assert_int_equal(td_series_count(td_trace_list(back, TD_TABLE_LOCK_EVENT, 0)), 64);
    const struct td_series *stacks = td_trace_table(back, TD_TABLE_STACK);
    assert_int_equal(td_series_count(stacks), 3);
    assert_int_equal(td_series_get(stacks, 1, TD_STACK_END), 1); /* stock readers need one frame */
    assert_int_equal(td_series_get(stacks, 2, TD_STACK_END), 1 + 65535);
    assert_int_equal(td_series_count(td_trace_table(back, TD_TABLE_SECTION_CATEGORY)), 1);
    assert_int_equal(td_series_get(td_trace_list(back, TD_TABLE_FRAME, 0), 0, TD_FRAME_IMAGE), -1);
    assert_int_equal(td_trace_message(back, 0).stack, 0);
    assert_int_equal(td_trace_message(back, 0).color, TD_FILE_BLACK);
    assert_int_equal(td_series_count(td_trace_table(back, TD_TABLE_POOL)), 2);
    td_trace_destroy(trace);
    td_trace_destroy(back);
}

static void versions_that_do_not_exist_are_refused(void **state)
{
    struct td_trace *trace = rich_trace(6);
    static const struct td_file_options bad[] = {
        {.version = V(0, 8, 4)}, {.version = V(0, 14, 1)}, {.version = V(0, 11, 1), .tenstorrent = 1}};
    for (size_t i = 0; i < 3; i++) {
        struct td_err err = {0};
        assert_int_equal(td_file_write(trace, "/tmp/never", &bad[i], &err), TD_E_USAGE);
        assert_true(err.text[0]);
    }
    td_trace_destroy(trace);
}

/* Releases from 0.10 on have that format; the default is then a layout that has it. */
static void plots_in_watt_keep_their_format_where_the_version_has_it(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    uint32_t plot =
        td_dict_plot(dict, &(struct td_plot){.name = td_dict_cstring(dict, "power"), .format = 3, .fill = 1});
    struct td_event point = {.kind = TD_EVENT_PLOT, .subject = plot, .time_ns = 5, .value.f64 = 1.5};
    struct td_sink sink = td_trace_sink(trace);
    assert_int_equal(sink.events(sink.self, &point, 1, NULL), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    for (size_t i = 0; i <= sizeof versions / sizeof *versions; i++) {
        uint32_t version = i < sizeof versions / sizeof *versions ? versions[i] : 0; /* 0: the default */
        struct td_trace *back = rewritten(trace, &(struct td_file_options){.version = version});
        assert_int_equal(td_dict_plot_count(td_trace_dict(back)), 1);
        assert_int_equal(td_dict_get_plot(td_trace_dict(back), 0)->format,
                         version && version < V(0, 10, 0) ? 0 : 3);
        td_trace_destroy(back);
    }
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_section_comes_back_from_every_version_that_has_it),
        cmocka_unit_test(the_default_is_what_every_release_opens),
        cmocka_unit_test(what_a_version_has_no_place_for_is_told),
        cmocka_unit_test(what_is_stripped_is_gone_and_nothing_else),
        cmocka_unit_test(a_file_that_ends_too_early_gives_what_was_whole),
        cmocka_unit_test(what_no_file_can_hold_is_left_out_and_told),
        cmocka_unit_test(plots_in_watt_keep_their_format_where_the_version_has_it),
        cmocka_unit_test(versions_that_do_not_exist_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
