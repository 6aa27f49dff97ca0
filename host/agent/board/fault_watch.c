#include "host/agent/board/fault_watch.h"
#include "host/agent/board/board_source_internal.h"
#include "host/device/drain/drain.h"
#include "proto/device/lane.h"

#include <stdio.h>

#define LANES_AT_ONCE 64u

bool td_fault_watch_put(const struct td_board_source *s, uint32_t lane, char *line, size_t bytes)
{
    char core[TD_BOARD_CORE_BYTES_];
    if (lane >= s->lane_count)
        return false;
    const struct td_lane_at at = td_board_lane_at_(s, lane);
    td_board_put_core_(s, &at, core, sizeof core);
    snprintf(line, bytes, "the core %s stopped by a fault (fault)", core);
    return true;
}

int td_fault_watch_look(struct td_fault_watch *watch, struct td_board_source *s, char *line, size_t bytes,
                        struct td_err *err)
{
    for (uint32_t i = 0; s->drain && i < LANES_AT_ONCE && i < s->lane_count && !watch->found; i++) {
        uint32_t index = watch->next++ % s->lane_count, ctrl[32] = {0};
        int rc = td_drain_lane_ctrl(s->drain, index, ctrl, err);
        if (rc < 0)
            return rc;
        if (ctrl[TD_LANE_state / 4] != TD_CORE_FAULT)
            continue;
        td_fault_watch_put(s, index, line, bytes);
        watch->lane = index;
        watch->found = true;
        return 1;
    }
    return 0;
}
