/* Zones that their kernels have not closed. OPEN and LEFT packets report them, or the core's words
 * (open_watch.h). Functions that return int return 0 or TD_E_NOMEM. */
#pragma once
#include "host/agent/board/lane_events.h"

/* The begin of the launch that runs; 0: none runs, or not known. */
uint64_t td_lane_events_launch(const struct td_lane_events *lane);
/* Ends the zones that lane->watch found open and that were not closed since, at `end_ticks` (TD_LANE_OPEN:
 * leaves them open), with the text `how`. Unless end_ticks is TD_LANE_OPEN, ends zones with a BEGIN packet,
 * too. */
int td_lane_events_left(struct td_lane_events *lane, int64_t end_ticks, const char *how);

/* To be called after lane->watch was updated, at the clock's `now`. */
void td_lane_watch_looked(struct td_lane_events *lane, uint64_t now);

/* A zone of this site was closed. The last read may have found it open. */
void td_lane_on_close(struct td_lane_events *lane, uint64_t begin, uint32_t id);

/* The rest is for lane_events.c. */

/* An OPEN packet. */
int td_lane_on_open(struct td_lane_events *lane, const struct td_packet_record *r);
/* A STAMPED_OPEN packet. */
int td_lane_on_stamped_open(struct td_lane_events *lane, const struct td_packet_record *r);
/* Ends the zones of the preceding OPEN packets, with the text `how`. */
int td_lane_end_left(struct td_lane_events *lane, int64_t end, const char *how);
/* Ends the zones that have a BEGIN and no END, from number `first` on, with the text `how` unless it is
 * NULL. */
int td_lane_end_begun(struct td_lane_events *lane, size_t first, int64_t ticks, const char *how);
/* A text for the way in which a launch ended (enum td_core_state). */
const char *td_lane_left_text(uint32_t how);
