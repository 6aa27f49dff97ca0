/* The members of an event of a Chrome trace. */
#pragma once
#include "host/agent/import/json_text.h"

/* X(NAME): members that are read; in JSON in lower case. */
#define TD_CHROME_MEMBERS(X)                                                                                 \
    X(ph)                                                                                                    \
    X(name)                                                                                                  \
    X(cat)                                                                                                   \
    X(pid) X(tid) X(ts) X(dur) X(id) X(id2) X(scope) X(args) X(loc) X(bp) X(bind_id) X(flow_in) X(flow_out)

/* A member that is missing has kind 0. Of two of one name, the last one counts. */
struct td_chrome_event {
#define TD_X(name) struct td_tt_json_member name;
    TD_CHROME_MEMBERS(TD_X)
#undef TD_X
};
void td_chrome_event_read(struct td_tt_text object, struct td_chrome_event *event);
/* Finds a member of an object; false: there is none. */
bool td_chrome_member(const struct td_tt_json_member *object, const char *name,
                      struct td_tt_json_member *member);
bool td_chrome_is_true(const struct td_tt_json_member *member);
/* A number, or a string that is one. */
bool td_chrome_number(const struct td_tt_json_member *member, struct td_json_number *number);
/* Adds the text of an id: a string; a number as it is usually written; "0" if there is none. 0 or TD_E_NOMEM. */
int td_chrome_add_id(struct td_text *text, const struct td_tt_json_member *member);
/* The id of the event, its `id2` or its `id`. Kind 0: there is none. True: it is one of its process. */
bool td_chrome_find_id(const struct td_chrome_event *event, struct td_tt_json_member *id);
/* Adds a text by which the asynchronous operation of the event is known. */
int td_chrome_add_operation(struct td_text *text, const struct td_chrome_event *event, char phase);
