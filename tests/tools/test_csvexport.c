/* tendril csvexport prints what stock csvexport of each release prints, byte for byte, rows in the same
 * order. */
#include "tests/file/support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define EXPORT   TD_BINARY_DIR "/bin/tendril csvexport "
#define FEATURES TD_SOURCE_DIR "/tests/data/trace/0.11.1/features.tracy"

static const char *const versions[] = {"0.9.1", "0.10", "ttfork", "0.11.1", "0.12.2", "0.13.1", "0.14.0"};
enum { VERSIONS = sizeof versions / sizeof *versions };

static const char *corpus(void)
{
    const char *path = getenv("TD_CORPUS");
    return path ? path : TD_SOURCE_DIR "/../shared/corpus";
}

static unsigned count_lines(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static const char *style_of(const char *version)
{
    return strcmp(version, "ttfork") ? version : "tt";
}

static char *run(const char *options, const char *trace, int expected)
{
    char command[3000];
    int status;
    snprintf(command, sizeof command, EXPORT "%s '%s' 2>&1", options, trace);
    char *text = output_of(command, &status);
    if (status != expected)
        fail_msg("%s: status %d instead of %d\n%s", command, status, expected, text);
    return text;
}

/* Returns 1 if a table to compare with exists. */
static int compare(const char *options, const char *trace, const char *table)
{
    struct bytes expected = read_bytes(table);
    if (!expected.data)
        return 0;
    char *got = run(options, trace, 0);
    if (strlen(got) != expected.count || memcmp(got, expected.data, expected.count))
        fail_msg("%s %s differs from %s", trace, options, table);
    free(got);
    free(expected.data);
    return 1;
}

/* ---- tables of the corpus ---- */

static unsigned compare_folder(const char *folder, const char *version)
{
    unsigned compared = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        static const char *const endings[][2] = {
            {".zones.csv", ""}, {".messages.csv", "-m"}, {".gpu.csv", "-g"}};
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            size_t n = strlen(e->d_name), end = strlen(endings[i][0]);
            char trace[1200], table[1200], options[100];
            if (n <= end || strcmp(e->d_name + n - end, endings[i][0]))
                continue;
            snprintf(table, sizeof table, "%s/%s", folder, e->d_name);
            snprintf(trace, sizeof trace, "%s/%.*s.tracy", folder, (int)(n - end), e->d_name);
            snprintf(options, sizeof options, "--style %s %s", style_of(version), endings[i][1]);
            compared += (unsigned)compare(options, trace, table);
        }
    }
    if (dir)
        closedir(dir);
    return compared;
}

static void tables_of_every_release_come_out_byte_for_byte(void **state)
{
    unsigned own = 0, others = 0;
    for (size_t v = 0; v < VERSIONS; v++) {
        char folder[900];
        snprintf(folder, sizeof folder, TD_SOURCE_DIR "/tests/data/trace/%s", versions[v]);
        own += compare_folder(folder, versions[v]);
        snprintf(folder, sizeof folder, "%s/%s", corpus(), versions[v]);
        others += compare_folder(folder, versions[v]);
    }
    assert_true(own >= 14);
    if (!others)
        print_message("skipped: no corpus at %s\n", corpus());
}

static void every_table_of_the_features_trace_comes_out_byte_for_byte(void **state)
{
    static const char *const tables[][2] = {
        {"", "zones"}, {"-e", "zones_self"}, {"-u", "zones_unwrap"}, {"-m", "messages"}, {"-g", "gpu"}};
    for (size_t v = 0; v < VERSIONS; v++)
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
            char trace[1000], table[1000], options[100];
            snprintf(trace, sizeof trace, "%s/%s/features.tracy", corpus(), versions[v]);
            snprintf(table, sizeof table, "%s/%s/%s.csv", corpus(), versions[v], tables[t][1]);
            snprintf(options, sizeof options, "--style %s %s", style_of(versions[v]), tables[t][0]);
            compare(options, trace, table);
        }
}

/* Stock computes the curves of memory pools in threads, and lists them as these end: their order is free. */
static void plots_stand_behind_the_zones(void **state)
{
    for (size_t v = 0; v < VERSIONS; v++) {
        char trace[1000], table[1000], options[100];
        snprintf(trace, sizeof trace, "%s/%s/features.tracy", corpus(), versions[v]);
        snprintf(table, sizeof table, "%s/%s/plots.csv", corpus(), versions[v]);
        snprintf(options, sizeof options, "--style %s -u -p", versions[v]);
        struct bytes expected = read_bytes(table);
        if (!expected.data)
            continue;
        char *got = run(options, trace, 0);
        sort_lines(got);
        sort_lines((char *)expected.data);
        if (strcmp(got, (char *)expected.data))
            fail_msg("%s %s differs from %s", trace, options, table);
        free(got);
        free(expected.data);
    }
}

static void a_style_is_chosen_by_the_file_unless_one_is_asked_for(void **state)
{
    static const struct {
        const char *trace, *style;
    } cases[] = {{"0.9.1/killed", "0.9.1"}, {"0.10/killed", "0.10"}, {"0.14.0/killed", "0.14.0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char trace[1000], options[100];
        snprintf(trace, sizeof trace, TD_SOURCE_DIR "/tests/data/trace/%s.tracy", cases[i].trace);
        snprintf(options, sizeof options, "-u --style %s", cases[i].style);
        char *asked = run(options, trace, 0), *own = run("-u", trace, 0);
        assert_string_equal(asked, own);
        free(asked);
        free(own);
    }
    struct td_trace *trace = rich_trace(100);
    char *path = temporary("own.tracy");
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    char *text = run("-u", path, 0);
    assert_non_null(strstr(text, ",thread\n"));
    free(text);
    td_trace_destroy(trace);
    free(path);
}

/* ---- options ---- */

static void flags_stand_together_and_files_may_be_streams(void **state)
{
    char command[2000];
    int status;
    char *together = run("-ue", FEATURES, 0), *apart = run("--unwrap --self", FEATURES, 0);
    assert_string_equal(together, apart);
    snprintf(command, sizeof command, "cat '%s' | " EXPORT "-ue -", FEATURES);
    char *piped = output_of(command, &status);
    assert_int_equal(status, 0);
    assert_string_equal(together, piped);
    char *file = temporary("table.csv"), options[1000];
    snprintf(options, sizeof options, "-ue -o '%s'", file);
    free(run(options, FEATURES, 0));
    struct bytes written = read_bytes(file);
    assert_int_equal(written.count, strlen(together));
    assert_memory_equal(written.data, together, written.count);
    free(written.data);
    free(file);
    free(together);
    free(apart);
    free(piped);
}

static void threads_and_memory_do_not_change_what_is_printed(void **state)
{
    char *one = run("-u --threads 1", FEATURES, 0), *many = run("-u --threads 7", FEATURES, 0);
    char *small = run("-u --memory 1M", FEATURES, 0);
    assert_string_equal(one, many);
    assert_string_equal(one, small);
    free(small);
    free(one);
    free(many);
}

static void percentiles_and_truncated_means_follow_the_deviation(void **state)
{
    char *text = run("--truncated_mean=50 -f recurse --style 0.14.0", FEATURES, 0),
         *row = strchr(text, '\n') + 1;
    assert_non_null(strstr(text, ",std_ns,percentile_ns,truncated_mean_ns\n"));
    assert_true(!strncmp(row, "recurse,features.cpp,104,34306,0.015379,12,2858,440,5286,1573.586234,", 69));
    long percentile, mean;
    assert_int_equal(sscanf(row + 69, "%ld,%ld", &percentile, &mean), 2);
    assert_in_range(percentile, 440, 5286);
    assert_in_range(mean, 440, percentile);
    free(text);
    free(run("--truncated_mean", FEATURES, 0));
    free(run("--truncated_mean=0", FEATURES, 2));
}

/* The options with which scripts call the fork's program, in its old and its new form. */
static void the_fork_s_letters_print_the_same(const char *expected, const char *path)
{
    static const char *const arguments[] = {
        "--style tt -u -p op -x other,wait",
        "-up op -x other,wait --style=tt",
        "-u -t op -x other,wait --style tt",
        "-u --special_functions other,wait --special_parent_function op --style tt",
    };
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        char *text = run(arguments[i], path, 0);
        assert_string_equal(text, expected);
        free(text);
    }
    setenv("TENDRIL_CSVEXPORT_STYLE", "tt", 1);
    char *text = run("-u -x other,wait -p op", path, 0);
    assert_string_equal(text, expected);
    free(text);
    text = run("--style 0.13.1 -u -p", path, 0); /* the option comes first: points of plots */
    assert_null(strstr(text, "special_parent_text"));
    free(text);
    setenv("TENDRIL_CSVEXPORT_STYLE", "9.9", 1);
    free(run("-u", path, 2));
    unsetenv("TENDRIL_CSVEXPORT_STYLE");
}

/* The fork's option to show an outer zone's text next to an inner zone. */
static void texts_of_outer_zones_stand_in_a_column_of_the_fork(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(trace);
    struct td_event events[] = {
        {.kind = TD_EVENT_ZONE_BEGIN, .time_ns = 10},
        {.kind = TD_EVENT_ZONE_TEXT, .time_ns = 11, .subject = td_dict_cstring(dict, "op 7")},
        {.kind = TD_EVENT_ZONE_BEGIN, .time_ns = 20},
        {.kind = TD_EVENT_ZONE_BEGIN, .time_ns = 30},
        {.kind = TD_EVENT_ZONE_END, .time_ns = 40},
        {.kind = TD_EVENT_ZONE_END, .time_ns = 50},
        {.kind = TD_EVENT_ZONE_END, .time_ns = 60},
    };
    const char *const names[] = {"op run", NULL, "between", "wait"};
    td_dict_track(dict, &(struct td_track){.thread = 1});
    for (int i = 0; i < 4; i++)
        if (names[i])
            events[i].srcloc =
                td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, names[i])});
    assert_int_equal(sink.events(sink.self, events, 7, NULL), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    char *path = temporary("special.tracy");
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    char *text = run("-u --style tt -x other,wait --special-parent op", path, 0);
    assert_non_null(strstr(text, "30,10,1,op 7\n"));
    assert_non_null(strstr(text, "20,30,1,\n"));
    assert_non_null(strstr(text, "\"op 7\",10,50,1,\n"));
    the_fork_s_letters_print_the_same(text, path);
    free(text);
    td_trace_destroy(trace);
    free(path);
}

/* ---- errors ---- */

static void a_reader_that_has_seen_enough_ends_it_quietly(void **state)
{
    int status;
    char *text = output_of("{ " EXPORT "-u " FEATURES "; } 2>&1 | head -1", &status);
    assert_int_equal(status, 0);
    assert_true(!strncmp(text, "name,src_file", 13) && strchr(text, '\n')[1] == 0);
    free(text);
}

static void failures_are_one_line(void **state)
{
    static const struct {
        const char *arguments;
        int status;
        const char *says;
    } cases[] = {
        {FEATURES " > /dev/full", 1, "No space left"},
        {"-u -o /dev/full " FEATURES, 1, "/dev/full"},
        {"-o /nowhere/at/all " FEATURES, 1, "/nowhere/at/all"},
        {"--style 0.8 " FEATURES, 2, "0.14.0"},
        {"--memory 12x " FEATURES, 2, "--memory"},
        {"--memory -1 " FEATURES, 2, "--memory"},
        {"--threads 0 " FEATURES, 2, "--threads"},
        {FEATURES " " FEATURES, 2, "usage"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[2000];
        int status;
        snprintf(command, sizeof command, "{ " EXPORT "%s; } 2>&1", cases[i].arguments);
        char *text = output_of(command, &status);
        if (status != cases[i].status || !strstr(text, cases[i].says) ||
            strchr(text, '\n') != text + strlen(text) - 1)
            fail_msg("%s: status %d: %s", cases[i].arguments, status, text);
        free(text);
    }
}

/* The zone of location "before rename" was called "after rename". */
static void a_filter_finds_names_that_were_given_at_run_time(void **state)
{
    char *text = run("-f 'after ren'", FEATURES, 0);
    assert_non_null(strstr(text, "\nafter rename,features.cpp,116,"));
    free(text);
    text = run("-u -f 'after ren'", FEATURES, 0);
    assert_non_null(strstr(text, "\nafter rename,features.cpp,116,"));
    free(text);
    text = run("-f rename", FEATURES, 0); /* found by its location: printed as by stock */
    assert_non_null(strstr(text, "\nbefore rename,features.cpp,116,"));
    assert_null(strstr(text, "after rename"));
    free(text);
}

/* Zones "inner" have the texts "iteration 0" to "iteration 99", those named "c inner" have "c text". */
static void zones_are_chosen_by_their_texts(void **state)
{
    char *text = run("--text 'ITERATION 57'", FEATURES, 0);
    assert_non_null(strstr(text, "\ninner,features.cpp,69,6566,0.00"));
    assert_int_equal(count_lines(text), 2);
    free(text);
    text = run("-u --text 'iteration 5' -f inner", FEATURES, 0);
    assert_int_equal(count_lines(text), 1 + 3 * 11);
    free(text);
    text = run("-c --text 'ITERATION 57'", FEATURES, 0);
    assert_int_equal(count_lines(text), 1);
    free(text);
    text = run("--text iteration -f outer", FEATURES, 0);
    assert_int_equal(count_lines(text), 1);
    free(text);
    text = run("-m --text iteration", FEATURES, 2);
    assert_non_null(strstr(text, "--text is about zones"));
    free(text);
}

/* Zones of 10 s: stock's sum of squares overflows, and its deviation is no number. */
static void a_deviation_is_a_number_unless_the_style_of_a_release_was_asked_for(void **state)
{
    char *json = temporary("long.json"), *trace = temporary("long.tracy"), command[3000];
    FILE *to = fopen(json, "w");
    assert_non_null(to);
    fputs("[{\"name\":\"long\",\"ph\":\"X\",\"ts\":0,\"dur\":10000000,\"pid\":1,\"tid\":1},"
          "{\"name\":\"long\",\"ph\":\"X\",\"ts\":200000000,\"dur\":10500000,\"pid\":1,\"tid\":1}]",
          to);
    assert_int_equal(fclose(to), 0);
    int status;
    snprintf(command, sizeof command, TD_BINARY_DIR "/bin/tendril import -f -o '%s' '%s' 2>&1", trace, json);
    free(output_of(command, &status));
    assert_int_equal(status, 0);
    char *text = run("", trace, 0);
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, ",353553390.59"));
    free(text);
    text = run("", TD_SOURCE_DIR "/tests/data/trace/0.9.1/synthetic.tracy", 0);
    assert_null(strstr(text, "nan"));
    free(text);
    unlink(json);
    unlink(trace);
    free(json);
    free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_every_release_come_out_byte_for_byte),
        cmocka_unit_test(every_table_of_the_features_trace_comes_out_byte_for_byte),
        cmocka_unit_test(plots_stand_behind_the_zones),
        cmocka_unit_test(a_style_is_chosen_by_the_file_unless_one_is_asked_for),
        cmocka_unit_test(flags_stand_together_and_files_may_be_streams),
        cmocka_unit_test(threads_and_memory_do_not_change_what_is_printed),
        cmocka_unit_test(percentiles_and_truncated_means_follow_the_deviation),
        cmocka_unit_test(texts_of_outer_zones_stand_in_a_column_of_the_fork),
        cmocka_unit_test(a_reader_that_has_seen_enough_ends_it_quietly),
        cmocka_unit_test(failures_are_one_line),
        cmocka_unit_test(a_filter_finds_names_that_were_given_at_run_time),
        cmocka_unit_test(zones_are_chosen_by_their_texts),
        cmocka_unit_test(a_deviation_is_a_number_unless_the_style_of_a_release_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
