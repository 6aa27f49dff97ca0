/* Complete zones that are nested in batches while a trace grows: the rows are those of a trace that nests
 * them at its end. */
#include "tests/trace/same_zones.h"

#define ZONES 400

/* A kernel's zones, as they open and close. */
struct world {
    struct td_trace *settles, *waits;
    struct td_dict *dict[2];
    uint32_t seed;
    int64_t now;
    size_t zones;
    bool lies; /* zones are settled before zones around them come */
};

static uint32_t random_below(struct world *w, uint32_t limit)
{
    w->seed = w->seed * 1103515245u + 12345u;
    return (w->seed >> 8) % limit;
}

static void push(struct td_trace *trace, struct td_event e)
{
    struct td_err err = {0};
    struct td_sink sink = td_trace_sink(trace);
    assert_int_equal(sink.events(sink.self, &e, 1, &err), 0);
}

static struct world begin(uint32_t seed)
{
    struct world w = {.seed = seed};
    for (int i = 0; i < 2; i++) {
        w.dict[i] = td_dict_create();
        struct td_trace *trace = td_trace_create(w.dict[i]);
        assert_non_null(trace);
        td_dict_track(w.dict[i], &(struct td_track){.thread = 1, .kind = TD_TRACK_CORE});
        for (uint32_t n = 0; n < 5; n++)
            td_dict_srcloc(w.dict[i], &(struct td_srcloc){
                                          .name = td_dict_cstring(w.dict[i], (char[]){'a' + (char)n, 0})});
        *(i ? &w.settles : &w.waits) = trace;
    }
    push(w.settles, (struct td_event){.kind = TD_EVENT_SETTLED});
    return w;
}

static void end(struct world *w, uint32_t early)
{
    struct td_err err = {0};
    assert_int_equal(td_trace_finish(w->settles, &err), 0);
    assert_int_equal(td_trace_finish(w->waits, &err), 0);
    assert_true(expect_same_zones(w->waits, 0, w->settles, 0) == w->zones);
    assert_int_equal(td_trace_settled_early(w->settles), early);
    assert_int_equal(td_trace_clamped(w->settles), td_trace_clamped(w->waits));
    td_trace_destroy(w->settles);
    td_trace_destroy(w->waits);
}

/* Writes a zone and those in it, to a depth. If it is shown while open, zones in it may be settled; else it
 * must be settled with them. */
static void write_zone(struct world *w, int depth, int may_settle)
{
    const int shown = may_settle && random_below(w, 3) == 0;
    const int64_t start = w->now;
    const uint32_t srcloc = 1 + random_below(w, 5);
    const uint32_t text = random_below(w, 4) == 0 ? 1 + random_below(w, 5) : 0;
    if (shown)
        push(w->settles, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .time_ns = start, .srcloc = srcloc});
    for (uint32_t inner = depth ? random_below(w, 5) : 0; inner--;) {
        w->now += 1 + random_below(w, 3);
        write_zone(w, depth - 1, shown);
    }
    w->now += random_below(w, 4) ? 1 + random_below(w, 9) : 0;
    if (depth && w->now == start)
        w->now++;
    const struct td_event whole = {
        .kind = TD_EVENT_ZONE, .time_ns = start, .value.end_ns = w->now, .srcloc = srcloc, .subject = text};
    push(w->waits, whole);
    if (shown && text)
        push(w->settles, (struct td_event){.kind = TD_EVENT_ZONE_TEXT, .time_ns = w->now, .subject = text});
    push(w->settles, shown ? (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = w->now} : whole);
    w->now++;
    w->zones++;
    if (random_below(w, 3) == 0 && (may_settle || (w->lies && random_below(w, 20) == 0)))
        push(w->settles, (struct td_event){.kind = TD_EVENT_SETTLED});
}

static void batches_give_the_rows_that_the_end_gives(void **state)
{
    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct world w = begin(seed);
        while (w.zones < ZONES)
            write_zone(&w, 1 + (int)random_below(&w, 6), 1);
        end(&w, 0);
    }
}

static void push_both(struct world *w, struct td_event e)
{
    push(w->settles, e);
    push(w->waits, e);
    w->zones++;
}

static struct td_event zone(int64_t start, int64_t end_ns)
{
    return (struct td_event){.kind = TD_EVENT_ZONE, .time_ns = start, .value.end_ns = end_ns, .srcloc = 1};
}

static void a_zone_around_settled_ones_is_nested_at_the_end(void **state)
{
    struct world w = begin(1);
    const struct td_event settled = {.kind = TD_EVENT_SETTLED};
    push_both(&w, zone(10, 20));
    push_both(&w, zone(30, 40));
    push(w.settles, settled);
    push_both(&w, zone(50, 60));
    push_both(&w, zone(25, 70)); /* around two of them */
    push(w.settles, settled);
    assert_int_equal(td_trace_row_zones(w.settles, 0, 0), 3);
    push_both(&w, zone(82, 86));
    push_both(&w, zone(80, 90));
    push_both(&w, zone(5, 100));
    push(w.settles, settled);
    assert_int_equal(td_trace_row_zones(w.settles, 0, 0), 4);
    assert_int_equal(td_trace_row_zones(w.settles, 0, 1), 1);
    end(&w, 1);
}

/* How many zones a reader sees, which are in order in each row. */
static size_t zones_in_order(const struct td_trace *trace)
{
    size_t zones = 0;
    const struct td_series *row;
    for (uint32_t r = 0; (row = td_trace_row(trace, 0, r)) != NULL; r++) {
        int64_t last = INT64_MIN;
        for (uint64_t i = 0; i < td_series_count(row); i++) {
            const int64_t start = td_series_get(row, i, TD_ZONE_START);
            const int64_t duration = td_series_get(row, i, TD_ZONE_DURATION);
            assert_true(start >= last && duration >= 0);
            last = start + duration;
        }
        zones += td_series_count(row);
    }
    return zones;
}

static void a_broken_promise_hides_only_the_zones_that_came_too_late(void **state)
{
    size_t zones = 0, shown = 0;
    for (uint32_t seed = 1; seed <= 100; seed++) {
        struct world w = begin(seed);
        struct td_err err = {0};
        w.lies = true;
        while (w.zones < ZONES)
            write_zone(&w, 1 + (int)random_below(&w, 6), 1);
        push(w.settles, (struct td_event){.kind = TD_EVENT_SETTLED});
        const size_t seen = zones_in_order(w.settles);
        zones += w.zones;
        shown += seen;
        assert_int_equal(td_trace_late_zones(w.settles), w.zones - seen);
        assert_int_equal(td_trace_settled_early(w.settles), seen < w.zones);
        assert_int_equal(td_trace_finish(w.settles, &err), 0);
        assert_int_equal(td_trace_finish(w.waits, &err), 0);
        assert_true(expect_same_zones(w.waits, 0, w.settles, 0) == w.zones);
        assert_int_equal(td_trace_clamped(w.settles), td_trace_clamped(w.waits));
        td_trace_destroy(w.settles);
        td_trace_destroy(w.waits);
    }
    assert_true(shown < zones && shown > zones / 2);
}

static void zones_of_one_batch_may_come_out_of_order_but_then_wait(void **state)
{
    struct world w = begin(1);
    push_both(&w, zone(10, 20));
    push_both(&w, zone(15, 18));
    push_both(&w, zone(30, 40));
    push(w.settles, (struct td_event){.kind = TD_EVENT_SETTLED});
    end(&w, 1);
}

static void settled_and_open_zones_can_be_read_at_once(void **state)
{
    struct world w = begin(1);
    push(w.settles, (struct td_event){.kind = TD_EVENT_ZONE_BEGIN, .time_ns = 5, .srcloc = 2});
    push(w.settles, zone(10, 20));
    push(w.settles, zone(8, 25));
    assert_int_equal(td_trace_row_zones(w.settles, 0, 0), 1);
    assert_int_equal(td_trace_row_zones(w.settles, 0, 1), 0);
    push(w.settles, (struct td_event){.kind = TD_EVENT_SETTLED});
    assert_int_equal(td_trace_row_zones(w.settles, 0, 1), 1);
    assert_int_equal(td_trace_row_zones(w.settles, 0, 2), 1);
    struct td_zone open = td_trace_zone(w.settles, 0, 0, 0), inner = td_trace_zone(w.settles, 0, 1, 0);
    assert_true(open.start_ns == 5 && open.end_ns == TD_OPEN && open.child_end == 1);
    assert_true(inner.start_ns == 8 && inner.end_ns == 25 && inner.child_end == 1);
    push(w.settles, (struct td_event){.kind = TD_EVENT_ZONE_END, .time_ns = 30});
    assert_true(td_trace_zone(w.settles, 0, 0, 0).end_ns == 30);
    push(w.waits, zone(10, 20));
    push(w.waits, zone(8, 25));
    struct td_event outer = zone(5, 30);
    outer.srcloc = 2;
    push(w.waits, outer);
    w.zones = 3;
    end(&w, 0);
}

static void zones_without_an_end_come_last(void **state)
{
    struct world w = begin(1);
    push_both(&w, zone(10, 20));
    push(w.settles, (struct td_event){.kind = TD_EVENT_SETTLED});
    push_both(&w, zone(40, TD_OPEN));
    push_both(&w, zone(30, TD_OPEN));
    end(&w, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_give_the_rows_that_the_end_gives),
        cmocka_unit_test(a_zone_around_settled_ones_is_nested_at_the_end),
        cmocka_unit_test(a_broken_promise_hides_only_the_zones_that_came_too_late),
        cmocka_unit_test(zones_of_one_batch_may_come_out_of_order_but_then_wait),
        cmocka_unit_test(settled_and_open_zones_can_be_read_at_once),
        cmocka_unit_test(zones_without_an_end_come_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
