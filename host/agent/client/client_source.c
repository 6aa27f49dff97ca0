#include "host/agent/client/client_busy.h"
#include "host/agent/client/client_losses.h"
#include "host/agent/client/client_source_internal.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/trace/origin.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define GREETING_MS 10000
#define NAMES_MS    10000 /* without an answer after the client's end: it may be reading debug information */
#define STOP_MS     10000 /* without a byte, after asking for the end */
#define STOP_MAX_MS 60000 /* from asking for the end to the end */
#define PUMP_BYTES  (1u << 20) /* of items, in one call */
#define SPACE_MAX   8192
#define SPACE_SPARE 4

/* The protocol to try next: the wanted one, then from the newest to the oldest. NULL: all were tried. */
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
        /* Each number once: the fork has the same as a release of Tracy. */
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
        td_fail_no_memory(err, "for collecting a program's events");
        return NULL;
    }
    source->config = *config;
    td_parameter_queue_init(&source->parameters);
    source->config.connect_ms = config->connect_ms ? config->connect_ms : 5000;
    source->release = next_release(source);
    source->fd = -1;
    source->begin_ms = source->heard_ms = td_mono_ms();
    source->unpacker = td_unpacker_create();
    if (!source->unpacker)
        td_fail_no_memory(err, "for collecting a program's events");
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
    td_client_ahead_free(&source->ahead);
    td_parameter_queue_free(&source->parameters);
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

/* Sends the bytes in `out` as far as the socket takes them. False: the peer is gone. */
static bool send_out(struct td_client_source *source)
{
    while (source->out_begin < source->out_end) {
        ssize_t n = send(source->fd, source->out + source->out_begin, source->out_end - source->out_begin,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        if (source->config.tap && source->stream)
            source->config.tap->sent(source->config.tap->self, source->out + source->out_begin, (size_t)n);
        source->out_begin += (size_t)n;
    }
    source->out_begin = source->out_end = 0;
    return true;
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

/* Receives at most `room` bytes. 0: there are none now, or the peer has closed (source->closed). */
static size_t receive(struct td_client_source *source, uint8_t *at, size_t room)
{
    const ssize_t n = source->closed ? 0 : recv(source->fd, at, room, MSG_DONTWAIT);
    if (n <= 0) {
        source->closed |= n == 0 || (errno != EAGAIN && errno != EINTR);
        return 0;
    }
    source->heard_ms = td_mono_ms();
    source->packed += (uint64_t)n;
    if (source->config.tap)
        source->config.tap->received(source->config.tap->self, at, (size_t)n);
    return (size_t)n;
}

/* Takes what has arrived, which is decoded later: the journal has it then. In the journal, a correction of the
 * clock must come before the bytes that it is for. */
static void receive_ahead(struct td_client_source *source)
{
    uint8_t *at;
    size_t room, n = source->clock.is_same;
    while (n && (at = td_client_ahead_room(&source->ahead, &room))) {
        n = receive(source, at, room);
        td_client_ahead_fed(&source->ahead, n);
    }
}

/* Decodes until there are no more bytes, or PUMP_BYTES are done. 1: the peer has closed. */
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
            receive_ahead(source);
            return 0;
        }
        uint8_t *at;
        const size_t room = td_unpacker_room(source->unpacker, &at);
        const bool is_here = source->ahead.bytes;
        const size_t n = is_here ? td_client_ahead_take(&source->ahead, at, room) : receive(source, at, room);
        if (!n)
            return source->closed;
        if (is_here)
            source->heard_ms = td_mono_ms();
        td_unpacker_fed(source->unpacker, n);
    }
}

/* Decodes what has arrived, before the session ends. */
static int take_rest(struct td_client_source *source, struct td_err *err)
{
    int bad = 0;
    while (!bad && source->more) {
        source->closed = 1;
        bad = read_stream(source, err);
    }
    return bad < 0 ? bad : 0;
}

/* Ends the session: events that wait for names go to the hub without. Returns `code`, or an error of the
 * sinks. */
static int end_session(struct td_client_source *source, int code, struct td_err *err)
{
    int bad = code || !source->stream ? 0 : take_rest(source, err);
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
    td_debug(client, "%s: the session is over: %llu bytes received, result %d", source->dial.where,
             (unsigned long long)source->packed, code);
    source->state = TD_SOURCE_OVER;
    if (source->config.tap && source->stream)
        source->config.tap->ended(source->config.tap->self);
    if (!bad && source->stream)
        bad = td_client_stream_close(source->stream, err);
    td_client_space_leave(source->space);
    return code ? code : bad;
}

/* Ends the session properly. An error reports questions that the client did not answer. */
static int end_properly(struct td_client_source *source, struct td_err *err)
{
    int bad = end_session(source, 0, err);
    return bad ? bad : td_client_left_unanswered(source->dial.where, td_client_source_counts(source), err);
}

/* The peer has closed the connection. */
static int end_gone(struct td_client_source *source, struct td_err *err)
{
    if (source->state == TD_SOURCE_ENDING || source->stop_ms)
        return end_properly(source, err);
    int greeted = source->stream != NULL, bad = end_session(source, 0, err);
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
        return end_session(source, done, err);
    if (done == 1 || td_mono_ms() - source->begin_ms <= source->config.connect_ms)
        return done;
    int code =
        td_fail(err, TD_E_TIMEOUT,
                "no program with markers listens at %s (tried for %d ms); was it built with TRACY_ENABLE and "
                "linked to the client library?",
                source->dial.where, source->config.connect_ms);
    return end_session(source, code, err);
}

/* 1: connected; 0: not yet; or a negative enum td_e. */
static int pump_connecting(struct td_client_source *source, struct td_err *err)
{
    int done = try_connect(source, err);
    if (done != 1)
        return done;
    if (source->config.is_meant && !source->config.is_meant(source->config.meant_self, source->config.port))
        return end_session(
            source, td_fail(err, TD_E_TIMEOUT, "another program listens at %s now", source->dial.where), err);
    td_debug(client, "%s: connected; trying protocol %u (Tracy %s)", source->dial.where,
             source->release->protocol, source->release->tracy);
    td_wire_put_hello(source->out, source->release->protocol);
    source->hello_ticks = td_host_ticks();
    source->out_end = TD_WIRE_HELLO_BYTES;
    source->state = TD_SOURCE_GREETING;
    source->heard_ms = source->begin_ms = td_mono_ms();
    return 1;
}

/* A program whose clock is ahead of this machine's must not get files that are newer than now. */
static void *read_source(const char *name, size_t name_bytes, size_t *bytes, void *self)
{
    const struct td_client_source *source = self;
    uint64_t now_s = (uint64_t)time(NULL), before_s = source->welcome.exectime;
    void *text = td_source_file_read(&source->config.source_rules, name, name_bytes,
                                     before_s < now_s ? before_s : now_s, bytes);
    if (source->config.tap)
        source->config.tap->source_file(source->config.tap->self, name, name_bytes, text, *bytes);
    return text;
}

/* The client is Tendril's, which can be asked to disconnect; others are left (client_leave.c). */
static bool is_own_client(const struct td_client_source *source)
{
    return td_wire_is_own_client(&source->welcome);
}

/* Relates the clocks by what the greeting has of the client's. */
static void relate_clocks(struct td_client_source *source, struct td_client_stream_config *config)
{
    struct td_client_exchange greeting = {.got = source->welcome_ticks};
    uint64_t ticks = (uint64_t)source->connected_ticks;
    if (td_wire_get_clock(&source->welcome, &ticks) || source->welcome.flags & TD_WIRE_FLAG_ON_DEMAND)
        greeting.sent = source->hello_ticks;
    greeting.ticks = (int64_t)ticks;
    td_client_clock_begin(&source->clock, &source->config, &source->welcome, &greeting);
    source->clock.may_ask = is_own_client(source);
    config->ns_per_tick = source->clock.ns_per_tick;
    config->zero_ticks = source->clock.zero_ticks;
    config->zero_ns = source->clock.zero_ns;
    td_debug(client, "%s: the program's times are right to %.0f ns", source->dial.where,
             source->clock.error_ns);
}

static int begin_stream(struct td_client_source *source, struct td_err *err)
{
    td_wire_get_welcome(source->greeting + 1, source->release, &source->welcome);
    double rate = source->welcome.timerMul;
    td_debug(client, "%s: welcome of '%.60s' on '%.60s', process %llu, %g ns a tick, protocol %u%s",
             source->dial.where, source->welcome.programName, source->welcome.hostInfo,
             (unsigned long long)source->welcome.pid, rate, source->release->protocol,
             source->welcome.flags & TD_WIRE_FLAG_ON_DEMAND ? ", on demand" : "");
    if (!(rate > 1e-6 && rate < 1e9))
        return td_fail(err, TD_E_FORMAT, "the program at %s reports that its clock ticks every %g ns",
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
    config.welcome = &source->welcome;
    config.sources = source->config.sources && source->welcome.exectime &&
                     (!source->release->sources_with_code || config.code_transfer);
    relate_clocks(source, &config);
    config.begin_ticks =
        td_client_stream_begin_ticks(config.welcome, source->config.own_clock, source->connected_ticks);
    config.trace = source->config.trace;
    if (source->config.spaces) {
        source->space = td_client_spaces_add(source->config.spaces, source->welcome.programName,
                                             source->clock.is_same ? "" : source->welcome.hostInfo,
                                             td_wire_is_observer(&source->welcome));
        if (!source->space)
            return td_fail_no_memory(err, "for collecting a program's events");
    }
    config.space = source->space;
    source->stream = td_client_stream_create(&config);
    if (!source->stream || (is_own_client(source) && td_client_stream_ask_ahead(source->stream) < 0))
        return td_fail_no_memory(err, "for collecting a program's events");
    source->state = TD_SOURCE_STREAM;
    if (source->config.trace)
        td_trace_begins(source->config.trace, td_client_stream_begin_ns(source->stream));
    const struct td_client_began began = {.stream = &config,
                                          .greeting = source->greeting,
                                          .greeting_bytes = source->have,
                                          .connected_ticks = source->connected_ticks,
                                          .same_clock = source->clock.is_same,
                                          .in_space = source->space != NULL,
                                          .without_base_frames = source->config.without_base_frames};
    if (source->config.tap)
        source->config.tap->began(source->config.tap->self, &began);
    if (source->config.without_base_frames)
        return 0;
    /* The first base frames begin with the program, or at time 0 of a trace that does not begin with it, and when
     * the program was ready. */
    const int64_t begin = source->config.trace ? source->welcome.initBegin : config.zero_ticks;
    int bad = td_client_stream_base_frame(source->stream, begin, err);
    bad = bad ? bad : td_client_stream_base_frame(source->stream, source->welcome.initEnd, err);
    if (bad || !(source->welcome.flags & TD_WIRE_FLAG_ON_DEMAND))
        return bad;
    return td_client_stream_base_frame(source->stream, source->connected_ticks, err);
}

/* Connects again with another protocol, since the client listens again at once. False: none is left. */
static bool try_next_protocol(struct td_client_source *source)
{
    source->tried++;
    const struct td_wire_release *next = next_release(source);
    td_debug(client, "%s: protocol %u is refused; %s", source->dial.where, source->release->protocol,
             next ? "connecting anew" : "none is left");
    if (!next)
        return false;
    close(source->fd);
    source->fd = -1;
    source->release = next;
    source->have = 0;
    source->out_begin = source->out_end = 0;
    source->begin_ms = td_mono_ms();
    source->state = TD_SOURCE_CONNECTING;
    return true;
}

/* On demand, the welcome is followed by the number of earlier frames and the current time. */
static void take_on_demand(struct td_client_source *source, size_t end)
{
    if (source->greeting[0] != TD_WIRE_STATUS_WELCOME || !(source->welcome.flags & TD_WIRE_FLAG_ON_DEMAND))
        return;
    memcpy(&source->frame_offset, source->greeting + end - TD_WIRE_ONDEMAND_BYTES, 8);
    memcpy(&source->connected_ticks, source->greeting + end - TD_WIRE_ONDEMAND_BYTES + 8, 8);
}

/* Reads status and welcome. 1: the stream begins; 0: not yet, or over; or a negative enum td_e. */
static int pump_greeting(struct td_client_source *source, struct td_err *err)
{
    size_t want = 1;
    if (source->have && source->greeting[0] == TD_WIRE_STATUS_WELCOME) {
        want += source->release->welcome_bytes;
        td_wire_get_welcome(source->greeting + 1, source->release, &source->welcome);
        if (source->have >= want && source->welcome.flags & TD_WIRE_FLAG_ON_DEMAND)
            want += TD_WIRE_ONDEMAND_BYTES;
    }
    if (source->have == want && source->greeting[0] == TD_WIRE_STATUS_MISMATCH && try_next_protocol(source))
        return 0;
    if (source->have == want) {
        source->welcome_ticks = td_host_ticks();
        take_on_demand(source, want);
        return source->greeting[0] == TD_WIRE_STATUS_WELCOME
                   ? 1
                   : end_session(source, td_client_refused(source->dial.where, source->greeting[0], err),
                                 err);
    }
    ssize_t n = recv(source->fd, source->greeting + source->have, want - source->have, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        return end_gone(source, err);
    if (n > 0) {
        source->have += (size_t)n;
        return pump_greeting(source, err);
    }
    if (td_mono_ms() - source->begin_ms > GREETING_MS)
        return end_session(
            source,
            td_client_not_greeted(source->dial.where, td_client_is_busy(source->fd), GREETING_MS, err), err);
    return 0;
}

/* Sends questions as far as the socket takes them. False: the peer is gone. */
static bool send_questions(struct td_client_source *source)
{
    for (;;) {
        if (source->ask_disconnect && source->out_begin == source->out_end) {
            if (is_own_client(source))
                put_query(source, TD_QUERY_Disconnect);
            source->ask_disconnect = 0;
        }
        source->out_end += td_client_stream_queries(source->stream, source->out + source->out_end,
                                                    sizeof source->out - source->out_end);
        if (source->out_begin == source->out_end)
            return true;
        if (!send_out(source))
            return false;
        if (source->out_begin != source->out_end)
            return true;
    }
}

/* There are no more events. If all names have arrived, or none for too long, ends the session. 1: not yet. */
static int try_end(struct td_client_source *source, struct td_err *err)
{
    uint64_t answers = td_client_stream_answers(source->stream);
    if (source->state != TD_SOURCE_ENDING || answers != source->answers) {
        source->answer_ms = td_mono_ms();
        source->answers = answers;
    }
    source->state = TD_SOURCE_ENDING;
    if (!td_client_stream_is_complete(source->stream) && td_mono_ms() - source->answer_ms < NAMES_MS &&
        !(source->stop_ms && td_mono_ms() - source->stop_ms > STOP_MAX_MS))
        return 1;
    put_query(source, TD_QUERY_Terminate);
    send_out(source);
    return end_properly(source, err);
}

/* The client was asked to end, but takes too long; it still sends what it has queued, which may be much. */
static bool is_stuck(const struct td_client_source *source)
{
    int64_t now = td_mono_ms(),
            last = source->heard_ms > source->stop_ms ? source->heard_ms : source->stop_ms;
    return now - last > STOP_MS || now - source->stop_ms > STOP_MAX_MS;
}

static int end_stuck(struct td_client_source *source, struct td_err *err)
{
    int bad = end_session(source, 0, err), waited_s = (int)((td_mono_ms() - source->stop_ms) / 1000);
    return bad ? bad
               : td_client_never_ended(source->dial.where, waited_s, td_client_source_counts(source), err);
}

/* Reports to the tap, once, that only answers are taken. */
static void note_left(struct td_client_source *source, int left)
{
    if (left && !source->left && source->config.tap)
        source->config.tap->left(source->config.tap->self);
    source->left = left;
}

/* Corrects the conversion of the program's times. 0 or TD_E_NOMEM. */
static int follow_clock(struct td_client_source *source)
{
    const struct td_client_clock *clock = &source->clock;
    const struct td_client_tap *tap = source->config.tap;
    const int changed = td_client_clock_follow(&source->clock, &source->config, source->stream);
    if (changed > 0 && tap)
        tap->clock(tap->self, clock->ns_per_tick, clock->zero_ticks, clock->zero_ns);
    return changed < 0 ? changed : 0;
}

static int pump_stream(struct td_client_source *source, struct td_err *err)
{
    struct td_err why = {0};
    int how = read_stream(source, &why);
    if (how < 0)
        return end_session(
            source,
            td_client_not_understood(source->dial.where, how, &why, td_client_source_counts(source), err),
            err);
    int bad = td_parameter_queue_take(&source->parameters, source->stream, err);
    if (!bad && source->state == TD_SOURCE_STREAM && !source->stop_ms)
        bad = follow_clock(source);
    if (bad)
        return end_session(source, bad, err);
    int left = td_client_stream_has_left(source->stream);
    if (!left && source->stop_ms && !is_own_client(source))
        left = td_client_stream_leave(source->stream, td_mono_ms(), err);
    if (left < 0)
        return end_session(source, left, err);
    note_left(source, left);
    const bool lost = !send_questions(source) && !source->more;
    if (left || td_client_stream_is_terminated(source->stream)) {
        int going = try_end(source, err);
        return going == 1 && (how || lost) ? end_properly(source, err) : going;
    }
    if (how || lost)
        return end_gone(source, err);
    return source->stop_ms && is_stuck(source) ? end_stuck(source, err) : 1;
}

int td_client_source_pump(struct td_client_source *source, struct td_err *err)
{
    int done = 1;
    if (source->state == TD_SOURCE_OVER)
        return 0;
    if (source->state == TD_SOURCE_CONNECTING)
        done = source->stop_ms ? end_session(source, 0, err) : pump_connecting(source, err);
    if (done == 1 && source->state == TD_SOURCE_GREETING) {
        done = send_out(source) ? pump_greeting(source, err) : end_gone(source, err);
        if (done == 1) {
            int bad = begin_stream(source, err);
            if (bad)
                return end_session(source, bad, err);
        }
    }
    if (done < 0 || source->state == TD_SOURCE_OVER)
        return done;
    return done == 1 ? pump_stream(source, err) : 1;
}

void td_client_source_ask_end(struct td_client_source *source)
{
    if (source->stop_ms || source->state == TD_SOURCE_OVER)
        return;
    source->stop_ms = td_mono_ms();
    td_debug(client, "%s: asking the program to end the session", source->dial.where);
    source->ask_disconnect = 1;
    td_client_stream_skip_places(source->stream);
}

void td_client_source_take_answers(struct td_client_source *source)
{
    td_client_source_ask_end(source);
    if (source->stream)
        td_client_stream_leave_now(source->stream);
    if (source->stream)
        note_left(source, 1);
}

int td_client_source_end_now(struct td_client_source *source, struct td_err *err)
{
    return source->state == TD_SOURCE_OVER ? 0 : end_session(source, 0, err);
}
