/* Converts times of a program to times of the trace.
 *
 * A program on this machine usually reads the clock of the trace: its times are exact. The clock of another
 * program is measured by exchanges: this process sends bytes, the program writes its ticks, and the answer
 * arrives. The program's ticks were read between the two, so half of the round trip bounds the error. The
 * first exchange is the greeting (Tendril's client, and others on demand). Tendril's client is asked again
 * during the session, which also measures the drift. For other clients, the machines' times of day remain,
 * which are exact to about a second.
 *
 * Not thread-safe. */
#pragma once
#include "host/agent/client/client_source.h"
#include "host/trace/trace.h"

/* One exchange. sent, got: td_host_ticks() of this process. */
struct td_client_exchange {
    uint64_t sent, got;
    int64_t ticks; /* of the program */
};

struct td_client_clock {
    /* Trace time of a tick: zero_ns + (tick - zero_ticks) * ns_per_tick. */
    double ns_per_tick;
    int64_t zero_ticks, zero_ns;
    int is_same;                /* 1: the program reads the trace's clock */
    double error_ns;            /* bound on the error of its times */
    double rate, reported_rate; /* ns per tick, measured if possible; as the program reports it */
    /* The best exchange so far (half of its round trip), and the first good one, from which the drift is
     * measured. */
    double best_ns, first_ns, first_error_ns;
    int64_t first_ticks;
    unsigned exchanges;
    bool corrects; /* the times run faster or slower for a while, to correct an error */
    bool may_ask;  /* set by the caller: the client is Tendril's, which can be asked for its clock */
    int64_t ask_ms;
    uint32_t answers;
};

#define TD_CLIENT_CLOCK_MS 250 /* between two questions for the clock */

/* Relates the clocks by the greeting. greeting->sent 0: it has no ticks of the program. */
void td_client_clock_begin(struct td_client_clock *clock, const struct td_client_source_config *config,
                           const struct td_wire_welcome *welcome, const struct td_client_exchange *greeting);
/* The client's ticks come from the clock that td_host_ticks() reads: the rate is the same, and the ticks
 * since the program's start agree with the seconds since then by the time of day; or, because that may have been
 * set meanwhile, with the age of a process of this machine that has the program's number. */
bool td_client_reads_our_clock(const struct td_wire_welcome *welcome, double ns_per_tick);
/* What the trace says about the program's process, its timer among that. 0 or TD_E_NOMEM. */
int td_client_describe(const struct td_wire_welcome *welcome, struct td_trace_info *info);
/* Takes another exchange. True: the conversion has changed, by little: it is continuous at this time. */
bool td_client_clock_exchange(struct td_client_clock *clock, const struct td_client_source_config *config,
                              const struct td_client_exchange *exchange);
/* Asks the client when it is time, and corrects the stream's conversion by its answers; does nothing if the
 * clock is the trace's or may not be asked for. 1: the conversion has changed; 0: it has not; or TD_E_NOMEM. */
int td_client_clock_follow(struct td_client_clock *clock, const struct td_client_source_config *config,
                           struct td_client_stream *stream);
/* The same for the user: "timer resolution 20 ns, queue delay 35 ns". */
void td_client_timer_text(const struct td_wire_welcome *welcome, char *to, size_t bytes);
