/* The panel of notes in an offscreen window, and the file in which they are kept. The panel is skipped where
 * there is no OpenGL. */
#include "host/viewer/model/notes_file.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int setup(void **state)
{
    static struct fixture f;
    return open_offscreen(state, &f, demo_trace(2), 480, 320);
}

static void press(struct fixture *f, int key)
{
    struct td_key_press press = {.key = key};
    td_panels_key(&f->view, &press);
    td_ui_blur(f->ui);
    for (int i = 0; i < 2; i++) {
        td_ui_poll(f->ui, 0);
        td_ui_begin(f->ui);
        td_view_frame(&f->view);
        td_ui_end(f->ui);
    }
}

static void keys_add_step_and_remove_notes(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    view->selection.measured = true;
    view->selection.measure_from_ns = 3e6;
    view->selection.measure_to_ns = 1e6;
    press(f, 'm');
    assert_int_equal(view->notes.count, 1);
    assert_true(view->notes.list[0].from_ns == 1000000 && view->notes.list[0].to_ns == 3000000);
    assert_true(td_panel_is_open(view, TD_PANEL_NOTES) && view->notes.changed);
    view->selection.measured = false;
    td_camera_set_range(&view->camera, 4e6, 5e6, true);
    press(f, 'm');
    assert_int_equal(view->notes.count, 2);
    assert_true(view->notes.list[1].from_ns == 4000000 && view->notes.list[1].to_ns == 5000000);
    assert_int_equal(view->selection.note, 2);
    press(f, TD_KEY_UP);
    assert_int_equal(view->selection.note, 1);
    assert_true(view->camera.to_start_ns < 1e6 && view->camera.to_end_ns > 3e6);
    press(f, 'z');
    assert_true(fabs(view->camera.to_start_ns - 1e6) < 1 && fabs(view->camera.to_end_ns - 3e6) < 1);
    press(f, TD_KEY_DELETE);
    assert_int_equal(view->notes.count, 1);
    assert_true(view->notes.list[0].from_ns == 4000000);
    press(f, TD_KEY_DELETE);
    press(f, TD_KEY_DELETE);
    assert_int_equal(view->notes.count, 0);
    press(f, TD_KEY_ESCAPE);
}

static void notes_are_drawn_where_they_are(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    press(f, 'f');
    size_t without = td_ui_triangles(f->ui);
    td_annotations_add(&f->view.notes, &(struct td_annotation){1000000, 2000000, 0xff00ff00, "here"});
    press(f, ' ');
    assert_true(td_ui_triangles(f->ui) > without);
    td_camera_set_range(&f->view.camera, 3e6, 4e6, true);
    press(f, ' ');
    size_t beside = td_ui_triangles(f->ui);
    td_annotations_free(&f->view.notes);
    press(f, ' ');
    assert_int_equal(td_ui_triangles(f->ui), beside);
}

static void the_notes_of_a_trace_are_found_again(void **state)
{
    char folder[] = "/tmp/test_notes.XXXXXX", path[200], text[] = "slow";
    struct td_trace_info info = {.program = "/bin/a b", .capture_time_s = 77, .pid = 5};
    struct td_annotations notes = {0}, again = {0};
    struct td_err err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/data", folder); /* that does not exist yet */
    setenv("XDG_DATA_HOME", path, 1);
    assert_int_equal(td_notes_read(&again, &info, 0, &err), 0);
    assert_int_equal(again.count, 0);
    struct td_annotation note = {10, 20, 0xff102030, ""};
    snprintf(note.text, sizeof note.text, "%s", text);
    td_annotations_add(&notes, &note);
    assert_int_equal(td_notes_write(&notes, &info, 0, &err), 0);
    snprintf(path, sizeof path, "%s/data/tendril/notes/a_b-77-5.json", folder);
    assert_int_equal(access(path, R_OK), 0);
    assert_int_equal(td_notes_read(&again, &info, 0, &err), 0);
    assert_int_equal(again.count, 1);
    assert_string_equal(again.list[0].text, text);
    assert_false(again.changed);
    info.pid = 6;
    td_annotations_free(&again);
    assert_int_equal(td_notes_read(&again, &info, 0, &err), 0);
    assert_int_equal(again.count, 0);
    info.pid = 5;
    FILE *f = fopen(path, "w");
    fputs("{\"notes\": 5}", f);
    fclose(f);
    assert_true(td_notes_read(&again, &info, 0, &err) < 0);
    assert_non_null(strstr(err.text, "a_b-77-5.json: notes are an array"));
    td_annotations_free(&notes);
    assert_int_equal(td_notes_write(&notes, &info, 0, &err), 0);
    assert_true(access(path, R_OK) < 0);
    char *parts[] = {"/data/tendril/notes", "/data/tendril", "/data", ""};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_add_step_and_remove_notes),
        cmocka_unit_test(notes_are_drawn_where_they_are),
        cmocka_unit_test(the_notes_of_a_trace_are_found_again),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
