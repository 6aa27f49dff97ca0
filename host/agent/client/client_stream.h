/* The stream of a Tracy client, decoded: frames go in, events go to the hub, queries come out. Knows no I/O.
 *
 * Events name things by the client's addresses, whose texts have to be asked for. Until an answer is here,
 * events wait in one queue, in their order; so the hub gets events with all their names, and the order
 * within a track holds. When more than TD_CLIENT_PENDING_MAX wait (answers come in the same stream as events,
 * so one must read on to get them), the oldest go to the hub with promised names (host/event/dict.h), which
 * the answers keep. A name stays unknown ("???") only if the client never answers. Bytes may be hostile: what
 * makes no sense is counted as ignored or refused with one error.
 *
 * What is not an event (locks, memory, GPU zones, call stacks, context switches ...) goes to the hub as rows
 * (host/trace/rows.h), at once where it needs no names. Protocol 66 is Tracy's and the fork's: the first item
 * of a GPU context tells which. One thread at a time.
 */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_STREAM_H
#define TD_HOST_AGENT_CLIENT_CLIENT_STREAM_H
#include "host/event/event.h"
#include "host/wire/hello.h"

#define TD_CLIENT_PENDING_MAX (1u << 19) /* 16 MB of events, in a list of at most 64 MB */
#define TD_CLIENT_UNKNOWN     TD_DICT_UNKNOWN

struct td_client_stream_config {
    const struct td_wire_release *release;
    struct td_hub *hub;
    /* Trace time of a tick: zero_ns + (tick - zero_ticks) * ns_per_tick, at least 0. */
    double ns_per_tick;
    int64_t zero_ticks, zero_ns;
    uint32_t query_space; /* queries that may be unanswered at a time, at least 1 */
    uint32_t pending_max; /* events that wait for names; 0: TD_CLIENT_PENDING_MAX */
    uint64_t frame_offset, pid;
    int code_transfer; /* the client hands out machine code of its functions */
    int sources;       /* texts of source files are wanted, and the client may be asked for them */
    int replayed;      /* a saved session: another recorder has asked, td_client_stream_asked() */
    /* NULL, or a source file of this machine: malloc'ed bytes, NULL: there is none. */
    void *(*local_source)(const char *name, size_t name_bytes, size_t *bytes, void *self);
    void *self;
};

struct td_client_counts {
    uint64_t zones, open_zones, messages, plot_points, frames, crashes;
    uint64_t images, stacks, samples, switches, locks, lock_events, allocations, gpu_zones, parameters;
    uint64_t odd_memory; /* frees of what was not allocated, allocations of what was not freed */
    uint64_t other;      /* items taken and not kept */
    uint64_t ignored;    /* items that made no sense: ends without a begin and the like */
    uint64_t unnamed;    /* events that went out without their name */
    uint64_t unanswered; /* questions, those included that were not asked for want of answers */
    uint64_t time_bent;  /* times that lay before the one before on their track, and were set to it */
    uint64_t items;
};

struct td_client_stream;
struct td_client_stream *
td_client_stream_create(const struct td_client_stream_config *config); /* NULL: no memory */
void td_client_stream_destroy(struct td_client_stream *stream);        /* NULL is allowed */
/* Decodes one frame and pushes what is complete. 0, TD_E_FORMAT, TD_E_NOMEM, or a sink's error. */
int td_client_stream_frame(struct td_client_stream *stream, const uint8_t *frame, size_t bytes,
                           struct td_err *err);
/* Writes queries that are due, TD_WIRE_QUERY_BYTES each, at most `room` bytes; returns the bytes. */
size_t td_client_stream_queries(struct td_client_stream *stream, uint8_t *to, size_t room);
/* A query that another recorder asked of this client (a saved session has them): its answer may come before
 * anything refers to what was asked for. 0 or TD_E_NOMEM. */
int td_client_stream_asked(struct td_client_stream *stream, const uint8_t *query, struct td_err *err);
/* Tells the program to set a parameter: a query among the others. 0, TD_E_NOTFOUND: it has set up none of
 * that index, or TD_E_NOMEM. */
int td_client_stream_set_parameter(struct td_client_stream *stream, uint32_t index, int32_t value,
                                   struct td_err *err);
/* The session is to end although the client goes on: to be called after each look at what has come, until it
 * is 1: all that the program had marked at the first call is here, as far as that can be known, and from now
 * on only answers are taken. 0: not yet. Or TD_E_NOMEM. */
int td_client_stream_leave(struct td_client_stream *stream, int64_t now_ms, struct td_err *err);
void td_client_stream_leave_now(struct td_client_stream *stream); /* from now on only answers are taken */
int td_client_stream_has_left(const struct td_client_stream *stream);
int td_client_stream_terminated(const struct td_client_stream *stream); /* the client said that it ends */
int td_client_stream_complete(const struct td_client_stream *stream); /* nothing is asked and not answered */
uint64_t td_client_stream_answers(const struct td_client_stream *stream); /* grows with every answer */
/* Pushes what still waits, with TD_CLIENT_UNKNOWN for what never got a name. */
int td_client_stream_close(struct td_client_stream *stream, struct td_err *err);
const struct td_client_counts *td_client_stream_counts(const struct td_client_stream *stream);
/* The protocol, as far as it is known: the fork's once an item told it from Tracy's of the same number. */
const struct td_wire_release *td_client_stream_release(const struct td_client_stream *stream);
/* Bytes that tables of names and allocations may soon grow by in one step, and what events that wait will
 * take of the model. */
uint64_t td_client_stream_growth(const struct td_client_stream *stream);
/* A mark in the base frame set: what the time of the start and of readiness are. */
int td_client_stream_base_frame(struct td_client_stream *stream, int64_t ticks, struct td_err *err);
#endif
