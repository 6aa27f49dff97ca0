#include "host/agent/board/fault_watch.h"
#include "host/agent/board/board_source_internal.h"
#include "host/device/drain/drain.h"
#include "proto/device/lane.h"
#include "proto/track.h"

#include <inttypes.h>
#include <stdio.h>

#define LANES_AT_ONCE 64u

int td_fault_watch_look(struct td_fault_watch *watch, struct td_board_source *s, char *line, size_t bytes,
                        struct td_err *err)
{
    for (uint32_t i = 0; i < LANES_AT_ONCE && i < s->lane_count && !watch->found; i++) {
        uint32_t index = watch->next++ % s->lane_count, ctrl[32] = {0}, x, y;
        int rc = td_drain_lane_ctrl(s->drain, index, ctrl, err);
        if (rc < 0)
            return rc;
        if (ctrl[TD_LANE_state / 4] != TD_CORE_FAULT)
            continue;
        struct td_lane_at at = td_board_lane_at_(s, index, &x, &y);
        snprintf(line, bytes, "the core " TD_TRACK_NAME_FORMAT " stopped by a fault (fault)", at.tile.chip, x,
                 y, s->board->cores[at.core].name);
        watch->found = true;
        return 1;
    }
    return 0;
}
