/* Records what an agent on another machine sends: connects to it, relates its clock to this machine's, and
 * passes the records of its journal on, with times of this machine.
 *
 *   create; loop { poll(fd, events, some ms); pump } until pump returns 0 or an error; destroy
 *
 * No function waits, except create for the look-up of a host name, and pump for at most TD_AGENT_PONG_MS if
 * the clocks could not be compared lately. An object belongs to one thread at a time. */
#pragma once
#include "host/agent/journal/journal_reader.h"

#define TD_AGENT_PONG_MS 200

struct td_agent_source_config {
    const char *host;
    int port;                 /* 0: TD_REMOTE_PORT */
    int connect_ms;           /* tries to connect for this long */
    double ns_per_tick;       /* of the trace's clock, td_host_ticks() */
    td_journal_visit *record; /* gets the records; times of CLOCK records are this machine's */
    void *self;
};

struct td_agent_source;
struct td_agent_source *td_agent_source_create(const struct td_agent_source_config *config,
                                               struct td_err *err);
void td_agent_source_destroy(struct td_agent_source *source); /* NULL is allowed */
int td_agent_source_fd(const struct td_agent_source *source); /* -1: none, only wait */
short td_agent_source_events(const struct td_agent_source *source);
/* Sends and receives a bounded amount. Returns 1: the session continues; 0: it has ended properly;
 * TD_E_TIMEOUT: no agent listens; TD_E_VERSION; TD_E_GONE: the agent vanished, or refuses; TD_E_FORMAT: not an
 * agent, or its bytes are damaged; or another negative enum td_e. */
int td_agent_source_pump(struct td_agent_source *source, struct td_err *err);
/* Asks the agent to end its boards; the caller continues to pump. */
void td_agent_source_ask_end(struct td_agent_source *source);
/* The session has begun. */
bool td_agent_source_is_connected(const struct td_agent_source *source);
/* Bound on the error between the two machines' clocks, ns; INFINITY: they were not compared. */
double td_agent_source_bound_ns(const struct td_agent_source *source);
/* When the last bytes arrived, td_mono_ms(). */
int64_t td_agent_source_heard_ms(const struct td_agent_source *source);
/* After the proper end: the exit code of the agent's program, 128 + signal; 0: it had none, did not fail, or was
 * asked to end. */
uint32_t td_agent_source_program_code(const struct td_agent_source *source);
/* "HOST:PORT", for messages. */
const char *td_agent_source_where(const struct td_agent_source *source);
