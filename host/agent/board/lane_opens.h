/* The zones of a lane that are known to be open, from BEGIN packets and from reads of the core's words, so
 * that they can be shown while they are open. For lanes that stream (lane_send.h); otherwise the calls do
 * nothing.
 *
 * They also say how far the past is settled: a zone that still comes, and is not known to be open, begins
 * after lane->settled. This holds for kernels that nest their zones. Recursion makes an exception, because
 * all open zones of one site share one word. What depends on it must bear such a zone.
 *
 * Private to lane_*.c and board_open.c. What returns int returns 0 or TD_E_NOMEM. */
#pragma once
#include "host/agent/board/lane_events.h"

/* A BEGIN packet has come. */
int td_lane_opens_begin(struct td_lane_events *lane, uint64_t begin, uint32_t srcloc);
/* The last zone with a BEGIN packet has ended: no zone is open. */
void td_lane_opens_none(struct td_lane_events *lane, int64_t end);
/* Packets were lost, the first of them not before `from`. */
void td_lane_opens_lost(struct td_lane_events *lane, int64_t from);
/* lane->watch was read between the clock's `before` and `after`. */
int td_lane_opens_looked(struct td_lane_events *lane, uint64_t before, uint64_t after);
/* A zone has ended. *sent: its begin was sent on, so its end was added to the log; else the caller adds the
 * whole zone. Zones in it that are still open end with it. */
int td_lane_opens_end(struct td_lane_events *lane, int64_t begin, int64_t end, uint32_t srcloc, uint32_t text,
                      int *sent);
/* Brings lane->settled up to date. Ends the zones whose ends were lost. */
int td_lane_opens_settle(struct td_lane_events *lane);
