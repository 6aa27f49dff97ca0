/* Readers that follow writers read what was written. Each value can be computed from its row. */
#include "host/trace/series.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COLUMNS = 3, READERS = 3, WRITERS = 2, ROUNDS = 12 };

#ifdef TD_THREAD_SANITIZER
#define ROWS 12000u
#else
#define ROWS 60000u
#endif

/* Column 0 never falls, column 1 needs all widths, column 2 is 0 at first and then changes once. */
static int64_t cell(uint64_t row, unsigned column, unsigned salt)
{
    if (column == 0)
        return (int64_t)(row / 3 * (salt + 1));
    uint64_t x = (row + salt) * UINT64_C(0x9e3779b97f4a7c15);
    return column == 1 ? (int64_t)(x >> (row / 1000 % 8 * 8)) : (int64_t)(x | 1);
}

struct followed {
    struct td_series series;
    unsigned salt;
    uint64_t settles; /* after this number of rows */
    int done;         /* atomic */
};

struct reader {
    struct followed *of;
    uint64_t seed, wrong, reads;
};

static uint64_t next(struct reader *r)
{
    r->seed ^= r->seed << 13;
    r->seed ^= r->seed >> 7;
    return r->seed ^= r->seed << 17;
}

static void expect(struct reader *r, uint64_t row, unsigned column, int64_t value, uint64_t count)
{
    r->reads++;
    int fresh = column == 2 && row + 1 >= count && value == 0; /* the last row, not yet changed */
    r->wrong += !fresh && value != cell(row, column, r->of->salt);
}

static void look(struct reader *r)
{
    const struct td_series *s = &r->of->series;
    uint64_t count = td_series_count(s);
    if (!count)
        return;
    /* Mostly near the end, where rows move. */
    uint64_t back = next(r) % 4 ? next(r) % 600 : next(r), row = count - 1 - back % count;
    int64_t values[700], whole[COLUMNS];
    td_series_row(s, row, whole);
    for (unsigned c = 0; c < COLUMNS; c++) {
        expect(r, row, c, whole[c], count);
        expect(r, row, c, td_series_get(s, row, c), count);
    }
    unsigned column = (unsigned)(next(r) % COLUMNS);
    uint64_t n = count - row < 700 ? count - row : 700;
    td_series_read(s, column, row, n, values);
    for (uint64_t i = 0; i < n; i++)
        expect(r, row + i, column, values[i], count);
    int64_t key = cell(row, 0, r->of->salt);
    uint64_t after = td_series_after(s, 0, key), expected = row / 3 * 3 + 3;
    r->wrong += after < count ? after != expected : after > expected;
}

static void *follow(void *self)
{
    struct reader *r = self;
    while (!__atomic_load_n(&r->of->done, __ATOMIC_ACQUIRE))
        look(r);
    for (int i = 0; i < 100; i++)
        look(r);
    return NULL;
}

static void *write_rows(void *self)
{
    struct followed *f = self;
    int ok = 1;
    for (uint64_t i = 0; ok && i < ROWS; i++) {
        int64_t row[COLUMNS] = {cell(i, 0, f->salt), cell(i, 1, f->salt), 0};
        ok = td_series_append(&f->series, row) == 0;
        td_series_set_last(&f->series, 2, cell(i, 2, f->salt));
        if (i % f->settles == 0)
            ok = ok && td_series_settle(&f->series) == 0;
    }
    ok = ok && td_series_seal(&f->series) == 0;
    __atomic_store_n(&f->done, 1, __ATOMIC_RELEASE);
    return ok ? f : NULL;
}

/* The writers share a store, so that each one reuses chunks that the other has freed. */
static void a_round(unsigned round, int loose)
{
    struct td_store *store = td_store_create(round % 2 ? 64 << 10 : 0);
    struct followed followed[WRITERS] = {0};
    struct reader readers[READERS] = {0};
    pthread_t writing[WRITERS], reading[READERS];
    for (unsigned i = 0; i < WRITERS; i++) {
        followed[i].salt = round + 7 * i;
        followed[i].settles = round % 3 ? 1 + 97 * round : ROWS;
        td_series_init(&followed[i].series, store, COLUMNS, loose);
    }
    for (unsigned i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.of = &followed[i % WRITERS], .seed = 88172645463325252u + round + i};
        assert_int_equal(pthread_create(&reading[i], NULL, follow, &readers[i]), 0);
    }
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writing[i], NULL, write_rows, &followed[i]), 0);
    for (unsigned i = 0; i < WRITERS; i++) {
        void *ok;
        pthread_join(writing[i], &ok);
        assert_non_null(ok);
    }
    td_store_trim(store);
    for (unsigned i = 0; i < READERS; i++) {
        pthread_join(reading[i], NULL);
        assert_int_equal(readers[i].wrong, 0);
        assert_true(readers[i].reads > 0);
    }
    td_store_destroy(store);
}

static void readers_see_what_was_written(void **unused)
{
    for (unsigned round = 0; round < ROUNDS; round++)
        a_round(round, 0);
    (void)unused;
}

static void readers_of_loose_series_do_too(void **unused)
{
    for (unsigned round = 0; round < ROUNDS / 3; round++)
        a_round(round, 1);
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_see_what_was_written),
        cmocka_unit_test(readers_of_loose_series_do_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
