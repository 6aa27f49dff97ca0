/* Cuts the events out of a Chrome trace, whose list may be larger than memory: `[event, ...]` or
 * `{"traceEvents": [event, ...], ...}`, in any pieces. What is beside the list in the object is skipped;
 * after the end of the list or object only white space may come. */
#ifndef TD_HOST_AGENT_IMPORT_JSON_EVENTS_H
#define TD_HOST_AGENT_IMPORT_JSON_EVENTS_H
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

#define TD_JSON_EVENT_MAX (16u << 20) /* bytes of one event */

struct td_json_events {
    /* One event's text, from { to }, NUL behind it; valid during the call. 0, or an error that ends it. */
    int (*event)(void *self, const char *text, size_t bytes, struct td_err *err);
    void *self;
    int state, in_string, escaped, in_object, found;
    unsigned depth;
    uint64_t taken; /* bytes so far */
    size_t key_bytes;
    char key[16]; /* the last text beside the list, cut */
    char *text;
    size_t bytes, capacity;
};

/* The two fields above are set, the rest is zero. 0, TD_E_FORMAT, TD_E_NOMEM, or what event() said. */
int td_json_events_feed(struct td_json_events *events, const char *bytes, size_t count, struct td_err *err);
/* The end of the bytes: TD_E_FORMAT when there was no list of events. *cut: it breaks off. */
int td_json_events_end(struct td_json_events *events, int *cut, struct td_err *err);
void td_json_events_finish(struct td_json_events *events);
#endif
