#include "host/agent/recording.h"
#include "host/wire/pack.h"

#include <stdlib.h>
#include <string.h>

#define HEAD         5
#define GREETING_MAX 2048 /* more than status, welcome and the message on demand */

struct td_recording {
    struct td_hub *hub;
    const struct td_wire_release *release;
    struct td_unpacker *unpacker;
    struct td_client_stream *stream; /* NULL: greetings */
    struct td_wire_welcome welcome;
    uint64_t frame_offset;
    int64_t connected_ticks;
    uint32_t left; /* of the record */
    int cut;       /* the bytes ended within a record */
    size_t head_bytes, hello_bytes, query_bytes, greeting_bytes;
    uint8_t head[HEAD], hello[TD_WIRE_HELLO_BYTES], query[TD_WIRE_QUERY_BYTES], greeting[GREETING_MAX];
};

struct td_recording *td_recording_create(struct td_hub *hub)
{
    struct td_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return NULL;
    recording->hub = hub;
    recording->unpacker = td_unpacker_create();
    if (recording->unpacker)
        return recording;
    free(recording);
    return NULL;
}

void td_recording_destroy(struct td_recording *recording)
{
    if (!recording)
        return;
    td_client_stream_destroy(recording->stream);
    td_unpacker_destroy(recording->unpacker);
    free(recording);
}

int td_recording_begins(const uint8_t *bytes, size_t count)
{
    return count >= 1 && bytes[0] <= 1;
}

static int no_session(struct td_err *err)
{
    return td_fail(err, TD_E_FORMAT, "this is no recorded session of an instrumented program");
}

/* ---- what went to the client ---- */

/* Returns the bytes taken, or a negative enum td_e. */
static int64_t take_hello(struct td_recording *recording, const uint8_t *bytes, size_t count,
                          struct td_err *err)
{
    size_t room = TD_WIRE_HELLO_BYTES - recording->hello_bytes;
    size_t n = count < room ? count : room;
    uint32_t protocol;
    memcpy(recording->hello + recording->hello_bytes, bytes, n);
    recording->hello_bytes += n;
    if (!n || recording->hello_bytes < TD_WIRE_HELLO_BYTES)
        return (int64_t)n;
    if (td_wire_get_hello(recording->hello, &protocol) != 0)
        return no_session(err);
    recording->release = td_wire_release_for(protocol);
    if (recording->release)
        return (int64_t)n;
    return td_fail(err, TD_E_VERSION, "the recorded session speaks protocol %u, which is not known here",
                   protocol);
}

/* The hello, then questions. Their answers are in the recording; some come before what they name. */
static int take_asked(struct td_recording *recording, const uint8_t *bytes, size_t count, struct td_err *err)
{
    int64_t taken = take_hello(recording, bytes, count, err);
    int bad = taken < 0 ? (int)taken : 0;
    for (size_t at = bad ? count : (size_t)taken; !bad && at < count;) {
        size_t room = TD_WIRE_QUERY_BYTES - recording->query_bytes;
        size_t n = count - at < room ? count - at : room;
        memcpy(recording->query + recording->query_bytes, bytes + at, n);
        recording->query_bytes += n;
        at += n;
        if (recording->query_bytes < TD_WIRE_QUERY_BYTES)
            break;
        recording->query_bytes = 0;
        bad = recording->stream ? td_client_stream_asked(recording->stream, recording->query, err) : 0;
    }
    return bad;
}

/* ---- what the client said ---- */

static int begin_stream(struct td_recording *recording, struct td_err *err)
{
    const struct td_wire_welcome *welcome = &recording->welcome;
    int on_demand = welcome->flags & TD_WIRE_FLAG_ON_DEMAND;
    struct td_client_stream_config config = {
        .release = recording->release,
        .hub = recording->hub,
        .ns_per_tick = welcome->timerMul,
        .zero_ticks = welcome->initBegin,
        .query_space = UINT32_MAX, /* what would be asked has been answered, or never will be */
        .frame_offset = recording->frame_offset,
        .pid = welcome->pid,
        .code_transfer = (welcome->flags & TD_WIRE_FLAG_CODE_TRANSFER) != 0,
    };
    config.sources = welcome->exectime && (recording->release->protocol < 82 || config.code_transfer);
    if (!(welcome->timerMul > 1e-6 && welcome->timerMul < 1e9))
        return td_fail(err, TD_E_FORMAT, "the recorded program says that its clock ticks every %g ns",
                       welcome->timerMul);
    recording->stream = td_client_stream_create(&config);
    if (!recording->stream)
        return td_fail(err, TD_E_NOMEM, "no memory for the recorded events");
    int bad = td_client_stream_base_frame(recording->stream, welcome->initBegin, err);
    bad = bad ? bad : td_client_stream_base_frame(recording->stream, welcome->initEnd, err);
    if (!bad && on_demand)
        bad = td_client_stream_base_frame(recording->stream, recording->connected_ticks, err);
    return bad;
}

/* Bytes of the greeting as far as they are known now. */
static size_t greeting_wants(struct td_recording *recording)
{
    size_t want = 1 + recording->release->welcome_bytes;
    if (recording->greeting_bytes < want)
        return recording->greeting_bytes ? want : 1;
    td_wire_get_welcome(recording->greeting + 1, recording->release, &recording->welcome);
    return want + (recording->welcome.flags & TD_WIRE_FLAG_ON_DEMAND ? TD_WIRE_ONDEMAND_BYTES : 0);
}

/* Returns the bytes taken, or a negative enum td_e. */
static int64_t take_greeting(struct td_recording *recording, const uint8_t *bytes, size_t count,
                             struct td_err *err)
{
    size_t taken = 0, want;
    if (!recording->release)
        return no_session(err);
    while (recording->greeting_bytes < (want = greeting_wants(recording))) {
        size_t n = want - recording->greeting_bytes;
        n = n < count - taken ? n : count - taken;
        if (!n)
            return (int64_t)taken;
        memcpy(recording->greeting + recording->greeting_bytes, bytes + taken, n);
        recording->greeting_bytes += n;
        taken += n;
        if (recording->greeting[0] != TD_WIRE_STATUS_WELCOME)
            return td_fail(err, TD_E_FORMAT, "the recorded program refused the session (status %u)",
                           recording->greeting[0]);
    }
    if (recording->welcome.flags & TD_WIRE_FLAG_ON_DEMAND) {
        const uint8_t *demand = recording->greeting + want - TD_WIRE_ONDEMAND_BYTES;
        memcpy(&recording->frame_offset, demand, 8);
        memcpy(&recording->connected_ticks, demand + 8, 8);
    }
    int bad = begin_stream(recording, err);
    return bad ? bad : (int64_t)taken;
}

static int take_frames(struct td_recording *recording, struct td_err *err)
{
    uint8_t queries[256 * TD_WIRE_QUERY_BYTES];
    const uint8_t *frame;
    int bytes;
    while ((bytes = td_unpacker_next(recording->unpacker, &frame, err)) > 0) {
        int bad = td_client_stream_frame(recording->stream, frame, (size_t)bytes, err);
        if (bad)
            return bad;
        while (td_client_stream_queries(recording->stream, queries, sizeof queries))
            ;
    }
    return bytes;
}

static int take_said(struct td_recording *recording, const uint8_t *bytes, size_t count, struct td_err *err)
{
    if (!recording->stream) {
        int64_t taken = take_greeting(recording, bytes, count, err);
        if (taken < 0)
            return (int)taken;
        bytes += taken;
        count -= (size_t)taken;
    }
    while (count) {
        uint8_t *at;
        size_t n = td_unpacker_room(recording->unpacker, &at);
        n = n < count ? n : count;
        memcpy(at, bytes, n);
        td_unpacker_fed(recording->unpacker, n);
        bytes += n;
        count -= n;
        int bad = take_frames(recording, err);
        if (bad)
            return bad;
    }
    return 0;
}

/* ---- records ---- */

static int take_head(struct td_recording *recording, struct td_err *err)
{
    memcpy(&recording->left, recording->head + 1, sizeof recording->left);
    if (recording->head[0] > 1)
        return recording->stream ? td_fail(err, TD_E_FORMAT,
                                           "the recorded session is damaged: a record of "
                                           "neither side")
                                 : no_session(err);
    return 0;
}

int td_recording_feed(struct td_recording *recording, const uint8_t *bytes, size_t count, struct td_err *err)
{
    int bad = 0;
    while (count && !bad) {
        if (recording->head_bytes < HEAD) {
            recording->head[recording->head_bytes++] = *bytes++;
            count--;
            if (recording->head_bytes == HEAD)
                bad = take_head(recording, err);
        }
        if (bad || recording->head_bytes < HEAD)
            continue;
        size_t n = recording->left < count ? recording->left : count;
        if (n)
            bad = (recording->head[0] ? take_asked : take_said)(recording, bytes, n, err);
        bytes += n;
        count -= n;
        recording->left -= (uint32_t)n;
        if (!recording->left)
            recording->head_bytes = 0;
    }
    return bad;
}

int td_recording_close(struct td_recording *recording, struct td_err *err)
{
    if (!recording->stream)
        return no_session(err);
    recording->cut = recording->head_bytes != 0;
    return td_client_stream_close(recording->stream, err);
}

int td_recording_complete(const struct td_recording *recording)
{
    return recording->stream && !recording->cut && td_client_stream_terminated(recording->stream) &&
           !td_client_stream_counts(recording->stream)->unnamed;
}

const struct td_wire_welcome *td_recording_welcome(const struct td_recording *recording)
{
    return &recording->welcome;
}

const struct td_wire_release *td_recording_release(const struct td_recording *recording)
{
    return td_client_stream_release(recording->stream);
}

const struct td_client_counts *td_recording_counts(const struct td_recording *recording)
{
    return td_client_stream_counts(recording->stream);
}

uint64_t td_recording_frame_offset(const struct td_recording *recording)
{
    return recording->frame_offset;
}
