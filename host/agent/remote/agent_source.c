#include "host/agent/remote/agent_source.h"
#include "host/agent/client/client_dial.h"
#include "host/agent/remote/remote_layout.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/device/drain/sync.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_MS  5000
#define SILENCE_MS 30000 /* an agent sends a block at least once a second */
#define PING_MS    20    /* between pings that are not waited for */
#define BURST_MS   1000  /* between bursts of pings that are waited for: their round trips are the shortest */
#define BURST      4     /* pings */
#define FIRST      32    /* of the first burst */
#define BURST_WAIT 3     /* ms for each of their pongs */
#define PONGS      2     /* before the agent begins */
#define PUMP_BYTES (1u << 20)
#define PIECE      (64u << 10)

enum link_state { CONNECTING, ANSWER, CLOCK_CONNECTING, COMPARING, STREAM, OVER };

struct td_agent_source {
    struct td_agent_source_config config;
    enum link_state state;
    struct td_client_dial dial;
    int fd, clock_fd;
    int64_t begin_ms, heard_ms;
    bool end_asked, end_sent;
    bool is_complete; /* the agent has sent all */
    uint32_t program_code;
    struct td_remote_answer answer;
    size_t have; /* bytes of the answer */
    struct td_journal_reader *reader;
    uint8_t *piece;

    /* The agent's clock is related to this machine's as a device's clock is. */
    struct td_sync *sync;
    struct td_remote_pong pong;
    size_t pong_have;
    uint64_t pings, pongs;
    uint64_t pinged_ticks, newest_ticks; /* when the last ping left, here; the last pong's time, there */
    int64_t ping_ms, burst_ms;
    bool is_waiting; /* for the last ping's pong */
    bool is_silent;  /* it was waited for in vain */
};

/* ---- clocks ---- */

static void send_ping(struct td_agent_source *s)
{
    const struct td_remote_ping ping = {++s->pings};
    s->ping_ms = td_mono_ms();
    s->pinged_ticks = td_host_ticks();
    s->is_waiting =
        send(s->clock_fd, &ping, sizeof ping, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof ping;
}

/* What comes later is related by what was compared before; the bound grows with the distance. */
static void end_pings(struct td_agent_source *s)
{
    td_debug(client, "agent %s: its clock does not answer any more", s->dial.where);
    close(s->clock_fd);
    s->clock_fd = -1;
}

/* The pong of an earlier ping is not used: another ping is on its way. */
static void take_pong(struct td_agent_source *s)
{
    s->pong_have = 0;
    if (s->pong.number != s->pings)
        return;
    s->is_waiting = s->is_silent = false;
    const struct td_clock_sample sample = {s->pinged_ticks, td_host_ticks(), s->pong.ticks};
    if (td_sync_add(s->sync, &sample) == 0) {
        s->newest_ticks = s->pong.ticks;
        s->pongs++;
    }
}

static void take_pongs(struct td_agent_source *s)
{
    ssize_t n = 1;
    for (unsigned i = 0; i < FIRST && n > 0; i++) {
        n = recv(s->clock_fd, (uint8_t *)&s->pong + s->pong_have, sizeof s->pong - s->pong_have,
                 MSG_DONTWAIT);
        s->pong_have += n > 0 ? (size_t)n : 0;
        if (s->pong_have == sizeof s->pong)
            take_pong(s);
    }
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        end_pings(s);
}

/* A pong that waits in the socket while this process does other work has a long round trip. */
static void compare_in_burst(struct td_agent_source *s, unsigned pings)
{
    s->burst_ms = td_mono_ms();
    for (unsigned i = 0; i < pings && s->clock_fd >= 0; i++) {
        struct pollfd fd = {s->clock_fd, POLLIN, 0};
        send_ping(s);
        poll(&fd, 1, BURST_WAIT);
        take_pongs(s);
    }
}

static void compare_clocks(struct td_agent_source *s)
{
    if (s->clock_fd >= 0)
        take_pongs(s);
    if (s->clock_fd < 0)
        return;
    if (!s->pings || td_mono_ms() - s->burst_ms >= BURST_MS)
        compare_in_burst(s, s->pings ? BURST : FIRST);
    else if (!s->is_waiting && td_mono_ms() - s->ping_ms >= PING_MS)
        send_ping(s);
}

/* Waits until the clocks were compared at or after the agent's time `ticks`; in vain only once until the next pong. */
static void compare_until(struct td_agent_source *s, uint64_t ticks)
{
    const int64_t until = td_mono_ms() + TD_AGENT_PONG_MS;
    while (s->newest_ticks < ticks && s->clock_fd >= 0 && !s->is_silent) {
        struct pollfd fd = {s->clock_fd, POLLIN, 0};
        if (!s->is_waiting)
            send_ping(s);
        poll(&fd, 1, 10);
        take_pongs(s);
        s->is_silent = s->newest_ticks < ticks && td_mono_ms() >= until;
    }
}

/* ---- records ---- */

/* A sample was taken between two times of the agent's clock. It gets the times here between which it was
 * taken for certain, so that the board's bound has the error between the machines in it. */
static int take_clock(struct td_agent_source *s, uint16_t source, const uint8_t *bytes, size_t count,
                      struct td_err *err)
{
    struct td_journal_clock_sample sample;
    uint8_t copy[td_journal_clock_sample_bytes];
    if (count < sizeof copy)
        return td_fail(err, TD_E_FORMAT, "a clock sample is too short");
    td_journal_get_clock_sample(bytes, &sample);
    compare_until(s, sample.after);
    const double bound =
        fmax(td_sync_bound_at(s->sync, sample.before), td_sync_bound_at(s->sync, sample.after));
    if (!isfinite(bound))
        return 0;
    const uint64_t wide = (uint64_t)bound + 1;
    const int64_t before = td_sync_to_host(s->sync, sample.before),
                  after = td_sync_to_host(s->sync, sample.after);
    sample.before = (uint64_t)(before > 0 ? before : 0);
    sample.before -= sample.before > wide ? wide : sample.before;
    sample.after = (uint64_t)(after > 0 ? after : 0) + wide;
    td_journal_put_clock_sample(copy, &sample);
    return s->config.record(s->config.self, TD_JOURNAL_CLOCK, source, copy, sizeof copy, err);
}

/* Its time becomes one of this machine's clock. In virtual time, of which there is no clock sample, it
 * stays. */
static int take_sample(struct td_agent_source *s, uint16_t source, const uint8_t *bytes, size_t count,
                       struct td_err *err)
{
    struct td_journal_core_sample sample;
    uint8_t copy[td_journal_core_sample_bytes];
    if (count < sizeof copy)
        return td_fail(err, TD_E_FORMAT, "a sample of a core is too short");
    td_journal_get_core_sample(bytes, &sample);
    if (isfinite(td_sync_bound_ns(s->sync, s->config.ns_per_tick)))
        sample.ticks = td_sync_to_host(s->sync, (uint64_t)sample.ticks);
    td_journal_put_core_sample(copy, &sample);
    return s->config.record(s->config.self, TD_JOURNAL_SAMPLE, source, copy, sizeof copy, err);
}

static int take_record(void *self, enum td_journal_kind kind, uint16_t source, const uint8_t *bytes,
                       size_t count, struct td_err *err)
{
    struct td_agent_source *s = self;
    if (kind == TD_JOURNAL_COLLECTED) {
        s->is_complete = true;
        if (count >= sizeof s->program_code)
            memcpy(&s->program_code, bytes, sizeof s->program_code);
    }
    if (kind == TD_JOURNAL_CLOCK)
        return take_clock(s, source, bytes, count, err);
    if (kind == TD_JOURNAL_SAMPLE)
        return take_sample(s, source, bytes, count, err);
    return s->config.record(s->config.self, kind, source, bytes, count, err);
}

/* ---- the connections ---- */

static int end_source(struct td_agent_source *s, int code)
{
    if (s->fd >= 0)
        close(s->fd);
    if (s->clock_fd >= 0)
        close(s->clock_fd);
    s->fd = s->clock_fd = -1;
    s->state = OVER;
    return code;
}

static int fail_gone(struct td_agent_source *s, struct td_err *err)
{
    return end_source(s,
                      td_fail(err, TD_E_GONE, "the agent at %s is gone; the trace holds what it sent before",
                              s->dial.where));
}

static bool say_hello(int fd, enum td_remote_role role, uint64_t token)
{
    struct td_remote_opening hello = {.version = TD_REMOTE_VERSION, .role = role, .token = token};
    memcpy(hello.magic, TD_REMOTE_MAGIC, sizeof hello.magic);
    return send(fd, &hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello;
}

/* 1: connected; 0: not yet; or the source is over. */
static int connect_next(struct td_agent_source *s, int *fd, struct td_err *err)
{
    const int64_t now = td_mono_ms();
    const int rc = td_client_dial_try(&s->dial, fd, now, err);
    if (rc < 0)
        return end_source(s, rc);
    if (rc == 0 && now - s->begin_ms > s->config.connect_ms)
        return end_source(s, td_fail(err, TD_E_TIMEOUT,
                                     "no agent listens at %s; start one there with "
                                     "'tendril agent'",
                                     s->dial.where));
    return rc;
}

static int pump_connecting(struct td_agent_source *s, struct td_err *err)
{
    int rc = connect_next(s, &s->fd, err);
    if (rc != 1)
        return rc < 0 ? rc : 1;
    if (!say_hello(s->fd, TD_REMOTE_STREAM, 0))
        return fail_gone(s, err);
    s->begin_ms = td_mono_ms();
    s->state = ANSWER;
    return 1;
}

static int take_answer(struct td_agent_source *s, struct td_err *err)
{
    const struct td_remote_answer *a = &s->answer;
    if (memcmp(a->magic, TD_REMOTE_MAGIC, sizeof a->magic) != 0)
        return end_source(s, td_fail(err, TD_E_FORMAT, "%s is not an agent", s->dial.where));
    if (a->version != TD_REMOTE_VERSION)
        return end_source(
            s, td_fail(err, TD_E_VERSION, "the agent at %s is of another release of Tendril", s->dial.where));
    if (a->status)
        return end_source(s,
                          td_fail(err, TD_E_GONE, "the agent at %s refuses: %.90s", s->dial.where, a->text));
    if (!(a->ns_per_tick > 1e-3 && a->ns_per_tick < 1e6))
        return end_source(s, td_fail(err, TD_E_FORMAT,
                                     "the agent at %s reports that its clock ticks every %g ns",
                                     s->dial.where, a->ns_per_tick));
    s->sync = td_sync_create(1e9 / a->ns_per_tick);
    if (!s->sync)
        return end_source(s, td_fail_no_memory(err, NULL));
    s->begin_ms = td_mono_ms();
    s->state = CLOCK_CONNECTING;
    return 1;
}

static int pump_answer(struct td_agent_source *s, struct td_err *err)
{
    const ssize_t n = recv(s->fd, (uint8_t *)&s->answer + s->have, sizeof s->answer - s->have, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        return fail_gone(s, err);
    s->have += n > 0 ? (size_t)n : 0;
    s->answer.text[sizeof s->answer.text - 1] = 0;
    if (s->have == sizeof s->answer)
        return take_answer(s, err);
    if (td_mono_ms() - s->begin_ms > ANSWER_MS)
        return end_source(s, td_fail(err, TD_E_FORMAT, "%s does not answer as an agent does", s->dial.where));
    return 1;
}

static int pump_clock_connecting(struct td_agent_source *s, struct td_err *err)
{
    const int rc = connect_next(s, &s->clock_fd, err);
    if (rc != 1)
        return rc < 0 ? rc : 1;
    if (!say_hello(s->clock_fd, TD_REMOTE_CLOCK, s->answer.token))
        return fail_gone(s, err);
    s->begin_ms = td_mono_ms();
    s->state = COMPARING;
    return 1;
}

static bool send_request(const struct td_agent_source *s, char request)
{
    return send(s->fd, &request, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

/* The agent begins when the clocks were compared. */
static int pump_comparing(struct td_agent_source *s, struct td_err *err)
{
    char next;
    compare_clocks(s);
    if (s->pongs >= PONGS && send_request(s, TD_REMOTE_BEGIN)) {
        s->heard_ms = td_mono_ms();
        s->state = STREAM;
        td_debug(client, "agent %s: connected", s->dial.where);
        return 1;
    }
    if (recv(s->fd, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
        return fail_gone(s, err);
    if (s->clock_fd < 0 || td_mono_ms() - s->begin_ms > ANSWER_MS)
        return end_source(
            s, td_fail(err, TD_E_TIMEOUT, "the clock of the agent at %s does not answer", s->dial.where));
    return 1;
}

/* The stream has ended: properly if the journal says so. */
static int end_stream(struct td_agent_source *s, struct td_err *err)
{
    const int rc = td_journal_reader_close(s->reader, err);
    const struct td_journal_state *state = td_journal_reader_state(s->reader);
    if (rc < 0 || state->torn_bytes || !s->is_complete)
        return fail_gone(s, err);
    return end_source(s, 0);
}

static int pump_stream(struct td_agent_source *s, struct td_err *err)
{
    compare_clocks(s);
    if (s->end_asked && !s->end_sent)
        s->end_sent = send_request(s, TD_REMOTE_END);
    for (size_t done = 0; done < PUMP_BYTES;) {
        const ssize_t n = recv(s->fd, s->piece, PIECE, MSG_DONTWAIT);
        if (n == 0)
            return end_stream(s, err);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return fail_gone(s, err);
        if (n < 0)
            break;
        s->heard_ms = td_mono_ms();
        done += (size_t)n;
        struct td_err why = {0};
        const int rc = td_journal_reader_feed(s->reader, s->piece, (size_t)n, &why);
        if (rc == TD_E_FORMAT)
            return end_source(s, td_fail(err, rc, "the agent at %s sends bytes that make no sense (%s)",
                                         s->dial.where, why.text));
        if (rc < 0)
            return end_source(s, td_fail(err, rc, "%s", why.text));
    }
    return td_mono_ms() - s->heard_ms > SILENCE_MS ? fail_gone(s, err) : 1;
}

int td_agent_source_pump(struct td_agent_source *source, struct td_err *err)
{
    switch (source->state) {
    case CONNECTING:
        return source->end_asked ? end_source(source, 0) : pump_connecting(source, err);
    case ANSWER:
        return pump_answer(source, err);
    case CLOCK_CONNECTING:
        return pump_clock_connecting(source, err);
    case COMPARING:
        return pump_comparing(source, err);
    case STREAM:
        return pump_stream(source, err);
    case OVER:
        break;
    }
    return 0;
}

struct td_agent_source *td_agent_source_create(const struct td_agent_source_config *config,
                                               struct td_err *err)
{
    struct td_agent_source *s = calloc(1, sizeof *s);
    if (s) {
        s->fd = s->clock_fd = -1;
        s->config = *config;
        s->begin_ms = td_mono_ms();
        s->piece = malloc(PIECE);
        s->reader = td_journal_reader_create(take_record, s);
    }
    if (!s || !s->piece || !s->reader)
        td_fail_no_memory(err, "for an agent's events");
    else if (td_client_dial_look_up(&s->dial, config->host, config->port ? config->port : TD_REMOTE_PORT,
                                    err) == 0)
        return s;
    td_agent_source_destroy(s);
    return NULL;
}

void td_agent_source_destroy(struct td_agent_source *source)
{
    if (!source)
        return;
    end_source(source, 0);
    td_journal_reader_destroy(source->reader);
    td_sync_destroy(source->sync);
    free(source->piece);
    free(source);
}

int td_agent_source_fd(const struct td_agent_source *source)
{
    return source->fd;
}

short td_agent_source_events(const struct td_agent_source *source)
{
    return source->state == CONNECTING ? POLLOUT : POLLIN;
}

void td_agent_source_ask_end(struct td_agent_source *source)
{
    source->end_asked = true;
}

bool td_agent_source_is_connected(const struct td_agent_source *source)
{
    return source->state == STREAM;
}

double td_agent_source_bound_ns(const struct td_agent_source *source)
{
    return source->sync ? td_sync_bound_ns(source->sync, source->config.ns_per_tick) : INFINITY;
}

int64_t td_agent_source_heard_ms(const struct td_agent_source *source)
{
    return source->heard_ms;
}

uint32_t td_agent_source_program_code(const struct td_agent_source *source)
{
    return source->program_code;
}

const char *td_agent_source_where(const struct td_agent_source *source)
{
    return source->dial.where;
}
