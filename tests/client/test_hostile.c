/* Peers of the client library that do not keep to the protocol: each costs bounded time and one error. */
#include "host/wire/names_ahead.h"
#include "host/wire/pack.h"
#include "host/wire/items.h"
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

#define LONG_MS     60000 /* for what comes at once on a machine that has nothing else to do */
#define GREETING_MS 2000  /* how long a client waits for a peer's handshake */

/* Receives until the peer closes, or the time is up. Returns the bytes, the first ones in `to`. */
static size_t hear(int fd, uint8_t *to, size_t room, int ms)
{
    size_t all = 0;
    uint8_t rest[4096];
    for (int64_t until = td_mono_ms() + ms; td_mono_ms() < until;) {
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

/* A connection that was greeted within the time that a client gives for it, and the first byte of the answer.
 */
static int greet(int port, uint32_t protocol, uint8_t *status)
{
    for (;;) {
        const int64_t began = td_mono_ms();
        const int fd = dial_client(port, LONG_MS);
        say_hello(fd, protocol);
        if (recv(fd, status, 1, 0) == 1)
            return fd;
        close(fd);
        if (td_mono_ms() - began < GREETING_MS)
            fail_msg("a greeting was not answered");
        /* else the machine has slept over it: once more */
    }
}

static void say_query(int fd, enum td_query query, uint64_t ptr)
{
    uint8_t bytes[TD_WIRE_QUERY_BYTES];
    td_wire_put_query(bytes, &td_wire_69, &(struct td_wire_query){query, ptr, 0});
    say(fd, bytes, sizeof bytes);
}

/* Lets the program end once it has said enough. */
static void close_input(void *input, struct td_client_counts counts)
{
    int *fd = input;
    if (*fd >= 0 && counts.zones > 100) {
        close(*fd);
        *fd = -1;
    }
}

static void greetings_that_are_none_do_not_cost_the_session(void **state)
{
    int port = free_port(), input;
    pid_t pid = start_marked("linger", port, &input, NULL);
    uint8_t answer[4096];
    int fd = dial_client(port, LONG_MS);
    say(fd, "GET / HTTP/1.1\r\n\r\n", 18);
    assert_int_equal(hear(fd, answer, sizeof answer, LONG_MS), 0);
    close(fd);
    fd = dial_client(port, LONG_MS); /* silent */
    assert_int_equal(hear(fd, answer, sizeof answer, LONG_MS), 0);
    close(fd);
    fd = dial_client(port, LONG_MS); /* a byte now and then */
    for (int i = 0; i < 3; i++) {
        send(fd, &TD_WIRE_MAGIC[i], 1, MSG_NOSIGNAL); /* a client that has given up already is right, too */
        poll(NULL, 0, 300);
    }
    assert_int_equal(hear(fd, answer, sizeof answer, LONG_MS), 0);
    close(fd);
    for (uint32_t protocol = 62; protocol < 84; protocol++) {
        if (td_wire_release_for(protocol))
            continue;
        fd = greet(port, protocol, answer);
        assert_int_equal(answer[0], TD_WIRE_STATUS_MISMATCH);
        assert_int_equal(hear(fd, answer, sizeof answer, LONG_MS), 0);
        close(fd);
    }
    struct event_log log;
    event_log_init(&log);
    struct td_client_counts counts;
    struct td_err err = {0};
    assert_int_equal(collect_watched(log.hub, port, close_input, &input, &counts, &err), 0);
    assert_true(counts.zones > 100);
    assert_int_equal(wait_marked(pid, LONG_MS), 0);
    event_log_finish(&log);
}

static int open_session(int port)
{
    uint8_t welcome[2048];
    int fd = greet(port, 69, welcome);
    assert_int_equal(welcome[0], TD_WIRE_STATUS_WELCOME);
    for (size_t have = 1; have < 1 + td_wire_69.welcome_bytes;) {
        ssize_t n = recv(fd, welcome + have, 1 + td_wire_69.welcome_bytes - have, 0);
        assert_true(n > 0);
        have += (size_t)n;
    }
    return fd;
}

static void a_query_that_is_none_ends_the_session_only(void **state)
{
    int port = free_port(), input;
    pid_t pid = start_marked("linger", port, &input, NULL);
    int fd = open_session(port);
    say(fd, "\xee\1\2\3\4\5\6\7\10\11\12\13\14", 13);
    uint8_t some[16];
    hear(fd, some, sizeof some, LONG_MS);
    close(fd);
    poll(NULL, 0, 50);
    close(input);
    assert_int_equal(wait_marked(pid, LONG_MS), 0);
}

/* Not as long as the others get that say nothing, two seconds. */
static void a_program_that_waits_at_its_end_gives_peers_time_to_greet(void **state)
{
    static const char *const environment[] = {"TRACY_NO_EXIT=1", NULL};
    uint8_t status = 0;
    int port = free_port(), fd, greeted;
    pid_t pid = start_marked("all", port, NULL, environment);
    close(dial_client(port, LONG_MS));
    poll(NULL, 0, 300); /* long enough for it to be at its end; if not, it has to give time as well */
    do {
        const int64_t began = td_mono_ms();
        fd = dial_client(port, LONG_MS);
        poll(NULL, 0, 600);
        say_hello(fd, 69);
        greeted = recv(fd, &status, 1, 0) == 1;
        assert_true(greeted ||
                    td_mono_ms() - began >= GREETING_MS); /* the machine has slept over it: once more */
        close(fd);
    } while (!greeted);
    assert_int_equal(status, TD_WIRE_STATUS_WELCOME);
    assert_int_equal(wait_marked(pid, LONG_MS), 0);
}

/* The next item of that kind, of any key or that one; its bytes are valid until more is heard. */
static struct td_wire_view hear_item(int fd, struct td_unpacker *unpacker, enum td_item item,
                                     const uint64_t *key)
{
    for (int64_t until = td_mono_ms() + LONG_MS; td_mono_ms() < until;) {
        const uint8_t *frame;
        struct td_err err = {0};
        int bytes = td_unpacker_next(unpacker, &frame, &err);
        assert_true(bytes >= 0);
        struct td_wire_view view;
        for (size_t at = 0;
             bytes > 0 && td_wire_next(&td_wire_69, frame, (size_t)bytes, &at, &view, &err) == 1;)
            if (view.item == item && (!key || td_wire_get_StringData(view.payload, &td_wire_69).ptr == *key))
                return view;
        if (bytes)
            continue;
        uint8_t *at;
        size_t room = td_unpacker_room(unpacker, &at);
        ssize_t n = recv(fd, at, room, 0);
        assert_true(n > 0);
        td_unpacker_fed(unpacker, (size_t)n);
    }
    fail_msg("no answer");
    return (struct td_wire_view){0};
}

static void hear_string(int fd, struct td_unpacker *unpacker, uint64_t key, const char *text)
{
    struct td_wire_view view = hear_item(fd, unpacker, TD_ITEM_StringData, &key);
    assert_int_equal(view.bytes, strlen(text));
    assert_memory_equal(view.data, text, view.bytes);
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
    assert_int_equal(wait_marked(pid, LONG_MS), 0);
}

/* Addresses that differ from an announced one in one bit are not read, even by a client that cannot ask
 * the system whether they can be. */
static void ask_beside(int fd, struct td_unpacker *unpacker, enum td_query query, uint64_t told)
{
    for (int bit = 0; bit < 64; bit++)
        say_query(fd, query, told ^ UINT64_C(1) << bit);
    for (uint64_t top = 1; top < 16; top++)
        say_query(fd, query, told ^ top << 60);
    say_query(fd, TD_QUERY_String, 1);
    hear_string(fd, unpacker, 1, "");
}

static void addresses_are_compared_whole(void **state)
{
    int port = free_port(), input;
    pid_t pid = start_denied("process_vm_readv", "linger", port, &input);
    int fd = open_session(port);
    struct td_unpacker *unpacker = td_unpacker_create();
    struct td_wire_view begin = hear_item(fd, unpacker, TD_ITEM_ZoneBegin, NULL);
    uint64_t place = td_wire_get_ZoneBegin(begin.payload, &td_wire_69).srcloc;
    say_query(fd, TD_QUERY_SourceLocation, place);
    struct td_wire_view view = hear_item(fd, unpacker, TD_ITEM_SourceLocation, NULL);
    uint64_t name = td_wire_get_SourceLocation(view.payload, &td_wire_69).name;
    say_query(fd, TD_QUERY_String, name);
    hear_string(fd, unpacker, name, "lingering");
    ask_beside(fd, unpacker, TD_QUERY_SourceLocation, place);
    static const enum td_query queries[] = {TD_QUERY_String,     TD_QUERY_PlotName,   TD_QUERY_FrameName,
                                            TD_QUERY_FiberName,  TD_QUERY_Symbol,     TD_QUERY_CallstackFrame,
                                            TD_QUERY_SymbolCode, TD_QUERY_SourceCode, TD_QUERY_ThreadString};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        ask_beside(fd, unpacker, queries[i], name);
    say_query(fd, TD_QUERY_Terminate, 0);
    close(fd);
    td_unpacker_destroy(unpacker);
    close(input);
    assert_int_equal(wait_marked(pid, LONG_MS), 0);
}

static void a_peer_that_takes_nothing_delays_the_end_by_its_bound_only(void **state)
{
    static const char *const environment[] = {"TENDRIL_EXIT_WAIT_MS=300", "TENDRIL_WAIT_CONNECT_MS=60000",
                                              NULL};
    int port = free_port();
    pid_t pid = start_marked("two", port, NULL, environment);
    int fd = open_session(port);
    assert_int_equal(wait_marked(pid, LONG_MS), 0);
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
    assert_int_equal(wait_marked(pid, LONG_MS), 0);
    close(fd);
}

/* How many zones begin before the ThreadName of that key. */
static size_t zones_before_name(int fd, struct td_unpacker *unpacker, uint64_t key)
{
    size_t zones = 0;
    for (;;) {
        const uint8_t *frame;
        struct td_err err = {0};
        const int bytes = td_unpacker_next(unpacker, &frame, &err);
        assert_true(bytes >= 0);
        struct td_wire_view view;
        for (size_t at = 0;
             bytes > 0 && td_wire_next(&td_wire_69, frame, (size_t)bytes, &at, &view, &err) == 1;) {
            zones += view.item == TD_ITEM_ZoneBegin;
            if (view.item == TD_ITEM_ThreadName &&
                td_wire_get_ThreadName(view.payload, &td_wire_69).ptr == key)
                return zones;
        }
        if (bytes)
            continue;
        uint8_t *at;
        const size_t room = td_unpacker_room(unpacker, &at);
        const ssize_t n = recv(fd, at, room, 0);
        assert_true(n > 0);
        td_unpacker_fed(unpacker, (size_t)n);
    }
}

/* Of a program that has marked much, a recorder that is killed early has names: of the events before the answer to its
 * wish for names ahead there are few. */
static void names_are_not_behind_many_events(void **state)
{
    static const char *const environment[] = {"TRACY_NO_EXIT=1", NULL};
    int port = free_port();
    pid_t pid = start_marked("two", port, NULL, environment);
    usleep(1000000); /* for the zones */
    int fd = dial_client(port, LONG_MS);
    uint8_t greeting[TD_WIRE_HELLO_BYTES + TD_WIRE_QUERY_BYTES];
    td_wire_put_hello(greeting, td_wire_69.protocol);
    td_wire_put_query(greeting + TD_WIRE_HELLO_BYTES, &td_wire_69,
                      &(struct td_wire_query){TD_QUERY_ThreadString, TD_WIRE_AHEAD_KEY, 0});
    say(fd, greeting, sizeof greeting);
    struct td_unpacker *unpacker = td_unpacker_create();
    uint8_t welcome[2048];
    for (size_t have = 0; have < 1 + td_wire_69.welcome_bytes;) {
        ssize_t n = recv(fd, welcome + have, 1 + td_wire_69.welcome_bytes - have, 0);
        assert_true(n > 0);
        have += (size_t)n;
    }
    assert_int_equal(welcome[0], TD_WIRE_STATUS_WELCOME);
    assert_true(zones_before_name(fd, unpacker, TD_WIRE_AHEAD_KEY) <= 1000);
    say_query(fd, TD_QUERY_Terminate, 0);
    close(fd);
    td_unpacker_destroy(unpacker);
    assert_int_equal(wait_marked(pid, LONG_MS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greetings_that_are_none_do_not_cost_the_session),
        cmocka_unit_test(a_query_that_is_none_ends_the_session_only),
        cmocka_unit_test(a_program_that_waits_at_its_end_gives_peers_time_to_greet),
        cmocka_unit_test(memory_that_was_not_told_of_cannot_be_asked_for),
        cmocka_unit_test(addresses_are_compared_whole),
        cmocka_unit_test(a_peer_that_takes_nothing_delays_the_end_by_its_bound_only),
        cmocka_unit_test(names_are_not_behind_many_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
