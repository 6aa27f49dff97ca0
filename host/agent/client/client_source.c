#include "host/agent/client/client_source.h"
#include "host/agent/client/client_busy.h"
#include "host/agent/client/client_clock.h"
#include "host/agent/client/client_dial.h"
#include "host/agent/client/client_losses.h"
#include "host/agent/client/client_parameters.h"
#include "host/base/clock.h"
#include "host/wire/pack.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define GREETING_MS 10000
#define NAMES_MS    10000 /* without an answer, after the client's end: it may be reading debug information */
#define STOP_MS     10000 /* without a byte, from asking for the end */
#define STOP_MAX_MS 60000 /* of what the client still has */
#define PUMP_BYTES  (1u << 20) /* of items, in one call */
#define SPACE_MAX   8192
#define SPACE_SPARE 4

struct td_client_source {
    struct td_client_source_config config;
    const struct td_wire_release *release;
    struct td_client_dial dial;
    enum td_client_source_state state;
    int fd, same_clock;
    int more;                                       /* frames wait in memory */
    int ask_disconnect;                             /* the query is still to be sent */
    int64_t begin_ms, heard_ms, answer_ms, stop_ms; /* stop_ms 0: not asked */
    uint64_t answers;
    size_t have;  /* bytes of the greeting */
    size_t tried; /* protocols that the client does not speak */
    uint64_t packed, unpacked, frame_offset;
    int64_t connected_ticks; /* on demand */
    struct td_wire_welcome welcome;
    struct td_unpacker *unpacker;
    struct td_settings settings;
    struct td_client_stream *stream;
    size_t out_begin, out_end;
    uint8_t greeting[2048];
    uint8_t out[256 * TD_WIRE_QUERY_BYTES];
};

/* The protocol to try now: the wanted one, then from the newest to the oldest. NULL: all were tried. */
static const struct td_wire_release *next_release(const struct td_client_source *source)
{
    size_t left = source->tried, count = 0;
    const struct td_wire_release *wanted = td_wire_release_for(source->config.protocol);
    if (wanted && !left--)
        return wanted;
    while (td_wire_release_at(count))
        count++;
    while (count--) {
        const struct td_wire_release *release = td_wire_release_at(count);
        /* Numbers, not releases: the fork's number is Tracy's, too. */
        if (release == td_wire_release_for(release->protocol) && release != wanted && !left--)
            return release;
    }
    return NULL;
}

struct td_client_source *td_client_source_create(const struct td_client_source_config *config,
                                                 struct td_err *err)
{
    struct td_client_source *source = calloc(1, sizeof *source);
    if (!source) {
        td_fail(err, TD_E_NOMEM, "no memory to collect a program's events");
        return NULL;
    }
    source->config = *config;
    td_settings_init(&source->settings);
    if (!source->config.connect_ms)
        source->config.connect_ms = 5000;
    source->release = next_release(source);
    source->fd = -1;
    source->begin_ms = source->heard_ms = td_mono_ms();
    source->unpacker = td_unpacker_create();
    if (!source->unpacker)
        td_fail(err, TD_E_NOMEM, "no memory to collect a program's events");
    if (!source->unpacker || td_client_dial_look_up(&source->dial, config->host, config->port, err) != 0) {
        td_client_source_destroy(source);
        return NULL;
    }
    return source;
}

void td_client_source_destroy(struct td_client_source *source)
{
    if (!source)
        return;
    if (source->fd >= 0)
        close(source->fd);
    td_client_stream_destroy(source->stream);
    td_unpacker_destroy(source->unpacker);
    td_settings_finish(&source->settings);
    free(source);
}

static void put_query(struct td_client_source *source, enum td_query query)
{
    struct td_wire_query bytes = {query, 0, 0};
    if (source->out_end + TD_WIRE_QUERY_BYTES > sizeof source->out)
        return;
    td_wire_put_query(source->out + source->out_end, source->release, &bytes);
    source->out_end += TD_WIRE_QUERY_BYTES;
}

/* Sends what stands ready as far as the socket takes it. 0, or not: the peer is gone. */
static int send_out(struct td_client_source *source)
{
    while (source->out_begin < source->out_end) {
        ssize_t n = send(source->fd, source->out + source->out_begin, source->out_end - source->out_begin,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0)
            return errno != EAGAIN && errno != EINTR;
        source->out_begin += (size_t)n;
    }
    source->out_begin = source->out_end = 0;
    return 0;
}

/* The session is over: what waits for names goes out without. Returns `code`, or an error of the sinks. */
static int over(struct td_client_source *source, int code, struct td_err *err)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
    source->state = TD_SOURCE_OVER;
    int bad = source->stream ? td_client_stream_close(source->stream, err) : 0;
    return code ? code : bad;
}

/* The session is over as it should be, but for what the client did not answer. */
static int ended(struct td_client_source *source, struct td_err *err)
{
    int bad = over(source, 0, err);
    return bad ? bad : td_client_left_unanswered(source->dial.where, td_client_source_counts(source), err);
}

static int gone(struct td_client_source *source, struct td_err *err)
{
    if (source->state == TD_SOURCE_ENDING || source->stop_ms)
        return ended(source, err);
    int greeted = source->stream != NULL, bad = over(source, 0, err);
    if (bad)
        return bad;
    return greeted ? td_client_vanished(source->dial.where, td_client_source_counts(source), err)
                   : td_fail(err, TD_E_GONE,
                             "the program at %s closed the connection instead of greeting; is it a Tracy "
                             "client?",
                             source->dial.where);
}

static int try_connect(struct td_client_source *source, struct td_err *err)
{
    int done = td_client_dial_try(&source->dial, &source->fd, td_mono_ms(), err);
    if (done < 0)
        return over(source, done, err);
    if (done == 1 || td_mono_ms() - source->begin_ms <= source->config.connect_ms)
        return done;
    int code =
        td_fail(err, TD_E_TIMEOUT,
                "no program with markers listens at %s (tried for %d ms); was it built with TRACY_ENABLE and "
                "linked to the client library?",
                source->dial.where, source->config.connect_ms);
    return over(source, code, err);
}

/* Connecting. 1: done. */
static int connecting(struct td_client_source *source, struct td_err *err)
{
    int done = try_connect(source, err);
    if (done != 1)
        return done;
    td_wire_put_hello(source->out, source->release->protocol);
    source->out_end = TD_WIRE_HELLO_BYTES;
    source->state = TD_SOURCE_GREETING;
    source->heard_ms = source->begin_ms = td_mono_ms();
    return 1;
}

static int refused(struct td_client_source *source, struct td_err *err)
{
    switch (source->greeting[0]) {
    case TD_WIRE_STATUS_MISMATCH:
        return td_fail(err, TD_E_VERSION,
                       "the program at %s speaks none of the protocols of Tracy " TD_WIRE_OLDEST_TRACY
                       " to " TD_WIRE_NEWEST_TRACY
                       ": build it with Tendril's client library or one of these releases",
                       source->dial.where);
    case TD_WIRE_STATUS_NOT_AVAILABLE:
        return td_fail(
            err, TD_E_GONE,
            "the program at %s has already given its events to another capture or viewer; start it "
            "again",
            source->dial.where);
    default:
        return td_fail(err, TD_E_FORMAT, "the program at %s answers %u where a Tracy client says its status",
                       source->dial.where, source->greeting[0]);
    }
}

/* A program of the future has no sources from there. */
static void *read_source(const char *name, size_t name_bytes, size_t *bytes, void *self)
{
    const struct td_client_source *source = self;
    uint64_t now_s = (uint64_t)time(NULL), before_s = source->welcome.exectime;
    return td_source_file_read(&source->config.source_rules, name, name_bytes,
                               before_s < now_s ? before_s : now_s, bytes);
}

static int begin_stream(struct td_client_source *source, struct td_err *err)
{
    td_wire_get_welcome(source->greeting + 1, source->release, &source->welcome);
    double rate = source->welcome.timerMul;
    if (!(rate > 1e-6 && rate < 1e9))
        return td_fail(err, TD_E_FORMAT, "the program at %s says that its clock ticks every %g ns",
                       source->dial.where, rate);
    int buffer = 0;
    socklen_t bytes = sizeof buffer;
    getsockopt(source->fd, SOL_SOCKET, SO_SNDBUF, &buffer, &bytes);
    uint32_t space = (uint32_t)buffer / TD_WIRE_QUERY_BYTES;
    space = space > SPACE_MAX ? SPACE_MAX : space;
    struct td_client_stream_config config = {.release = source->release,
                                             .hub = source->config.hub,
                                             .query_space = space > SPACE_SPARE ? space - SPACE_SPARE : 1,
                                             .pending_max = source->config.pending_max,
                                             .frame_offset = source->frame_offset,
                                             .pid = source->welcome.pid,
                                             .local_source = read_source,
                                             .self = source};
    config.code_transfer = (source->welcome.flags & TD_WIRE_FLAG_CODE_TRANSFER) != 0;
    config.sources = source->config.sources && source->welcome.exectime &&
                     (!source->release->sources_with_code || config.code_transfer);
    source->same_clock = td_client_relate_clocks(&source->config, &source->welcome, &config);
    source->stream = td_client_stream_create(&config);
    if (!source->stream)
        return td_fail(err, TD_E_NOMEM, "no memory to collect a program's events");
    source->state = TD_SOURCE_STREAM;
    if (source->config.without_base_frames)
        return 0;
    /* Time 0 and the moment when the program was ready: where its base frames begin. */
    int bad = td_client_stream_base_frame(source->stream, config.zero_ticks, err);
    bad = bad ? bad : td_client_stream_base_frame(source->stream, source->welcome.initEnd, err);
    if (bad || !(source->welcome.flags & TD_WIRE_FLAG_ON_DEMAND))
        return bad;
    return td_client_stream_base_frame(source->stream, source->connected_ticks, err);
}

/* The client listens again at once: connect anew with another protocol. 0: there is none left. */
static int try_next(struct td_client_source *source)
{
    source->tried++;
    const struct td_wire_release *next = next_release(source);
    if (!next)
        return 0;
    close(source->fd);
    source->fd = -1;
    source->release = next;
    source->have = 0;
    source->out_begin = source->out_end = 0;
    source->begin_ms = td_mono_ms();
    source->state = TD_SOURCE_CONNECTING;
    return 1;
}

/* Behind the welcome: the frames before, and the time now. */
static void take_on_demand(struct td_client_source *source, size_t end)
{
    if (source->greeting[0] != TD_WIRE_STATUS_WELCOME || !(source->welcome.flags & TD_WIRE_FLAG_ON_DEMAND))
        return;
    memcpy(&source->frame_offset, source->greeting + end - TD_WIRE_ONDEMAND_BYTES, 8);
    memcpy(&source->connected_ticks, source->greeting + end - TD_WIRE_ONDEMAND_BYTES + 8, 8);
}

static int not_greeted(const struct td_client_source *source, struct td_err *err)
{
    if (td_client_is_busy(source->fd))
        return td_fail(err, TD_E_GONE,
                       "the program at %s is busy with another capture or viewer, it serves one at a time",
                       source->dial.where);
    return td_fail(
        err, TD_E_TIMEOUT,
        "the program at %s does not greet within %d ms: it is busy with another capture or viewer, "
        "or it is no Tracy client",
        source->dial.where, GREETING_MS);
}

/* Reads status and welcome. 1: the stream begins. */
static int greeting(struct td_client_source *source, struct td_err *err)
{
    size_t want = 1;
    if (source->have && source->greeting[0] == TD_WIRE_STATUS_WELCOME) {
        want += source->release->welcome_bytes;
        td_wire_get_welcome(source->greeting + 1, source->release, &source->welcome);
        if (source->have >= want && source->welcome.flags & TD_WIRE_FLAG_ON_DEMAND)
            want += TD_WIRE_ONDEMAND_BYTES;
    }
    if (source->have == want && source->greeting[0] == TD_WIRE_STATUS_MISMATCH && try_next(source))
        return 0;
    if (source->have == want) {
        take_on_demand(source, want);
        return source->greeting[0] == TD_WIRE_STATUS_WELCOME ? 1 : over(source, refused(source, err), err);
    }
    ssize_t n = recv(source->fd, source->greeting + source->have, want - source->have, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        return gone(source, err);
    if (n > 0) {
        source->have += (size_t)n;
        return greeting(source, err);
    }
    if (td_mono_ms() - source->begin_ms > GREETING_MS)
        return over(source, not_greeted(source, err), err);
    return 0;
}

/* Decodes whole frames while `*work` bytes may still be done. */
static int take_frames(struct td_client_source *source, size_t *work, struct td_err *err)
{
    const uint8_t *frame;
    int bytes = 0;
    while (*work && (bytes = td_unpacker_next(source->unpacker, &frame, err)) > 0) {
        source->unpacked += (uint64_t)bytes;
        int bad = td_client_stream_frame(source->stream, frame, (size_t)bytes, err);
        if (bad)
            return bad;
        *work -= *work < (size_t)bytes ? *work : (size_t)bytes;
    }
    return bytes < 0 ? bytes : 0;
}

/* Reads and decodes until nothing is there or enough was done. 1: the peer has closed. */
static int read_stream(struct td_client_source *source, struct td_err *err)
{
    size_t work = PUMP_BYTES;
    source->more = 0;
    for (;;) {
        int bad = take_frames(source, &work, err);
        if (bad)
            return bad;
        if (!work) {
            source->more = 1;
            return 0;
        }
        uint8_t *at;
        size_t room = td_unpacker_room(source->unpacker, &at);
        ssize_t n = recv(source->fd, at, room, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return 1;
        if (n < 0)
            return 0;
        source->heard_ms = td_mono_ms();
        source->packed += (uint64_t)n;
        td_unpacker_fed(source->unpacker, (size_t)n);
    }
}

/* Others are left (client_leave.c). */
static int is_own(const struct td_client_source *source)
{
    return strstr(source->welcome.hostInfo, TD_WIRE_OWN_CLIENT) != NULL;
}

/* Sends the questions that are due. 0, or not: the peer is gone. */
static int ask(struct td_client_source *source)
{
    for (;;) {
        if (source->ask_disconnect && source->out_begin == source->out_end) {
            if (is_own(source))
                put_query(source, TD_QUERY_Disconnect);
            source->ask_disconnect = 0;
        }
        source->out_end += td_client_stream_queries(source->stream, source->out + source->out_end,
                                                    sizeof source->out - source->out_end);
        if (source->out_begin == source->out_end)
            return 0;
        if (send_out(source) != 0)
            return 1;
        if (source->out_begin != source->out_end)
            return 0;
    }
}

/* The session has ended and every name is here, or none has come for long: say so and go. */
static int try_finish(struct td_client_source *source, struct td_err *err)
{
    uint64_t answers = td_client_stream_answers(source->stream);
    if (source->state != TD_SOURCE_ENDING || answers != source->answers) {
        source->answer_ms = td_mono_ms();
        source->answers = answers;
    }
    source->state = TD_SOURCE_ENDING;
    if (!td_client_stream_complete(source->stream) && td_mono_ms() - source->answer_ms < NAMES_MS &&
        !(source->stop_ms && td_mono_ms() - source->stop_ms > STOP_MAX_MS))
        return 1;
    put_query(source, TD_QUERY_Terminate);
    send_out(source);
    return ended(source, err);
}

/* Asked to end, the client says what it has and no more, which may be much. */
static int is_stuck(const struct td_client_source *source)
{
    int64_t now = td_mono_ms(),
            last = source->heard_ms > source->stop_ms ? source->heard_ms : source->stop_ms;
    return now - last > STOP_MS || now - source->stop_ms > STOP_MAX_MS;
}

/* What came before bytes that make no sense is kept. */
static int not_understood(struct td_client_source *source, int code, const struct td_err *why,
                          struct td_err *err)
{
    struct td_client_counts counts = td_client_source_counts(source);
    if (code != TD_E_FORMAT)
        return td_fail(err, code, "%s", why->text);
    return td_fail(
        err, code,
        "the program at %s sends what cannot be understood (%s); kept what came before: %llu zones, "
        "%llu messages",
        source->dial.where, why->text, (unsigned long long)counts.zones, (unsigned long long)counts.messages);
}

static int stuck(struct td_client_source *source, struct td_err *err)
{
    int bad = over(source, 0, err), waited_s = (int)((td_mono_ms() - source->stop_ms) / 1000);
    return bad ? bad
               : td_client_never_ended(source->dial.where, waited_s, td_client_source_counts(source), err);
}

static int streaming(struct td_client_source *source, struct td_err *err)
{
    struct td_err why = {0};
    int how = read_stream(source, &why);
    if (how < 0)
        return over(source, not_understood(source, how, &why, err), err);
    int bad = td_settings_take(&source->settings, source->stream, err);
    if (bad)
        return over(source, bad, err);
    int left = td_client_stream_has_left(source->stream);
    if (!left && source->stop_ms && !is_own(source))
        left = td_client_stream_leave(source->stream, td_mono_ms(), err);
    if (left < 0)
        return over(source, left, err);
    int lost = ask(source);
    if (left || td_client_stream_terminated(source->stream)) {
        int going = try_finish(source, err);
        return going == 1 && (how || lost) ? ended(source, err) : going;
    }
    if (how || lost)
        return gone(source, err);
    return source->stop_ms && is_stuck(source) ? stuck(source, err) : 1;
}

int td_client_source_pump(struct td_client_source *source, struct td_err *err)
{
    int done = 1;
    if (source->state == TD_SOURCE_OVER)
        return 0;
    if (source->state == TD_SOURCE_CONNECTING)
        done = source->stop_ms ? over(source, 0, err) : connecting(source, err);
    if (done == 1 && source->state == TD_SOURCE_GREETING) {
        done = send_out(source) ? gone(source, err) : greeting(source, err);
        if (done == 1) {
            int bad = begin_stream(source, err);
            if (bad)
                return over(source, bad, err);
        }
    }
    if (done < 0 || source->state == TD_SOURCE_OVER)
        return done;
    return done == 1 ? streaming(source, err) : 1;
}

void td_client_source_ask_end(struct td_client_source *source)
{
    if (source->stop_ms || source->state == TD_SOURCE_OVER)
        return;
    source->stop_ms = td_mono_ms();
    source->ask_disconnect = 1;
}

void td_client_source_take_answers(struct td_client_source *source)
{
    td_client_source_ask_end(source);
    if (source->stream)
        td_client_stream_leave_now(source->stream);
}

int td_client_source_end_now(struct td_client_source *source, struct td_err *err)
{
    return source->state == TD_SOURCE_OVER ? 0 : over(source, 0, err);
}

uint64_t td_client_source_growth(const struct td_client_source *source)
{
    return source->stream ? td_client_stream_growth(source->stream) : 0;
}

int td_client_source_set_parameter(struct td_client_source *source, uint32_t index, int32_t value,
                                   struct td_err *err)
{
    return td_settings_add(&source->settings, index, value, err);
}

int td_client_source_fd(const struct td_client_source *source)
{
    return source->fd;
}

short td_client_source_events(const struct td_client_source *source)
{
    if (source->state == TD_SOURCE_CONNECTING)
        return POLLOUT;
    return POLLIN | (source->out_begin < source->out_end ? POLLOUT : 0);
}

int td_client_source_wait_ms(const struct td_client_source *source)
{
    switch (source->state) {
    case TD_SOURCE_CONNECTING:
        return TD_CLIENT_DIAL_MS;
    case TD_SOURCE_GREETING:
    case TD_SOURCE_ENDING:
        return source->more ? 0 : 100;
    case TD_SOURCE_STREAM:
        if (source->more || td_settings_wait(&source->settings))
            return 0;
        return source->stop_ms ? 100 : -1;
    default:
        return -1;
    }
}

enum td_client_source_state td_client_source_get_state(const struct td_client_source *source)
{
    return source->state;
}

const struct td_wire_welcome *td_client_source_welcome(const struct td_client_source *source)
{
    return &source->welcome;
}

struct td_client_counts td_client_source_counts(const struct td_client_source *source)
{
    return source->stream ? *td_client_stream_counts(source->stream) : (struct td_client_counts){0};
}

const struct td_wire_release *td_client_source_release(const struct td_client_source *source)
{
    return source->stream ? td_client_stream_release(source->stream) : source->release;
}

uint64_t td_client_source_frame_offset(const struct td_client_source *source)
{
    return source->frame_offset;
}

void td_client_source_bytes(const struct td_client_source *source, uint64_t *packed, uint64_t *unpacked)
{
    *packed = source->packed;
    *unpacked = source->unpacked;
}

int td_client_source_same_clock(const struct td_client_source *source)
{
    return source->same_clock;
}

int td_client_source_silent_ms(const struct td_client_source *source)
{
    return (int)(td_mono_ms() - source->heard_ms);
}
