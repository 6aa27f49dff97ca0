/* Who runs when. Host mode: workers share the tiles, each core gets turns. Insn mode: one worker runs all
 * cores in lock step, so that the same input gives the same bytes. */
#include "boards/tensix_sim/reorder.h"
#include "boards/tensix_sim/sim.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    IDLE_NS = 1000000, /* how long a worker with nothing to run sleeps before it looks at the resets again */
    SPIN_ROUNDS = 8,   /* rounds in which every core only waits, before the worker naps */
    NAP_NS = 30000,
    QUANTUM_TICKS = 200, /* lock step of insn mode */
    WORKER_NICE = 5      /* below the thread that answers clock reads, and below the agent */
};

static bool is_stopping(const struct sim *sim)
{
    return __atomic_load_n(&sim->stop, __ATOMIC_RELAXED);
}

static bool is_freezing(const struct sim *sim)
{
    return TD_BAR_FREEZES(__atomic_load_n(&sim->bar->freezing, __ATOMIC_RELAXED)) > 0;
}

/* A host on another machine does not ring the doorbell, so a short reset of a core may be missed. But a
 * launch has a new number, which the host writes during the reset; it is read before the register. */
static uint32_t missed_resets(const struct tile *tile)
{
    uint32_t missed = 0;
    for (uint32_t i = 0; i < tile->cores[0].sim->board.core_count; i++) {
        const struct core *core = &tile->cores[i];
        uint32_t launch = core_launch(core);
        if (launch && launch != core->launch)
            missed |= UINT32_C(1) << core->desc->reset_bit;
    }
    return missed;
}

/* Follows the tile's soft reset register. Returns how many of its cores run. */
static unsigned follow_reset(struct sim *sim, struct tile *tile, int may_release)
{
    unsigned running = 0;
    uint32_t missed = sim->far ? missed_resets(tile) : 0;
    uint32_t word = __atomic_load_n(tile->soft_reset, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < sim->board.core_count; i++) {
        struct core *core = &tile->cores[i];
        if (((word | missed) >> core->desc->reset_bit) & 1) {
            core->state = CORE_HELD;
            reorder_begin_turn(core); /* what it has stored arrives */
        }
        if (core->state == CORE_HELD && may_release && !(word >> core->desc->reset_bit & 1))
            core_release(core);
        running += core->state == CORE_RUNNING;
    }
    return running;
}

/* After a doorbell: puts the cores that the host holds into reset, even for a moment, and confirms it. */
static void answer_doorbell(struct sim_worker *worker)
{
    struct sim *sim = worker->sim;
    uint32_t bell = doorbell(sim);
    if (bell == worker->bell_seen)
        return;
    for (uint32_t i = worker->number; i < sim->tensix_count; i += sim->threads) {
        follow_reset(sim, &sim->tiles[i], 0);
        timestamper_follow(sim, &sim->tiles[i]);
    }
    __atomic_store_n(&worker->bell_seen, bell, __ATOMIC_SEQ_CST);
    doorbell_seen(sim);
}

/* Waits until the host unfreezes the board. */
static void wait_while_frozen(struct sim_worker *worker)
{
    struct sim *sim = worker->sim;
    gate_stop(sim);
    answer_doorbell(worker);
    while (!gate_go(sim)) {
        if (is_stopping(sim))
            return;
        doorbell_wait(sim, worker->bell_seen, IDLE_NS);
        answer_doorbell(worker);
    }
}

/* Cores are seen where their turns end. Turns of one length would end at one place of a loop that takes as
 * many instructions. */
static uint64_t turn_insns(struct core *core)
{
    if (!debug_bus_is_on(core))
        return SLICE_INSNS;
    return SLICE_INSNS / 8 + debug_bus_random(core, 2 * SLICE_INSNS - SLICE_INSNS / 4);
}

struct round {
    unsigned running, waiting, under_way; /* cores that run, of these: that only wait; NoC requests */
};

static void run_tile(struct sim_worker *worker, struct tile *tile, struct round *round)
{
    struct sim *sim = worker->sim;
    unsigned running = follow_reset(sim, tile, 1);
    if (sim->far) /* its host does not ring the doorbell */
        timestamper_follow(sim, tile);
    for (uint32_t i = 0; i < sim->board.core_count && !is_freezing(sim); i++) {
        struct core *core = &tile->cores[i];
        if (running && core->state == CORE_RUNNING) {
            core_run(core, turn_insns(core));
            round->running++;
            round->waiting += core->spinning;
            answer_doorbell(worker);
        }
        if (tile->under_way)
            noc_run(sim, tile, clock_now(sim, tile->entry->chip));
    }
    round->under_way += tile->under_way;
}

void *host_worker(void *argument)
{
    struct sim_worker *worker = argument;
    struct sim *sim = worker->sim;
    unsigned idle_rounds = 0;
    setpriority(PRIO_PROCESS, (id_t)gettid(), WORKER_NICE);
    while (!is_stopping(sim)) {
        answer_doorbell(worker);
        if (is_freezing(sim)) {
            wait_while_frozen(worker);
            continue;
        }
        struct round round = {0};
        for (uint32_t i = worker->number; i < sim->tensix_count && !is_freezing(sim); i += sim->threads)
            run_tile(worker, &sim->tiles[i], &round);
        if (round.running > round.waiting) {
            idle_rounds = 0;
        } else if (round.running || round.under_way) {
            if (++idle_rounds > SPIN_ROUNDS)
                doorbell_wait(sim, worker->bell_seen, NAP_NS);
            else
                sched_yield();
        } else {
            doorbell_wait(sim, worker->bell_seen, IDLE_NS);
        }
    }
    return NULL;
}

/* One quantum for every core; returns how many ran or have commands under way. */
static unsigned run_quantum(struct sim *sim, uint64_t now)
{
    uint64_t end = now + QUANTUM_TICKS;
    unsigned active = 0;
    for (uint32_t i = 0; i < sim->tensix_count; i++) {
        struct tile *tile = &sim->tiles[i];
        for (uint32_t c = 0; c < sim->board.core_count; c++) {
            struct core *core = &tile->cores[c];
            if (core->state != CORE_RUNNING)
                continue;
            active++;
            if (core->ticks < end)
                core_run(core, end - core->ticks);
        }
    }
    for (uint32_t i = 0; i < sim->tensix_count; i++)
        if (sim->tiles[i].under_way)
            active += noc_run(sim, &sim->tiles[i], end) > 0;
    return active;
}

/* Lets the agent take what is in the lanes; no time passes. */
static void end_epoch(struct sim_worker *worker)
{
    struct sim *sim = worker->sim;
    struct td_bar_header *bar = sim->bar;
    uint64_t done = __atomic_add_fetch(&bar->epoch_done, 1, __ATOMIC_SEQ_CST);
    gate_stop(sim);
    while (!is_stopping(sim) && __atomic_load_n(&bar->agent_pid, __ATOMIC_SEQ_CST) &&
           __atomic_load_n(&bar->epoch_drained, __ATOMIC_SEQ_CST) < done) {
        gate_poll(sim);
        answer_doorbell(worker);
        doorbell_wait(sim, worker->bell_seen, NAP_NS);
    }
    while (!gate_go(sim) && !is_stopping(sim)) {
        answer_doorbell(worker);
        doorbell_wait(sim, worker->bell_seen, NAP_NS);
    }
}

void *insn_worker(void *argument)
{
    struct sim_worker *worker = argument;
    struct sim *sim = worker->sim;
    uint64_t epoch_end = sim->insn_now + sim->epoch_ticks;
    int passed = 0; /* time has passed since the last epoch */
    while (!is_stopping(sim)) {
        answer_doorbell(worker);
        if (is_freezing(sim)) {
            wait_while_frozen(worker);
            continue;
        }
        for (uint32_t i = 0; i < sim->tensix_count; i++)
            follow_reset(sim, &sim->tiles[i], 1);
        uint64_t now = sim->insn_now;
        int active = run_quantum(sim, now) > 0;
        if (active) {
            now += QUANTUM_TICKS;
            __atomic_store_n(&sim->insn_now, now, __ATOMIC_RELEASE);
            passed = 1;
        }
        if (passed && (now >= epoch_end || !active)) {
            end_epoch(worker);
            epoch_end = sim->insn_now + sim->epoch_ticks;
            passed = 0;
        } else if (!active) {
            doorbell_wait(sim, worker->bell_seen, IDLE_NS);
        }
    }
    return NULL;
}
