/* Adding to the events of a lane. Private to lane_*.c. What returns int returns 0 or TD_E_NOMEM. */
#pragma once
#include "host/agent/board/lane_events.h"

#include <stdbool.h>

#define TD_LANE_TEXT_BYTES 1024

/* Adds an event. One that comes a little late (a zone whose stall was written first) is put in order. */
int td_lane_add(struct td_lane_events *lane, struct td_event event);
/* The text of one event, as a string that the dictionary may forget with the event. UINT32_MAX: no memory. */
uint32_t td_lane_string(struct td_lane_events *lane, const char *text);
int td_lane_add_message(struct td_lane_events *lane, uint64_t ticks, const char *text, uint32_t color);
/* Adds a text to the innermost zone that was open at this time. */
int td_lane_add_text(struct td_lane_events *lane, uint64_t ticks, const char *text);
/* Ticks of a broken clock may be too many. */
static inline int64_t td_lane_at_most(uint64_t ticks)
{
    return ticks < INT64_MAX ? (int64_t)ticks : INT64_MAX;
}
/* A stall, or a report of lost packets. */
static inline bool td_lane_is_mark(const struct td_lane_events *lane, const struct td_event *event)
{
    return event->kind == TD_EVENT_ZONE &&
           (event->srcloc == lane->names->stall_srcloc || event->srcloc == lane->names->lost_srcloc);
}
/* Adds a zone with its texts. A `srcloc` of UINT32_MAX (no memory) is allowed, and fails. */
int td_lane_add_zone(struct td_lane_events *lane, int64_t start, int64_t end, uint32_t srcloc, uint32_t text);
