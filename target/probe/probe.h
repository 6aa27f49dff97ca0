/* Probe engine: answers a host's messages (proto/probe/message.h) at a board, and gathers its lanes.
 *
 * Freestanding: no allocation, no operating system, memcpy and memset only. The caller (a debug probe's
 * firmware, a hart of the board or a program) gives it memory and two tables of callbacks: to reach tiles and
 * to send one message. Then the caller calls td_probe_message() with each message that arrives and
 * td_probe_idle() whenever no message has arrived:
 *
 *     for (;;)
 *         if ((bytes = receive(buffer)) > 0)
 *             td_probe_message(&probe, buffer, bytes, now_ms());
 *         else
 *             td_probe_idle(&probe, now_ms());
 *
 * The engine checks the lengths and fields of the host's messages; the board's callbacks check addresses.
 * One thread. Only the callbacks may wait. now_ms may wrap.
 *
 * No core waits for a host that is gone. When the host closes the connection (td_probe_end()), sends HELLO
 * again, or is silent for silence_ms, all lanes that it handed over in this session get the policy off, and
 * the controls that it left on (frozen board, agent) are reset. From one td_probe_idle() to the next at most
 * TD_PROBE_LOOK_MS count as silence, so a slow board or a busy processor does not make a host seem silent.
 * The session of a silent host is over: its next request is answered with TD_PROBE_GIVEN_UP, and it has to
 * send HELLO. Another host may have begun a session meanwhile.
 */
#pragma once
#include "proto/probe/message.h"

#include <stdbool.h>
#include <stdint.h>

#define TD_PROBE_WHY_BYTES 120 /* room for the text of an error, its end included */
#define TD_PROBE_PENDING   8   /* TAKE requests that may wait at a time */
#define TD_PROBE_LOOK_MS   20  /* between two looks for silence, at most */

struct td_probe_at {
    uint16_t chip, x, y;
};

/* All return 0 or a negative enum td_e (host/base/err.h) and then may put a line for the user into
 * why[TD_PROBE_WHY_BYTES], which is empty before. */
struct td_probe_board {
    /* As in host/transport/transport.h: aligned words are not torn. The other side's pointer may be
     * unaligned. */
    int (*read)(void *self, struct td_probe_at at, uint64_t address, void *to, uint32_t bytes, char *why);
    int (*write)(void *self, struct td_probe_at at, uint64_t address, const void *from, uint32_t bytes,
                 char *why);
    /* Writes the same word repeatedly; bytes is a multiple of 4. NULL: by write. */
    int (*fill)(void *self, struct td_probe_at at, uint64_t address, uint32_t word, uint32_t bytes,
                char *why);
    /* Memory that this processor can load and store, valid until td_probe_end(); NULL, or returning NULL:
     * lanes are gathered by read and write. */
    void *(*map)(void *self, struct td_probe_at at, uint64_t address, uint32_t bytes);
    int (*clock)(void *self, struct td_probe_at at, uint64_t *ticks, char *why);
    /* enum td_control; NULL: has none. */
    int (*control)(void *self, uint32_t what, uint64_t value, uint64_t *out, char *why);
    /* Is the board still there? Asked by PING and by TAKE when lanes hold nothing. NULL: always. */
    int (*alive)(void *self, char *why);
    const char *description; /* text of a board's description, or NULL */
    const char *grid;        /* "WxH" or NULL */
    const char *name;        /* of this probe, its serial number; or NULL */
    void *self;
};

struct td_probe_link {
    /* Sends one message, and waits for room if it has to. Negative: the host is gone; not called again before
     * the next message arrives. */
    int (*send)(void *self, const void *message, uint32_t bytes);
    /* Notifies the host that some lane holds slots; at most once between two TAKEs. NULL: TAKE with wait_ms
     * does it. */
    void (*notify)(void *self);
    void *self;
};

/* One gathered lane; private to the engine. */
struct td_probe_lane_state {
    struct td_probe_at at;
    uint32_t lane, ctrl_address, ring_address, ring_slots, head;
    uint32_t join;                  /* in `joined` while the core feeds the lane */
    uint32_t quiet;                 /* looks since a slot was seen */
    uint32_t holes;                 /* looks at slots that hold nothing although the tail is beyond them */
    uint32_t left;                  /* slots that FINISH may still take */
    volatile uint32_t *ctrl, *ring; /* mapped, or NULL */
};

struct td_probe_config {
    struct td_probe_board board;
    struct td_probe_link link;
    void *out;          /* one message on its way to the host, 8-byte aligned */
    uint32_t out_bytes; /* TD_PROBE_MIN_BYTES..TD_PROBE_MAX_BYTES; the longest message either way */
    struct td_probe_lane_state *lanes; /* as many lanes as can be gathered at a time */
    uint32_t lane_capacity;
    void *kept;          /* as `out`, for td_probe_keep_slots(); or NULL */
    uint32_t silence_ms; /* 0: TD_PROBE_SILENCE_MS */
    bool
        in_idle; /* slots are given out only in td_probe_idle(): the caller knows when it is worth a message */
};

struct td_probe_stats {
    uint64_t messages, bad_messages, slots;
};

struct td_probe {
    struct td_probe_config config;
    struct td_probe_stats stats;
    /* The rest is private to the engine. */
    uint32_t max_bytes; /* agreed on in HELLO; 0: no session */
    uint32_t now_ms, silent_ms;
    uint32_t lane_count;             /* handed over in this session */
    uint32_t turn;                   /* lane to look at first */
    uint32_t kept_bytes, kept_slots; /* in config.kept */
    uint8_t gathering, finishing, notified, ended_by_silence, send_failed, agent, takes_wait;
    uint32_t frozen; /* times that the host froze the board */
    struct {
        struct td_probe_take take;
        uint32_t since_ms;
        uint16_t seq;
    } pending[TD_PROBE_PENDING];
    uint32_t pending_count;
    /* The last answer, for a host that repeats its request. */
    uint32_t last_bytes;
    uint64_t last[(sizeof(struct td_probe_head) + TD_PROBE_WHY_BYTES + 7) / 8];
    char why[TD_PROBE_WHY_BYTES];
};

/* Negative enum td_e: the configuration cannot be. Everything that the config points to stays the caller's
 * and must live as long as the probe. */
int td_probe_init(struct td_probe *p, const struct td_probe_config *config);
/* One message that arrived whole and undamaged; need not be aligned. Answers, unless it is no request. */
void td_probe_message(struct td_probe *p, const void *message, uint32_t bytes, uint32_t now_ms);
/* Does the work without messages: a TAKE that waits, notification, silence. Call it at least every ms while
 * td_probe_is_gathering(), and every TD_PROBE_LOOK_MS while td_probe_has_session(). 1: it sent something,
 * call again at once; 0: nothing to do now. */
int td_probe_idle(struct td_probe *p, uint32_t now_ms);
/* 1: lanes are gathered now, so idle() has to be called often. */
bool td_probe_is_gathering(const struct td_probe *p);
/* Takes slots out of lanes and keeps them for the next TAKE, which needs no message. 1: lanes hold none any more; 0: there is
 * no room for more. */
bool td_probe_keep_slots(struct td_probe *p);
/* The most slots that a gathered lane holds, as its core has published it: up to TD_TAIL_BEHIND fewer than there are. */
uint32_t td_probe_fullest(struct td_probe *p, uint32_t *ring_slots);
/* 1: the host waits for slots, and at the last look lanes held none. */
bool td_probe_awaits_slots(const struct td_probe *p);
/* Has a host said hello, and is not known to be gone? */
bool td_probe_has_session(const struct td_probe *p);
/* 1: the last session ended because its host was silent, and it has not come back. */
bool td_probe_was_given_up(const struct td_probe *p);
/* The host hung up: ends its session. */
void td_probe_end(struct td_probe *p);
