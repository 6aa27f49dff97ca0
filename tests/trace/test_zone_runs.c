/* Runs of zones give the same model as the events that they are the short form of. */
#include "host/trace/trace.h"
#include "host/trace/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRACKS = 4, LOCATIONS = 5, EVENTS_ONLY = 0, RUNS = 1, SIDES = 2 };

static uint64_t state = 88172645463325252u;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* A trace that is filled by a hub; another sink of the hub counts events, if it has one. */
struct side {
    struct td_dict *dict;
    struct td_trace *trace;
    struct td_hub *hub;
    uint32_t track[TRACKS], text;
    uint64_t begins, ends; /* of the other sink */
};

static int count_events(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    struct side *side = self;
    for (size_t i = 0; i < count; i++) {
        side->begins += events[i].kind == TD_EVENT_ZONE_BEGIN;
        side->ends += events[i].kind == TD_EVENT_ZONE_END;
    }
    (void)err;
    return 0;
}

/* The last two tracks are a core's, whose zones wait, and one of a GPU context. */
static void begin(struct side *side)
{
    *side = (struct side){.dict = td_dict_create()};
    side->trace = td_trace_create(side->dict);
    side->hub = td_hub_create(side->dict);
    assert_non_null(side->trace);
    assert_non_null(side->hub);
    assert_int_equal(td_hub_add_sink(side->hub, td_trace_sink(side->trace)), 0);
    assert_int_equal(td_hub_add_sink(side->hub, (struct td_sink){.events = count_events, .self = side}), 0);
    for (uint32_t i = 0; i < TRACKS; i++) {
        const struct td_track track = {
            .thread = 100 + i, .kind = i == 2 ? TD_TRACK_CORE : TD_TRACK_THREAD, .context = i == 3 ? 1 : 0};
        side->track[i] = td_dict_track(side->dict, &track);
    }
    for (uint32_t i = 1; i < LOCATIONS; i++)
        td_dict_srcloc(side->dict, &(struct td_srcloc){.line = i});
    side->text = td_dict_cstring(side->dict, "a text");
}

static void end(struct side *side)
{
    td_hub_destroy(side->hub);
    td_trace_destroy(side->trace); /* and its dictionary */
}

/* Passes the marks on in one run, or as events one by one. */
static void pass(struct side *side, int how, uint32_t track, const struct td_zone_mark *marks, size_t count)
{
    struct td_err err = {0};
    if (how == RUNS) {
        assert_int_equal(td_hub_zones(side->hub, side->track[track], marks, count, &err), 0);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct td_event event = td_zone_mark_event(side->track[track], &marks[i]);
        assert_int_equal(td_hub_push(side->hub, &event, 1, &err), 0);
    }
}

static void pass_event(struct side *side, uint32_t track, enum td_event_kind kind, int64_t time_ns)
{
    struct td_err err = {0};
    const struct td_event event = {.kind = kind,
                                   .track = side->track[track],
                                   .subject = side->text,
                                   .time_ns = time_ns,
                                   .value.end_ns = time_ns};
    assert_int_equal(td_hub_push(side->hub, &event, 1, &err), 0);
}

/* Marks of any kind: more ends than begins, begins that go back, locations that do not exist. Ends of a run do not go
 * back: one that does is of a zone that ended out of order, and is passed as an event. */
static size_t any_marks(struct td_zone_mark *marks, size_t most, int64_t *time_ns)
{
    size_t count = any() % most + 1;
    for (size_t i = 0; i < count; i++) {
        *time_ns += (int64_t)(any() % 100);
        marks[i].srcloc = any() % 100 < 45 ? TD_ZONE_MARK_END : (uint32_t)(any() % (LOCATIONS + 1));
        const bool is_back = any() % 50 == 0 && marks[i].srcloc != TD_ZONE_MARK_END;
        marks[i].time_ns = is_back ? *time_ns - 200 : *time_ns;
    }
    return count;
}

static void expect_equal(const struct side *a, const struct side *b, uint32_t track)
{
    uint32_t rows = td_trace_rows(a->trace, a->track[track]);
    assert_int_equal(rows, td_trace_rows(b->trace, b->track[track]));
    for (uint32_t r = 0; r < rows; r++) {
        size_t zones = td_trace_row_zones(a->trace, a->track[track], r);
        assert_int_equal(zones, td_trace_row_zones(b->trace, b->track[track], r));
        for (size_t i = 0; i < zones; i++) {
            const struct td_zone x = td_trace_zone(a->trace, a->track[track], r, i);
            const struct td_zone y = td_trace_zone(b->trace, b->track[track], r, i);
            assert_true(x.start_ns == y.start_ns && x.end_ns == y.end_ns && x.srcloc == y.srcloc);
            assert_true(x.child_begin == y.child_begin && x.child_end == y.child_end);
            assert_true(x.text == y.text && x.name == y.name && x.color == y.color);
        }
    }
}

static void fill_both(struct side *sides)
{
    struct td_zone_mark marks[700];
    int64_t time_ns[TRACKS] = {0};
    for (int turn = 0; turn < 60; turn++) {
        const uint32_t track = (uint32_t)(any() % TRACKS);
        const size_t count = any_marks(marks, any() % 3 ? 700 : 3, &time_ns[track]);
        const int texts = any() % 2 != 0, complete = !(any() % 40);
        for (int how = 0; how < SIDES; how++) {
            pass(&sides[how], how, track, marks, count);
            if (texts)
                pass_event(&sides[how], track, TD_EVENT_ZONE_TEXT, time_ns[track]);
            if (complete) /* from now on, zones of the track wait */
                pass_event(&sides[how], track, TD_EVENT_ZONE, time_ns[track]);
        }
    }
}

static void runs_give_the_same_model_as_events(void **unused)
{
    struct td_err err = {0};
    for (int round = 0; round < 20; round++) {
        struct side sides[SIDES];
        begin(&sides[0]);
        begin(&sides[1]);
        fill_both(sides);
        for (int how = 0; how < SIDES; how++)
            assert_int_equal(td_trace_finish(sides[how].trace, &err), 0);
        for (uint32_t track = 0; track < TRACKS; track++)
            expect_equal(&sides[0], &sides[1], track);
        assert_int_equal(td_trace_clamped(sides[0].trace), td_trace_clamped(sides[1].trace));
        assert_int_equal(td_trace_get_info(sides[0].trace)->last_time_ns,
                         td_trace_get_info(sides[1].trace)->last_time_ns);
        assert_int_equal(sides[0].begins, sides[1].begins);
        assert_int_equal(sides[0].ends, sides[1].ends);
        end(&sides[0]);
        end(&sides[1]);
    }
    (void)unused;
}

static void runs_of_unknown_tracks_and_for_finished_traces_are_refused(void **unused)
{
    const struct td_zone_mark mark = {.time_ns = 1};
    struct side side;
    struct td_err err = {0};
    begin(&side);
    assert_int_equal(td_hub_zones(side.hub, TRACKS, &mark, 1, &err), TD_E_USAGE);
    pass(&side, RUNS, 0, &mark, 1);
    assert_int_equal(td_trace_finish(side.trace, &err), 0);
    assert_int_equal(td_hub_zones(side.hub, side.track[0], &mark, 1, &err), TD_E_USAGE);
    assert_int_equal(td_trace_row_zones(side.trace, side.track[0], 0), 1);
    end(&side);
    (void)unused;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_give_the_same_model_as_events),
        cmocka_unit_test(runs_of_unknown_tracks_and_for_finished_traces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
