/* Closing a tab or the window with a live session that no file has: save, discard, cancel. Skipped without
 * OpenGL. */
#include "host/base/clock.h"
#include "host/file/file.h"
#include "host/viewer/drive/commands.h"
#include "tests/viewer/app_keys.h"
#include "tests/viewer/live_session.h"

#include <string.h>
#include <time.h>

#define LIMIT_MS 60000
#define ROUND    (3 * 1001) /* zones */

static char folder[] = "/tmp/test_closing.XXXXXX";
static const struct td_load_options load;
static const struct td_viewer_options options = {.width = 560, .height = 320, .scale = 1};

struct closed {
    struct td_app *app;
    struct live_program program;
    bool ended; /* the window is closed */
};

static bool step(struct closed *c)
{
    SDL_Event event = {.type = SDL_USEREVENT};
    SDL_PushEvent(&event);
    c->ended = c->ended || !td_app_turn(c->app);
    return !c->ended;
}

#define WAIT_FOR(c, condition)                                                                               \
    do {                                                                                                     \
        const int64_t until = td_mono_ms() + LIMIT_MS;                                                       \
        while (!(condition) && td_mono_ms() < until && step(c))                                              \
            nanosleep(&(struct timespec){0, 5000000}, NULL);                                                 \
        assert_true(condition);                                                                              \
    } while (0)

static struct td_page *page_of(const struct closed *c)
{
    return td_app_page(c->app);
}

static uint64_t zones_of(const struct closed *c)
{
    return page_of(c)->has_view ? page_of(c)->view.model.zones : 0;
}

static int setup(void **state)
{
    static struct closed c;
    struct td_err err = {0};
    c = (struct closed){0};
    *state = NULL;
    c.app = td_app_create(&options, &load, 0, &err);
    assert_non_null(c.app);
    start_live_program(&c.program);
    assert_int_equal(td_app_connect(c.app, "127.0.0.1", c.program.port, &err), 0);
    if (td_app_begin(c.app, &err) < 0) {
        print_message("skipped: %s\n", err.text);
        return 0;
    }
    *state = &c;
    play_live_round(&c.program);
    WAIT_FOR(&c, zones_of(&c) == 1 + ROUND);
    return 0;
}

static int teardown(void **state)
{
    struct closed *c = *state;
    if (!c)
        return 0;
    td_app_destroy(c->app);
    end_live_program(&c->program);
    return 0;
}

/* Saves until no event has come since: some of a round may come after its last zone. */
static void save_whole(struct closed *c, const char *name)
{
    struct td_save_options save = {0};
    for (int i = 0; i == 0 || td_page_is_unsaved(page_of(c)); i++) {
        snprintf(save.path, sizeof save.path, "%s/%s-%d.tracy", folder, name, i);
        assert_int_equal(td_live_save(page_of(c)->live, &save, NULL), 0);
        WAIT_FOR(c, td_saving_get_state(td_live_saving(page_of(c)->live)) == TD_SAVING_DONE);
        for (int n = 0; n < 20; n++) {
            step(c);
            nanosleep(&(struct timespec){0, 5000000}, NULL);
        }
    }
}

static void close_window(struct closed *c)
{
    SDL_Event event = {.window = {.type = SDL_WINDOWEVENT, .event = SDL_WINDOWEVENT_CLOSE}};
    SDL_PushEvent(&event);
    event = (SDL_Event){.type = SDL_QUIT}; /* as SDL reports it for the last window */
    SDL_PushEvent(&event);
    for (int i = 0; i < 5 && step(c); i++)
        ;
}

/* A key that may end the window. */
static void press_last(struct closed *c, SDL_Keycode key)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED}};
    event.key.keysym.sym = key;
    event.key.keysym.scancode = SDL_GetScancodeFromKey(key);
    SDL_PushEvent(&event);
    if (!step(c))
        return;
    event.type = SDL_KEYUP;
    event.key.state = SDL_RELEASED;
    SDL_PushEvent(&event);
    for (int i = 0; i < 5 && step(c); i++)
        ;
}

static uint64_t zones_of_file(const char *path)
{
    struct td_trace *trace = NULL;
    uint64_t zones = 0;
    assert_int_equal(td_file_read(path, &trace, NULL), 0);
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += td_trace_track_zones(trace, t);
    td_trace_destroy(trace);
    return zones;
}

/* In the field of the question. */
static void name_file(struct closed *c, const char *path)
{
    press(c->app, 's', 0);
    keep_picture(c->app, "close-name");
    press(c->app, 'a', KMOD_LCTRL); /* the name that it offers is replaced */
    type_text(c->app, path);
    press_last(c, SDLK_RETURN);
}

static void a_window_stays_or_closes_when_its_session_is_saved(void **state)
{
    struct closed *c = *state;
    char path[64];
    if (!c)
        return;
    close_window(c);
    assert_false(c->ended);
    keep_picture(c->app, "close-asks");
    press(c->app, SDLK_ESCAPE, 0);
    assert_int_equal(td_app_page_count(c->app), 1);
    /* Keys reach the timeline again. */
    const double before = page_of(c)->view.camera.to_end_ns - page_of(c)->view.camera.to_start_ns;
    press(c->app, 'w', 0);
    assert_true(page_of(c)->view.camera.to_end_ns - page_of(c)->view.camera.to_start_ns < before);
    snprintf(path, sizeof path, "%s/window.tracy", folder);
    close_window(c);
    name_file(c, path);
    WAIT_FOR(c, c->ended);
    assert_int_equal(zones_of_file(path), 1 + ROUND);
}

static void a_tab_closes_when_its_session_is_saved(void **state)
{
    struct closed *c = *state;
    char path[64];
    if (!c)
        return;
    snprintf(path, sizeof path, "%s/missing/tab.tracy", folder);
    press(c->app, 'w', KMOD_LCTRL);
    name_file(c, path); /* the folder is missing: it asks for another name */
    for (int i = 0; i < 200 && td_saving_get_state(td_live_saving(page_of(c)->live)) < TD_SAVING_DONE; i++)
        step(c);
    for (int i = 0; i < 20; i++)
        step(c);
    assert_int_equal(td_app_page_count(c->app), 1);
    keep_picture(c->app, "close-failed");
    press(c->app, 'a', KMOD_LCTRL);
    snprintf(path, sizeof path, "%s/tab.tracy", folder);
    type_text(c->app, path);
    press_last(c, SDLK_RETURN);
    WAIT_FOR(c, td_app_page_count(c->app) == 0);
    assert_false(c->ended);
    assert_int_equal(zones_of_file(path), 1 + ROUND);
}

static void what_came_after_saving_may_be_discarded(void **state)
{
    struct closed *c = *state;
    if (!c)
        return;
    save_whole(c, "early");
    play_live_round(&c->program);
    WAIT_FOR(c, zones_of(c) == 1 + 2 * ROUND);
    close_window(c);
    assert_false(c->ended);
    press_last(c, 'y');
    assert_true(c->ended);
}

/* Ctrl-C and SIGTERM end it without a question, which no one would answer; so does closing it when all is saved. */
static void signals_and_saved_sessions_end_without_a_question(void **state)
{
    struct closed *c = *state;
    if (!c)
        return;
    SDL_Event event = {.type = SDL_QUIT};
    SDL_PushEvent(&event);
    step(c);
    assert_true(c->ended);
    c->ended = false;
    save_whole(c, "whole");
    close_window(c);
    assert_true(c->ended);
}

/* The same for the command, also from a program. */
static void quit_asks_unless_it_is_to_discard(void **state)
{
    struct closed *c = *state;
    if (!c)
        return;
    assert_int_equal(td_view_command_line(&page_of(c)->view, "quit", NULL), 0);
    for (int i = 0; i < 5; i++)
        assert_true(step(c));
    press(c->app, SDLK_ESCAPE, 0);
    assert_int_equal(td_app_page_count(c->app), 1);
    assert_false(c->ended);
    assert_true(td_view_command_line(&page_of(c)->view, "quit now", NULL) < 0);
    assert_true(step(c));
    assert_int_equal(td_view_command_line(&page_of(c)->view, "quit discard", NULL), 0);
    step(c);
    assert_true(c->ended);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_window_stays_or_closes_when_its_session_is_saved),
        TEST(a_tab_closes_when_its_session_is_saved),
        TEST(what_came_after_saving_may_be_discarded),
        TEST(signals_and_saved_sessions_end_without_a_question),
        TEST(quit_asks_unless_it_is_to_discard),
    };
    char command[100];
    signal(SIGPIPE, SIG_IGN);
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    /* On a display, frames are drawn and shown, which takes long. */
    if (strcmp(getenv("SDL_VIDEODRIVER"), "offscreen") && !getenv("TD_THOROUGH"))
        cmocka_set_test_filter("a_window_*");
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? rc : 1;
}
