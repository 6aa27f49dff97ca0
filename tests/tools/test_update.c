/* tendril update: the same trace, packed otherwise, for another release, with less in it. */
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

/* In a style without numbers of threads, which are free, as the order of names is. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing_keeps_the_trace),
        cmocka_unit_test(every_format_keeps_the_zones_and_says_its_name),
        cmocka_unit_test(one_name_replaces_the_file),
        cmocka_unit_test(pipes_do_at_both_ends),
        cmocka_unit_test(failures_are_one_line_and_leave_the_file_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
