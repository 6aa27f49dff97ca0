/* What a search has found in each frame, against a calculation zone by zone; and the panel that marks it. */
#include "host/query/sums/find.h"
#include "host/query/rows/frame_matches.h"
#include "host/viewer/panels/frames_found.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/settled_keys.h"
#include "host/viewer/timeline/navigate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONES  3000
#define FRAMES 400

static uint32_t dice(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Zones of two names on three tracks, some without length, across frames of any length. With `gaps`, the frames
 * have ends of their own. */
static struct td_trace *random_trace(uint32_t seed, bool gaps)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    const uint32_t set = gaps ? td_dict_frame_set(dict, td_dict_cstring(dict, "work"), 0) : 0;
    for (uint32_t t = 1; t <= 3; t++) {
        struct td_track track = {.thread = t};
        const uint32_t number = td_dict_track(dict, &track);
        int64_t at = 1000;
        for (int i = 0; i < ZONES; i++) {
            struct td_srcloc s = {.name = td_dict_cstring(dict, dice(&seed, 3) ? "other" : "wanted"),
                                  .line = 1};
            const int64_t start = at + dice(&seed, 300),
                          end = start + (dice(&seed, 9) ? dice(&seed, 2000) : 0);
            struct td_event event = {.kind = TD_EVENT_ZONE,
                                     .track = number,
                                     .time_ns = start,
                                     .value.end_ns = end,
                                     .srcloc = td_dict_srcloc(dict, &s)};
            sink.events(sink.self, &event, 1, NULL);
            at = end;
        }
    }
    int64_t at = 0;
    for (int i = 0; i < FRAMES; i++) {
        const int64_t length = 1 + dice(&seed, 1 + dice(&seed, 20000));
        struct td_event event = {.kind = TD_EVENT_FRAME, .time_ns = at, .subject = set};
        if (gaps) {
            event.kind = TD_EVENT_FRAME_START;
            sink.events(sink.self, &event, 1, NULL);
            event.kind = TD_EVENT_FRAME_END;
            event.time_ns = at + length / 2 + 1;
        }
        sink.events(sink.self, &event, 1, NULL);
        at += length + 2;
    }
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static bool touches(const struct td_zone *zone, int64_t from, int64_t to)
{
    return zone->start_ns == zone->end_ns ? zone->start_ns >= from && zone->start_ns < to
                                          : zone->start_ns < to && zone->end_ns > from;
}

static void check_frames(struct td_trace *trace, uint32_t set, const struct td_lane_choice *lanes)
{
    struct td_find find = {.text = "wanted"};
    struct td_frame_matches made;
    const int64_t now = INT64_C(1) << 40;
    size_t found = 0;
    assert_int_equal(td_find_run(&find, trace, NULL), 0);
    assert_int_equal(td_frame_matches_make(&made, trace, set, find.matches, lanes, now, NULL), 0);
    assert_int_equal(made.frames, FRAMES);
    for (size_t i = 0; i < made.frames; i++) {
        const int64_t from = td_trace_frame(trace, set, i).start_ns,
                      to = from + td_frame_length(trace, set, i, now);
        int64_t sum = 0;
        bool any = false;
        for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
            for (size_t z = 0; td_lane_chosen(lanes, t) && z < td_trace_row_zones(trace, t, 0); z++) {
                const struct td_zone zone = td_trace_zone(trace, t, 0, z);
                if (strcmp(td_dict_zone_name(td_trace_dict(trace), zone.srcloc), "wanted") ||
                    !touches(&zone, from, to))
                    continue;
                any = true;
                sum += (zone.end_ns < to ? zone.end_ns : to) - (zone.start_ns > from ? zone.start_ns : from);
            }
        found += any;
        assert_true(any == (made.ns[i] > 0));
        assert_true(fabs((double)made.ns[i] - (double)sum) <= TD_FRAME_TOUCHED + (double)sum * 1e-6);
        assert_true(td_frame_matches_most(&made, i, i + 1) == made.ns[i]);
    }
    assert_int_equal(made.found, found);
    assert_true(found > 0 && found < FRAMES);
    float most = 0;
    for (size_t i = 5; i < FRAMES - 3; i++)
        most = fmaxf(most, made.ns[i]);
    assert_true(td_frame_matches_most(&made, 5, FRAMES - 3) == most);
    td_frame_matches_free(&made);
    td_find_free(&find);
}

static void each_frame_has_the_time_of_its_matches(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 4; seed++) {
        struct td_trace *trace = random_trace(seed, seed % 2);
        const uint32_t set = td_dict_frame_set_count(td_trace_dict(trace)) - 1;
        uint8_t passes[3] = {1, 0, 1};
        const struct td_lane_choice lanes = {passes, 2}; /* the third is new */
        check_frames(trace, set, NULL);
        check_frames(trace, set, &lanes);
        td_trace_destroy(trace);
    }
}

static void a_count_can_be_cancelled(void **state)
{
    (void)state;
    struct td_trace *trace = random_trace(7, false);
    struct td_find find = {.text = "wanted"};
    struct td_frame_matches made;
    struct td_job job = {.cancelled = 1};
    assert_int_equal(td_find_run(&find, trace, NULL), 0);
    assert_int_equal(td_frame_matches_make(&made, trace, 0, find.matches, NULL, 0, &job), TD_E_STOPPED);
    td_frame_matches_free(&made);
    td_find_free(&find);
    td_trace_destroy(trace);
}

static struct fixture window;

static int setup(void **state)
{
    return open_offscreen(state, &window, demo_trace(2), 1280, 600);
}

static const struct td_frame_matches *counted(struct fixture *f, struct frames_found *found)
{
    do {
        settle(f);
        td_frames_found_update(&f->view, found);
    } while (td_view_background(&f->view) || found->job.running);
    td_frames_found_update(&f->view, found);
    return &found->shown;
}

static void the_panel_marks_frames_of_the_search(void **state)
{
    struct fixture *f = *state;
    struct frames_found found = {0};
    char text[100];
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_panel_set_open(view, TD_PANEL_FRAMES, true);
    settle(f);
    assert_false(td_frames_found_any(view, &found));
    td_view_search(view, "verify"); /* one zone of the host in each launch */
    const struct td_frame_matches *shown = counted(f, &found);
    const size_t all = shown->found;
    assert_true(all > 0);
    assert_true(td_frames_found_in(view, &found, 0, 1) == 160000);
    assert_non_null(strstr(td_frames_found_text(view, &found, text, sizeof text), "with matches"));
    td_lanes_set_filter(view, "core BRISC");
    assert_int_equal(counted(f, &found)->found, 0);
    assert_true(*td_lanes_note(view, text, sizeof text));
    td_lanes_set_filter(view, "");
    assert_int_equal(counted(f, &found)->found, all);
    td_view_search(view, "");
    settle(f);
    assert_false(td_frames_found_any(view, &found));
    /* Without a search, the frames of the selected zone are marked. */
    td_view_select(view, (struct td_zone_ref){0, 0, 0}); /* main(), which lasts to the end */
    assert_true(td_frames_found_in(view, &found, 0, 1) == TD_FRAME_TOUCHED);
    assert_true(td_frames_found_in(view, &found, shown->frames - 1, shown->frames) == TD_FRAME_TOUCHED);
    td_frames_found_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_frame_has_the_time_of_its_matches),
        cmocka_unit_test(a_count_can_be_cancelled),
    };
    const struct CMUnitTest drawn[] = {cmocka_unit_test(the_panel_marks_frames_of_the_search)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed + cmocka_run_group_tests(drawn, setup, teardown);
}
