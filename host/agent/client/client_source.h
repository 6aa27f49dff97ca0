/* A program's events as a source of the agent: connects to its client (Tendril's, or that of any release of
 * Tracy from 0.9.0 to 0.14.0 and of Tenstorrent's fork) as a Tracy server does and pumps its stream into the
 * hub. Which protocol the client speaks is found out by trying one after the other.
 *
 *   create; loop { poll(fd, events, wait_ms); pump } until pump says over; destroy
 *
 * Nothing blocks. A session that ends in an error has pushed everything that arrived: the error says why
 * there is no more. One thread at a time, the hub's.
 */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_SOURCE_H
#define TD_HOST_AGENT_CLIENT_CLIENT_SOURCE_H
#include "host/agent/client/client_files.h"
#include "host/agent/client/client_stream.h"

struct td_client_source_config {
    const char *host; /* NULL: 127.0.0.1. A name is looked up at once, which may take a while */
    int port;         /* 0: 8086 */
    int connect_ms;   /* keeps trying to connect for so long; 0: 5000 */
    struct td_hub *hub;
    /* The trace's clock: 0 is t0_ticks of td_host_ticks(). */
    uint64_t t0_ticks;
    double ns_per_tick;
    int without_base_frames; /* 1: do not begin the base frame set at 0 and at the program's readiness */
    int own_clock;           /* 1: the trace's clock is the program's: 0 is its start, t0_ticks is not used */
    uint32_t pending_max;    /* as td_client_stream_config's */
    int sources;             /* 1: texts of the program's source files are wanted */
    struct td_source_rules source_rules; /* which of this machine; the folders' names are the caller's */
    uint32_t protocol; /* the one to try first; 0: any. Tenstorrent's fork is told from 66 by itself */
};

enum td_client_source_state {
    TD_SOURCE_CONNECTING,
    TD_SOURCE_GREETING,
    TD_SOURCE_STREAM, /* events arrive */
    TD_SOURCE_ENDING, /* the client has said its end, or was left; names are still to come */
    TD_SOURCE_OVER
};

struct td_client_source;
struct td_client_source *td_client_source_create(const struct td_client_source_config *config,
                                                 struct td_err *err);
/* Leaves a running session at once: the client drops what it has not sent. NULL is allowed. */
void td_client_source_destroy(struct td_client_source *source);
int td_client_source_fd(const struct td_client_source *source);       /* to poll; -1: only time counts now */
short td_client_source_events(const struct td_client_source *source); /* of poll() */
int td_client_source_wait_ms(const struct td_client_source *source);  /* poll no longer; -1: no limit */
/* Does what can be done now, for a bounded amount of data. 1: goes on; 0: over, ended properly; negative enum
 * td_e: over, and *err says why: TD_E_TIMEOUT nobody there or silent, TD_E_VERSION another protocol,
 * TD_E_GONE the client vanished, or left questions unanswered, TD_E_FORMAT not a Tracy client or broken
 * bytes. After that it returns 0 without doing anything. */
int td_client_source_pump(struct td_client_source *source, struct td_err *err);
/* Tells the program to set a parameter that it has set up (table PARAMETER of the model). From any thread, as
 * long as the source is there; goes out with the next pump. 0, or TD_E_NOMEM. An index that the program has
 * not set up is left out. */
int td_client_source_set_parameter(struct td_client_source *source, uint32_t index, int32_t value,
                                   struct td_err *err);
/* The user stops: go on pumping until over. What the program had marked is taken first, then what its names
 * are; that takes at most 10 s without a byte or an answer, 60 s in all. */
void td_client_source_ask_end(struct td_client_source *source);
/* There is no room for more: go on pumping until over. Events that come from now on are dropped; the names of
 * those that came before are still taken, as long as the client answers. */
void td_client_source_take_answers(struct td_client_source *source);
/* Ends the session at once: what waits for names goes to the hub without. 0, or an error of the hub's sinks.
 */
int td_client_source_end_now(struct td_client_source *source, struct td_err *err);
/* Bytes that its tables may soon grow by in one step, and what events that wait will take of the model. */
uint64_t td_client_source_growth(const struct td_client_source *source);
enum td_client_source_state td_client_source_get_state(const struct td_client_source *source);
/* Valid in TD_SOURCE_STREAM and later, else zeroed. */
const struct td_wire_welcome *td_client_source_welcome(const struct td_client_source *source);
const struct td_wire_release *td_client_source_release(const struct td_client_source *source);
/* Base frames that the program had marked before it was connected (on demand), else 0. */
uint64_t td_client_source_frame_offset(const struct td_client_source *source);
/* Bytes of the stream so far: as they came, and unpacked. */
void td_client_source_bytes(const struct td_client_source *source, uint64_t *packed, uint64_t *unpacked);
struct td_client_counts td_client_source_counts(const struct td_client_source *source);
/* 1: the client reads the same clock as this machine, its times are exact; 0: they are aligned to about a
 * second. */
int td_client_source_same_clock(const struct td_client_source *source);
int td_client_source_silent_ms(const struct td_client_source *source); /* since bytes last came */
#endif
