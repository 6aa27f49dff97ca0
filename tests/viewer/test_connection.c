/* The connection of a live session in the viewer's window: what it shows, parameters, saving, disconnecting,
 * connecting again, discarding. Skipped without OpenGL. */
#include "host/base/clock.h"
#include "host/file/file.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/dxt1.h"
#include "tests/viewer/app_keys.h"
#include "tests/viewer/live_session.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#define LIMIT_MS 60000
#define ROUND    (3 * 1001) /* zones */

static char folder[] = "/tmp/test_connection.XXXXXX";
static const struct td_load_options load;
static const struct td_viewer_options options = {.width = 1000, .height = 700, .scale = 1};

struct watched {
    struct td_app *app;
    struct live_program program;
};

static int setup(void **state)
{
    static struct watched w;
    struct td_err err = {0};
    w = (struct watched){0};
    *state = NULL;
    w.app = td_app_create(&options, &load, 0, &err);
    assert_non_null(w.app);
    start_live_program(&w.program);
    assert_int_equal(td_app_connect(w.app, "127.0.0.1", w.program.port, &err), 0);
    if (td_app_begin(w.app, &err) == 0)
        *state = &w;
    else
        print_message("skipped: %s\n", err.text);
    return 0;
}

static int teardown(void **state)
{
    struct watched *w = *state;
    if (!w)
        return 0;
    td_app_destroy(w->app);
    end_live_program(&w->program);
    return 0;
}

static struct td_view *view_of(const struct watched *w)
{
    struct td_page *page = td_app_page(w->app);
    assert_non_null(page);
    assert_true(page->has_view);
    return &page->view;
}

#define WAIT_FOR(w, condition)                                                                               \
    do {                                                                                                     \
        const int64_t until = td_mono_ms() + LIMIT_MS;                                                       \
        while (!(condition) && td_mono_ms() < until)                                                         \
            turn((w)->app);                                                                                  \
        assert_true(condition);                                                                              \
    } while (0)

static void wait_for_zones(const struct watched *w, uint64_t zones)
{
    turn(w->app);
    WAIT_FOR(w, view_of(w)->model.zones == zones);
}

static int64_t parameter(const struct watched *w, unsigned column)
{
    const struct td_series *table = td_trace_table(view_of(w)->model.trace, TD_TABLE_PARAMETER);
    return td_series_count(table) ? td_series_get(table, 0, column) : -1;
}

/* The newest value of the plot "speed". */
static double plotted_speed(const struct watched *w)
{
    const struct td_view *view = view_of(w);
    for (uint32_t p = 0; p < td_dict_plot_count(view->model.dict); p++) {
        const size_t points = td_trace_plot_points(view->model.trace, p);
        if (points &&
            !strcmp(td_dict_text(view->model.dict, td_dict_get_plot(view->model.dict, p)->name), "speed"))
            return td_trace_plot_point(view->model.trace, p, points - 1).value;
    }
    return -1;
}

static void its_facts_and_parameters_are_those_of_the_program(void **state)
{
    const struct watched *w = *state;
    if (!w)
        return;
    for (int i = 0; i < 4; i++)
        play_live_round(&w->program);
    wait_for_zones(w, 1 + 4 * ROUND);
    press(w->app, SDLK_F4, 0);
    assert_true(td_panel_is_open(view_of(w), TD_PANEL_CONNECTION));
    struct td_live_facts facts;
    td_live_get_facts(view_of(w)->model.live, &facts);
    assert_int_equal(facts.session.welcome.pid, w->program.pid);
    assert_true(facts.packed > 0 && facts.unpacked >= facts.packed);
    WAIT_FOR(w, parameter(w, TD_PARAMETER_INDEX) == 7);
    assert_int_equal(parameter(w, TD_PARAMETER_VALUE), 1);
    keep_picture(w->app, "connection");
    assert_int_equal(td_live_set_parameter(view_of(w)->model.live, 7, 42, NULL), 0);
    for (int i = 0; i < 200 && plotted_speed(w) != 42; i++) {
        play_live_round(&w->program);
        settle(w->app);
    }
    assert_true(plotted_speed(w) == 42);
    assert_int_equal(parameter(w, TD_PARAMETER_VALUE), 42);
}

static bool shows_three_frames(const struct td_view *view)
{
    const size_t frames = td_trace_frames(view->model.trace, 0);
    const double from = (double)td_trace_frame(view->model.trace, 0, frames - 4).start_ns;
    const double span = view->camera.to_end_ns - view->camera.to_start_ns;
    return fabs(span - ((double)view->model.last_ns - from)) < span * .05;
}

static void the_newest_three_frames_are_followed(void **state)
{
    const struct watched *w = *state;
    if (!w)
        return;
    for (int i = 0; i < 8; i++)
        play_live_round(&w->program);
    wait_for_zones(w, 1 + 8 * ROUND);
    press(w->app, SDLK_SPACE, KMOD_LCTRL);
    play_live_round(&w->program);
    wait_for_zones(w, 1 + 9 * ROUND);
    WAIT_FOR(w, shows_three_frames(view_of(w)));
    const struct td_view *view = view_of(w);
    assert_true(view->camera.follow);
    press(w->app, SDLK_LEFT, 0);
    assert_false(view->camera.follow);
    press(w->app, SDLK_SPACE, KMOD_LSHIFT);
    assert_true(view->camera.follow);
}

static uint64_t zones_of_file(const char *path)
{
    struct td_trace *trace = NULL;
    struct td_err err = {0};
    uint64_t zones = 0;
    if (td_file_read(path, &trace, &err) < 0)
        fail_msg("%s", err.text);
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += td_trace_track_zones(trace, t);
    assert_int_equal(strncmp(td_trace_get_info(trace)->capture_name, "viewer_live_program @", 21), 0);
    td_trace_destroy(trace);
    return zones;
}

/* Saves through the field of the panel. */
static void save(const struct watched *w, const char *path)
{
    press(w->app, 's', KMOD_LCTRL);
    press(w->app, 'a', KMOD_LCTRL); /* the name that it offers is replaced */
    type_text(w->app, path);
    press(w->app, SDLK_RETURN, 0);
    const struct td_saving *saving = td_live_saving(view_of(w)->model.live);
    assert_non_null(saving);
    WAIT_FOR(w, td_saving_get_state(saving) >= TD_SAVING_DONE);
}

static void a_session_is_saved_while_it_runs_and_after_it(void **state)
{
    const struct watched *w = *state;
    char early[64], late[64];
    if (!w)
        return;
    snprintf(early, sizeof early, "%s/early.tracy", folder);
    snprintf(late, sizeof late, "%s/late.tracy", folder);
    play_live_round(&w->program);
    wait_for_zones(w, 1 + ROUND);
    assert_true(td_page_is_unsaved(td_app_page(w->app)));
    save(w, early);
    keep_picture(w->app, "saved");
    assert_int_equal(td_saving_get_state(td_live_saving(view_of(w)->model.live)), TD_SAVING_DONE);
    assert_int_equal(zones_of_file(early), 1 + ROUND);

    /* Leaving the program alone takes what it has marked so far. */
    play_live_round(&w->program);
    press(w->app, SDLK_ESCAPE, 0);
    press(w->app, 'd', KMOD_LCTRL);
    WAIT_FOR(w, td_live_get_state(view_of(w)->model.live) == TD_LIVE_FINISHED);
    assert_string_equal(view_of(w)->model.live_end, "");
    assert_int_equal(view_of(w)->model.zones, 1 + 2 * ROUND);
    save(w, late);
    assert_int_equal(zones_of_file(late), 1 + 2 * ROUND);
    save(w, late);
    assert_int_equal(td_saving_get_state(td_live_saving(view_of(w)->model.live)), TD_SAVING_FAILED);
    keep_picture(w->app, "exists");
    assert_int_equal(zones_of_file(late), 1 + 2 * ROUND);
}

static void a_program_is_connected_to_again_and_its_session_discarded(void **state)
{
    struct watched *w = *state;
    if (!w)
        return;
    play_live_round(&w->program);
    wait_for_zones(w, 1 + ROUND);
    press(w->app, 'd', KMOD_LCTRL);
    WAIT_FOR(w, td_live_get_state(view_of(w)->model.live) == TD_LIVE_FINISHED);
    end_live_program(&w->program);
    press(w->app, 'r', KMOD_LCTRL);
    start_live_program(&w->program);
    assert_int_equal(td_app_page_count(w->app), 2);
    WAIT_FOR(w, td_live_get_state(view_of(w)->model.live) == TD_LIVE_RUNNING);
    press(w->app, 'w', KMOD_LCTRL);
    keep_picture(w->app, "question");
    press(w->app, 'n', 0);
    assert_int_equal(td_app_page_count(w->app), 2);
    press(w->app, 'w', KMOD_LCTRL);
    press(w->app, 'y', 0);
    assert_int_equal(td_app_page_count(w->app), 1);
}

static void a_frame_image_has_the_colours_of_its_blocks(void **state)
{
    /* Red, blue and the two colours between them, in the first row of a block. */
    const uint8_t block[16] = {0x00, 0xf8, 0x1f, 0x00, 0xb4 ^ 0x50};
    (void)state;
    uint8_t *pixels = td_dxt1_decode(block, 8, 4, 4);
    assert_non_null(pixels);
    static const uint8_t first[4][3] = {{255, 0, 0}, {0, 0, 255}, {170, 0, 85}, {85, 0, 170}};
    for (int i = 0; i < 4; i++)
        assert_memory_equal(pixels + 4 * i, first[i], 3);
    free(pixels);
    assert_null(td_dxt1_decode(block, 16, 4, 4));
    assert_null(td_dxt1_decode(block, 8, 8, 4));
    assert_null(td_dxt1_decode(block, 8, 3, 4));
    assert_null(td_dxt1_decode(block, 0, 0, 0));
    assert_null(td_dxt1_decode(block, 8, -4, -4));
    assert_null(td_dxt1_decode(block, 8, INT64_MAX - 3, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_image_has_the_colours_of_its_blocks),
        cmocka_unit_test_setup_teardown(its_facts_and_parameters_are_those_of_the_program, setup, teardown),
        cmocka_unit_test_setup_teardown(the_newest_three_frames_are_followed, setup, teardown),
        cmocka_unit_test_setup_teardown(a_session_is_saved_while_it_runs_and_after_it, setup, teardown),
        cmocka_unit_test_setup_teardown(a_program_is_connected_to_again_and_its_session_discarded, setup,
                                        teardown),
    };
    char command[100];
    signal(SIGPIPE, SIG_IGN);
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) ? 1 : failed;
}
