/* The parts of a remote transport. Private to this folder. Lowest first:
 *
 *   remote_message.c  one message to or from the probe
 *   remote_slots.c    gathered slots that have arrived, and the lanes and requests that they belong to
 *   remote_ask.c      requests, repeated until they are answered; sessions
 *   remote_gather.c   the gatherer: keeps requests for slots under way
 *   remote.c          the transport
 */
#pragma once
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
    /* Payloads of LANES messages that wait for delivery. */
    uint8_t *queue;
    size_t queue_bytes, queue_room;
    /* Requests under way, oldest first. */
    struct td_remote_take takes[TD_REMOTE_DEPTH];
    size_t take_count;
    int64_t heard_ns;   /* when the last answer to one, or slots, came */
    uint32_t ask_slots; /* for the next request: few enough that the link is never blocked for long */
    uint64_t said_slots, got_slots;  /* announced by the probe's answers; arrived */
    unsigned lost_takes, unanswered; /* answers that did not come: in all, and in a row */
    uint64_t bad_seen;               /* the link's damaged frames that are in the statistics already */
    uint64_t bad_before;             /* the link's damaged frames when the first lanes were handed over */
    int lost;                        /* the session has ended: the queue has the last slots of these lanes */
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
    int takes_wait;   /* TD_PROBE_TAKES_WAIT */
    int virtual_time; /* slots may be taken only when the host says so */
    int64_t heard_ns;
    struct td_err gone; /* code 0: it is not */
    int coming_back;
    int given_up; /* the link is open, but the probe has ended the session because this host was silent */
    struct td_probe_head head; /* of the message in `in` */
    uint8_t *in, *out;         /* TD_PROBE_MAX_BYTES each */
    struct td_remote_gather gather;
};

enum {
    TD_REMOTE_NOTHING,
    TD_REMOTE_LANES, /* a message for the gatherer, or one that no probe sends */
    TD_REMOTE_ANSWER /* in r->head and r->in */
};

/* remote_message.c: one message to or from the probe. */
#define TD_REMOTE_HEAD_BYTES sizeof(struct td_probe_head)
/* Sends a request whose payload is two pieces; its number is in *seq (0: a new one). */
int td_remote_send(struct td_remote *r, enum td_probe_type type, uint16_t *seq, const void *a, size_t a_bytes,
                   const void *b, size_t b_bytes, struct td_err *err);
/* Waits for one message of any kind. Returns one of the values above, or an error. */
int td_remote_receive(struct td_remote *r, int timeout_ms, struct td_err *err);
const uint8_t *td_remote_payload(const struct td_remote *r);
/* "READ"; for the debug log. */
const char *td_remote_type_name(enum td_probe_type type);
/* The error that the answer in r->in reports. */
int td_remote_refused(struct td_remote *r, struct td_err *err);
/* Marks the probe as gone. The text of the first call is kept. Returns TD_E_GONE. */
int td_remote_gone(struct td_remote *r, struct td_err *err, const char *text);

/* remote_slots.c: the gatherer's lanes, requests and slots. Adds a lane; removes all lanes. */
int td_remote_gather_note(struct td_remote_gather *rg, const struct td_gather_lane *lane, struct td_err *err);
void td_remote_gather_forget(struct td_remote_gather *rg);
/* The session has ended, so the lanes are no longer gathered. */
void td_remote_gather_lose(struct td_remote *r);
/* Chooses how many slots the first request asks for, by the link's speed. */
void td_remote_gather_size(struct td_remote *r);
/* Forgets the first `count` requests: answers come in order, so theirs will not come any more. */
void td_remote_gather_drop(struct td_remote_gather *rg, size_t count);
/* A message that belongs to gathering: LANES, or the answer to a TAKE that is under way: 1, else 0. */
int td_remote_gather_take_in(struct td_remote *r, struct td_err *err);
/* The answer to request `seq` has arrived: requests for slots before it are answered or lost. */
void td_remote_gather_passed(struct td_remote *r, uint16_t seq);
/* Delivers the slots in the queue; adds their number to *taken. */
int td_remote_gather_deliver(struct td_remote *r, td_gather_words *words, void *self, size_t *taken,
                             struct td_err *err);
void td_remote_gather_free(struct td_remote *r);

/* remote_ask.c: requests and sessions. Waits for one message and handles it if it is the gatherer's.
 * Returns one of the values above, or an error. The answer to any other request is in r->head and r->in. */
int td_remote_pump(struct td_remote *r, int timeout_ms, struct td_err *err);
/* How often a request is sent before its silence means that the probe is gone. */
int td_remote_tries(const struct td_remote *r);
/* Waits for the answer to request `seq`. `bytes`: of request and answer together. 1: it is in r->in; 0: it
 * did not come in time. */
int td_remote_await(struct td_remote *r, enum td_probe_type type, uint16_t seq, size_t bytes,
                    struct td_err *err);
/* Marks the probe as gone because it did not answer. Returns TD_E_GONE. */
int td_remote_silent(struct td_remote *r, enum td_probe_type type, struct td_err *err);
/* Asks and waits for the answer's payload: at least `least` bytes; copied to `to` (may be NULL), at most
 * `room`; *got (may be NULL) = how many. */
int td_remote_ask(struct td_remote *r, enum td_probe_type type, const void *a, size_t a_bytes, const void *b,
                  size_t b_bytes, void *to, size_t room, size_t least, size_t *got, struct td_err *err);
/* Begins a session. */
int td_remote_hello(struct td_remote *r, struct td_err *err);
/* After TD_E_GONE: tries to begin a new session, if the device has come back or only the session had
 * ended. 1: there is a new session, without lanes; 0: there is none. */
int td_remote_come_back(struct td_remote *r);

/* remote_gather.c: the gatherer. */
void td_remote_gather_init(struct td_remote *r);
/* Waits until no request is under way, so that a measurement is not disturbed. */
int td_remote_gather_hush(struct td_remote *r, struct td_err *err);
/* Waits until slots are here: 1, or 0. */
int td_remote_gather_wait(struct td_remote *r, int timeout_ms, struct td_err *err);
