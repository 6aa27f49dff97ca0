/* tendril update: the same trace with another compression, for another release, or with parts removed. */
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define TENDRIL  TD_BINARY_DIR "/bin/tendril "
#define FEATURES TD_SOURCE_DIR "/tests/data/trace/0.11.1/features.tracy"

static char *run(int expected, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *run(int expected, const char *format, ...)
{
    char command[4000] = "{ ";
    int status;
    va_list args;
    va_start(args, format);
    vsnprintf(command + 2, sizeof command - 20, format, args);
    va_end(args);
    strcat(command, "; } 2>&1");
    char *text = output_of(command, &status);
    if (status != expected)
        fail_msg("%s: status %d instead of %d\n%s", command, status, expected, text);
    return text;
}

/* As text without thread numbers, which may differ, as may the order of names. */
static void same_tables(const char *a, const char *b, const char *options)
{
    char *x = run(0, TENDRIL "csvexport --style 0.9.1 %s '%s'", options, a);
    char *y = run(0, TENDRIL "csvexport --style 0.9.1 %s '%s'", options, b);
    sort_lines(x);
    sort_lines(y);
    if (strcmp(x, y))
        fail_msg("csvexport %s of %s and %s differ", options, a, b);
    free(x);
    free(y);
}

static void every_packing_keeps_the_trace(void **state)
{
    static const char *const packings[] = {
        "",      "-4", "-h", "-e", "-z 1", "-z 22", "--lz4 -j1", "--hc -j 255", "--zstd=5 --streams=3",
        "-j -1", "-d"};
    char *copy = temporary("packed.tracy");
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        char *text = run(0, TENDRIL "update %s '%s' '%s'", packings[i], FEATURES, copy);
        assert_non_null(strstr(text, "% change\n"));
        free(text);
        same_tables(FEATURES, copy, "-u");
        same_tables(FEATURES, copy, "-m");
    }
    free(copy);
}

static void every_format_keeps_the_zones_and_says_its_name(void **state)
{
    static const struct {
        const char *format, *version;
    } formats[] = {{"same", "(0.11.1)"},   {"0.9.0", "(0.9.0)"},   {"0.10", "(0.10.0)"},
                   {"0.11.1", "(0.11.1)"}, {"0.12.2", "(0.12.2)"}, {"0.13.1", "(0.13.1)"},
                   {"0.14.0", "(0.14.0)"}, {"tt", "(tt)"},         {"any", "(oldest)"}};
    char *copy = temporary("format.tracy");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text = run(0, TENDRIL "update --format %s '%s' '%s'", formats[i].format, FEATURES, copy);
        if (!strstr(text, formats[i].version))
            fail_msg("--format %s: %s", formats[i].format, text);
        free(text);
        same_tables(FEATURES, copy, "-u");
    }
    free(copy);
}

static void letters_leave_out_what_they_stand_for(void **state)
{
    char *copy = temporary("stripped.tracy");
    free(run(0, TENDRIL "update -q -s lmpMicsCS '%s' '%s'", FEATURES, copy));
    char *text = run(0, TENDRIL "csvexport -m '%s'", copy);
    assert_string_equal(text, "There are currently no messages!\n");
    free(text);
    same_tables(FEATURES, copy, "");
    text = run(0, TENDRIL "info '%s'", copy);
    assert_null(strstr(text, "\nlocks "));
    assert_null(strstr(text, "\nmemory "));
    assert_null(strstr(text, "\nimages "));
    assert_non_null(strstr(text, "\nplots     0\n"));
    free(text);
    free(copy);
}

static void one_name_replaces_the_file(void **state)
{
    char *copy = temporary("in_place.tracy");
    free(run(0, "cp '%s' '%s' && chmod 640 '%s'", FEATURES, copy, copy));
    char *text = run(0, TENDRIL "update -z 19 '%s'", copy);
    assert_non_null(strstr(text, "0.11.1"));
    free(text);
    same_tables(FEATURES, copy, "-u");
    free(copy);
}

static void pipes_do_at_both_ends(void **state)
{
    char *copy = temporary("piped.tracy");
    free(run(0, TENDRIL "update -q - - < '%s' > '%s'", FEATURES, copy));
    same_tables(FEATURES, copy, "-u");
    free(run(0, "cat '%s' | " TENDRIL "update -4 - - 2>/dev/null | cat > '%s'", FEATURES, copy));
    same_tables(FEATURES, copy, "-u");
    free(copy);
}

static void failures_are_one_line_and_leave_the_file_as_it_was(void **state)
{
    char *copy = temporary("kept.tracy"), *never = temporary("never.tracy");
    free(run(0, "cp '%s' '%s'", FEATURES, copy));
    struct bytes before = read_bytes(copy);
    static const struct {
        const char *arguments;
        int status;
        const char *says;
    } cases[] = {
        {"", 2, "usage"},
        {"/nowhere/at/all.tracy", 1, "/nowhere/at/all.tracy"},
        {TD_SOURCE_DIR "/README.md", 1, "is not a trace file"},
        {FEATURES " /dev/full", 1, ""},
        {FEATURES " /nowhere/at/all.tracy", 1, "/nowhere/at/all.tracy"},
        {"--format 0.8.4 " FEATURES " never.tracy", 2, "0.9.0 to 0.14.0"},
        {"--format 0.15.0 " FEATURES " never.tracy", 2, "0.9.0 to 0.14.0"},
        {"-z 23 " FEATURES " never.tracy", 2, "1 to 22"},
        {"-j 256 " FEATURES " never.tracy", 2, "--streams"},
        {"-j 0 " FEATURES " never.tracy", 2, "--streams"},
        {"-s x " FEATURES " never.tracy", 2, "'x'"},
        {"-4 -h " FEATURES " never.tracy", 2, "exclude"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text =
            run(cases[i].status, "cd '%s'; " TENDRIL "update %s", temporary_folder(), cases[i].arguments);
        if (!strstr(text, cases[i].says) || strchr(text, '\n') != text + strlen(text) - 1)
            fail_msg("%s: %s", cases[i].arguments, text);
        free(text);
    }
    free(run(1, "ulimit -f 1; trap '' XFSZ; " TENDRIL "update -4 -q '%s' > /dev/null", copy));
    struct bytes after = read_bytes(copy);
    assert_int_equal(before.count, after.count);
    assert_memory_equal(before.data, after.data, after.count);
    assert_int_not_equal(access(never, F_OK), 0);
    free(before.data);
    free(after.data);
    free(never);
    free(copy);
}

static void what_is_whole_of_a_damaged_file_is_taken_when_asked_for(void **state)
{
    struct bytes whole = read_bytes(FEATURES);
    char *cut = temporary("cut.tracy"), *saved = temporary("saved.tracy");
    write_bytes(cut, whole.data, whole.count * 3 / 4);
    free(run(1, TENDRIL "update -q '%s' '%s'", cut, saved));
    char *text = run(0, TENDRIL "update -q --salvage '%s' '%s'", cut, saved);
    assert_non_null(strstr(text, "tendril update: "));
    free(text);
    free(run(0, TENDRIL "info '%s'", saved));
    free(whole.data);
    free(cut);
    free(saved);
}

static void dictionaries_are_made_of_images(void **state)
{
    char images[1000];
    const char *corpus = getenv("TD_CORPUS");
    snprintf(images, sizeof images, "%s/0.11.1/images.tracy",
             corpus ? corpus : TD_SOURCE_DIR "/../shared/corpus");
    if (access(images, R_OK) != 0) {
        print_message("skipped: no corpus\n");
        return;
    }
    char *copy = temporary("dictionary.tracy");
    free(run(0, TENDRIL "update -q -d '%s' '%s'", images, copy));
    char *text = run(0, TENDRIL "info --json '%s'", copy), *bytes = strstr(text, "\"dictionary_bytes\": ");
    assert_non_null(bytes);
    assert_in_range(atol(bytes + 20), 256, 4 << 20);
    free(text);
    free(run(0, TENDRIL "update -q -d '%s'", copy));
    free(copy);
}

static void source_files_of_this_machine_are_added_once(void **state)
{
    static const char text[] = "int main(void) { return 0; }\n";
    char *file = temporary("program.c"), *path = temporary("with_source.tracy");
    write_bytes(file, text, sizeof text - 1);
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_sink sink = td_trace_sink(trace);
    struct td_event zone = {.kind = TD_EVENT_ZONE, .time_ns = 1, .value.end_ns = 5};
    td_dict_track(dict, &(struct td_track){.thread = 1});
    zone.srcloc = td_dict_srcloc(dict, &(struct td_srcloc){.name = td_dict_cstring(dict, "zone"),
                                                           .file = td_dict_cstring(dict, file)});
    td_trace_edit_info(trace)->capture_time_s = UINT64_C(1) << 40; /* long after the file */
    assert_int_equal(sink.events(sink.self, &zone, 1, NULL), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    for (int i = 0; i < 2; i++) {
        char expected[1200];
        free(run(0, TENDRIL "update -q -c '%s'", path));
        char *info = run(0, TENDRIL "info --json '%s'", path), *files = strstr(info, "\"source_files\": [");
        snprintf(expected, sizeof expected, "\"name\": \"%s\",\n      \"bytes\": %zu\n    }\n  ],", file,
                 sizeof text - 1);
        assert_non_null(files);
        if (!strstr(files, expected))
            fail_msg("no %s in %s", expected, files);
        free(info);
    }
    td_trace_destroy(trace);
    free(file);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing_keeps_the_trace),
        cmocka_unit_test(every_format_keeps_the_zones_and_says_its_name),
        cmocka_unit_test(letters_leave_out_what_they_stand_for),
        cmocka_unit_test(one_name_replaces_the_file),
        cmocka_unit_test(pipes_do_at_both_ends),
        cmocka_unit_test(failures_are_one_line_and_leave_the_file_as_it_was),
        cmocka_unit_test(what_is_whole_of_a_damaged_file_is_taken_when_asked_for),
        cmocka_unit_test(dictionaries_are_made_of_images),
        cmocka_unit_test(source_files_of_this_machine_are_added_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
