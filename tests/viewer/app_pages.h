/* The viewer's window with traces, for tests. */
#pragma once
#include "host/base/clock.h"
#include "tests/viewer/app_keys.h"

#define APP_LIMIT_MS 60000

static const struct td_load_options app_load;
static struct td_viewer_options app_options = {.width = 640, .height = 400, .scale = 1};

/* Whether there is OpenGL: without it tests are skipped. */
static inline bool app_opens(void)
{
    struct td_err err = {0};
    const struct td_ui_options window = {.title = "test", .width = 64, .height = 64, .scale = 1};
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    struct td_ui *ui = td_ui_open(&window, &err);
    const bool opens = ui != NULL;
    if (!ui)
        print_message("skipped: %s\n", err.text);
    td_ui_close(ui);
    return opens;
}

static inline struct td_app *app_begin(const char *path)
{
    struct td_err err = {0};
    struct td_app *app = td_app_create(&app_options, &app_load, 0, &err);
    assert_non_null(app);
    if (path)
        assert_int_equal(td_app_open_file(app, path, &err), 0);
    assert_int_equal(td_app_begin(app, &err), 0);
    return app;
}

/* Until the page's trace is complete, or there is none. */
static inline void app_wait_loaded(struct td_app *app)
{
    const int64_t until = td_mono_ms() + APP_LIMIT_MS;
    while (td_app_page(app) && (td_page_is_busy(td_app_page(app)) || td_page_background(td_app_page(app))) &&
           td_mono_ms() < until)
        turn(app);
    assert_false(td_app_page(app) && td_page_is_busy(td_app_page(app)));
    settle(app);
}

static inline const struct td_view *view_of(struct td_app *app)
{
    assert_non_null(td_app_page(app));
    assert_true(td_app_page(app)->has_view);
    return &td_app_page(app)->view;
}
