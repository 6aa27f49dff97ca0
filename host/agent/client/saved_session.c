#include "host/agent/client/saved_session.h"
#include "host/wire/pack.h"

#include <stdlib.h>
#include <string.h>

#define HEAD         5
#define GREETING_MAX 2048 /* more than status, welcome and the message on demand */

struct td_saved_session {
    struct td_hub *hub;
    const struct td_wire_release *release;
    struct td_unpacker *unpacker;
    struct td_client_stream *stream; /* NULL: before the end of the greeting */
    struct td_wire_welcome welcome;
    uint64_t frame_offset;
    int64_t connected_ticks;
    uint32_t left; /* bytes of the record still to come */
    int cut;       /* 1: the bytes end within a record */
    size_t head_bytes, hello_bytes, query_bytes, greeting_bytes;
    uint8_t head[HEAD], hello[TD_WIRE_HELLO_BYTES], query[TD_WIRE_QUERY_BYTES], greeting[GREETING_MAX];
};

struct td_saved_session *td_saved_session_create(struct td_hub *hub)
{
    struct td_saved_session *session = calloc(1, sizeof *session);
    if (!session)
        return NULL;
    session->hub = hub;
    session->unpacker = td_unpacker_create();
    if (session->unpacker)
        return session;
    free(session);
    return NULL;
}

void td_saved_session_destroy(struct td_saved_session *session)
{
    if (!session)
        return;
    td_client_stream_destroy(session->stream);
    td_unpacker_destroy(session->unpacker);
    free(session);
}

bool td_saved_session_begins(const uint8_t *bytes, size_t count)
{
    return count >= 1 && bytes[0] <= 1;
}

static int no_session(struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "this is not a recorded session of an instrumented program");
}

/* ---- sent to the client ---- */

/* Returns the bytes taken, or a negative enum td_e. */
static int64_t take_hello(struct td_saved_session *session, const uint8_t *bytes, size_t count,
                          struct td_err *err)
{
    size_t room = TD_WIRE_HELLO_BYTES - session->hello_bytes;
    size_t n = count < room ? count : room;
    uint32_t protocol;
    memcpy(session->hello + session->hello_bytes, bytes, n);
    session->hello_bytes += n;
    if (!n || session->hello_bytes < TD_WIRE_HELLO_BYTES)
        return (int64_t)n;
    if (td_wire_get_hello(session->hello, &protocol) != 0)
        return no_session(err);
    session->release = td_wire_release_for(protocol);
    if (session->release)
        return (int64_t)n;
    return td_fail(err, TD_E_VERSION, "the recorded session speaks protocol %u, which is not known here",
                   protocol);
}

/* The hello, then questions. The session has their answers, some of them before the first event that refers
 * to them. */
static int take_asked(struct td_saved_session *session, const uint8_t *bytes, size_t count,
                      struct td_err *err)
{
    int64_t taken = take_hello(session, bytes, count, err);
    int bad = taken < 0 ? (int)taken : 0;
    for (size_t at = bad ? count : (size_t)taken; !bad && at < count;) {
        size_t room = TD_WIRE_QUERY_BYTES - session->query_bytes;
        size_t n = count - at < room ? count - at : room;
        memcpy(session->query + session->query_bytes, bytes + at, n);
        session->query_bytes += n;
        at += n;
        if (session->query_bytes < TD_WIRE_QUERY_BYTES)
            break;
        session->query_bytes = 0;
        bad = session->stream ? td_client_stream_asked(session->stream, session->query, err) : 0;
    }
    return bad;
}

/* ---- sent by the client ---- */

static int begin_stream(struct td_saved_session *session, struct td_err *err)
{
    const struct td_wire_welcome *welcome = &session->welcome;
    int on_demand = welcome->flags & TD_WIRE_FLAG_ON_DEMAND;
    struct td_client_stream_config config = {
        .release = session->release,
        .hub = session->hub,
        .ns_per_tick = welcome->timerMul,
        .zero_ticks = welcome->initBegin,
        .replayed = 1,
        .query_space = UINT32_MAX, /* questions are not sent: the session has all answers that exist */
        .frame_offset = session->frame_offset,
        .pid = welcome->pid,
        .welcome = welcome,
        .code_transfer = (welcome->flags & TD_WIRE_FLAG_CODE_TRANSFER) != 0,
    };
    config.sources = welcome->exectime && (!session->release->sources_with_code || config.code_transfer);
    if (!(welcome->timerMul > 1e-6 && welcome->timerMul < 1e9))
        return td_fail(err, TD_E_FORMAT, "the recorded program reports that its clock ticks every %g ns",
                       welcome->timerMul);
    session->stream = td_client_stream_create(&config);
    if (!session->stream)
        return td_fail_no_memory(err, "for the recorded events");
    int bad = td_client_stream_base_frame(session->stream, welcome->initBegin, err);
    bad = bad ? bad : td_client_stream_base_frame(session->stream, welcome->initEnd, err);
    if (!bad && on_demand)
        bad = td_client_stream_base_frame(session->stream, session->connected_ticks, err);
    return bad;
}

/* The greeting's length as far as it is known. */
static size_t greeting_wants(struct td_saved_session *session)
{
    size_t want = 1 + session->release->welcome_bytes;
    if (session->greeting_bytes < want)
        return session->greeting_bytes ? want : 1;
    td_wire_get_welcome(session->greeting + 1, session->release, &session->welcome);
    return want + (session->welcome.flags & TD_WIRE_FLAG_ON_DEMAND ? TD_WIRE_ONDEMAND_BYTES : 0);
}

/* Returns the bytes taken, or a negative enum td_e. */
static int64_t take_greeting(struct td_saved_session *session, const uint8_t *bytes, size_t count,
                             struct td_err *err)
{
    size_t taken = 0, want;
    if (!session->release)
        return no_session(err);
    while (session->greeting_bytes < (want = greeting_wants(session))) {
        size_t n = want - session->greeting_bytes;
        n = n < count - taken ? n : count - taken;
        if (!n)
            return (int64_t)taken;
        memcpy(session->greeting + session->greeting_bytes, bytes + taken, n);
        session->greeting_bytes += n;
        taken += n;
        if (session->greeting[0] != TD_WIRE_STATUS_WELCOME)
            return td_fail(err, TD_E_FORMAT, "the recorded program refused the session (status %u)",
                           session->greeting[0]);
    }
    if (session->welcome.flags & TD_WIRE_FLAG_ON_DEMAND) {
        const uint8_t *demand = session->greeting + want - TD_WIRE_ONDEMAND_BYTES;
        memcpy(&session->frame_offset, demand, 8);
        memcpy(&session->connected_ticks, demand + 8, 8);
    }
    int bad = begin_stream(session, err);
    return bad ? bad : (int64_t)taken;
}

static int take_frames(struct td_saved_session *session, struct td_err *err)
{
    uint8_t queries[256 * TD_WIRE_QUERY_BYTES];
    const uint8_t *frame;
    int bytes;
    while ((bytes = td_unpacker_next(session->unpacker, &frame, err)) > 0) {
        int bad = td_client_stream_frame(session->stream, frame, (size_t)bytes, err);
        if (bad)
            return bad;
        while (td_client_stream_queries(session->stream, queries, sizeof queries))
            ;
    }
    return bytes;
}

static int take_said(struct td_saved_session *session, const uint8_t *bytes, size_t count, struct td_err *err)
{
    if (!session->stream) {
        int64_t taken = take_greeting(session, bytes, count, err);
        if (taken < 0)
            return (int)taken;
        bytes += taken;
        count -= (size_t)taken;
    }
    while (count) {
        uint8_t *at;
        size_t n = td_unpacker_room(session->unpacker, &at);
        n = n < count ? n : count;
        memcpy(at, bytes, n);
        td_unpacker_fed(session->unpacker, n);
        bytes += n;
        count -= n;
        int bad = take_frames(session, err);
        if (bad)
            return bad;
    }
    return 0;
}

/* ---- records ---- */

static int take_head(struct td_saved_session *session, struct td_err *err)
{
    memcpy(&session->left, session->head + 1, sizeof session->left);
    if (session->head[0] > 1)
        return session->stream ? td_fail(err, TD_E_FORMAT,
                                         "the recorded session is damaged: a record of "
                                         "neither side")
                               : no_session(err);
    return 0;
}

int td_saved_session_feed(struct td_saved_session *session, const uint8_t *bytes, size_t count,
                          struct td_err *err)
{
    int bad = 0;
    while (count && !bad) {
        if (session->head_bytes < HEAD) {
            session->head[session->head_bytes++] = *bytes++;
            count--;
            if (session->head_bytes == HEAD)
                bad = take_head(session, err);
        }
        if (bad || session->head_bytes < HEAD)
            continue;
        size_t n = session->left < count ? session->left : count;
        if (n)
            bad = (session->head[0] ? take_asked : take_said)(session, bytes, n, err);
        bytes += n;
        count -= n;
        session->left -= (uint32_t)n;
        if (!session->left)
            session->head_bytes = 0;
    }
    return bad;
}

int td_saved_session_close(struct td_saved_session *session, struct td_err *err)
{
    if (!session->stream)
        return no_session(err);
    session->cut = session->head_bytes != 0;
    return td_client_stream_close(session->stream, err);
}

bool td_saved_session_complete(const struct td_saved_session *session)
{
    return session->stream && !session->cut && td_client_stream_is_terminated(session->stream) &&
           !td_client_stream_counts(session->stream)->unnamed;
}

const struct td_wire_welcome *td_saved_session_welcome(const struct td_saved_session *session)
{
    return &session->welcome;
}

const struct td_wire_release *td_saved_session_release(const struct td_saved_session *session)
{
    return td_client_stream_release(session->stream);
}

const struct td_client_counts *td_saved_session_counts(const struct td_saved_session *session)
{
    return td_client_stream_counts(session->stream);
}

uint64_t td_saved_session_frame_offset(const struct td_saved_session *session)
{
    return session->frame_offset;
}
