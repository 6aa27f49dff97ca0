#include "host/device/drain/drain.h"
#include "host/base/debug_log.h"
#include "host/device/drain/drain_internal.h"
#include "host/device/drain/lanes.h"
#include "proto/device/packet.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EPOCH_LOOKS  8
#define GATHER_LOOKS 100000 /* a gatherer may give little at a time */

static size_t tile_count(const struct td_drain *drain)
{
    return drain->lane_count / drain->board->core_count;
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
                    lane->at = (struct td_lane_at){.tile = td_board_tile(b, chip, x, y),
                                                   .core = (uint16_t)core,
                                                   .logical_x = (uint16_t)x,
                                                   .logical_y = (uint16_t)y,
                                                   .index = index};
                    index++;
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
        rc = rc ? rc : td_owner_check_free(&drain->owner, drain->lanes[i].at.tile, err);
    }
    if (rc)
        return rc;
    drain->registered = 1;
    rc = td_transport_control(drain->io.t, TD_CONTROL_AGENT, drain->owner.agent, NULL, err);
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i += drain->board->core_count)
        rc = td_owner_take(&drain->owner, drain->lanes[i].at.tile, err);
    return rc;
}

/* The core joins with its next launch. */
static int arm(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl, struct td_err *err)
{
    lane->head = ctrl[TD_LANE_head / 4];
    lane->joined = ctrl[TD_LANE_joined / 4];
    lane->launch = ctrl[TD_LANE_launch / 4];
    lane->tail = ctrl[TD_LANE_tail / 4];
    lane->join = td_drain_lane_number(ctrl[TD_LANE_join / 4], ctrl[TD_LANE_joined / 4], 0);
    /* A gatherer has the lane before it is armed: then that disarms it, should this process die. */
    if (!drain->gather.g)
        return td_drain_lane_invite(&drain->io, lane, drain->policy, err);
    td_drain_gather_note(drain, lane);
    return 0;
}

static const char *policy_name(enum td_policy policy)
{
    switch (policy) {
#define TD_X(value, name, cli, what)                                                                         \
    case TD_POLICY_##name:                                                                                   \
        return cli;
        TD_POLICIES(TD_X)
#undef TD_X
    default:
        return "unknown";
    }
}

/* Calls `each` for every lane, with its words of its tile, which are read once a tile. */
static int for_each_lane(struct td_drain *drain,
                         int (*each)(struct td_drain *, struct td_drain_lane *, const uint32_t *,
                                     struct td_err *),
                         struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i++) {
        struct td_drain_lane *lane = &drain->lanes[i];
        if (lane->at.core == 0)
            rc = td_drain_read_tile(drain, lane, err);
        rc = rc ? rc : each(drain, lane, td_drain_block_lane(drain, lane->at.core), err);
    }
    return rc;
}

/* Before cores are invited: what they record is to be seen from the first event on. */
static int arm_timestampers(struct td_drain *drain, struct td_err *err)
{
    int rc = 0;
    if (!drain->board->stamp_register || drain->gather.g || drain->policy == TD_POLICY_OFF)
        return 0;
    drain->stamps = td_stamps_create(drain->io.t, drain->board, err);
    if (!drain->stamps)
        return TD_E_NOMEM;
    for (size_t i = 0; rc == 0 && i < drain->lane_count; i += drain->board->core_count)
        rc = td_stamps_arm(drain->stamps, drain->lanes[i].at.tile, (uint32_t)i, err);
    return rc;
}

/* First the agent, then the policies: if this process dies in between, no core waits for it. */
static int arm_lanes(struct td_drain *drain, struct td_err *err)
{
    int rc = for_each_lane(drain, arm, err);
    td_debug(drain, "%zu lanes of %u slots, policy %s, %s, %s%s", drain->lane_count, drain->io.ring_slots,
             policy_name(drain->policy),
             drain->gather.g        ? "emptied by a gatherer"
             : drain->lanes[0].ring ? "mapped into this process"
                                    : "read by this process",
             drain->virtual_time ? "virtual time" : "real time", rc ? ": arming them failed" : "");
    return rc || !drain->gather.g ? rc : td_drain_gather_add(drain, err);
}

/* The gatherer is the transport's, not relays. */
static bool is_transports_gatherer(const struct td_drain *drain)
{
    struct td_transport *t = drain->io.t;
    return drain->gather.g && t->ops->gather && drain->gather.g == t->ops->gather(t);
}

static int make_drain(struct td_drain *drain, struct td_err *err)
{
    const struct td_board *b = drain->board;
    uint64_t clock_mode;
    int rc = td_transport_control(drain->io.t, TD_CONTROL_CLOCK_MODE, 0, &clock_mode, err);
    if (rc)
        return rc;
    /* Where the board's gatherer drains at the end of an epoch, the host need not. */
    drain->virtual_time =
        clock_mode == TD_CLOCK_VIRTUAL || (clock_mode == TD_CLOCK_GATHERED && !is_transports_gatherer(drain));
    size_t lanes = (size_t)b->chips * b->grid_width * b->grid_height * b->core_count;
    drain->block_bytes = TD_TILE_CTRL_BYTES + (size_t)TD_LANE_CTRL_BYTES * b->core_count;
    drain->lanes = calloc(lanes, sizeof *drain->lanes);
    drain->block = calloc(1, drain->block_bytes);
    drain->io.buffer = malloc((size_t)b->ring_slots * TD_SLOT_BYTES);
    drain->gather.fresh = drain->gather.g ? calloc(lanes, sizeof *drain->gather.fresh) : NULL;
    if (!drain->lanes || !drain->block || !drain->io.buffer || (drain->gather.g && !drain->gather.fresh))
        return td_fail(err, TD_E_NOMEM, "no memory to drain %zu lanes", lanes);
    drain->lane_count = lanes;
    make_lanes(drain);
    rc = claim_tiles(drain, err);
    rc = rc ? rc : arm_timestampers(drain, err);
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
    drain->damaged = options->damaged;
    drain->damaged_self = options->damaged_self;
    drain->epoch = options->epoch;
    drain->epoch_self = options->epoch_self;
    td_owner_init(&drain->owner, t, board, (uint32_t)getpid());
    /* Gatherers know nothing of lanes that go round and round. */
    if ((drain->policy == TD_POLICY_BLOCK || drain->policy == TD_POLICY_DROP) && !options->poll)
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

/* All lanes of a tile, whose words were read. */
static int take_tile(struct td_drain *drain, struct td_drain_lane *first, enum td_drain_round kind,
                     td_drain_words *words, void *self, size_t *taken, struct td_err *err)
{
    const uint32_t cores = drain->board->core_count;
    struct td_stamps *stamps = drain->stamps;
    bool looked[TD_MAX_CORES] = {false};
    int rc = 0;
    if (stamps)
        td_stamps_begin_round(stamps, first->at.index, words, self);
    for (uint32_t c = 0; rc >= 0 && c < cores; c++) {
        struct td_drain_lane *lane = &first[(drain->turn + c) % cores];
        if (!lane->gathered)
            rc = td_drain_take_lane(drain, lane, td_drain_block_lane(drain, lane->at.core), kind,
                                    stamps ? td_stamps_words : words, stamps ? (void *)stamps : self, err);
        looked[lane->at.core] = rc == 0 && lane->looked;
        *taken += rc > 0 ? (size_t)rc : 0;
    }
    if (rc < 0 || !stamps || !td_stamps_is_used(stamps, first->at.index))
        return rc;
    return td_stamps_end_round(stamps, &first->at, looked, taken, err);
}

/* One round over all tiles, beginning with another one each time. */
static int do_round(struct td_drain *drain, enum td_drain_round kind, td_drain_words *words, void *self,
                    size_t *taken, struct td_err *err)
{
    const uint32_t cores = drain->board->core_count;
    const size_t tiles = tile_count(drain);
    *taken = 0;
    for (size_t i = 0; i < tiles; i++) {
        struct td_drain_lane *first = &drain->lanes[(drain->turn + i) % tiles * cores];
        int rc = td_drain_read_tile(drain, first, err);
        if (rc >= 0)
            rc = take_tile(drain, first, kind, words, self, taken, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* If the board was reset or taken over, report that rather than the gatherer's error. */
static int explain(struct td_drain *drain, int rc, struct td_err *why, struct td_err *err)
{
    struct td_err board = {0};
    if (rc != TD_E_NOMEM && td_owner_recheck(&drain->owner, drain->lanes[0].at.tile, &board) == TD_E_GONE)
        *why = board;
    td_debug(drain, "the gatherer failed: %s", why->text);
    return td_fail(err, why->code ? why->code : rc, "%s", why->text);
}

/* Takes from all lanes once, with or without a gatherer. */
static int poll_lanes(struct td_drain *drain, enum td_drain_round kind, td_drain_words *words, void *self,
                      size_t *taken, struct td_err *err)
{
    struct td_err why = {0};
    if (!drain->gather.g)
        return do_round(drain, kind, words, self, taken, err);
    int rc = td_drain_gather_add(drain, &why);
    rc = rc ? rc : td_drain_gather_take(drain, words, self, taken, &why);
    if (rc)
        rc = explain(drain, rc, &why, err);
    /* What arrived before an error counts. */
    if (!drain->virtual_time) {
        int given = td_drain_gather_give(drain, words, self, rc ? NULL : err);
        rc = rc ? rc : given;
    }
    return rc;
}

/* In virtual time nothing may reach a core while it runs. So only what a finished epoch has left is taken,
 * while the cores wait for that. */
static int poll_epoch(struct td_drain *drain, td_drain_words *words, void *self, size_t *taken,
                      struct td_err *err)
{
    struct td_transport *t = drain->io.t;
    uint64_t epoch = 0, drained = 0;
    size_t n = 1;
    *taken = 0;
    int rc = td_transport_control(t, TD_CONTROL_EPOCH, 0, &epoch, err);
    rc = rc ? rc : td_transport_control(t, TD_CONTROL_EPOCH_DRAINED, 0, &drained, err);
    if (rc || epoch == drained)
        return rc;
    /* Only a look that finds nothing shows that all is taken; there is an end, unless cores run in spite of
     * it. */
    for (int looks = 0; rc == 0 && n && looks < (drain->gather.g ? GATHER_LOOKS : EPOCH_LOOKS); looks++) {
        n = 0;
        rc = poll_lanes(drain, TD_DRAIN_THOROUGH, words, self, &n, err);
        *taken += n;
    }
    if (drain->gather.g) {
        int given = td_drain_gather_give(drain, words, self, rc ? NULL : err);
        rc = rc ? rc : given;
    }
    if (rc == 0 && drain->epoch)
        rc = drain->epoch(drain->epoch_self, err);
    return rc ? rc : td_transport_control(t, TD_CONTROL_DRAINED, epoch, NULL, err);
}

/* From time to time: writes the heartbeat and checks that the board still belongs to this agent. */
static int keep_ownership(struct td_drain *drain, struct td_err *err)
{
    int rc = td_owner_heartbeat(&drain->owner, err);
    if (rc <= 0)
        return rc;
    struct td_drain_lane *first =
        &drain->lanes[drain->owner.heartbeat % tile_count(drain) * drain->board->core_count];
    rc = td_drain_read_tile(drain, first, err);
    /* A gatherer does not look at the host's words of its lanes. */
    for (uint32_t c = 0; rc == 0 && c < drain->board->core_count && first->gathered; c++)
        rc = td_drain_watch_lane(drain, &first[c], td_drain_block_lane(drain, c), err);
    return rc;
}

int td_drain_poll(struct td_drain *drain, td_drain_words *words, void *self, size_t *taken,
                  struct td_err *err)
{
    size_t n = 0;
    int rc = keep_ownership(drain, err);
    if (rc == 0 && drain->virtual_time)
        rc = poll_epoch(drain, words, self, &n, err);
    else if (rc == 0 && drain->policy != TD_POLICY_OFF) {
        rc = poll_lanes(drain, TD_DRAIN_QUICK, words, self, &n, err);
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
    if (!t->ops->wait || !is_transports_gatherer(drain) || drain->virtual_time)
        return td_fail(err, TD_E_USAGE, "transport %s cannot wait for data", t->ops->name);
    return t->ops->wait(t, timeout_ms, err);
}

static const char *state_name(uint32_t state)
{
    switch (state) {
#define TD_X(value, name, what)                                                                              \
    case value:                                                                                              \
        return #name;
        TD_CORE_STATES(TD_X)
#undef TD_X
    default:
        return "of unknown state";
    }
}

/* At the end of a recording. */
static void log_lane(const struct td_drain *drain, const struct td_drain_lane *lane, const uint32_t *ctrl)
{
    const struct td_lane_at *at = &lane->at;
    const char *core = drain->board->cores[at->core].name;
    const uint32_t joined = ctrl[TD_LANE_joined / 4] & ~TD_JOIN_LEFT, launch = ctrl[TD_LANE_launch / 4];
    if (lane->opened)
        td_debug_line_(
            TD_DEBUG_drain, "chip %u, tile (%u,%u), %s: joined, %u slots taken, %u left in its ring",
            at->tile.chip, at->tile.x, at->tile.y, core, lane->head, ctrl[TD_LANE_tail / 4] - lane->head);
    else
        td_debug_line_(TD_DEBUG_drain,
                       "chip %u, tile (%u,%u), %s: did not join: %s (invited as %u, last joined %u, %s)",
                       at->tile.chip, at->tile.x, at->tile.y, core,
                       launch == 0 ? "no kernel was launched on it"
                                   : "no launch since the invitation, or its kernel has no profiler",
                       lane->join, joined, state_name(ctrl[TD_LANE_state / 4]));
}

/* Slots that were lost at the end of a lane are followed by nothing that would show the gap. */
static int count_skipped(struct td_drain *drain, struct td_drain_lane *lane, const uint32_t *ctrl,
                         struct td_err *err)
{
    td_drain_count_skipped(drain, lane, ctrl);
    if (td_debug_on(drain))
        log_lane(drain, lane, ctrl);
    return td_drain_check_given(drain, lane, err);
}

int td_drain_finish(struct td_drain *drain, td_drain_words *words, void *self, struct td_err *err)
{
    size_t taken = 1;
    /* Cores that keep writing would make this endless. A dead board needs no freezing. */
    int frozen = td_transport_control(drain->io.t, TD_CONTROL_FREEZE, 1, NULL, NULL) == 0;
    int rounds = drain->policy == TD_POLICY_OFF ? 0 : 4;
    struct td_err why = {0};
    int rc = drain->gather.g ? td_drain_gather_finish(drain, words, self, &why) : 0;
    if (rc)
        rc = explain(drain, rc, &why, err);
    while (rc == 0 && taken && rounds-- > 0)
        rc = do_round(drain, TD_DRAIN_LAST, words, self, &taken, err);
    for (size_t i = 0; rc == 0 && drain->stamps && i < drain->lane_count; i++)
        rc = td_stamps_finish(drain->stamps, &drain->lanes[i].at, words, self, err);
    if (rc == 0 && drain->policy != TD_POLICY_OFF)
        rc = for_each_lane(drain, count_skipped, err);
    td_debug(drain, "finished%s: %llu slots in %llu polls, %llu bytes read", rc ? " with an error" : "",
             (unsigned long long)drain->io.stats.slots, (unsigned long long)drain->io.stats.polls,
             (unsigned long long)drain->io.stats.bytes_read);
    if (frozen)
        td_transport_control(drain->io.t, TD_CONTROL_FREEZE, (uint64_t)-1, NULL, NULL);
    return rc;
}

bool td_drain_reads_stamps(const struct td_drain *drain)
{
    return drain->stamps != NULL;
}

int td_drain_lane_ctrl(struct td_drain *drain, uint32_t lane_index, uint32_t ctrl[32], struct td_err *err)
{
    if (lane_index >= drain->lane_count)
        return td_fail(err, TD_E_USAGE, "there is no lane %u", lane_index);
    const struct td_drain_lane *lane = &drain->lanes[lane_index];
    struct td_transport *t = drain->io.t;
    int rc = t->ops->read(t, lane->at.tile, lane->ctrl_address, ctrl, TD_LANE_CTRL_BYTES, err);
    const int ones = rc == 0 && (ctrl[TD_LANE_head / 4] & ctrl[TD_LANE_state / 4]) == UINT32_MAX;
    return ones ? td_drain_read_tile(drain, lane - lane->at.core, err) : rc;
}

bool td_drain_lane_joined(const struct td_drain *drain, uint32_t lane_index)
{
    return lane_index < drain->lane_count && drain->lanes[lane_index].opened;
}

const struct td_drain_stats *td_drain_get_stats(struct td_drain *drain)
{
    const struct td_gather *g = drain->gather.g;
    struct td_drain_stats *stats = &drain->io.stats;
    /* Slots missing at the end of a lane leave no gap: only the gatherer counted them. */
    stats->lost_slots =
        g && g->stats.lost_slots > drain->gather.lost_slots ? g->stats.lost_slots : drain->gather.lost_slots;
    stats->lost_slots += drain->io.skipped;
    stats->bad_frames = g ? g->stats.bad_frames : 0;
    return &drain->io.stats;
}

void td_drain_destroy(struct td_drain *drain)
{
    if (!drain)
        return;
    td_stamps_destroy(drain->stamps);
    if (drain->registered)
        td_owner_disarm(&drain->owner);
    td_drain_gather_free(drain);
    free(drain->lanes);
    free(drain->block);
    free(drain->io.buffer);
    free(drain);
}
