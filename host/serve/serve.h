/* Serves a trace to viewers and recorders of any release of Tracy, as if Tendril were the program itself.
 *
 * The trace may still be filled. A viewer that connects late gets the whole history from the model, then follows
 * live. Each viewer has a thread that reads the model at the viewer's own pace and keeps one frame of output, so
 * a slow or suspended viewer delays nobody else and costs no more memory than a fast one.
 *
 *     td_trace_follow(trace);                            before the first event
 *     serve = td_serve_create(trace, &options, err);     takes the port
 *     td_serve_describe(serve, &description);            the program is known: viewers may connect from now on
 *     ... the trace is filled ...
 *     td_serve_end(serve);                               viewers get the rest and are ended, in bounded time
 *     td_serve_destroy(serve);
 *
 * td_serve_end() comes before td_trace_finish(), which sorts rows that viewers are reading. The trace must
 * outlive the server. What a release has no item for is left out, with a line in the debug log (area serve).
 *
 * Threads: the functions below may be called from one thread at a time, which may be the one that fills the
 * trace. Callbacks come from threads of viewers. */
#pragma once
#include "host/trace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_serve;

#define TD_SERVE_VIEWERS 64 /* served at once; more are refused */

struct td_serve_options {
    const char
        *where;   /* "[ADDRESS:]PORT"; address: default 127.0.0.1, "any": every one; port 0: a free one */
    int end_ms;   /* at most for td_serve_end(); 0: 30 s */
    int stall_ms; /* td_serve_end() drops a viewer that takes nothing for this long; 0: 3 s */
    /* A viewer's user changes a parameter of the program. May be NULL. */
    void (*parameter)(void *self, uint32_t index, int32_t value);
    void *self;
};

/* What viewers are sent when they connect. Texts are copied. */
struct td_serve_description {
    const char *program, *host_info; /* host_info may be NULL */
    uint64_t pid, epoch_s, executable_time_s;
    uint64_t resolution_ns, delay_ns;
    int64_t sampling_period_ns;
    uint8_t cpu_arch; /* TD_WIRE_ARCH_* */
    uint32_t cpu_id;
    char cpu_vendor[12];
    bool on_demand;
    uint64_t frame_offset;
    bool identify_samples, combine_samples;
};

struct td_serve_counts {
    unsigned now;     /* viewers that are served */
    uint64_t served;  /* that were welcomed so far */
    uint64_t refused; /* connections that were no viewer, or one too many */
    uint64_t cut;     /* viewers that did not get all of the trace */
    uint64_t late;    /* zones that no viewer gets: they came after others that are in them */
};

/* Takes the port. NULL: *err says why. A finished trace is served as a whole; each viewer's session then ends by
 * itself. */
struct td_serve *td_serve_create(const struct td_trace *trace, const struct td_serve_options *options,
                                 struct td_err *err);
/* Starts to accept viewers, and to announce the program on the network. Later calls are ignored. */
void td_serve_describe(struct td_serve *serve, const struct td_serve_description *description);
/* The description of a trace that was read from a file. */
struct td_serve_description td_serve_description_of(const struct td_trace *trace);
/* "ADDRESS:PORT", for a status line; valid as long as the server. */
const char *td_serve_where(const struct td_serve *serve);
struct td_serve_counts td_serve_get_counts(struct td_serve *serve);
/* No more rows will come, or the recorder has no time left: viewers get what is in the trace, then the session
 * ends as that of a program that terminates. Returns when all are gone or the time is up. */
void td_serve_end(struct td_serve *serve);
/* Drops viewers that are left. NULL is allowed. */
void td_serve_destroy(struct td_serve *serve);
