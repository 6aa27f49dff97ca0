/* Tendril's client answers questions about its clock during a session, and the recorder follows the answers. */
#include "host/base/clock.h"
#include "tests/client/run_marked.h"
#include "tests/wire/event_log.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#define WRONG_RATE 1.011 /* the recorder's clock seems to run so much faster than the program's */
#define SESSION_MS 1500

/* The error at the greeting, and at the end of the session. */
static void errors_of_session(double rate, double *first_ns, double *last_ns)
{
    struct event_log log;
    struct td_err err = {0};
    const int port = free_port();
    int input = -1;
    const char *const environment[] = {"TENDRIL_WAIT_CONNECT_MS=20000", NULL};
    event_log_init(&log);
    const pid_t pid = start_marked("linger", port, &input, environment);
    struct td_client_source_config config = {.port = port,
                                             .connect_ms = 20000,
                                             .hub = log.hub,
                                             .t0_ticks = td_host_ticks(),
                                             .ns_per_tick = td_host_ns_per_tick(100) * rate};
    struct td_client_source *source = td_client_source_create(&config, &err);
    assert_non_null(source);
    *first_ns = -1;
    int going;
    int64_t until_ms = INT64_MAX;
    while ((going = td_client_source_pump(source, &err)) == 1) {
        const bool streams = td_client_source_get_state(source) >= TD_SOURCE_STREAM;
        if (streams && *first_ns < 0) {
            *first_ns = td_client_source_clock_error_ns(source);
            until_ms = td_mono_ms() + SESSION_MS;
        }
        if (td_mono_ms() > until_ms && input >= 0) {
            close(input);
            input = -1;
        }
        struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
        poll(&fd, fd.fd >= 0, 5);
    }
    *last_ns = td_client_source_clock_error_ns(source);
    assert_int_equal(going, 0);
    assert_int_equal(td_client_source_counts(source).unanswered, 0);
    td_client_source_destroy(source);
    assert_int_equal(wait_marked(pid, 20000), 0);
    event_log_finish(&log);
}

static void the_clock_of_this_machine_is_not_asked_for(void **state)
{
    double first_ns, last_ns;
    errors_of_session(1, &first_ns, &last_ns);
    assert_true(first_ns == 0 && last_ns == 0);
}

/* A rate that is wrong by 1.1 % is an error of more than 10 ms after a second; only the answers show it. */
static void answers_show_an_error_that_the_greeting_does_not(void **state)
{
    double first_ns, last_ns;
    errors_of_session(WRONG_RATE, &first_ns, &last_ns);
    assert_true(first_ns > 0 && first_ns < 1e9);
    assert_true(last_ns > 1e6 && last_ns < 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_clock_of_this_machine_is_not_asked_for),
        cmocka_unit_test(answers_show_an_error_that_the_greeting_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
