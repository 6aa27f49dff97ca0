#include "host/device/drain.h"

#include "host/device/drain_lane.h"
#include "host/device/lanes.h"
#include "proto/device/packet.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a map, a lane that has been quiet is looked at beyond its hint after 4, 8, 16 ... polls, up to this
 * many. */
#define QUIET_FIRST 4u
#define QUIET_LAST  256u

struct td_drain {
    const struct td_board *board;
    struct td_drain_io io;
    enum td_policy policy;
    int virtual_time; /* a simulated board in insn mode */
    struct td_drain_lane *lanes;
    size_t lane_count, unarmed;
    int registered;
    size_t turn;     /* whose turn it is to come first; always the same in virtual time */
    uint32_t *block; /* control words of one tile */
    size_t block_bytes;
};

static size_t tile_count(const struct td_drain *drain)
{
    return drain->lane_count / drain->board->core_count;
}

static int takes_while_running(const struct td_drain *drain)
{
    return drain->policy == TD_POLICY_BLOCK || drain->policy == TD_POLICY_DROP;
}

/* All control words of a tile at once. */
static int read_block(struct td_drain *drain, const struct td_drain_lane *first, struct td_err *err)
{
    drain->io.stats.bytes_read += drain->block_bytes;
    if (!first->ctrl)
        return drain->io.t->ops->read(drain->io.t, first->at.tile, drain->board->lane_base, drain->block,
                                      drain->block_bytes, err);
    const uint32_t *from = first->ctrl - TD_TILE_CTRL_BYTES / 4;
    for (size_t i = TD_TILE_CTRL_BYTES / 4; i < drain->block_bytes / 4; i++)
        drain->block[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
    return 0;
}

static const uint32_t *block_lane(const struct td_drain *drain, uint32_t core)
{
    return drain->block + (TD_TILE_CTRL_BYTES + TD_LANE_CTRL_BYTES * core) / 4;
}

/* Running, as far as the host can tell: a core that somebody put back into reset says so for ever. */
static int is_running(struct td_drain *drain, const struct td_drain_lane *lane, const uint32_t *ctrl,
                      int *running, struct td_err *err)
{
    uint32_t held = 0;
    *running = ctrl[TD_LANE_state / 4] == TD_CORE_RUNNING;
    if (!*running)
        return 0;
    int rc = drain->io.t->ops->read(drain->io.t, lane->at.tile, drain->board->soft_reset, &held, 4, err);
    *running = !(held >> drain->board->cores[lane->at.core].reset_bit & 1);
    return rc;
}

/* The lane joins, from an empty ring on, unless its core runs. */
static int arm(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl, struct td_err *err)
{
    int running;
    int rc = is_running(drain, lane, ctrl, &running, err);
    if (rc || running)
        return rc;
    rc = td_drain_lane_rewind(&drain->io, lane, ctrl[TD_LANE_tail / 4], err);
    if (rc == 0)
        rc = td_drain_lane_policy(&drain->io, lane, drain->policy, err);
    if (rc == 0) {
        lane->armed = 1;
        drain->unarmed--;
    }
    return rc;
}

static void map_lane(struct td_drain *drain, struct td_drain_lane *lane)
{
    struct td_transport *t = drain->io.t;
    size_t ring_bytes = (size_t)drain->board->ring_slots * TD_SLOT_BYTES;
    if (!t->ops->map)
        return;
    /* From the lanes' beginning on, so that the block of a tile's control words is one piece. */
    char *tile = t->ops->map(t, lane->at.tile, drain->board->lane_base,
                             lane->ring_address + ring_bytes - drain->board->lane_base);
    if (!tile)
        return;
    lane->ctrl = (uint32_t *)(void *)(tile + (lane->ctrl_address - drain->board->lane_base));
    lane->ring = (uint64_t *)(void *)(tile + (lane->ring_address - drain->board->lane_base));
}

static void make_lanes(struct td_drain *drain)
{
    const struct td_board *b = drain->board;
    struct td_drain_lane *lane = drain->lanes;
    uint32_t index = 0;
    for (uint32_t chip = 0; chip < b->chips; chip++)
        for (uint32_t y = 0; y < b->grid_height; y++)
            for (uint32_t x = 0; x < b->grid_width; x++)
                for (uint32_t core = 0; core < b->core_count; core++, lane++) {
                    lane->at = (struct td_lane_at){
                        td_board_tile(b, chip, x, y), (uint16_t)core, (uint16_t)x, (uint16_t)y, index++, 0};
                    lane->ctrl_address = td_board_lane_ctrl(b, core);
                    lane->ring_address = td_board_ring(b, core);
                    lane->told_idle = 1;
                    map_lane(drain, lane);
                }
}

static int register_agent(struct td_drain *drain, uint32_t agent, struct td_err *err)
{
    struct td_transport *t = drain->io.t;
    int rc = td_transport_control(t, TD_CONTROL_AGENT, agent, NULL, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < drain->lane_count; i += drain->board->core_count) {
        rc = t->ops->write(t, drain->lanes[i].at.tile, drain->board->lane_base + TD_TILE_agent, &agent, 4,
                           err);
        if (rc)
            return rc;
    }
    return 0;
}

static int prepare_tiles(struct td_drain *drain, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i += drain->board->core_count)
        rc = td_lanes_prepare(drain->io.t, drain->board, drain->lanes[i].at.tile, NULL, err);
    /* First the agent, then the policies: if this process dies in between, no core waits for it. */
    if (rc)
        return rc;
    drain->registered = 1;
    rc = register_agent(drain, (uint32_t)getpid(), err);
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i++) {
        struct td_drain_lane *lane = &drain->lanes[i];
        if (lane->at.core == 0)
            rc = read_block(drain, lane, err);
        if (rc == 0)
            rc = arm(drain, lane, block_lane(drain, lane->at.core), err);
    }
    return rc;
}

struct td_drain *td_drain_create(struct td_transport *t, const struct td_board *board, enum td_policy policy,
                                 struct td_err *err)
{
    struct td_drain *drain = calloc(1, sizeof *drain);
    if (!drain) {
        td_fail(err, TD_E_NOMEM, "no memory for a drain");
        return NULL;
    }
    drain->board = board;
    drain->policy = policy;
    drain->io.t = t;
    drain->io.ring_slots = board->ring_slots;
    uint64_t clock_mode;
    if (td_transport_control(t, TD_CONTROL_CLOCK_MODE, 0, &clock_mode, err)) {
        free(drain);
        return NULL;
    }
    drain->virtual_time = clock_mode == 1;
    size_t lanes = (size_t)board->chips * board->grid_width * board->grid_height * board->core_count;
    drain->block_bytes = TD_TILE_CTRL_BYTES + (size_t)TD_LANE_CTRL_BYTES * board->core_count;
    drain->lanes = calloc(lanes, sizeof *drain->lanes);
    drain->block = calloc(1, drain->block_bytes);
    drain->io.buffer = malloc((size_t)board->ring_slots * TD_SLOT_BYTES);
    if (!drain->lanes || !drain->block || !drain->io.buffer) {
        td_fail(err, TD_E_NOMEM, "no memory to drain %zu lanes", lanes);
        td_drain_destroy(drain);
        return NULL;
    }
    drain->lane_count = drain->unarmed = lanes;
    make_lanes(drain);
    if (prepare_tiles(drain, err)) {
        td_drain_destroy(drain);
        return NULL;
    }
    return drain;
}

/* Hands on the slots in the buffer; with none, says once that the lane is idle. */
static int hand_on(struct td_drain *drain, struct td_drain_lane *lane, uint32_t slots, td_drain_words *words,
                   void *self, struct td_err *err)
{
    if (slots == 0 && lane->told_idle)
        return 0;
    lane->told_idle = slots == 0;
    drain->io.stats.slots += slots;
    return words(self, &lane->at, drain->io.buffer, slots, err);
}

/* Takes what one lane has: number of slots, or an error. */
static int take_lane(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl, int thorough,
                     td_drain_words *words, void *self, struct td_err *err)
{
    int beyond = thorough || (lane->quiet >= QUIET_FIRST && (lane->quiet & (lane->quiet - 1)) == 0) ||
                 lane->quiet == QUIET_LAST;
    int slots = td_drain_lane_copy(&drain->io, lane, ctrl[TD_LANE_tail / 4], beyond, err);
    if (slots < 0)
        return slots;
    lane->quiet = slots ? 0 : lane->quiet % QUIET_LAST + 1;
    int rc = hand_on(drain, lane, (uint32_t)slots, words, self, err);
    if (rc == 0 && slots)
        rc = td_drain_lane_release(&drain->io, lane, (uint32_t)slots, err);
    return rc ? rc : slots;
}

/* The newest contents of one lane in overwrite mode, once. */
static int take_newest(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                       td_drain_words *words, void *self, struct td_err *err)
{
    int gap = 0;
    const uint32_t state = ctrl[TD_LANE_state / 4];
    const int exact = state == TD_CORE_DONE || state == TD_CORE_RESET;
    int slots = td_drain_lane_newest(&drain->io, lane, ctrl[TD_LANE_tail / 4], exact, &gap, err);
    if (slots < 0)
        return slots;
    lane->at.gap = gap;
    int rc = hand_on(drain, lane, (uint32_t)slots, words, self, err);
    lane->at.gap = 0;
    if (rc == 0)
        rc = td_drain_lane_rewind(&drain->io, lane, ctrl[TD_LANE_tail / 4], err);
    return rc ? rc : slots;
}

/* One round over all tiles, beginning with another one each time. */
static int do_round(struct td_drain *drain, int finish, td_drain_words *words, void *self, size_t *taken,
                    struct td_err *err)
{
    const uint32_t cores = drain->board->core_count;
    const size_t tiles = tile_count(drain);
    *taken = 0;
    for (size_t i = 0; i < tiles; i++) {
        struct td_drain_lane *first = &drain->lanes[(drain->turn + i) % tiles * cores];
        int rc = read_block(drain, first, err);
        for (uint32_t c = 0; rc >= 0 && c < cores; c++) {
            struct td_drain_lane *lane = &first[(drain->turn + c) % cores];
            const uint32_t *ctrl = block_lane(drain, lane->at.core);
            if (!lane->armed)
                rc = finish ? 0 : arm(drain, lane, ctrl, err);
            else if (takes_while_running(drain))
                rc = take_lane(drain, lane, ctrl, finish, words, self, err);
            else if (finish && drain->policy == TD_POLICY_OVERWRITE)
                rc = take_newest(drain, lane, ctrl, words, self, err);
            *taken += rc > 0 ? (size_t)rc : 0;
        }
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* In virtual time nothing may reach a core in between: taken is only what a finished epoch has left, while
 * the cores stand still and wait for that. */
static int poll_epoch(struct td_drain *drain, td_drain_words *words, void *self, size_t *taken,
                      struct td_err *err)
{
    struct td_transport *t = drain->io.t;
    uint64_t epoch = 0, drained = 0;
    size_t n = 1;
    *taken = 0;
    int rc = td_transport_control(t, TD_CONTROL_EPOCH, 0, &epoch, err);
    if (rc == 0)
        rc = td_transport_control(t, TD_CONTROL_EPOCH_DRAINED, 0, &drained, err);
    if (rc || epoch == drained)
        return rc;
    /* Only a round that finds nothing shows that all is taken; there is an end, unless cores run in spite of
     * it. */
    for (int rounds = 0; rc == 0 && n && rounds < 8; rounds++) {
        rc = do_round(drain, 0, words, self, &n, err);
        *taken += n;
    }
    return rc ? rc : td_transport_control(t, TD_CONTROL_DRAINED, epoch, NULL, err);
}

int td_drain_poll(struct td_drain *drain, td_drain_words *words, void *self, size_t *taken,
                  struct td_err *err)
{
    size_t n = 0;
    int rc = 0;
    if (drain->virtual_time)
        rc = poll_epoch(drain, words, self, &n, err);
    else if (takes_while_running(drain) || drain->unarmed) {
        rc = do_round(drain, 0, words, self, &n, err);
        drain->turn++;
    }
    drain->io.stats.polls++;
    drain->io.stats.idle_polls += n == 0;
    if (taken)
        *taken = n;
    return rc;
}

int td_drain_finish(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err)
{
    size_t taken = 1;
    /* Where cores go on writing there would be no end; a board that is dead stands still by itself. */
    int frozen = td_transport_control(drain->io.t, TD_CONTROL_FREEZE, 1, NULL, NULL) == 0;
    int rc = 0, rounds = takes_while_running(drain) ? 4 : 1;
    while (rc == 0 && taken && rounds-- > 0)
        rc = do_round(drain, 1, words, self, &taken, err);
    if (frozen)
        td_transport_control(drain->io.t, TD_CONTROL_FREEZE, (uint64_t)-1, NULL, NULL);
    return rc;
}

size_t td_drain_lane_count(const struct td_drain *drain)
{
    return drain->lane_count;
}

int td_drain_lane_ctrl(struct td_drain *drain, uint32_t lane_index, uint32_t ctrl[32], struct td_err *err)
{
    if (lane_index >= drain->lane_count)
        return td_fail(err, TD_E_USAGE, "there is no lane %u", lane_index);
    const struct td_drain_lane *lane = &drain->lanes[lane_index];
    return drain->io.t->ops->read(drain->io.t, lane->at.tile, lane->ctrl_address, ctrl, TD_LANE_CTRL_BYTES,
                                  err);
}

const struct td_drain_stats *td_drain_stats(const struct td_drain *drain)
{
    return &drain->io.stats;
}

void td_drain_destroy(struct td_drain *drain)
{
    if (!drain)
        return;
    for (size_t i = 0; drain->registered && i < drain->lane_count; i++)
        td_drain_lane_policy(&drain->io, &drain->lanes[i], TD_POLICY_OFF, NULL);
    if (drain->registered)
        register_agent(drain, 0, NULL);
    free(drain->lanes);
    free(drain->block);
    free(drain->io.buffer);
    free(drain);
}
