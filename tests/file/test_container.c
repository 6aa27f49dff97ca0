/* Blocks and streams: payloads of all sizes are read back unchanged, in each form and packing, with any
 * number of threads. */
#include "host/file/in.h"
#include "host/file/out.h"
#include "tests/file/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Writes pieces of many sizes, so that integers and items cross the ends of blocks. */
static void put_pieces(struct td_out *out, const uint8_t *data, size_t bytes)
{
    for (size_t at = 0, n, turn = 0; at < bytes; at += n, turn++) {
        n = bytes - at;
        if (n >= 8 && turn % 3 == 1) {
            n = 8;
            td_out_u64(out, td_bytes_get(data + at, 8));
        } else if (turn % 3 == 2) {
            size_t most = turn % 2 ? TD_OUT_RESERVE_BYTES : 26;
            n = n < most ? n : most;
            memcpy(td_out_reserve(out), data + at, n);
            td_out_commit(out, n);
        } else {
            n = n < 1237 ? n : 1237;
            td_out_bytes(out, data + at, n);
        }
    }
}

static void write_with(const char *path, const uint8_t *data, size_t bytes, struct td_out_options options)
{
    struct td_out out;
    struct td_err err = {0};
    assert_int_equal(td_out_open(&out, path, &options, &err), 0);
    put_pieces(&out, data, bytes);
    assert_int_equal(td_out_offset(&out), bytes);
    assert_int_equal(td_out_close(&out, 0, &err), 0);
}

static void reads_back(const char *path, const uint8_t *data, size_t bytes, int threads)
{
    struct td_in in;
    struct td_err err = {0};
    struct td_in_options options = {.threads = threads};
    uint8_t *back = malloc(bytes);
    assert_int_equal(td_in_open(&in, path, &options, &err), 0);
    size_t at = 0;
    while (at + 26 <= bytes / 2) { /* items, some of which cross the ends of blocks */
        uint8_t room[26];
        memcpy(back + at, td_in_item(&in, 26, room), 26);
        at += 26;
    }
    td_in_bytes(&in, back + at, bytes - at);
    assert_int_equal(in.failed, 0);
    assert_int_equal(td_in_offset(&in), bytes);
    assert_memory_equal(data, back, bytes);
    assert_int_equal(td_in_u8(&in), 0);
    assert_int_equal(in.failed, TD_E_FORMAT);
    assert_int_equal(td_in_offset(&in), bytes);
    td_in_close(&in);
    free(back);
}

static void every_size_form_and_number_of_streams_comes_back(void **state)
{
    static const size_t sizes[] = {1, 7, 65535, 65536, 65537, 131072, 200000, 1000000, 3000000};
    static const int streams[] = {0, 1, 2, 3, 4, 255}; /* 0: classic */
    char *path = temporary("container");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint8_t *data = noise(sizes[s]);
        for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
            for (int packing = TD_PACK_DEFAULT; packing <= TD_PACK_ZSTD; packing++) {
                if (packing == TD_PACK_LZ4_EXTREME && sizes[s] > 200000)
                    continue; /* slow, and covers nothing else */
                write_with(path, data, sizes[s],
                           (struct td_out_options){.parallel = streams[k] > 0,
                                                   .streams = streams[k],
                                                   .packing = (enum td_file_packing)packing});
                reads_back(path, data, sizes[s], 1);
                reads_back(path, data, sizes[s], 3);
            }
        }
        free(data);
    }
    free(path);
}

static void the_number_of_threads_changes_no_byte(void **state)
{
    static const int threads[] = {1, 2, 7};
    size_t bytes = 2500000;
    uint8_t *data = noise(bytes);
    char *path = temporary("threads");
    for (int packing = TD_PACK_LZ4; packing <= TD_PACK_ZSTD; packing++) {
        for (int streams = 0; streams <= 5; streams += 5) {
            struct bytes first = {0};
            for (size_t i = 0; i < 3; i++) {
                write_with(path, data, packing == TD_PACK_LZ4_EXTREME ? 700000 : bytes,
                           (struct td_out_options){.parallel = streams > 0,
                                                   .streams = streams,
                                                   .packing = (enum td_file_packing)packing,
                                                   .threads = threads[i]});
                struct bytes now = read_bytes(path);
                if (i) {
                    assert_int_equal(now.count, first.count);
                    assert_memory_equal(now.data, first.data, now.count);
                    free(now.data);
                } else {
                    first = now;
                }
            }
            free(first.data);
        }
    }
    free(data);
    free(path);
}

/* More blocks than the writer has memory for, which refer to blocks almost as far back as Zstd's window. */
static void long_streams_refer_far_back(void **state)
{
    static const int streams[] = {1, 2, 4};
    const size_t bytes = 12000000;
    char *path = temporary("far");
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        const size_t period = (size_t)streams[k] * 6 * TD_FILE_BLOCK_BYTES;
        uint8_t *data = noise(bytes);
        struct bytes alone = {0}, together = {0};
        for (size_t i = period; i < bytes; i++)
            data[i] = i % 251 ? data[i - period] : data[i];
        struct td_out_options options = {.parallel = 1, .streams = streams[k], .threads = 1};
        write_with(path, data, bytes, options);
        reads_back(path, data, bytes, 1);
        alone = read_bytes(path);
        options.threads = 3;
        write_with(path, data, bytes, options);
        reads_back(path, data, bytes, 3);
        together = read_bytes(path);
        assert_int_equal(alone.count, together.count);
        assert_memory_equal(alone.data, together.data, alone.count);
        free(alone.data);
        free(together.data);
        free(data);
    }
    free(path);
}

static void files_are_not_larger_than_those_of_the_releases(void **state)
{
    static const struct {
        const char *file;
        int streams, packing, level; /* streams 0: classic */
    } cases[] = {
        {"0.10/many", 0, TD_PACK_LZ4, 0},
        {"0.10/many.fast", 0, TD_PACK_LZ4, 0},
        {"0.10/many.hc", 0, TD_PACK_LZ4_HC, 0},
        {"0.10/many.extreme", 0, TD_PACK_LZ4_EXTREME, 0},
        {"0.10/many.z3", 0, TD_PACK_ZSTD, 3},
        {"0.10/features", 0, TD_PACK_LZ4, 0},
        {"0.10/features.hc", 0, TD_PACK_LZ4_HC, 0},
        {"0.10/features.z3", 0, TD_PACK_ZSTD, 3},
        {"0.9.1/many", 0, TD_PACK_LZ4, 0},
        {"0.11.1/many", 4, TD_PACK_DEFAULT, 0},
        {"0.11.1/many.lz4", 4, TD_PACK_LZ4, 0},
        {"0.11.1/many.hc", 4, TD_PACK_LZ4_HC, 0},
        {"0.11.1/many.extreme", 4, TD_PACK_LZ4_EXTREME, 0},
        {"0.11.1/many.z1", 4, TD_PACK_ZSTD, 1},
        {"0.11.1/many.z19", 4, TD_PACK_ZSTD, 19},
        {"0.11.1/many.j1", 1, TD_PACK_ZSTD, 3},
        {"0.11.1/many.j8", 8, TD_PACK_ZSTD, 3},
        {"0.11.1/many.lz4.j1", 1, TD_PACK_LZ4, 0},
        {"0.11.1/many.lz4.j3", 3, TD_PACK_LZ4, 0},
        {"0.11.1/features", 4, TD_PACK_DEFAULT, 0},
        {"0.11.1/features.lz4", 4, TD_PACK_LZ4, 0},
        {"0.11.1/features.hc", 4, TD_PACK_LZ4_HC, 0},
        {"0.11.1/features.extreme", 4, TD_PACK_LZ4_EXTREME, 0},
        {"0.11.1/features.z1", 4, TD_PACK_ZSTD, 1},
        {"0.11.1/features.z19", 4, TD_PACK_ZSTD, 19},
        {"0.11.1/features.j1", 1, TD_PACK_ZSTD, 3},
        {"0.11.1/features.j8", 8, TD_PACK_ZSTD, 3},
        {"0.11.1/features.lz4.j8", 8, TD_PACK_LZ4, 0},
    };
    const char *corpus = getenv("TD_CORPUS");
    char stock[512], *path = temporary("size");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stat theirs, ours;
        snprintf(stock, sizeof stock, "%s/%s.tracy", corpus ? corpus : TD_SOURCE_DIR "/../shared/corpus",
                 cases[i].file);
        if (stat(stock, &theirs) < 0) {
            print_message("skipped: no %s\n", stock);
            continue;
        }
        struct bytes payload = payload_of(stock);
        write_with(path, payload.data, payload.count,
                   (struct td_out_options){.parallel = cases[i].streams > 0,
                                           .streams = cases[i].streams,
                                           .packing = (enum td_file_packing)cases[i].packing,
                                           .level = cases[i].level});
        assert_int_equal(stat(path, &ours), 0);
        assert_true(ours.st_size <= theirs.st_size);
        reads_back(path, payload.data, payload.count, 0);
        free(payload.data);
    }
    free(path);
}

/* Releases up to 0.10 read 4 bytes beyond a block that is the only one or full. These must be in the file's
 * last page. */
static int ends_badly(uint64_t file_bytes)
{
    uint64_t rest = file_bytes % 4096;
    return rest == 0 || rest > 4092;
}

static unsigned check_end(const char *path, const uint8_t *data, size_t bytes)
{
    static const uint8_t empty[4];
    write_with(path, data, bytes, (struct td_out_options){.packing = TD_PACK_LZ4});
    struct bytes file = read_bytes(path);
    int added = ends_badly(file.count - 4) && !memcmp(file.data + file.count - 4, empty, 4);
    assert_false(ends_badly(file.count));
    free(file.data);
    if (added)
        reads_back(path, data, bytes, 1);
    return (unsigned)added;
}

static void files_do_not_end_where_old_releases_look_past_a_page(void **state)
{
    size_t full = 2 * TD_FILE_BLOCK_BYTES;
    uint8_t *data = malloc(full);
    char *path = temporary("page");
    unsigned added = 0;
    uint64_t x = 1;
    for (size_t i = 0; i < full; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        data[i] = (uint8_t)(x >> 56);
    }
    for (size_t bytes = 4050; bytes < 4090; bytes++) /* one block */
        added += check_end(path, data, bytes);
    assert_int_equal(added, 4);
    for (size_t blocks = 1; blocks <= 2; blocks++) { /* full ones */
        for (size_t zeros = 264 * blocks; zeros < 264 * blocks + 60; zeros++) {
            memset(data, 0, zeros);
            added += check_end(path, data, blocks * TD_FILE_BLOCK_BYTES);
        }
    }
    assert_true(added > 8);
    free(data);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_form_and_number_of_streams_comes_back),
        cmocka_unit_test(the_number_of_threads_changes_no_byte),
        cmocka_unit_test(long_streams_refer_far_back),
        cmocka_unit_test(files_are_not_larger_than_those_of_the_releases),
        cmocka_unit_test(files_do_not_end_where_old_releases_look_past_a_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
