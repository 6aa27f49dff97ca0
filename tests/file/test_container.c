/* Blocks and streams: bytes in, the same bytes out, whatever the size. */
#include "host/file/in.h"
#include "host/file/out.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <dirent.h>
#include <unistd.h>
#include <cmocka.h>

static uint8_t *noise(size_t count)
{
    uint8_t *data = malloc(count + 1);
    uint64_t x = count;
    for (size_t i = 0; i < count; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        data[i] = i / 1000 % 2 ? (uint8_t)(x >> 56) : (uint8_t)i;
    }
    return data;
}

static void every_size_and_number_of_streams_comes_back(void **state)
{
    static const size_t sizes[] = {1, 7, 65535, 65536, 65537, 131072, 200000, 1000000};
    static const int streams[] = {1, 2, 3, 4, 255};
    char *path = temporary("container");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint8_t *data = noise(sizes[s]), *back = malloc(sizes[s]);
        for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
            struct td_out out;
            struct td_in in;
            struct td_err err = {0};
            assert_int_equal(
                td_out_open(&out, path, &(struct td_out_options){.parallel = 1, .streams = streams[k]}, &err),
                0);
            size_t at = 0;
            while (at < sizes[s]) { /* in pieces, so that integers lie across the ends of blocks */
                if (sizes[s] - at >= 8 && at % 3 != 0) {
                    uint64_t v = 0;
                    for (unsigned i = 0; i < 8; i++)
                        v |= (uint64_t)data[at + i] << 8 * i;
                    td_out_u64(&out, v);
                    at += 8;
                } else {
                    size_t n = sizes[s] - at < 1237 ? sizes[s] - at : 1237;
                    td_out_bytes(&out, data + at, n);
                    at += n;
                }
            }
            assert_int_equal(td_out_finish(&out, 0, &err), 0);
            assert_int_equal(td_in_open(&in, path, NULL, &err), 0);
            td_in_bytes(&in, back, sizes[s]);
            assert_int_equal(in.failed, 0);
            assert_memory_equal(data, back, sizes[s]);
            td_in_u8(&in);
            assert_int_equal(in.failed, TD_E_FORMAT);
            td_in_close(&in);
        }
        free(data);
        free(back);
    }
    free(path);
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *dir = opendir(temporary_folder());
    for (struct dirent *e; (e = readdir(dir));)
        count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void a_full_disk_is_one_error_and_leaves_the_old_file_alone(void **state)
{
    char *path = temporary("kept");
    write_bytes(path, "old", 3);
    size_t files = files_in_folder();
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    for (size_t bytes = 0; bytes <= 4000000; bytes += 4000000) { /* fails at the end, and on the way */
        uint8_t *data = noise(bytes + 300000);
        struct td_out out;
        struct td_err err = {0};
        assert_int_equal(td_out_open(&out, path, NULL, &err), 0);
        td_out_bytes(&out, data, bytes + 300000);
        assert_int_equal(td_out_finish(&out, 0, &err), TD_E_IO);
        assert_int_equal(err.code, TD_E_IO);
        assert_non_null(strstr(err.text, "cannot write"));
        free(data);
    }
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(files_in_folder(), files);
    struct bytes kept = read_bytes(path);
    assert_int_equal(kept.count, 3);
    free(kept.data);
    free(path);
}

static void an_abandoned_file_never_appears(void **state)
{
    char *path = temporary("abandoned");
    size_t files = files_in_folder();
    struct td_out out;
    assert_int_equal(td_out_open(&out, path, NULL, NULL), 0);
    td_out_u64(&out, 1);
    td_out_finish(&out, 1, NULL);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(files_in_folder(), files);
    free(path);
}

static void places_that_cannot_be_written_are_named(void **state)
{
    struct td_out out;
    struct td_err err = {0};
    assert_int_equal(td_out_open(&out, "/nowhere/at/all.tracy", NULL, &err), TD_E_IO);
    assert_non_null(strstr(err.text, "/nowhere/at/all.tracy"));
    err = (struct td_err){0};
    assert_int_equal(td_out_open(&out, temporary_folder(), NULL, &err), TD_E_USAGE);
}

static void a_link_stays_a_link(void **state)
{
    char *path = temporary("target"), *link = temporary("link");
    write_bytes(path, "old", 3);
    assert_int_equal(symlink(path, link), 0);
    struct td_out out;
    assert_int_equal(td_out_open(&out, link, NULL, NULL), 0);
    td_out_u64(&out, 1);
    assert_int_equal(td_out_finish(&out, 0, NULL), 0);
    char where[256];
    assert_true(readlink(link, where, sizeof where) > 0);
    struct bytes now = read_bytes(path);
    assert_true(now.count > 3);
    free(now.data);
    free(path);
    free(link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_and_number_of_streams_comes_back),
        cmocka_unit_test(a_full_disk_is_one_error_and_leaves_the_old_file_alone),
        cmocka_unit_test(an_abandoned_file_never_appears),
        cmocka_unit_test(places_that_cannot_be_written_are_named),
        cmocka_unit_test(a_link_stays_a_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
