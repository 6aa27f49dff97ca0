/* Damaged trace files: cut at every place, with flipped bits, with replaced numbers. Reading gives an error,
 * or a model that keeps its rules, and takes at most four times the payload's memory. Salvaging gives the
 * parts that are whole and reports that it did.
 *
 *     test_damage              a selection of these, for each run of the tests
 *     test_damage --full       every cut of three traces, 10,000 flips each way
 *     test_damage FOLDER       writes the seeds of the payload's fuzz target there
 */
#include "tests/file/heap.h"
#include "tests/file/support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

/* Memory for reading that does not grow with the file: blocks of the container, tables of libraries, the
 * smallest size of a column. */
#define CONSTANT_BYTES (4u << 20)
#if defined(__SANITIZE_ADDRESS__)
enum { SLOWER = 6 };
#else
enum { SLOWER = 1 };
#endif

static int full;
/* The current attempt, to be read in a debugger when this program crashes or hangs. */
static struct {
    const char *file, *what;
    size_t at;
} trying;

#define EXPECT(holds, ...)                                                                                   \
    do {                                                                                                     \
        if (!(holds)) {                                                                                      \
            print_error("%s, %s %zu: ", trying.file, trying.what, trying.at);                                \
            print_error(__VA_ARGS__);                                                                        \
            print_error("\n");                                                                               \
            fail();                                                                                          \
        }                                                                                                    \
    } while (0)

static uint64_t next(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* ---- one attempt ---- */

struct outcome {
    int rc;
    uint64_t rows;      /* zones, messages and points that were read */
    char salvaged[240]; /* the message about salvaging */
};

static uint64_t rows_of(const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    uint64_t rows = td_trace_messages(trace);
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        rows += td_trace_track_zones(trace, t);
    for (uint32_t p = 0; p < td_dict_plot_count(dict); p++)
        rows += td_trace_plot_points(trace, p);
    return rows;
}

/* A trace that was read can be written, and the new file is whole. */
static void write_and_read(const struct td_trace *trace)
{
    static char *path;
    struct td_err err = {0};
    struct td_trace *back;
    if (!path)
        path = temporary("salvaged.tracy");
    EXPECT(td_file_write(trace, path, NULL, &err) == 0, "is not written: %s", err.text);
    EXPECT(td_file_read(path, &back, &err) == 0, "is written, but not read: %s", err.text);
    td_trace_destroy(back);
}

/* `payload`: the largest number of bytes that the container can hold. */
static struct outcome attempt(const uint8_t *file, size_t count, size_t payload, int salvage, int write)
{
    struct outcome o = {0};
    struct td_file_read_options options = {.salvage = salvage};
    struct td_err err = {0};
    struct td_trace *trace = NULL;
    char path[40];
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("trace", MFD_CLOEXEC);
    EXPECT(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, file, count, 0) == (ssize_t)count, "no memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct heap heap;
    heap_begin(&heap);
    o.rc = td_file_read_with(path, &options, &trace, &err);
    memcpy(o.salvaged, options.salvaged, sizeof o.salvaged);
    if (o.rc < 0) {
        EXPECT(!trace && err.code == o.rc && err.text[0] && !strchr(err.text, '\n'), "no proper error");
        EXPECT(err.code != TD_E_NOMEM, "%s", err.text);
    } else {
        const struct td_stat *stats;
        td_trace_stats(trace, &stats);
        const char *told = td_trace_get_info(trace)->salvaged;
        EXPECT(options.salvaged[0] ? told && !strcmp(told, options.salvaged) : !told,
               "the trace does not say what is missing");
        EXPECT(!broken_rule(trace), "%s", broken_rule(trace));
        o.rows = rows_of(trace);
        if (write)
            write_and_read(trace);
    }
    td_trace_destroy(trace);
    long held = heap_held(&heap);
    EXPECT(write || held <= (long)(4 * payload + CONSTANT_BYTES), "%ld bytes for a payload of %zu", held,
           payload);
    return o;
}

static struct outcome attempt_payload(const uint8_t *payload, size_t count, int salvage, int write)
{
    struct bytes file = wrap_payload(payload, count);
    struct outcome o = attempt(file.data, file.count, count, salvage, write);
    free(file.data);
    return o;
}

/* ---- cuts ---- */

static void cut_payload(const char *path, size_t step)
{
    struct bytes payload = payload_of(path);
    trying.file = path;
    uint64_t before = 0;
    size_t tries = 0;
    trying.at = payload.count;
    uint64_t whole = attempt_payload(payload.data, payload.count, 0, 0).rows;
    trying.what = "payload salvaged at";
    for (trying.at = 0; trying.at < payload.count; trying.at += step, tries++) {
        struct outcome o = attempt_payload(payload.data, trying.at, 1, tries % 16 == 0);
        EXPECT(o.rc < 0 || o.salvaged[0], "nothing is said about what is missing");
        EXPECT(!strchr(o.salvaged, '\n'), "two lines");
        EXPECT(o.rows >= before && o.rows <= whole, "%llu rows, with less of the file there were %llu",
               (unsigned long long)o.rows, (unsigned long long)before);
        before = o.rows;
    }
    EXPECT(before * 10 >= whole * 9, "of %llu rows only %llu are salvaged", (unsigned long long)whole,
           (unsigned long long)before);
    trying.what = "payload cut at";
    for (trying.at = 0; trying.at < payload.count; trying.at += step * 2 - 1)
        EXPECT(attempt_payload(payload.data, trying.at, 0, 0).rc < 0, "no error");
    free(payload.data);
}

static void cut_container(const char *path, size_t step)
{
    struct bytes file = read_bytes(path), payload = payload_of(path);
    trying.file = path;
    for (trying.at = 0; trying.at < file.count; trying.at += step) {
        trying.what = "file cut at";
        EXPECT(attempt(file.data, trying.at, payload.count, 0, 0).rc < 0, "no error");
        trying.what = "file salvaged at";
        struct outcome o = attempt(file.data, trying.at, payload.count, 1, trying.at % 64 == 0);
        EXPECT(o.rc < 0 || o.salvaged[0], "nothing is said about what is missing");
    }
    free(file.data);
    free(payload.data);
}

#define DATA TD_SOURCE_DIR "/tests/data/trace/"

static void traces_cut_at_any_byte_give_an_error_or_what_is_whole(void **state)
{
    static const struct {
        const char *path;
        size_t step;
    } traces[] = {
        {DATA "0.11.1/features.tracy", 61}, {DATA "0.14.0/synthetic.tracy", 5}, {DATA "0.10/gpu.tracy", 5}};
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        cut_payload(traces[i].path, full ? 1 : traces[i].step * SLOWER);
        cut_container(traces[i].path, full ? 1 : traces[i].step * SLOWER);
    }
}

/* ---- other damage ---- */

static void flip_bits(uint8_t *data, size_t count, unsigned flips, uint64_t *x)
{
    for (unsigned k = 0; k < flips; k++)
        data[next(x) % count] ^= (uint8_t)(1u << next(x) % 8);
}

/* Replaces integers by extreme ones. */
static void splice(uint8_t *data, size_t count, uint64_t *x)
{
    static const uint64_t values[] = {0,          1,         0x7f,       0xffff,   0x7fffffff,
                                      0xffffffff, INT64_MAX, UINT64_MAX, 1u << 24, UINT64_C(1) << 47};
    static const unsigned widths[] = {1, 2, 3, 4, 8};
    uint64_t value = values[next(x) % 10];
    unsigned width = widths[next(x) % 5];
    size_t at = next(x) % count;
    for (unsigned k = 0; k < width && at + k < count; k++)
        data[at + k] = (uint8_t)(value >> 8 * k);
}

static unsigned rounds;

/* The largest payload that a damaged container can decode to. */
static size_t most_payload(size_t file_bytes)
{
    return (file_bytes / 4 + 1) * 65536 > (1u << 20) ? 1u << 20 : (file_bytes / 4 + 1) * 65536;
}

static void damage(const char *path)
{
    struct bytes file = read_bytes(path), payload = payload_of(path);
    uint8_t *copy = malloc(file.count > payload.count ? file.count : payload.count);
    uint64_t x = 88172645463325252u;
    trying.file = path;
    for (trying.at = 0; trying.at < rounds; trying.at++) {
        int salvage = trying.at % 2 != 0, write = trying.at % 32 == 1;
        trying.what = "bits flipped in the file, round";
        memcpy(copy, file.data, file.count);
        flip_bits(copy, file.count, 1 + trying.at % 4, &x);
        attempt(copy, file.count, most_payload(file.count), salvage, write);
        trying.what = "bits flipped in the payload, round";
        memcpy(copy, payload.data, payload.count);
        flip_bits(copy, payload.count, 1 + trying.at % 4, &x);
        attempt_payload(copy, payload.count, salvage, write);
        trying.what = "numbers replaced in the payload, round";
        memcpy(copy, payload.data, payload.count);
        splice(copy, payload.count, &x);
        attempt_payload(copy, payload.count, salvage, write);
    }
    free(copy);
    free(file.data);
    free(payload.data);
}

static unsigned each_seed(void (*visit)(const char *path))
{
    static const char *const folders[] = {"0.9.1", "0.10", "ttfork", "0.11.1", "0.12.2", "0.13.1", "0.14.0"};
    unsigned files = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[512];
        snprintf(path, sizeof path, DATA "%s", folders[i]);
        DIR *dir = opendir(path);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            size_t n = strlen(e->d_name);
            if (n < 6 || strcmp(e->d_name + n - 6, ".tracy"))
                continue;
            snprintf(path, sizeof path, DATA "%s/%s", folders[i], e->d_name);
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
    rounds = (full ? 1000 : 100) / SLOWER;
    assert_true(each_seed(damage) >= 14);
}

static void ten_thousand_flipped_bits_give_errors_or_sound_models(void **state)
{
    rounds = (full ? 10000 : 400) / SLOWER;
    damage(DATA "0.11.1/features.tracy");
    damage(DATA "0.14.0/synthetic.tracy");
    damage(DATA "0.10/gpu.tracy");
}

static void damaged_files_of_our_own_give_errors_or_sound_models(void **state)
{
    struct td_trace *trace = rich_trace(300);
    char *path = temporary("own.tracy");
    assert_int_equal(td_file_write(trace, path, NULL, NULL), 0);
    td_trace_destroy(trace);
    rounds = (full ? 2000 : 200) / SLOWER;
    damage(path);
    free(path);
}

static void random_bytes_are_refused(void **state)
{
    uint64_t x = 42;
    uint8_t data[2000];
    trying.file = "random bytes";
    trying.what = "round";
    for (trying.at = 0; trying.at < 3000 / SLOWER; trying.at++) {
        size_t n = (size_t)(next(&x) % sizeof data);
        for (size_t k = 0; k < n; k++)
            data[k] = (uint8_t)next(&x);
        if (trying.at % 3 == 0 && n > 6)
            memcpy(data, "tr\375P\1\4", 6);
        if (trying.at % 3 == 1 && n > 8) {
            memcpy(data, "tracy\0\13\1", 8);
            attempt_payload(data, n, trying.at % 2 != 0, 0);
        }
        attempt(data, n, most_payload(n), trying.at % 2 != 0, 0);
    }
}

/* ---- the fuzz target ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Its input: 0 and a file, or 1 and a payload. */
static struct bytes input(uint8_t kind, struct bytes b)
{
    struct bytes made = {malloc(b.count + 1), b.count + 1};
    made.data[0] = kind;
    memcpy(made.data + 1, b.data, b.count);
    free(b.data);
    return made;
}

static void run_target(struct bytes b)
{
    LLVMFuzzerTestOneInput(b.data, b.count);
    free(b.data);
}

static void run_target_on(const char *path)
{
    trying.file = path;
    trying.what = "fuzz target, seed";
    run_target(input(0, read_bytes(path)));
    run_target(input(1, payload_of(path)));
}

/* Runs the seeds and the inputs that fuzzing found. */
static void the_fuzz_target_survives_its_seeds_and_past_findings(void **state)
{
    const char *folder = TD_SOURCE_DIR "/tests/data/fuzz/fuzz_file";
    DIR *dir = opendir(folder);
    each_seed(run_target_on);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.')
            run_target(read_bytes(path));
    }
    if (dir)
        closedir(dir);
}

static const char *seed_folder;

static void write_seed(struct bytes b)
{
    static unsigned number;
    char to[1024];
    snprintf(to, sizeof to, "%s/%u", seed_folder, number++);
    write_bytes(to, b.data, b.count);
    free(b.data);
}

static void write_seeds(const char *path)
{
    write_seed(input(0, read_bytes(path)));
    write_seed(input(1, payload_of(path)));
}

int main(int argc, char **argv)
{
    full = argc > 1 && !strcmp(argv[1], "--full");
    if (argc > 1 && !full) {
        seed_folder = argv[1];
        return each_seed(write_seeds) ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_cut_at_any_byte_give_an_error_or_what_is_whole),
        cmocka_unit_test(damaged_files_of_every_version_give_errors_or_sound_models),
        cmocka_unit_test(ten_thousand_flipped_bits_give_errors_or_sound_models),
        cmocka_unit_test(damaged_files_of_our_own_give_errors_or_sound_models),
        cmocka_unit_test(random_bytes_are_refused),
        cmocka_unit_test(the_fuzz_target_survives_its_seeds_and_past_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
