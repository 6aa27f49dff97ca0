/* Programs that fork, load and unload libraries, have very many threads, end in unusual ways or start late:
 * their markers arrive, and they end. */
#include "tests/client/run_marked.h"
#include "tests/wire/event_log.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define PROGRAM TD_BINARY_DIR "/tests/stress_processes"
#define LOADER  TD_BINARY_DIR "/tests/stress_loader"
#define PLUGIN  TD_BINARY_DIR "/tests/stress_plugin.so"
#define WHOLE   TD_BINARY_DIR "/tests/stress_plugin_whole.so"

struct run {
    struct event_log log;
    struct td_client_counts counts;
    struct td_err err;
    int going;
};

static pid_t start(const char *const *arguments, int port, const char *const *environment)
{
    pid_t pid = fork();
    if (pid == 0) {
        char text[16];
        snprintf(text, sizeof text, "%d", port);
        setenv("TRACY_PORT", text, 1);
        for (; environment && *environment; environment++)
            putenv((char *)(uintptr_t)*environment);
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    return pid;
}

static void record(struct run *run, int port)
{
    *run = (struct run){0};
    event_log_init(&run->log);
    do /* a program that is ending may accept the connection and close it */
        run->going = collect(run->log.hub, port, &run->counts, &run->err);
    while (run->going == TD_E_GONE && !run->counts.items);
    if (run->going)
        fail_msg("%s", run->err.text);
    if (event_log_fault(&run->log))
        fail_msg("%s", event_log_fault(&run->log));
    assert_int_equal(run->counts.ignored, 0);
    assert_int_equal(run->counts.time_bent, 0);
}

/* Starts and records the program, which must end with 0. */
static void run_program(struct run *run, const char *mode, const char *library,
                        const char *const *environment)
{
    static const char *const wait_for_us[] = {"TENDRIL_WAIT_CONNECT_MS=20000", NULL};
    const char *arguments[] = {PROGRAM, mode, library, NULL};
    int port = free_port();
    pid_t pid = start(arguments, port, environment ? environment : wait_for_us);
    record(run, port);
    assert_int_equal(wait_marked(pid, 60000), 0);
}

static void a_program_that_forks_amid_threads_and_signals_loses_nothing(void **state)
{
    struct run run;
    run_program(&run, "forks", NULL, NULL);
    assert_int_equal(event_log_zones(&run.log, "counted"), 100 * 100);
    assert_int_equal(run.counts.frames, 0);
    assert_int_equal(run.counts.open_zones, 0);
    event_log_finish(&run.log);
}

static void a_forked_child_may_have_a_session_of_its_own(void **state)
{
#if defined(__SANITIZE_THREAD__)
    print_message("skipped: under the sanitizer forked children have no threads\n");
    return;
#endif
    const char *arguments[] = {PROGRAM, "child", NULL};
    char environment[32];
    int port = free_port(), child_port = free_port();
    snprintf(environment, sizeof environment, "CHILD_PORT=%d", child_port);
    pid_t pid = start(arguments, port, (const char *[]){environment, "TRACY_NO_EXIT=1", NULL});
    struct run run;
    record(&run, child_port);
    assert_int_equal(event_log_zones(&run.log, "counted"), 25);
    event_log_finish(&run.log);
    record(&run, port);
    assert_int_equal(event_log_zones(&run.log, "counted"), 20);
    event_log_finish(&run.log);
    assert_int_equal(wait_marked(pid, 60000), 0);
}

static void libraries_with_markers_come_and_go(void **state)
{
    struct run run;
    run_program(&run, "plugins", PLUGIN, NULL);
    assert_int_equal(run.counts.zones, 2000);
    assert_int_equal(run.counts.messages, 4000);
    assert_int_equal(event_log_named(&run.log, TD_EVENT_MESSAGE, "from a library"), 2000);
    event_log_finish(&run.log);
}

static void a_library_with_the_whole_client_ends_its_session_when_it_is_unloaded(void **state)
{
#if defined(__SANITIZE_THREAD__)
    print_message("skipped: the sanitizer takes the room for thread-local variables of libraries\n");
    return;
#endif
    for (int depth = 0; depth < 20; depth += 10) {
        const char *arguments[] = {LOADER, WHOLE, "3", "20000", depth ? "10" : "0", NULL};
        int port = free_port();
        pid_t pid = start(arguments, port, NULL);
        for (int i = 0; i < 3; i++) {
            struct run run;
            record(&run, port);
            assert_int_equal(event_log_zones(&run.log, "in a library"), 100);
            assert_int_equal(event_log_named(&run.log, TD_EVENT_MESSAGE, "literal of a library"), 100);
            event_log_finish(&run.log);
        }
        assert_int_equal(wait_marked(pid, 60000), 0);
    }
    const char *arguments[] = {LOADER, WHOLE, "100", "0", "4", NULL};
    assert_int_equal(wait_marked(start(arguments, free_port(), NULL), 60000), 0);
}

static void a_thousand_threads_and_threads_that_die_young_keep_their_zones(void **state)
{
    struct run run;
    run_program(&run, "thousand", NULL, NULL);
    assert_int_equal(run.counts.zones, 1000 * 100 + 10 * 300 * 50);
    assert_int_equal(run.counts.open_zones, 0);
    event_log_finish(&run.log);
}

static void of_a_lock_with_more_threads_than_traces_hold_the_first_64_are_shown(void **state)
{
    struct run run;
    run_program(&run, "crowd", NULL, NULL);
    assert_int_equal(run.counts.zones, 2000);
    assert_int_equal(run.counts.lock_events, 64 * 30);
    assert_int_equal(
        event_log_named(&run.log, TD_EVENT_APP_INFO,
                        "tendril.client.lost: 4080 lock events (of more than 64 threads a lock)"),
        1);
    event_log_finish(&run.log);
}

static void a_thread_may_end_the_program_while_others_mark(void **state)
{
    static const char *const ways[] = {"exit", "quick_exit"};
    for (int i = 0; i < 2; i++) {
        struct run run;
        run_program(&run, ways[i], NULL, NULL);
        assert_int_equal(event_log_zones(&run.log, "counted"), 100);
        assert_true(event_log_zones(&run.log, "on and on") > 0);
        event_log_finish(&run.log);
    }
}

static void the_client_may_be_started_and_ended_again_and_again(void **state)
{
    static const char *const manual[] = {"TRACY_MANUAL_LIFETIME=1", NULL};
    const char *arguments[] = {PROGRAM, "lifetimes", NULL};
    assert_int_equal(wait_marked(start(arguments, free_port(), manual), 60000), 0);
    const char *lives[] = {PROGRAM, "lives", NULL};
    int port = free_port();
    pid_t pid = start(lives, port, manual);
    for (int i = 0; i < 2; i++) {
        struct run run;
        record(&run, port);
        assert_int_equal(event_log_zones(&run.log, "counted"), 100);
        assert_true(event_log_zones(&run.log, "on and on") > 0);
        assert_true(run.counts.open_zones <= 3);
        event_log_finish(&run.log);
    }
    assert_int_equal(wait_marked(pid, 60000), 0);
}

static void first_markers_of_many_threads_at_once_start_the_client(void **state)
{
    static const char *const late[] = {"TRACY_DELAYED_INIT=1", "TRACY_NO_EXIT=1", NULL};
    for (int i = 0; i < 10; i++) {
        struct run run;
        run_program(&run, "together", NULL, late);
        assert_int_equal(run.counts.zones, 8000);
        event_log_finish(&run.log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_forks_amid_threads_and_signals_loses_nothing),
        cmocka_unit_test(a_forked_child_may_have_a_session_of_its_own),
        cmocka_unit_test(libraries_with_markers_come_and_go),
        cmocka_unit_test(a_library_with_the_whole_client_ends_its_session_when_it_is_unloaded),
        cmocka_unit_test(a_thousand_threads_and_threads_that_die_young_keep_their_zones),
        cmocka_unit_test(of_a_lock_with_more_threads_than_traces_hold_the_first_64_are_shown),
        cmocka_unit_test(a_thread_may_end_the_program_while_others_mark),
        cmocka_unit_test(the_client_may_be_started_and_ended_again_and_again),
        cmocka_unit_test(first_markers_of_many_threads_at_once_start_the_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
