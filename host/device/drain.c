#include "host/device/drain.h"

#include "host/device/drain_parts.h"
#include "host/device/lanes.h"
#include "proto/device/packet.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a map, a lane that has been quiet is looked at beyond its hint after 4, 8, 16 ... polls, up to this
 * many. */
#define QUIET_FIRST 4u
#define QUIET_LAST  256u
#define JOIN_POLLS  16 /* with a gatherer: how often lanes that have not joined are looked at */

#define EPOCH_LOOKS  8
#define GATHER_LOOKS 100000 /* a gatherer may give little at a time */

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
    for (size_t i = 0; i < drain->block_bytes / 4; i++)
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
    /* An agent that is gone may have left it waiting for room, or the next launch would: nobody drains it
     * yet. */
    if (rc == 0 && running && ctrl[TD_LANE_policy / 4] != TD_POLICY_OFF)
        rc = td_drain_lane_policy(&drain->io, lane, TD_POLICY_OFF, err);
    if (rc || running)
        return rc;
    const uint32_t before = lane->head;
    rc = td_drain_lane_rewind(&drain->io, lane, ctrl[TD_LANE_tail / 4], err);
    if (lane->again) {
        td_drain_lane_skipped(drain, lane, before, lane->head);
        lane->again = 0;
    }
    /* A gatherer has the lane before it is armed: then that disarms it, should this process die. */
    if (rc == 0 && !drain->gather.g)
        rc = td_drain_lane_policy(&drain->io, lane, drain->policy, err);
    if (rc)
        return rc;
    lane->armed = 1;
    drain->unarmed--;
    if (drain->gather.g)
        td_drain_gather_note(drain, lane);
    return 0;
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
                    lane->at = (struct td_lane_at){td_board_tile(b, chip, x, y),
                                                   (uint16_t)core,
                                                   (uint16_t)x,
                                                   (uint16_t)y,
                                                   index++,
                                                   0,
                                                   0,
                                                   0};
                    lane->ctrl_address = td_board_lane_ctrl(b, core);
                    lane->ring_address = td_board_ring(b, core);
                    map_lane(drain, lane);
                }
}

/* The tiles become this agent's, ready for use, unless another one has them. */
static int claim_tiles(struct td_drain *drain, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i += drain->board->core_count) {
        rc = td_lanes_prepare(drain->io.t, drain->board, drain->lanes[i].at.tile, NULL, err);
        if (rc == 0)
            rc = td_owner_may(&drain->owner, drain->lanes[i].at.tile, err);
    }
    if (rc)
        return rc;
    drain->registered = 1;
    rc = td_transport_control(drain->io.t, TD_CONTROL_AGENT, drain->owner.agent, NULL, err);
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i += drain->board->core_count)
        rc = td_owner_take(&drain->owner, drain->lanes[i].at.tile, err);
    return rc;
}

/* First the agent, then the policies: if this process dies in between, no core waits for it. */
static int arm_lanes(struct td_drain *drain, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i++) {
        struct td_drain_lane *lane = &drain->lanes[i];
        if (lane->at.core == 0)
            rc = read_block(drain, lane, err);
        if (rc == 0)
            rc = arm(drain, lane, block_lane(drain, lane->at.core), err);
    }
    return rc || !drain->gather.g ? rc : td_drain_gather_add(drain, err);
}

static int make_drain(struct td_drain *drain, struct td_err *err)
{
    const struct td_board *b = drain->board;
    uint64_t clock_mode;
    int rc = td_transport_control(drain->io.t, TD_CONTROL_CLOCK_MODE, 0, &clock_mode, err);
    if (rc)
        return rc;
    drain->virtual_time = clock_mode == 1;
    size_t lanes = (size_t)b->chips * b->grid_width * b->grid_height * b->core_count;
    drain->block_bytes = TD_TILE_CTRL_BYTES + (size_t)TD_LANE_CTRL_BYTES * b->core_count;
    drain->lanes = calloc(lanes, sizeof *drain->lanes);
    drain->block = calloc(1, drain->block_bytes);
    drain->io.buffer = malloc((size_t)b->ring_slots * TD_SLOT_BYTES);
    drain->gather.fresh = drain->gather.g ? calloc(lanes, sizeof *drain->gather.fresh) : NULL;
    if (!drain->lanes || !drain->block || !drain->io.buffer || (drain->gather.g && !drain->gather.fresh))
        return td_fail(err, TD_E_NOMEM, "no memory to drain %zu lanes", lanes);
    drain->lane_count = drain->unarmed = lanes;
    make_lanes(drain);
    rc = claim_tiles(drain, err);
    return rc ? rc : arm_lanes(drain, err);
}

struct td_drain *td_drain_create_with(struct td_transport *t, const struct td_board *board,
                                      const struct td_drain_options *options, struct td_err *err)
{
    struct td_drain *drain = calloc(1, sizeof *drain);
    if (!drain) {
        td_fail(err, TD_E_NOMEM, "no memory for a drain");
        return NULL;
    }
    drain->board = board;
    drain->policy = options->policy;
    drain->io.t = t;
    drain->io.ring_slots = board->ring_slots;
    td_owner_init(&drain->owner, t, board, (uint32_t)getpid());
    /* Lanes that go round and round are read at the end only, by their owner. */
    if (takes_while_running(drain) && !options->poll)
        drain->gather.g = options->gather ? options->gather : t->ops->gather ? t->ops->gather(t) : NULL;
    if (make_drain(drain, err)) {
        td_drain_destroy(drain);
        return NULL;
    }
    return drain;
}

struct td_drain *td_drain_create(struct td_transport *t, const struct td_board *board, enum td_policy policy,
                                 struct td_err *err)
{
    return td_drain_create_with(t, board, &(struct td_drain_options){.policy = policy}, err);
}

/* A device that has gone away meanwhile reads as all ones, which look like valid slots. */
static int check_ones(struct td_drain *drain, const struct td_drain_lane *lane, int slots, struct td_err *err)
{
    const uint32_t *last = drain->io.buffer + 2 * (slots - 1);
    return (last[0] & last[1]) == UINT32_MAX ? td_owner_look(&drain->owner, lane->at.tile, err) : 0;
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
    int rc = slots ? check_ones(drain, lane, slots, err) : 0;
    if (rc == 0)
        rc = td_drain_lane_hand_on(&drain->io, lane, drain->io.buffer, (uint32_t)slots, words, self, err);
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
    int rc = slots ? check_ones(drain, lane, slots, err) : 0;
    if (rc == 0)
        rc = td_drain_lane_hand_on(&drain->io, lane, drain->io.buffer, (uint32_t)slots, words, self, err);
    lane->at.gap = 0;
    if (rc == 0)
        rc = td_drain_lane_rewind(&drain->io, lane, ctrl[TD_LANE_tail / 4], err);
    return rc ? rc : slots;
}

enum round {
    ROUND_QUICK,    /* quiet lanes are not looked at closely each time */
    ROUND_THOROUGH, /* nothing is left that was there before */
    ROUND_LAST      /* the same, and no lane joins */
};

/* One round over all tiles, beginning with another one each time. */
static int do_round(struct td_drain *drain, enum round kind, td_drain_words *words, void *self, size_t *taken,
                    struct td_err *err)
{
    const uint32_t cores = drain->board->core_count;
    const size_t tiles = tile_count(drain);
    *taken = 0;
    for (size_t i = 0; i < tiles; i++) {
        struct td_drain_lane *first = &drain->lanes[(drain->turn + i) % tiles * cores];
        int rc = read_block(drain, first, err);
        if (rc == 0)
            rc = td_owner_check(&drain->owner, first->at.tile, drain->block, err);
        for (uint32_t c = 0; rc >= 0 && c < cores; c++) {
            struct td_drain_lane *lane = &first[(drain->turn + c) % cores];
            const uint32_t *ctrl = block_lane(drain, lane->at.core);
            if (!lane->armed)
                rc = kind == ROUND_LAST ? 0 : arm(drain, lane, ctrl, err);
            else if (lane->gathered)
                rc = 0;
            else if (takes_while_running(drain))
                rc = take_lane(drain, lane, ctrl, kind != ROUND_QUICK, words, self, err);
            else if (kind == ROUND_LAST && drain->policy == TD_POLICY_OVERWRITE)
                rc = take_newest(drain, lane, ctrl, words, self, err);
            *taken += rc > 0 ? (size_t)rc : 0;
        }
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* What stopped a gatherer may be that the board is not what it was: then that is said. */
static int explain(struct td_drain *drain, int rc, struct td_err *why, struct td_err *err)
{
    struct td_err board = {0};
    if (rc != TD_E_NOMEM && td_owner_look(&drain->owner, drain->lanes[0].at.tile, &board) == TD_E_GONE)
        *why = board;
    return td_fail(err, why->code ? why->code : rc, "%s", why->text);
}

/* One look at all lanes, by whichever way they are drained. */
static int look(struct td_drain *drain, enum round kind, td_drain_words *words, void *self, size_t *taken,
                struct td_err *err)
{
    if (!drain->gather.g)
        return do_round(drain, kind, words, self, taken, err);
    /* Lanes whose cores ran when the drain came are looked at now and then, until they have joined. */
    size_t joined = 0;
    struct td_err why = {0};
    int rc = 0;
    if (drain->unarmed && drain->io.stats.polls % JOIN_POLLS == 0)
        rc = do_round(drain, kind, words, self, &joined, &why);
    if (rc == 0)
        rc = td_drain_gather_add(drain, &why);
    if (rc == 0)
        rc = td_drain_gather_take(drain, words, self, taken, &why);
    if (rc)
        rc = explain(drain, rc, &why, err);
    /* What arrived before an error counts. */
    if (!drain->virtual_time) {
        int given = td_drain_gather_give(drain, words, self, rc ? NULL : err);
        rc = rc ? rc : given;
    }
    *taken += joined;
    return rc;
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
    /* Only a look that finds nothing shows that all is taken; there is an end, unless cores run in spite of
     * it. */
    for (int looks = 0; rc == 0 && n && looks < (drain->gather.g ? GATHER_LOOKS : EPOCH_LOOKS); looks++) {
        n = 0;
        rc = look(drain, ROUND_THOROUGH, words, self, &n, err);
        *taken += n;
    }
    if (drain->gather.g) {
        int given = td_drain_gather_give(drain, words, self, rc ? NULL : err);
        rc = rc ? rc : given;
    }
    return rc ? rc : td_transport_control(t, TD_CONTROL_DRAINED, epoch, NULL, err);
}

/* Now and then: this agent says that it lives, and looks whether the board is still its own. */
static int keep(struct td_drain *drain, struct td_err *err)
{
    int rc = td_owner_beat(&drain->owner, err);
    if (rc <= 0)
        return rc;
    size_t tile = drain->owner.beat % tile_count(drain);
    return td_owner_look(&drain->owner, drain->lanes[tile * drain->board->core_count].at.tile, err);
}

int td_drain_poll(struct td_drain *drain, td_drain_words *words, void *self, size_t *taken,
                  struct td_err *err)
{
    size_t n = 0;
    int rc = keep(drain, err);
    if (rc == 0 && drain->virtual_time)
        rc = poll_epoch(drain, words, self, &n, err);
    else if (rc == 0 && (takes_while_running(drain) || drain->unarmed)) {
        rc = look(drain, ROUND_QUICK, words, self, &n, err);
        drain->turn++;
    }
    drain->io.stats.polls++;
    drain->io.stats.idle_polls += n == 0;
    if (taken)
        *taken = n;
    return rc;
}

int td_drain_wait(struct td_drain *drain, int timeout_ms, struct td_err *err)
{
    struct td_transport *t = drain->io.t;
    const int has_wait = t->ops->wait && t->ops->gather && drain->gather.g == t->ops->gather(t);
    if (!has_wait || drain->virtual_time)
        return td_fail(err, TD_E_USAGE, "transport %s cannot wait for data", t->ops->name);
    return t->ops->wait(t, timeout_ms, err);
}

int td_drain_finish(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err)
{
    size_t taken = 1;
    /* Where cores go on writing there would be no end; a board that is dead stands still by itself. */
    int frozen = td_transport_control(drain->io.t, TD_CONTROL_FREEZE, 1, NULL, NULL) == 0;
    int rounds = takes_while_running(drain) ? 4 : 1;
    struct td_err why = {0};
    int rc = drain->gather.g ? td_drain_gather_finish(drain, words, self, &why) : 0;
    if (rc)
        rc = explain(drain, rc, &why, err);
    while (rc == 0 && taken && rounds-- > 0)
        rc = do_round(drain, ROUND_LAST, words, self, &taken, err);
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
    struct td_transport *t = drain->io.t;
    int rc = t->ops->read(t, lane->at.tile, lane->ctrl_address, ctrl, TD_LANE_CTRL_BYTES, err);
    const int ones = rc == 0 && (ctrl[TD_LANE_head / 4] & ctrl[TD_LANE_state / 4]) == UINT32_MAX;
    return ones ? td_owner_look(&drain->owner, lane->at.tile, err) : rc;
}

const struct td_drain_stats *td_drain_stats(struct td_drain *drain)
{
    const struct td_gather *g = drain->gather.g;
    struct td_drain_stats *stats = &drain->io.stats;
    /* What is missing at a lane's end leaves no gap: only the gatherer knows of it. */
    stats->lost_slots =
        g && g->stats.lost_slots > drain->gather.lost_slots ? g->stats.lost_slots : drain->gather.lost_slots;
    stats->bad_frames = g ? g->stats.bad_frames : 0;
    return &drain->io.stats;
}

void td_drain_destroy(struct td_drain *drain)
{
    if (!drain)
        return;
    if (drain->registered)
        td_owner_disarm(&drain->owner);
    td_drain_gather_free(drain);
    free(drain->lanes);
    free(drain->block);
    free(drain->io.buffer);
    free(drain);
}
