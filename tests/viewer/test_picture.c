/* Pictures drawn without a display: they have the size asked for and show the zones in their colours; the
 * cost of a frame follows from pixels and rows. Skipped where there is no OpenGL. */
#include "host/file/file.h"
#include "host/viewer/app/viewer.h"
#include "host/viewer/timeline/view.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stb_image.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PICTURE TD_BINARY_DIR "/test_picture.png"

struct picture {
    int width, height;
    unsigned char *rgb;
};

/* 0: no OpenGL. */
static int draw(struct td_trace *trace, struct td_viewer_options options, struct picture *picture)
{
    struct td_err err = {0};
    options.screenshot = PICTURE;
    int rc = td_viewer_draw(trace, "demo.tracy", &options, &err);
    if (rc == TD_E_NOTFOUND) {
        print_message("skipped: %s\n", err.text);
        return 0;
    }
    if (rc < 0)
        fail_msg("%s", err.text);
    int channels;
    picture->rgb = stbi_load(PICTURE, &picture->width, &picture->height, &channels, 3);
    assert_non_null(picture->rgb);
    unlink(PICTURE);
    return 1;
}

static size_t count_color(const struct picture *p, uint32_t rgb)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)p->width * (size_t)p->height; i++) {
        const unsigned char *c = p->rgb + 3 * i;
        count += ((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]) == rgb;
    }
    return count;
}

static size_t count_colors(const struct picture *p)
{
    static unsigned char seen[1 << 15];
    size_t count = 0;
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < (size_t)p->width * (size_t)p->height; i++) {
        const unsigned char *c = p->rgb + 3 * i;
        unsigned key = (unsigned)(c[0] >> 3) << 10 | (unsigned)(c[1] >> 3) << 5 | c[2] >> 3;
        count += !seen[key];
        seen[key] = 1;
    }
    return count;
}

static uint32_t by_name(const char *name)
{
    return td_color_of_name(name) & 0xffffff;
}

static void a_picture_shows_zones_in_their_colours(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct picture p;
    if (draw(trace, (struct td_viewer_options){.width = 1200, .height = 700}, &p)) {
        assert_int_equal(p.width, 1200);
        assert_int_equal(p.height, 700);
        assert_true(count_color(&p, by_name("main")) > 800 * 8);
        assert_true(count_color(&p, by_name("KERNEL")) > 2000);
        assert_true(count_color(&p, 0x6fae5a) > 200);  /* "verify": a colour of its own */
        assert_true(count_color(&p, 0x56657d) > 2000); /* "FW" */
        assert_true(count_color(&p, by_name("prepare inputs")) > 100);
        stbi_image_free(p.rgb);
    }
    td_trace_destroy(trace);
}

static void zooming_fills_the_picture_with_the_zone(void **state)
{
    struct td_trace *trace = dense_trace(1000);
    struct td_viewer_options options = {
        .width = 800, .height = 300, .first[TD_FIRST_zoom].text = "30010ns..30050ns"};
    struct picture p;
    if (draw(trace, options, &p)) {
        /* Zone 300 spans the whole width: its row's height times the width of the rows' area. */
        assert_true(count_color(&p, 0x4080c0) > 550 * 13);
        assert_int_equal(count_color(&p, 0xc08040), 0);
        stbi_image_free(p.rgb);
    }
    td_trace_destroy(trace);
}

static void closed_tiles_hide_zones_and_show_density(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct picture p;
    if (draw(trace,
             (struct td_viewer_options){.width = 1000, .height = 500, .first[TD_FIRST_collapse].flag = 1},
             &p)) {
        assert_int_equal(count_color(&p, by_name("KERNEL")), 0);
        assert_true(count_color(&p, td_theme(TD_THEME_GROUP) & 0xffffff) > 10000);
        assert_true(count_color(&p, td_theme(TD_THEME_LOST) & 0xffffff) > 10);
        stbi_image_free(p.rgb);
    }
    td_trace_destroy(trace);
}

static void finding_dims_what_does_not_match_and_frames_what_does(void **state)
{
    struct td_trace *trace = demo_trace(2);
    struct picture p;
    if (draw(trace,
             (struct td_viewer_options){
                 .width = 1000, .height = 700, .first[TD_FIRST_find].text = "verify", .select = 1},
             &p)) {
        assert_true(count_color(&p, 0x6fae5a) > 50);
        /* Only in the box beside the parent's name. */
        assert_in_range(count_color(&p, by_name("main")), 1, 120);
        assert_true(count_color(&p, td_theme(TD_THEME_MATCH) & 0xffffff) > 10);
        assert_true(count_color(&p, 0xffffff) > 20); /* the border of the selected zone */
        stbi_image_free(p.rgb);
    }
    td_trace_destroy(trace);
}

static void scale_makes_letters_and_rows_larger(void **state)
{
    struct td_trace *trace = demo_trace(1);
    struct picture small, large;
    if (draw(trace, (struct td_viewer_options){.width = 1000, .height = 600, .scale = 1}, &small)) {
        assert_true(
            draw(trace, (struct td_viewer_options){.width = 2000, .height = 1200, .scale = 2}, &large));
        size_t a = count_color(&small, by_name("main")), b = count_color(&large, by_name("main"));
        assert_true(b > 3 * a && b < 5 * a);
        stbi_image_free(small.rgb);
        stbi_image_free(large.rgb);
    }
    td_trace_destroy(trace);
}

static void empty_and_tiny_are_drawn_too(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct picture p;
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    if (draw(trace, (struct td_viewer_options){.width = 400, .height = 200}, &p)) {
        stbi_image_free(p.rgb);
        assert_true(draw(trace, (struct td_viewer_options){.width = 16, .height = 16, .scale = 4}, &p));
        stbi_image_free(p.rgb);
    }
    td_trace_destroy(trace);
    trace = demo_trace(1);
    if (draw(trace, (struct td_viewer_options){.width = 120, .height = 60}, &p))
        stbi_image_free(p.rgb);
    td_trace_destroy(trace);
}

/* Times at the limits of 64 bits, deep nesting, plot values that are not numbers, names that are not
 * UTF-8. */
static void extremes_are_drawn_too(void **state)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_sink sink = td_trace_sink(trace);
    struct td_track thread = {.thread = 1, .name = td_dict_string(dict, "\xff\xfe\n\x01%s", 6)};
    struct td_srcloc srcloc = {.name = td_dict_string(dict, "\xc3\x28\xe2\x82", 4)};
    struct td_plot plot = {.name = td_dict_cstring(dict, "(x) ()"), .fill = 1};
    uint32_t track = td_dict_track(dict, &thread), zone = td_dict_srcloc(dict, &srcloc);
    uint32_t number = td_dict_plot(dict, &plot);
    for (int i = 0; i < 2000; i++) {
        struct td_event event = {.kind = TD_EVENT_ZONE_BEGIN, .track = track, .time_ns = i, .srcloc = zone};
        sink.events(sink.self, &event, 1, NULL);
    }
    static const double values[] = {NAN, INFINITY, 1e308, -1e308, -INFINITY, 0};
    for (int i = 0; i < 6; i++) {
        struct td_event event = {
            .kind = TD_EVENT_PLOT, .time_ns = i * 1000, .subject = number, .value.f64 = values[i]};
        sink.events(sink.self, &event, 1, NULL);
    }
    struct td_event message = {.kind = TD_EVENT_MESSAGE, .track = track, .time_ns = INT64_MAX - 1};
    sink.events(sink.self, &message, 1, NULL);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    struct picture p;
    struct td_viewer_options options = {.width = 700, .height = 500};
    if (draw(trace, options, &p)) {
        stbi_image_free(p.rgb);
        options.first[TD_FIRST_zoom].text = "0ns..3000ns";
        assert_true(draw(trace, options, &p));
        stbi_image_free(p.rgb);
        options.first[TD_FIRST_zoom].text = "-8.9e18..8.9e18";
        options.first[TD_FIRST_find].text = "(";
        options.select = 1;
        assert_true(draw(trace, options, &p));
        stbi_image_free(p.rgb);
    }
    td_trace_destroy(trace);
}

static void errors_are_one_line(void **state)
{
    struct td_trace *trace = demo_trace(1);
    struct td_err err = {0};
    struct td_viewer_options options = {.screenshot = "/no such folder/a.png"};
    assert_true(td_viewer_draw(trace, "x", &options, &err) < 0);
    assert_non_null(err.text);
    assert_null(strchr(err.text, '\n'));
    err = (struct td_err){0};
    options.width = 5;
    options.height = 5;
    assert_int_equal(td_viewer_draw(trace, "x", &options, &err), TD_E_USAGE);
    td_trace_destroy(trace);
}

static int command(const char *a, const char *b, const char *c, struct td_err *err)
{
    char copies[4][200] = {"view"}, *argv[5] = {copies[0]};
    const char *words[] = {a, b, c};
    int argc = 1;
    for (int i = 0; i < 3; i++)
        if (words[i]) {
            snprintf(copies[argc], sizeof copies[argc], "%s", words[i]);
            argv[argc] = copies[argc];
            argc++;
        }
    *err = (struct td_err){0};
    return td_viewer_run(argc, argv, "", err);
}

static void the_command_refuses_what_makes_no_sense(void **state)
{
    struct td_err err;
    assert_true(command("--screenshot", "/tmp/none.png", "/no/such/file.tracy", &err) < 0);
    assert_non_null(strstr(err.text, "/no/such/file.tracy"));
    assert_true(command("--screenshot", "/tmp/none.png", TD_SOURCE_DIR "/CMakeLists.txt", &err) < 0);
    assert_non_null(strstr(err.text, "CMakeLists.txt"));
    static const char *const ranges[] = {"5",    "..",     "1..",    "..1",     "3ms..2ms",
                                         "1..1", "1x..2x", "nan..1", "1e400..2"};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        assert_int_equal(command("--zoom", ranges[i], "x", &err), TD_E_USAGE);
    static const char *const sizes[] = {"5", "x", "5x", "0x5", "-3x5", "3x5x7"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(command("--size", sizes[i], "x", &err), TD_E_USAGE);
    assert_int_equal(command("--scale", "99", "x", &err), TD_E_USAGE);
    assert_int_equal(command("--live", NULL, NULL, &err), TD_E_USAGE);
    assert_int_equal(command("--screenshot", "/tmp/none.png", NULL, &err), TD_E_USAGE);
    assert_int_equal(command("-a", "localhost", "x", &err), TD_E_USAGE);
}

/* Triangles of a frame of a picture of 1280 x 720 with that range; 0: no OpenGL. */
static size_t triangles(struct td_trace *trace, double start_ns, double end_ns)
{
    struct td_err err = {0};
    struct td_ui_options window = {.title = "", .width = 1280, .height = 720, .offscreen = 1};
    struct td_ui *ui = td_ui_open(&window, &err);
    struct td_view view;
    if (!ui)
        return 0;
    assert_int_equal(td_view_init(&view, ui, trace, NULL, "x", &err), 0);
    td_camera_set_range(&view.camera, start_ns, end_ns, 1);
    for (int i = 0; i < 2; i++) {
        td_ui_begin(ui);
        td_view_frame(&view);
        td_ui_end(ui);
    }
    size_t count = td_ui_triangles(ui);
    td_view_free(&view);
    td_ui_close(ui);
    return count;
}

static void a_frame_of_ten_million_zones_costs_pixels_only(void **state)
{
    struct td_trace *trace = dense_trace(10000000);
    for (double span = 1e9; span > 500; span /= 30) {
        /* A row of 1074 pixels has at most that many blocks; bar, labels and overview are the rest. */
        size_t count = triangles(trace, 4e8, 4e8 + span);
        print_message("span %.0f ns: %zu triangles\n", span, count);
        assert_true(count < 8000);
    }
    td_trace_destroy(trace);
}

static void a_frame_of_845_cores_costs_what_is_seen_only(void **state)
{
    struct td_trace *trace = demo_trace(13);
    size_t count = triangles(trace, 0, 6e6);
    print_message("%zu triangles\n", count);
    assert_true(count < 80000);
    td_trace_destroy(trace);
}

static void traces_of_the_corpus_are_drawn(void **state)
{
    static const char *const files[] = {
        "0.9.1/features.tracy",  "0.10/features.tracy",   "0.11.1/features.tracy", "0.11.1/crash.tracy",
        "0.12.2/features.tracy", "0.13.1/features.tracy", "0.14.0/features.tracy"};
    const char *corpus = getenv("TD_CORPUS");
    char path[600];
    int drawn = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", corpus ? corpus : TD_SOURCE_DIR "/../shared/corpus", files[i]);
        if (access(path, R_OK))
            continue;
        struct td_trace *trace;
        struct td_err err = {0};
        struct picture p;
        if (td_file_read(path, &trace, &err) < 0)
            fail_msg("%s", err.text);
        if (draw(trace, (struct td_viewer_options){.width = 900, .height = 600}, &p)) {
            assert_true(count_colors(&p) > 40);
            stbi_image_free(p.rgb);
        }
        td_trace_destroy(trace);
        drawn++;
    }
    if (!drawn)
        print_message("skipped: no corpus\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_shows_zones_in_their_colours),
        cmocka_unit_test(zooming_fills_the_picture_with_the_zone),
        cmocka_unit_test(closed_tiles_hide_zones_and_show_density),
        cmocka_unit_test(finding_dims_what_does_not_match_and_frames_what_does),
        cmocka_unit_test(scale_makes_letters_and_rows_larger),
        cmocka_unit_test(empty_and_tiny_are_drawn_too),
        cmocka_unit_test(extremes_are_drawn_too),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(the_command_refuses_what_makes_no_sense),
        cmocka_unit_test(a_frame_of_ten_million_zones_costs_pixels_only),
        cmocka_unit_test(a_frame_of_845_cores_costs_what_is_seen_only),
        cmocka_unit_test(traces_of_the_corpus_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
