/* The scale of the window: --scale, then TRACY_DPI_SCALE, then the display. Skipped without OpenGL. */
#include "host/viewer/ui/imgui_shim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

/* The scale of a window opened with that value of TRACY_DPI_SCALE (NULL: not set); 0: no OpenGL. */
static float open_with(const char *variable, struct td_ui_options options)
{
    struct td_err err = {0};
    options.title = "test";
    options.width = 640;
    options.height = 400;
    if (variable)
        setenv("TRACY_DPI_SCALE", variable, 1);
    else
        unsetenv("TRACY_DPI_SCALE");
    struct td_ui *ui = td_ui_open(&options, &err);
    unsetenv("TRACY_DPI_SCALE");
    if (!ui) {
        print_message("skipped: %s\n", err.text);
        return 0;
    }
    float scale = td_ui_scale(ui);
    td_ui_close(ui);
    return scale;
}

static void the_variable_replaces_the_scale_of_the_display(void **state)
{
    float display = open_with(NULL, (struct td_ui_options){0});
    if (display == 0)
        return;
    static const char *const scales[] = {"1", "1.5", "2.25", "3e0"};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        assert_true(open_with(scales[i], (struct td_ui_options){0}) == strtof(scales[i], NULL));
    assert_true(open_with("0.01", (struct td_ui_options){0}) == (float)TD_UI_MIN_SCALE);
    assert_true(open_with("inf", (struct td_ui_options){0}) == (float)TD_UI_MAX_SCALE);
    static const char *const ignored[] = {"", "0", "-2", "nan", "large", "2x"};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        assert_true(open_with(ignored[i], (struct td_ui_options){0}) == display);
}

static void an_explicit_scale_wins(void **state)
{
    float scale = open_with("2", (struct td_ui_options){.scale = 1.25});
    assert_true(scale == 0 || scale == 1.25f);
}

/* Pictures are the same on every machine. */
static void pictures_ignore_the_variable(void **state)
{
    float scale = open_with("2", (struct td_ui_options){.offscreen = true});
    assert_true(scale == 0 || scale == 1);
}

int main(void)
{
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variable_replaces_the_scale_of_the_display),
        cmocka_unit_test(an_explicit_scale_wins),
        cmocka_unit_test(pictures_ignore_the_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
