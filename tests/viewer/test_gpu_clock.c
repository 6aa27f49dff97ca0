/* Clocks of GPU contexts: the measured drift is that of the zones, times map there and back, rows are drawn by
 * the clock that is set, and contexts that their program calibrated have none. */
#include "host/trace/fill.h"
#include "host/trace/tables.h"
#include "tests/viewer/mouse.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/navigate.h"

#include <string.h>

#define ZONES   500
#define EACH_NS 1000000 /* between two zones */
#define FAST    1.0005  /* GPU time beside host time */
#define COLOR   0x30c0e0

static void add_context(struct td_trace *trace, uint64_t thread, bool calibrated, int zones)
{
    struct td_dict *dict = td_trace_fill_dict(trace);
    struct td_series *contexts = td_trace_fill_table(trace, TD_TABLE_GPU_CONTEXT);
    int64_t row[TD_GPU_CONTEXT_COLUMN_COUNT] = {
        [TD_GPU_CONTEXT_TYPE] = 2, [TD_GPU_CONTEXT_CALIBRATED] = calibrated};
    const double period = 1;
    memcpy(&row[TD_GPU_CONTEXT_PERIOD], &period, sizeof period);
    assert_int_equal(td_series_append(contexts, row), 0);
    struct td_srcloc place = {.name = td_dict_cstring(dict, "draw"), .color = COLOR};
    const uint32_t srcloc = td_dict_srcloc(dict, &place);
    struct td_track track = {
        .thread = thread, .kind = TD_TRACK_GPU, .context = (uint32_t)td_series_count(contexts)};
    struct td_fill fill;
    assert_int_equal(td_fill_begin(&fill, trace, td_dict_track(dict, &track), NULL), 0);
    for (int i = 0; i < zones; i++) {
        /* Each tenth zone is issued long before it begins. */
        const int64_t issued = (int64_t)(i + 1) * EACH_NS, begins = issued + 5000,
                      early = i % 10 ? 0 : (i * 7919 % 400000);
        struct td_fill_gpu facts = {issued - early, 100, 0, 0, 0, 0};
        const int64_t start = (int64_t)((double)begins * FAST);
        assert_int_equal(td_fill_enter_gpu(&fill, start, 100000, srcloc, 0, &facts), 0);
    }
    td_fill_end(&fill);
}

static struct td_trace *gpu_trace(void)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    add_context(trace, 1, false, ZONES);
    add_context(trace, 2, true, ZONES);
    add_context(trace, 3, false, 1);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    return trace;
}

static void the_measured_drift_is_that_of_the_zones(void **state)
{
    struct td_trace *trace = gpu_trace();
    double drift = 0;
    (void)state;
    assert_int_equal(td_gpu_drift_measure(trace, 0, &drift), 0);
    assert_true(fabs(drift - 1e9 * (1 / FAST - 1)) < 2000);
    assert_int_equal(td_gpu_drift_measure(trace, 2, &drift), TD_E_NOTFOUND);
    assert_int_equal(td_gpu_drift_measure(trace, 3, &drift), TD_E_NOTFOUND);
    td_trace_destroy(trace);
}

static void times_map_there_and_back(void **state)
{
    const struct td_gpu_clock clock = {.drift = -250000, .offset_ns = 700, .begin_ns = 1e6};
    (void)state;
    assert_true(td_gpu_shown_ns(&clock, 1e6) == 1e6 + 700);
    assert_true(fabs(td_gpu_shown_ns(&clock, 1e6 + 2e9) - (1e6 + 2e9 - 500000 + 700)) < 1e-3);
    for (double ns = -1e9; ns < 1e13; ns = ns * 1.7 + 3e9)
        assert_true(fabs(td_gpu_recorded_ns(&clock, td_gpu_shown_ns(&clock, ns)) - ns) <
                    fabs(ns) * 1e-15 + 1e-2);
}

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, gpu_trace(), 900, 400);
}

/* The first column of pixels in that colour in the row at y. */
static int first_column(struct fixture *f, int y, uint32_t rgb)
{
    int wide, high, x = (int)f->view.area.left;
    unsigned char *pixels = take_picture(f, &wide, &high);
    for (; x < wide; x++) {
        const unsigned char *c = pixels + 3 * (y * wide + x);
        if (((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]) == rgb)
            break;
    }
    stbi_image_free(pixels);
    return x;
}

static void rows_are_drawn_by_the_clock_that_is_set(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    float y[2];
    if (!f)
        return;
    struct td_view *view = &f->view;
    /* Zone 399 begins 200 us after its time, without the drift of 400 s/1000. */
    run(f, "zoom 399.5ms..401.5ms");
    assert_true(td_view_zone_y(view, (struct td_zone_ref){0, 0, 399}, &y[0]));
    assert_true(td_view_zone_y(view, (struct td_zone_ref){1, 0, 399}, &y[1]));
    const double pixels = 1 / view->area.ns_per_pixel;
    const int before = first_column(f, (int)y[0] + 4, COLOR),
              calibrated = first_column(f, (int)y[1] + 4, COLOR);
    assert_true(fabs(before - (view->area.left + (400.0050e6 * FAST - 399.5e6) * pixels)) < 2);
    assert_int_equal(before, calibrated);
    run(f, "drift 0 auto");
    const int after = first_column(f, (int)y[0] + 4, COLOR);
    assert_true(fabs(before - after - 199500 * pixels) < 3);
    assert_int_equal(first_column(f, (int)y[1] + 4, COLOR), calibrated);
    run(f, "drift \"GPU context 0\" 0 -100us");
    assert_true(fabs(before - first_column(f, (int)y[0] + 4, COLOR) - 100000 * pixels) < 2);
    /* Moving to a zone takes the time that is shown. */
    run(f, "drift 0 0 100ms");
    td_view_show_zone(view, (struct td_zone_ref){0, 0, 100}, true);
    td_driver_settle(view);
    assert_true(view->camera.start_ns > 2.01e8 && view->camera.end_ns < 2.013e8);

    cJSON *kept = td_gpu_clocks_to_json(&view->model);
    run(f, "drift 0 0");
    assert_null(td_gpu_clocks_to_json(&view->model));
    td_gpu_clocks_read(&view->model, kept);
    assert_true(td_view_gpu_clock(&view->model, 0).offset_ns == 1e8);
    cJSON_Delete(kept);
    run(f, "drift 0 0; fit");

    static const struct {
        const char *command, *text;
    } mistakes[] = {
        {"drift 1 auto", "the program has calibrated the clock of GPU context 1"},
        {"drift 2 auto", "GPU context 2 has too few zones to measure its drift"},
        {"drift 3 5", "there is no GPU context '3'"},
        {"drift 0 fast", "'fast' is not auto, nor a number of ns for each s"},
        {"drift 0 1e12", "a drift is within 900000000 ns/s, an offset within 1000000 s"},
        {"drift 0 nan", "a drift is within 900000000 ns/s, an offset within 1000000 s"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        err = (struct td_err){0};
        assert_true(td_driver_script(view, mistakes[i].command, &err) < 0);
        assert_string_equal(err.text, mistakes[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measured_drift_is_that_of_the_zones),
        cmocka_unit_test(times_map_there_and_back),
        cmocka_unit_test_setup_teardown(rows_are_drawn_by_the_clock_that_is_set, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
