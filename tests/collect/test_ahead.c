/* A program sends faster than its events are decoded: what has arrived is passed to the tap, from which the journal
 * is made, before it is decoded, and is decoded before the session ends. */
#include "host/agent/client/client_source.h"
#include "host/agent/client/client_tap.h"
#include "host/wire/items.h"
#include "host/wire/pack.h"
#include "tests/wire/event_log.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#define ZONES 600000u

struct program {
    const struct td_wire_release *release;
    int listen_fd, fd;
    atomic_size_t sent; /* bytes of frames, when all are sent */
};

static size_t flush(struct program *p, struct td_packer *packer)
{
    const uint8_t *packed;
    const size_t count = td_packer_pack(packer, &packed);
    return send(p->fd, packed, count, MSG_NOSIGNAL) == (ssize_t)count ? count : 0;
}

/* Times that do not repeat, so that the frames cannot be packed well. */
static void put_zone(const struct program *p, struct td_packer *packer, uint64_t *random)
{
    uint8_t *at = td_packer_at(packer);
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const struct td_wire_ZoneBegin begin = {(int64_t)(*random >> 52) + 1, 0x1000};
    const struct td_wire_ZoneEnd end = {(int64_t)(*random >> 40 & 0xfff) + 1};
    uint8_t *next = td_wire_put_ZoneEnd(td_wire_put_ZoneBegin(at, p->release, &begin), p->release, &end);
    td_packer_add(packer, (size_t)(next - at));
}

static void *program_main(void *self)
{
    struct program *p = self;
    struct td_packer *packer = td_packer_create();
    uint8_t bytes[2048] = {TD_WIRE_STATUS_WELCOME};
    uint64_t random = 1;
    size_t sent = 0;
    p->fd = accept(p->listen_fd, NULL, NULL);
    if (recv(p->fd, bytes, TD_WIRE_HELLO_BYTES, MSG_WAITALL) != TD_WIRE_HELLO_BYTES)
        return NULL;
    struct td_wire_welcome welcome = {.timerMul = 1, .initBegin = 1000, .initEnd = 2000};
    bytes[0] = TD_WIRE_STATUS_WELCOME;
    td_wire_put_welcome(bytes + 1, p->release, &welcome);
    send(p->fd, bytes, 1 + p->release->welcome_bytes, MSG_NOSIGNAL);
    uint8_t *at = td_packer_at(packer);
    td_packer_add(
        packer, (size_t)(td_wire_put_ThreadContext(at, p->release, &(struct td_wire_ThreadContext){1}) - at));
    for (unsigned i = 0; i < ZONES; i++) {
        put_zone(p, packer, &random);
        if (i % 1024 == 1023 || i + 1 == ZONES)
            sent += flush(p, packer);
    }
    atomic_store(&p->sent, sent);
    while (recv(p->fd, bytes, sizeof bytes, 0) > 0) /* names are not answered */
        ;
    close(p->fd);
    td_packer_destroy(packer);
    return NULL;
}

static void on_received(void *self, const uint8_t *bytes, size_t count)
{
    *(size_t *)self += count;
}

static void on_began(void *self, const struct td_client_began *began)
{
}

static void on_sent(void *self, const uint8_t *bytes, size_t count)
{
}

static void on_event(void *self)
{
}

static void what_has_arrived_is_in_the_journal_before_it_is_decoded(void **state)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    size_t received = 0;
    const struct td_client_tap tap = {.self = &received,
                                      .began = on_began,
                                      .received = on_received,
                                      .sent = on_sent,
                                      .left = on_event,
                                      .ended = on_event};
    struct program program = {.release = td_wire_release_at(0)};
    struct td_err err = {0};
    struct event_log log;
    pthread_t thread;
    event_log_init(&log);
    program.listen_fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(program.listen_fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(program.listen_fd, 1), 0);
    getsockname(program.listen_fd, (struct sockaddr *)&at, &bytes);
    pthread_create(&thread, NULL, program_main, &program);
    struct td_client_source_config config = {.port = ntohs(at.sin_port),
                                             .connect_ms = 60000,
                                             .hub = log.hub,
                                             .ns_per_tick = 1,
                                             .own_clock = 1,
                                             .tap = &tap};
    config.protocol = program.release->protocol;
    struct td_client_source *source = td_client_source_create(&config, &err);
    assert_non_null(source);
    while (!atomic_load(&program.sent)) {
        assert_int_equal(td_client_source_pump(source, &err), 1);
        struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
        poll(&fd, 1, td_client_source_wait_ms(source) ? 10 : 0);
    }
    assert_int_equal(td_client_source_pump(source, &err), 1);
    assert_int_equal(received, atomic_load(&program.sent));
    assert_true(td_client_source_counts(source).zones < ZONES);
    assert_int_equal(td_client_source_end_now(source, &err), 0);
    assert_int_equal(td_client_source_counts(source).zones, ZONES);
    td_client_source_destroy(source);
    pthread_join(thread, NULL);
    close(program.listen_fd);
    event_log_finish(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_arrived_is_in_the_journal_before_it_is_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
