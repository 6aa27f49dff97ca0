/* The log of a lane: what is read is what was added, in the order of ends, however much of it was packed. */
#include "host/agent/board/lane_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EVENTS 5000
#define LATE   64 /* places that an event moves up at most */

/* The same in one array. */
struct plain {
    struct td_event events[EVENTS + 1];
    int is_gap[EVENTS + 1];
    size_t count;
};

static uint32_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * n) >> 32);
}

static void plain_add(struct plain *p, struct td_event e, int is_gap)
{
    size_t at = p->count++;
    for (int moved = 0; at > 0 && moved < LATE; at--, moved++) {
        if (td_lane_event_end(&p->events[at - 1]) <= td_lane_event_end(&e))
            break;
        p->events[at] = p->events[at - 1];
        p->is_gap[at] = p->is_gap[at - 1];
    }
    p->events[at] = e;
    p->is_gap[at] = is_gap;
}

static void plain_trim(struct plain *p, int64_t start, int64_t end)
{
    for (size_t i = p->count; i-- > 0;) {
        struct td_event *gap = &p->events[i];
        if (!p->is_gap[i])
            continue;
        if (gap->value.end_ns <= start)
            break;
        if (start > gap->time_ns && end >= gap->value.end_ns)
            gap->value.end_ns = start;
    }
}

static struct td_event zone(int64_t start, int64_t end)
{
    return (struct td_event){.kind = TD_EVENT_ZONE,
                             .time_ns = start,
                             .value.end_ns = end,
                             .srcloc = 1 + random_below(40),
                             .subject = random_below(9) ? 0 : random_below(1000)};
}

static struct td_event point(int64_t time)
{
    return (struct td_event){
        .kind = TD_EVENT_PLOT, .time_ns = time, .subject = random_below(3), .value.f64 = time / 7.0};
}

static void add_one(struct td_lane_log *log, struct plain *p, int64_t now)
{
    int64_t late = random_below(20) ? 0 : random_below(3000);
    int64_t end = now - late, start = end - random_below(random_below(30) ? 50 : 20000);
    switch (random_below(12)) {
    case 0: {
        struct td_event e = point(end);
        assert_int_equal(td_lane_log_add(log, e), 0);
        plain_add(p, e, 0);
        return;
    }
    case 1: {
        struct td_event gap = zone(start, end);
        assert_int_equal(td_lane_log_add_gap(log, gap), 0);
        plain_add(p, gap, 1);
        return;
    }
    default: {
        struct td_event e = zone(start, end);
        td_lane_log_trim_gaps(log, start, end);
        plain_trim(p, start, end);
        assert_int_equal(td_lane_log_add(log, e), 0);
        plain_add(p, e, 0);
    }
    }
}

static void check_same(const struct td_lane_log *log, const struct plain *p)
{
    struct td_lane_log_cursor cursor = {0};
    struct td_event events[TD_LANE_LOG_BLOCK];
    size_t at = 0;
    for (size_t n; (n = td_lane_log_next(log, &cursor, events)) > 0; at += n) {
        assert_true(at + n <= p->count);
        assert_memory_equal(events, p->events + at, n * sizeof *events);
    }
    assert_int_equal(at, p->count);
}

static void try_one(struct plain *p)
{
    struct td_store *store = td_store_create(0);
    struct td_lane_log log;
    int64_t now = 100000;
    td_lane_log_init(&log, store);
    p->count = 0;
    for (size_t i = 0; i < EVENTS; i++) {
        now += random_below(100);
        add_one(&log, p, now);
    }
    assert_true(td_series_count(&log.packed) > EVENTS / 2);
    check_same(&log, p);
    td_lane_log_free(&log);
    td_store_destroy(store);
}

static void what_is_read_is_what_was_added(void **state)
{
    struct plain *p = calloc(1, sizeof *p);
    for (uint32_t turn = 1; turn <= 30; turn++) {
        seed = turn;
        try_one(p);
    }
    free(p);
}

/* Millions of zones wait for the end of a recording. */
static void a_waiting_zone_takes_few_bytes(void **state)
{
    enum { ZONES = 1000000 };
    struct td_store *store = td_store_create(0);
    struct td_lane_log log;
    uint64_t memory, file;
    td_lane_log_init(&log, store);
    seed = 1;
    for (int64_t i = 0, now = 0; i < ZONES; i++) {
        now += 300 + random_below(4000);
        assert_int_equal(td_lane_log_room(&log, 1), 0);
        td_lane_log_put_(&log, zone(now - random_below(300), now));
    }
    assert_true(td_lane_log_count(&log) == ZONES);
    td_store_usage(store, &memory, &file);
    assert_true(memory + log.capacity * sizeof *log.recent < 12.5 * ZONES);
    td_lane_log_free(&log);
    td_store_destroy(store);
}

static void what_exceeds_the_limit_waits_in_a_file(void **state)
{
    struct plain *p = calloc(1, sizeof *p);
    struct td_store *store = td_store_create(64 << 10);
    struct td_lane_log log;
    uint64_t memory, file;
    td_lane_log_init(&log, store);
    seed = 5;
    for (int64_t i = 0, now = 0; i < EVENTS; i++) {
        now += 500 + random_below(100000);
        struct td_event e = zone(now - random_below(500), now);
        assert_int_equal(td_lane_log_add(&log, e), 0);
        plain_add(p, e, 0);
    }
    check_same(&log, p);
    td_store_usage(store, &memory, &file);
    assert_true(file > 0);
    td_lane_log_free(&log);
    td_store_destroy(store);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_is_what_was_added),
        cmocka_unit_test(a_waiting_zone_takes_few_bytes),
        cmocka_unit_test(what_exceeds_the_limit_waits_in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
