/* Splits a Chrome trace into its events, so that the trace may be larger than memory. The trace is `[event,
 * ...]` or `{"traceEvents": [event, ...], ...}`. Other members of the object are skipped. Only white space
 * may follow the list or object. */
#ifndef TD_HOST_AGENT_IMPORT_JSON_EVENTS_H
#define TD_HOST_AGENT_IMPORT_JSON_EVENTS_H
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

#define TD_JSON_EVENT_MAX (16u << 20) /* bytes of one event */

struct td_json_events {
    /* Gets an event's text, from { to }, then a NUL; valid during the call. Returns 0, or a negative enum
     * td_e to stop. */
    int (*event)(void *self, const char *text, size_t bytes, struct td_err *err);
    void *self;
    int state, in_string, escaped, in_object, found;
    unsigned depth;
    uint64_t taken; /* bytes so far */
    size_t key_bytes;
    char key[16]; /* the last text outside of the list, cut */
    char *text;
    size_t bytes, capacity;
};

/* Before the first call, `event` and `self` are set and all else is zero. Bytes may come in any pieces. 0,
 * TD_E_FORMAT, TD_E_NOMEM, or the result of event(). */
int td_json_events_feed(struct td_json_events *events, const char *bytes, size_t count, struct td_err *err);
/* Ends the stream of bytes. TD_E_FORMAT: there was no list of events. *cut: 1 if the trace breaks off. */
int td_json_events_end_stream(struct td_json_events *events, int *cut, struct td_err *err);
void td_json_events_free(struct td_json_events *events);
#endif
