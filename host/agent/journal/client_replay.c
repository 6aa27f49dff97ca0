#include "host/agent/journal/client_journal.h"
#include "host/agent/journal/journal_files.h"
#include "host/wire/pack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS_MAX 4096 /* bytes of the line about the process */

/* Some kilobytes. */
struct replayed_session {
    const struct td_wire_release *release;
    struct td_wire_welcome welcome;
    struct td_journal_client_begin begin;
    struct td_unpacker *unpacker;
    struct td_client_stream *stream;
    struct td_client_space *space;
    uint64_t received;
    size_t query_bytes;
    uint8_t query[TD_WIRE_QUERY_BYTES];
};

/* Small: a record of a few bytes makes one, and a journal may have records of 65,536 sources. */
struct td_client_replay {
    struct replayed_session *session; /* NULL: it has not begun */
    struct td_client_spaces *spaces;  /* of the trace, or NULL */
    struct td_journal_files files;
    double clock_error_ns;
    char *process; /* the line about the process, from the end of its session on, or NULL */
    int failed;    /* the error at which the stream has stopped */
};

struct td_client_replay *td_client_replay_create(struct td_client_spaces *spaces,
                                                 struct td_journal_room *source_room)
{
    struct td_client_replay *replay = calloc(1, sizeof *replay);
    if (!replay)
        return NULL;
    replay->spaces = spaces;
    replay->files.room = source_room;
    return replay;
}

void td_client_replay_destroy(struct td_client_replay *replay)
{
    if (!replay)
        return;
    if (replay->session) {
        td_client_stream_destroy(replay->session->stream);
        td_unpacker_destroy(replay->session->unpacker);
        free(replay->session);
    }
    td_journal_files_free(&replay->files);
    free(replay->process);
    free(replay);
}

/* ---- files, and the line about the process ---- */

static int take_process(struct td_client_replay *replay, const uint8_t *bytes, size_t count)
{
    double error_ns;
    if (replay->process || count < sizeof error_ns)
        return 0;
    memcpy(&error_ns, bytes, sizeof error_ns);
    replay->clock_error_ns = error_ns;
    const size_t left = count - sizeof error_ns;
    replay->process = strndup((const char *)bytes + sizeof error_ns, left < PROCESS_MAX ? left : PROCESS_MAX);
    return replay->process ? 0 : TD_E_NOMEM;
}

int td_client_replay_prepare(struct td_client_replay *replay, enum td_journal_kind kind, const uint8_t *bytes,
                             size_t count, struct td_err *err)
{
    int bad = 0;
    if (kind == TD_JOURNAL_SOURCE_FILE)
        bad = td_journal_files_add(&replay->files, bytes, count);
    else if (kind == TD_JOURNAL_SOURCE_TEXT)
        bad = td_journal_files_add_text(&replay->files, bytes, count);
    else if (kind == TD_JOURNAL_PROCESS)
        bad = take_process(replay, bytes, count);
    return bad ? td_fail_no_memory(err, "for source files in the journal") : 0;
}

static void *read_source(const char *name, size_t name_bytes, size_t *bytes, void *self)
{
    const struct td_client_replay *replay = self;
    return td_journal_files_read(&replay->files, name, name_bytes, bytes);
}

/* ---- events ---- */

static int check_clock(double ns_per_tick, int64_t zero_ns, struct td_err *err)
{
    if (!(ns_per_tick > 1e-6 && ns_per_tick < 1e9))
        return td_fail(err, TD_E_FORMAT, "the journal's program has a clock that ticks every %g ns",
                       ns_per_tick);
    if ((double)zero_ns <= -TD_STREAM_NS_MOST || (double)zero_ns >= TD_STREAM_NS_MOST)
        return td_fail(err, TD_E_FORMAT, "the journal's program has a clock that is 0 at %" PRId64 " ns",
                       zero_ns);
    return 0;
}

static int begin_stream(struct td_client_replay *replay, struct td_hub *hub, const uint8_t *bytes,
                        size_t count, struct td_err *err)
{
    if (replay->session || count < td_journal_client_begin_bytes)
        return td_fail(err, TD_E_FORMAT, "the journal's begin of a session makes no sense");
    struct replayed_session *session = replay->session = calloc(1, sizeof *session);
    if (!session || !(session->unpacker = td_unpacker_create()))
        return td_fail_no_memory(err, "for the journal's events");
    struct td_journal_client_begin *begin = &session->begin;
    td_journal_get_client_begin(bytes, begin);
    const uint8_t *greeting = bytes + td_journal_client_begin_bytes;
    const size_t left = count - td_journal_client_begin_bytes;
    session->release = td_wire_release_for(begin->protocol);
    if (!session->release)
        return td_fail(err, TD_E_VERSION, "the journal's session speaks protocol %u, which is not known here",
                       begin->protocol);
    if (left < 1 + (size_t)session->release->welcome_bytes || greeting[0] != TD_WIRE_STATUS_WELCOME)
        return td_fail(err, TD_E_FORMAT, "the journal's greeting of a program makes no sense");
    td_wire_get_welcome(greeting + 1, session->release, &session->welcome);
    const struct td_wire_welcome *welcome = &session->welcome;
    int bad = check_clock(begin->ns_per_tick, begin->zero_ns, err);
    if (bad)
        return bad;
    struct td_client_stream_config config = {
        .release = session->release,
        .hub = hub,
        .ns_per_tick = begin->ns_per_tick,
        .zero_ticks = begin->zero_ticks,
        .zero_ns = begin->zero_ns,
        .query_space = UINT32_MAX, /* questions are not sent */
        .pending_max = begin->pending_max <= TD_CLIENT_PENDING_MAX ? begin->pending_max : 0,
        .frame_offset = begin->frame_offset,
        .pid = welcome->pid,
        .welcome = welcome,
        .begin_ticks = td_client_stream_begin_ticks(welcome, !begin->in_space, begin->connected_ticks),
        .code_transfer = (welcome->flags & TD_WIRE_FLAG_CODE_TRANSFER) != 0,
        .sources = begin->sources,
        .local_source = read_source,
        .self = replay,
    };
    if (begin->in_space && replay->spaces)
        config.space = session->space =
            td_client_spaces_add(replay->spaces, welcome->programName,
                                 begin->same_clock ? "" : welcome->hostInfo, td_wire_is_observer(welcome));
    session->stream = td_client_stream_create(&config);
    if (!session->stream)
        return td_fail_no_memory(err, "for the journal's events");
    if (begin->without_base_frames)
        return 0;
    bad = td_client_stream_base_frame(session->stream, welcome->initBegin, err);
    bad = bad ? bad : td_client_stream_base_frame(session->stream, welcome->initEnd, err);
    if (bad || !(welcome->flags & TD_WIRE_FLAG_ON_DEMAND))
        return bad;
    return td_client_stream_base_frame(session->stream, begin->connected_ticks, err);
}

/* The stream's own questions are in its memory; they are not sent. */
static void drop_questions(struct replayed_session *session)
{
    uint8_t queries[256 * TD_WIRE_QUERY_BYTES];
    while (td_client_stream_queries(session->stream, queries, sizeof queries))
        ;
}

static int take_frames(struct replayed_session *session, struct td_err *err)
{
    const uint8_t *frame;
    int bytes;
    while ((bytes = td_unpacker_next(session->unpacker, &frame, err)) > 0) {
        int bad = td_client_stream_frame(session->stream, frame, (size_t)bytes, err);
        if (bad)
            return bad;
        drop_questions(session);
    }
    return bytes;
}

static int take_received(struct replayed_session *session, const uint8_t *bytes, size_t count,
                         struct td_err *err)
{
    int bad = 0;
    session->received += count;
    while (count && !bad) {
        uint8_t *at;
        size_t n = td_unpacker_room(session->unpacker, &at);
        n = n < count ? n : count;
        memcpy(at, bytes, n);
        td_unpacker_fed(session->unpacker, n);
        bytes += n;
        count -= n;
        bad = take_frames(session, err);
    }
    return bad;
}

/* Of what was sent, only new values of parameters change the trace: they are in the query's argument. */
static int take_query(struct replayed_session *session, struct td_err *err)
{
    struct td_wire_query query;
    struct td_err unknown = {0};
    td_wire_get_query(session->query, td_client_stream_release(session->stream), &query);
    if (query.query != TD_QUERY_Parameter)
        return 0;
    int bad = td_client_stream_set_parameter(session->stream, (uint32_t)(query.ptr >> 32),
                                             (int32_t)(uint32_t)query.ptr, &unknown);
    drop_questions(session);
    return bad && bad != TD_E_NOTFOUND ? td_fail(err, bad, "%s", unknown.text) : 0;
}

static int take_sent(struct replayed_session *session, const uint8_t *bytes, size_t count, struct td_err *err)
{
    int bad = 0;
    while (count && !bad) {
        size_t n = TD_WIRE_QUERY_BYTES - session->query_bytes;
        n = n < count ? n : count;
        memcpy(session->query + session->query_bytes, bytes, n);
        session->query_bytes += n;
        bytes += n;
        count -= n;
        if (session->query_bytes < TD_WIRE_QUERY_BYTES)
            break;
        session->query_bytes = 0;
        bad = take_query(session, err);
    }
    return bad;
}

static int take_clock(struct replayed_session *session, const uint8_t *bytes, size_t count,
                      struct td_err *err)
{
    struct td_journal_client_clock clock;
    if (count < td_journal_client_clock_bytes)
        return td_fail(err, TD_E_FORMAT, "the journal has a record that is too short");
    td_journal_get_client_clock(bytes, &clock);
    const int bad = check_clock(clock.ns_per_tick, clock.zero_ns, err);
    if (bad)
        return bad;
    td_client_stream_set_clock(session->stream, clock.ns_per_tick, clock.zero_ticks, clock.zero_ns);
    return 0;
}

int td_client_replay_record(struct td_client_replay *replay, struct td_hub *hub, enum td_journal_kind kind,
                            const uint8_t *bytes, size_t count, struct td_err *err)
{
    int bad = 0;
    struct replayed_session *session = replay->session;
    if (replay->failed || (kind != TD_JOURNAL_CLIENT && !session))
        return 0;
    if (kind == TD_JOURNAL_CLIENT)
        bad = begin_stream(replay, hub, bytes, count, err);
    else if (kind == TD_JOURNAL_RECEIVED)
        bad = take_received(session, bytes, count, err);
    else if (kind == TD_JOURNAL_SENT)
        bad = take_sent(session, bytes, count, err);
    else if (kind == TD_JOURNAL_LEFT)
        td_client_stream_leave_now(session->stream);
    else if (kind == TD_JOURNAL_CLIENT_CLOCK)
        bad = take_clock(session, bytes, count, err);
    else if (kind == TD_JOURNAL_CLIENT_END)
        td_client_space_leave(session->space);
    replay->failed = bad;
    return bad;
}

int td_client_replay_close(struct td_client_replay *replay, struct td_err *err)
{
    return td_client_replay_began(replay) ? td_client_stream_close(replay->session->stream, err) : 0;
}

/* ---- results ---- */

bool td_client_replay_began(const struct td_client_replay *replay)
{
    return replay->session && replay->session->stream;
}

const struct td_wire_welcome *td_client_replay_welcome(const struct td_client_replay *replay)
{
    return &replay->session->welcome;
}

const struct td_wire_release *td_client_replay_release(const struct td_client_replay *replay)
{
    return td_client_stream_release(replay->session->stream);
}

const struct td_client_counts *td_client_replay_counts(const struct td_client_replay *replay)
{
    return td_client_stream_counts(replay->session->stream);
}

int64_t td_client_replay_begin_ns(const struct td_client_replay *replay)
{
    return td_client_stream_begin_ns(replay->session->stream);
}

uint64_t td_client_replay_frame_offset(const struct td_client_replay *replay)
{
    return replay->session->begin.frame_offset;
}

const char *td_client_replay_process(const struct td_client_replay *replay)
{
    return replay->process;
}

const char *td_client_replay_label(const struct td_client_replay *replay)
{
    return td_client_space_label(replay->session->space);
}

double td_client_replay_clock_error_ns(const struct td_client_replay *replay)
{
    return replay->clock_error_ns;
}
