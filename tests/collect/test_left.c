/* Sessions that the user ends while the program continues. The clients act as Tracy's:
 *
 * - they alternate between sending what threads have queued and answering queries;
 * - they answer queries about code later, through the same queue;
 * - asked to disconnect, they drop what is queued and send no message about the end. */
#include "host/agent/client/client_source.h"
#include "host/base/clock.h"
#include "host/wire/items.h"
#include "host/wire/pack.h"
#include "tests/wire/event_log.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

enum { THREADS = 4, CODE_MS = 700, BACKLOG = 3, LONG_MS = 120000 };

struct client {
    const struct td_wire_release *release;
    int listen_fd, fd, port;
    pthread_t thread;
    struct td_packer *packer;
    int goes_on;        /* marks until the session is over; otherwise until the user stops */
    atomic_int stopped; /* by the user */
    atomic_long marked; /* zones */
    long queued[THREADS], times[THREADS];
    uint64_t code; /* query about code that is not answered yet */
    int64_t code_ms;
    int disconnected, code_answered, terminated;
};

#define PUT(client, NAME, ...)                                                                               \
    td_packer_add((client)->packer,                                                                          \
                  (size_t)(td_wire_put_##NAME(td_packer_at((client)->packer), (client)->release,             \
                                              &(struct td_wire_##NAME){__VA_ARGS__}) -                       \
                           td_packer_at((client)->packer)))

static void put_bytes(struct client *c, const void *bytes, uint16_t count)
{
    uint8_t *at = td_packer_at(c->packer);
    memcpy(at, &count, 2);
    memcpy(at + 2, bytes, count);
    td_packer_add(c->packer, 2u + count);
}

static void put_text(struct client *c, const char *text)
{
    put_bytes(c, text, (uint16_t)strlen(text));
}

static int flush(struct client *c)
{
    const uint8_t *packed;
    size_t count = td_packer_used(c->packer) ? td_packer_pack(c->packer, &packed) : 0;
    return count && send(c->fd, packed, count, MSG_NOSIGNAL) != (ssize_t)count ? -1 : 0;
}

/* Sends the zones that a thread has queued; some have a name of their own. */
static void take_queue(struct client *c, int thread)
{
    if (!c->queued[thread] || c->disconnected) {
        c->queued[thread] = 0;
        return;
    }
    PUT(c, ThreadContext, (uint32_t)thread + 1);
    int64_t from = 2000 + 10 * c->times[thread];
    for (long i = 0; i < c->queued[thread]; i++) {
        PUT(c, ZoneBegin, i ? 5 : from, 0x1000 + (uint64_t)(c->times[thread] / 16 % 64) * 0x10);
        PUT(c, ZoneEnd, 5);
        c->times[thread]++;
    }
    c->queued[thread] = 0;
}

static void mark(struct client *c)
{
    if (atomic_load(&c->stopped) && !c->goes_on)
        return;
    for (int t = 0; t < THREADS; t++)
        c->queued[t] += BACKLOG;
    atomic_fetch_add(&c->marked, THREADS * BACKLOG);
}

/* Sends the answer about code, which another thread of the client has queued. */
static void answer_code(struct client *c)
{
    if (!c->code || td_mono_ms() < c->code_ms)
        return;
    if (!c->disconnected) {
        PUT(c, CallstackFrameSize, c->code, 1);
        PUT(c, CallstackFrame, 7, 0, 0);
        c->code_answered = 1;
    }
    c->code = 0;
}

static void answer(struct client *c, const struct td_wire_query *query)
{
    char text[32];
    snprintf(text, sizeof text, "name %llx", (unsigned long long)query->ptr);
    switch (query->query) {
    case TD_QUERY_Terminate:
        c->terminated = 1;
        break;
    case TD_QUERY_Disconnect:
        c->disconnected = 1;
        break;
    case TD_QUERY_String:
        PUT(c, StringData, query->ptr);
        put_text(c, text);
        break;
    case TD_QUERY_ThreadString:
        PUT(c, ThreadName, query->ptr);
        put_text(c, text);
        break;
    case TD_QUERY_SourceLocation:
        PUT(c, SourceLocation, query->ptr + 1, query->ptr + 2, 0xf0, 12, 0, 0, 0);
        break;
    case TD_QUERY_CallstackFrame:
        c->code = query->ptr;
        c->code_ms = td_mono_ms() + CODE_MS;
        break;
    default: /* answered by none of them */
        break;
    }
}

static int answer_all(struct client *c)
{
    uint8_t bytes[TD_WIRE_QUERY_BYTES];
    struct td_wire_query query;
    struct pollfd wait = {c->fd, POLLIN, 0};
    while (!c->terminated && poll(&wait, 1, 0) > 0) {
        if (recv(c->fd, bytes, sizeof bytes, MSG_WAITALL) != sizeof bytes)
            return -1;
        td_wire_get_query(bytes, c->release, &query);
        answer(c, &query);
    }
    return 0;
}

static void run(struct client *c)
{
    const uint64_t code[] = {0x4000};
    PUT(c, ThreadContext, 1);
    PUT(c, CallstackPayload, 1);
    put_bytes(c, code, sizeof code);
    for (unsigned turn = 0; !c->terminated; turn++) {
        take_queue(c, (int)(turn % THREADS));
        mark(c);
        answer_code(c);
        if (flush(c) != 0)
            return;
        poll(NULL, 0, 2);
        if (answer_all(c) != 0)
            return;
    }
}

/* Accepts one protocol and refuses others. */
static void *client_main(void *self)
{
    struct client *c = self;
    uint8_t bytes[2048];
    uint32_t protocol = 0;
    while (protocol != c->release->protocol) {
        c->fd = accept(c->listen_fd, NULL, NULL);
        if (c->fd < 0)
            return NULL;
        if (recv(c->fd, bytes, TD_WIRE_HELLO_BYTES, MSG_WAITALL) != TD_WIRE_HELLO_BYTES)
            protocol = 0;
        else
            td_wire_get_hello(bytes, &protocol);
        if (protocol == c->release->protocol)
            break;
        bytes[0] = TD_WIRE_STATUS_MISMATCH;
        send(c->fd, bytes, 1, MSG_NOSIGNAL);
        close(c->fd);
    }
    struct td_wire_welcome welcome = {.timerMul = 1, .initBegin = 1000, .initEnd = 2000};
    strcpy(welcome.hostInfo, "OS: some\n");
    bytes[0] = TD_WIRE_STATUS_WELCOME;
    td_wire_put_welcome(bytes + 1, c->release, &welcome);
    send(c->fd, bytes, 1 + c->release->welcome_bytes, MSG_NOSIGNAL);
    run(c);
    close(c->fd);
    return NULL;
}

static void begin(struct client *c, const struct td_wire_release *release, int goes_on)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    *c = (struct client){.release = release, .goes_on = goes_on, .packer = td_packer_create()};
    c->listen_fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(c->listen_fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(c->listen_fd, 1), 0);
    getsockname(c->listen_fd, (struct sockaddr *)&at, &bytes);
    c->port = ntohs(at.sin_port);
    pthread_create(&c->thread, NULL, client_main, c);
}

static void end(struct client *c)
{
    shutdown(c->listen_fd, SHUT_RDWR);
    pthread_join(c->thread, NULL);
    close(c->listen_fd);
    td_packer_destroy(c->packer);
}

/* Collects, and stops after some zones have arrived. Returns how many were marked by then. */
static long collect_and_stop(struct client *c, struct event_log *log, struct td_client_counts *counts)
{
    struct td_err err = {0};
    struct td_client_source_config config = {
        .port = c->port, .connect_ms = LONG_MS, .hub = log->hub, .ns_per_tick = 1, .own_clock = 1};
    struct td_client_source *source = td_client_source_create(&config, &err);
    assert_non_null(source);
    long marked = 0;
    int going;
    while ((going = td_client_source_pump(source, &err)) == 1) {
        if (!marked && td_client_source_counts(source).zones > 1000) {
            atomic_store(&c->stopped, 1);
            marked = atomic_load(&c->marked);
            td_client_source_ask_end(source);
        }
        struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
        poll(&fd, 1, td_client_source_wait_ms(source));
    }
    if (going != 0)
        fail_msg("Tracy %s: %s", c->release->tracy, err.text);
    *counts = td_client_source_counts(source);
    td_client_source_destroy(source);
    return marked;
}

static void leave(const struct td_wire_release *release, int goes_on)
{
    struct client client;
    struct event_log log;
    struct td_client_counts counts;
    event_log_init(&log);
    begin(&client, release, goes_on);
    long marked = collect_and_stop(&client, &log, &counts);
    end(&client);
    assert_null(event_log_fault(&log));
    assert_int_equal(counts.unnamed, 0);
    assert_int_equal(counts.ignored, 0);
    assert_int_equal(event_log_zones(&log, TD_CLIENT_UNKNOWN), 0);
    assert_true(event_log_zones(&log, "name 1001") > 0);
    assert_true(client.terminated);
    assert_true(client.code_answered);
    /* Zones that the program marks afterwards are not part of this session. */
    if (counts.zones + (goes_on ? THREADS * THREADS * BACKLOG : 0) < (uint64_t)marked)
        fail_msg("Tracy %s: %llu of %ld zones", release->tracy, (unsigned long long)counts.zones, marked);
    event_log_finish(&log);
}

static void each_release(int goes_on)
{
    const struct td_wire_release *release;
    for (size_t i = 0; (release = td_wire_release_at(i)) != NULL; i++)
        if (release ==
            td_wire_release_for(release->protocol)) /* not the fork, which is recognised by its items */
            leave(release, goes_on);
}

static void all_that_was_marked_arrives_with_its_names(void **state)
{
    each_release(0);
}

static void a_program_that_marks_all_the_time_is_left(void **state)
{
    each_release(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_was_marked_arrives_with_its_names),
        cmocka_unit_test(a_program_that_marks_all_the_time_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
