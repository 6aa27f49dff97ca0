/* What a client's addresses mean: asked once, answered once, kept. Below all other parts of client_stream.
 * One thread at a time. */
#ifndef TD_HOST_AGENT_CLIENT_CLIENT_NAMES_H
#define TD_HOST_AGENT_CLIENT_CLIENT_NAMES_H
#include "host/event/dict.h"
#include "host/event/map.h"
#include "host/wire/hello.h"

#define TD_NO_NUMBER UINT32_MAX

enum td_name_kind {
    TD_NAME_TEXT, /* String */
    TD_NAME_SRCLOC,
    TD_NAME_PLOT,
    TD_NAME_FRAME,
    TD_NAME_THREAD,
    TD_NAME_FIBER,
    TD_NAME_EXTERNAL, /* a thread of any program */
    TD_NAME_ADDRESS,  /* what the code at an address is */
    TD_NAME_SYMBOL,
    TD_NAME_CODE,
    TD_NAME_SOURCE, /* key: number of the request */
    TD_NAME_KINDS
};

enum td_promise { TD_PROMISE_NONE, TD_PROMISE_OPEN, TD_PROMISE_KEPT };

/* One thing that has a name. */
struct td_name {
    uint64_t key;
    uint32_t number; /* of the dictionary (text, location, plot, frame set, track), TD_NO_NUMBER: not yet */
    uint8_t answered;
    uint8_t promise;  /* enum td_promise, of what the number stands for */
    uint64_t unnamed; /* events that went out with a promise */
    union {
        struct {
            uint32_t name, function, file; /* numbers of texts here, TD_NO_NUMBER: none */
            uint32_t line, color;
        } srcloc;
        struct td_plot plot;
        struct {
            int64_t last_ns;
            uint8_t continuous, open;
        } frame;
        struct {
            int64_t last_ns;
            uint64_t open_zones;
            struct td_track track; /* once something happens in it: td_names_track() */
            uint32_t fiber;        /* number here of the fiber that it runs, TD_NO_NUMBER: none */
            uint32_t next_id;      /* of the next zone item, as the program counts: ZoneValidation */
        } thread;
        struct {
            uint32_t process, thread; /* strings */
        } external;
        struct {
            uint32_t name, image, file, line, bytes; /* as of the call; strings */
            uint8_t inlined;
        } symbol;
        uint32_t source; /* string: the file's name */
    } u;
};

struct td_question {
    struct td_wire_query query;
    uint32_t kind, index; /* kind TD_NAME_KINDS: not for a name */
};

struct td_names {
    struct td_dict *dict;
    struct {
        struct td_map map; /* key -> index */
        struct td_name *all;
        size_t count, capacity;
    } kinds[TD_NAME_KINDS];
    /* Questions not yet asked, from `begin` on: those for names, then what is asked with less haste. And
     * locations in the order of their questions: answers to those carry no key. */
    struct {
        struct td_question *all;
        size_t begin, count, capacity;
    } to_ask[2], srclocs_asked;
    uint64_t plain;         /* questions that are answered without a key and are for no name, unanswered */
    uint64_t given_up;      /* answers that say: I cannot */
    uint64_t asked_waiting; /* asked or to be asked, and not answered */
    uint32_t in_flight;     /* sent and not answered */
    uint32_t space;
    uint64_t answers;
    uint32_t ping, pong; /* number of the last one that was asked, and answered */
    struct {
        char *name; /* NULL: none is on the way */
        uint32_t bytes, have;
    } transfer; /* of a source file's name, by another recorder's queries */
};

void td_names_init(struct td_names *names, struct td_dict *dict, uint32_t space);
void td_names_finish(struct td_names *names);

/* The index of what `key` is, asking for it at first sight; TD_NO_NUMBER: no memory. */
uint32_t td_names_see(struct td_names *names, enum td_name_kind kind, uint64_t key);
/* The same for what another recorder's query asks for: names and source files. */
int td_names_see_query(struct td_names *names, const struct td_wire_query *query); /* 0 or -1 */
static inline struct td_name *td_names_at(struct td_names *names, enum td_name_kind kind, uint32_t index)
{
    return &names->kinds[kind].all[index];
}
/* The dictionary's number, TD_NO_NUMBER while a name is missing. With `force`, unknown names are "???". */
uint32_t td_names_number(struct td_names *names, enum td_name_kind kind, uint32_t index, int force);

/* The same, but what has no number yet gets the number of a promise (host/event/dict.h). An answer keeps the
 * promise, but a location waits for td_names_keep(). TD_NO_NUMBER: no memory. */
uint32_t td_names_promise(struct td_names *names, enum td_name_kind kind, uint32_t index);
/* Keeps the promise of a location if all its texts are here, with `force` as far as they are. 1: kept, 0: not
 * yet, TD_E_NOMEM. */
int td_names_keep(struct td_names *names, uint32_t index, int force);
/* Events that went out with promises that are not kept. */
uint64_t td_names_unnamed(const struct td_names *names);

/* As td_names_see(), told apart by who asks for what: 1: it is new. `extra` goes with the question. */
int td_names_want(struct td_names *names, enum td_name_kind kind, uint64_t key, uint32_t extra,
                  uint32_t *index);
/* A source file's text: its question and the transfer of its name before it. 0 or -1: no memory. */
int td_names_want_source(struct td_names *names, uint32_t file);
/* A question that is answered by a plain yes. 0 or -1: no memory. */
int td_names_tell(struct td_names *names, enum td_query query, uint64_t argument);
/* A question whose answer means nothing but that the client has got so far. 0 or -1: no memory. */
int td_names_ping(struct td_names *names);
int td_names_pinged(const struct td_names *names); /* it is answered */
/* The thing itself; NULL: it was never seen. */
struct td_name *td_names_find(struct td_names *names, enum td_name_kind kind, uint64_t key);
/* The track of a thread or fiber, made at first use; TD_NO_NUMBER: no memory. */
uint32_t td_names_track(struct td_names *names, enum td_name_kind kind, uint32_t index);

/* Answers. Those that nobody asked for are taken as well. 0 or TD_E_NOMEM. */
int td_names_answer(struct td_names *names, enum td_name_kind kind, uint64_t key, const uint8_t *text,
                    uint32_t bytes);
int td_names_answer_srcloc(struct td_names *names, const struct td_wire_SourceLocation *answer);
/* An answer came: a unit of query space. */
void td_names_credit(struct td_names *names);
void td_names_answered(struct td_names *names, struct td_name *name);
/* One without a key and without use. */
void td_names_noop(struct td_names *names);
/* Questions that could still be answered, asked or to be asked; complete: there is none. */
uint64_t td_names_unanswered(const struct td_names *names);
int td_names_complete(const struct td_names *names);

size_t td_names_queries(struct td_names *names, const struct td_wire_release *release, uint8_t *to,
                        size_t room);
#endif
