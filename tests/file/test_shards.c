/* Folders of shards: they are read as one trace; damaged indexes and shards are errors. */
#include "host/file/shards.h"
#include "tests/file/corpus.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char head[] = "tendril-shards 1\n";

/* A folder with two shards and their index; free() it. */
static char *make_folder(const char *name)
{
    char *folder = temporary(name), path[4300];
    struct td_err err = {0};
    assert_int_equal(mkdir(folder, 0700), 0);
    for (unsigned i = 0; i < 2; i++) {
        struct td_trace *trace = rich_trace(100);
        snprintf(path, sizeof path, "%s/" TD_SHARD_NAME, folder, i);
        const struct td_file_options options = {.version = TD_FILE_VERSION_NEWEST};
        assert_int_equal(td_file_write(trace, path, &options, &err), 0);
        td_trace_destroy(trace);
    }
    assert_int_equal(td_shards_write_index(folder, 2, &err), 0);
    return folder;
}

static void write_index(const char *folder, const char *text, size_t bytes)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/" TD_SHARDS_INDEX, folder);
    write_bytes(path, text, bytes);
}

static int read_folder(const char *folder, struct td_trace **trace, struct td_err *err)
{
    struct td_file_read_options options = {0};
    *err = (struct td_err){0};
    return td_shards_read(folder, &options, trace, err);
}

static void a_folder_of_shards_is_one_trace_with_the_contents_of_all(void **state)
{
    char *folder = make_folder("whole");
    struct td_trace *trace, *one = rich_trace(100);
    struct td_err err;
    assert_true(td_shards_is_folder(folder));
    if (read_folder(folder, &trace, &err) < 0)
        fail_msg("%s", err.text);
    assert_null(broken_rule(trace));
    assert_int_equal(zones_of(trace, 0, NULL), 2 * zones_of(one, 0, NULL));
    /* A trace has one crash; the second one is a message. */
    assert_non_null(td_trace_crash(one));
    assert_int_equal(td_trace_messages(trace), 2 * td_trace_messages(one) + 1);
    td_trace_destroy(trace);
    td_trace_destroy(one);
    free(folder);
}

static void a_bad_index_or_shard_is_an_error(void **state)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "shard-0000.tracy\n",
                                      "\n",
                                      "/etc/passwd\n",
                                      "../x\n",
                                      "a/b\n",
                                      ".hidden\n",
                                      "missing\n",
                                      "shard-0000.tracy",
                                      "shard-0000.tracy\n\n"};
    char *folder = make_folder("bad"), text[200];
    struct td_trace *trace;
    struct td_err err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int bytes = snprintf(text, sizeof text, "%s%s", i == 2 ? "" : head, bad[i]);
        write_index(folder, text, (size_t)bytes);
        if (read_folder(folder, &trace, &err) == 0)
            fail_msg("'%s' is taken", bad[i]);
        assert_null(trace);
        assert_true(err.text[0] != 0);
    }
    td_shards_remove_index(folder, &err);
    assert_int_equal(read_folder(folder, &trace, &err), TD_E_NOTFOUND);
    free(folder);
}

static void any_bytes_give_names_in_the_folder_or_an_error(void **state)
{
    unsigned seed = 1;
    for (unsigned i = 0; i < 20000; i++) {
        char text[120];
        int bytes = snprintf(text, sizeof text, "%sshard-0000.tracy\nshard-0001.tracy\n", head);
        for (unsigned k = 0; k < i % 4; k++) {
            seed = seed * 1103515245u + 12345;
            text[(seed >> 16) % (unsigned)bytes] = "\n/.\0a"[seed >> 28 & 3];
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text, i % 5 ? (size_t)bytes : (seed >> 8) % (unsigned)bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_of_shards_is_one_trace_with_the_contents_of_all),
        cmocka_unit_test(a_bad_index_or_shard_is_an_error),
        cmocka_unit_test(any_bytes_give_names_in_the_folder_or_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
