/* Parts of the viewer that need no window: search, flows, camera, times as text, colours. */
#include "host/viewer/timeline/camera.h"
#include "host/viewer/ui/color.h"
#include "host/query/sums/find.h"
#include "host/query/flows/flow.h"
#include "host/query/table/format.h"
#include "host/viewer/ui/ticks.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"
#include "host/viewer/ui/data_colors.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void search(struct td_find *find, struct td_trace *trace, const char *text)
{
    snprintf(find->text, sizeof find->text, "%s", text);
    assert_int_equal(td_find_run(find, trace, NULL), 0);
}

static void finding_lists_names_with_counts_and_totals(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_find find = {0};
    search(&find, trace, "MULTI");
    assert_int_equal(find.name_count, 1);
    assert_string_equal(find.names[0].name, "multiply");
    assert_int_equal(find.names[0].count, 4 * 3 * 9);
    assert_int_equal(td_matches_count(find.matches), 4 * 3 * 9);
    uint64_t of_tracks = 0;
    for (uint32_t t = 0; t <= td_dict_track_count(td_trace_dict(trace)); t++)
        of_tracks += td_matches_count_of(find.matches, t);
    assert_int_equal(of_tracks, 4 * 3 * 9);
    const struct td_stat *stats;
    size_t count = td_trace_stats(trace, &stats);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(td_dict_zone_name(td_trace_dict(trace), stats[i].srcloc), "multiply"))
            assert_int_equal(find.names[0].total_ns, stats[i].total_ns);
    search(&find, trace, "a");
    assert_true(find.name_count > 5);
    for (size_t i = 1; i < find.name_count; i++)
        assert_true(find.names[i - 1].total_ns >= find.names[i].total_ns);
    find.only = find.names[0].name;
    search(&find, trace, "a");
    assert_int_equal(td_matches_count(find.matches), find.names[0].count);
    find.only = NULL;
    search(&find, trace, "a");
    const uint64_t with_a = td_matches_count(find.matches);
    search(&find, trace, "a, no such zone, -\"pa\", -launch");
    assert_true(td_matches_count(find.matches) > 0 && td_matches_count(find.matches) < with_a);
    for (size_t i = 0; i < find.name_count; i++) {
        assert_null(strcasestr(find.names[i].name, "pa"));
        assert_null(strcasestr(find.names[i].name, "launch"));
    }
    search(&find, trace, "no such zone");
    assert_int_equal(find.name_count + td_matches_count(find.matches), 0);
    assert_true(find.active);
    search(&find, trace, "");
    assert_false(find.active);
    td_find_free(&find);
    td_trace_destroy(trace);
}

static int64_t start_of(const struct td_trace *trace, struct td_zone_ref ref)
{
    return td_trace_zone(trace, ref.track, ref.row, ref.index).start_ns;
}

static void next_and_previous_visit_every_match_once_in_order_of_time(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_find find = {0};
    search(&find, trace, "cb full");
    for (int forward = 0; forward < 2; forward++) {
        struct td_zone_ref at = TD_NO_ZONE;
        int64_t time = forward ? INT64_MIN : INT64_MAX;
        size_t visited = 0;
        for (;;) {
            struct td_zone_ref next = td_matches_next(find.matches, trace, time, at, forward);
            if (!td_ref_valid(next))
                break;
            if (visited)
                assert_true(forward ? start_of(trace, next) >= time : start_of(trace, next) <= time);
            assert_int_equal(td_matches_in(find.matches, next.track, next.row, next.index, 1), next.index);
            at = next;
            time = start_of(trace, next);
            visited++;
            assert_true(visited <= td_matches_count(find.matches));
        }
        assert_int_equal(visited, td_matches_count(find.matches));
    }
    td_find_free(&find);
    td_trace_destroy(trace);
}

static struct td_zone_ref first_match(const struct td_find *find, const struct td_trace *trace)
{
    return td_matches_next(find->matches, trace, INT64_MIN, TD_NO_ZONE, true);
}

static void matches_of_a_part_of_a_row_are_found(void **state)
{
    struct td_trace *trace = demo_trace(1);
    struct td_find find = {0};
    search(&find, trace, "verify");
    struct td_zone_ref first = first_match(&find, trace);
    size_t zones = td_trace_row_zones(trace, first.track, first.row), seen = 0;
    for (size_t i = 0; i < zones; i++)
        seen += td_matches_in(find.matches, first.track, first.row, i, 1) == i;
    assert_int_equal(seen, td_matches_count(find.matches)); /* all are in one row */
    assert_int_equal(td_matches_in(find.matches, first.track, first.row, 0, zones), first.index);
    assert_true(td_matches_in(find.matches, first.track, first.row + 1, 0, zones) == SIZE_MAX);
    td_find_free(&find);
    td_trace_destroy(trace);
}

/* However many zones match, none is left out, in whichever track it is. */
static void every_zone_that_matches_is_found(void **state)
{
    const size_t zones = 1000000;
    struct td_trace *trace = dense_trace(zones);
    struct td_find find = {0};
    search(&find, trace, td_dict_zone_name(td_trace_dict(trace), td_trace_zone(trace, 0, 1, 0).srcloc));
    assert_int_equal(td_matches_count(find.matches), find.zones);
    assert_true(find.zones >= zones / 4);
    uint64_t seen = 0;
    for (size_t at = 0; (at = td_matches_in(find.matches, 0, 1, at, SIZE_MAX - at)) != SIZE_MAX; at++)
        seen++;
    for (size_t at = 0; (at = td_matches_in(find.matches, 0, 0, at, SIZE_MAX - at)) != SIZE_MAX; at++)
        seen++;
    assert_int_equal(seen, find.zones);
    td_find_free(&find);
    td_trace_destroy(trace);
}

/* As while the user types: each key ends the search before. */
static void a_search_in_the_background_finds_what_one_in_the_foreground_does(void **state)
{
    struct td_trace *trace = dense_trace(300000);
    struct td_find find = {0}, now = {0};
    const char *name = td_dict_zone_name(td_trace_dict(trace), td_trace_zone(trace, 0, 1, 0).srcloc);
    search(&now, trace, name);
    for (size_t i = 1; i <= strlen(name); i++) {
        snprintf(find.text, sizeof find.text, "%.*s", (int)i, name);
        assert_int_equal(td_find_start(&find, trace, NULL), 0);
    }
    while (td_find_pending(&find))
        td_find_take(&find);
    assert_int_equal(td_matches_count(find.matches), td_matches_count(now.matches));
    assert_int_equal(find.name_count, now.name_count);
    assert_int_equal(find.names[0].count, now.names[0].count);
    td_find_start(&find, trace, NULL);
    td_find_free(&find); /* while it runs */
    td_find_free(&now);
    td_trace_destroy(trace);
}

static void flows_join_the_launch_to_its_kernels(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct td_flows flows;
    struct td_find find = {0};
    struct td_flow_pair pairs[64];
    assert_int_equal(td_flows_build(&flows, trace, NULL), 0);
    search(&find, trace, "load kernels");
    assert_true(td_matches_count(find.matches) > 0);
    for (struct td_zone_ref ref = first_match(&find, trace); td_ref_valid(ref);
         ref = td_matches_next(find.matches, trace, start_of(trace, ref), ref, true)) {
        assert_int_equal(td_flows_of(&flows, ref, pairs, 64), 20);
        for (int p = 0; p < 20; p++) {
            assert_true(td_ref_equal(pairs[p].from->zone, ref));
            assert_false(td_flow_is_out(pairs[p].to));
            assert_true(pairs[p].to->start_ns > start_of(trace, ref));
        }
        assert_int_equal(td_flows_of(&flows, ref, pairs, 3), 3);
        struct td_zone_ref receiver = pairs[0].to->zone;
        assert_int_equal(td_flows_of(&flows, receiver, pairs, 64), 1);
        assert_true(td_ref_equal(pairs[0].from->zone, ref));
    }
    assert_int_equal(td_flows_of(&flows, (struct td_zone_ref){0, 0, 0}, pairs, 64), 0);
    td_flows_free(&flows);
    td_find_free(&find);
    td_trace_destroy(trace);
}

static void flow_zone(struct td_trace *trace, uint32_t track, int64_t start, const char *text)
{
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_event event = {.kind = TD_EVENT_ZONE,
                             .track = track,
                             .time_ns = start,
                             .value.end_ns = start + 100,
                             .subject = td_dict_cstring(dict, text)};
    struct td_sink sink = td_trace_sink(trace);
    assert_int_equal(sink.events(sink.self, &event, 1, NULL), 0);
}

static void reused_ids_pair_within_a_tile_and_by_time(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    uint32_t tracks[4];
    for (uint16_t i = 0; i < 4; i++) {
        struct td_track t = {.thread = i + 1u, .kind = TD_TRACK_CORE, .x = i / 2, .core = i % 2};
        tracks[i] = td_dict_track(dict, &t);
    }
    /* On both tiles, core 0 sends to core 1 in two rounds with the same id. */
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 4; i++)
            flow_zone(trace, tracks[i], round * 1000 + i * 150,
                      i % 2 ? "op 3\nflow in tile #7" : "flow out tile #7");
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct td_flows flows;
    struct td_flow_pair pairs[8];
    assert_int_equal(td_flows_build(&flows, trace, NULL), 0);
    assert_int_equal(flows.count, 8);
    for (uint32_t i = 0; i < 4; i++)
        for (size_t round = 0; round < 2; round++) {
            assert_int_equal(td_flows_of(&flows, (struct td_zone_ref){tracks[i], 0, round}, pairs, 8), 1);
            assert_int_equal(pairs[0].from->zone.track, tracks[i & 2]);
            assert_int_equal(pairs[0].to->zone.track, tracks[i | 1]);
            assert_int_equal(pairs[0].from->zone.index, round);
            assert_int_equal(pairs[0].to->zone.index, round);
        }
    td_flows_free(&flows);
    td_trace_destroy(trace);
}

static void zooming_keeps_the_time_under_the_cursor(void **state)
{
    struct td_camera c;
    td_camera_init(&c, 0, 1e9);
    td_camera_set_range(&c, 2e8, 4e8, 1);
    double at = c.start_ns + .3 * (c.end_ns - c.start_ns);
    td_camera_zoom(&c, .25, .3);
    for (int i = 0; i < 500 && td_camera_step(&c, .016); i++)
        assert_true(fabs(c.start_ns + .3 * (c.end_ns - c.start_ns) - at) < 1e4);
    assert_true(fabs(c.end_ns - c.start_ns - 5e7) < 1);
    assert_true(fabs(c.start_ns + .3 * (c.end_ns - c.start_ns) - at) < 1);
}

/* An animation takes a time, not a number of frames. */
static void animations_end_as_soon_with_slow_frames(void **state)
{
    struct td_camera c;
    td_camera_init(&c, 0, 1e9);
    td_camera_zoom(&c, .1, .5);
    td_camera_step(&c, 30); /* how long the picture was at rest */
    assert_true(c.end_ns - c.start_ns > 2e8);
    int frames = 0;
    while (td_camera_step(&c, .2))
        frames++;
    assert_true(frames < 4);
    td_camera_zoom(&c, 8, .5);
    td_camera_step(&c, 30);
    assert_true(c.end_ns - c.start_ns < 5e8);
}

static void the_camera_comes_to_rest_and_stays_within_limits(void **state)
{
    struct td_camera c;
    td_camera_init(&c, 1000, 2000);
    for (int i = 0; i < 100; i++)
        td_camera_zoom(&c, .5, .9);
    int steps = 0;
    while (td_camera_step(&c, .016))
        assert_true(++steps < 200);
    assert_true(c.end_ns - c.start_ns >= 19.9);
    for (int i = 0; i < 100; i++)
        td_camera_pan(&c, 3, 0);
    while (td_camera_step(&c, .016))
        assert_true(++steps < 500);
    assert_true(c.start_ns < 2000 + 100 && c.end_ns > 1000);
    td_camera_set_range(&c, -1e300, 1e300, 1);
    assert_true(isfinite(c.start_ns) && c.end_ns - c.start_ns <= 2000);
    td_camera_fit(&c, 1);
    assert_true(c.start_ns < 1000 && c.end_ns > 2000);
}

static void times_read_well(void **state)
{
    char out[TD_FORMAT_BYTES];
    assert_string_equal(td_format_ns(out, 17), "17 ns");
    assert_string_equal(td_format_ns(out, 1234.5), "1.234 \xc2\xb5s");
    assert_string_equal(td_format_ns(out, 999999), "1.000 ms");
    assert_string_equal(td_format_ns(out, 12.5e9), "12.50 s");
    assert_string_equal(td_format_time(out, 1.25e6, 5e4), "1.25 ms");
    assert_string_equal(td_format_time(out, -1e-7, 5e5), "0 \xc2\xb5s");
    assert_string_equal(td_format_count(out, 1234567), "1 234 567");
    assert_string_equal(td_format_count(out, 12), "12");
    assert_string_equal(td_format_value(out, 2048, 1), "2.00 KiB");
}

static void ticks_are_apart_and_their_labels_differ(void **state)
{
    for (double span = 50; span < 1e13; span *= 3.3)
        for (double start = 0; start < 1e12; start = start * 10 + 12345) {
            double per_pixel = span / 1200;
            struct td_ticks t = td_ticks_for(start, start + span, per_pixel, 100);
            double step = t.step_ns * t.major, at = ceil(start / step) * step;
            assert_true(step / per_pixel >= 99.9 && step / per_pixel < 260);
            char a[TD_FORMAT_BYTES], b[TD_FORMAT_BYTES];
            double base = t.relative ? t.base_ns : 0;
            td_format_time(a, at - base, step);
            td_format_time(b, at + step - base, step);
            assert_string_not_equal(a, b);
            assert_true(strlen(a) < 16);
        }
}

static void colours_are_own_then_of_the_place_then_by_name(void **state)
{
    struct td_dict *dict = td_dict_create();
    struct td_srcloc plain = {.name = td_dict_cstring(dict, "a")}, own = plain, wait = plain;
    own.color = 0x807030;
    wait.flags = TD_SRCLOC_WAIT;
    struct td_zone zone = {.srcloc = td_dict_srcloc(dict, &plain)};
    assert_int_equal(td_color_of_zone(dict, &zone), td_color_of_name("a"));
    zone.srcloc = td_dict_srcloc(dict, &own);
    assert_int_equal(td_color_of_zone(dict, &zone), 0xff807030);
    zone.color = 0x405060;
    assert_int_equal(td_color_of_zone(dict, &zone), 0xff405060);
    zone.color = 0x000020; /* cannot be told from the background */
    assert_true((td_color_of_zone(dict, &zone) & 0xff) > 0x40);
    zone = (struct td_zone){.srcloc = td_dict_srcloc(dict, &wait)};
    assert_int_equal(td_color_of_zone(dict, &zone), TD_C(WAIT));
    assert_int_equal(td_color_mix(0xff000000, 0xffffffff, 1), 0xffffffff);
    td_dict_destroy(dict);
}

static void a_name_is_one_line_of_a_tooltip(void **state)
{
    struct td_view *view = calloc(1, sizeof *view);
    assert_non_null(view);
    td_tip(view, "plot\nvalue\t7\x1b[31m\xe2\x80\xae\xff", "value\t%d\n", 1);
    assert_string_equal(view->hover.tip, "plot?value?7?[31m??\nvalue\t1\n");
    free(view);
}

static void texts_can_be_read_on_every_background_of_every_theme(void **state)
{
    for (int kind = 0; kind < TD_THEME_KINDS; kind++) {
        td_theme_choose((enum td_theme_kind)kind);
        for (int text = TD_THEME_TEXT; text <= TD_THEME_KERNEL; text++)
            for (int back = TD_THEME_BACK; back <= TD_THEME_CHOSEN; back++) {
                const bool drawn_on =
                    back != TD_THEME_TRACK_EDGE && back != TD_THEME_EDGE && back != TD_THEME_GRID;
                const bool is_text = text != TD_THEME_SHARE && text != TD_THEME_DENSITY &&
                                     text != TD_THEME_HOST && text != TD_THEME_WAIT;
                const float contrast = td_color_contrast(td_theme((enum td_theme_index)text),
                                                         td_theme((enum td_theme_index)back));
                if (drawn_on && is_text && contrast < 4.5f)
                    fail_msg("theme %d: text %d on %d: %.2f", kind, text, back, (double)contrast);
            }
        /* Colours that a program gives its messages, from black to white. */
        for (uint32_t rgb = 0; rgb <= 0xffffff; rgb += 0x101f0d)
            for (int back = 0; back < 2; back++) {
                const td_rgba on = back ? TD_C(PANEL) : TD_C(BACK);
                assert_true(td_color_contrast(td_color_legible(rgb), on) >= 4.5f);
            }
    }
    td_theme_choose(TD_THEME_DARK);
}

/* Linear RGB of a colour as people see it who lack one kind of cones (Machado, Oliveira and Fernandes 2009), then Oklab,
 * in which distances are about as large as they look. */
static void see_color(td_rgba rgb, int kind, double lab[3])
{
    static const double kinds[][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{.152286, 1.052583, -.204868}, {.114503, .786281, .099216}, {-.003882, -.048116, 1.051998}},
        {{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
        {{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
    };
    static const double cones[3][3] = {{.4122214708, .5363325363, .0514459929},
                                       {.2119034982, .6806995451, .1073969566},
                                       {.0883024619, .2817188376, .6299787005}},
                        axes[3][3] = {{.2104542553, .7936177850, -.0040720468},
                                      {1.9779984951, -2.4285922050, .4505937099},
                                      {.0259040371, .7827717662, -.8086757660}};
    double linear[3], seen[3], cone[3];
    for (int i = 0; i < 3; i++) {
        const double part = (rgb >> (16 - 8 * i) & 255) / 255.;
        linear[i] = part <= .04045 ? part / 12.92 : pow((part + .055) / 1.055, 2.4);
    }
    for (int i = 0; i < 3; i++) {
        const double *k = kinds[kind][i];
        seen[i] = fmin(fmax(k[0] * linear[0] + k[1] * linear[1] + k[2] * linear[2], 0), 1);
    }
    for (int i = 0; i < 3; i++)
        cone[i] = cbrt(cones[i][0] * seen[0] + cones[i][1] * seen[1] + cones[i][2] * seen[2]);
    for (int i = 0; i < 3; i++)
        lab[i] = axes[i][0] * cone[0] + axes[i][1] * cone[1] + axes[i][2] * cone[2];
}

/* Of a group that ends with 0. */
static void check_apart(const char *name, const td_rgba *group)
{
    for (int a = 0; group[a]; a++)
        for (int b = a + 1; group[b]; b++)
            for (int kind = 0; kind < 4; kind++) {
                double one[3], other[3];
                see_color(group[a], kind, one);
                see_color(group[b], kind, other);
                const double apart =
                    sqrt(pow(one[0] - other[0], 2) + pow(one[1] - other[1], 2) + pow(one[2] - other[2], 2));
                if (apart < .1)
                    fail_msg("%s: %06x and %06x are %.3f apart for kind %d", name, group[a] & 0xffffff,
                             group[b] & 0xffffff, apart, kind);
            }
}

static void the_colour_blind_tell_colours_apart(void **state)
{
    static const td_rgba threads[] = {TD_DATA_RUNS, TD_DATA_WAITS, TD_DATA_MIGRATES, TD_DATA_WOKEN, 0},
                         processors[] = {TD_DATA_OWN, TD_DATA_OWN_UNKNOWN, TD_DATA_OTHER, 0},
                         memory[] = {TD_DATA_IN_USE, TD_DATA_FREED, 0},
                         frames[] = {TD_DATA_FRAME_SHORT, TD_DATA_FRAME_MEETS, TD_DATA_FRAME_LONG,
                                     TD_DATA_FRAME_LONGER, 0};
    check_apart("threads", threads);
    check_apart("processors", processors);
    check_apart("memory", memory);
    check_apart("frames", frames);
    for (int kind = 0; kind < TD_THEME_KINDS; kind++) {
        td_theme_choose((enum td_theme_kind)kind);
        check_apart("accents", (td_rgba[]){TD_C(ACCENT), TD_C(MATCH), 0});
        check_apart("waits", (td_rgba[]){TD_C(WAIT), TD_C(LOST), TD_C(STALL), 0});
        check_apart("NoCs", (td_rgba[]){TD_C(NOC0), TD_C(NOC1), 0});
        check_apart("locks", (td_rgba[]){TD_DATA_HELD, TD_DATA_CONTENDED, TD_C(WAIT), 0});
    }
    td_theme_choose(TD_THEME_DARK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_colour_blind_tell_colours_apart),
        cmocka_unit_test(texts_can_be_read_on_every_background_of_every_theme),
        cmocka_unit_test(finding_lists_names_with_counts_and_totals),
        cmocka_unit_test(next_and_previous_visit_every_match_once_in_order_of_time),
        cmocka_unit_test(matches_of_a_part_of_a_row_are_found),
        cmocka_unit_test(every_zone_that_matches_is_found),
        cmocka_unit_test(a_search_in_the_background_finds_what_one_in_the_foreground_does),
        cmocka_unit_test(flows_join_the_launch_to_its_kernels),
        cmocka_unit_test(reused_ids_pair_within_a_tile_and_by_time),
        cmocka_unit_test(zooming_keeps_the_time_under_the_cursor),
        cmocka_unit_test(animations_end_as_soon_with_slow_frames),
        cmocka_unit_test(the_camera_comes_to_rest_and_stays_within_limits),
        cmocka_unit_test(times_read_well),
        cmocka_unit_test(ticks_are_apart_and_their_labels_differ),
        cmocka_unit_test(a_name_is_one_line_of_a_tooltip),
        cmocka_unit_test(colours_are_own_then_of_the_place_then_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
