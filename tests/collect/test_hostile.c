/* Clients that break the protocol: each costs the recorder bounded time and one error. */
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

/* A silent peer stays connected for this long, which is longer than the recorder may wait. */
#define KEEP_MS 200000
#define SOON_MS 60000

struct fake {
    int listen_fd, port;
    const uint8_t *bytes;
    size_t count;
    int keep_ms; /* how long the connection stays open after the bytes, or until the peer closes */
    pthread_t thread;
};

/* Accepts the recorder again after a refused protocol, until the test closes the listener. */
static int serve_again(const struct fake *fake)
{
    struct pollfd wait = {fake->listen_fd, POLLIN, 0};
    return fake->count == 1 && fake->bytes[0] == TD_WIRE_STATUS_MISMATCH && poll(&wait, 1, KEEP_MS) > 0;
}

/* Serves one connection. Returns 0 if no other one will come. */
static int serve(struct fake *fake)
{
    int fd = accept(fake->listen_fd, NULL, NULL);
    if (fd < 0)
        return 0;
    if (fake->count && send(fd, fake->bytes, fake->count, MSG_NOSIGNAL) < 0)
        fake->count = 0;
    uint8_t rest[4096];
    for (int64_t until = td_mono_ms() + fake->keep_ms; td_mono_ms() < until;) {
        struct pollfd wait = {fd, POLLIN, 0};
        if (poll(&wait, 1, 20) > 0 && recv(fd, rest, sizeof rest, 0) <= 0)
            break;
    }
    shutdown(fd, SHUT_WR); /* not a reset: what was sent must arrive */
    while (recv(fd, rest, sizeof rest, 0) > 0)
        ;
    close(fd);
    return serve_again(fake);
}

static void *fake_main(void *self)
{
    while (serve(self))
        ;
    return NULL;
}

static void begin_fake(struct fake *fake)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    fake->listen_fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fake->listen_fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(fake->listen_fd, 1), 0);
    getsockname(fake->listen_fd, (struct sockaddr *)&at, &bytes);
    fake->port = ntohs(at.sin_port);
    pthread_create(&fake->thread, NULL, fake_main, fake);
}

static void end_fake(const struct fake *fake)
{
    shutdown(fake->listen_fd, SHUT_RDWR);
    pthread_join(fake->thread, NULL);
    close(fake->listen_fd);
}

/* Collects from a client that sends these bytes; returns the result. */
static int collect_fake(const void *bytes, size_t count, int keep_ms, struct event_log *log,
                        struct td_client_counts *counts, struct td_err *err)
{
    struct fake fake = {.bytes = bytes, .count = count, .keep_ms = keep_ms};
    begin_fake(&fake);
    event_log_init(log);
    *err = (struct td_err){0};
    int64_t began = td_mono_ms();
    int going = collect(log->hub, fake.port, counts, err);
    assert_true(td_mono_ms() - began < SOON_MS);
    end_fake(&fake);
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
    gives("\2", 1, 100, TD_E_VERSION,
          "none of the protocols of Tracy " TD_WIRE_OLDEST_TRACY " to " TD_WIRE_NEWEST_TRACY);
    gives("\3", 1, 100, TD_E_GONE, "already given");
    gives("HTTP/1.1 400 Bad Request\r\n\r\n", 28, 100, TD_E_FORMAT, "status 72");
    gives("", 0, KEEP_MS, TD_E_TIMEOUT, "does not answer");
    gives("\1half a welcome", 15, KEEP_MS, TD_E_TIMEOUT, "does not answer");
    struct event_log log;
    struct td_client_counts counts;
    struct td_err err = {0};
    event_log_init(&log);
    struct td_client_source_config config = {
        .port = free_port(), .connect_ms = 200, .hub = log.hub, .ns_per_tick = 1};
    struct td_client_source *source = td_client_source_create(&config, &err);
    int64_t began = td_mono_ms();
    int going;
    while ((going = td_client_source_pump(source, &err)) == 1)
        poll(NULL, 0, td_client_source_wait_ms(source));
    assert_int_equal(going, TD_E_TIMEOUT);
    assert_true(td_mono_ms() - began < SOON_MS);
    counts = td_client_source_counts(source);
    assert_int_equal(counts.items, 0);
    td_client_source_destroy(source);
    event_log_finish(&log);
}

/* Writes a status, a welcome message, then `tail`. */
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
    assert_int_equal(collect_fake(bytes, n, KEEP_MS, &log, &counts, &err), TD_E_GONE);
    assert_non_null(
        strstr(err.text, "left 2 questions about names and code unanswered: 1 events have no name"));
    assert_int_equal(counts.zones, 1);
    assert_int_equal(counts.unnamed, 1);
    event_log_finish(&log);
    /* The client closes right after its end: only names are missing. */
    assert_int_equal(collect_fake(bytes, n, 0, &log, &counts, &err), TD_E_GONE);
    assert_non_null(strstr(err.text, "left 2 questions"));
    assert_int_equal(event_log_zones(&log, TD_CLIENT_UNKNOWN), 1);
    event_log_finish(&log);
    td_packer_destroy(packer);
}

/* The user stops at once: items that wait for their names are kept. */
static void a_session_that_is_ended_at_once_keeps_what_waits(void **state)
{
    struct td_packer *packer = td_packer_create();
    uint8_t *p = td_packer_at(packer), bytes[4096];
    p = td_wire_put_ThreadContext(p, &td_wire_69, &(struct td_wire_ThreadContext){5});
    p = td_wire_put_ZoneBegin(p, &td_wire_69, &(struct td_wire_ZoneBegin){1500, 0xabc});
    p = td_wire_put_ZoneEnd(p, &td_wire_69, &(struct td_wire_ZoneEnd){10});
    td_packer_add(packer, (size_t)(p - td_packer_at(packer)));
    const uint8_t *packed;
    size_t count = td_packer_pack(packer, &packed), n = greeting(bytes, 1, packed, count);
    struct event_log log;
    struct fake fake = {.bytes = bytes, .count = n, .keep_ms = KEEP_MS};
    struct td_err err = {0};
    event_log_init(&log);
    begin_fake(&fake);
    struct td_client_source_config config = {
        .port = fake.port, .connect_ms = SOON_MS, .protocol = 69, .hub = log.hub, .ns_per_tick = 1};
    struct td_client_source *source = td_client_source_create(&config, &err);
    assert_non_null(source);
    while (!td_client_source_counts(source).zones) {
        assert_int_equal(td_client_source_pump(source, &err), 1);
        poll(NULL, 0, 1);
    }
    assert_int_equal(event_log_zones(&log, NULL), 0);
    assert_int_equal(td_client_source_end_now(source, &err), 0);
    assert_int_equal(event_log_zones(&log, TD_CLIENT_UNKNOWN), 1);
    assert_int_equal(td_client_source_counts(source).unnamed, 1);
    assert_int_equal(td_client_source_pump(source, &err), 0);
    td_client_source_destroy(source);
    end_fake(&fake);
    event_log_finish(&log);
    td_packer_destroy(packer);
}

/* Items that need ever more names, or are invalid; no query is answered. Waiting items are bounded by what
 * was sent, and the session ends. */
static void floods_that_are_never_answered_end_in_time(void **state)
{
    enum { FRAMES = 40 };
    struct td_packer *packer = td_packer_create();
    size_t room = 4 << 20, n = 0;
    uint8_t *bytes = malloc(room);
    assert_true(packer && bytes);
    n = greeting(bytes, 1, "", 0);
    for (uint64_t f = 0; f < FRAMES; f++) {
        uint8_t *p = td_packer_at(packer), *end = p + 200000;
        p = td_wire_put_ThreadContext(p, &td_wire_69, &(struct td_wire_ThreadContext){5});
        for (uint64_t i = f << 32; p < end; i++) {
            p = td_wire_put_ZoneBegin(p, &td_wire_69, &(struct td_wire_ZoneBegin){1, i});
            p = td_wire_put_LockMark(p, &td_wire_69, &(struct td_wire_LockMark){5, (uint32_t)i, i});
            p = td_wire_put_GpuTime(p, &td_wire_69, &(struct td_wire_GpuTime){1, (uint16_t)i, (uint8_t)i});
            p = td_wire_put_MemFree(p, &td_wire_69, &(struct td_wire_MemFree){.ptr = i});
        }
        if (f == FRAMES - 1)
            p = td_wire_put_Terminate(p, &td_wire_69, NULL);
        td_packer_add(packer, (size_t)(p - td_packer_at(packer)));
        const uint8_t *packed;
        size_t count = td_packer_pack(packer, &packed);
        assert_true(n + count <= room);
        memcpy(bytes + n, packed, count);
        n += count;
    }
    struct event_log log;
    struct td_client_counts counts;
    struct td_err err;
    assert_int_equal(collect_fake(bytes, n, KEEP_MS, &log, &counts, &err), TD_E_GONE);
    assert_true(counts.zones > 100000 && counts.unnamed >= counts.zones && counts.ignored > 100000);
    event_log_finish(&log);
    td_packer_destroy(packer);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_is_no_client_is_told_from_one),
        cmocka_unit_test(broken_streams_are_one_error),
        cmocka_unit_test(names_that_are_never_told_do_not_hold_the_end),
        cmocka_unit_test(a_session_that_is_ended_at_once_keeps_what_waits),
        cmocka_unit_test(floods_that_are_never_answered_end_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
