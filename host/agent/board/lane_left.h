/* Zones that their kernels have not closed: told by packets (OPEN, LEFT), or found by a look at the core's
 * words (open_watch.h). What returns int returns 0 or TD_E_NOMEM. */
#ifndef TD_HOST_AGENT_BOARD_LANE_LEFT_H
#define TD_HOST_AGENT_BOARD_LANE_LEFT_H
#include "host/agent/board/lane_events.h"

/* When the launch that runs began; 0: none runs, or that is not known. */
uint64_t td_lane_events_launch(const struct td_lane_events *lane);
/* Zones that lane->watch found open, and were not closed since, end at `end_ticks` (TD_LANE_OPEN: they do
 * not) with a text that says `how`; so do BEGINs, if there is an end. */
int td_lane_events_left(struct td_lane_events *lane, int64_t end_ticks, const char *how);

/* After a look: lane->watch is of the clock's `now`. */
void td_lane_watch_looked(struct td_lane_events *lane, uint64_t now);

/* The rest is for lane_events.c. A zone of this site was closed that the last look may have found open. */
void td_lane_closed(struct td_lane_events *lane, uint64_t begin, uint32_t id);
/* An OPEN packet. */
int td_lane_on_open(struct td_lane_events *lane, const struct td_packet_record *r);
/* No further OPEN packet follows: the zones of those before end, with a text. */
int td_lane_end_left(struct td_lane_events *lane, int64_t end, const char *how);
/* Zones that have a BEGIN and no END end, from number `first` on, with a text unless `how` is NULL. */
int td_lane_end_begun(struct td_lane_events *lane, size_t first, int64_t ticks, const char *how);
/* How a launch ended, enum td_core_state, as a text. */
const char *td_lane_left_text(uint32_t how);
#endif
