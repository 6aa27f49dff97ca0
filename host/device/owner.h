/* Who drains a board: one agent at a time, named in the control words of each tile (proto/device/lane.h).
 *
 * An agent that is known to be gone does not count: its process has ended (on this machine), or its heartbeat
 * stands still. Not for two threads at a time. */
#ifndef TD_HOST_DEVICE_OWNER_H
#define TD_HOST_DEVICE_OWNER_H
#include "host/device/board.h"
#include "proto/device/lane.h"

#define TD_OWNER_HEARTBEAT_MS 250
#define TD_OWNER_GONE_MS      3000 /* a heartbeat that stands still for so long: its agent is gone */

struct td_owner {
    struct td_transport *t;
    const struct td_board *board;
    uint32_t agent, machine; /* this process */
    uint32_t heartbeat;
    int64_t next_ns;
    /* Another one that was found to be gone. */
    uint32_t gone_agent, gone_machine;
};

/* `agent`: the number to go by: this process's. */
void td_owner_init(struct td_owner *owner, struct td_transport *t, const struct td_board *board,
                   uint32_t agent);
/* May this agent have the tile? TD_E_USAGE: a living one has it; may take TD_OWNER_GONE_MS.
 */
int td_owner_check_free(struct td_owner *owner, struct td_tile_at at, struct td_err *err);
int td_owner_take(struct td_owner *owner, struct td_tile_at at, struct td_err *err);
/* Sets the lanes of all tiles that are this agent's to off, and gives the tiles back; a chip that does not
 * answer is not asked again and again. */
void td_owner_disarm(struct td_owner *owner);
/* Is it still this agent's, by its control words? TD_E_GONE: the device does not answer, was reset, or
 * somebody else has it. */
int td_owner_check(const struct td_owner *owner, struct td_tile_at at,
                   const uint32_t words[TD_TILE_CTRL_BYTES / 4], struct td_err *err);
/* The same, reading them. */
int td_owner_recheck(const struct td_owner *owner, struct td_tile_at at, struct td_err *err);
/* Says that this agent lives, when it is time: 1 if it was. */
int td_owner_heartbeat(struct td_owner *owner, struct td_err *err);
#endif
