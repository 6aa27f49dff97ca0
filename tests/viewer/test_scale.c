/* The scale of the window: --scale, then TRACY_DPI_SCALE, then the display. Skipped without OpenGL. */
#include "host/viewer/ui/font_files.h"
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

static void draw_text(struct td_ui *ui, const char *text)
{
    td_ui_poll(ui, 0);
    td_ui_begin(ui);
    td_ui_region_begin(ui, "text", 0, 0, 640, 400, 0xff000000, false);
    td_ui_text(ui, TD_FONT_TEXT, 10, 10, 0xffffffff, text);
    td_ui_region_end(ui);
    td_ui_end(ui);
}

/* At the start the fonts lack them. */
static void letters_of_other_scripts_are_made_when_a_text_has_them(void **state)
{
    static const char wide[] = "\xd0\xa9\xd0\xa9\xd0\xa9\xd0\xa9", /* the widest of Cyrillic */
        latin[] = "\xc3\xa9 \xe2\x80\xa6 \xe2\x86\x92";
    struct td_err err = {0};
    struct td_ui *ui = td_ui_open(
        &(struct td_ui_options){.title = "test", .width = 640, .height = 400, .offscreen = true}, &err);
    if (!ui) {
        print_message("skipped: %s\n", err.text);
        return;
    }
    draw_text(ui, latin);
    assert_int_equal(td_ui_poll(ui, 0), 1);
    const float known = td_ui_text_width(ui, TD_FONT_TEXT, latin);
    draw_text(ui, wide);
    const float instead = td_ui_text_width(ui, TD_FONT_TEXT, wide);
    assert_int_equal(td_ui_poll(ui, -1), 2); /* another frame is due, without input */
    draw_text(ui, wide);
    assert_true(td_ui_text_width(ui, TD_FONT_TEXT, wide) > instead * 1.3f);
    assert_true(td_ui_text_width(ui, TD_FONT_TEXT, latin) == known);
    assert_int_equal(td_ui_poll(ui, 0), 1);
    td_ui_set_scale(ui, 2); /* the letters stay */
    draw_text(ui, wide);
    assert_true(td_ui_text_width(ui, TD_FONT_TEXT, wide) > instead * 2 * 1.3f);
    td_ui_close(ui);
}

/* Chinese and Hebrew; what no font has is drawn instead, and not asked for again and again. */
static void letters_of_all_scripts_are_those_of_the_fonts_that_have_them(void **state)
{
    static const char han[] = "\xe4\xb8\xad\xe6\x96\x87", hebrew[] = "\xd7\xa9\xd7\xa9\xd7\xa9\xd7\xa9",
                      none[] = "\xef\xbf\xbe a";
    static struct td_font_file files[TD_FONT_FALLBACKS];
    static struct td_char_set wanted;
    struct td_err err = {0};
    struct td_ui *ui = td_ui_open(
        &(struct td_ui_options){.title = "test", .width = 640, .height = 400, .offscreen = true}, &err);
    if (!ui) {
        print_message("skipped: %s\n", err.text);
        return;
    }
    td_char_set_add(&wanted, 0x4e2d);
    const bool has_han = td_font_fallbacks("/nonexistent", &wanted, files) > 0;
    const char *const texts[] = {hebrew, has_han ? han : hebrew, none};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        draw_text(ui, texts[i]);
        draw_text(ui, texts[i]);
        assert_false(td_ui_lacks_letters(ui));
        assert_int_equal(td_ui_poll(ui, 0), 1);
    }
    /* Han characters are about as wide as they are high, what is drawn instead is half of that. */
    if (has_han)
        assert_true(td_ui_text_width(ui, TD_FONT_TEXT, han) > 18);
    else
        print_message("no font has Chinese characters\n");
    td_ui_close(ui);
}

int main(void)
{
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variable_replaces_the_scale_of_the_display),
        cmocka_unit_test(an_explicit_scale_wins),
        cmocka_unit_test(pictures_ignore_the_variable),
        cmocka_unit_test(letters_of_other_scripts_are_made_when_a_text_has_them),
        cmocka_unit_test(letters_of_all_scripts_are_those_of_the_fonts_that_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
