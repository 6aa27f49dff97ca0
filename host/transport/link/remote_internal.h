/* The inside of a remote transport. Private to this folder. From below:
 *
 *   remote_message.c  one message there or back
 *   remote_slots.c    gathered slots that have arrived, and what they are checked by
 *   remote_ask.c      requests until they are answered; sessions
 *   remote_gather.c   the gatherer: keeps slots flowing
 *   remote.c          the transport
 */
#ifndef TD_HOST_TRANSPORT_LINK_REMOTE_INTERNAL_H
#define TD_HOST_TRANSPORT_LINK_REMOTE_INTERNAL_H
#include "host/transport/gather.h"
#include "host/transport/link.h"
#include "proto/probe/message.h"

#define TD_REMOTE_DEPTH 3 /* TAKE requests under way at most */

struct td_remote_take {
    uint16_t seq;
    uint32_t max_slots;
    int64_t sent_ns;
};

struct td_remote_lane {
    struct td_gather_lane lane;
    uint32_t next; /* number of the slot that comes next */
};

struct td_remote_gather {
    struct td_gather base;
    struct td_remote_lane *lanes;
    size_t lane_count, lane_room;
    uint32_t *place; /* by the lane's number: position in lanes + 1 */
    size_t place_count;
    /* LANES messages' payloads that wait to be handed on. */
    uint8_t *queue;
    size_t queue_bytes, queue_room;
    /* Requests under way, oldest first. */
    struct td_remote_take takes[TD_REMOTE_DEPTH];
    size_t take_count;
    uint32_t ask_slots; /* how much the next one asks for: so that the way is never blocked for long */
    uint64_t said_slots, got_slots;  /* by the probe's answers, and what arrived */
    unsigned lost_takes, unanswered; /* answers that did not come: ever, and in a row */
    uint64_t bad_seen;               /* of the link's damaged frames: so many are in the statistics */
    uint64_t bad_before;             /* the link's damaged frames when the first lanes were handed over */
    int lost;                        /* a session ended: what is queued is the last of these lanes */
    /* For the callback. */
    td_gather_words *words;
    void *self;
};

struct td_remote {
    struct td_transport base;
    struct td_transport_ops ops;
    struct td_link *link;
    struct td_probe_hello hello;
    char *description;
    uint16_t seq;
    uint32_t max_bytes;
    int virtual_time; /* slots may be taken only when the host says so */
    int64_t heard_ns;
    struct td_err gone; /* code 0: it is not */
    int coming_back;
    int given_up; /* the way is there, but the probe has ended the session: this host was silent */
    struct td_probe_head head; /* of the message in `in` */
    uint8_t *in, *out;         /* TD_PROBE_MAX_BYTES each */
    struct td_remote_gather gather;
};

enum {
    TD_REMOTE_NOTHING,
    TD_REMOTE_LANES, /* what belongs to gathering, or what no probe says */
    TD_REMOTE_ANSWER /* in r->head and r->in */
};

/* remote_message.c: one message to or from the probe. */
#define TD_REMOTE_HEAD_BYTES sizeof(struct td_probe_head)
/* Sends a request whose payload is two pieces; its number is in *seq (0: a new one). */
int td_remote_send(struct td_remote *r, enum td_probe_type type, uint16_t *seq, const void *a, size_t a_bytes,
                   const void *b, size_t b_bytes, struct td_err *err);
/* Waits for one message, of whatever kind: TD_REMOTE_ANSWER, another one of the above, or an error. */
int td_remote_receive(struct td_remote *r, int timeout_ms, struct td_err *err);
const uint8_t *td_remote_payload(const struct td_remote *r);
/* "READ"; for the debug log. */
const char *td_remote_type_name(enum td_probe_type type);
/* The error that the answer in r->in is. */
int td_remote_refused(struct td_remote *r, struct td_err *err);
/* The way is lost for good: the first text stays. */
int td_remote_gone(struct td_remote *r, struct td_err *err, const char *text);

/* remote_slots.c: what gathering keeps. A lane is handed over; all of them are taken back. */
int td_remote_gather_note(struct td_remote_gather *rg, const struct td_gather_lane *lane, struct td_err *err);
void td_remote_gather_forget(struct td_remote_gather *rg);
/* Its lanes are gathered no more. */
void td_remote_gather_lose(struct td_remote *r);
/* How much the first request asks for, by the link's speed. */
void td_remote_gather_size(struct td_remote *r);
/* Answers come in the order of requests: those before the one at `count` will not come any more. */
void td_remote_gather_drop(struct td_remote_gather *rg, size_t count);
/* A message that belongs to gathering: LANES, or the answer to a TAKE that is under way: 1, else 0. */
int td_remote_gather_take_in(struct td_remote *r, struct td_err *err);
/* An answer to a request that came later arrived: what was asked before has been answered, or is lost. */
void td_remote_gather_passed(struct td_remote *r, uint16_t seq);
/* Hands on what is here; *taken grows by it. */
int td_remote_gather_deliver(struct td_remote *r, td_gather_words *words, void *self, size_t *taken,
                             struct td_err *err);
void td_remote_gather_free(struct td_remote *r);

/* remote_ask.c: requests and sessions. Waits for one message and sees to what belongs to gathering: one of
 * the above, or an error. An answer to any other request stands in r->head and r->in. */
int td_remote_pump(struct td_remote *r, int timeout_ms, struct td_err *err);
/* How often a request is sent before its silence means that the probe is gone. */
int td_remote_tries(const struct td_remote *r);
/* The answer to a request of `bytes` bytes, that of the answer included: 1: it is here, 0: it did not come in
 * time. */
int td_remote_await(struct td_remote *r, enum td_probe_type type, uint16_t seq, size_t bytes,
                    struct td_err *err);
/* No answer came at all. */
int td_remote_silent(struct td_remote *r, enum td_probe_type type, struct td_err *err);
/* Asks and waits for the answer's payload: at least `least` bytes; copied to `to` (may be NULL), at most
 * `room`; *got (may be NULL) = how many. */
int td_remote_ask(struct td_remote *r, enum td_probe_type type, const void *a, size_t a_bytes, const void *b,
                  size_t b_bytes, void *to, size_t room, size_t least, size_t *got, struct td_err *err);
/* Begins a session. */
int td_remote_hello(struct td_remote *r, struct td_err *err);
/* The way to the probe is lost: 1 if it has come back, or was not, but the probe had given this host up; now
 * there is a session without lanes. */
int td_remote_come_back(struct td_remote *r);

/* remote_gather.c: the gatherer. */
void td_remote_gather_init(struct td_remote *r);
/* Lets the way fall silent, for a measurement on it. */
int td_remote_gather_hush(struct td_remote *r, struct td_err *err);
/* Waits until slots are here: 1, or 0. */
int td_remote_gather_wait(struct td_remote *r, int timeout_ms, struct td_err *err);
#endif
