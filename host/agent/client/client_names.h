/* Names of the things that a client refers to by address or number: asks for each once, and keeps the answer.
 * Used by all other parts of client_stream. An object belongs to one thread at a time.
 *
 * A thing is identified by its kind and key (the client's address or number). Its index is its place in the
 * table of its kind. Its number is the dictionary's, which it gets when its name is known. */
#pragma once
#include "host/agent/client/client_space.h"
#include "host/event/dict.h"
#include "host/event/map.h"
#include "host/wire/hello.h"

#include <stdbool.h>

struct td_wire_SourceLocation;

#define TD_NO_NUMBER UINT32_MAX

enum td_name_kind {
    TD_NAME_TEXT, /* a string of the program */
    TD_NAME_SRCLOC,
    TD_NAME_PLOT,
    TD_NAME_FRAME,
    TD_NAME_THREAD,
    TD_NAME_FIBER,
    TD_NAME_EXTERNAL, /* a thread of any program */
    TD_NAME_ADDRESS,  /* the frames at an address of code */
    TD_NAME_SYMBOL,
    TD_NAME_CODE,   /* machine code of a symbol */
    TD_NAME_SOURCE, /* text of a source file; key: number of the request */
    TD_NAME_KINDS
};

enum td_promise { TD_PROMISE_NONE, TD_PROMISE_OPEN, TD_PROMISE_KEPT };

struct td_name {
    uint64_t key;
    uint32_t number; /* of the dictionary (text, location, plot, frame set, track); TD_NO_NUMBER: not yet */
    uint8_t answered;
    uint8_t promise;  /* enum td_promise: whether `number` is a promise */
    uint64_t unnamed; /* events that went to the hub with the promise */
    union {
        struct {
            uint32_t name, function, file; /* indices of texts; TD_NO_NUMBER: none */
            uint32_t line, color;
        } srcloc;
        struct td_plot plot;
        struct {
            int64_t last_ns;
            uint8_t is_marked, continuous, open; /* is_marked: `continuous` is known */
        } frame;
        struct {
            int64_t last_ns;
            uint64_t open_zones;
            struct td_track track;          /* see td_names_track() */
            uint32_t fiber;                 /* index of the fiber that it runs; TD_NO_NUMBER: none */
            uint32_t last_srcloc, last_ref; /* of the zone that began last, as in an event that waits */
            bool has_begun;
            bool is_only_named; /* its name came ahead, and nothing of it yet */
        } thread;
        struct {
            uint32_t process, thread; /* strings */
        } external;
        struct {
            uint32_t name, image, file, line, bytes; /* file and line: of the call; texts: strings */
            uint8_t inlined;
        } symbol;
        uint32_t source; /* string: the file's name */
    } u;
};

struct td_question {
    struct td_wire_query query;
    uint32_t kind, index; /* of the name; kind TD_NAME_KINDS: not about a name */
};

struct td_names {
    struct td_dict *dict;
    struct td_client_space *trace_space; /* NULL: the process is the only one of the trace */
    struct {
        struct td_map map; /* key -> index */
        struct td_name *all;
        size_t count, capacity;
    } kinds[TD_NAME_KINDS];
    /* to_ask: questions not yet sent, from `begin` on; [0]: about names, [1]: less urgent ones.
     * srclocs_asked: source locations in the order of their questions, because the answers have no key. */
    struct {
        struct td_question *all;
        size_t begin, count, capacity;
    } to_ask[2], srclocs_asked;
    uint64_t plain;         /* unanswered questions that are not about a name, whose answers have no key */
    uint64_t given_up;      /* questions that the client could not answer */
    uint64_t asked_waiting; /* questions without an answer, sent or not */
    uint32_t in_flight;     /* sent questions without an answer */
    uint32_t space;         /* the limit of in_flight */
    uint64_t answers;
    uint32_t ahead;      /* index of the thing that the next answer is about, which was not asked for */
    bool is_ahead;       /* the next answer is such a one */
    uint32_t ping, pong; /* number of the last ping that was asked, and answered */
    /* Of the client's clock: the last question (0: it is answered), when it was asked, and the answer. */
    uint32_t clock_asked;
    uint32_t clock_count; /* answers */
    uint64_t clock_sent, clock_got;
    int64_t clock_ticks;
    /* The name of a source file, which another recorder's queries transfer. */
    struct {
        char *name; /* NULL: no transfer has begun */
        uint32_t bytes, have;
    } transfer;
};

void td_names_init(struct td_names *names, struct td_dict *dict, uint32_t space);
void td_names_free(struct td_names *names);

/* The index of the thing with this key; asks for its name at the first call. TD_NO_NUMBER: no memory. */
uint32_t td_names_see(struct td_names *names, enum td_name_kind kind, uint64_t key);
/* The same for the name or source file that another recorder's query asks for; ignores other queries. 0 or
 * TD_E_NOMEM. */
int td_names_see_query(struct td_names *names, const struct td_wire_query *query);
static inline struct td_name *td_names_at(struct td_names *names, enum td_name_kind kind, uint32_t index)
{
    return &names->kinds[kind].all[index];
}
/* The dictionary's number; TD_NO_NUMBER: a name is missing yet, or no memory. force: use "???" for missing
 * names. */
uint32_t td_names_number(struct td_names *names, enum td_name_kind kind, uint32_t index, int force);

/* The same, but a thing without a number gets that of a promise (host/event/dict.h). The answer gives the
 * promise its content; for a source location, td_names_keep() does. TD_NO_NUMBER: no memory. */
uint32_t td_names_promise(struct td_names *names, enum td_name_kind kind, uint32_t index);
/* Gives the promise of a source location its content if all its texts are known (force: or with those that
 * are). 1: done; 0: texts are missing; TD_E_NOMEM. */
int td_names_keep(struct td_names *names, uint32_t index, int force);
/* Events that went to the hub with a promise that has no content yet. */
uint64_t td_names_unnamed(const struct td_names *names);

/* As td_names_see(), for answers that are rows, not names; sets *index. `extra` is sent with the question. 1:
 * the thing is new; 0: it was asked for before; TD_E_NOMEM. */
int td_names_want(struct td_names *names, enum td_name_kind kind, uint64_t key, uint32_t extra,
                  uint32_t *index);
/* Asks for a source file's text: sends the file's name, then the question. 0 or TD_E_NOMEM. */
int td_names_want_source(struct td_names *names, uint32_t file);
/* Sends a request that is only acknowledged. 0 or TD_E_NOMEM. */
int td_names_request(struct td_names *names, enum td_query query, uint64_t argument);
/* Sends a question whose answer shows only that the client has come this far. 0 or TD_E_NOMEM. */
int td_names_ping(struct td_names *names);
/* The last ping is answered. */
bool td_names_has_ponged(const struct td_names *names);
/* Asks Tendril's own client for its clock, unless it has not answered yet. 0 or TD_E_NOMEM. */
int td_names_ask_clock(struct td_names *names);
/* Asks Tendril's own client for names before what refers to them (host/wire/names_ahead.h). 0 or TD_E_NOMEM. */
int td_names_ask_ahead(struct td_names *names);
/* NULL: the thing was never seen. */
struct td_name *td_names_find(struct td_names *names, enum td_name_kind kind, uint64_t key);
/* The track of a thread or fiber, made at first use; TD_NO_NUMBER: no memory. */
uint32_t td_names_track(struct td_names *names, enum td_name_kind kind, uint32_t index);

/* Answers; those without a question are taken as well. 0 or TD_E_NOMEM. */
int td_names_answer(struct td_names *names, enum td_name_kind kind, uint64_t key, const uint8_t *text,
                    uint32_t bytes);
int td_names_answer_srcloc(struct td_names *names, const struct td_wire_SourceLocation *answer);
/* Counts an answer: another question may be sent. */
void td_names_credit(struct td_names *names);
void td_names_answered(struct td_names *names, struct td_name *name);
/* An answer without key or content. */
void td_names_noop(struct td_names *names);
/* Questions without an answer, sent or not. */
uint64_t td_names_unanswered(const struct td_names *names);
bool td_names_is_complete(const struct td_names *names);

/* Writes the questions to send now, at most `room` bytes. Returns the bytes. */
size_t td_names_queries(struct td_names *names, const struct td_wire_release *release, uint8_t *to,
                        size_t room);
