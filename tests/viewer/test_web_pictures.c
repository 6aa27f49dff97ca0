/* Pictures for a browser: what a decoder makes of the messages is what was drawn, through all that a person does; a
 * picture at rest sends nothing, and one that moves sends little. Needs neither a display nor OpenGL. */
#include "host/viewer/drive/commands.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/web/pictures.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"
#include "tests/viewer/web_decoder.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH  1280
#define HEIGHT 800

struct browser {
    struct td_web_pictures *pictures;
    struct web_decoder decoder;
    size_t bytes; /* of the last message; 0: nothing was sent */
};

static int setup(void **state)
{
    static struct fixture f;
    const struct td_ui_options options = {.title = "test", .width = WIDTH, .height = HEIGHT, .remote = true};
    return open_view(state, &f, grid_trace(2, 4, 3), &options);
}

static void check_textures(const struct td_remote_frame *frame, const struct web_decoder *d)
{
    assert_int_equal(frame->texture_count, d->texture_count);
    for (size_t i = 0; i < frame->texture_count; i++) {
        const struct td_remote_texture *t = &frame->textures[i];
        const struct decoded_texture *found = NULL;
        for (size_t k = 0; k < d->texture_count; k++)
            if (d->textures[k].id == t->id)
                found = &d->textures[k];
        assert_non_null(found);
        assert_int_equal(found->width, t->width);
        assert_int_equal(found->height, t->height);
        assert_memory_equal(found->pixels, t->pixels,
                            (size_t)t->width * (size_t)t->height * (size_t)t->pixel_bytes);
    }
}

static void draw_frame(struct fixture *f, struct browser *b)
{
    struct td_remote_frame frame;
    uint8_t *message = NULL;
    td_ui_poll(f->ui, 0);
    td_ui_begin(f->ui);
    td_view_frame(&f->view);
    td_ui_end(f->ui);
    assert_true(td_ui_remote_frame(f->ui, &frame));
    assert_false(td_ui_remote_frame(f->ui, &frame));
    b->bytes = 0;
    const int rc = td_web_pictures_encode(b->pictures, &frame, &message, &b->bytes);
    assert_true(rc >= 0);
    if (rc == 0)
        return;
    decode_picture(&b->decoder, message, b->bytes);
    free(message);
    assert_int_equal(b->decoder.number, td_web_pictures_number(b->pictures));
    assert_true(td_scene_equal(&b->decoder.scene, td_web_pictures_scene(b->pictures)));
    check_textures(&frame, &b->decoder);
}

static void settle(struct fixture *f, struct browser *b)
{
    for (int quiet = 0; quiet < 4; quiet++) {
        draw_frame(f, b);
        if (b->bytes || td_panels_busy(&f->view))
            quiet = 0;
    }
}

static void run(struct fixture *f, struct browser *b, const char *line)
{
    struct td_err err = {0};
    if (td_view_command_line(&f->view, line, &err) < 0)
        fail_msg("%s: %s", line, err.text);
    settle(f, b);
}

static void open_browser(struct browser *b)
{
    *b = (struct browser){.pictures = td_web_pictures_create()};
    assert_non_null(b->pictures);
}

static void close_browser(struct browser *b)
{
    td_web_pictures_destroy(b->pictures);
    free_decoder(&b->decoder);
}

static void a_decoder_has_every_picture(void **state)
{
    struct fixture *f = *state;
    struct browser b;
    open_browser(&b);
    draw_frame(f, &b);
    assert_true(b.decoder.whole && b.decoder.scene.rect_count > 500 && b.decoder.texture_count);
    settle(f, &b);
    static const char *const lines[] = {
        "expand",    "open statistics", "open help", "close help",  "open chip",      "find o",
        "next",      "layout 2",        "layout 4",  "layout 1",    "mark 1us..20us", "collapse",
        "note text", "open options",    "expand",    "lanes BRISC", "find",           "lanes",
        "fit"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        run(f, &b, lines[i]);
    for (int i = 0; i < 12; i++) {
        td_camera_zoom(&f->view.camera, i < 6 ? .7 : 1.3, .4);
        draw_frame(f, &b);
        td_camera_pan(&f->view.camera, .017, i & 1);
        td_ui_remote_move(f->ui, (float)(300 + 50 * i), (float)(100 + 40 * i));
        draw_frame(f, &b);
        td_ui_remote_wheel(f->ui, 0, i & 1 ? 1 : -2);
        draw_frame(f, &b);
    }
    settle(f, &b);
    close_browser(&b);
}

static void nothing_is_sent_while_nothing_moves(void **state)
{
    struct fixture *f = *state;
    struct browser b;
    open_browser(&b);
    settle(f, &b);
    for (int i = 0; i < 5; i++) {
        draw_frame(f, &b);
        assert_int_equal(b.bytes, 0);
    }
    td_web_pictures_restart(b.pictures);
    draw_frame(f, &b);
    assert_true(b.decoder.whole && b.bytes > 10000);
    draw_frame(f, &b);
    assert_int_equal(b.bytes, 0);
    close_browser(&b);
}

static void a_pan_sends_what_comes_in(void **state)
{
    struct fixture *f = *state;
    struct browser b;
    open_browser(&b);
    run(f, &b, "expand");
    td_camera_zoom(&f->view.camera, .2, .4);
    settle(f, &b);
    td_web_pictures_restart(b.pictures);
    draw_frame(f, &b);
    const size_t whole = b.bytes;
    td_camera_pan(&f->view.camera, .01, true);
    draw_frame(f, &b);
    assert_true(b.bytes > 0 && b.bytes < whole / 5);
    assert_false(b.decoder.whole);
    close_browser(&b);
}

static void a_change_of_size_and_scale_is_drawn(void **state)
{
    struct fixture *f = *state;
    struct browser b;
    open_browser(&b);
    settle(f, &b);
    td_ui_remote_resize(f->ui, 700, 500, 2);
    settle(f, &b);
    assert_int_equal(b.decoder.scene.width, 700);
    assert_int_equal(b.decoder.scene.height, 500);
    assert_true(td_ui_scale(f->ui) == 2);
    td_ui_remote_resize(f->ui, 0, 1 << 20, 0.0 / 1.0);
    settle(f, &b);
    assert_int_equal(b.decoder.scene.width, TD_UI_MIN_SIZE);
    assert_int_equal(b.decoder.scene.height, TD_UI_MAX_SIZE);
    assert_true(td_ui_scale(f->ui) == 1);
    td_ui_remote_resize(f->ui, WIDTH, HEIGHT, 1);
    settle(f, &b);
    close_browser(&b);
}

/* A click that is shorter than a frame, and keys that come at once after one that opens a field. */
static void input_is_not_lost(void **state)
{
    struct fixture *f = *state;
    struct browser b;
    open_browser(&b);
    run(f, &b, "find");
    static const char text[] = "comp";
    td_ui_remote_key(f->ui, &(struct td_key_press){.key = '/'}, true);
    td_ui_remote_text(f->ui, "/");
    td_ui_remote_key(f->ui, &(struct td_key_press){.key = '/'}, false);
    for (size_t i = 0; text[i]; i++) {
        const char typed[2] = {text[i]};
        td_ui_remote_key(f->ui, &(struct td_key_press){.key = text[i]}, true);
        td_ui_remote_text(f->ui, typed);
        td_ui_remote_key(f->ui, &(struct td_key_press){.key = text[i]}, false);
    }
    settle(f, &b);
    assert_string_equal(f->view.find.text, text);
    td_ui_remote_key(f->ui, &(struct td_key_press){.key = TD_KEY_ESCAPE}, true);
    td_ui_remote_key(f->ui, &(struct td_key_press){.key = TD_KEY_ESCAPE}, false);
    settle(f, &b);
    td_ui_remote_move(f->ui, 640, 300);
    td_ui_remote_button(f->ui, TD_MOUSE_LEFT, true, 1);
    td_ui_remote_button(f->ui, TD_MOUSE_LEFT, false, 1);
    td_ui_poll(f->ui, 0);
    td_ui_begin(f->ui);
    assert_true(td_ui_mouse_pressed(f->ui, TD_MOUSE_LEFT) && td_ui_mouse_x(f->ui) == 640);
    td_ui_end(f->ui);
    td_ui_poll(f->ui, 0);
    td_ui_begin(f->ui);
    assert_false(td_ui_mouse_down(f->ui, TD_MOUSE_LEFT));
    td_ui_end(f->ui);
    close_browser(&b);
}

static void what_is_copied_is_given_to_the_browser(void **state)
{
    struct fixture *f = *state;
    td_ui_poll(f->ui, 0);
    assert_null(td_ui_remote_copied(f->ui));
    td_ui_set_clipboard(f->ui, "a name");
    assert_string_equal(td_ui_remote_copied(f->ui), "a name");
    assert_null(td_ui_remote_copied(f->ui));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_decoder_has_every_picture, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_sent_while_nothing_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(a_pan_sends_what_comes_in, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_of_size_and_scale_is_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(input_is_not_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_copied_is_given_to_the_browser, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
