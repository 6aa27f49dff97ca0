/* The scale of the window: --scale, then TRACY_DPI_SCALE, then the display. The letters of texts. Skipped without
 * OpenGL. */
#include "host/viewer/ui/font_files.h"
#include "host/viewer/ui/imgui_shim.h"
#include "host/viewer/ui/visual_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

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
    td_ui_region_begin(ui, "text", 0, 0, 640, 400, 0xff000000, TD_LAYER_BASE);
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

/* ---- texts from the right to the left ---- */

static void check_visual(const char *text, const char *wanted)
{
    char to[TD_VISUAL_BYTES];
    assert_true(td_text_turns(text, strlen(text)));
    assert_int_equal(td_text_visual(text, strlen(text), to), strlen(wanted));
    assert_string_equal(to, wanted);
}

static void texts_are_turned_and_joined_as_they_are_read(void **state)
{
    static const char alef_bet[] = "\xd7\x90\xd7\x91";
    char to[TD_VISUAL_BYTES];
    td_text_visual(alef_bet, strlen(alef_bet), to);
    if (!strcmp(to, alef_bet)) {
        print_message("skipped: built without FriBidi\n");
        return;
    }
    check_visual(alef_bet, "\xd7\x91\xd7\x90");
    /* Numbers and other scripts keep their order, and brackets still open towards what they contain. */
    check_visual("tile \xd7\x90\xd7\x91 12 x", "tile 12 \xd7\x91\xd7\x90 x");
    check_visual("\xd7\x90 (\xd7\x91 12)", "(12 \xd7\x91) \xd7\x90");
    /* Three times beh: at its end, in its middle, at its beginning. Lam and alef become one letter. */
    check_visual("\xd8\xa8\xd8\xa8\xd8\xa8", "\xef\xba\x90\xef\xba\x92\xef\xba\x91");
    check_visual("\xd9\x84\xd8\xa7", "\xef\xbb\xbb");
    check_visual("\xd7\x90\xff\xd7", "\xef\xbf\xbd\xef\xbf\xbd\xd7\x90"); /* what is no text stays visible */
    assert_false(td_text_turns("caf\xc3\xa9 \xd0\xa9 \xe4\xb8\xad \xe2\x86\x92", 14));
}

static void long_and_damaged_texts_stay_within_their_room(void **state)
{
    static char text[3 * TD_VISUAL_BYTES];
    char to[TD_VISUAL_BYTES];
    unsigned random = 1;
    for (int round = 0; round < 2000; round++) {
        const size_t bytes = round ? (size_t)(random >> 8) % sizeof text / (round % 7 ? 50 : 1) : sizeof text;
        for (size_t i = 0; i < bytes; i++) {
            random = random * 1664525u + 1013904223u;
            text[i] = round % 3 ? (char)(random >> 24) : "\xd9\x84\xd8\xa7\xd7\x90(1"[i % 8];
        }
        assert_true(td_text_visual(text, bytes, to) == strlen(to));
    }
}

/* A shortened text is the beginning of what is read, and fits. */
static void a_turned_text_is_cut_where_its_reading_ends(void **state)
{
    static const char text[] = "\xd7\x90\xd7\x90\xd7\x90\xd7\x90\xd7\x90\xd7\x90\xd7\x90\xd7\x90";
    struct td_err err = {0};
    struct td_ui *ui = td_ui_open(
        &(struct td_ui_options){.title = "test", .width = 640, .height = 400, .offscreen = true}, &err);
    if (!ui) {
        print_message("skipped: %s\n", err.text);
        return;
    }
    draw_text(ui, text);
    td_ui_poll(ui, 0);
    td_ui_begin(ui);
    td_ui_region_begin(ui, "text", 0, 0, 640, 400, 0xff000000, TD_LAYER_BASE);
    const float whole = td_ui_text_width(ui, TD_FONT_TEXT, text), room = whole * .6f;
    assert_true(td_ui_text_fit(ui, TD_FONT_TEXT, 0, 0, whole, 0xffffffff, text) == whole);
    const float cut = td_ui_text_fit(ui, TD_FONT_TEXT, 0, 0, room, 0xffffffff, text);
    assert_true(cut <= room && cut > room * .6f);
    assert_true(td_ui_text_fit(ui, TD_FONT_TEXT, 0, 0, 3, 0xffffffff, text) == 0);
    td_ui_region_end(ui);
    td_ui_end(ui);
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
        cmocka_unit_test(texts_are_turned_and_joined_as_they_are_read),
        cmocka_unit_test(long_and_damaged_texts_stay_within_their_room),
        cmocka_unit_test(a_turned_text_is_cut_where_its_reading_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
