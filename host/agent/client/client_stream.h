/* Decodes the stream of a Tracy client: frames go in, events go to the hub, queries come out. Does no I/O.
 *
 * Events refer to names by addresses in the client, whose texts have to be asked for. Events wait in one
 * queue until the answer arrives, so that the hub gets them with their names and in their order. Answers come
 * in the same stream as events, so the queue must be limited: when more than TD_CLIENT_PENDING_MAX events
 * wait, the oldest go to the hub with promised names (host/event/dict.h), whose content the answers add. Zones
 * go after some thousands, because a client may answer only when its queues are empty. A name stays unknown
 * ("???") only if the client never answers.
 *
 * Data other than events (locks, memory, GPU zones, call stacks, context switches ...) goes to the hub as
 * rows (host/trace/rows.h), at once if it needs no names.
 *
 * Tracy 0.11.0 and the fork both use protocol number 66: the first item of a GPU context shows which it is.
 *
 * Bytes may be hostile: items that make no sense are counted as ignored, or end the stream with an error. An
 * object belongs to one thread at a time.
 */
#pragma once
#include "host/event/event.h"
#include "host/wire/hello.h"

#include <stdbool.h>

#define TD_CLIENT_PENDING_MAX (1u << 19) /* 16 MB of events, in an array of at most 64 MB */
#define TD_CLIENT_UNKNOWN     TD_DICT_UNKNOWN

struct td_client_space;
struct td_trace;

#define TD_STREAM_NS_MOST 4e18 /* the latest time of a stream */

struct td_client_stream_config {
    const struct td_wire_release *release;
    struct td_hub *hub;
    /* Trace time of a tick: zero_ns + (tick - zero_ticks) * ns_per_tick, at least 0. */
    double ns_per_tick;
    int64_t zero_ticks, zero_ns;
    uint32_t query_space; /* queries that may be unanswered at a time; at least 1 */
    uint32_t pending_max; /* events that may wait for names; 0: TD_CLIENT_PENDING_MAX */
    uint64_t frame_offset, pid;
    int code_transfer;                     /* 1: the client sends machine code of its functions */
    const struct td_wire_welcome *welcome; /* valid as long as the stream; NULL: not known */
    /* When what the client sends begins. The trace, which has room before, is to begin no later than its events. */
    int64_t begin_ticks;           /* td_client_stream_begin_ticks() */
    struct td_trace *trace;        /* NULL: it is not asked */
    int sources;                   /* 1: collect texts of source files; the client may be asked for them */
    struct td_client_space *space; /* of the process, next to others in the trace; NULL: it is the only one */
    int replayed; /* 1: a saved session, whose questions another recorder asked: td_client_stream_asked() */
    /* Reads a source file of this machine: malloc'ed bytes; NULL: no such file. May itself be NULL. */
    void *(*local_source)(const char *name, size_t name_bytes, size_t *bytes, void *self);
    void *self;
};

struct td_client_counts {
    uint64_t zones, open_zones, messages, plot_points, frames, crashes;
    uint64_t images, stacks, samples, switches, locks, lock_events, allocations, gpu_zones, parameters;
    uint64_t odd_memory; /* frees of memory not allocated, allocations of memory not freed */
    uint64_t other;      /* items that are of no use here */
    uint64_t ignored;    /* items that make no sense, such as an end without a begin */
    uint64_t unnamed;    /* events that went to the hub without their name */
    uint64_t unanswered; /* questions without an answer, or not asked because earlier ones had none */
    uint64_t time_bent;  /* times before the previous one of their track or before time 0, set to that */
    uint64_t questions;  /* that wait for their answers now, sent or not */
    uint64_t items;
};

struct td_client_stream;
struct td_client_stream *
td_client_stream_create(const struct td_client_stream_config *config); /* NULL: no memory */
void td_client_stream_destroy(struct td_client_stream *stream);        /* NULL is allowed */
/* Decodes one frame and pushes events that are complete. 0, TD_E_FORMAT, TD_E_NOMEM, or a sink's error. */
int td_client_stream_frame(struct td_client_stream *stream, const uint8_t *frame, size_t bytes,
                           struct td_err *err);
/* Writes the queries to send now, TD_WIRE_QUERY_BYTES each, at most `room` bytes. Returns the bytes. */
size_t td_client_stream_queries(struct td_client_stream *stream, uint8_t *to, size_t room);
/* Adds a query that another recorder sent to this client (saved sessions have them), whose answer may come
 * before anything refers to it. 0 or TD_E_NOMEM. */
int td_client_stream_asked(struct td_client_stream *stream, const uint8_t *query, struct td_err *err);
/* Adds a query that sets a parameter of the program. 0, TD_E_NOTFOUND (the program has not set up this index)
 * or TD_E_NOMEM. */
int td_client_stream_set_parameter(struct td_client_stream *stream, uint32_t index, int32_t value,
                                   struct td_err *err);
/* Leaves a client that continues to run (client_leave.c). The caller repeats the call after each reception
 * until it returns 1: then everything that the program had marked at the first call has arrived, as far as
 * that can be known, and from now on only answers are taken. 0: not yet; or TD_E_NOMEM. */
int td_client_stream_leave(struct td_client_stream *stream, int64_t now_ms, struct td_err *err);
/* From now on only answers are taken. */
void td_client_stream_leave_now(struct td_client_stream *stream);
/* From now on, no further source places of instructions are asked for: the session is to end soon.
 * NULL is allowed. */
void td_client_stream_skip_places(struct td_client_stream *stream);
bool td_client_stream_has_left(const struct td_client_stream *stream);
/* When what the client sends begins: with the program; or on demand, and where the trace's clock is not the program's
 * own, when it was connected. */
static inline int64_t td_client_stream_begin_ticks(const struct td_wire_welcome *welcome, bool own_clock,
                                                   int64_t connected_ticks)
{
    return welcome->flags & TD_WIRE_FLAG_ON_DEMAND && !own_clock ? connected_ticks : welcome->initBegin;
}
/* The same as a time: as the configuration has it, or that of an earlier event. */
int64_t td_client_stream_begin_ns(const struct td_client_stream *stream);
/* Changes the conversion of ticks from now on. */
void td_client_stream_set_clock(struct td_client_stream *stream, double ns_per_tick, int64_t zero_ticks,
                                int64_t zero_ns);
/* Asks Tendril's own client to send names before what refers to them. 0 or TD_E_NOMEM. */
int td_client_stream_ask_ahead(struct td_client_stream *stream);
/* Asks Tendril's own client for its clock. 0 or TD_E_NOMEM. */
int td_client_stream_ask_clock(struct td_client_stream *stream);
/* Returns how many answers have arrived, and fills the last one: the client's ticks, and the host's before
 * and after. */
uint32_t td_client_stream_clock(const struct td_client_stream *stream, uint64_t *sent, int64_t *ticks,
                                uint64_t *got);
/* The client has sent its end. */
bool td_client_stream_is_terminated(const struct td_client_stream *stream);
/* All questions are answered. */
bool td_client_stream_is_complete(const struct td_client_stream *stream);
/* The number of answers so far. */
uint64_t td_client_stream_answers(const struct td_client_stream *stream);
/* Ends the stream: pushes events that still wait, with TD_CLIENT_UNKNOWN as the name of what has none. 0 or a
 * negative enum td_e. */
int td_client_stream_close(struct td_client_stream *stream, struct td_err *err);
const struct td_client_counts *td_client_stream_counts(const struct td_client_stream *stream);
/* The protocol as far as it is known: the fork's as soon as an item has shown it. */
const struct td_wire_release *td_client_stream_release(const struct td_client_stream *stream);
/* Bytes that may soon be allocated: by tables of names and allocations that grow in one step, and in the
 * model by events that wait. */
uint64_t td_client_stream_growth(const struct td_client_stream *stream);
/* Adds a mark to the base frame set, as for the program's start. 0 or a negative enum td_e. */
int td_client_stream_base_frame(struct td_client_stream *stream, int64_t ticks, struct td_err *err);
