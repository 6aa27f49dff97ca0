/* What a client's addresses mean: asked once, answered once, kept. Used by client_stream.c. One thread at a
 * time. */
#ifndef TD_HOST_AGENT_CLIENT_NAMES_H
#define TD_HOST_AGENT_CLIENT_NAMES_H
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
    TD_NAME_KINDS
};

/* One thing that has a name. */
struct td_name {
    uint64_t key;
    uint32_t number; /* of the dictionary (text, location, plot, frame set, track), TD_NO_NUMBER: not yet */
    uint8_t answered;
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
            struct td_track track;
            uint32_t fiber; /* number here of the fiber that it runs, TD_NO_NUMBER: none */
        } thread;
    } u;
};

struct td_names {
    struct td_dict *dict;
    struct {
        struct td_map map; /* key -> index */
        struct td_name *all;
        size_t count, capacity;
    } kinds[TD_NAME_KINDS];
    /* Questions not yet asked, from `ask_begin` on; and locations in the order of their questions: answers to
     * those carry no key. */
    struct {
        struct {
            uint32_t kind, index;
        } * all;
        size_t begin, count, capacity;
    } to_ask, srclocs_asked;
    uint64_t asked_waiting; /* asked or to be asked, and not answered */
    uint32_t in_flight;     /* sent and not answered */
    uint32_t space;
    uint64_t answers;
};

void td_names_init(struct td_names *names, struct td_dict *dict, uint32_t space);
void td_names_finish(struct td_names *names);

/* The index of what `key` is, asking for it at first sight; TD_NO_NUMBER: no memory. */
uint32_t td_names_see(struct td_names *names, enum td_name_kind kind, uint64_t key);
static inline struct td_name *td_names_at(struct td_names *names, enum td_name_kind kind, uint32_t index)
{
    return &names->kinds[kind].all[index];
}
/* The dictionary's number, TD_NO_NUMBER while a name is missing. With `force`, unknown names are "???". */
uint32_t td_names_number(struct td_names *names, enum td_name_kind kind, uint32_t index, int force);

/* Answers. Those that nobody asked for are taken as well. 0 or TD_E_NOMEM. */
int td_names_answer(struct td_names *names, enum td_name_kind kind, uint64_t key, const uint8_t *text,
                    uint32_t bytes);
int td_names_answer_srcloc(struct td_names *names, const struct td_wire_SourceLocation *answer);
/* An answer without use came back: a unit of query space. */
void td_names_credit(struct td_names *names);

size_t td_names_queries(struct td_names *names, const struct td_wire_release *release, uint8_t *to,
                        size_t room);
#endif
