#include "host/device/drain/owner.h"
#include "host/device/drain/owner_guard.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/process.h"

#include <stdbool.h>
#include <time.h>

#define GUARD_MS      5000 /* the longest wait for a process that disarms a dead agent's lanes */
#define GIVE_UP_AFTER 3    /* tiles of a chip that cannot be disarmed */
/* A heartbeat that pauses for longer may be taken for that of a dead agent. */
#define STEADY_NS (TD_OWNER_GONE_MS * INT64_C(500000))

void td_owner_init(struct td_owner *owner, struct td_transport *t, const struct td_board *board,
                   uint32_t agent)
{
    *owner = (struct td_owner){
        .t = t, .board = board, .agent = agent, .machine = td_process_machine(), .heartbeat = 1};
}

static struct td_tile_at first_tile(const struct td_owner *o)
{
    return td_board_tile(o->board, 0, 0, 0);
}

static int read_words(const struct td_owner *o, struct td_tile_at at, uint32_t words[TD_TILE_CTRL_BYTES / 4],
                      struct td_err *err)
{
    return o->t->ops->read(o->t, at, o->board->lane_base, words, TD_TILE_CTRL_BYTES, err);
}

static bool is_mine(const struct td_owner *o, const uint32_t *words)
{
    return words[TD_TILE_agent / 4] == o->agent && words[TD_TILE_machine / 4] == o->machine;
}

/* Watches the heartbeat of the agent that owns the first tile: 1 it has stopped, 0 it has not. */
static int stands_still(const struct td_owner *o, uint32_t agent, struct td_err *err)
{
    uint32_t words[TD_TILE_CTRL_BYTES / 4];
    int rc = read_words(o, first_tile(o), words, err);
    const uint32_t heartbeat = words[TD_TILE_heartbeat / 4];
    const int64_t until = td_mono_ns() + (int64_t)TD_OWNER_GONE_MS * 1000000;
    /* The last look comes after the time is over, however long this process did not run. */
    for (int over = 0; rc == 0 && !over;) {
        /* An agent that does not own the first tile died while it took or returned tiles. */
        if (words[TD_TILE_agent / 4] != agent)
            return 1;
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        over = td_mono_ns() >= until;
        rc = read_words(o, first_tile(o), words, err);
        if (rc == 0 && words[TD_TILE_agent / 4] == agent && words[TD_TILE_heartbeat / 4] != heartbeat)
            return 0;
    }
    return rc ? rc : 1;
}

int td_owner_check_free(struct td_owner *o, struct td_tile_at at, struct td_err *err)
{
    uint32_t words[TD_TILE_CTRL_BYTES / 4];
    int rc = read_words(o, at, words, err);
    const uint32_t agent = words[TD_TILE_agent / 4], machine = words[TD_TILE_machine / 4];
    const int nobody = words[TD_TILE_magic / 4] != TD_LANE_MAGIC || agent == 0;
    if (rc || nobody || is_mine(o, words) || (agent == o->gone_agent && machine == o->gone_machine))
        return rc;
    const int is_here = machine == o->machine;
    td_debug(owner, "tile (%u,%u) of chip %u belongs to process %u of %s machine; %s", at.x, at.y, at.chip,
             agent, is_here ? "this" : "another",
             is_here && td_process_gone(agent) ? "that has ended" : "watching its heartbeat");
    int gone = is_here && td_process_gone(agent) ? 1 : stands_still(o, agent, err);
    td_debug(owner, "process %u %s", agent,
             gone > 0 ? "is gone: its tiles are free"
             : gone   ? "cannot be watched"
                      : "is alive");
    if (gone < 0)
        return gone;
    if (!gone)
        return td_fail(err, TD_E_USAGE,
                       "another agent (process %u of %s machine) drains this board; end it first", agent,
                       is_here ? "this" : "another");
    if (is_here && td_process_gone(agent))
        td_owner_guard_wait(agent, GUARD_MS);
    o->gone_agent = agent;
    o->gone_machine = machine;
    return 0;
}

int td_owner_take(struct td_owner *o, struct td_tile_at at, struct td_err *err)
{
    const uint32_t words[] = {o->agent, o->machine, o->heartbeat};
    const uint64_t agent = o->board->lane_base + TD_TILE_agent;
    int rc = o->t->ops->at_end ? o->t->ops->at_end(o->t, at, agent, 0, 1, err) : 0;
    td_debug(owner, "taking tile (%u,%u) of chip %u as process %u%s", at.x, at.y, at.chip, o->agent,
             o->t->ops->at_end ? "; the driver disarms it when this process dies" : "");
    return rc ? rc : o->t->ops->write(o->t, at, agent, words, sizeof words, err);
}

int td_owner_check(const struct td_owner *o, struct td_tile_at at,
                   const uint32_t words[TD_TILE_CTRL_BYTES / 4], struct td_err *err)
{
    const uint32_t magic = words[TD_TILE_magic / 4], agent = words[TD_TILE_agent / 4];
    if (magic == TD_LANE_MAGIC && is_mine(o, words))
        return 0;
    td_debug(owner, "tile (%u,%u) of chip %u is not this agent's: magic 0x%08x, process %u, machine 0x%08x",
             at.x, at.y, at.chip, magic, agent, words[TD_TILE_machine / 4]);
    if (magic == UINT32_MAX)
        return td_fail(err, TD_E_GONE, "the device does not answer (all ones)");
    if (magic != TD_LANE_MAGIC)
        return td_fail(err, TD_E_GONE, "the board was reset: tile %u,%u of chip %u has no lanes any more",
                       at.x, at.y, at.chip);
    if (agent == 0)
        return td_fail(err, TD_E_GONE, "another process disarmed the lanes of tile %u,%u of chip %u", at.x,
                       at.y, at.chip);
    return td_fail(err, TD_E_GONE, "another agent (process %u of %s machine) has taken the board over", agent,
                   words[TD_TILE_machine / 4] == o->machine ? "this" : "another");
}

int td_owner_recheck(const struct td_owner *o, struct td_tile_at at, struct td_err *err)
{
    uint32_t words[TD_TILE_CTRL_BYTES / 4];
    int rc = read_words(o, at, words, err);
    return rc ? rc : td_owner_check(o, at, words, err);
}

/* Another machine counts the time for which this one is suspended. */
static int64_t boot_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool td_owner_is_steady(const struct td_owner *o)
{
    return !o->has_paused && o->last_ns && boot_ns() - o->last_ns < STEADY_NS;
}

int td_owner_heartbeat(struct td_owner *o, struct td_err *err)
{
    int64_t now = td_mono_ns();
    if (now < o->next_ns)
        return 0;
    o->next_ns = now + (int64_t)TD_OWNER_HEARTBEAT_MS * 1000000;
    o->heartbeat++;
    const int64_t begin_ns = boot_ns();
    int rc =
        o->t->ops->write(o->t, first_tile(o), o->board->lane_base + TD_TILE_heartbeat, &o->heartbeat, 4, err);
    o->has_paused = o->has_paused || (o->last_ns && boot_ns() - o->last_ns >= STEADY_NS);
    o->last_ns = begin_ns;
    return rc ? rc : 1;
}

static int disarm_tile(struct td_owner *o, struct td_tile_at at)
{
    const uint32_t off = TD_POLICY_OFF, nobody = 0;
    if (o->t->ops->at_end)
        o->t->ops->at_end(o->t, at, o->board->lane_base + TD_TILE_agent, 0, 0, NULL);
    int rc = td_owner_recheck(o, at, NULL);
    for (uint32_t c = 0; rc == 0 && c < o->board->core_count; c++)
        rc = o->t->ops->write(o->t, at, td_board_lane_ctrl(o->board, c) + TD_LANE_policy, &off, 4, NULL);
    return rc ? rc : o->t->ops->write(o->t, at, o->board->lane_base + TD_TILE_agent, &nobody, 4, NULL);
}

void td_owner_disarm(struct td_owner *o)
{
    const struct td_board *b = o->board;
    int left = 0;
    for (uint32_t chip = 0; chip < b->chips; chip++) {
        int failed = 0;
        for (uint32_t i = 0; i < b->grid_width * b->grid_height && failed < GIVE_UP_AFTER; i++) {
            int rc = disarm_tile(o, td_board_tile(b, chip, i % b->grid_width, i / b->grid_width));
            failed += rc != 0;
            left += rc == 0;
        }
    }
    td_debug(owner, "process %u disarmed %d of %u tiles", o->agent, left,
             b->chips * b->grid_width * b->grid_height);
    if (left)
        td_transport_control(o->t, TD_CONTROL_AGENT, 0, NULL, NULL);
}
