/* Damaged containers: every length in the file is checked, the whole blocks before the damage are delivered,
 * and memory stays small. */
#include "host/base/process.h"
#include "host/file/in.h"
#include "host/file/out.h"
#include "tests/file/support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t next(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* A file with a payload in which every 8 bytes are their own offset. */
static struct bytes container(size_t bytes, struct td_out_options options)
{
    char *path = temporary("container");
    struct td_out out;
    assert_int_equal(td_out_open(&out, path, &options, NULL), 0);
    for (uint64_t at = 0; at < bytes; at += 8)
        td_out_u64(&out, at * UINT64_C(0x9e3779b97f4a7c15) >> 20 << 3 ^ at);
    assert_int_equal(td_out_close(&out, 0, NULL), 0);
    struct bytes file = read_bytes(path);
    free(path);
    return file;
}

/* How many bytes are delivered before the error, which must contain `text`. */
static uint64_t delivered(const void *data, size_t count, int code, const char *text, int threads)
{
    char *path = temporary("damaged");
    struct td_in in;
    struct td_err err = {0};
    struct td_in_options options = {.threads = threads};
    write_bytes(path, data, count);
    if (td_in_open(&in, path, &options, &err) == 0)
        td_in_skip(&in, UINT64_MAX);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, text))
        fail_msg("'%s' does not say '%s'", err.text, text);
    uint64_t offset = in.failed ? td_in_offset(&in) : 0;
    td_in_close(&in);
    free(path);
    return offset;
}

static void what_is_no_container_is_refused(void **state)
{
    static const struct {
        const char *head;
        size_t bytes;
    } heads[] = {{"", 0},
                 {"t", 1},
                 {"tlZ", 3},
                 {"tlZ\5", 4},
                 {"tr\375P", 4},
                 {"tr\375P\0", 5},
                 {"tr\375P\0\0", 6},
                 {"tr\375P\1\0", 6},
                 {"tr\375P\2\4", 6},
                 {"\4ZlP\0\4", 6},
                 {"PK\3\4abcdefgh", 12},
                 {"\177ELF\2\1\1", 7}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        delivered(heads[i].head, heads[i].bytes, TD_E_FORMAT, "is not a trace file", 1);
}

static void lengths_that_cannot_be_are_named(void **state)
{
    delivered("tlZ\4", 4, TD_E_FORMAT, "ends too early", 1);
    delivered("tlZ\4\0\0\0\0", 8, TD_E_FORMAT, "ends too early", 1);
    delivered("tlZ\4\377\377\377\377", 8, TD_E_FORMAT, "impossible size", 1);
    delivered("tZst\1\100\1\0abcd", 12, TD_E_FORMAT, "impossible size", 1);
    delivered("tlZ\4\4\0\0\0\377\377\377\377", 12, TD_E_FORMAT, "does not decompress", 1);
    delivered("tZst\4\0\0\0\377\377\377\377", 12, TD_E_FORMAT, "does not decompress", 1);
    assert_int_equal(delivered("tlZ\4\5\0\0\0\100abcd", 13, TD_E_FORMAT, "ends too early", 1), 4);
}

static void what_follows_the_payload_does_not_matter(void **state)
{
    for (int classic = 0; classic <= 1; classic++) {
        struct bytes file = container(200000, (struct td_out_options){.parallel = !classic, .streams = 2});
        uint8_t *longer = malloc(file.count + 100000);
        memcpy(longer, file.data, file.count);
        memset(longer + file.count, 0x55, 100000);
        assert_int_equal(delivered(longer, file.count + 100000, TD_E_FORMAT, "ends too early", 1), 200000);
        free(longer);
        free(file.data);
    }
}

static void an_empty_block_is_an_end(void **state)
{
    struct bytes file = container(2 * TD_FILE_BLOCK_BYTES, (struct td_out_options){.parallel = 1});
    uint8_t *longer = calloc(1, file.count + 4);
    memcpy(longer, file.data, file.count);
    assert_int_equal(delivered(longer, file.count + 4, TD_E_FORMAT, "ends too early", 1),
                     2 * TD_FILE_BLOCK_BYTES);
    free(longer);
    free(file.data);
}

static size_t block_end(const struct bytes *file, size_t at)
{
    return at + 4 + (size_t)td_bytes_get(file->data + at, 4);
}

/* Whole blocks before a cut are delivered, also when threads decode. */
static void a_cut_costs_what_is_behind_it(void **state)
{
    static const struct td_out_options options[] = {{.packing = TD_PACK_LZ4},
                                                    {.packing = TD_PACK_ZSTD},
                                                    {.parallel = 1, .streams = 3, .packing = TD_PACK_LZ4},
                                                    {.parallel = 1, .streams = 4, .packing = TD_PACK_ZSTD}};
    for (size_t o = 0; o < 4; o++) {
        struct bytes file = container(30 * TD_FILE_BLOCK_BYTES + 1000, options[o]);
        size_t at = options[o].parallel ? 6 : 4, blocks = 0;
        while (at < file.count) {
            size_t end = block_end(&file, at);
            size_t cuts[] = {at, at + 3, at + 4, at + (end - at) / 2, end - 1};
            for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
                assert_int_equal(
                    delivered(file.data, cuts[i], TD_E_FORMAT, "ends too early", 1 + (int)(i % 2) * 3),
                    blocks * TD_FILE_BLOCK_BYTES);
            at = end;
            blocks++;
        }
        assert_int_equal(blocks, 31);
        free(file.data);
    }
}

static void a_block_that_is_damaged_costs_what_is_behind_it(void **state)
{
    for (int streams = 1; streams <= 4; streams += 3) {
        struct td_out_options options = {.parallel = 1, .streams = streams, .packing = TD_PACK_LZ4};
        struct bytes file = container(40 * TD_FILE_BLOCK_BYTES, options);
        size_t at = 6;
        for (int i = 0; i < 25; i++)
            at = block_end(&file, at);
        memset(file.data + at + 4, 0xff, 300); /* literals beyond the block */
        for (int threads = 1; threads <= 4; threads += 3)
            assert_int_equal(delivered(file.data, file.count, TD_E_FORMAT, "does not decompress", threads),
                             25 * TD_FILE_BLOCK_BYTES);
        free(file.data);
    }
}

static void a_file_that_shrinks_is_an_error(void **state)
{
    struct bytes file = container(60 * TD_FILE_BLOCK_BYTES, (struct td_out_options){.packing = TD_PACK_LZ4});
    char *path = temporary("shrinks");
    write_bytes(path, file.data, file.count);
    struct td_in in;
    struct td_err err = {0};
    assert_int_equal(td_in_open(&in, path, NULL, &err), 0);
    td_in_skip(&in, 12 * TD_FILE_BLOCK_BYTES);
    assert_int_equal(in.failed, 0);
    assert_int_equal(truncate(path, 100000), 0);
    td_in_skip(&in, UINT64_MAX);
    assert_int_equal(in.failed, TD_E_FORMAT);
    td_in_close(&in);
    free(file.data);
    free(path);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER 1
#else
#define SANITIZER 0
#endif

static size_t resident_bytes(void)
{
    uint64_t bytes;
    td_process_memory(&bytes, NULL);
    return (size_t)bytes;
}

/* 255 streams of small blocks that decode to large ones: LZ4 as we write it; Zstd made by hand, with frames
 * that need windows of 128 MiB. */
static struct bytes bomb(int packing, unsigned blocks)
{
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3}, run[] = {2, 0, 8, 'x'};
    if (packing == TD_PACK_LZ4)
        return container((size_t)blocks * TD_FILE_BLOCK_BYTES,
                         (struct td_out_options){.parallel = 1, .streams = 255, .packing = TD_PACK_LZ4});
    struct bytes file = {malloc(6 + (size_t)blocks * (4 + sizeof frame + sizeof run)), 6};
    memcpy(file.data, "tr\375P\1\377", 6);
    for (unsigned i = 0; i < blocks; i++) {
        size_t head = i < 255 ? sizeof frame : 0;
        td_bytes_put(file.data + file.count, head + sizeof run, 4);
        memcpy(file.data + file.count + 4, frame, head);
        memcpy(file.data + file.count + 4 + head, run, sizeof run);
        file.count += 4 + head + sizeof run;
    }
    return file;
}

static void memory_stays_in_bounds(void **state)
{
    unsigned blocks = 600;
    size_t bytes = (size_t)blocks * TD_FILE_BLOCK_BYTES;
    for (int packing = TD_PACK_LZ4; packing <= TD_PACK_ZSTD; packing += TD_PACK_ZSTD - TD_PACK_LZ4) {
        struct bytes file = bomb(packing, blocks);
        char *path = temporary("memory");
        write_bytes(path, file.data, file.count);
        free(file.data);
        size_t before = resident_bytes(), most = 0;
        struct td_in in;
        assert_int_equal(td_in_open(&in, path, NULL, NULL), 0);
        while (td_in_next_block_(&in) == 0) {
            size_t now = resident_bytes();
            most = now > most ? now : most;
        }
        assert_int_equal(td_in_offset(&in), bytes);
        td_in_close(&in);
        print_message("%zu KiB for %zu KiB\n", most > before ? (most - before) / 1024 : 0, bytes / 1024);
        if (!SANITIZER) /* a sanitizer takes memory, too */
            assert_true(most < before + 3 * bytes);
        free(path);
    }
}

/* ---- the fuzz target's inputs as a test ---- */

static struct bytes input(uint8_t how, const uint8_t *data, size_t count)
{
    struct bytes b = {malloc(count + 1), count + 1};
    b.data[0] = how;
    memcpy(b.data + 1, data, count);
    return b;
}

static void turn_bits_over(struct bytes *b, uint64_t *x, unsigned rounds)
{
    uint8_t *copy = malloc(b->count);
    for (unsigned i = 0; i < rounds; i++) {
        memcpy(copy, b->data, b->count);
        copy[0] = (uint8_t)(i & 127);
        for (unsigned k = 0; k <= i % 3; k++)
            copy[1 + next(x) % (b->count - 1)] ^= (uint8_t)(1u << next(x) % 8);
        LLVMFuzzerTestOneInput(copy, b->count);
    }
    free(copy);
}

static void each_seed(void (*visit)(struct bytes seed))
{
    for (int packing = TD_PACK_LZ4; packing <= TD_PACK_ZSTD; packing++) {
        for (int streams = 0; streams <= 3; streams++) {
            struct td_out_options options = {
                .parallel = streams > 0, .streams = streams, .packing = (enum td_file_packing)packing};
            for (size_t blocks = 0; blocks <= 12; blocks += 4) {
                struct bytes file = container(blocks * TD_FILE_BLOCK_BYTES + 96, options);
                visit(input((uint8_t)(packing | streams), file.data, file.count));
                free(file.data);
            }
        }
    }
    visit(input(128, (const uint8_t *)"\1\22\3some payload", 15));
}

static void damage(struct bytes seed)
{
    uint64_t x = 88172645463325252u + seed.count;
    turn_bits_over(&seed, &x, 25);
    for (size_t n = 0; n < seed.count; n += 1 + seed.count / 25)
        LLVMFuzzerTestOneInput(seed.data, n);
    free(seed.data);
}

static void damaged_containers_end_in_one_error(void **state)
{
    each_seed(damage);
}

static void payloads_come_back_whatever_they_are(void **state)
{
    uint64_t x = 7;
    uint8_t data[3000];
    for (unsigned i = 0; i < 60; i++) {
        size_t n = 4 + next(&x) % (sizeof data - 4);
        for (size_t k = 0; k < n; k++)
            data[k] = (uint8_t)(next(&x) % (1 + i * 4));
        data[0] |= 128;
        data[2] = (uint8_t)next(&x);
        LLVMFuzzerTestOneInput(data, n);
    }
}

/* If a folder is given as argument, the program only writes the seeds of the fuzz target there. */
static const char *seed_folder;

static void write_seed(struct bytes seed)
{
    static unsigned number;
    char path[1024];
    snprintf(path, sizeof path, "%s/%u", seed_folder, number++);
    if (seed.count < 300000)
        write_bytes(path, seed.data, seed.count);
    free(seed.data);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        seed_folder = argv[1];
        each_seed(write_seed);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_container_is_refused),
        cmocka_unit_test(lengths_that_cannot_be_are_named),
        cmocka_unit_test(what_follows_the_payload_does_not_matter),
        cmocka_unit_test(an_empty_block_is_an_end),
        cmocka_unit_test(a_cut_costs_what_is_behind_it),
        cmocka_unit_test(a_block_that_is_damaged_costs_what_is_behind_it),
        cmocka_unit_test(a_file_that_shrinks_is_an_error),
        cmocka_unit_test(memory_stays_in_bounds),
        cmocka_unit_test(damaged_containers_end_in_one_error),
        cmocka_unit_test(payloads_come_back_whatever_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
