/* What a recorder and an agent on another machine send each other over TCP. Numbers are little-endian.
 *
 * The recorder makes two connections and begins each with a hello. On the first one, the agent answers, and
 * waits for TD_REMOTE_BEGIN. Then it sends a journal (host/agent/journal/journal_layout.h) until its boards have
 * ended, with COLLECTED as its last record. The recorder may send TD_REMOTE_END, which asks for that end. It
 * closes the connection when it has read all.
 *
 * The second one is for the clocks: each ping of the recorder is answered at once by a pong, from before
 * TD_REMOTE_BEGIN until the recorder closes. So the agent's boards are recorded between two comparisons of the
 * clocks, however late the recorder reads. */
#pragma once
#include <stdint.h>

#define TD_REMOTE_MAGIC   "TDAGENT\n"
#define TD_REMOTE_VERSION 2
#define TD_REMOTE_PORT    8100 /* where an agent listens if nothing else is given */
#define TD_REMOTE_BEGIN   'B'
#define TD_REMOTE_END     'E'

enum td_remote_role { TD_REMOTE_STREAM, TD_REMOTE_CLOCK };

struct td_remote_opening {
    char magic[8];
    uint32_t version, role;
    uint64_t token; /* CLOCK: that of the answer on the other connection */
};

/* status 0: the session begins. Else `text` says why not, and the agent closes the connection. */
struct td_remote_answer {
    char magic[8];
    uint32_t version, status;
    uint64_t token;
    double ns_per_tick; /* of the agent's clock */
    char text[96];      /* ends with 0 */
};

struct td_remote_ping {
    uint64_t number;
};
/* ticks: the agent's clock (td_host_ticks()) between the ping's arrival and the pong's departure. */
struct td_remote_pong {
    uint64_t number, ticks;
};

_Static_assert(sizeof(struct td_remote_opening) == 24, "hello");
_Static_assert(sizeof(struct td_remote_answer) == 128, "answer");
_Static_assert(sizeof(struct td_remote_pong) == 16, "pong");
