/* Peers that do not keep to the protocol, on both ends: each costs bounded time and one error. */
#include "host/wire/pack.h"
#include "tests/client/run_marked.h"
#include "tests/wire/event_log.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- Peers of the client library. */

static int dial(int port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int64_t until = mono_ms() + 10000; mono_ms() < until; poll(NULL, 0, 5)) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
            return fd;
        close(fd);
    }
    fail_msg("nobody listens on port %d", port);
    return -1;
}

/* Everything until the peer closes, at most for so long. Returns the bytes, the first ones in `to`. */
static size_t hear(int fd, uint8_t *to, size_t room, int ms)
{
    size_t all = 0;
    uint8_t rest[4096];
    for (int64_t until = mono_ms() + ms; mono_ms() < until;) {
        struct pollfd wait = {fd, POLLIN, 0};
        if (poll(&wait, 1, 50) <= 0)
            continue;
        ssize_t n = recv(fd, all < room ? to + all : rest, all < room ? room - all : sizeof rest, 0);
        if (n <= 0)
            return all;
        all += (size_t)n;
    }
    fail_msg("the peer keeps the connection open for more than %d ms", ms);
    return all;
}

static void say(int fd, const void *bytes, size_t count)
{
    assert_int_equal(send(fd, bytes, count, MSG_NOSIGNAL), count);
}

static void say_hello(int fd, uint32_t protocol)
{
    uint8_t hello[TD_WIRE_HELLO_BYTES];
    td_wire_put_hello(hello, protocol);
    say(fd, hello, sizeof hello);
}

static void say_query(int fd, enum td_query query, uint64_t ptr)
{
    uint8_t bytes[TD_WIRE_QUERY_BYTES];
    td_wire_put_query(bytes, &td_wire_69, &(struct td_wire_query){query, ptr, 0});
    say(fd, bytes, sizeof bytes);
}

static void greetings_that_are_none_do_not_cost_the_session(void **state)
{
    int port = free_port(), input;
    pid_t pid = start_marked("linger", port, &input, NULL);
    uint8_t answer[4096];
    int fd = dial(port);
    say(fd, "GET / HTTP/1.1\r\n\r\n", 18);
    assert_int_equal(hear(fd, answer, sizeof answer, 5000), 0);
    close(fd);
    fd = dial(port); /* silent */
    assert_int_equal(hear(fd, answer, sizeof answer, 5000), 0);
    close(fd);
    fd = dial(port); /* a byte now and then */
    for (int i = 0; i < 3; i++) {
        say(fd, &TD_WIRE_MAGIC[i], 1);
        poll(NULL, 0, 300);
    }
    assert_int_equal(hear(fd, answer, sizeof answer, 5000), 0);
    close(fd);
    for (uint32_t protocol = 62; protocol < 84; protocol++) {
        if (td_wire_release_for(protocol))
            continue;
        fd = dial(port);
        say_hello(fd, protocol);
        assert_int_equal(hear(fd, answer, sizeof answer, 5000), 1);
        assert_int_equal(answer[0], TD_WIRE_STATUS_MISMATCH);
        close(fd);
    }
    struct event_log log;
    event_log_init(&log);
    struct td_client_counts counts;
    struct td_err err = {0};
    pid_t late = fork();
    if (late == 0) { /* lets the program end while it is collected */
        poll(NULL, 0, 500);
        close(input);
        _exit(0);
    }
    close(input);
    assert_int_equal(collect(log.hub, port, &counts, &err), 0);
    assert_true(counts.zones > 100);
    assert_int_equal(wait_marked(pid, 20000), 0);
    wait_marked(late, 20000);
    event_log_finish(&log);
}

static int open_session(int port)
{
    uint8_t welcome[2048];
    int fd = dial(port);
    say_hello(fd, 69);
    size_t have = 0;
    while (have < 1 + td_wire_69.welcome_bytes) {
        ssize_t n = recv(fd, welcome + have, 1 + td_wire_69.welcome_bytes - have, 0);
        assert_true(n > 0);
        have += (size_t)n;
    }
    assert_int_equal(welcome[0], TD_WIRE_STATUS_WELCOME);
    return fd;
}

static void a_query_that_is_none_ends_the_session_only(void **state)
{
    int port = free_port(), input;
    pid_t pid = start_marked("linger", port, &input, NULL);
    int fd = open_session(port);
    say(fd, "\xee\1\2\3\4\5\6\7\10\11\12\13\14", 13);
    uint8_t some[16];
    hear(fd, some, sizeof some, 5000);
    close(fd);
    poll(NULL, 0, 50);
    close(input);
    assert_int_equal(wait_marked(pid, 5000), 0);
}

/* Reads the stream until a string for the key has come. */
static void hear_string(int fd, struct td_unpacker *unpacker, uint64_t key, const char *text)
{
    for (int64_t until = mono_ms() + 10000; mono_ms() < until;) {
        const uint8_t *frame;
        struct td_err err = {0};
        int bytes = td_unpacker_next(unpacker, &frame, &err);
        assert_true(bytes >= 0);
        struct td_wire_view view;
        for (size_t at = 0;
             bytes > 0 && td_wire_next(&td_wire_69, frame, (size_t)bytes, &at, &view, &err) == 1;)
            if (view.item == TD_ITEM_StringData &&
                td_wire_get_StringData(view.payload, &td_wire_69).ptr == key) {
                assert_int_equal(view.bytes, strlen(text));
                assert_memory_equal(view.data, text, view.bytes);
                return;
            }
        if (bytes)
            continue;
        uint8_t *at;
        size_t room = td_unpacker_room(unpacker, &at);
        ssize_t n = recv(fd, at, room, 0);
        assert_true(n > 0);
        td_unpacker_fed(unpacker, (size_t)n);
    }
    fail_msg("no answer");
}

static void memory_that_was_not_told_of_cannot_be_asked_for(void **state)
{
    int port = free_port(), input;
    pid_t pid = start_marked("linger", port, &input, NULL);
    int fd = open_session(port);
    struct td_unpacker *unpacker = td_unpacker_create();
    static const uint64_t addresses[] = {1, 0x400000, 0x7fffffffe000, UINT64_MAX, 0};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        say_query(fd, TD_QUERY_SourceLocation, addresses[i]);
        say_query(fd, TD_QUERY_PlotName, addresses[i]);
        say_query(fd, TD_QUERY_FrameName, addresses[i]);
        say_query(fd, TD_QUERY_ThreadString, addresses[i]);
        say_query(fd, TD_QUERY_ExternalName, addresses[i]);
        say_query(fd, TD_QUERY_SymbolCode, addresses[i]);
        say_query(fd, TD_QUERY_CallstackFrame, addresses[i]);
        say_query(fd, TD_QUERY_String, addresses[i]);
        hear_string(fd, unpacker, addresses[i], "");
    }
    say_query(fd, TD_QUERY_Terminate, 0);
    close(fd);
    td_unpacker_destroy(unpacker);
    close(input);
    assert_int_equal(wait_marked(pid, 5000), 0);
}

static void a_peer_that_takes_nothing_delays_the_end_by_its_bound_only(void **state)
{
    static const char *const environment[] = {"TENDRIL_EXIT_WAIT_MS=300", "TENDRIL_WAIT_CONNECT_MS=10000",
                                              NULL};
    int port = free_port();
    pid_t pid = start_marked("two", port, NULL, environment);
    int fd = open_session(port);
    assert_int_equal(wait_marked(pid, 15000), 0);
    close(fd);
    /* One that asks without end, and reads nothing. */
    port = free_port();
    pid = start_marked("two", port, NULL, environment);
    fd = open_session(port);
    uint8_t query[TD_WIRE_QUERY_BYTES];
    td_wire_put_query(query, &td_wire_69, &(struct td_wire_query){TD_QUERY_ThreadString, 1, 0});
    for (int i = 0; i < 1000000; i++)
        if (send(fd, query, sizeof query, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
            break;
    assert_int_equal(wait_marked(pid, 15000), 0);
    close(fd);
}

/* ---- Clients that are none, for the collecting end. */

struct fake {
    int listen_fd, port;
    const uint8_t *bytes;
    size_t count;
    int keep_ms; /* how long the connection stays open behind the bytes, or until the peer closes */
    pthread_t thread;
};

/* A protocol that is refused may be tried with another number. */
static int serve_again(const struct fake *fake)
{
    struct pollfd wait = {fake->listen_fd, POLLIN, 0};
    return fake->count == 1 && fake->bytes[0] == TD_WIRE_STATUS_MISMATCH && poll(&wait, 1, 500) > 0;
}

static void serve(struct fake *fake)
{
    int fd = accept(fake->listen_fd, NULL, NULL);
    if (fake->count && send(fd, fake->bytes, fake->count, MSG_NOSIGNAL) < 0)
        fake->count = 0;
    uint8_t rest[4096];
    for (int64_t until = mono_ms() + fake->keep_ms; mono_ms() < until;) {
        struct pollfd wait = {fd, POLLIN, 0};
        if (poll(&wait, 1, 20) > 0 && recv(fd, rest, sizeof rest, 0) <= 0)
            break;
    }
    shutdown(fd, SHUT_WR); /* not a reset: what was sent must arrive */
    for (int64_t until = mono_ms() + 1000; mono_ms() < until && recv(fd, rest, sizeof rest, 0) > 0;)
        ;
    close(fd);
}

static void *fake_main(void *self)
{
    do
        serve(self);
    while (serve_again(self));
    return NULL;
}

/* What collecting from a client that says these bytes gives. */
static int collect_fake(const void *bytes, size_t count, int keep_ms, struct event_log *log,
                        struct td_client_counts *counts, struct td_err *err)
{
    struct fake fake = {.bytes = bytes, .count = count, .keep_ms = keep_ms};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t at_bytes = sizeof at;
    fake.listen_fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fake.listen_fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fake.listen_fd, 1), 0);
    getsockname(fake.listen_fd, (struct sockaddr *)&at, &at_bytes);
    pthread_create(&fake.thread, NULL, fake_main, &fake);
    event_log_init(log);
    *err = (struct td_err){0};
    int64_t began = mono_ms();
    int going = collect(log->hub, ntohs(at.sin_port), counts, err);
    assert_true(mono_ms() - began < 12000);
    pthread_join(fake.thread, NULL);
    close(fake.listen_fd);
    assert_null(event_log_fault(log));
    assert_int_equal(going != 0, err->text[0] != 0);
    return going;
}

static void gives(const void *bytes, size_t count, int keep_ms, int code, const char *says)
{
    struct event_log log;
    struct td_client_counts counts;
    struct td_err err;
    int going = collect_fake(bytes, count, keep_ms, &log, &counts, &err);
    if (going != code || (says && !strstr(err.text, says)))
        fail_msg("%d (%s) instead of %d (%s)", going, err.text, code, says);
    event_log_finish(&log);
}

static void whoever_is_no_client_is_told_from_one(void **state)
{
    gives("", 0, 0, TD_E_GONE, "is it a Tracy client?");
    gives("\2", 1, 100, TD_E_VERSION, "none of the protocols of Tracy 0.9.0 to 0.14.0");
    gives("\3", 1, 100, TD_E_GONE, "already given");
    gives("HTTP/1.1 400 Bad Request\r\n\r\n", 28, 100, TD_E_FORMAT, "answers 72");
    gives("", 0, 20000, TD_E_TIMEOUT, "does not greet");
    gives("\1half a welcome", 15, 20000, TD_E_TIMEOUT, "does not greet");
    struct event_log log;
    struct td_client_counts counts;
    struct td_err err = {0};
    event_log_init(&log);
    struct td_client_source_config config = {
        .port = free_port(), .connect_ms = 200, .hub = log.hub, .ns_per_tick = 1};
    struct td_client_source *source = td_client_source_create(&config, &err);
    int64_t began = mono_ms();
    int going;
    while ((going = td_client_source_pump(source, &err)) == 1)
        poll(NULL, 0, td_client_source_wait_ms(source));
    assert_int_equal(going, TD_E_TIMEOUT);
    assert_true(mono_ms() - began < 5000);
    counts = td_client_source_counts(source);
    assert_int_equal(counts.items, 0);
    td_client_source_destroy(source);
    event_log_finish(&log);
}

/* A status, a welcome message, then `tail`. */
static size_t greeting(uint8_t *to, double rate, const void *tail, size_t tail_bytes)
{
    struct td_wire_welcome welcome = {.timerMul = rate, .initBegin = 1000, .initEnd = 2000};
    to[0] = TD_WIRE_STATUS_WELCOME;
    td_wire_put_welcome(to + 1, &td_wire_69, &welcome);
    memcpy(to + 1 + td_wire_69.welcome_bytes, tail, tail_bytes);
    return 1 + td_wire_69.welcome_bytes + tail_bytes;
}

static void broken_streams_are_one_error(void **state)
{
    uint8_t bytes[4096];
    size_t n = greeting(bytes, __builtin_nan(""), "", 0);
    gives(bytes, n, 100, TD_E_FORMAT, "clock ticks every");
    n = greeting(bytes, -1, "", 0);
    gives(bytes, n, 100, TD_E_FORMAT, "clock ticks every");
    n = greeting(bytes, 1, "\xff\xff\xff\x7f", 4);
    gives(bytes, n, 100, TD_E_FORMAT, "a frame of 2147483647 bytes");
    n = greeting(bytes, 1, "\2\0\0\0\x10\xfe", 6);
    gives(bytes, n, 100, TD_E_FORMAT, "unknown item 254");
    n = greeting(bytes, 1, "\5\0\0\0\xff\xff\xff\xff\xff", 9);
    gives(bytes, n, 100, TD_E_FORMAT, "does not decompress");
    n = greeting(bytes, 1, "\100\0\0\0cut", 7);
    gives(bytes, n, 0, TD_E_GONE, "0 zones");
}

static void names_that_are_never_told_do_not_hold_the_end(void **state)
{
    struct td_packer *packer = td_packer_create();
    uint8_t *p = td_packer_at(packer), bytes[4096];
    p = td_wire_put_ThreadContext(p, &td_wire_69, &(struct td_wire_ThreadContext){5});
    p = td_wire_put_ZoneBegin(p, &td_wire_69, &(struct td_wire_ZoneBegin){1500, 0xabc});
    p = td_wire_put_ZoneEnd(p, &td_wire_69, &(struct td_wire_ZoneEnd){10});
    p = td_wire_put_Terminate(p, &td_wire_69, NULL);
    td_packer_add(packer, (size_t)(p - td_packer_at(packer)));
    const uint8_t *packed;
    size_t count = td_packer_pack(packer, &packed), n = greeting(bytes, 1, packed, count);
    struct event_log log;
    struct td_client_counts counts;
    struct td_err err;
    assert_int_equal(collect_fake(bytes, n, 20000, &log, &counts, &err), 0);
    assert_int_equal(counts.zones, 1);
    assert_int_equal(counts.unnamed, 1);
    event_log_finish(&log);
    /* It closes at once behind its end: nothing is missing but names. */
    assert_int_equal(collect_fake(bytes, n, 0, &log, &counts, &err), 0);
    assert_int_equal(event_log_zones(&log, TD_CLIENT_UNKNOWN), 1);
    event_log_finish(&log);
    td_packer_destroy(packer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greetings_that_are_none_do_not_cost_the_session),
        cmocka_unit_test(a_query_that_is_none_ends_the_session_only),
        cmocka_unit_test(memory_that_was_not_told_of_cannot_be_asked_for),
        cmocka_unit_test(a_peer_that_takes_nothing_delays_the_end_by_its_bound_only),
        cmocka_unit_test(whoever_is_no_client_is_told_from_one),
        cmocka_unit_test(broken_streams_are_one_error),
        cmocka_unit_test(names_that_are_never_told_do_not_hold_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
