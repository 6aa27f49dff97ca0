/* Peers that would cost the program too much: memory and time stay bounded, and other peers are served. */
#include "tests/client/run_marked.h"
#include "tests/wire/event_log.h"
#include "host/wire/hello.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

/* tests/stress/load.c, endless, with NAME=VALUE up to NULL. */
static pid_t start_load(int port, const char *const *environment)
{
    pid_t pid = fork();
    if (pid == 0) {
        char text[16];
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no process */
        snprintf(text, sizeof text, "%d", port);
        setenv("TRACY_PORT", text, 1);
        for (; *environment; environment++)
            putenv((char *)(uintptr_t)*environment);
        if (!freopen("/dev/null", "w", stdout))
            _exit(126);
        execl(TD_BINARY_DIR "/tests/stress_load", "stress_load", "2", "1000000000000", (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void end_load(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0); /* it was still running */
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* -1: no process listens. */
static int knock(int port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (connect(fd, (struct sockaddr *)&at, sizeof at) == 0 || errno == EINPROGRESS))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int dial(int port)
{
    for (int64_t until = td_mono_ms() + 100000; td_mono_ms() < until; poll(NULL, 0, 5)) {
        int fd = knock(port), bad = 0;
        socklen_t bytes = sizeof bad;
        struct pollfd wait = {fd, POLLOUT, 0};
        if (fd >= 0 && poll(&wait, 1, 1000) > 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &bad, &bytes) == 0 &&
            !bad)
            return fd;
        close(fd);
    }
    fail_msg("nobody listens on port %d", port);
    return -1;
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZER_MB 3000 /* the sanitizer's own memory */
#else
#define SANITIZER_MB 0
#endif

/* In MB, of a line of /proc/PID/status. */
static long memory_mb(pid_t pid, const char *line)
{
    char path[64], text[256];
    long kb = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(text, sizeof text, f))
        if (!strncmp(text, line, strlen(line)))
            kb = atol(text + strlen(line) + 1);
    if (f)
        fclose(f);
    return kb / 1024;
}

/* Waits until the process has used that much processor time. */
static void work_for(pid_t pid, int seconds)
{
    struct timespec used = {0};
    clockid_t clock;
    assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
    for (; used.tv_sec < seconds; poll(NULL, 0, 20)) /* without a limit: the machine may be busy */
        assert_int_equal(clock_gettime(clock, &used), 0);
}

static void a_peer_that_takes_nothing_costs_no_more_memory_than_allowed(void **state)
{
    static const char *const environment[] = {"TENDRIL_MEMORY_MB=64", "TENDRIL_EXIT_WAIT_MS=500", NULL};
    int port = free_port();
    pid_t pid = start_load(port, environment);
    int fd = dial(port);
    uint8_t hello[TD_WIRE_HELLO_BYTES], byte;
    td_wire_put_hello(hello, 69);
    assert_int_equal(send(fd, hello, sizeof hello, MSG_NOSIGNAL), sizeof hello);
    /* The client drops this peer, and reports to the next one that the events are gone. */
    int said = 0;
    for (int64_t until = td_mono_ms() + 200000; !said && td_mono_ms() < until;) {
        int next = dial(port);
        struct pollfd wait = {next, POLLIN, 0};
        if (send(next, hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello &&
            poll(&wait, 1, 1000) > 0)
            said = recv(next, &byte, 1, 0) == 1 && byte == TD_WIRE_STATUS_NOT_AVAILABLE;
        close(next);
    }
    assert_true(said);
    long most = memory_mb(pid, "VmHWM:");
    if (most > 64 + 40 + SANITIZER_MB)
        fail_msg("%ld MB", most);
    close(fd);
    end_load(pid);
}

static void what_waits_for_nobody_stays_within_bounds_and_is_whole(void **state)
{
    static const char *const environment[] = {"TENDRIL_MEMORY_MB=16", NULL};
    int port = free_port();
    pid_t pid = start_load(port, environment);
    work_for(pid, 3);
    struct event_log log;
    event_log_init(&log);
    struct td_client_counts counts;
    struct td_err err = {0};
    int going = collect(log.hub, port, &counts, &err);
    if (going)
        fail_msg("%s", err.text);
    assert_true(counts.zones > 100000);
    assert_int_equal(counts.ignored, 0);
    assert_true(memory_mb(pid, "VmHWM:") < 16 + 40 + SANITIZER_MB);
    int told = 0;
    for (size_t i = 0; i < log.count; i++)
        told +=
            log.events[i].kind == TD_EVENT_APP_INFO && !strncmp(td_dict_text(log.dict, log.events[i].subject),
                                                                "tendril.client.lost: everything after", 37);
    assert_int_equal(told, 1);
    event_log_finish(&log);
    end_load(pid);
}

static void crowds_of_silent_and_half_open_connections_do_not_keep_others_out(void **state)
{
    enum { CROWD = 200 };
    static const char *const environment[] = {"TRACY_ON_DEMAND=1", NULL};
    static int crowd[CROWD];
    int port = free_port();
    pid_t pid = start_load(port, environment);
    close(dial(port));
    for (int i = 0; i < 2000; i++) { /* come and go */
        int fd = knock(port);
        if (fd >= 0 && i % 3)
            send(fd, i % 3 == 1 ? "TracyPrf" : "GET / HTTP/1.1\r\n", 8, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (fd >= 0)
            close(fd);
    }
    for (int i = 0; i < CROWD; i++)
        crowd[i] = knock(port);
    int served = 0;
    for (int64_t until = td_mono_ms() + 60000; !served && td_mono_ms() < until;) {
        int fd = dial(port);
        uint8_t hello[TD_WIRE_HELLO_BYTES], byte;
        struct pollfd wait = {fd, POLLIN, 0};
        td_wire_put_hello(hello, 69);
        if (send(fd, hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello && poll(&wait, 1, 30000) > 0)
            served = recv(fd, &byte, 1, 0) == 1 && byte == TD_WIRE_STATUS_WELCOME;
        close(fd);
    }
    assert_true(served);
    assert_true(memory_mb(pid, "VmHWM:") < 200 + SANITIZER_MB);
    for (int i = 0; i < CROWD; i++)
        if (crowd[i] >= 0)
            close(crowd[i]);
    end_load(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_that_takes_nothing_costs_no_more_memory_than_allowed),
        cmocka_unit_test(what_waits_for_nobody_stays_within_bounds_and_is_whole),
        cmocka_unit_test(crowds_of_silent_and_half_open_connections_do_not_keep_others_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
