/* The wall clocks: real time with an offset and a drift a chip, or virtual time; and the host's reads of
 * them. */
#include "boards/tensix_sim/sim.h"

#include "host/base/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    CALIBRATE_MS = 20,
    SPIN_NS = 20000,    /* after a request: how long to spin for the next, */
    YIELD_NS = 2000000, /* then, offering the processor to others, before sleeping */
    SPINS_PER_LOOK = 64,
    SERVICE_NICE = -5
};

/* A list "A,B,..." of numbers, one a chip; the last one counts for the chips that are left. */
static int parse_list(const char *text, double *values, uint32_t count, const char *option,
                      struct td_err *err)
{
    double value = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (text && *text) {
            char *end;
            errno = 0;
            value = strtod(text, &end);
            if (end == text || errno || (*end && *end != ',') || !(value > -1e15 && value < 1e15))
                return td_fail(err, TD_E_USAGE, "%s: '%s' is no list of numbers, one a chip", option, text);
            text = *end ? end + 1 : end;
        }
        values[i] = value;
    }
    if (text && *text)
        return td_fail(err, TD_E_USAGE, "%s names more chips than the board has (%u)", option, count);
    return TD_OK;
}

int clock_init(struct sim *sim, const char *offsets_ns, const char *drifts_ppm, struct td_err *err)
{
    double offset[MAX_CHIPS] = {0}, drift[MAX_CHIPS] = {0}, hz = sim->board.frequency_hz;
    if (sim->board.chips > MAX_CHIPS)
        return td_fail(err, TD_E_LIMIT, "%u chips are more than the %d that fit", sim->board.chips,
                       MAX_CHIPS);
    int rc = parse_list(offsets_ns, offset, sim->board.chips, "--offset-ns", err);
    rc = rc ? rc : parse_list(drifts_ppm, drift, sim->board.chips, "--drift-ppm", err);
    if (rc)
        return rc;
    double host_hz = sim->insn_mode ? 1e9 : 1e9 / td_host_ns_per_tick(CALIBRATE_MS);
    sim->base_host = td_host_ticks();
    for (uint32_t i = 0; i < sim->board.chips; i++) {
        if (offset[i] < 0 || drift[i] < -1e5 || drift[i] > 1e5)
            return td_fail(err, TD_E_USAGE,
                           "--offset-ns must not be negative, --drift-ppm not beyond 100000 either way");
        sim->clocks[i].base_ticks = (uint64_t)(offset[i] * hz / 1e9);
        sim->clocks[i].ratio = hz * (1 + drift[i] * 1e-6) / host_hz;
    }
    sim->insn_now = sim->clocks[0].base_ticks;
    sim->bar->truth_base_host = sim->base_host;
    sim->bar->truth_base_ticks = sim->clocks[0].base_ticks;
    sim->bar->truth_ticks_per_host_tick = sim->clocks[0].ratio;
    return TD_OK;
}

uint64_t clock_now(const struct sim *sim, uint32_t chip)
{
    if (sim->insn_mode)
        return __atomic_load_n(&sim->insn_now, __ATOMIC_RELAXED);
    const struct chip_clock *c = &sim->clocks[chip];
    return c->base_ticks + (uint64_t)((double)(td_host_ticks_ordered() - sim->base_host) * c->ratio);
}

static void answer(struct sim *sim, uint64_t request)
{
    struct td_bar_header *bar = sim->bar;
    uint32_t tile = __atomic_load_n(&bar->clock_tile, __ATOMIC_RELAXED);
    uint32_t chip = tile < sim->tensix_count ? sim->tiles[tile].entry->chip : 0;
    bar->clock_ticks = clock_now(sim, chip);
    __atomic_store_n(&bar->clock_answer_seq, request, __ATOMIC_RELEASE);
}

/* A host that has nothing but the tiles' memory reads the clock there, both halves of it in one store. */
static void show_clocks(struct sim *sim)
{
    const struct td_board *b = &sim->board;
    for (uint32_t i = 0; i < sim->tensix_count; i++) {
        struct tile *tile = &sim->tiles[i];
        uint8_t *registers = sim->map + tile->entry->regs_offset;
        uint64_t now = clock_now(sim, tile->entry->chip);
        if (b->clock_low % 8 == 0 && b->clock_live_high == b->clock_low + 4 &&
            b->clock_low - (uint32_t)tile->entry->regs_base < PAGE_BYTES)
            __atomic_store_n((uint64_t *)(registers + b->clock_low % PAGE_BYTES), now, __ATOMIC_RELEASE);
    }
}

/* Sleeps until there is a request that is not `served`. */
static void sleep_for_request(struct sim *sim, uint64_t served)
{
    const struct timespec look_again = {0, sim->far ? FAR_LOOK_NS : 100000000};
    struct td_bar_header *bar = sim->bar;
    __atomic_store_n(&bar->clock_asleep, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&bar->clock_request_seq, __ATOMIC_SEQ_CST) == served &&
           !__atomic_load_n(&sim->stop, __ATOMIC_RELAXED)) {
        if (sim->far)
            show_clocks(sim);
        syscall(SYS_futex, (uint32_t *)&bar->clock_request_seq, FUTEX_WAIT, (uint32_t)served, &look_again,
                NULL, 0);
    }
    __atomic_store_n(&bar->clock_asleep, 0, __ATOMIC_SEQ_CST);
}

/* Sharing a processor with the asking thread costs a task switch or more each way: moves to another. */
static void avoid_asker(struct sim *sim)
{
    int asker = (int)__atomic_load_n(&sim->bar->clock_cpu, __ATOMIC_RELAXED);
    if (sim->far || asker != sched_getcpu() || asker >= CPU_SETSIZE)
        return;
    cpu_set_t others = sim->cpus;
    CPU_CLR(asker, &others);
    if (CPU_COUNT(&others) > 0)
        sched_setaffinity(0, sizeof others, &others);
}

void *clock_service(void *argument)
{
    struct sim *sim = argument;
    struct td_bar_header *bar = sim->bar;
    setpriority(PRIO_PROCESS, (id_t)gettid(), SERVICE_NICE); /* where that is allowed */
    pthread_setname_np(pthread_self(), "clock");
    uint64_t served = 0;
    int64_t last_ns = 0;
    while (!__atomic_load_n(&sim->stop, __ATOMIC_RELAXED)) {
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            uint64_t request = __atomic_load_n(&bar->clock_request_seq, __ATOMIC_ACQUIRE);
            if (request != served) {
                answer(sim, request);
                served = request;
                avoid_asker(sim);
                last_ns = td_mono_ns();
            }
            td_cpu_relax();
        }
        int64_t quiet_ns = td_mono_ns() - last_ns;
        if (quiet_ns > YIELD_NS)
            sleep_for_request(sim, served);
        else if (quiet_ns > SPIN_NS)
            sched_yield();
    }
    return NULL;
}
