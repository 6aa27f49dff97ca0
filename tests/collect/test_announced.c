/* The list of programs that announce themselves: all versions of the datagram, programs that change, go and
 * are lost, a flood, and datagrams over a socket. */
#include "host/agent/client/announced_clients.h"
#include "host/base/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#define MACHINE UINT32_C(0x0a000001)

static char reports[2000];

static void note_report(void *self, enum td_announced_change change, const struct td_announced_client *c)
{
    size_t n = strlen(reports);
    snprintf(reports + n, sizeof reports - n, "%c%s@%s:%u;", "+~-"[change], c -> program, c -> host,
             c -> port);
}

static struct td_announced_list *begin_list(void)
{
    reports[0] = 0;
    struct td_announced_list *a = td_announced_list_create(note_report, NULL);
    assert_non_null(a);
    return a;
}

static size_t make_datagram(uint8_t *to, uint16_t port, int seconds, const char *name)
{
    struct td_wire_broadcast message = {
        .broadcastVersion = 3, .listenPort = port, .protocolVersion = 82, .pid = 4242, .activeTime = seconds};
    snprintf(message.programName, sizeof message.programName, "%s", name);
    return td_wire_put_broadcast(to, &message);
}

static void announce(struct td_announced_list *a, uint16_t port, int seconds, const char *name,
                     int64_t now_ms)
{
    uint8_t bytes[sizeof(struct td_wire_broadcast)];
    td_announced_datagram(a, bytes, make_datagram(bytes, port, seconds, name), MACHINE, now_ms);
}

/* Bytes as shared/spec describes them, not as this tree's tables do. */
static void every_version_is_understood(void **state)
{
    static const struct {
        uint8_t bytes[32];
        size_t count;
        uint16_t port;
        uint32_t protocol;
        uint64_t pid;
        int32_t active_s;
    } cases[] = {
        {"\3\0\x42\x4d\x52\0\0\0\x39\x30\0\0\0\0\0\0\7\0\0\0cc1", 24, 19778, 82, 12345, 7},
        {"\2\0\x96\x1f\x3f\0\0\0\6\0\0\0abc", 16, 8086, 63, 0, 6},
        {"\1\0\0\0\x3f\0\0\0\x97\x1f\0\0\5\0\0\0abc", 20, 8087, 63, 0, 5},
        {"\0\0\0\0\x3f\0\0\0\4\0\0\0abc", 16, 8086, 63, 0, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct td_announced_list *a = begin_list();
        td_announced_datagram(a, cases[i].bytes, cases[i].count, MACHINE, 1000);
        assert_int_equal(td_announced_count(a), 1);
        const struct td_announced_client *c = td_announced_at(a, 0);
        assert_int_equal(c->port, cases[i].port);
        assert_int_equal(c->protocol, cases[i].protocol);
        assert_int_equal(c->pid, cases[i].pid);
        assert_int_equal(c->active_s, cases[i].active_s);
        assert_string_equal(c->program, i ? "abc" : "cc1");
        assert_string_equal(c->host, "10.0.0.1");
        td_announced_close(a);
    }
}

static void what_is_no_announcement_is_ignored(void **state)
{
    uint8_t bytes[200] = {0};
    struct td_announced_list *a = begin_list();
    size_t count = make_datagram(bytes, 8086, 1, "a");
    for (size_t n = 0; n <= 20; n++) /* no name */
        td_announced_datagram(a, bytes, n, MACHINE, 1000);
    td_announced_datagram(a, bytes, 85, MACHINE, 1000); /* longer than the version's */
    bytes[0] = 4;
    td_announced_datagram(a, bytes, count, MACHINE, 1000); /* of a version to come */
    announce(a, 0, 1, "port 0", 1000);
    assert_int_equal(td_announced_count(a), 0);
    assert_string_equal(reports, "");
    td_announced_close(a);
}

static void programs_come_change_and_go(void **state)
{
    struct td_announced_list *a = begin_list();
    announce(a, 8086, 0, "one", 1000);
    announce(a, 8087, 0, "two", 1000);
    announce(a, 8086, 3, "one", 4000);
    uint64_t first = td_announced_at(a, 0)->sequence;
    assert_int_equal(td_announced_at(a, 0)->active_s, 3);
    assert_int_equal(td_announced_at(a, 0)->begin_ms, 1000);
    announce(a, 8086, 0, "three", 5000); /* another program at the same port */
    assert_true(td_announced_at(a, 0)->sequence != first);
    announce(a, 8087, -1, "two", 6000);
    announce(a, 8088, -1, "unknown", 6000);
    assert_string_equal(reports,
                        "+one@10.0.0.1:8086;+two@10.0.0.1:8087;~three@10.0.0.1:8086;-two@10.0.0.1:8087;");
    assert_int_equal(td_announced_wait_ms(a, 6000), 5000 + TD_ANNOUNCED_LOST_MS + 1 - 6000);
    td_announced_close(a);
}

static void a_flood_does_not_grow_the_list(void **state)
{
    struct td_announced_list *a = begin_list();
    for (unsigned port = 1; port <= TD_ANNOUNCED_MAX + 100; port++)
        announce(a, (uint16_t)port, 1, "x", 1000);
    assert_int_equal(td_announced_count(a), TD_ANNOUNCED_MAX);
    assert_int_equal(td_announced_refused(a), 100);
    td_announced_close(a);
}

static void datagrams_arrive_and_silent_programs_are_lost(void **state)
{
    struct td_err err = {0};
    uint8_t bytes[sizeof(struct td_wire_broadcast)];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t to_bytes = sizeof to;
    int probe = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(probe, (struct sockaddr *)&to, sizeof to), 0);
    assert_int_equal(getsockname(probe, (struct sockaddr *)&to, &to_bytes), 0);
    close(probe);
    reports[0] = 0;
    struct td_announced_list *a = td_announced_open(ntohs(to.sin_port), note_report, NULL, &err);
    struct td_announced_list *other = td_announced_open(ntohs(to.sin_port), NULL, NULL, &err);
    assert_non_null(a);
    assert_non_null(other); /* several programs can listen */
    td_announced_close(other);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    size_t count = make_datagram(bytes, 8090, 1, "sent");
    assert_int_equal(sendto(fd, bytes, count, 0, (struct sockaddr *)&to, sizeof to), (int)count);
    close(fd);
    struct pollfd wait = {td_announced_fd(a), POLLIN, 0};
    assert_int_equal(poll(&wait, 1, 10000), 1);
    int64_t now_ms = td_mono_ms();
    assert_int_equal(td_announced_take(a, now_ms, &err), 0);
    assert_string_equal(reports, "+sent@127.0.0.1:8090;");
    assert_int_equal(td_announced_take(a, now_ms + TD_ANNOUNCED_LOST_MS, &err), 0);
    assert_int_equal(td_announced_count(a), 1);
    assert_int_equal(td_announced_take(a, now_ms + TD_ANNOUNCED_LOST_MS + 1, &err), 0);
    assert_string_equal(reports, "+sent@127.0.0.1:8090;-sent@127.0.0.1:8090;");
    td_announced_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_version_is_understood),
        cmocka_unit_test(what_is_no_announcement_is_ignored),
        cmocka_unit_test(programs_come_change_and_go),
        cmocka_unit_test(a_flood_does_not_grow_the_list),
        cmocka_unit_test(datagrams_arrive_and_silent_programs_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
