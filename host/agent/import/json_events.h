/* Splits a Chrome trace into its events, so that the trace may be larger than memory. The trace is `[event,
 * ...]` or `{"traceEvents": [event, ...], ...}`. Only white space may follow the list or object.
 *
 * An event that is no JSON is left out: the reader continues at the next object that is whole and has a member
 * "ph". So a NaN, a bad escape or a quote too many costs one event. */
#pragma once
#include "host/agent/import/json_check.h"
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_JSON_EVENT_MAX  (16u << 20) /* bytes of one event */
#define TD_JSON_MEMBER_MAX 4000        /* bytes of the value of another member; longer ones are not passed */

struct td_json_events {
    /* Gets an event's text, from { to }, which is JSON; valid during the call. Returns 0, or a negative enum
     * td_e to stop. */
    int (*event)(void *self, const char *text, size_t bytes, struct td_err *err);
    /* Gets another member of the object around the list: its key, as it is written, and its value, which may be
     * damaged. value: NULL: it is longer than TD_JSON_MEMBER_MAX. `member` may be NULL. */
    int (*member)(void *self, const char *key, const char *value, size_t bytes, struct td_err *err);
    void *self;
    uint64_t whole;      /* events passed */
    uint64_t damaged;    /* events left out */
    uint64_t deep;       /* events left out because of lists in each other */
    uint64_t other;      /* items of the list that are no objects */
    uint64_t first_lost; /* 1 + the events before the first one that was left out; 0: none */
    uint64_t taken;      /* bytes so far */
    int state, found;
    bool in_object, in_string, escaped;
    bool tentative; /* the event may be a part of a damaged one */
    bool opened;    /* the last byte that is no space was a {, while an event is searched */
    unsigned depth;
    struct td_json_check check;
    char key[40], *value; /* of the member outside of the list */
    size_t key_bytes, value_bytes, value_room;
    char *text; /* of the event */
    size_t bytes, room;
    char *again; /* bytes that are read once more, from a damaged event */
    size_t again_bytes, again_at, again_room, text_begin;
    uint64_t again_steps;
};

/* Before the first call, `event`, `member` and `self` are set and all else is zero. Bytes may come in any pieces.
 * 0, TD_E_FORMAT, TD_E_NOMEM, or the result of event() or member(). */
int td_json_events_feed(struct td_json_events *events, const char *bytes, size_t count, struct td_err *err);
/* Ends the stream of bytes. TD_E_FORMAT: there was no list of events. *cut: the trace breaks off. */
int td_json_events_end_stream(struct td_json_events *events, bool *cut, struct td_err *err);
void td_json_events_free(struct td_json_events *events);
