#include "target/probe/probe.h"

#include "host/base/err.h"
#include "proto/probe/control.h"
#include "proto/probe/memory.h"
#include "target/probe/engine.h"

#include <stdbool.h>

#define HEAD_BYTES sizeof(struct td_probe_head)
#define MAX_FROZEN 100

/* One request as it came; the payload may be unaligned. */
struct request {
    struct td_probe_head head;
    const uint8_t *payload;
};

static uint32_t text_bytes(const char *text, uint32_t most)
{
    uint32_t n = 0;
    while (text && n < most && text[n])
        n++;
    return n;
}

/* Sends the answer, and keeps it if its request must not be done twice. */
static void answer(struct td_probe *p, uint8_t type, int status, uint16_t seq, uint32_t payload_bytes)
{
    if (status < 0) {
        payload_bytes = text_bytes(p->why, sizeof p->why);
        memcpy(td_probe_payload(p), p->why, payload_bytes);
    }
    td_probe_send(p, type | TD_PROBE_ANSWER, status, seq, payload_bytes);
    /* One that comes out of order must not replace that of a request which may be repeated. */
    if (type == TD_PROBE_TAKE && p->takes_wait)
        return;
    p->last_bytes = 0;
    if (HEAD_BYTES + payload_bytes <= sizeof p->last) {
        p->last_bytes = (uint32_t)HEAD_BYTES + payload_bytes;
        memcpy(p->last, p->config.out, p->last_bytes);
    }
}

static int control(struct td_probe *p, uint32_t what, uint64_t value, uint64_t *out)
{
    const struct td_probe_board *b = &p->config.board;
    *out = 0;
    if (!b->control)
        return 0;
    const int freezes = what == TD_CONTROL_FREEZE;
    if (freezes && !(value == 1 && p->frozen < MAX_FROZEN) && !(value == (uint64_t)-1 && p->frozen))
        return td_probe_fail(p, TD_E_USAGE, "a board is frozen and let go once at a time");
    int rc = b->control(b->self, what, value, out, p->why);
    if (rc == 0 && freezes)
        p->frozen += (uint32_t)value;
    if (rc == 0 && what == TD_CONTROL_AGENT)
        p->agent = value != 0;
    return rc;
}

/* Leaves the board as if this host had never been there. */
static void clean_up(struct td_probe *p)
{
    uint64_t none;
    td_probe_gather_disarm(p);
    /* What does not thaw is let be. */
    while (p->frozen && control(p, TD_CONTROL_FREEZE, (uint64_t)-1, &none) == 0)
        ;
    if (p->agent)
        control(p, TD_CONTROL_AGENT, 0, &none);
    p->frozen = 0;
    p->agent = 0;
}

static void end_session(struct td_probe *p)
{
    p->why[0] = 0;
    clean_up(p);
    p->max_bytes = 0;
    p->pending_count = 0;
    p->last_bytes = 0;
    p->notified = 0;
}

static int do_hello(struct td_probe *p, const struct request *r, uint32_t *bytes)
{
    struct td_probe_hello hello;
    const struct td_probe_board *b = &p->config.board;
    memcpy(&hello, r->payload, sizeof hello);
    end_session(p);
    if (hello.version != TD_PROBE_VERSION)
        return td_probe_fail(p, TD_E_VERSION, "this probe is of another version than the host");
    if (hello.max_bytes < TD_PROBE_MIN_BYTES)
        return td_probe_fail(p, TD_E_FORMAT, "the host's messages are too short for a probe");
    p->max_bytes = (hello.max_bytes < p->config.out_bytes ? hello.max_bytes : p->config.out_bytes) & ~7u;
    p->ended_by_silence = 0;
    p->takes_wait = (hello.flags & TD_PROBE_TAKES_WAIT) != 0;
    memset(&hello, 0, sizeof hello);
    hello.version = TD_PROBE_VERSION;
    hello.max_bytes = p->max_bytes;
    hello.description_bytes = text_bytes(b->description, UINT32_MAX);
    hello.flags = (b->control ? TD_PROBE_HAS_CONTROL : 0) | (p->takes_wait ? TD_PROBE_TAKES_WAIT : 0);
    td_probe_copy_text(hello.grid, sizeof hello.grid, b->grid);
    td_probe_copy_text(hello.name, sizeof hello.name, b->name);
    memcpy(td_probe_payload(p), &hello, sizeof hello);
    *bytes = sizeof hello;
    return 0;
}

static int do_describe(struct td_probe *p, const struct request *r, uint32_t *bytes)
{
    const char *text = p->config.board.description;
    uint32_t offset, all = text_bytes(text, UINT32_MAX);
    memcpy(&offset, r->payload, 4);
    if (offset > all)
        return td_probe_fail(p, TD_E_USAGE, "the description is not that long");
    *bytes = all - offset;
    if (*bytes > p->max_bytes - HEAD_BYTES)
        *bytes = p->max_bytes - (uint32_t)HEAD_BYTES;
    if (*bytes)
        memcpy(td_probe_payload(p), text + offset, *bytes);
    return 0;
}

/* READ, WRITE, FILL, CLOCK. */
static int do_place(struct td_probe *p, const struct request *r, uint32_t *bytes)
{
    const struct td_probe_board *b = &p->config.board;
    struct td_probe_place at;
    uint64_t ticks = 0;
    memcpy(&at, r->payload, sizeof at);
    const struct td_probe_at tile = {at.chip, at.x, at.y};
    int rc;
    switch (r->head.type) {
    case TD_PROBE_READ:
        if (at.bytes > p->max_bytes - HEAD_BYTES)
            return td_probe_fail(p, TD_E_USAGE, "more to be read than a message holds");
        *bytes = at.bytes;
        return b->read(b->self, tile, at.address, td_probe_payload(p), at.bytes, p->why);
    case TD_PROBE_WRITE:
        if (at.bytes != r->head.bytes - sizeof at)
            return td_probe_fail(p, TD_E_FORMAT, "WRITE does not hold the bytes that it announces");
        return b->write(b->self, tile, at.address, r->payload + sizeof at, at.bytes, p->why);
    case TD_PROBE_FILL:
        if (at.bytes % 4)
            return td_probe_fail(p, TD_E_USAGE, "FILL fills whole words");
        return td_probe_fill(p, tile, at.address, at.word, at.bytes);
    default:
        rc = b->clock(b->self, tile, &ticks, p->why);
        memcpy(td_probe_payload(p), &ticks, 8);
        *bytes = 8;
        return rc;
    }
}

static int do_control(struct td_probe *p, const struct request *r, uint32_t *bytes)
{
    struct td_probe_control c;
    uint64_t out = 0;
    memcpy(&c, r->payload, sizeof c);
    int rc = c.what < TD_CONTROL_COUNT ? control(p, c.what, c.value, &out)
                                       : td_probe_fail(p, TD_E_USAGE, "this probe knows no such control");
    memcpy(td_probe_payload(p), &out, 8);
    *bytes = 8;
    return rc;
}

static int check_alive(struct td_probe *p)
{
    const struct td_probe_board *b = &p->config.board;
    return b->alive ? b->alive(b->self, p->why) : 0;
}

static void answer_taken(struct td_probe *p, uint8_t type, int rc, uint16_t seq, struct td_probe_taken taken)
{
    memcpy(td_probe_payload(p), &taken, sizeof taken);
    answer(p, type, rc, seq, sizeof taken);
}

static void do_finish(struct td_probe *p, const struct request *r)
{
    struct td_probe_take take;
    struct td_probe_taken taken = {0, 0};
    memcpy(&take, r->payload, sizeof take);
    if (!p->gathering)
        td_probe_fail(p, TD_E_USAGE, "no lanes are gathered");
    else if (!p->finishing)
        td_probe_gather_last(p);
    int rc = p->gathering ? 0 : TD_E_USAGE;
    if (rc == 0) {
        p->finishing = 1;
        rc = td_probe_gather_take(p, r->head.seq, take.max_slots, &taken);
    }
    /* The lanes are still remembered: the host that armed them may yet vanish. */
    if (rc == 0 && !taken.more)
        p->gathering = p->finishing = 0;
    answer_taken(p, TD_PROBE_FINISH, rc, r->head.seq, taken);
}

/* Answers the request that has waited longest if there is something to answer it with, or `now`. 1: it did.
 */
static int serve_pending(struct td_probe *p, int now)
{
    struct td_probe_taken taken = {0, 0};
    if (p->pending_count == 0)
        return 0;
    const struct td_probe_take take = p->pending[0].take;
    const uint16_t seq = p->pending[0].seq;
    p->why[0] = 0;
    int rc = td_probe_gather_take(p, seq, take.max_slots, &taken);
    if (rc == 0 && taken.slots == 0) {
        rc = check_alive(p);
        if (rc == 0 && !now && p->now_ms - p->pending[0].since_ms < take.wait_ms)
            return 0;
    }
    p->pending_count--;
    for (uint32_t i = 0; i < p->pending_count; i++)
        p->pending[i] = p->pending[i + 1];
    p->notified = 0;
    answer_taken(p, TD_PROBE_TAKE, rc, seq, taken);
    return 1;
}

static void do_take(struct td_probe *p, const struct request *r)
{
    if (!p->gathering || p->finishing) {
        td_probe_fail(p, TD_E_USAGE, "no lanes are gathered");
        answer(p, TD_PROBE_TAKE, TD_E_USAGE, r->head.seq, 0);
        return;
    }
    if (p->pending_count == TD_PROBE_PENDING)
        serve_pending(p, 1);
    memcpy(&p->pending[p->pending_count].take, r->payload, sizeof(struct td_probe_take));
    p->pending[p->pending_count].since_ms = p->now_ms;
    p->pending[p->pending_count].seq = r->head.seq;
    p->pending_count++;
    if (!p->config.in_idle)
        serve_pending(p, 0);
}

/* Size of a request's payload: exact, or (WRITE, GATHER) the least. -1: no request. */
static int payload_wanted(uint8_t type)
{
    switch (type) {
    case TD_PROBE_HELLO:
        return sizeof(struct td_probe_hello);
    case TD_PROBE_DESCRIBE:
        return 4;
    case TD_PROBE_READ:
    case TD_PROBE_WRITE:
    case TD_PROBE_FILL:
    case TD_PROBE_CLOCK:
        return sizeof(struct td_probe_place);
    case TD_PROBE_CONTROL:
        return sizeof(struct td_probe_control);
    case TD_PROBE_GATHER:
        return sizeof(struct td_probe_lane);
    case TD_PROBE_TAKE:
    case TD_PROBE_FINISH:
        return sizeof(struct td_probe_take);
    case TD_PROBE_PING:
        return 0;
    default:
        return -1;
    }
}

static bool is_shaped(const struct request *r)
{
    const int wanted = payload_wanted(r->head.type);
    const int may_be_longer = r->head.type == TD_PROBE_WRITE || r->head.type == TD_PROBE_GATHER;
    return r->head.bytes == wanted || (may_be_longer && r->head.bytes > wanted);
}

/* Is this the request before once more? Reading changes nothing, so that is done anew; so is HELLO, which
 * begins anew anyway. */
static bool is_repeated(struct td_probe *p, const struct request *r)
{
    struct td_probe_head last;
    for (uint32_t i = 0; i < p->pending_count; i++)
        if (r->head.type == TD_PROBE_TAKE && p->pending[i].seq == r->head.seq)
            return true; /* answered when it is done */
    if (p->last_bytes == 0 || r->head.type == TD_PROBE_HELLO)
        return false;
    memcpy(&last, p->last, HEAD_BYTES);
    if (last.seq != r->head.seq || last.type != (r->head.type | TD_PROBE_ANSWER))
        return false;
    memcpy(p->config.out, p->last, p->last_bytes);
    td_probe_send(p, last.type, last.status, last.seq, last.bytes);
    return true;
}

static int do_request(struct td_probe *p, const struct request *r, uint32_t *bytes)
{
    if (!p->max_bytes && r->head.type != TD_PROBE_HELLO)
        return p->ended_by_silence
                   ? td_probe_fail(p, TD_PROBE_GIVEN_UP,
                                   "the probe gave the lanes up: the host was silent for too long")
                   : td_probe_fail(p, TD_E_USAGE, "the host has not sent HELLO to this probe");
    if (!is_shaped(r))
        return td_probe_fail(p, TD_E_FORMAT, "a request is of the wrong length");
    switch (r->head.type) {
    case TD_PROBE_HELLO:
        return do_hello(p, r, bytes);
    case TD_PROBE_DESCRIBE:
        return do_describe(p, r, bytes);
    case TD_PROBE_CONTROL:
        return do_control(p, r, bytes);
    case TD_PROBE_GATHER:
        return td_probe_gather_add(p, r->payload, r->head.bytes);
    case TD_PROBE_PING:
        return check_alive(p);
    default:
        return do_place(p, r, bytes);
    }
}

/* Answers keep the order of requests, so another request ends the wait of TAKEs, unless the host has said that some
 * need not. */
static bool ends_wait(const struct td_probe *p, uint8_t type)
{
    switch (type) {
    case TD_PROBE_READ:
    case TD_PROBE_WRITE:
    case TD_PROBE_FILL:
    case TD_PROBE_CLOCK:
        return !p->takes_wait;
    default:
        return type != TD_PROBE_TAKE && type != TD_PROBE_HELLO;
    }
}

void td_probe_message(struct td_probe *p, const void *message, uint32_t bytes, uint32_t now_ms)
{
    struct request r = {.payload = (const uint8_t *)message + HEAD_BYTES};
    p->now_ms = now_ms;
    if (bytes >= HEAD_BYTES)
        memcpy(&r.head, message, HEAD_BYTES);
    if (bytes < HEAD_BYTES || r.head.bytes != bytes - HEAD_BYTES || payload_wanted(r.head.type) < 0) {
        p->stats.bad_messages++;
        return;
    }
    p->stats.messages++;
    p->silent_ms = 0;
    p->send_failed = 0;
    p->why[0] = 0;
    if (is_repeated(p, &r))
        return;
    while (ends_wait(p, r.head.type) && serve_pending(p, 1))
        ;
    p->why[0] = 0;
    const int in_session = p->max_bytes && is_shaped(&r);
    if (in_session && r.head.type == TD_PROBE_TAKE) {
        do_take(p, &r);
    } else if (in_session && r.head.type == TD_PROBE_FINISH) {
        do_finish(p, &r);
    } else {
        uint32_t payload_bytes = 0;
        int rc = do_request(p, &r, &payload_bytes);
        answer(p, r.head.type, rc, r.head.seq, payload_bytes);
    }
}

static void watch_silence(struct td_probe *p, uint32_t step_ms)
{
    const uint32_t silence = p->config.silence_ms ? p->config.silence_ms : TD_PROBE_SILENCE_MS;
    p->silent_ms += step_ms < TD_PROBE_LOOK_MS ? step_ms : TD_PROBE_LOOK_MS;
    if (p->silent_ms < silence)
        return;
    p->silent_ms = 0;
    if (p->gathering || p->frozen) {
        end_session(p);
        p->ended_by_silence = 1;
    } else if (p->lane_count) {
        td_probe_gather_disarm(p);
    }
}

int td_probe_idle(struct td_probe *p, uint32_t now_ms)
{
    const uint32_t step_ms = now_ms - p->now_ms;
    p->now_ms = now_ms;
    watch_silence(p, step_ms);
    if (serve_pending(p, 0))
        return 1;
    const struct td_probe_link *link = &p->config.link;
    if (link->notify && p->gathering && !p->pending_count && !p->notified && td_probe_gather_any(p)) {
        p->notified = 1;
        link->notify(link->self);
    }
    return 0;
}

bool td_probe_is_gathering(const struct td_probe *p)
{
    return p->gathering;
}

bool td_probe_awaits_slots(const struct td_probe *p)
{
    return p->finishing || p->pending_count;
}

bool td_probe_has_session(const struct td_probe *p)
{
    return p->max_bytes != 0;
}

bool td_probe_was_given_up(const struct td_probe *p)
{
    return p->ended_by_silence;
}

void td_probe_end(struct td_probe *p)
{
    end_session(p);
    p->ended_by_silence = 0;
}

int td_probe_init(struct td_probe *p, const struct td_probe_config *config)
{
    memset(p, 0, sizeof *p);
    p->config = *config;
    if (!config->board.read || !config->board.write || !config->board.clock || !config->link.send ||
        !config->out || (uintptr_t)config->out % 8 || config->out_bytes < TD_PROBE_MIN_BYTES ||
        config->out_bytes > TD_PROBE_MAX_BYTES || (config->lane_capacity && !config->lanes) ||
        (uintptr_t)config->kept % 8)
        return TD_E_USAGE;
    return 0;
}
