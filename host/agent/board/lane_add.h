/* Adding to the events of a lane. Private to lane_*.c. What returns int returns 0 or TD_E_NOMEM. */
#ifndef TD_HOST_AGENT_BOARD_LANE_ADD_H
#define TD_HOST_AGENT_BOARD_LANE_ADD_H
#include "host/agent/board/lane_events.h"

#define TD_LANE_TEXT_BYTES 1024

/* A packet that is a little late (a zone whose stall was written first) moves up. */
int td_lane_add(struct td_lane_events *lane, struct td_event event);
int td_lane_add_message(struct td_lane_events *lane, uint64_t ticks, const char *text, uint32_t color);
/* A text for the innermost zone that was open then. */
int td_lane_add_text(struct td_lane_events *lane, uint64_t ticks, const char *text);
/* A zone, with the texts that are its own. `srcloc` may be UINT32_MAX: no memory. */
int td_lane_add_zone(struct td_lane_events *lane, int64_t start, int64_t end, uint32_t srcloc, uint32_t text);
#endif
