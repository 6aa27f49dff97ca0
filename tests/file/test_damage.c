/* Damaged trace files: cut at every place, with bits turned over, with random bytes in them. The fuzz
 * target's function does the checking, so this is the fuzzer's every-day form. */
#include "tests/file/support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t next(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* The input of the fuzz target: a kind and the bytes. */
static struct bytes input(uint8_t kind, const uint8_t *data, size_t count)
{
    struct bytes b = {malloc(count + 1), count + 1};
    b.data[0] = kind;
    memcpy(b.data + 1, data, count);
    return b;
}

static void cut(const struct bytes *b, size_t step)
{
    for (size_t n = 0; n < b->count; n += step)
        LLVMFuzzerTestOneInput(b->data, n);
}

static void flip(const struct bytes *b, unsigned rounds)
{
    uint64_t x = 88172645463325252u;
    uint8_t *copy = malloc(b->count);
    for (unsigned i = 0; i < rounds; i++) {
        memcpy(copy, b->data, b->count);
        for (unsigned k = 0; k <= i % 4; k++) {
            size_t at = 1 + (size_t)(next(&x) % (b->count - 1));
            copy[at] ^= (uint8_t)(1u << next(&x) % 8);
        }
        LLVMFuzzerTestOneInput(copy, b->count);
    }
    free(copy);
}

/* Whole numbers replaced by interesting ones. */
static void splice(const struct bytes *b, unsigned rounds)
{
    static const uint64_t values[] = {0,          1,         0x7f,       0xffff,   0x7fffffff,
                                      0xffffffff, INT64_MAX, UINT64_MAX, 1u << 24, UINT64_C(1) << 47};
    static const unsigned widths[] = {1, 2, 3, 4, 8};
    uint64_t x = 1234567;
    uint8_t *copy = malloc(b->count);
    for (unsigned i = 0; i < rounds; i++) {
        memcpy(copy, b->data, b->count);
        uint64_t value = values[next(&x) % 10];
        unsigned width = widths[next(&x) % 5];
        size_t at = 1 + (size_t)(next(&x) % (b->count - 1));
        for (unsigned k = 0; k < width && at + k < b->count; k++)
            copy[at + k] = (uint8_t)(value >> 8 * k);
        LLVMFuzzerTestOneInput(copy, b->count);
    }
    free(copy);
}

static void damage(const char *path)
{
    struct bytes file = read_bytes(path), payload = payload_of(path);
    struct bytes whole = input(0, file.data, file.count), inside = input(1, payload.data, payload.count);
    cut(&whole, whole.count / 400 + 1);
    flip(&whole, 300);
    cut(&inside, inside.count / 400 + 1);
    flip(&inside, 600);
    splice(&inside, 600);
    free(file.data);
    free(payload.data);
    free(whole.data);
    free(inside.data);
}

static unsigned each_seed(void (*visit)(const char *path))
{
    static const char *const folders[] = {"0.9.1", "0.10", "ttfork", "0.11.1", "0.12.2", "0.13.1", "0.14.0"};
    unsigned files = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[512];
        snprintf(path, sizeof path, TD_SOURCE_DIR "/tests/data/trace/%s", folders[i]);
        DIR *dir = opendir(path);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            size_t n = strlen(e->d_name);
            if (n < 6 || strcmp(e->d_name + n - 6, ".tracy"))
                continue;
            snprintf(path, sizeof path, TD_SOURCE_DIR "/tests/data/trace/%s/%s", folders[i], e->d_name);
            visit(path);
            files++;
        }
        if (dir)
            closedir(dir);
    }
    return files;
}

static void damaged_files_of_every_version_give_errors_or_sound_models(void **state)
{
    assert_true(each_seed(damage) >= 14);
}

static void damaged_files_of_our_own_give_errors_or_sound_models(void **state)
{
    struct td_trace *trace = rich_trace(300);
    char *path = temporary("own.tracy");
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    td_trace_destroy(trace);
    damage(path);
    free(path);
}

static void random_bytes_are_refused(void **state)
{
    uint64_t x = 42;
    uint8_t data[2000];
    for (unsigned i = 0; i < 3000; i++) {
        size_t n = (size_t)(next(&x) % sizeof data);
        for (size_t k = 0; k < n; k++)
            data[k] = (uint8_t)next(&x);
        if (i % 3 == 0 && n > 6)
            memcpy(data + 1, "tr\375P\1\4", 6);
        if (i % 3 == 1 && n > 8) {
            data[0] = 1;
            memcpy(data + 1, "tracy\0\13\1", 8);
        }
        LLVMFuzzerTestOneInput(data, n);
    }
}

/* With a folder as argument: fills it with the seeds of the fuzz target instead. */
static const char *seed_folder;

static void write_seeds(const char *path)
{
    static unsigned number;
    struct bytes file = read_bytes(path), payload = payload_of(path);
    struct bytes inputs[] = {input(0, file.data, file.count), input(1, payload.data, payload.count)};
    for (size_t i = 0; i < 2; i++) {
        char to[1024];
        snprintf(to, sizeof to, "%s/%u", seed_folder, number++);
        write_bytes(to, inputs[i].data, inputs[i].count);
        free(inputs[i].data);
    }
    free(file.data);
    free(payload.data);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        seed_folder = argv[1];
        return each_seed(write_seeds) ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_files_of_every_version_give_errors_or_sound_models),
        cmocka_unit_test(damaged_files_of_our_own_give_errors_or_sound_models),
        cmocka_unit_test(random_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
