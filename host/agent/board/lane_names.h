/* What the sites of a lane's packets are called: from the ELF of the image that runs. Private to lane_*.c. */
#ifndef TD_HOST_AGENT_BOARD_LANE_NAMES_H
#define TD_HOST_AGENT_BOARD_LANE_NAMES_H
#include "host/agent/board/lane_events.h"

#define TD_LOST_COLOR 0xd11149

/* What the ELF says about a site; a stand-in with the id in its name, in `buffer`, when there is no ELF or no
 * such site. */
struct td_site td_lane_site(struct td_lane_events *lane, uint32_t id, char *buffer, size_t bytes);
/* Its source location; UINT32_MAX: no memory. */
uint32_t td_lane_srcloc(struct td_lane_events *lane, uint32_t id);
#endif
