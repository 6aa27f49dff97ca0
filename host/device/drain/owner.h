/* The owner of a board: the one agent that drains it, named in the control words of each tile
 * (proto/device/lane.h).
 *
 * An agent that is dead does not count: its process has ended (on this machine), or its heartbeat has
 * stopped. Not for two threads at a time. */
#pragma once
#include "host/device/board/board.h"
#include "proto/device/lane.h"

#include <stdbool.h>

#define TD_OWNER_HEARTBEAT_MS 250
#define TD_OWNER_GONE_MS      3000 /* an agent whose heartbeat stops for this long is dead */

struct td_owner {
    struct td_transport *t;
    const struct td_board *board;
    uint32_t agent, machine; /* this process */
    uint32_t heartbeat;
    int64_t next_ns, last_ns; /* of the heartbeat; 0: there was none yet */
    bool has_paused;          /* it has, for so long that another agent may have taken the board over */
    /* Another agent that was found to be dead. */
    uint32_t gone_agent, gone_machine;
};

/* `agent`: the number to go by: this process's. */
void td_owner_init(struct td_owner *owner, struct td_transport *t, const struct td_board *board,
                   uint32_t agent);
/* May this agent have the tile? TD_E_USAGE: a living one has it; may take TD_OWNER_GONE_MS.
 */
int td_owner_check_free(struct td_owner *owner, struct td_tile_at at, struct td_err *err);
int td_owner_take(struct td_owner *owner, struct td_tile_at at, struct td_err *err);
/* Sets the lanes of all tiles that this agent owns to off, and returns the tiles. Gives up on a chip after a
 * few errors. */
void td_owner_disarm(struct td_owner *owner);
/* Checks by the tile's control words that this agent still owns it. TD_E_GONE: the device does not answer,
 * was reset, or belongs to another agent. */
int td_owner_check(const struct td_owner *owner, struct td_tile_at at,
                   const uint32_t words[TD_TILE_CTRL_BYTES / 4], struct td_err *err);
/* The same, reading them. */
int td_owner_recheck(const struct td_owner *owner, struct td_tile_at at, struct td_err *err);
/* Writes the heartbeat when it is due: 1 if it was. */
int td_owner_heartbeat(struct td_owner *owner, struct td_err *err);
/* The heartbeat has never stopped: no agent can have taken the board over. */
bool td_owner_is_steady(const struct td_owner *owner);
