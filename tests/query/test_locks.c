/* States and times of locks, against a replay of all events. */
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "host/query/rows/lock_sums.h"
#include "host/query/rows/locks.h"

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

/* The sums of a range are those of the replay, cut at its limits. */
static void check_sum(const struct td_trace *trace, const struct td_locks *locks, int64_t from, int64_t to)
{
    struct td_lock_sums sums;
    uint64_t events[TD_LOCK_KINDS] = {0}, seen = 0;
    int64_t since[THREADS] = {0}, longest = 0;
    bool waits[THREADS] = {false};
    const int64_t end = times[EVENTS - 1] + 50;
    assert_int_equal(td_lock_sums_make(&sums, trace, from, to, end, NULL), 0);
    assert_int_equal(sums.locks, 1);
    for (int i = 0; i < EVENTS; i++) {
        const int kind = kinds[i] % 3, t = threads[i];
        const bool in = times[i] >= from && times[i] <= to;
        events[kinds[i]] += in;
        seen |= (uint64_t)in << t;
        if (kind == 1 && waits[t] && in && times[i] - since[t] > longest)
            longest = times[i] - since[t];
        since[t] = kind == 0 ? times[i] : since[t];
        waits[t] = kind == 0 || (kind == 2 && waits[t]);
    }
    const struct td_lock_sum *s = &sums.of[0];
    assert_memory_equal(s->events, events, sizeof events);
    assert_true(s->threads == seen && s->longest_ns == longest);
    const struct td_lock_times a = td_lock_times_until(locks, trace, 0, from),
                               b = td_lock_times_until(locks, trace, 0, to < end ? to : end);
    assert_true((double)s->held_ns == b.held - a.held &&
                (double)s->contended_ns == b.contended - a.contended);
    assert_true((double)s->waited_ns == b.waited - a.waited);
    td_lock_sums_free(&sums);
}

static void sums_of_a_range_equal_a_replay(void **state)
{
    struct td_trace *trace = make_trace();
    struct td_locks locks;
    assert_int_equal(td_locks_build(&locks, trace, NULL), 0);
    check_sum(trace, &locks, 0, INT64_MAX);
    check_sum(trace, &locks, times[EVENTS / 4], times[EVENTS / 2]);
    check_sum(trace, &locks, times[5] + 1, times[5] + 2);
    check_sum(trace, &locks, times[EVENTS - 1] + 10, times[EVENTS - 1] + 20);
    td_locks_free(&locks);
    td_trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_and_times_equal_a_replay),
        cmocka_unit_test(segments_follow_each_other_to_the_end),
        cmocka_unit_test(sums_of_a_range_equal_a_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
