/* The viewer shows a program while it runs: the trace grows, the timeline follows, holds and catches up. */
#include "tests/viewer/fixture.h"
#include "tests/viewer/live_session.h"
#include "host/base/clock.h"
#include "host/viewer/timeline/facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS      3
#define ROUND        (THREADS * 1001) /* zones */
#define LIMIT_MS     60000
#define ANIMATION_MS 2000 /* longer than any */

struct session {
    struct td_live *live;
    struct td_ui *ui;
    struct td_view view;
    struct live_program program;
};

/* True: an animation is not finished. */
static bool draw_frame(struct session *s)
{
    td_ui_poll(s->ui, 1);
    td_view_refresh(&s->view);
    td_ui_begin(s->ui);
    bool moving = td_view_frame(&s->view);
    td_ui_end(s->ui);
    return moving;
}

static void wait_for_state(struct session *s, enum td_live_state state)
{
    const int64_t until = td_mono_ms() + LIMIT_MS;
    while (td_live_get_state(s->live) != state && td_mono_ms() < until)
        draw_frame(s);
    assert_int_equal(td_live_get_state(s->live), state);
}

/* Draws until the view shows so many zones, and until animations have ended. A view that follows a session never
 * rests, because the program's load comes in all the time. */
static void wait_for_zones(struct session *s, uint64_t zones)
{
    const int64_t until = td_mono_ms() + LIMIT_MS;
    while (s->view.model.zones < zones && td_mono_ms() < until)
        draw_frame(s);
    assert_int_equal(s->view.model.zones, zones);
    const int64_t rests = td_mono_ms() + ANIMATION_MS;
    while (draw_frame(s) && td_mono_ms() < rests)
        continue;
}

static int setup(void **state)
{
    static struct session s;
    struct td_err err = {0};
    const struct td_ui_options options = {.title = "test", .width = 960, .height = 600, .scale = 1};
    s = (struct session){0};
    *state = NULL;
    setenv("SDL_VIDEODRIVER", "offscreen", 0);
    s.ui = td_ui_open(&options, &err);
    if (!s.ui) {
        print_message("skipped: %s\n", err.text);
        return 0;
    }
    start_live_program(&s.program);
    s.live = td_live_open("127.0.0.1", s.program.port, &err);
    if (!s.live)
        return -1;
    *state = &s;
    return td_view_init(&s.view, s.ui, td_live_trace(s.live), s.live, "live", &err);
}

static int teardown_session(void **state)
{
    struct session *s = *state;
    if (!s)
        return 0;
    td_view_free(&s->view);
    td_live_close(s->live);
    td_ui_close(s->ui);
    end_live_program(&s->program);
    return 0;
}

static void press(struct session *s, int key)
{
    struct td_key_press press = {.key = key};
    td_panels_key(&s->view, &press);
    draw_frame(s);
}

static void the_timeline_follows_holds_and_catches_up(void **state)
{
    struct session *s = *state;
    if (!s)
        return;
    play_live_round(&s->program);
    wait_for_zones(s, 1 + ROUND);
    assert_true(s->view.camera.follow);
    assert_true(s->view.camera.end_ns >= (double)s->view.model.last_ns);
    assert_int_equal(s->view.layout.count > 0, 1);

    /* Panning holds the timeline while the trace grows. */
    press(s, TD_KEY_LEFT);
    assert_false(s->view.camera.follow);
    wait_for_zones(s, 1 + ROUND);
    double start = s->view.camera.start_ns, end = s->view.camera.end_ns;
    play_live_round(&s->program);
    wait_for_zones(s, 1 + 2 * ROUND);
    assert_true(s->view.camera.start_ns == start && s->view.camera.end_ns == end);

    press(s, ' ');
    assert_true(s->view.camera.follow);
    wait_for_zones(s, 1 + 2 * ROUND);
    assert_true(s->view.camera.end_ns >= (double)s->view.model.last_ns);
    assert_true(s->view.camera.start_ns < (double)s->view.model.last_ns);
}

static void collapsed_rows_stay_collapsed_while_rows_are_added(void **state)
{
    struct session *s = *state;
    if (!s)
        return;
    play_live_round(&s->program);
    wait_for_zones(s, 1 + ROUND);
    press(s, 'c');
    int collapsed = 0;
    for (int i = 0; i < s->view.layout.count; i++)
        collapsed += s->view.layout.nodes[i].collapsed;
    assert_true(collapsed >= THREADS);
    play_live_round(&s->program);
    wait_for_zones(s, 1 + 2 * ROUND);
    int still = 0;
    for (int i = 0; i < s->view.layout.count; i++)
        still += s->view.layout.nodes[i].collapsed;
    assert_int_equal(still, collapsed);
}

static void messages_appear_while_the_program_runs(void **state)
{
    struct session *s = *state;
    if (!s)
        return;
    play_live_round(&s->program);
    wait_for_zones(s, 1 + ROUND);
    int with_messages = 0;
    for (int i = 0; i < s->view.layout.count; i++)
        with_messages += s->view.layout.nodes[i].has_messages;
    assert_int_equal(with_messages, THREADS);
}

static void the_end_of_the_program_leaves_a_whole_trace(void **state)
{
    struct session *s = *state;
    if (!s)
        return;
    wait_for_state(s, TD_LIVE_RUNNING);
    for (int i = 0; i < 5; i++)
        play_live_round(&s->program);
    close(s->program.to);
    wait_for_state(s, TD_LIVE_FINISHED);
    assert_string_equal(s->view.model.live_end, "");
    assert_int_equal(s->view.model.zones, 1 + 5 * ROUND);
    const struct td_stat *stats;
    uint64_t steps = 0;
    for (size_t i = 0, n = td_trace_stats(s->view.model.trace, &stats); i < n; i++)
        if (!strcmp(td_dict_zone_name(s->view.model.dict, stats[i].srcloc), "step"))
            steps += stats[i].count;
    assert_int_equal(steps, 5 * THREADS * 1000);
    draw_frame(s);
    press(s, 'f');
}

static void a_killed_program_leaves_what_arrived(void **state)
{
    struct session *s = *state;
    if (!s)
        return;
    play_live_round(&s->program);
    wait_for_zones(s, 1 + ROUND);
    kill(s->program.pid, SIGKILL);
    wait_for_state(s, TD_LIVE_FINISHED);
    assert_int_equal(s->view.model.zones, 1 + ROUND);
    assert_true(s->view.model.live_end[0] != 0);
}

static void addresses_are_told_from_file_names(void **state)
{
    char host[32];
    int port = 0;
    (void)state;
    assert_true(td_live_parse("example:8087", host, sizeof host, &port));
    assert_string_equal(host, "example");
    assert_int_equal(port, 8087);
    assert_true(td_live_parse(":1", host, sizeof host, &port));
    assert_string_equal(host, "127.0.0.1");
    assert_true(td_live_parse("[::1]:65535", host, sizeof host, &port));
    assert_string_equal(host, "::1");
    static const char *const files[] = {"a.tracy", "/a:80", "a:", "a:0", "a:65536", "a:b", "::1", "a:1x"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_false(td_live_parse(files[i], host, sizeof host, &port));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_told_from_file_names),
        cmocka_unit_test_setup_teardown(the_timeline_follows_holds_and_catches_up, setup, teardown_session),
        cmocka_unit_test_setup_teardown(collapsed_rows_stay_collapsed_while_rows_are_added, setup,
                                        teardown_session),
        cmocka_unit_test_setup_teardown(messages_appear_while_the_program_runs, setup, teardown_session),
        cmocka_unit_test_setup_teardown(the_end_of_the_program_leaves_a_whole_trace, setup, teardown_session),
        cmocka_unit_test_setup_teardown(a_killed_program_leaves_what_arrived, setup, teardown_session),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
