/* States and times of locks, against a replay of all events. */
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "host/viewer/analysis/locks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#define EVENTS  3000
#define THREADS 5

static int64_t times[EVENTS];
static int threads[EVENTS], kinds[EVENTS];

/* A lock whose threads wait, obtain and release in a random order; some events have equal times. */
static struct td_trace *make_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_series *locks = td_trace_fill_table(trace, TD_TABLE_LOCK);
    int64_t lock[TD_LOCK_COLUMN_COUNT] = {0};
    assert_int_equal(td_series_append(locks, lock), 0);
    struct td_series *events = td_trace_fill_list(trace, TD_TABLE_LOCK_EVENT, 0);
    int64_t now = 100;
    srand(7);
    for (int i = 0; i < EVENTS; i++) {
        now += rand() % 4 ? rand() % 50 : 0;
        times[i] = now;
        threads[i] = rand() % THREADS;
        kinds[i] = rand() % 6;
        int64_t row[TD_LOCK_EVENT_COLUMN_COUNT] = {
            [TD_LOCK_EVENT_TIME] = now, [TD_LOCK_EVENT_THREAD] = threads[i], [TD_LOCK_EVENT_KIND] = kinds[i]};
        assert_int_equal(td_series_append(events, row), 0);
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static struct td_lock_state state_at(int64_t time)
{
    struct td_lock_state s = {0};
    for (int i = 0; i < EVENTS && times[i] <= time; i++) {
        uint64_t bit = UINT64_C(1) << threads[i];
        if (kinds[i] % 3 == 0)
            s.waiters |= bit;
        else if (kinds[i] % 3 == 1) {
            s.waiters &= ~bit;
            s.holders |= bit;
        } else
            s.holders &= ~bit;
    }
    return s;
}

static void states_and_times_equal_a_replay(void **state)
{
    struct td_trace *trace = make_trace();
    struct td_locks locks;
    struct td_lock_segment s;
    assert_int_equal(td_locks_build(&locks, trace, NULL), 0);
    assert_false(td_lock_at(&locks, trace, 0, times[0] - 1, &s));
    assert_false(td_lock_at(&locks, trace, 1, times[0], &s));
    struct td_lock_times expected = {0};
    for (int64_t t = times[0]; t < times[EVENTS - 1] + 20; t++) {
        struct td_lock_state want = state_at(t);
        struct td_lock_times got = td_lock_times_until(&locks, trace, 0, t);
        assert_true(td_lock_at(&locks, trace, 0, t, &s));
        assert_true(s.start_ns <= t && t < s.end_ns);
        assert_true(s.state.holders == want.holders && s.state.waiters == want.waiters);
        assert_true(got.held == expected.held && got.contended == expected.contended);
        assert_true(got.waited == expected.waited);
        expected.held += want.holders != 0;
        expected.contended += want.holders && want.waiters;
        expected.waited += __builtin_popcountll(want.waiters);
    }
    td_locks_free(&locks);
    td_trace_destroy(trace);
}

static void segments_follow_each_other_to_the_end(void **state)
{
    struct td_trace *trace = make_trace();
    struct td_locks locks;
    struct td_lock_segment s;
    assert_int_equal(td_locks_build(&locks, trace, NULL), 0);
    assert_true(td_lock_at(&locks, trace, 0, times[0], &s));
    int64_t end = s.end_ns;
    while (td_lock_next(trace, 0, &s)) {
        struct td_lock_state want = state_at(s.start_ns);
        assert_true(s.start_ns == end && s.end_ns > s.start_ns);
        assert_true(s.state.holders == want.holders && s.state.waiters == want.waiters);
        end = s.end_ns;
    }
    assert_true(end == INT64_MAX && s.event == EVENTS - 1);
    td_locks_free(&locks);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_and_times_equal_a_replay),
        cmocka_unit_test(segments_follow_each_other_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
