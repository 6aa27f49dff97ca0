/* Images of frames: which frames have one, their pictures, and the panel that plays them. The parts that draw
 * are skipped where there is no OpenGL. */
#include "host/file/file.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/dxt1.h"
#include "host/query/rows/frame_images.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/panels/playback.h"
#include "tests/viewer/settled_keys.h"
#include "host/viewer/timeline/frames.h"

#include <SDL.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAME_NS 1000000
#define FRAMES   42 /* every fourth has an image */
#define SIDE     8

static void add_frame(struct td_trace *trace, int64_t time_ns)
{
    struct td_sink sink = td_trace_sink(trace);
    struct td_event event = {.kind = TD_EVENT_FRAME, .time_ns = time_ns};
    sink.events(sink.self, &event, 1, NULL);
}

/* An image of one colour. */
static int64_t add_image(struct td_trace *trace, uint8_t red)
{
    uint8_t blocks[SIDE * SIDE / 2];
    int64_t row[TD_IMAGE_BYTES + 1] = {0};
    for (size_t b = 0; b < sizeof blocks; b += 8)
        memcpy(blocks + b, (uint8_t[8]){0, red, 0, 0, 0, 0, 0, 0}, 8);
    row[TD_IMAGE_WIDTH] = row[TD_IMAGE_HEIGHT] = SIDE;
    row[TD_IMAGE_DATA] = td_trace_fill_blob(trace, blocks, sizeof blocks);
    row[TD_IMAGE_BYTES] = sizeof blocks;
    struct td_series *table = td_trace_fill_table(trace, TD_TABLE_IMAGE);
    assert_int_equal(td_series_append(table, row), 0);
    return (int64_t)td_series_count(table) - 1;
}

static void set_image(struct td_trace *trace, size_t frame, int64_t image)
{
    td_series_set(td_trace_fill_list(trace, TD_TABLE_FRAME, 0), frame, TD_FRAME_IMAGE, image);
}

static struct td_trace *image_trace(size_t frames)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    for (size_t i = 0; i < frames; i++)
        add_frame(trace, (int64_t)i * FRAME_NS);
    for (size_t i = 4; i < frames; i += 4)
        set_image(trace, i, add_image(trace, (uint8_t)i));
    return trace;
}

/* ---- without a window ---- */

static void every_frame_with_an_image_is_found(void **state)
{
    (void)state;
    struct td_trace *trace = image_trace(2 * TD_FRAME_IMAGES_STEP + 3);
    struct td_frame_images images = {0};
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    int steps = 1;
    while (td_frame_images_update(&images, trace))
        steps++;
    assert_int_equal(steps, 3);
    assert_int_equal(images.count, 2 * TD_FRAME_IMAGES_STEP / 4);
    for (size_t i = 0; i < images.count; i++)
        assert_int_equal(images.frame[i], 4 * i + 4);
    assert_true(td_frame_images_at(&images, 3) == SIZE_MAX);
    assert_int_equal(td_frame_images_at(&images, 4), 0);
    assert_int_equal(td_frame_images_at(&images, 11), 1);
    td_frame_images_free(&images);
    td_trace_destroy(trace);
}

static void an_image_that_comes_late_is_found(void **state)
{
    (void)state;
    struct td_trace *trace = image_trace(10);
    struct td_frame_images images = {0};
    td_frame_images_update(&images, trace);
    assert_int_equal(images.count, 2);
    set_image(trace, 7, add_image(trace, 7));
    add_frame(trace, 10 * FRAME_NS);
    td_frame_images_update(&images, trace);
    assert_int_equal(images.count, 3);
    assert_int_equal(images.frame[1], 7);
    td_frame_images_free(&images);
    td_trace_destroy(trace);
}

static void images_of_all_releases_are_decoded(void **state)
{
    static const char *const folders[] = {"0.9.1", "0.10", "ttfork", "0.11.1", "0.12.2", "0.13.1", "0.14.0"};
    const char *corpus = getenv("TD_CORPUS");
    int read = 0;
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[1200];
        struct td_trace *trace;
        struct td_frame_images images = {0};
        snprintf(path, sizeof path, "%s/%s/images.tracy", corpus ? corpus : TD_SOURCE_DIR "/../shared/corpus",
                 folders[i]);
        if (access(path, R_OK) != 0)
            continue;
        read++;
        assert_int_equal(td_file_read(path, &trace, NULL), 0);
        assert_false(td_frame_images_update(&images, trace));
        assert_int_equal(images.count, 64);
        const struct td_series *table = td_trace_table(trace, TD_TABLE_IMAGE);
        for (size_t k = 0; k < images.count; k++) {
            const uint64_t row = (uint64_t)td_trace_frame(trace, 0, images.frame[k]).image;
            uint8_t *pixels = td_dxt1_decode(td_trace_blob(td_series_get(table, row, TD_IMAGE_DATA)),
                                             (size_t)td_series_get(table, row, TD_IMAGE_BYTES), 64, 64);
            assert_non_null(pixels);
            free(pixels);
        }
        td_frame_images_free(&images);
        td_trace_destroy(trace);
    }
    if (!read)
        print_message("skipped: no corpus\n");
}

/* ---- in a window ---- */

static int setup(void **state)
{
    static struct fixture f;
    const struct td_ui_options options = {.title = "test", .width = 1280, .height = 800, .scale = 1};
    struct td_trace *trace = image_trace(FRAMES);
    const int64_t broken[TD_IMAGE_BYTES + 1] = {[TD_IMAGE_WIDTH] = SIDE + 1, [TD_IMAGE_HEIGHT] = SIDE + 1};
    assert_int_equal(td_series_append(td_trace_fill_table(trace, TD_TABLE_IMAGE), broken), 0);
    assert_int_equal(td_trace_finish(trace, NULL), 0);
    const int rc = open_view(state, &f, trace, &options);
    f.window = f.ui ? SDL_GL_GetCurrentWindow() : NULL;
    return rc;
}

static int playback(struct fixture *f, const char *action)
{
    struct td_err err = {0};
    const int rc = td_playback_do(&f->view, action, &err);
    assert_true(rc == 0 || *err.text);
    settle(f);
    while (td_pictures_pending(&f->view))
        settle(f);
    settle(f);
    return rc;
}

/* The number of the frame whose picture was asked for last. */
static int shown_frame(const struct fixture *f)
{
    const struct td_frame_picture *newest = &f->view.drawn.pictures.kept[0];
    for (int i = 1; i < TD_PICTURES; i++)
        if (f->view.drawn.pictures.kept[i].used > newest->used)
            newest = &f->view.drawn.pictures.kept[i];
    assert_true(newest->image && newest->picture && !newest->broken && newest->width == SIDE);
    return 4 * (int)newest->image;
}

static void commands_and_keys_step_through_images(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    assert_int_equal(playback(f, "next"), 0);
    assert_true(td_panel_is_open(&f->view, TD_PANEL_PLAYBACK));
    assert_int_equal(shown_frame(f), 8);
    assert_int_equal(playback(f, "previous"), 0);
    assert_int_equal(shown_frame(f), 4);
    assert_int_equal(playback(f, "23"), 0); /* has none: that of the frame before it */
    assert_int_equal(shown_frame(f), 20);
    assert_int_equal(playback(f, "2"), TD_E_NOTFOUND);
    assert_int_equal(playback(f, "backwards"), TD_E_USAGE);
    f->view.panels.focus = TD_PANEL_PLAYBACK;
    press(f, TD_KEY_RIGHT);
    playback(f, "size");
    assert_int_equal(shown_frame(f), 24);
    press(f, TD_KEY_END);
    playback(f, "size");
    assert_int_equal(shown_frame(f), 40);
    press(f, TD_KEY_HOME);
    playback(f, "size");
    assert_int_equal(shown_frame(f), 4);
}

static void the_timeline_follows_if_it_is_asked_to(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_camera_set_range(&view->camera, 0, 5 * FRAME_NS, true);
    playback(f, "4");
    playback(f, "36");
    assert_true(view->camera.end_ns == 5 * FRAME_NS);
    playback(f, "follow");
    assert_true(view->camera.start_ns <= 36 * FRAME_NS && view->camera.end_ns >= 37 * FRAME_NS);
    assert_int_equal(view->selection.frame, 37);
    playback(f, "8");
    assert_true(view->camera.start_ns <= 8 * FRAME_NS && view->camera.end_ns >= 9 * FRAME_NS);
    playback(f, "follow");
    td_camera_fit(&view->camera, true);
    /* The frame that is selected elsewhere is shown. */
    td_view_show_frame(view, 13, false);
    settle(f);
    playback(f, "size");
    assert_int_equal(shown_frame(f), 12);
}

static void playing_ends_at_the_last_image(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    playback(f, "4");
    playback(f, "slower");
    assert_int_equal(td_playback_do(&f->view, "play", NULL), 0);
    td_ui_begin(f->ui);
    assert_true(td_view_frame(&f->view)); /* the next frame is wanted at once */
    td_ui_end(f->ui);
    settle(f); /* until nothing moves */
    playback(f, "faster");
    assert_int_equal(shown_frame(f), 40);
    assert_int_equal(td_playback_do(&f->view, "play", NULL), 0); /* from the start again */
    playback(f, "pause");
    assert_int_equal(shown_frame(f), 4);
}

static void a_marked_range_is_played_in_a_loop(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    playback(f, "4");
    assert_int_equal(td_view_command_line(&f->view, "mark 12.5ms..24.5ms", &err), 0);
    assert_int_equal(td_view_command_line(&f->view, "limit marked", &err), 0);
    assert_int_equal(td_playback_do(&f->view, "play", NULL), 0);
    settle(f); /* ends by itself, at the last image of the range */
    playback(f, "size");
    assert_int_equal(shown_frame(f), 24);
    playback(f, "loop");
    playback(f, "follow");
    for (int i = 0; i < 3; i++)
        playback(f, "slower"); /* an image lasts for 40 ms */
    assert_int_equal(td_playback_do(&f->view, "play", NULL), 0);
    unsigned seen = 0, begun = 0;
    for (int i = 0, last = 24; i < 1000 && (seen != 0x78 || begun < 3); i++) {
        td_ui_poll(f->ui, 5);
        td_ui_begin(f->ui);
        assert_true(td_view_frame(&f->view));
        td_ui_end(f->ui);
        const int now = (int)f->view.selection.frame - 1; /* the timeline follows */
        seen |= 1u << (now / 4);
        begun += now < last;
        last = now;
    }
    assert_int_equal(seen, 0x78); /* 12, 16, 20 and 24 */
    assert_true(begun >= 3);
    playback(f, "pause");
    playback(f, "loop");
    playback(f, "follow");
    td_camera_fit(&f->view.camera, true);
    for (int i = 0; i < 3; i++)
        playback(f, "faster");
    assert_int_equal(td_view_command_line(&f->view, "limit all", &err), 0);
    assert_int_equal(td_view_command_line(&f->view, "mark", &err), 0);
}

static bool move_mouse(struct fixture *f, float x, float y)
{
    SDL_WarpMouseInWindow(f->window, (int)x, (int)y);
    settle(f);
    settle(f);
    return fabsf(td_ui_mouse_x(f->ui) - x) < 2;
}

static void the_mouse_over_a_frame_shows_its_image(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    td_panel_set_open(view, TD_PANEL_PLAYBACK, false);
    settle(f);
    const double middle = 16.5 * FRAME_NS;
    if (!move_mouse(f, td_view_x(view, middle), view->area.top + 8)) {
        print_message("skipped: no mouse here\n");
        return;
    }
    assert_non_null(strstr(view->hover.tip, "Frame 16"));
    assert_int_equal(view->hover.tip_image, 4);
    while (td_pictures_pending(view))
        settle(f);
    assert_int_equal(shown_frame(f), 16);
    if (getenv("TD_PICTURES"))
        td_ui_save_png(f->ui, getenv("TD_PICTURES"), NULL);
    move_mouse(f, td_view_x(view, middle + FRAME_NS), view->area.top + 8);
    assert_non_null(strstr(view->hover.tip, "Frame 17"));
    assert_int_equal(view->hover.tip_image, 0);
    /* The bars of the panel Frames, from its left edge on. */
    td_panel_set_open(view, TD_PANEL_FRAMES, true);
    settle(f);
    const struct td_rect *p = &view->panels.slot[TD_PANEL_FRAMES].place;
    bool any = false;
    for (float x = p->left + 10; x < p->left + 400 && !any; x += 20) {
        move_mouse(f, x, p->bottom - 20);
        any = view->hover.tip_image == 3;
    }
    assert_true(any);
    assert_non_null(strstr(view->hover.tip, "Frame 12"));
    td_panel_set_open(view, TD_PANEL_FRAMES, false);
}

static void a_broken_image_is_said_to_be_none(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const int64_t broken = (int64_t)td_series_count(td_trace_table(f->trace, TD_TABLE_IMAGE)) - 1;
    td_pictures_get(&f->view, broken);
    while (td_pictures_pending(&f->view))
        td_ui_poll(f->ui, 5);
    const struct td_frame_picture *picture = td_pictures_get(&f->view, broken);
    assert_true(picture && picture->broken);
    assert_null(td_pictures_get(&f->view, broken + 1));
    assert_null(td_pictures_get(&f->view, -1));
}

int main(void)
{
    const struct CMUnitTest parts[] = {
        cmocka_unit_test(every_frame_with_an_image_is_found),
        cmocka_unit_test(an_image_that_comes_late_is_found),
        cmocka_unit_test(images_of_all_releases_are_decoded),
    };
    const struct CMUnitTest window[] = {
        cmocka_unit_test(commands_and_keys_step_through_images),
        cmocka_unit_test(the_timeline_follows_if_it_is_asked_to),
        cmocka_unit_test(playing_ends_at_the_last_image),
        cmocka_unit_test(a_marked_range_is_played_in_a_loop),
        cmocka_unit_test(the_mouse_over_a_frame_shows_its_image),
        cmocka_unit_test(a_broken_image_is_said_to_be_none),
    };
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    int failed = cmocka_run_group_tests(parts, NULL, NULL);
    return failed + cmocka_run_group_tests(window, setup, teardown);
}
