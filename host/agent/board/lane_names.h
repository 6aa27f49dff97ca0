/* Names of the sites in a lane's packets, from the ELF of the image that runs. Private to lane_*.c. */
#pragma once
#include "host/agent/board/lane_events.h"

#define TD_LOST_COLOR 0xd11149

/* The site in the ELF. If there is no ELF or no such site: a substitute, whose name has the id and is in
 * `buffer`. */
struct td_site td_lane_site(struct td_lane_events *lane, uint32_t id, char *buffer, size_t bytes);
/* The site's source location; UINT32_MAX: no memory. */
uint32_t td_lane_srcloc(struct td_lane_events *lane, uint32_t id);
