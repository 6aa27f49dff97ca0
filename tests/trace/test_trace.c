/* The model: events become rows of nested zones, messages, plots, frames and statistics. */
#include "host/trace/origin.h"
#include "host/trace/trace.h"
#include "host/trace/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A trace that is being filled: two tracks, a few locations. */
struct fill {
    struct td_trace *trace;
    struct td_dict *dict;
    struct td_sink sink;
    uint32_t track[2], loc[4];
};

static struct fill fill_begin(void)
{
    struct fill f = {.dict = td_dict_create()};
    f.trace = td_trace_create(f.dict);
    assert_non_null(f.trace);
    f.sink = td_trace_sink(f.trace);
    for (uint32_t i = 0; i < 2; i++)
        f.track[i] = td_dict_track(f.dict, &(struct td_track){.thread = 100 + i});
    for (uint32_t i = 0; i < 4; i++)
        f.loc[i] = td_dict_srcloc(f.dict, &(struct td_srcloc){.line = i + 1});
    return f;
}

static void push(struct fill *f, struct td_event e)
{
    struct td_err err = {0};
    assert_int_equal(f->sink.events(f->sink.self, &e, 1, &err), 0);
}

static void zone(struct fill *f, int64_t start, int64_t end, unsigned loc)
{
    push(f, (struct td_event){.kind = TD_EVENT_ZONE,
                              .track = f->track[0],
                              .srcloc = f->loc[loc],
                              .time_ns = start,
                              .value.end_ns = end});
}

static void begin(struct fill *f, int64_t time, unsigned loc)
{
    push(f, (struct td_event){
                .kind = TD_EVENT_ZONE_BEGIN, .track = f->track[0], .srcloc = f->loc[loc], .time_ns = time});
}

static void end(struct fill *f, int64_t time)
{
    push(f, (struct td_event){.kind = TD_EVENT_ZONE_END, .track = f->track[0], .time_ns = time});
}

static void finish(struct fill *f)
{
    struct td_err err = {0};
    assert_int_equal(td_trace_finish(f->trace, &err), 0);
}

static void expect(const struct fill *f, uint32_t row, size_t index, int64_t start, int64_t stop,
                   size_t children)
{
    struct td_zone z = td_trace_zone(f->trace, f->track[0], row, index);
    assert_int_equal(z.start_ns, start);
    assert_int_equal(z.end_ns, stop);
    assert_int_equal(z.child_end - z.child_begin, children);
}

/* Invariants of every model, after any events. */
static void check_rules(const struct td_trace *trace, uint32_t track)
{
    uint64_t zones = 0;
    uint32_t rows = td_trace_rows(trace, track);
    for (uint32_t r = 0; r < rows; r++) {
        size_t count = td_trace_row_zones(trace, track, r), next_child = 0;
        zones += count;
        for (size_t i = 0; i < count; i++) {
            struct td_zone z = td_trace_zone(trace, track, r, i);
            assert_true(z.start_ns <= z.end_ns);
            if (i)
                assert_true(td_trace_zone(trace, track, r, i - 1).end_ns <= z.start_ns);
            assert_int_equal(z.child_begin, next_child);
            assert_true(z.child_end >= z.child_begin);
            next_child = z.child_end;
            for (size_t c = z.child_begin; c < z.child_end; c++) {
                struct td_zone child = td_trace_zone(trace, track, r + 1, c);
                assert_true(child.start_ns >= z.start_ns && child.end_ns <= z.end_ns);
            }
        }
        assert_int_equal(next_child, r + 1 < rows ? td_trace_row_zones(trace, track, r + 1) : 0);
    }
    assert_int_equal(zones, td_trace_track_zones(trace, track));
}

static void complete_zones_nest_by_their_times(void **state)
{
    struct fill f = fill_begin();
    zone(&f, 10, 20, 0);
    zone(&f, 20, 30, 0);
    zone(&f, 5, 40, 1);
    zone(&f, 45, 50, 0);
    zone(&f, 0, 60, 2);
    zone(&f, 60, 70, 2);
    finish(&f);
    assert_int_equal(td_trace_rows(f.trace, f.track[0]), 3);
    expect(&f, 0, 0, 0, 60, 2);
    expect(&f, 0, 1, 60, 70, 0);
    expect(&f, 1, 0, 5, 40, 2);
    expect(&f, 1, 1, 45, 50, 0);
    expect(&f, 2, 1, 20, 30, 0);
    assert_int_equal(td_trace_clamped(f.trace), 0);
    check_rules(f.trace, f.track[0]);
    assert_int_equal(td_trace_zone_after(f.trace, f.track[0], 2, 19), 0);
    assert_int_equal(td_trace_zone_after(f.trace, f.track[0], 2, 20), 1);
    assert_int_equal(td_trace_zone_after(f.trace, f.track[0], 2, 30), 2);
    assert_int_equal(td_trace_get_info(f.trace)->last_time_ns, 70);
    td_trace_destroy(f.trace);
}

static void equal_complete_zones_nest_and_the_later_one_is_outside(void **state)
{
    struct fill f = fill_begin();
    zone(&f, 10, 20, 0);
    zone(&f, 10, 20, 1);
    zone(&f, 20, 20, 2);
    zone(&f, 10, 20, 3);
    finish(&f);
    assert_int_equal(td_trace_rows(f.trace, f.track[0]), 3);
    expect(&f, 0, 0, 10, 20, 2);
    expect(&f, 1, 0, 10, 20, 1);
    expect(&f, 1, 1, 20, 20, 0);
    assert_int_equal(td_trace_zone(f.trace, f.track[0], 0, 0).srcloc, f.loc[3]);
    assert_int_equal(td_trace_zone(f.trace, f.track[0], 1, 0).srcloc, f.loc[1]);
    assert_int_equal(td_trace_zone(f.trace, f.track[0], 2, 0).srcloc, f.loc[0]);
    assert_int_equal(td_trace_clamped(f.trace), 0);
    td_trace_destroy(f.trace);
}

static void begin_and_end_keep_their_nesting_even_without_duration(void **state)
{
    struct fill f = fill_begin();
    begin(&f, 5, 0);
    begin(&f, 5, 1);
    end(&f, 5);
    begin(&f, 5, 2);
    end(&f, 5);
    end(&f, 5);
    begin(&f, 5, 3);
    end(&f, 9);
    finish(&f);
    assert_int_equal(td_trace_rows(f.trace, f.track[0]), 2);
    expect(&f, 0, 0, 5, 5, 2);
    expect(&f, 0, 1, 5, 9, 0);
    assert_int_equal(td_trace_row_zones(f.trace, f.track[0], 1), 2);
    assert_int_equal(td_trace_clamped(f.trace), 0);
    check_rules(f.trace, f.track[0]);
    td_trace_destroy(f.trace);
}

static void complete_zones_inside_begin_and_end(void **state)
{
    struct fill f = fill_begin();
    zone(&f, 1, 2, 0);
    begin(&f, 10, 1);
    zone(&f, 11, 12, 0);
    zone(&f, 10, 14, 2);
    end(&f, 20);
    zone(&f, 5, 30, 3);
    finish(&f);
    assert_int_equal(td_trace_rows(f.trace, f.track[0]), 4);
    expect(&f, 0, 0, 1, 2, 0);
    expect(&f, 0, 1, 5, 30, 1);
    expect(&f, 1, 0, 10, 20, 1);
    expect(&f, 2, 0, 10, 14, 1);
    assert_int_equal(td_trace_clamped(f.trace), 0);
    check_rules(f.trace, f.track[0]);
    td_trace_destroy(f.trace);
}

static void open_zones_stay_open(void **state)
{
    struct fill f = fill_begin();
    begin(&f, 1, 0);
    begin(&f, 2, 1);
    begin(&f, 3, 2);
    end(&f, 4);
    finish(&f);
    expect(&f, 0, 0, 1, TD_OPEN, 1);
    expect(&f, 1, 0, 2, TD_OPEN, 1);
    expect(&f, 2, 0, 3, 4, 0);
    assert_int_equal(td_trace_clamped(f.trace), 0);
    assert_int_equal(td_trace_get_info(f.trace)->last_time_ns, 4);
    const struct td_stat *stats;
    assert_int_equal(td_trace_stats(f.trace, &stats), 3);
    assert_int_equal(stats[0].open, 1);
    assert_int_equal(stats[0].count, 0);
    assert_int_equal(stats[2].count, 1);
    td_trace_destroy(f.trace);
}

static void what_makes_no_sense_is_changed_and_counted(void **state)
{
    struct fill f = fill_begin();
    zone(&f, 30, 20, 1); /* ends before it starts */
    end(&f, 25);         /* no zone is open */
    finish(&f);
    assert_int_equal(td_trace_clamped(f.trace), 2);
    assert_int_equal(td_trace_track_zones(f.trace, f.track[0]), 1);
    check_rules(f.trace, f.track[0]);
    td_trace_destroy(f.trace);
}

static void expect_on(const struct fill *f, const char *name, int64_t start, int64_t end)
{
    uint32_t track = 0;
    while (track < td_dict_track_count(f->dict) &&
           strcmp(td_dict_text(f->dict, td_dict_get_track(f->dict, track)->name), name) != 0)
        track++;
    assert_true(track < td_dict_track_count(f->dict));
    assert_int_equal(td_trace_track_zones(f->trace, track), 1);
    const struct td_zone zone = td_trace_zone(f->trace, track, 0, 0);
    assert_int_equal(zone.start_ns, start);
    assert_int_equal(zone.end_ns, end);
    check_rules(f->trace, track);
}

/* Also where the source says that no zone comes that is around these. */
static void times_before_the_origin_are_counted(void **state)
{
    struct fill f = fill_begin();
    td_trace_begins(f.trace, 1000);
    zone(&f, 900, 950, 1);
    zone(&f, 1000, 1100, 2);
    push(&f, (struct td_event){.kind = TD_EVENT_MESSAGE, .track = f.track[1], .time_ns = 999});
    finish(&f);
    expect(&f, 0, 1, 0, 100, 0);
    assert_int_equal(td_trace_clamped(f.trace), 2);
    td_trace_destroy(f.trace);
}

static void zones_that_overlap_keep_their_times_on_further_tracks(void **state)
{
    for (int settles = 0; settles < 2; settles++) {
        struct fill f = fill_begin();
        if (settles)
            push(&f, (struct td_event){.kind = TD_EVENT_SETTLED, .track = f.track[0]});
        zone(&f, 1, 2, 0);
        zone(&f, 3, 7, 0);
        zone(&f, 5, 9, 1);
        zone(&f, 6, 10, 2);
        zone(&f, 8, 9, 3); /* lies in the one before it, though it ended first */
        if (settles)
            push(&f, (struct td_event){.kind = TD_EVENT_SETTLED, .track = f.track[0]});
        zone(&f, 20, 30, 0);
        finish(&f);
        const char *name = td_dict_text(f.dict, td_dict_get_track(f.dict, f.track[0])->name);
        char second[80], third[80];
        snprintf(second, sizeof second, "%s, line 2", *name ? name : "thread");
        snprintf(third, sizeof third, "%s, line 3", *name ? name : "thread");
        expect(&f, 0, 0, 1, 2, 0);
        expect(&f, 0, 1, 6, 10, 1);
        expect(&f, 0, 2, 20, 30, 0);
        expect(&f, 1, 0, 8, 9, 0);
        expect_on(&f, second, 5, 9);
        expect_on(&f, third, 3, 7);
        check_rules(f.trace, f.track[0]);
        td_trace_destroy(f.trace);
    }
}

static void zones_out_of_order_are_sorted(void **state)
{
    struct fill f = fill_begin();
    zone(&f, 100, 110, 0);
    zone(&f, 10, 20, 1);
    zone(&f, 12, 18, 2);
    finish(&f);
    assert_int_equal(td_trace_rows(f.trace, f.track[0]), 2);
    expect(&f, 0, 0, 10, 20, 1);
    expect(&f, 0, 1, 100, 110, 0);
    assert_int_equal(td_trace_clamped(f.trace), 1);
    check_rules(f.trace, f.track[0]);
    td_trace_destroy(f.trace);
}

static void any_mixture_of_events_gives_a_sound_model(void **state)
{
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct fill f = fill_begin();
        uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15), zones = 0;
        for (int i = 0; i < 400; i++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            int64_t time = (int64_t)(x >> 40 & 0xff) + (seed % 3 ? i : 0), length = (int64_t)(x >> 50 & 0x1f);
            unsigned kind = (unsigned)(x >> 58) % (seed % 2 ? 3 : 5);
            if (kind == 0)
                end(&f, time);
            else if (kind == 1 && ++zones)
                begin(&f, time, (unsigned)i % 4);
            else if (++zones)
                zone(&f, time - length, time, (unsigned)i % 4);
        }
        finish(&f);
        uint64_t on_all = 0;
        for (uint32_t t = 0; t < td_dict_track_count(f.dict); t++) {
            on_all += td_trace_track_zones(f.trace, t);
            check_rules(f.trace, t);
        }
        assert_int_equal(on_all, zones);
        const struct td_stat *stats;
        uint64_t counted = 0;
        for (size_t i = td_trace_stats(f.trace, &stats); i-- > 0;)
            counted += stats[i].count + stats[i].open;
        assert_int_equal(counted, zones);
        td_trace_destroy(f.trace);
    }
}

static void a_million_zones_deep_and_wide(void **state)
{
    struct fill f = fill_begin();
    const int64_t deep = 20000, wide = 500000;
    for (int64_t i = 0; i < deep; i++)
        begin(&f, i, 0);
    for (int64_t i = 0; i < wide; i++)
        zone(&f, deep + i, deep + i + 1, 1);
    for (int64_t i = 0; i < deep; i++)
        end(&f, deep + wide + i);
    finish(&f);
    assert_int_equal(td_trace_rows(f.trace, f.track[0]), deep + 1);
    assert_int_equal(td_trace_row_zones(f.trace, f.track[0], (uint32_t)deep), wide);
    assert_int_equal(td_trace_clamped(f.trace), 0);
    td_trace_destroy(f.trace);
}

static void texts_values_names_and_colours_belong_to_the_innermost_open_zone(void **state)
{
    struct fill f = fill_begin();
    uint32_t one = td_dict_cstring(f.dict, "one"), two = td_dict_cstring(f.dict, "two");
    begin(&f, 1, 0);
    push(&f, (struct td_event){.kind = TD_EVENT_ZONE_TEXT, .track = f.track[0], .subject = one});
    begin(&f, 2, 1);
    push(&f, (struct td_event){.kind = TD_EVENT_ZONE_NAME, .track = f.track[0], .subject = two});
    push(&f, (struct td_event){.kind = TD_EVENT_ZONE_COLOR, .track = f.track[0], .subject = 0x123456});
    end(&f, 3);
    push(&f, (struct td_event){.kind = TD_EVENT_ZONE_TEXT, .track = f.track[0], .subject = two});
    push(&f, (struct td_event){.kind = TD_EVENT_ZONE_VALUE, .track = f.track[0], .value.u64 = UINT64_MAX});
    end(&f, 4);
    push(&f, (struct td_event){
                 .kind = TD_EVENT_ZONE_TEXT, .track = f.track[0], .subject = two}); /* no zone is open */
    finish(&f);
    struct td_zone outer = td_trace_zone(f.trace, f.track[0], 0, 0),
                   inner = td_trace_zone(f.trace, f.track[0], 1, 0);
    assert_string_equal(td_dict_text(f.dict, outer.text), "one\ntwo\n18446744073709551615");
    assert_int_equal(outer.name, 0);
    assert_int_equal(inner.name, two);
    assert_int_equal(inner.color, 0x123456);
    assert_int_equal(td_trace_clamped(f.trace), 1);
    td_trace_destroy(f.trace);
}

static void messages_are_in_time_order_and_known_by_track(void **state)
{
    struct fill f = fill_begin();
    for (uint32_t i = 0; i < 100; i++) {
        int64_t time = (int64_t)(i * 37 % 100);
        push(&f, (struct td_event){
                     .kind = TD_EVENT_MESSAGE, .track = f.track[i % 2], .time_ns = time, .subject = i});
    }
    finish(&f);
    assert_int_equal(td_trace_messages(f.trace), 100);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(td_trace_message(f.trace, i).time_ns, i);
    assert_int_equal(td_trace_track_messages(f.trace, f.track[1]), 50);
    size_t last = 0;
    for (size_t i = 0; i < 50; i++) {
        size_t n = td_trace_track_message(f.trace, f.track[1], i);
        assert_int_equal(td_trace_message(f.trace, n).track, f.track[1]);
        assert_true(i == 0 || n > last);
        last = n;
    }
    td_trace_destroy(f.trace);
}

static void plots_and_frames_keep_their_times(void **state)
{
    struct fill f = fill_begin();
    uint32_t plot = td_dict_plot(f.dict, &(struct td_plot){.name = td_dict_cstring(f.dict, "load")});
    uint32_t audio = td_dict_frame_set(f.dict, td_dict_cstring(f.dict, "Audio"), 0);
    push(&f, (struct td_event){.kind = TD_EVENT_PLOT, .subject = plot, .time_ns = 20, .value.f64 = 2});
    push(&f, (struct td_event){.kind = TD_EVENT_PLOT, .subject = plot, .time_ns = 10, .value.f64 = 1});
    push(&f, (struct td_event){.kind = TD_EVENT_FRAME, .subject = 0, .time_ns = 5});
    push(&f, (struct td_event){.kind = TD_EVENT_FRAME, .subject = 0, .time_ns = 9});
    push(&f, (struct td_event){.kind = TD_EVENT_FRAME_START, .subject = audio, .time_ns = 6});
    push(&f, (struct td_event){.kind = TD_EVENT_FRAME_END, .subject = audio, .time_ns = 8});
    push(&f, (struct td_event){.kind = TD_EVENT_FRAME_START, .subject = audio, .time_ns = 10});
    finish(&f);
    assert_int_equal(td_trace_plot_points(f.trace, plot), 2);
    assert_true(td_trace_plot_point(f.trace, plot, 0).value == 1);
    assert_int_equal(td_trace_frame(f.trace, 0, 0).end_ns, 9);
    assert_true(td_trace_frame(f.trace, 0, 1).end_ns == TD_OPEN);
    assert_int_equal(td_trace_frame(f.trace, audio, 0).end_ns, 8);
    assert_true(td_trace_frame(f.trace, audio, 1).end_ns == TD_OPEN);
    td_trace_destroy(f.trace);
}

static void notes_are_found_by_key_and_number(void **state)
{
    struct fill f = fill_begin();
    assert_int_equal(td_trace_note(f.trace, TD_NOTE_LOST, "%d", 17), 0);
    assert_int_equal(td_trace_note(f.trace, TD_NOTE_FAULT, "%s", "first"), 0);
    assert_int_equal(td_trace_note(f.trace, TD_NOTE_FAULT, "%s", "second"), 0);
    finish(&f);
    assert_string_equal(td_trace_get_note(f.trace, TD_NOTE_LOST, 0), "17");
    assert_string_equal(td_trace_get_note(f.trace, TD_NOTE_FAULT, 1), "second");
    assert_null(td_trace_get_note(f.trace, TD_NOTE_FAULT, 2));
    assert_null(td_trace_get_note(f.trace, TD_NOTE_LOST_OTHER, 0));
    assert_int_equal(td_trace_app_infos(f.trace), 3);
    td_trace_destroy(f.trace);
}

static void a_walk_enters_and_leaves_every_zone_depth_first(void **state)
{
    struct fill f = fill_begin();
    zone(&f, 10, 20, 0);
    zone(&f, 22, 30, 1);
    zone(&f, 5, 40, 2);
    zone(&f, 50, 60, 3);
    finish(&f);
    static const int64_t expected[] = {5, 10, -20, 22, -30, -40, 50, -60}; /* starts, and ends with a minus */
    struct td_walk walk;
    struct td_step step;
    assert_int_equal(td_walk_begin(&walk, f.trace, f.track[0]), 0);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(td_walk_next(&walk, &step), 1);
        assert_int_equal(step.leaves ? -step.zone.end_ns : step.zone.start_ns, expected[i]);
        assert_int_equal(td_trace_zone(f.trace, f.track[0], step.row, step.index).start_ns,
                         step.zone.start_ns);
    }
    assert_int_equal(td_walk_next(&walk, &step), 0);
    assert_int_equal(td_walk_next(&walk, &step), 0);
    td_walk_end(&walk);
    assert_int_equal(td_walk_begin(&walk, f.trace, f.track[1]), 0); /* no zones at all */
    assert_int_equal(td_walk_next(&walk, &step), 0);
    td_walk_end(&walk);
    td_trace_destroy(f.trace);
}

static void self_time_is_without_children_and_length_0_is_only_counted(void **state)
{
    struct fill f = fill_begin();
    zone(&f, 10, 20, 0);
    zone(&f, 20, 20, 0);
    zone(&f, 0, 100, 1);
    zone(&f, 100, 130, 0);
    finish(&f);
    const struct td_stat *stats;
    assert_int_equal(td_trace_stats(f.trace, &stats), 2);
    assert_int_equal(stats[0].count, 3);
    assert_int_equal(stats[0].timed, 2);
    assert_int_equal(stats[0].total_ns, 40);
    assert_int_equal(stats[0].min_ns, 10);
    assert_int_equal(stats[0].max_ns, 30);
    assert_int_equal(stats[1].self_ns, 90);
    assert_true(stats[0].mean_ns == 20);
    assert_true(stats[0].std_ns > 14.1 && stats[0].std_ns < 14.2);
    td_trace_destroy(f.trace);
}

static void unknown_numbers_are_refused_and_a_finished_trace_takes_nothing(void **state)
{
    struct fill f = fill_begin();
    struct td_event bad[] = {
        {.kind = TD_EVENT_ZONE_BEGIN, .track = 2},
        {.kind = TD_EVENT_PLOT, .subject = 0},
        {.kind = TD_EVENT_FRAME, .subject = 1},
        {.kind = TD_EVENT_KINDS, .track = 0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct td_err err = {0};
        assert_int_equal(f.sink.events(f.sink.self, &bad[i], 1, &err), TD_E_USAGE);
        assert_int_equal(err.code, TD_E_USAGE);
    }
    zone(&f, 1, 2, 3);
    finish(&f);
    struct td_err err = {0};
    assert_int_equal(f.sink.events(f.sink.self, bad, 1, &err), TD_E_USAGE);
    assert_int_equal(td_trace_rows(f.trace, f.track[1]), 0);
    assert_int_equal(td_trace_rows(f.trace, 99), 0);
    td_trace_destroy(f.trace);
    td_trace_destroy(NULL);
}

static void a_trace_that_was_never_finished_is_freed(void **state)
{
    struct fill f = fill_begin();
    begin(&f, 1, 0);
    zone(&f, 2, 3, 0);
    td_trace_destroy(f.trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_zones_nest_by_their_times),
        cmocka_unit_test(equal_complete_zones_nest_and_the_later_one_is_outside),
        cmocka_unit_test(begin_and_end_keep_their_nesting_even_without_duration),
        cmocka_unit_test(complete_zones_inside_begin_and_end),
        cmocka_unit_test(open_zones_stay_open),
        cmocka_unit_test(what_makes_no_sense_is_changed_and_counted),
        cmocka_unit_test(times_before_the_origin_are_counted),
        cmocka_unit_test(zones_that_overlap_keep_their_times_on_further_tracks),
        cmocka_unit_test(zones_out_of_order_are_sorted),
        cmocka_unit_test(any_mixture_of_events_gives_a_sound_model),
        cmocka_unit_test(a_million_zones_deep_and_wide),
        cmocka_unit_test(texts_values_names_and_colours_belong_to_the_innermost_open_zone),
        cmocka_unit_test(messages_are_in_time_order_and_known_by_track),
        cmocka_unit_test(plots_and_frames_keep_their_times),
        cmocka_unit_test(notes_are_found_by_key_and_number),
        cmocka_unit_test(a_walk_enters_and_leaves_every_zone_depth_first),
        cmocka_unit_test(self_time_is_without_children_and_length_0_is_only_counted),
        cmocka_unit_test(unknown_numbers_are_refused_and_a_finished_trace_takes_nothing),
        cmocka_unit_test(a_trace_that_was_never_finished_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
