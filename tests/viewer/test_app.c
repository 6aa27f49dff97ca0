/* The viewer's window as a whole: welcome page, opening, tabs, state; in a window of SDL's offscreen driver,
 * driven by keys. Skipped without OpenGL. */
#include "host/base/clock.h"
#include "host/file/file.h"
#include "host/viewer/app/demo.h"
#include "host/viewer/app/file_dialog.h"
#include "host/viewer/app/recent.h"
#include "tests/viewer/app_pages.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/system_trace.h"
#include "host/viewer/timeline/navigate.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_app.XXXXXX";
static char demo[64], dense[64], broken[64];
static bool have_gl;

static int setup(void **state)
{
    struct td_err err = {0};
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("XDG_STATE_HOME", folder, 1);
    snprintf(demo, sizeof demo, "%s/demo.tracy", folder);
    snprintf(dense, sizeof dense, "%s/dense.tracy", folder);
    snprintf(broken, sizeof broken, "%s/broken.tracy", folder);
    struct td_trace *trace = demo_trace(2);
    assert_int_equal(td_file_write(trace, demo, NULL, &err), 0);
    td_trace_destroy(trace);
    trace = dense_trace(300000);
    assert_int_equal(td_file_write(trace, dense, NULL, &err), 0);
    td_trace_destroy(trace);
    trace = demo_trace(2);
    assert_int_equal(td_file_write(trace, broken, NULL, &err), 0);
    td_trace_destroy(trace);
    struct stat st;
    assert_int_equal(stat(broken, &st), 0);
    assert_int_equal(truncate(broken, st.st_size / 2), 0);
    have_gl = app_opens();
    return 0;
}

static int teardown(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* NULL: the test is skipped. */
static struct td_app *begin(const char *path)
{
    return have_gl ? app_begin(path) : NULL;
}

static void drop(struct td_app *app, const char *path)
{
    SDL_Event event = {.drop = {.type = SDL_DROPFILE, .file = SDL_strdup(path)}};
    SDL_PushEvent(&event);
    settle(app);
}

static void without_a_file_a_typed_path_opens(void **state)
{
    struct td_app *app = begin(NULL);
    if (!app)
        return;
    settle(app);
    assert_null(td_app_page(app));
    keep_picture(app, "welcome");
    type_text(app, folder);
    type_text(app, "/de");
    keep_picture(app, "completion");
    press(app, SDLK_DOWN, 0);
    press(app, SDLK_RETURN, 0);
    app_wait_loaded(app);
    assert_string_equal(td_page_title(td_app_page(app)), "demo.tracy");
    assert_true(view_of(app)->model.zones > 100);
    keep_picture(app, "opened");
    td_app_destroy(app);
}

static void a_loaded_trace_has_the_facts_of_one_read_at_once(void **state)
{
    struct td_app *app = begin(demo);
    if (!app)
        return;
    app_wait_loaded(app);
    const struct td_view *view = view_of(app);
    struct td_trace *trace = NULL;
    struct td_view whole;
    assert_int_equal(td_file_read(demo, &trace, NULL), 0);
    assert_int_equal(td_view_init(&whole, td_app_ui(app), trace, NULL, "demo", NULL), 0);
    assert_int_equal(view->model.file_version, TD_FILE_VERSION(0, 9, 1)); /* the default of td_file_write() */
    assert_int_equal(view->model.zones, whole.model.zones);
    assert_int_equal(view->model.cores, whole.model.cores);
    assert_int_equal(view->model.first_ns, whole.model.first_ns);
    assert_int_equal(view->model.last_ns, whole.model.last_ns);
    assert_int_equal(view->model.has_waits, whole.model.has_waits);
    assert_int_equal(view->model.lost.count, whole.model.lost.count);
    assert_int_equal(view->model.flows.count, whole.model.flows.count);
    assert_int_equal(view->layout.count, whole.layout.count);
    assert_true(fabs(view->camera.to_start_ns - whole.camera.to_start_ns) < 1);
    assert_true(fabs(view->camera.to_end_ns - whole.camera.to_end_ns) < 1);
    td_view_free(&whole);
    td_trace_destroy(trace);
    td_app_destroy(app);
}

static void a_loaded_trace_has_all_context_switches_counted(void **state)
{
    char path[64];
    struct td_trace *trace = system_trace(&SYSTEM_SMALL);
    const struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    assert_non_null(trace);
    snprintf(path, sizeof path, "%s/switches.tracy", folder);
    assert_int_equal(td_file_write(trace, path, &options, NULL), 0);
    td_trace_destroy(trace);
    struct td_app *app = begin(path);
    if (!app)
        return;
    app_wait_loaded(app);
    for (uint32_t c = 0; c < SYSTEM_SMALL.cpus; c++) {
        const struct td_busy *cpu = td_switches_cpu(&view_of(app)->model.switches, c);
        assert_non_null(cpu);
        assert_in_range(td_series_count(cpu->rows), TD_BUSY_BLOCK + 1, cpu->count * TD_BUSY_BLOCK);
    }
    td_app_destroy(app);
}

/* A trace that comes through a named pipe. */
struct slow_file {
    int pipe;
    char path[64];
    char *bytes;
    size_t count;
};

static void begin_slow_file(struct slow_file *slow)
{
    struct stat st;
    snprintf(slow->path, sizeof slow->path, "%s/slow.tracy", folder);
    unlink(slow->path);
    assert_int_equal(mkfifo(slow->path, 0600), 0);
    FILE *f = fopen(dense, "r");
    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    slow->count = (size_t)st.st_size;
    slow->bytes = malloc(slow->count);
    assert_non_null(slow->bytes);
    assert_int_equal(fread(slow->bytes, 1, slow->count, f), slow->count);
    fclose(f);
    slow->pipe = open(slow->path, O_RDWR); /* does not wait for the reader */
    assert_true(slow->pipe >= 0);
}

static void feed(struct slow_file *slow, struct td_app *app, size_t from, size_t until)
{
    fcntl(slow->pipe, F_SETFL, O_NONBLOCK);
    while (from < until) {
        ssize_t n = write(slow->pipe, slow->bytes + from, until - from);
        from += n > 0 ? (size_t)n : 0;
        turn(app);
    }
}

/* The pipe may be closed once the reader has opened it. */
static void wait_for_names(struct td_app *app)
{
    const int64_t until = td_mono_ms() + APP_LIMIT_MS;
    while (td_loading_get_state(td_app_page(app)->loading) == TD_LOADING_OPENS && td_mono_ms() < until)
        turn(app);
}

static void a_file_is_shown_while_it_is_read(void **state)
{
    struct slow_file slow;
    if (!have_gl)
        return;
    begin_slow_file(&slow);
    struct td_app *app = begin(slow.path);
    feed(&slow, app, 0, slow.count * 3 / 4);
    const int64_t until = td_mono_ms() + APP_LIMIT_MS;
    while ((!td_app_page(app)->has_view || !view_of(app)->model.zones) && td_mono_ms() < until)
        turn(app);
    const uint64_t early = view_of(app)->model.zones;
    assert_true(early > 0 && early < 300001);
    assert_true(view_of(app)->model.loading);
    settle(app);
    keep_picture(app, "loading");
    press(app, 'w', 0);
    feed(&slow, app, slow.count * 3 / 4, slow.count);
    close(slow.pipe); /* the end of the file */
    app_wait_loaded(app);
    assert_int_equal(view_of(app)->model.zones, 300001);
    assert_false(view_of(app)->model.loading);
    td_app_destroy(app);

    /* A file that ends early, when a part of it is shown already. */
    free(slow.bytes);
    begin_slow_file(&slow);
    app = begin(demo);
    app_wait_loaded(app);
    drop(app, slow.path);
    feed(&slow, app, 0, slow.count * 3 / 4);
    wait_for_names(app);
    close(slow.pipe);
    app_wait_loaded(app);
    assert_false(td_app_page(app)->has_view);
    assert_non_null(strstr(td_app_page(app)->failed.text, "damaged"));
    td_app_destroy(app);
    free(slow.bytes);
    unlink(slow.path);
}

static void options_change_at_once_and_are_kept(void **state)
{
    struct td_app *app = begin(demo);
    char text[TD_FORMAT_BYTES];
    if (!app)
        return;
    app_wait_loaded(app);
    assert_string_equal(td_format_ns(text, 1234567), "1.235 ms");
    press(app, ',', KMOD_LCTRL);
    press(app, '1', 0);
    assert_string_equal(td_format_ns(text, 1234567), "1 234 567 ns");
    const float row = view_of(app)->metrics.row;
    press(app, SDLK_EQUALS, KMOD_LCTRL);
    assert_true(td_ui_scale(td_app_ui(app)) == 1.25f);
    assert_true(view_of(app)->metrics.row > row);
    press(app, '2', 0);
    keep_picture(app, "options");
    press(app, '2', 0);
    press(app, '2', 0); /* the first of three again */
    td_app_destroy(app);
    struct td_settings settings;
    td_settings_read(&settings);
    assert_int_equal(settings.choices[TD_CHOICE_TIMES], 1);
    assert_int_equal(settings.choices[TD_CHOICE_COLOURS], 0);
    assert_true(settings.scale == 1.25);
    assert_int_equal(td_settings_write(&(struct td_settings){0}, NULL), 0);
}

static void the_demo_trace_is_a_part_of_the_program(void **state)
{
    char path[200];
    struct td_err err = {0};
    assert_int_equal(td_demo_path(path, sizeof path, &err), 0);
    struct td_app *app = begin(path);
    if (!app)
        return;
    app_wait_loaded(app);
    assert_true(view_of(app)->model.zones > 1000 && view_of(app)->model.cores == 20);
    td_app_destroy(app);
    unlink(path);
}

static void the_dialog_of_the_desktop_gives_a_path(void **state)
{
    /* What the dialog prints is the path, whatever program it is. */
    struct td_file_dialog dialog = {0};
    char path[200], old[4096];
    snprintf(old, sizeof old, "%s", getenv("PATH"));
    snprintf(path, sizeof path, "%s/zenity", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("#!/bin/sh\necho '/tmp/a trace.tracy'\n", f);
    fclose(f);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("PATH", folder, 1);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    assert_false(td_file_dialog_open(&dialog));
    setenv("DISPLAY", ":77", 1);
    assert_true(td_file_dialog_open(&dialog));
    const int64_t until = td_mono_ms() + APP_LIMIT_MS;
    while (!td_file_dialog_step(&dialog) && td_mono_ms() < until)
        ;
    assert_string_equal(dialog.text, "/tmp/a trace.tracy");
    assert_int_equal(dialog.pid, 0);
    assert_int_equal(unlink(path), 0);
    assert_false(td_file_dialog_open(&dialog)); /* there is no such program */
    setenv("PATH", old, 1);
    unsetenv("DISPLAY");
}

static void a_dropped_file_opens_in_a_tab_of_its_own(void **state)
{
    struct td_app *app = begin(demo);
    if (!app)
        return;
    app_wait_loaded(app);
    drop(app, dense);
    app_wait_loaded(app);
    assert_int_equal(td_app_page_count(app), 2);
    assert_int_equal(view_of(app)->model.zones, 300001);
    keep_picture(app, "tabs");
    press(app, SDLK_TAB, KMOD_LCTRL);
    assert_string_equal(td_page_title(td_app_page(app)), "demo.tracy");
    press(app, SDLK_TAB, KMOD_LCTRL);
    press(app, 'w', KMOD_LCTRL);
    assert_int_equal(td_app_page_count(app), 1);
    assert_string_equal(td_page_title(td_app_page(app)), "demo.tracy");
    press(app, 'w', KMOD_LCTRL);
    assert_null(td_app_page(app));
    td_app_destroy(app);
}

static void a_broken_file_is_one_message_in_the_window(void **state)
{
    struct td_app *app = begin(demo);
    if (!app)
        return;
    app_wait_loaded(app);
    drop(app, broken);
    app_wait_loaded(app);
    assert_int_equal(td_app_page_count(app), 2);
    assert_false(td_app_page(app)->has_view);
    assert_non_null(strstr(td_app_page(app)->failed.text, "damaged"));
    keep_picture(app, "broken");
    drop(app, "/nonexistent/trace.tracy");
    assert_null(td_app_page(app));
    keep_picture(app, "missing");
    press(app, SDLK_ESCAPE, 0);
    assert_non_null(td_app_page(app));
    td_app_destroy(app);
}

static void a_broken_file_of_the_command_line_ends_with_its_error(void **state)
{
    struct td_err err = {0};
    if (!have_gl)
        return;
    struct td_app *app = td_app_create(&app_options, &app_load, 0, &err);
    assert_int_equal(td_app_open_file(app, broken, &err), 0);
    assert_true(td_app_run(app, &err) < 0);
    assert_non_null(strstr(err.text, "damaged"));
    td_app_destroy(app);
}

static void what_was_done_to_a_trace_is_there_again(void **state)
{
    struct td_app *app = begin(demo);
    if (!app)
        return;
    app_wait_loaded(app);
    press(app, 'c', 0);
    press(app, 'w', 0);
    press(app, 'w', 0);
    struct td_page *page = td_app_page(app);
    td_view_search(&page->view, "verify");
    app_wait_loaded(app);
    const double from = view_of(app)->camera.to_start_ns, until = view_of(app)->camera.to_end_ns;
    const float height = view_of(app)->layout.height;
    const uint64_t found = view_of(app)->find.zones;
    assert_true(found > 0);
    td_app_destroy(app);

    app = begin(demo);
    app_wait_loaded(app);
    assert_true(fabs(view_of(app)->camera.to_start_ns - from) < 1);
    assert_true(fabs(view_of(app)->camera.to_end_ns - until) < 1);
    assert_true(view_of(app)->layout.height == height);
    assert_int_equal(view_of(app)->find.zones, found);
    keep_picture(app, "restored");
    /* Closing another trace leaves this one's state alone, and the recent files have both. */
    press(app, 'f', 0);
    td_app_destroy(app);
}

static void recent_files_come_first_and_can_be_removed(void **state)
{
    struct td_app *app = begin(dense);
    if (!app)
        return;
    td_app_destroy(app);
    app = begin(demo);
    td_app_destroy(app);
    struct td_recent recent = {0};
    td_recent_read(&recent);
    assert_string_equal(recent.lists[TD_RECENT_FILES].texts[0], demo);
    assert_string_equal(recent.lists[TD_RECENT_FILES].texts[1], dense);
    const int count = recent.lists[TD_RECENT_FILES].count;
    app = begin(NULL);
    settle(app);
    keep_picture(app, "recent");
    press(app, SDLK_DOWN, 0);
    press(app, SDLK_DELETE, 0);
    press(app, SDLK_RETURN, 0);
    app_wait_loaded(app);
    assert_string_equal(td_page_title(td_app_page(app)), "dense.tracy");
    td_app_destroy(app);
    td_recent_read(&recent);
    assert_int_equal(recent.lists[TD_RECENT_FILES].count, count - 1);
    td_recent_free(&recent);
}

static void put_file(const char *name, const char *text)
{
    char path[200];
    assert_true(td_store_path(TD_STORE_STATE, name, path, sizeof path));
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void broken_state_is_ignored(void **state)
{
    static const char *const texts[] = {"", "{", "[1]", "{\"files\": 3, \"addresses\": [1, {}, null]}",
                                        "{\"files\": [\"\", \"/x\"]}"};
    struct td_recent recent = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_file("recent.json", texts[i]);
        td_recent_read(&recent);
        assert_int_equal(recent.lists[TD_RECENT_FILES].count, i == 4);
        assert_int_equal(recent.lists[TD_RECENT_ADDRESSES].count, 0);
    }
    td_recent_free(&recent);
    put_file("settings.json", "{\"scale\": 1e300, \"times\": \"none\", \"mouse\": \"tracy\"}");
    struct td_settings settings;
    td_settings_read(&settings);
    assert_true(settings.scale == 0 && settings.choices[TD_CHOICE_TIMES] == 0);
    assert_int_equal(settings.choices[TD_CHOICE_MOUSE], 1);
    put_file("settings.json", "{}");
    /* More than a viewer ever writes. */
    char *deep = malloc(40001);
    assert_non_null(deep);
    memset(deep, '[', 40000);
    deep[40000] = 0;
    assert_null(td_store_parse(deep, 40000));
    free(deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_a_typed_path_opens),
        cmocka_unit_test(a_loaded_trace_has_the_facts_of_one_read_at_once),
        cmocka_unit_test(a_loaded_trace_has_all_context_switches_counted),
        cmocka_unit_test(a_file_is_shown_while_it_is_read),
        cmocka_unit_test(options_change_at_once_and_are_kept),
        cmocka_unit_test(the_demo_trace_is_a_part_of_the_program),
        cmocka_unit_test(the_dialog_of_the_desktop_gives_a_path),
        cmocka_unit_test(a_dropped_file_opens_in_a_tab_of_its_own),
        cmocka_unit_test(a_broken_file_is_one_message_in_the_window),
        cmocka_unit_test(a_broken_file_of_the_command_line_ends_with_its_error),
        cmocka_unit_test(what_was_done_to_a_trace_is_there_again),
        cmocka_unit_test(recent_files_come_first_and_can_be_removed),
        cmocka_unit_test(broken_state_is_ignored),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
