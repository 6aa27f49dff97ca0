/* Work in items on several threads. */
#include "host/base/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ITEMS = 1000, WORKERS = 8 };

struct counts {
    int done[ITEMS];   /* atomic */
    int busy[WORKERS]; /* atomic */
    int wrong;         /* atomic */
    size_t fails[2];
};

static int count(void *self, size_t item, unsigned worker)
{
    struct counts *c = self;
    __atomic_fetch_add(&c->done[item], 1, __ATOMIC_RELAXED);
    if (worker >= WORKERS || __atomic_fetch_add(&c->busy[worker], 1, __ATOMIC_ACQ_REL))
        __atomic_store_n(&c->wrong, 1, __ATOMIC_RELAXED);
    else
        __atomic_fetch_sub(&c->busy[worker], 1, __ATOMIC_ACQ_REL);
    return item == c->fails[0] ? -1 : item == c->fails[1] ? -2 : 0;
}

static void every_item_is_done_once_and_no_worker_does_two_at_a_time(void **state)
{
    for (unsigned threads = 1; threads <= WORKERS; threads++) {
        struct counts c = {.fails = {SIZE_MAX, SIZE_MAX}};
        assert_int_equal(td_parallel(threads, ITEMS, count, &c), 0);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(c.done[i], 1);
        assert_int_equal(c.wrong, 0);
    }
    assert_int_equal(td_parallel(4, 0, count, NULL), 0);
}

static void the_lowest_item_that_fails_is_told_and_no_more_begin(void **state)
{
    for (unsigned threads = 1; threads <= WORKERS; threads++) {
        struct counts c = {.fails = {17, 18}};
        int done = 0;
        assert_int_equal(td_parallel(threads, ITEMS, count, &c), -1);
        for (int i = 0; i <= 17; i++)
            assert_int_equal(c.done[i], 1);
        for (int i = 0; i < ITEMS; i++)
            done += c.done[i];
        assert_true(threads > 1 || done == 18);
    }
}

static void a_number_of_threads_is_told_for_all_wishes(void **state)
{
    assert_true(td_parallel_threads(0) >= 1);
    assert_int_equal(td_parallel_threads(1), 1);
    assert_int_equal(td_parallel_threads(7), 7);
    assert_int_equal(td_parallel_threads(100000), 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_and_no_worker_does_two_at_a_time),
        cmocka_unit_test(the_lowest_item_that_fails_is_told_and_no_more_begin),
        cmocka_unit_test(a_number_of_threads_is_told_for_all_wishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
