/* Repairs the host's control words where a kernel has overwritten them, and reports it. */
#include "host/base/debug_log.h"
#include "host/base/process.h"
#include "host/device/drain/drain_internal.h"
#include "host/device/drain/lanes.h"

#include <stdbool.h>
#include <time.h>

#define RESET_NS 50000000 /* a reset, or the disappearance of a device, is complete after this time */

void td_drain_say_damage(struct td_drain *drain, struct td_drain_lane *lane, uint32_t address, uint32_t slots)
{
    td_debug(drain, "chip %u, tile (%u,%u), %s: something wrote over 0x%x; %u slots are skipped",
             lane->at.tile.chip, lane->at.tile.x, lane->at.tile.y, drain->board->cores[lane->at.core].name,
             address, slots);
    if (!lane->damaged && drain->damaged)
        drain->damaged(drain->damaged_self, &lane->at, address, slots);
    lane->damaged = 1;
}

/* Which core has done it cannot be known, unless only one of the tile has written markers. */
static struct td_drain_lane *suspect(const struct td_drain *drain, struct td_drain_lane *first)
{
    struct td_drain_lane *found = NULL;
    for (uint32_t c = 0; c < drain->board->core_count; c++) {
        const uint32_t joined = td_drain_block_lane(drain, c)[TD_LANE_joined / 4];
        if (!first[c].opened && joined != first[c].join)
            continue;
        if (found)
            return NULL;
        found = &first[c];
    }
    return found;
}

static void say_tile_damage(struct td_drain *drain, struct td_drain_lane *first)
{
    struct td_drain_lane *lane = suspect(drain, first);
    struct td_lane_at at = first->at;
    if (lane) {
        td_drain_say_damage(drain, lane, drain->board->lane_base, 0);
    } else if (!first->tile_damaged && drain->damaged) {
        at.core = TD_LANE_NO_CORE;
        drain->damaged(drain->damaged_self, &at, drain->board->lane_base, 0);
    }
    first->tile_damaged = 1;
}

/* Does another tile still belong to this agent? */
static bool has_other_tile(const struct td_drain *drain, const struct td_drain_lane *first)
{
    const uint32_t cores = drain->board->core_count;
    const size_t tiles = drain->lane_count / cores, tile = first->at.index / cores;
    for (size_t i = 1; i < tiles && i <= 2; i++)
        if (td_owner_recheck(&drain->owner, drain->lanes[(tile + i) % tiles * cores].at.tile, NULL) == 0)
            return true;
    return false;
}

/* Is another tile, or a lane of this one, as this agent left it? Then the board was neither reset nor
 * removed. */
static bool is_witnessed(struct td_drain *drain, const struct td_drain_lane *first)
{
    for (uint32_t c = 0; c < drain->board->core_count && drain->policy != TD_POLICY_OFF; c++) {
        const uint32_t *ctrl = td_drain_block_lane(drain, c);
        if (ctrl[TD_LANE_join / 4] == first[c].join && ctrl[TD_LANE_policy / 4] == (uint32_t)drain->policy)
            return true;
    }
    return has_other_tile(drain, first);
}

/* Does the tile have all but the owner as this agent has left it? */
static bool has_its_lanes(const struct td_drain *drain, const struct td_drain_lane *first)
{
    if (drain->policy == TD_POLICY_OFF || !td_lanes_are_set_up(drain->board, drain->block))
        return false;
    for (uint32_t c = 0; c < drain->board->core_count; c++) {
        const uint32_t *ctrl = td_drain_block_lane(drain, c);
        if (ctrl[TD_LANE_join / 4] != first[c].join || ctrl[TD_LANE_policy / 4] != (uint32_t)drain->policy)
            return false;
    }
    return true;
}

/* The words of the owner were written over: no other agent has the tile. One that disarms it sets the policies of all
 * lanes first. One that takes it over lives, takes all tiles, and does so only when this agent's heartbeat stands
 * still. */
static bool is_owner_hit(const struct td_drain *drain, const struct td_drain_lane *first)
{
    const uint32_t agent = drain->block[TD_TILE_agent / 4], machine = drain->block[TD_TILE_machine / 4];
    const bool is_here = machine == drain->owner.machine;
    const bool is_none =
        (is_here && (agent == 0 || td_process_gone(agent))) || (!is_here && agent == drain->owner.agent);
    return has_its_lanes(drain, first) &&
           (is_none || (td_owner_is_steady(&drain->owner) && has_other_tile(drain, first)));
}

static int restore_tile(struct td_drain *drain, struct td_drain_lane *first, struct td_err *err)
{
    td_debug(drain, "chip %u, tile (%u,%u): restoring its control words", first->at.tile.chip,
             first->at.tile.x, first->at.tile.y);
    /* The owner first: a core that finds a whole header without an owner stops waiting for room. */
    int rc = td_owner_take(&drain->owner, first->at.tile, err);
    rc = rc ? rc : td_lanes_restore(drain->io.t, drain->board, first->at.tile, err);
    if (rc == 0)
        say_tile_damage(drain, first);
    return rc;
}

static int read_block(struct td_drain *drain, const struct td_drain_lane *first, struct td_err *err)
{
    drain->io.stats.bytes_read += drain->block_bytes;
    if (!first->ctrl)
        return drain->io.t->ops->read(drain->io.t, first->at.tile, drain->board->lane_base, drain->block,
                                      drain->block_bytes, err);
    const uint32_t *from = first->ctrl - TD_TILE_CTRL_BYTES / 4;
    for (size_t i = 0; i < drain->block_bytes / 4; i++)
        drain->block[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
    return 0;
}

int td_drain_read_tile(struct td_drain *drain, const struct td_drain_lane *first, struct td_err *err)
{
    struct td_err why = {0};
    int rc = read_block(drain, first, err);
    if (rc)
        return rc;
    rc = td_owner_check(&drain->owner, first->at.tile, drain->block, &why);
    if (rc == 0)
        return 0;
    /* An agent that takes over or disarms a board leaves the first words as they are. A reset that is still
     * under way has not reached everything yet. */
    const bool is_hit = is_owner_hit(drain, first);
    int damaged = is_hit || (!td_lanes_are_set_up(drain->board, drain->block) && is_witnessed(drain, first));
    if (damaged && !is_hit) {
        nanosleep(&(struct timespec){0, RESET_NS}, NULL);
        damaged = read_block(drain, first, NULL) == 0 && is_witnessed(drain, first);
    }
    if (damaged)
        return restore_tile(drain, &drain->lanes[first->at.index], err);
    return td_fail(err, rc, "%s%s", why.text,
                   has_its_lanes(drain, first) ? ", or a kernel wrote over its number" : "");
}

int td_drain_watch_lane(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                        struct td_err *err)
{
    const struct {
        uint32_t offset, value;
    } words[] = {
        {TD_LANE_head, lane->head}, {TD_LANE_join, lane->join}, {TD_LANE_policy, (uint32_t)drain->policy}};
    int rc = 0;
    for (size_t i = lane->gathered ? 1 : 0; rc == 0 && i < sizeof words / sizeof *words; i++) {
        if (ctrl[words[i].offset / 4] == words[i].value)
            continue;
        td_drain_say_damage(drain, lane, lane->ctrl_address + words[i].offset, 0);
        rc = td_drain_lane_write(&drain->io, lane, words[i].offset, words[i].value, err);
    }
    const uint32_t joined = ctrl[TD_LANE_joined / 4];
    if (rc || !lane->open || lane->gathered || joined == lane->join)
        return rc;
    if (td_drain_lane_is_fed(lane, joined)) {
        td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_joined, 0);
        return 0;
    }
    lane->left = 1;
    td_debug(drain, "chip %u, tile (%u,%u), %s: has left the recording; invited again", lane->at.tile.chip,
             lane->at.tile.x, lane->at.tile.y, drain->board->cores[lane->at.core].name);
    /* The core has left: it has seen words that were written over. */
    td_drain_say_damage(drain, lane, lane->ctrl_address + TD_LANE_joined, 0);
    lane->open = 0;
    lane->rejoining = 1;
    lane->join = td_drain_lane_number(lane->join, ctrl[TD_LANE_joined / 4], 1);
    return td_drain_lane_invite(&drain->io, lane, drain->policy, err);
}
