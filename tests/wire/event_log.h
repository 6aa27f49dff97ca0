/* A sink that keeps every event, with functions that search them. For tests. */
#pragma once
#include "host/event/event.h"

struct event_log {
    struct td_dict *dict;
    struct td_hub *hub;
    struct td_event *events;
    size_t count, capacity;
    size_t kinds[TD_EVENT_KINDS];
};

void event_log_init(struct event_log *log); /* makes dictionary and hub */
void event_log_finish(struct event_log *log);
/* The name of a source location, else its function. */
const char *event_log_location(const struct event_log *log, uint32_t srcloc);
size_t event_log_zones(const struct event_log *log, const char *name);
/* Counts zones on the track of that name; name NULL: all zones of the track. */
size_t event_log_zones_on(const struct event_log *log, const char *track, const char *name);
/* Counts events of a kind whose string (a) is the text. For plots and frames: whose plot or set has that
 * name. */
size_t event_log_named(const struct event_log *log, enum td_event_kind kind, const char *text);
/* NULL, or the first fault: a time that goes back on a track, a number that is in no dictionary, an end
 * without a begin. */
const char *event_log_fault(const struct event_log *log);
