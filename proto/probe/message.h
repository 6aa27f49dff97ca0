/* Messages between the host and a probe. A probe is a program at a board (in a debug probe, on a hart of a
 * bare-metal board, in the agent itself) that reads and writes the tiles' memory and gathers lanes for a host
 * that cannot do so itself.
 *
 * A message is a head and a payload. The probe answers each request of the host with one message that has the
 * request's number (seq), and its type with the high bit set. Before the answer to TAKE and FINISH the probe
 * sends messages of type LANES with the same number. A request with the seq of the request before is a
 * repetition: the probe answers it again but does not carry it out again. Messages arrive in order: over USB
 * each is one bulk transfer, over a byte stream each is a frame (proto/probe/frame.h), and the receiver drops
 * damaged frames.
 *
 * The probe ends the session of a host that gathers lanes and is silent for TD_PROBE_SILENCE_MS. It answers
 * that host's next request with TD_PROBE_GIVEN_UP. The host then begins a new session with HELLO and hands
 * its lanes over again.
 *
 * Little-endian, natural alignment. Plain C, freestanding.
 */
#pragma once
#include <stdint.h>

#define TD_PROBE_VERSION    2
#define TD_PROBE_MAX_BYTES  16384  /* longest message, head included; HELLO may agree on less */
#define TD_PROBE_MIN_BYTES  512    /* every probe takes messages of this length */
#define TD_PROBE_ANSWER     0x80   /* in `type` */
#define TD_PROBE_SILENCE_MS 5000   /* a gathering host's session ends after this silence */
#define TD_PROBE_GIVEN_UP   (-100) /* a status: see above */
#define TD_PROBE_GRID_BYTES 16

/* clang-format off */
/* X(type, NAME, request's payload, answer's payload, what) */
#define TD_PROBE_MESSAGES(X)                                                                                 \
    X(1, HELLO, hello, hello, "begins a session: versions, sizes; disarms an earlier one's lanes")           \
    X(2, DESCRIBE, offset, text, "the board's description from that byte on; empty: its end")                \
    X(3, READ, place, bytes, "read memory of a tile")                                                        \
    X(4, WRITE, place_and_bytes, none, "write memory of a tile")                                             \
    X(5, FILL, fill, none, "fill memory of a tile with one word")                                            \
    X(6, CLOCK, place, ticks, "wall clock of a tile, 64 bits, read as late as possible")                     \
    X(7, CONTROL, control, value, "a control, see below")                                                    \
    X(8, GATHER, lanes, none, "hand lanes over: take slots from `head` on while `joined` is `join`")         \
    X(9, TAKE, take, taken, "send slots; LANES messages come before the answer")                             \
    X(10, FINISH, take, taken, "TAKE until all is taken, or max_slots; more = 0: the host has the lanes")    \
    X(11, PING, none, none, "keeps the session alive")                                                       \
    X(12, LANES, none, frames, "gathered slots: lane frames (proto/device/frame.h), padded with zero words") \
    X(13, NOTIFY, none, none, "without a request (USB: interrupt endpoint): a lane has slots")
/* clang-format on */

enum td_probe_type {
#define TD_X(type, name, request, answer, what) TD_PROBE_##name = type,
    TD_PROBE_MESSAGES(TD_X)
#undef TD_X
};

struct td_probe_head {
    uint8_t type; /* enum td_probe_type, TD_PROBE_ANSWER set in answers and LANES */
    uint8_t zero;
    int16_t status; /* answers: 0, or a negative enum td_e or TD_PROBE_GIVEN_UP; then the payload is text for
                     * the user */
    uint16_t seq;
    uint16_t bytes; /* of the payload */
};

struct td_probe_hello {
    uint32_t version, max_bytes;
    uint32_t description_bytes;     /* answer; 0: unknown */
    uint32_t flags;                 /* TD_PROBE_HAS_CONTROL, TD_PROBE_TAKES_WAIT */
    char grid[TD_PROBE_GRID_BYTES]; /* answer */
    char name[32];                  /* answer: of the probe, its serial number */
};
#define TD_PROBE_HAS_CONTROL 1 /* answer: CONTROL does something */
/* The host's, which a probe that knows it repeats: READ, WRITE, FILL and CLOCK do not end the wait of a TAKE, which is
 * then answered later than they. */
#define TD_PROBE_TAKES_WAIT 2

struct td_probe_place {
    uint16_t chip, x, y, zero;
    uint64_t address;
    uint32_t bytes; /* to be read; FILL: to be filled; WRITE: of the data that follows */
    uint32_t word;  /* FILL */
};
struct td_probe_control {
    uint32_t what, zero;
    uint64_t value;
};
struct td_probe_lane {
    uint16_t chip, x, y, zero;
    uint32_t lane, ctrl_address, ring_address, ring_slots, head, join;
};
struct td_probe_take {
    uint32_t max_slots, wait_ms;
};
struct td_probe_taken {
    uint32_t slots, more;
};
