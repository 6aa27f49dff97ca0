/* Series with allocations that fail at any moment. The linker puts the functions below in front of the
 * store's. */
#include "host/trace/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void *__real_td_store_alloc(struct td_store *store, size_t bytes);
void *__wrap_td_store_alloc(struct td_store *store, size_t bytes);
void *__real_td_store_alloc_sparse(struct td_store *store, size_t bytes);
void *__wrap_td_store_alloc_sparse(struct td_store *store, size_t bytes);
void *__real_td_store_alloc_chunk(struct td_store *store, size_t bytes);
void *__wrap_td_store_alloc_chunk(struct td_store *store, size_t bytes);
void *__real_td_store_take_packed(struct td_store *store, size_t bytes, struct td_packed_slab **slab);
void *__wrap_td_store_take_packed(struct td_store *store, size_t bytes, struct td_packed_slab **slab);
int64_t *__real_td_store_raw(struct td_store *store, size_t integers);
int64_t *__wrap_td_store_raw(struct td_store *store, size_t integers);

enum { COLUMNS = 3, ROWS = 6 * (int)TD_SERIES_ROWS + 9 };

static unsigned long allocations, fails_at, fails_for;

static int fails(void)
{
    unsigned long now = allocations++;
    return now >= fails_at && now - fails_at < fails_for;
}

void *__wrap_td_store_alloc(struct td_store *store, size_t bytes)
{
    return fails() ? NULL : __real_td_store_alloc(store, bytes);
}

void *__wrap_td_store_alloc_sparse(struct td_store *store, size_t bytes)
{
    return fails() ? NULL : __real_td_store_alloc_sparse(store, bytes);
}

void *__wrap_td_store_alloc_chunk(struct td_store *store, size_t bytes)
{
    return fails() ? NULL : __real_td_store_alloc_chunk(store, bytes);
}

void *__wrap_td_store_take_packed(struct td_store *store, size_t bytes, struct td_packed_slab **slab)
{
    return fails() ? NULL : __real_td_store_take_packed(store, bytes, slab);
}

int64_t *__wrap_td_store_raw(struct td_store *store, size_t integers)
{
    return fails() ? NULL : __real_td_store_raw(store, integers);
}

static int64_t cell(uint64_t row, unsigned column)
{
    return (int64_t)(row * (column ? UINT64_C(0x9e3779b97f4a7c15) : 5) >> 8 * column);
}

static void check(const struct td_series *s, uint64_t count)
{
    int64_t row[COLUMNS];
    assert_int_equal(td_series_count(s), count);
    for (uint64_t i = 0; i < count; i++) {
        td_series_row(s, i, row);
        for (unsigned c = 0; c < COLUMNS; c++)
            assert_true(row[c] == cell(i, c));
    }
    assert_int_equal(td_series_after(s, 0, INT64_MAX), count);
}

/* Fills, fails at one allocation for some calls, and continues when memory is available again. */
static void fill(int loose)
{
    struct td_store *store = td_store_create(0);
    struct td_series s;
    int failures = 0, settled = 0;
    td_series_init(&s, store, COLUMNS, loose);
    for (uint64_t i = 0; i < ROWS;) {
        int64_t row[COLUMNS] = {cell(i, 0), cell(i, 1), 0};
        if (td_series_append(&s, row) == 0) {
            td_series_set_last(&s, 2, cell(i++, 2));
            settled = i % 100 == 0 && td_series_settle(&s) == 0;
            failures += i % 100 == 0 && !settled;
            continue;
        }
        failures++;
        check(&s, i);
        if (i && !settled) {
            assert_true(td_series_get_last(&s, 2) == cell(i - 1, 2));
            td_series_set_last(&s, 2, cell(i - 1, 2));
        }
    }
    check(&s, ROWS);
    while (td_series_seal(&s) < 0) {
        failures++;
        check(&s, ROWS);
    }
    check(&s, ROWS);
    assert_true(failures >= (int)fails_for);
    td_store_destroy(store);
}

static void at_each_allocation(int loose, unsigned long times)
{
    fails_for = allocations = 0;
    fill(loose);
    unsigned long all = allocations;
    assert_true(all > 6);
    for (fails_at = 0; fails_at < all; fails_at++) {
        fails_for = times;
        allocations = 0;
        fill(loose);
    }
}

static void a_series_survives_a_failure_at_each_allocation(void **unused)
{
    at_each_allocation(0, 1);
    at_each_allocation(0, 3);
    (void)unused;
}

static void a_loose_series_does_too(void **unused)
{
    at_each_allocation(1, 1);
    at_each_allocation(1, 3);
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_series_survives_a_failure_at_each_allocation),
        cmocka_unit_test(a_loose_series_does_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
