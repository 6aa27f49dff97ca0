/* A store with system calls that fail at any moment. The linker puts the functions below in front of the C
 * library's. */
#include "host/trace/series.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { ROWS = 30 * (int)TD_SERIES_ROWS, LIMIT = 100000 };

static unsigned long calls, fails_at, fails_for;
static int armed, disk_is_full;

static int fails(int error)
{
    unsigned long now = armed ? calls++ : 0;
    int no = armed && now >= fails_at && now - fails_at < fails_for;
    errno = no ? error : errno;
    return no;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
    return fails(ENOMEM) ? NULL : __real_malloc(bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails(ENOMEM) ? NULL : __real_calloc(count, bytes);
}

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return fails(ENOMEM) ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, file, offset);
}

int __real_posix_fallocate(int file, off_t offset, off_t bytes);
int __wrap_posix_fallocate(int file, off_t offset, off_t bytes);
int __wrap_posix_fallocate(int file, off_t offset, off_t bytes)
{
    return disk_is_full || fails(ENOSPC) ? ENOSPC : __real_posix_fallocate(file, offset, bytes);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *self);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *self);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *self)
{
    return fails(EAGAIN) ? EAGAIN : __real_pthread_create(thread, how, run, self);
}

static int64_t cell(uint64_t row, unsigned column)
{
    return (int64_t)((row + 1) * UINT64_C(0x9e3779b97f4a7c15) * (column + 1));
}

static void check(const struct td_series *s, uint64_t count)
{
    assert_int_equal(td_series_count(s), count);
    for (uint64_t i = 0; i < count; i++)
        for (unsigned c = 0; c < 4; c++)
            assert_true(td_series_get(s, i, c) == cell(i, c));
}

/* Fills beyond the limit, into the file. Continues when the failed call works again. */
static void fill(void)
{
    armed = 1;
    struct td_store *store = td_store_create(LIMIT);
    armed = 0;
    if (!store)
        return;
    struct td_series s;
    td_series_init(&s, store, 4, 0);
    for (uint64_t i = 0; i < ROWS;) {
        const int64_t row[4] = {cell(i, 0), cell(i, 1), cell(i, 2), cell(i, 3)};
        armed = 1;
        int rc = td_series_append(&s, row);
        armed = 0;
        i += rc == 0;
        if (rc < 0) {
            assert_true(*td_store_problem(store));
            check(&s, i);
        }
    }
    uint64_t memory, file;
    td_store_usage(store, &memory, &file);
    assert_true(file > 0);
    check(&s, ROWS);
    td_store_destroy(store);
}

static void a_store_survives_whatever_fails(void **unused)
{
    fails_for = calls = 0;
    fill();
    unsigned long all = calls;
    assert_true(all > 8);
    for (fails_for = 1; fails_for <= 8; fails_for += 7) {
        for (fails_at = 0; fails_at < all; fails_at++) {
            calls = 0;
            fill();
        }
    }
    (void)unused;
}

/* Unless it may exceed its limit, a store fails without room on the disk. */
static void without_room_on_the_disk_data_stays_in_memory_if_it_may(void **unused)
{
    for (int may = 0; may <= 1; may++) {
        struct td_store *store = td_store_create(LIMIT);
        struct td_series s;
        uint64_t rows = 0, memory, file;
        td_series_init(&s, store, 4, 0);
        if (may)
            td_store_may_exceed(store);
        disk_is_full = 1;
        while (rows < ROWS) {
            const int64_t row[4] = {cell(rows, 0), cell(rows, 1), cell(rows, 2), cell(rows, 3)};
            if (td_series_append(&s, row) < 0)
                break;
            rows++;
        }
        disk_is_full = 0;
        check(&s, rows);
        assert_int_equal(rows == ROWS, may);
        td_store_usage(store, &memory, &file);
        assert_true(file == 0);
        td_store_destroy(store);
    }
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_survives_whatever_fails),
        cmocka_unit_test(without_room_on_the_disk_data_stays_in_memory_if_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
