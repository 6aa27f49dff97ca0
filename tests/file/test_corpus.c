/* Traces that stock programs made: read, counted, compared with what stock csvexport says, written and read
 * again. */
#include "tests/file/support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const versions[] = {"0.9.1", "0.10", "ttfork", "0.11.1", "0.12.2", "0.13.1", "0.14.0"};
enum { VERSIONS = sizeof versions / sizeof *versions };

static const char *corpus(void)
{
    const char *path = getenv("TD_CORPUS");
    return path ? path : TD_SOURCE_DIR "/../shared/corpus";
}

static struct td_trace *read_or_fail(const char *path)
{
    struct td_trace *trace;
    struct td_err err = {0};
    if (td_file_read(path, &trace, &err) < 0)
        fail_msg("%s", err.text);
    if (broken_rule(trace))
        fail_msg("%s: %s", path, broken_rule(trace));
    return trace;
}

/* ---- all files of a folder ---- */

static unsigned each_file(const char *folder, void (*visit)(const char *path))
{
    unsigned files = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 6, ".tracy"))
            continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        visit(path);
        files++;
    }
    if (dir)
        closedir(dir);
    return files;
}

static void visit_all(void (*visit)(const char *path))
{
    unsigned own = 0, others = 0;
    for (size_t v = 0; v < VERSIONS; v++) {
        char folder[900];
        snprintf(folder, sizeof folder, TD_SOURCE_DIR "/tests/data/trace/%s", versions[v]);
        own += each_file(folder, visit);
        snprintf(folder, sizeof folder, "%s/%s", corpus(), versions[v]);
        others += each_file(folder, visit);
    }
    assert_true(own >= 14);
    if (!others)
        print_message("skipped: no corpus at %s\n", corpus());
}

static void write_and_compare(const char *path)
{
    struct td_file_read_options read = {0};
    struct td_trace *trace, *back;
    char *copy = temporary("copy.tracy");
    struct td_file_notice notice;
    struct td_err err = {0};
    if (td_file_read_with(path, &read, &trace, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    struct td_file_options same = {.notice = &notice, .version = read.version};
    same.tenstorrent = strstr(path, "ttfork") != NULL;
    if (td_file_write(trace, copy, &same, &err) < 0)
        fail_msg("%s: %s", path, err.text);
    assert_string_equal(notice.text, "");
    back = read_or_fail(copy);
    const char *what = difference(trace, back);
    if (what)
        fail_msg("%s: %s", path, what);
    td_trace_destroy(trace);
    td_trace_destroy(back);
    free(copy);
}

static void every_file_is_read_and_comes_back_when_written(void **state)
{
    visit_all(write_and_compare);
}

/* ---- tables ---- */

static char *sorted_output(const char *program, const char *options, const char *path)
{
    char command[3000];
    int status;
    snprintf(command, sizeof command, "%s %s '%s' 2>&1", program, options, path);
    char *text = output_of(command, &status);
    if (status != 0)
        fail_msg("%s: status %d: %s", command, status, text);
    sort_lines(text);
    return text;
}

#define OUR_EXPORT TD_BINARY_DIR "/bin/tendril csvexport"

static void compare_table(const char *options, const char *trace, const char *table)
{
    struct bytes expected = read_bytes(table);
    if (!expected.data)
        return;
    sort_lines((char *)expected.data);
    char *got = sorted_output(OUR_EXPORT, options, trace);
    if (strcmp((char *)expected.data, got))
        fail_msg("%s %s differs from %s", trace, options, table);
    free(got);
    free(expected.data);
}

static void compare_zones(const char *path)
{
    char table[1100];
    if (strstr(path, "/0.9.1/"))
        return; /* that release prints another deviation for single zones */
    snprintf(table, sizeof table, "%.*s.zones.csv", (int)(strlen(path) - 6), path);
    compare_table("", path, table);
}

static void zone_tables_are_those_of_stock_csvexport(void **state)
{
    visit_all(compare_zones);
    for (size_t v = 1; v < VERSIONS; v++) {
        char trace[1000], table[1000];
        static const char *const tables[][2] = {
            {"", "zones"}, {"-e", "zones_self"}, {"-m", "messages"}, {"-u", "zones_unwrap"}};
        snprintf(trace, sizeof trace, "%s/%s/features.tracy", corpus(), versions[v]);
        if (access(trace, R_OK) != 0)
            continue;
        for (size_t t = 0; t < 4; t++) {
            if (t == 3 && strcmp(versions[v], "0.10") && strcmp(versions[v], "0.11.1"))
                continue; /* other columns */
            snprintf(table, sizeof table, "%s/%s/%s.csv", corpus(), versions[v], tables[t][1]);
            compare_table(tables[t][0], trace, table);
        }
    }
}

/* ---- the features trace, whose content is fixed ---- */

static uint64_t count_of(const struct td_trace *trace, const char *name)
{
    const struct td_stat *stats;
    size_t count = td_trace_stats(trace, &stats);
    uint64_t zones = 0;
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(td_dict_zone_name(td_trace_dict(trace), stats[i].srcloc), name))
            zones += stats[i].count;
    }
    return zones;
}

static void check_inner_zones(const struct td_trace *trace, const char *version)
{
    const struct td_dict *d = td_trace_dict(trace);
    unsigned found = 0;
    for (uint32_t t = 0; t < td_dict_track_count(d); t++) {
        for (size_t i = 0; i < td_trace_row_zones(trace, t, 1); i++) {
            struct td_zone z = td_trace_zone(trace, t, 1, i);
            if (strcmp(td_dict_zone_name(d, z.srcloc), "inner"))
                continue;
            unsigned n, value;
            assert_int_equal(sscanf(td_dict_text(d, z.text), "iteration %u\n%u", &n, &value), 2);
            assert_int_equal(value, n * n);
            assert_int_equal(z.color, 0x102030 + n % 4);
            found++;
        }
    }
    assert_int_equal(found, 300);
}

static void check_features(const char *version, const char *path)
{
    static const struct {
        const char *name;
        unsigned count;
    } zones[] = {{"worker", 300},     {"inner", 300},       {"sometimes", 75},  {"never", 0},
                 {"frame body", 60},  {"recurse", 12},      {"c zone", 10},     {"c inner", 10},
                 {"transient 0", 4},  {"transient 1", 3},   {"transient 2", 3}, {"", 1},
                 {"unnamed_zone", 1}, {"before rename", 1}, {"with stack", 3},  {"fiber work", 5}};
    struct td_trace *trace = read_or_fail(path);
    const struct td_dict *d = td_trace_dict(trace);
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        assert_int_equal(count_of(trace, zones[i].name), zones[i].count);
    unsigned workers = 0, hints = 0;
    for (uint32_t t = 0; t < td_dict_track_count(d); t++) {
        const struct td_track *track = td_dict_get_track(d, t);
        const char *name = td_dict_text(d, track->name);
        if (!strncmp(name, "worker ", 7)) {
            assert_int_equal(td_trace_track_zones(trace, t), 225);
            assert_int_equal(td_trace_track_messages(trace, t), 25);
            workers++;
            hints += track->group_hint == 7;
        }
        if (!strcmp(name, "fiber"))
            assert_int_equal(td_trace_track_zones(trace, t), 5);
    }
    assert_int_equal(workers, 3);
    int old = !strcmp(version, "0.9.1") || !strcmp(version, "0.10") || !strcmp(version, "ttfork");
    assert_int_equal(hints, old ? 0 : 3);
    assert_int_equal(td_trace_frames(trace, 0), 62);
    for (uint32_t f = 1; f < td_dict_frame_set_count(d); f++) {
        int continuous;
        const char *name = td_dict_text(d, td_dict_get_frame_set(d, f, &continuous));
        assert_int_equal(td_trace_frames(trace, f), !strcmp(name, "Physics") ? 30 : 60);
        assert_int_equal(continuous, !strcmp(name, "Physics"));
    }
    unsigned messages = 0;
    for (size_t i = 0; i < td_trace_messages(trace); i++) {
        struct td_message m = td_trace_message(trace, i);
        static const uint32_t colors[] = {0, 0xff0000, 0x00ff00, 0x0000ff, 0xffff00};
        unsigned n;
        if (sscanf(td_dict_text(d, m.text), "message %u of", &n) != 1)
            continue;
        assert_int_equal(m.color, colors[n % 5]);
        messages++;
    }
    assert_int_equal(messages, 98);
    unsigned plots = 0;
    for (uint32_t p = 0; p < td_dict_plot_count(d); p++) {
        if (strncmp(td_dict_text(d, td_dict_get_plot(d, p)->name), "plot ", 5))
            continue;
        assert_int_equal(td_trace_plot_points(trace, p), 80);
        plots++;
    }
    assert_int_equal(plots, 3);
    assert_int_equal(td_trace_app_infos(trace), 2);
    assert_string_equal(td_dict_text(d, td_trace_app_info(trace, 1)), "info line two");
    assert_string_equal(td_trace_get_info(trace)->program, "features");
    check_inner_zones(trace, version);
    td_trace_destroy(trace);
}

static void the_features_trace_has_exactly_its_contents(void **state)
{
    check_features("0.11.1", TD_SOURCE_DIR "/tests/data/trace/0.11.1/features.tracy");
    check_features("0.11.1", TD_SOURCE_DIR "/tests/data/trace/0.11.1/features.lz4.tracy");
    for (size_t v = 0; v < VERSIONS; v++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s/features.tracy", corpus(), versions[v]);
        if (access(path, R_OK) == 0)
            check_features(versions[v], path);
        else
            print_message("skipped: no %s\n", path);
    }
}

static void unfinished_zones_are_open_and_the_crash_is_known(void **state)
{
    for (size_t v = 0; v < VERSIONS; v++) {
        char path[1000];
        snprintf(path, sizeof path, TD_SOURCE_DIR "/tests/data/trace/%s/killed.tracy", versions[v]);
        struct td_trace *trace = read_or_fail(path);
        const struct td_stat *stats;
        size_t count = td_trace_stats(trace, &stats);
        uint64_t open = 0;
        for (size_t i = 0; i < count; i++)
            open += stats[i].open;
        assert_int_equal(open, 2);
        assert_int_equal(count_of(trace, "done"), 10);
        assert_null(td_trace_crash(trace));
        td_trace_destroy(trace);
        snprintf(path, sizeof path, TD_SOURCE_DIR "/tests/data/trace/%s/synthetic.tracy", versions[v]);
        trace = read_or_fail(path);
        assert_non_null(td_trace_crash(trace));
        td_trace_destroy(trace);
    }
}

/* ---- stock programs ---- */

static const char *stock(void)
{
    static char path[900];
    const char *folder = getenv("TD_STOCK_DIR");
    if (!folder)
        return NULL;
    snprintf(path, sizeof path, "%s/0.11.1/bin/csvexport", folder);
    return access(path, X_OK) == 0 ? path : NULL;
}

static void compare_with_stock(const char *path)
{
    static const char *const options[] = {"", "-e", "-u", "-m", "-f AP", "-c -f a -s ';'"};
    struct td_trace *trace = read_or_fail(path);
    char *copy = temporary("stock.tracy");
    struct td_file_options as_theirs = {.version = TD_FILE_VERSION(0, 11, 1)};
    assert_int_equal(td_file_write(trace, copy, &as_theirs, NULL), 0);
    td_trace_destroy(trace);
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        char *theirs = sorted_output(stock(), options[o], copy),
             *ours = sorted_output(OUR_EXPORT, options[o], copy);
        char *first = sorted_output(OUR_EXPORT " --style 0.11.1", options[o], path);
        if (strcmp(theirs, ours))
            fail_msg("%s %s: stock csvexport says another thing", path, options[o]);
        if (strcmp(options[o], "-u") && strcmp(theirs, first)) /* -u shows numbers of threads, which change */
            fail_msg("%s %s: not the same after writing it", path, options[o]);
        free(theirs);
        free(ours);
        free(first);
    }
    free(copy);
}

static void stock_csvexport_agrees_about_files_that_were_written_here(void **state)
{
    if (!stock()) {
        print_message("skipped: no stock csvexport in TD_STOCK_DIR\n");
        return;
    }
    visit_all(compare_with_stock);
    struct td_trace *trace = rich_trace(60000);
    char *path = temporary("rich.tracy");
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    td_trace_destroy(trace);
    compare_with_stock(path);
    free(path);
}

static void stock_csvexport_sees_the_host_zones_of_a_trace_with_contexts(void **state)
{
    if (!stock()) {
        print_message("skipped: no stock csvexport in TD_STOCK_DIR\n");
        return;
    }
    struct td_trace *trace = rich_trace(600);
    char *path = temporary("contexts.tracy");
    assert_int_equal(td_file_write(trace, path, &(struct td_file_options){.contexts = 1}, NULL), 0);
    char *zones = sorted_output(stock(), "", path);
    assert_non_null(strstr(zones, "no name,main.c,20,"));
    assert_null(strstr(zones, "compute"));
    free(zones);
    td_trace_destroy(trace);
    free(path);
}

static void stock_update_keeps_what_was_written_here(void **state)
{
    char command[3000];
    int status;
    if (!stock()) {
        print_message("skipped: no stock update in TD_STOCK_DIR\n");
        return;
    }
    struct td_trace *trace = rich_trace(60000);
    char *path = temporary("before.tracy"), *updated = temporary("after.tracy");
    const struct td_file_options form = {.contexts = *state != NULL};
    assert_int_equal(td_file_write(trace, path, &form, NULL), 0);
    snprintf(command, sizeof command, "%s/0.11.1/bin/update '%s' '%s' 2>&1", getenv("TD_STOCK_DIR"), path,
             updated);
    free(output_of(command, &status));
    assert_int_equal(status, 0);
    struct td_trace *ours = read_or_fail(path), *theirs = read_or_fail(updated);
    const char *what = difference(ours, theirs);
    if (what)
        fail_msg("%s", what);
    td_trace_destroy(trace);
    td_trace_destroy(ours);
    td_trace_destroy(theirs);
    free(path);
    free(updated);
}

int main(void)
{
    static int contexts = 1; /* any state: with contexts */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_read_and_comes_back_when_written),
        cmocka_unit_test(zone_tables_are_those_of_stock_csvexport),
        cmocka_unit_test(the_features_trace_has_exactly_its_contents),
        cmocka_unit_test(unfinished_zones_are_open_and_the_crash_is_known),
        cmocka_unit_test(stock_csvexport_agrees_about_files_that_were_written_here),
        cmocka_unit_test(stock_csvexport_sees_the_host_zones_of_a_trace_with_contexts),
        cmocka_unit_test(stock_update_keeps_what_was_written_here),
        {"stock_update_keeps_contexts_that_were_written_here", stock_update_keeps_what_was_written_here, NULL,
         NULL, &contexts},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
