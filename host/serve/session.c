#include "host/serve/session.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/serve/answers.h"
#include "host/serve/encode.h"
#include "host/trace/origin.h"
#include "host/wire/items.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define HELLO_MS       2000 /* for a connection's first bytes */
#define BASE_FRAMES_MS 200  /* for the two first base frames, which are in the welcome message */
#define BEGIN_MS       3000 /* for the first source of the trace, which says where time 0 is */
#define TICK_MS        10
#define TICK_MAX_MS    250
#define IDLE_SHARE     20 /* looking through the trace takes at most one part in so many of the time */
#define KEEP_ALIVE_MS  500
#define FAREWELL_MS    100  /* between frames after the end, at which servers check whether they are done */
#define LEAVE_MS       5000 /* for a viewer that has the whole trace, and sends nothing more */
#define LEAVE_TICKS    3    /* a viewer that disconnects gets what was marked until then */
#define QUERIES        1024 /* in the buffer */
#define BLOCKED_MS     100

struct viewing {
    struct td_viewer v;
    const struct td_session_shared *shared;
    int fd;
    uint8_t in[QUERIES * TD_WIRE_QUERY_BYTES];
    size_t in_bytes;
    const uint8_t *out;
    size_t out_bytes;
    int64_t tick_at_ms, tick_ms, sent_ms, progress_ms;
    uint32_t leave_at; /* the tick at which the viewer's own end comes; 0: it did not ask */
    bool all_sent;     /* all items of the trace are in frames */
    bool terminated;   /* Terminate, too */
};

static bool is_set(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0;
}

/* ---- the handshake ---- */

/* Reads or writes all of the bytes; false: the viewer went away, or the time is up. */
static bool transfer_all(const struct viewing *s, void *bytes, size_t count, bool out, int64_t wait_ms)
{
    uint8_t *at = bytes;
    int64_t until_ms = td_mono_ms() + wait_ms;
    while (count && !is_set(&s->shared->stop)) {
        int64_t left_ms = until_ms - td_mono_ms();
        struct pollfd ready = {s->fd, out ? POLLOUT : POLLIN, 0};
        if (left_ms <= 0)
            return false;
        if (poll(&ready, 1, left_ms < BLOCKED_MS ? (int)left_ms : BLOCKED_MS) <= 0)
            continue;
        ssize_t n =
            out ? send(s->fd, at, count, MSG_NOSIGNAL | MSG_DONTWAIT) : recv(s->fd, at, count, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (n <= 0)
            return false;
        at += n;
        count -= (size_t)n;
    }
    return !count;
}

/* The release of a protocol. Tracy 0.11.0 and Tenstorrent's fork announce the same one: the fork is chosen for
 * traces with devices that only it has, and with TENDRIL_PEER=tt, as in the client. */
static const struct td_wire_release *release_for(const struct viewing *s, uint32_t protocol)
{
    const struct td_wire_release *release = td_wire_release_for(protocol);
    if (release != &td_wire_66)
        return release;
    const char *peer = getenv("TENDRIL_PEER");
    if (peer && !strcmp(peer, "tt"))
        return &td_wire_66tt;
    const struct td_series *contexts = td_trace_table(s->shared->trace, TD_TABLE_GPU_CONTEXT);
    for (uint64_t i = 0, n = td_series_count(contexts); i < n; i++)
        if (td_series_get(contexts, i, TD_GPU_CONTEXT_TYPE) == TD_GPU_TENSTORRENT)
            return &td_wire_66tt;
    return release;
}

static uint64_t base_frames(const struct viewing *s)
{
    return td_series_count(td_trace_list(s->shared->trace, TD_TABLE_FRAME, 0));
}

static int64_t base_frame(const struct viewing *s, uint64_t frame)
{
    return td_series_get(td_trace_list(s->shared->trace, TD_TABLE_FRAME, 0), frame, TD_FRAME_START);
}

static void wait_for_base_frames(const struct viewing *s)
{
    int64_t until_ms = td_mono_ms() + BASE_FRAMES_MS;
    while (base_frames(s) < 2 && !is_set(&s->shared->complete) && td_mono_ms() < until_ms)
        poll(NULL, 0, 5);
}

/* A recording's first program may come after its viewers. */
static void wait_for_begin(const struct viewing *s)
{
    const int64_t until_ms = td_mono_ms() + BEGIN_MS;
    while (td_trace_origin(s->shared->trace) && !td_trace_has_begun(s->shared->trace) &&
           !is_set(&s->shared->complete) && !is_set(&s->shared->stop) && td_mono_ms() < until_ms)
        poll(NULL, 0, 5);
}

static void copy_text(char *to, size_t room, const char *text)
{
    if (text)
        strncpy(to, text, room - 1);
}

/* Times are in ns: a tick is one, and the program begins where the trace does. */
static size_t put_welcome(struct viewing *s, uint8_t *p)
{
    const struct td_serve_description *d = s->shared->description;
    struct td_viewer *v = &s->v;
    const int64_t begin = td_trace_origin(s->shared->trace);
    const int64_t ready = base_frames(s) > 1 ? base_frame(s, 1) : begin;
    struct td_wire_welcome w = {.timerMul = 1,
                                .initBegin = begin,
                                .initEnd = ready > begin ? ready : begin,
                                .delay = d->delay_ns,
                                .resolution = d->resolution_ns,
                                .epoch = d->epoch_s,
                                .exectime = d->executable_time_s,
                                .pid = d->pid,
                                .samplingPeriod = d->sampling_period_ns,
                                .flags = (uint8_t)(TD_WIRE_FLAG_IGNORE_MEMORY | TD_WIRE_FLAG_CODE_TRANSFER |
                                                   (d->identify_samples ? TD_WIRE_FLAG_IDENTIFY_SAMPLES : 0) |
                                                   (d->combine_samples ? TD_WIRE_FLAG_COMBINE_SAMPLES : 0)),
                                .cpuArch = d->cpu_arch,
                                .cpuId = d->cpu_id};
    const bool is_on_demand = d->on_demand && base_frames(s) > 2;
    v->begin_ns = begin;
    v->base_frames = is_on_demand ? 3 : 2;
    v->frame_offset = is_on_demand ? d->frame_offset : 0;
    if (is_on_demand)
        w.flags |= TD_WIRE_FLAG_ON_DEMAND;
    memcpy(w.cpuManufacturer, d->cpu_vendor, sizeof w.cpuManufacturer);
    copy_text(w.programName, sizeof w.programName, d->program);
    copy_text(w.hostInfo, sizeof w.hostInfo, d->host_info);
    *p = TD_WIRE_STATUS_WELCOME;
    td_wire_put_welcome(p + 1, v->release, &w);
    size_t bytes = 1 + v->release->welcome_bytes;
    if (!is_on_demand)
        return bytes;
    const uint64_t rest[2] = {d->frame_offset, (uint64_t)base_frame(s, 2)};
    memcpy(p + bytes, rest, sizeof rest);
    return bytes + sizeof rest;
}

static bool shake_hands(struct viewing *s)
{
    uint8_t hello[TD_WIRE_HELLO_BYTES], welcome[2048];
    uint32_t protocol;
    if (!transfer_all(s, hello, sizeof hello, false, HELLO_MS) || td_wire_get_hello(hello, &protocol) < 0) {
        td_debug(serve, "viewer %u: no viewer: it did not send a protocol", s->v.number);
        return false;
    }
    s->v.release = release_for(s, protocol);
    if (!s->v.release) {
        uint8_t status = TD_WIRE_STATUS_MISMATCH;
        td_debug(serve, "viewer %u: unknown protocol %u", s->v.number, (unsigned)protocol);
        transfer_all(s, &status, 1, true, HELLO_MS);
        return false;
    }
    wait_for_begin(s);
    wait_for_base_frames(s);
    if (!transfer_all(s, welcome, put_welcome(s, welcome), true, HELLO_MS))
        return false;
    td_debug(serve, "viewer %u: welcome, Tracy %s (protocol %u)", s->v.number, s->v.release->tracy,
             (unsigned)protocol);
    return true;
}

/* ---- frames and queries ---- */

/* False: the viewer went away. */
static bool receive(struct viewing *s)
{
    size_t room = sizeof s->in - s->in_bytes;
    if (!room)
        return true;
    ssize_t n = recv(s->fd, s->in + s->in_bytes, room, MSG_DONTWAIT);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    s->in_bytes += (size_t)n;
    if (n)
        s->progress_ms = s->v.now_ms;
    return n != 0;
}

/* Answers the queries that have arrived, as many as the frame has room for. */
static int answer_queries(struct viewing *s)
{
    size_t at = 0;
    int result = td_answer_open(&s->v);
    while (result == TD_ANSWER_GIVEN && s->in_bytes - at >= TD_WIRE_QUERY_BYTES) {
        result = td_answer_query(&s->v, s->in + at);
        if (result == TD_ANSWER_LEAVE) {
            if (!s->leave_at)
                s->leave_at = s->v.tick + LEAVE_TICKS;
            result = TD_ANSWER_GIVEN;
        }
        if (result == TD_ANSWER_GIVEN)
            at += TD_WIRE_QUERY_BYTES;
    }
    s->in_bytes -= at;
    memmove(s->in, s->in + at, s->in_bytes);
    return result;
}

/* A pass sees the trace as it was one tick before; the last pass sees all. */
static bool begin_pass(struct viewing *s)
{
    struct td_viewer *v = &s->v;
    if (td_encode_is_inside(v))
        return true;
    if (v->now_ms < s->tick_at_ms && !is_set(&s->shared->complete))
        return false;
    if (s->leave_at && v->tick >= s->leave_at) {
        s->all_sent = true;
        return false;
    }
    v->tick++;
    v->final = is_set(&s->shared->complete);
    return true;
}

static int encode(struct viewing *s)
{
    struct td_viewer *v = &s->v;
    if (s->all_sent || !begin_pass(s))
        return TD_PART_DONE;
    int64_t began_ns = td_mono_ns();
    int result = td_encode_pass(v);
    if (result == TD_PART_DONE) {
        int64_t pass_ms = (td_mono_ns() - began_ns) / 1000000 * IDLE_SHARE;
        s->tick_ms = pass_ms < TICK_MS ? TICK_MS : pass_ms > TICK_MAX_MS ? TICK_MAX_MS : pass_ms;
        s->tick_at_ms = v->now_ms + s->tick_ms;
        s->all_sent = v->final;
    }
    return result;
}

/* After everything else: the server need not wait for zones that never end. */
static void terminate(struct viewing *s)
{
    struct td_viewer *v = &s->v;
    uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX);
    if (s->terminated || !s->all_sent || !p)
        return;
    v->final = true; /* open queries are answered now */
    if (v->open.count)
        return;
    if (v->has_open_zones || v->is_crash_sent)
        p = td_wire_put_Crash(p, v->release, NULL);
    td_put_end(v, td_wire_put_Terminate(p, v->release, NULL));
    s->terminated = true;
    s->progress_ms = v->now_ms;
}

static void keep_alive(const struct viewing *s)
{
    const struct td_viewer *v = &s->v;
    int64_t wait_ms = s->terminated ? FAREWELL_MS : KEEP_ALIVE_MS;
    if (td_packer_used(v->packer) || v->now_ms - s->sent_ms < wait_ms)
        return;
    td_put_end(v, td_wire_put_KeepAlive(td_packer_at(v->packer), v->release, NULL));
}

/* Makes the next frame. enum td_answer_result, or negative: no memory. */
static int make_frame(struct viewing *s)
{
    struct td_viewer *v = &s->v;
    int result = answer_queries(s);
    if (result == TD_ANSWER_GIVEN) {
        result = encode(s);
        if (result == TD_PART_FULL && !td_packer_used(v->packer)) {
            td_debug(serve, "viewer %u: an item is larger than a frame", v->number);
            return TD_ANSWER_CLOSE;
        }
        result = result < 0 ? result : TD_ANSWER_GIVEN;
    }
    if (result < 0 || result == TD_ANSWER_CLOSE)
        return result;
    terminate(s);
    keep_alive(s);
    s->out_bytes = td_packer_pack(v->packer, &s->out);
    if (s->out_bytes)
        s->sent_ms = v->now_ms;
    return TD_ANSWER_GIVEN;
}

/* False: the viewer went away. */
static bool send_frame(struct viewing *s)
{
    while (s->out_bytes) {
        ssize_t n = send(s->fd, s->out, s->out_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        s->out += n;
        s->out_bytes -= (size_t)n;
        if (!s->terminated) /* afterwards the viewer's queries, and its end, show that it lives */
            s->progress_ms = s->v.now_ms;
    }
    return true;
}

static void wait_for_viewer(const struct viewing *s)
{
    struct pollfd ready = {s->fd, 0, 0};
    int64_t wait_ms = BLOCKED_MS;
    if (s->in_bytes < sizeof s->in)
        ready.events |= POLLIN;
    if (s->out_bytes)
        ready.events |= POLLOUT;
    else if (td_encode_is_inside(&s->v) || s->in_bytes >= TD_WIRE_QUERY_BYTES)
        wait_ms = 0;
    else if (!s->all_sent)
        wait_ms = s->tick_at_ms - td_mono_ms();
    else if (!s->terminated)
        wait_ms = TICK_MS;
    poll(&ready, 1, wait_ms < 0 ? 0 : (int)wait_ms);
}

/* The viewer takes nothing although the recording waits for it, or although it has all. */
static bool is_stalled(const struct viewing *s)
{
    int64_t still_ms = s->v.now_ms - s->progress_ms;
    return (is_set(&s->shared->ending) && still_ms > s->shared->options->stall_ms) ||
           (s->terminated && still_ms > LEAVE_MS);
}

static enum td_session_result serve_viewer(struct viewing *s)
{
    struct td_viewer *v = &s->v;
    s->progress_ms = s->sent_ms = td_mono_ms();
    for (;;) {
        v->now_ms = td_mono_ms();
        if (is_set(&s->shared->stop) || is_stalled(s))
            return TD_SESSION_CUT;
        if (!receive(s))
            return TD_SESSION_WHOLE;
        int result = s->out_bytes ? TD_ANSWER_GIVEN : make_frame(s);
        if (result < 0)
            td_debug(serve, "viewer %u: no memory", v->number);
        if (result < 0 || result == TD_ANSWER_CLOSE)
            return result < 0 ? TD_SESSION_CUT : TD_SESSION_WHOLE;
        if (!send_frame(s))
            return TD_SESSION_WHOLE;
        wait_for_viewer(s);
    }
}

enum td_session_result td_session_run(const struct td_session_shared *shared, int fd, uint32_t number,
                                      int *welcomed)
{
    enum td_session_result end = TD_SESSION_REFUSED;
    struct viewing *s = calloc(1, sizeof *s);
    if (!s)
        return end;
    s->shared = shared;
    s->fd = fd;
    s->v.number = number;
    s->v.trace = shared->trace;
    s->v.dict = td_trace_dict(shared->trace);
    s->v.options = shared->options;
    s->v.free_order = shared->free_order;
    s->v.message_order = shared->message_order;
    if (shake_hands(s) && (s->v.packer = td_packer_create()) != NULL) {
        td_packer_reset(s->v.packer);
        __atomic_store_n(welcomed, 1, __ATOMIC_RELEASE);
        end = serve_viewer(s);
        td_debug(serve, "viewer %u: %s", number,
                 end == TD_SESSION_CUT ? "dropped before it had the whole trace" : "gone");
    }
    td_viewer_free(&s->v);
    free(s);
    return end;
}
