/* Sends the events of a lane on while its core runs: those that no later packet can change, put into another
 * order or put a zone around. Times are device ticks.
 *
 * Zones that are open, and known to be, are sent as a begin, with the end later. If too many events wait
 * because it is not known which zones are open (a kernel without its ELF, lost packets), the older ones are
 * sent without that knowledge. So a zone around them may still come; the model nests such a lane when the
 * recording ends. Not thread-safe. */
#pragma once
#include "host/agent/board/lane_events.h"

/* For the end of the recording: all events. */
#define TD_LANE_SEND_ALL INT64_MAX
/* So many events wait that it is worth a read of the open zones. */
#define TD_LANE_WORTH_LOOK 4096u

/* Takes events, which it may change. 0 to continue. */
typedef int td_lane_take_events(void *self, struct td_event *events, size_t count);

/* The lane's events will be sent. To be called before the first packet. slack_ticks: between a zone's begin
 * and its word in memory, at most. */
void td_lane_stream(struct td_lane_events *lane, uint64_t slack_ticks);
/* Sends what has ended at `horizon` and cannot change, and removes it from the log, also if `take` fails. 0,
 * TD_E_NOMEM, or what `take` returned. */
int td_lane_send(struct td_lane_events *lane, int64_t horizon, td_lane_take_events *take, void *self);
/* False: td_lane_send() would do nothing. */
bool td_lane_has_unsent(const struct td_lane_events *lane);
