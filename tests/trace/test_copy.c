/* Copies of a model that is still being filled, as a flight recorder cuts them. */
#include "host/trace/copy.h"
#include "host/trace/tables.h"
#include "proto/chip_map.h"
#include "proto/chip_text.h"
#include "proto/track.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct td_trace *trace;
    struct td_sink sink;
    uint32_t track, place;
};

static void push(struct fixture *f, uint32_t kind, int64_t time_ns, uint32_t subject)
{
    struct td_event event = {.kind = kind, .time_ns = time_ns, .track = f->track, .subject = subject};
    struct td_err err = {0};
    if (kind == TD_EVENT_ZONE_BEGIN)
        event.srcloc = f->place;
    assert_int_equal(f->sink.events(f->sink.self, &event, 1, &err), 0);
}

/* A zone over all, in it one of 10 ns every 100 ns, each with a child and a message; the outer one is open. */
static struct fixture growing(int64_t rounds)
{
    struct td_dict *dict = td_dict_create();
    struct fixture f = {.trace = td_trace_create(dict)};
    const struct td_srcloc place = {.name = td_dict_cstring(dict, "work"), .line = 7};
    f.sink = td_trace_sink(f.trace);
    f.place = td_dict_srcloc(dict, &place);
    f.track = td_dict_track(dict, &(struct td_track){.thread = 42, .name = td_dict_cstring(dict, "main")});
    push(&f, TD_EVENT_ZONE_BEGIN, 1, 0);
    for (int64_t i = 1; i <= rounds; i++) {
        push(&f, TD_EVENT_ZONE_BEGIN, i * 100, 0);
        push(&f, TD_EVENT_ZONE_BEGIN, i * 100 + 2, 0);
        push(&f, TD_EVENT_ZONE_END, i * 100 + 4, 0);
        push(&f, TD_EVENT_MESSAGE, i * 100 + 5, td_dict_cstring(dict, "tick"));
        push(&f, TD_EVENT_ZONE_END, i * 100 + 10, 0);
    }
    return f;
}

static struct td_trace *cut(const struct td_trace *from, const struct td_copy_options *options)
{
    struct td_trace *to = td_trace_create(td_dict_create());
    struct td_err err = {0};
    struct td_copier *copier = td_copier_create(to, &err);
    assert_non_null(copier);
    assert_int_equal(td_copier_add(copier, from, options, &err), 0);
    assert_int_equal(td_copier_end(copier, &err), 0);
    td_copier_destroy(copier);
    assert_int_equal(td_trace_finish(to, &err), 0);
    return to;
}

static void the_last_events_of_a_growing_model_have_the_zones_that_are_open(void **state)
{
    const int64_t rounds = 3000;
    struct fixture f = growing(rounds);
    const int64_t from_ns = (rounds - 99) * 100;
    struct td_trace *part =
        cut(f.trace, &(struct td_copy_options){.from_ns = from_ns, .until_ns = INT64_MAX});
    assert_int_equal(td_trace_rows(part, 0), 3);
    assert_int_equal(td_trace_row_zones(part, 0, 0), 1);
    assert_int_equal(td_trace_row_zones(part, 0, 1), 100);
    assert_int_equal(td_trace_row_zones(part, 0, 2), 100);
    assert_int_equal(td_trace_messages(part), 100);
    struct td_zone outer = td_trace_zone(part, 0, 0, 0), last = td_trace_zone(part, 0, 1, 99);
    assert_int_equal(outer.start_ns, 1);
    assert_int_equal(outer.end_ns, TD_OPEN);
    assert_int_equal(outer.child_end - outer.child_begin, 100);
    assert_int_equal(last.start_ns, rounds * 100);
    assert_int_equal(last.child_begin, 99);
    assert_int_equal(last.child_end, 100);
    assert_string_equal(td_dict_zone_name(td_trace_dict(part), last.srcloc), "work");
    /* The recording continues, and a later cut has what came since. */
    push(&f, TD_EVENT_ZONE_END, (rounds + 1) * 100, 0);
    td_trace_destroy(part);
    part = cut(f.trace, &(struct td_copy_options){.from_ns = from_ns, .until_ns = INT64_MAX, .clip = 1});
    outer = td_trace_zone(part, 0, 0, 0);
    assert_int_equal(outer.start_ns, from_ns);
    assert_int_equal(outer.end_ns, (rounds + 1) * 100);
    td_trace_destroy(part);
    td_trace_destroy(f.trace);
}

static void times_follow_the_line(void **state)
{
    struct fixture f = growing(10);
    const struct td_copy_options options = {.clock = td_time_line_through(0, 1000, 1000, 3000)};
    struct td_trace *copy = cut(f.trace, &options);
    struct td_zone zone = td_trace_zone(copy, 0, 1, 4);
    assert_int_equal(zone.start_ns, 1000 + 2 * 500);
    assert_int_equal(zone.end_ns, 1000 + 2 * 510);
    assert_int_equal(td_trace_message(copy, 4).time_ns, 1000 + 2 * 505);
    td_trace_destroy(copy);
    td_trace_destroy(f.trace);
}

static void a_lock_begins_where_no_thread_has_it(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    td_dict_track(dict, &(struct td_track){.thread = 1});
    const int64_t lock[TD_LOCK_COLUMN_COUNT] = {[TD_LOCK_ID] = 9, [TD_LOCK_VALID] = 1};
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_LOCK), lock), 0);
    for (int64_t i = 0; i < 30; i++) { /* wait, obtain, release, from 100 on */
        const int64_t event[] = {100 + i * 10, 0, 0, i % 3};
        assert_int_equal(td_series_append(td_trace_fill_list(trace, TD_TABLE_LOCK_EVENT, 0), event), 0);
    }
    struct td_trace *part = cut(trace, &(struct td_copy_options){.from_ns = 145, .until_ns = 205});
    const struct td_series *events = td_trace_list(part, TD_TABLE_LOCK_EVENT, 0);
    assert_int_equal(td_series_get(events, 0, TD_LOCK_EVENT_TIME), 130); /* the wait before */
    assert_int_equal(td_series_get(events, 0, TD_LOCK_EVENT_KIND), 0);
    assert_int_equal(td_series_get(events, td_series_count(events) - 1, TD_LOCK_EVENT_TIME), 200);
    td_trace_destroy(part);
    td_trace_destroy(trace);
}

static void sources_that_share_numbers_are_apart(void **state)
{
    struct fixture f = growing(5);
    struct td_trace *to = td_trace_create(td_dict_create());
    struct td_err err = {0};
    struct td_copier *copier = td_copier_create(to, &err);
    static const char *const labels[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        const struct td_copy_options options = {.label = labels[i], .clock.offset_ns = i};
        assert_int_equal(td_copier_add(copier, f.trace, &options, &err), 0);
    }
    assert_int_equal(td_copier_end(copier, &err), 0);
    td_copier_destroy(copier);
    assert_int_equal(td_trace_finish(to, &err), 0);
    const struct td_dict *dict = td_trace_dict(to);
    assert_int_equal(td_dict_track_count(dict), 3);
    assert_int_equal(td_dict_srcloc_count(dict), 2); /* with "none" */
    for (uint32_t t = 0; t < 3; t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        assert_int_equal(track->thread & UINT32_MAX, 42);
        assert_int_equal(td_trace_track_zones(to, t), 11);
        assert_int_equal(td_trace_zone(to, t, 0, 0).start_ns, 1 + t);
        for (uint32_t other = 0; other < t; other++)
            assert_true(td_dict_get_track(dict, other)->thread != track->thread);
    }
    assert_string_equal(td_dict_text(dict, td_dict_get_track(dict, 1)->name), "b: main");
    assert_int_equal(td_trace_messages(to), 15);
    td_trace_destroy(to);
    td_trace_destroy(f.trace);
}

/* A board with two chips, of which only chip 0 has cores in the trace. */
static struct td_trace *board_trace(void)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    td_dict_track(dict, &(struct td_track){.kind = TD_TRACK_CORE,
                                           .thread = td_track_id(0, 1, 0, 0),
                                           .name = td_dict_cstring(dict, "chip 0 tile 1,0 BRISC"),
                                           .x = 1});
    for (uint32_t chip = 0; chip < 2; chip++) {
        char text[160];
        const struct td_chip_clock clock = {chip, "wormhole", 1000, 72, 5000000};
        td_chip_clock_text(text, sizeof text, &clock);
        assert_int_equal(td_trace_note(trace, TD_NOTE_CHIP_CLOCK, "%s", text), 0);
        assert_int_equal(td_trace_note(trace, TD_NOTE_CHIP_MAP,
                                       "chip %u map 4x2 columns 1,3 rows 1 tiles D.EE/DTxT", chip),
                         0);
        assert_int_equal(
            td_trace_note(trace, TD_NOTE_CLOCK_PART, "chip %u within 552 ns from 3000 ns on", chip), 0);
    }
    return trace;
}

static void the_clock_and_the_map_of_a_chip_follow_its_number(void **state)
{
    struct td_trace *from = board_trace(), *to = td_trace_create(td_dict_create());
    struct td_err err = {0};
    struct td_copier *copier = td_copier_create(to, &err);
    /* Time 1000 of b is time 0 of the merged trace, where its time passes twice as fast. */
    const struct td_copy_options options[] = {
        {.label = "a"}, {.label = "b", .clock = td_time_line_through(1000, 0, 2000, 2000)}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(td_copier_add(copier, from, &options[i], &err), 0);
    assert_int_equal(td_copier_end(copier, &err), 0);
    td_copier_destroy(copier);
    assert_int_equal(td_trace_finish(to, &err), 0);
    static const struct td_chip_clock expected[] = {{0, "wormhole", 1000, 72, 5000000},
                                                    {1, "wormhole", 500, 72, 5001000}};
    for (uint32_t i = 0; i < 2; i++) {
        const char *clock_text = td_trace_get_note(to, TD_NOTE_CHIP_CLOCK, i),
                   *map_text = td_trace_get_note(to, TD_NOTE_CHIP_MAP, i);
        struct td_chip_clock clock = {0};
        struct td_chip_map map = {0};
        assert_true(clock_text && td_chip_clock_read(clock_text, &clock));
        assert_true(map_text && td_chip_map_read(map_text, &map));
        assert_true(clock.chip == expected[i].chip && clock.mhz == expected[i].mhz);
        assert_true(clock.zero_cycle == expected[i].zero_cycle && clock.worker_cores == 72);
        assert_true(map.chip == i && map.width == 4 && map.column_x[1] == 3);
    }
    assert_null(td_trace_get_note(to, TD_NOTE_CHIP_CLOCK, 2));
    assert_null(td_trace_get_note(to, TD_NOTE_CHIP_MAP, 2));
    assert_string_equal(td_trace_get_note(to, TD_NOTE_CLOCK_PART, 0), "chip 0 within 552 ns from 3000 ns on");
    assert_string_equal(td_trace_get_note(to, TD_NOTE_CLOCK_PART, 1), "chip 1 within 552 ns from 4000 ns on");
    assert_null(td_trace_get_note(to, TD_NOTE_CLOCK_PART, 2));
    td_trace_destroy(to);
    /* Without a label, the copy has what the trace has. */
    to = cut(from, &(struct td_copy_options){0});
    assert_string_equal(td_trace_get_note(to, TD_NOTE_CHIP_MAP, 1),
                        "chip 1 map 4x2 columns 1,3 rows 1 tiles D.EE/DTxT");
    td_trace_destroy(to);
    td_trace_destroy(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_events_of_a_growing_model_have_the_zones_that_are_open),
        cmocka_unit_test(times_follow_the_line),
        cmocka_unit_test(a_lock_begins_where_no_thread_has_it),
        cmocka_unit_test(sources_that_share_numbers_are_apart),
        cmocka_unit_test(the_clock_and_the_map_of_a_chip_follow_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
