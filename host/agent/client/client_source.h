/* Collects a program's events: connects to the client in it, as a Tracy server does, and passes its stream to
 * the hub. Clients are Tendril's, those of Tracy 0.9.0 to 0.14.0, and that of Tenstorrent's fork. The
 * protocol is found by trying one after the other.
 *
 *   create; loop { poll(fd, events, wait_ms); pump } until pump returns 0 or an error; destroy
 *
 * No function waits, except create for the look-up of a host name. After an error, the hub has all events
 * that arrived before it. An object belongs to one thread at a time, the hub's.
 */
#pragma once
#include "host/base/source_file.h"
#include "host/agent/client/client_space.h"
#include "host/agent/client/client_stream.h"
#include "host/agent/client/client_tap.h"

struct td_client_source_config {
    const char *host; /* NULL: 127.0.0.1. A name is looked up in create, which may take a while */
    int port;         /* 0: 8086 */
    int connect_ms;   /* tries to connect for this long; 0: 5000 */
    struct td_hub *hub;
    /* That the hub fills, which begins no later than the program, and has room before; NULL: it is not asked. */
    struct td_trace *trace;
    struct td_client_spaces *spaces; /* of all processes of the trace; NULL: this is the only one */
    /* The trace's clock: its time 0 is t0_ticks of td_host_ticks(). */
    uint64_t t0_ticks;
    double ns_per_tick;
    int without_base_frames; /* 1: do not add base frames at time 0 and when the program was ready */
    int own_clock;           /* 1: the trace's clock is the program's, 0 is its start; t0_ticks is not used */
    uint32_t pending_max;    /* as in struct td_client_stream_config */
    int sources;             /* 1: collect texts of the program's source files */
    struct td_source_rules source_rules; /* which files of this machine may be read; owned by the caller */
    uint32_t protocol; /* to try first; 0: any. 66 covers Tenstorrent's fork, which is recognised later */
    const struct td_client_tap *tap; /* NULL: none; must outlive the source */
    /* Asked before the first byte is sent: false ends the session with TD_E_TIMEOUT. NULL: any program is meant. */
    bool (*is_meant)(void *self, int port);
    void *meant_self;
};

enum td_client_source_state {
    TD_SOURCE_CONNECTING,
    TD_SOURCE_GREETING,
    TD_SOURCE_STREAM, /* events arrive */
    TD_SOURCE_ENDING, /* no more events; waiting for answers about names */
    TD_SOURCE_OVER
};

struct td_client_source;
struct td_client_source *td_client_source_create(const struct td_client_source_config *config,
                                                 struct td_err *err);
/* Ends a running session at once: the client drops what it has not sent. NULL is allowed. */
void td_client_source_destroy(struct td_client_source *source);
/* For poll(): the descriptor (-1: none, only wait), the events, and the longest time to wait (-1: no
 * limit). */
int td_client_source_fd(const struct td_client_source *source);
short td_client_source_events(const struct td_client_source *source);
int td_client_source_wait_ms(const struct td_client_source *source);
/* For a program with one source: waits in poll() as these say, at most `most_ms`. A signal ends it, too. */
void td_client_source_wait(const struct td_client_source *source, int most_ms);
/* Sends and receives without waiting, a bounded amount of data. Returns
 *   1            the session continues
 *   0            it has ended properly, or had ended before this call
 *   TD_E_TIMEOUT no program listens, or it sends nothing
 *   TD_E_VERSION no common protocol
 *   TD_E_GONE    the client vanished, or left questions unanswered
 *   TD_E_FORMAT  not a Tracy client, or its bytes make no sense
 * or another negative enum td_e. After an error the session is over. */
int td_client_source_pump(struct td_client_source *source, struct td_err *err);
/* Sets a parameter of the program (table PARAMETER of the model): the next pump sends it. Indices that the
 * program has not set up are ignored. May be called from any thread until destroy. 0 or TD_E_NOMEM. */
int td_client_source_set_parameter(struct td_client_source *source, uint32_t index, int32_t value,
                                   struct td_err *err);
/* Asks for the end; the caller continues to pump until the session is over. What the program has marked so
 * far is still collected, then the names of it. The session ends after 10 s without a byte or an answer, or
 * after 60 s. */
void td_client_source_ask_end(struct td_client_source *source);
/* Like td_client_source_ask_end(), but drops events that arrive from now on; only names of earlier ones are
 * still collected. For when there is no room for more. */
void td_client_source_take_answers(struct td_client_source *source);
/* Ends the session at once: events that wait for names go to the hub without them. 0, or an error of the
 * hub's sinks. */
int td_client_source_end_now(struct td_client_source *source, struct td_err *err);
/* Bytes that may soon be allocated: by tables that grow in one step, and in the model by events that wait. */
uint64_t td_client_source_growth(const struct td_client_source *source);
enum td_client_source_state td_client_source_get_state(const struct td_client_source *source);
/* Zeroed before TD_SOURCE_STREAM. */
const struct td_wire_welcome *td_client_source_welcome(const struct td_client_source *source);
const struct td_wire_release *td_client_source_release(const struct td_client_source *source);
/* On demand: base frames that the program marked before it was connected; else 0. */
uint64_t td_client_source_frame_offset(const struct td_client_source *source);
/* Bytes of the stream so far: as received, and unpacked. */
void td_client_source_bytes(const struct td_client_source *source, uint64_t *packed, uint64_t *unpacked);
struct td_client_counts td_client_source_counts(const struct td_client_source *source);
/* A bound on the error of the program's times (client_clock.h); 0: it reads the clock of the trace. */
double td_client_source_clock_error_ns(const struct td_client_source *source);
/* The process among others of the trace; NULL: config.spaces is, or its stream has not begun. */
const struct td_client_space *td_client_source_space(const struct td_client_source *source);
