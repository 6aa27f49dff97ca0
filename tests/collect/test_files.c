/* Names of source files that are not file names. tests/live/test_sources.py tests which files may be read. */
#include "host/base/source_file.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const char text[] = "int main;\n";
static char folder[] = "/tmp/test_files_XXXXXX";

static int make_folder(void **state)
{
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    return chdir("/") | rmdir(folder);
}

static void make(const char *name)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, sizeof text - 1, f), sizeof text - 1);
    assert_int_equal(fclose(f), 0);
}

static size_t read_file(const struct td_source_rules *rules, const char *name, size_t name_bytes,
                        uint64_t before_s)
{
    size_t bytes;
    char *found = td_source_file_read(rules, name, name_bytes, before_s, &bytes);
    assert_int_equal(found != NULL, bytes != 0);
    if (found)
        assert_memory_equal(found, text, bytes);
    free(found);
    return bytes;
}

static void a_name_with_a_zero_byte_is_none(void **state)
{
    const struct td_source_rules rules = {0};
    make("a.c");
    make("a");
    assert_int_equal(read_file(&rules, "a.c", 3, UINT64_MAX), sizeof text - 1);
    assert_int_equal(read_file(&rules, "a.c\0.c", 6, UINT64_MAX), 0);
    assert_int_equal(read_file(&rules, "a\0.c", 4, UINT64_MAX), 0);
    assert_int_equal(read_file(&rules, "a", 1, UINT64_MAX), 0);
    assert_int_equal(read_file(&rules, "", 0, UINT64_MAX), 0);
    unlink("a.c");
    unlink("a");
}

static void a_file_that_is_not_older_is_none(void **state)
{
    const struct td_source_rules rules = {0};
    struct stat st;
    make("a.c");
    assert_int_equal(stat("a.c", &st), 0);
    assert_int_equal(read_file(&rules, "a.c", 3, (uint64_t)st.st_mtime), 0);
    assert_int_equal(read_file(&rules, "a.c", 3, (uint64_t)st.st_mtime + 1), sizeof text - 1);
    unlink("a.c");
}

static void a_folder_is_not_the_beginning_of_a_name(void **state)
{
    struct td_words words = {.words = {"in"}, .count = 1};
    struct td_source_rules rules;
    struct td_err err = {0};
    assert_int_equal(mkdir("in", 0700) | mkdir("inner", 0700), 0);
    make("in/a.c");
    make("inner/a.c");
    assert_int_equal(td_source_rules_init(&rules, &words, &err), 0);
    assert_int_equal(read_file(&rules, "in/a.c", 6, UINT64_MAX), sizeof text - 1);
    assert_int_equal(read_file(&rules, "inner/a.c", 9, UINT64_MAX), 0);
    td_source_rules_free(&rules);
    unlink("in/a.c");
    unlink("inner/a.c");
    assert_int_equal(rmdir("in") | rmdir("inner"), 0);
    assert_int_equal(td_source_rules_init(&rules, &words, &err), TD_E_USAGE);
    td_source_rules_free(&rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_with_a_zero_byte_is_none),
        cmocka_unit_test(a_file_that_is_not_older_is_none),
        cmocka_unit_test(a_folder_is_not_the_beginning_of_a_name),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
