/* Chunks are kept in memory, then in a file. Tests what happens when either is full. */
#include "host/trace/series.h"
#include "tests/trace/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB ((uint64_t)1 << 20)

enum { COLUMNS = 8, SKIPPED = 77 };

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* 64 bytes a row, packed or not. */
static int fill(struct td_series *s, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++) {
        int64_t row[COLUMNS];
        for (unsigned c = 0; c < COLUMNS; c++)
            row[c] = (int64_t)mixed(i * COLUMNS + c);
        if (td_series_append(s, row) < 0)
            return -1;
    }
    return 0;
}

static uint64_t wrong_rows(const struct td_series *s)
{
    uint64_t wrong = 0;
    int64_t values[4096];
    for (unsigned c = 0; c < COLUMNS; c++) {
        for (uint64_t i = 0; i < td_series_count(s); i += 4096) {
            uint64_t n = td_series_count(s) - i < 4096 ? td_series_count(s) - i : 4096;
            td_series_read(s, c, i, n, values);
            for (uint64_t k = 0; k < n; k++)
                wrong += values[k] != (int64_t)mixed((i + k) * COLUMNS + c);
        }
    }
    return wrong;
}

static uint64_t status_bytes(const char *key)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[200];
    unsigned long long kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, key, &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib << 10;
}

/* Runs in a child process. Returns its exit status. */
static int in_a_child(int (*run)(void))
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(run());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void memory_is_aligned_zero_and_apart(void **unused)
{
    struct td_store *store = td_store_create(MIB);
    unsigned char *before = NULL;
    size_t size = 0;
    for (size_t i = 1; i < 3000; i++) {
        for (size_t k = 0; k < size; k++)
            assert_int_equal(before[k], (unsigned char)(size + k));
        size = mixed(i) % (i % 500 ? 3000 : 600000) + 1;
        before = td_store_alloc(store, size);
        assert_non_null(before);
        assert_int_equal((uintptr_t)before % 8, 0);
        for (size_t k = 0; k < size; k++) {
            assert_int_equal(before[k], 0);
            before[k] = (unsigned char)(size + k);
        }
    }
    uint64_t memory, file;
    td_store_usage(store, &memory, &file);
    assert_true(memory <= MIB);
    assert_true(file > MIB);
    td_store_destroy(store);
    (void)unused;
}

static void raw_buffers_come_back(void **unused)
{
    struct td_store *store = td_store_create(0);
    static const size_t sizes[] = {1, 8, 16, 17, 48, 96, 1000, 5 * 256, 12 * 256, 70000};
    int64_t *raw[10];
    uint64_t first, now, file;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 10; i++) {
            raw[i] = td_store_raw(store, sizes[i]);
            assert_non_null(raw[i]);
            assert_int_equal((uintptr_t)raw[i] % 64, 0);
            for (size_t k = 0; k < sizes[i]; k++)
                raw[i][k] = i;
        }
        for (int i = 0; i < 10; i++) {
            for (size_t k = 0; k < sizes[i]; k++)
                assert_true(raw[i][k] == i);
            td_store_give_back(store, raw[i], sizes[i]);
        }
        td_store_usage(store, round ? &now : &first, &file);
        if (round)
            assert_int_equal(now, first);
        if (round > 2)
            td_store_trim(store);
    }
    td_store_trim(store);
    td_store_usage(store, &now, &file);
    assert_int_equal(now, 0);
    td_store_destroy(store);
    (void)unused;
}

static void an_impossible_size_is_refused(void **unused)
{
    struct td_store *store = td_store_create(MIB);
    assert_null(td_store_alloc(store, SIZE_MAX));
    assert_null(td_store_alloc(store, SIZE_MAX / 4));
    assert_null(td_store_raw(store, SIZE_MAX));
    assert_null(td_store_raw(store, SIZE_MAX / 64));
    assert_non_null(td_store_alloc(store, 1));
    td_store_destroy(store);
    (void)unused;
}

enum { LIMIT = 16 };

/* Fills ten times the limit in a process whose memory is limited to three times the limit. Mapped files do
 * not count as memory there. */
static int ten_times_the_limit(void)
{
    uint64_t before = status_bytes("VmRSS: %llu"), data = status_bytes("VmData: %llu"),
             rows = 10 * LIMIT * MIB / 64;
    struct rlimit limit = {data + 3 * LIMIT * MIB, data + 3 * LIMIT * MIB};
    if (!SANITIZED && setrlimit(RLIMIT_DATA, &limit) < 0)
        return 2;
    struct td_store *store = td_store_create(LIMIT * MIB);
    struct td_series s;
    td_series_init(&s, store, COLUMNS, 0);
    if (fill(&s, rows) < 0 || td_series_seal(&s) < 0)
        return 3;
    if (wrong_rows(&s))
        return 4;
    uint64_t memory, file, peak = status_bytes("VmHWM: %llu") - before;
    td_store_usage(store, &memory, &file);
    printf("[  limit   ] %d MiB, %llu MiB in memory, %llu MiB in the file, %llu MiB resident at most\n",
           LIMIT, (unsigned long long)(memory / MIB), (unsigned long long)(file / MIB),
           (unsigned long long)(peak / MIB));
    fflush(stdout);
    if (memory > LIMIT * MIB || file < 8 * LIMIT * MIB)
        return 5;
    if (!SANITIZED && peak > 3 * LIMIT * MIB)
        return 6;
    td_store_destroy(store);
    return 0;
}

static void ten_times_the_limit_fills_seals_and_reads_back(void **unused)
{
    assert_int_equal(in_a_child(ten_times_the_limit), 0);
    (void)unused;
}

static int put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    int done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Makes a mount namespace for this process. A user who is not root becomes root in it. */
static int own_mounts(void)
{
    char users[40], groups[40];
    snprintf(users, sizeof users, "0 %u 1", (unsigned)geteuid());
    snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getegid());
    if (geteuid() == 0 ? unshare(CLONE_NEWNS) != 0
                       : unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0 || !put("/proc/self/setgroups", "deny") ||
                             !put("/proc/self/uid_map", users) || !put("/proc/self/gid_map", groups))
        return 0;
    return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* Runs in a new file system of 8 MiB. */
static int a_full_disk(void)
{
    char folder[] = "/tmp/tendril-store-XXXXXX";
    if (!mkdtemp(folder))
        return 2;
    int own = own_mounts() && mount("tmpfs", folder, "tmpfs", 0, "size=8m") == 0;
    if (!own) {
        rmdir(folder);
        return SKIPPED;
    }
    setenv("TMPDIR", folder, 1);
    struct td_store *store = td_store_create(MIB);
    struct td_series s;
    uint64_t memory, file;
    td_series_init(&s, store, COLUMNS, 0);
    int full = fill(&s, 64 * MIB / 64) < 0;
    td_store_usage(store, &memory, &file);
    int sound = full && td_series_count(&s) * 64 > 7 * MIB && wrong_rows(&s) == 0 && file > 6 * MIB &&
                file <= 8 * MIB;
    printf("[   full   ] %s\n", td_store_problem(store));
    fflush(stdout);
    td_store_destroy(store);
    umount2(folder, MNT_DETACH);
    rmdir(folder);
    return sound ? 0 : 3;
}

static void a_full_disk_is_an_error_and_no_signal(void **unused)
{
    int rc = in_a_child(a_full_disk);
    if (rc == SKIPPED)
        printf("[  SKIPPED ] no right to mount a small file system here\n");
    else
        assert_int_equal(rc, 0);
    (void)unused;
}

/* Without a folder for temporary files there is no room beyond the limit, and a line that says so. */
static int no_folder(void)
{
    struct rlimit none = {3, 3};
    setenv("TMPDIR", "/nonexistent", 1);
    struct td_store *store = td_store_create(MIB);
    struct td_series s;
    td_series_init(&s, store, COLUMNS, 0);
    setrlimit(RLIMIT_NOFILE, &none);
    int refused = fill(&s, 4 * MIB / 64) < 0;
    int sound = refused && td_series_count(&s) > 1000 && wrong_rows(&s) == 0 && *td_store_problem(store);
    td_store_destroy(store);
    return sound ? 0 : 3;
}

static void no_file_is_an_error_with_a_reason(void **unused)
{
    assert_int_equal(in_a_child(no_folder), 0);
    (void)unused;
}

/* Chunks of another size every round, each given back when as many newer ones are there. */
static void memory_of_given_back_chunks_serves_other_sizes(void **state)
{
    enum { LIVE = 500, ROUNDS = 40, TURN = 50 };
    struct td_store *store = td_store_create(0);
    struct {
        unsigned char *at;
        size_t bytes;
    } live[LIVE] = {{0}};
    uint64_t memory = 0, in_file, early = 0;
    td_store_recycle(store);
    for (unsigned i = 0; i < ROUNDS * 2 * LIVE; i++) {
        const unsigned round = i / (2 * LIVE), slot = i % LIVE;
        unsigned char mark = (unsigned char)(i - LIVE);
        if (live[slot].at)
            assert_true(live[slot].at[0] == mark && live[slot].at[live[slot].bytes - 1] == mark);
        td_store_retire(store, live[slot].at, live[slot].bytes);
        live[slot].bytes = 1000 + round * 977 % 7000;
        live[slot].at = td_store_alloc_chunk(store, live[slot].bytes);
        assert_non_null(live[slot].at);
        memset(live[slot].at, (int)(i & 255), live[slot].bytes);
        if (i % TURN == 0)
            td_store_turn(store);
        td_store_usage(store, &memory, &in_file);
        early = round < 15 ? memory : early;
    }
    print_message("%llu bytes early, %llu at the end\n", (unsigned long long)early,
                  (unsigned long long)memory);
    assert_true(memory < early + early / 4 && memory < 3 * LIVE * 8000);
    td_store_destroy(store);
}

static void a_sparse_range_counts_only_where_nothing_is_recycled(void **state)
{
    enum { BYTES = 64 << 20 };
    for (int recycles = 0; recycles < 2; recycles++) {
        struct td_store *store = td_store_create(0);
        uint64_t memory, in_file;
        if (recycles)
            td_store_recycle(store);
        unsigned char *range = td_store_alloc_sparse(store, BYTES);
        assert_non_null(range);
        assert_true(!range[0] && !range[BYTES - 1]);
        range[BYTES / 2] = 1;
        td_store_usage(store, &memory, &in_file);
        assert_true(recycles ? memory < BYTES / 100 : memory >= BYTES);
        td_store_destroy(store);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_zero_and_apart),
        cmocka_unit_test(raw_buffers_come_back),
        cmocka_unit_test(an_impossible_size_is_refused),
        cmocka_unit_test(ten_times_the_limit_fills_seals_and_reads_back),
        cmocka_unit_test(a_full_disk_is_an_error_and_no_signal),
        cmocka_unit_test(no_file_is_an_error_with_a_reason),
        cmocka_unit_test(memory_of_given_back_chunks_serves_other_sizes),
        cmocka_unit_test(a_sparse_range_counts_only_where_nothing_is_recycled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
