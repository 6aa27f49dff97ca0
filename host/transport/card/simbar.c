#include "host/transport/card/simbar.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/process.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    PAGE_BYTES = 4096,
    ALIVE_FRESH_NS = 5000000, /* alive() looks again after this time */
    SPIN_NS = 5000,           /* wait_step() spins for this time, */
    YIELD_NS = 200000,        /* then yields for this time, then sleeps */
    MAX_COORDINATE = 256
};
/* A simulator whose heartbeat stops for this time counts as gone (td_waited_ns()). */
static const int64_t stuck_ns = INT64_C(10000000000);
#define LOOK_NS INT64_C(500000000)
#define LOST_NS INT64_C(3000000000) /* of a lock that is held for microseconds */

struct simbar {
    struct td_transport base;
    struct td_transport_ops ops;
    struct td_simbar_config config;
    int apart; /* this process and the simulator see different process numbers */
    char *map;
    uint64_t bytes;
    struct td_bar_header *bar;
    struct td_bar_tile *tiles;
    uint32_t tile_count;
    uint64_t description_offset;
    uint32_t *place; /* tile number + 1 by chip, y, x */
    uint32_t chips;
    uint64_t heartbeat;
    int64_t still_ns, checked_ns; /* since the heartbeat last moved; when alive() last looked */
    char grid[32];
    struct td_bar_debug_bus bus; /* cores 0: the tiles have none */
    const uint32_t *pcs;         /* of the first tile's cores */
};

static void nap(long ns)
{
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

static void futex_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static uint32_t ring_doorbell(struct simbar *s)
{
    uint32_t bell = __atomic_add_fetch(&s->bar->doorbell, 1, __ATOMIC_SEQ_CST);
    if (!s->config.far)
        futex_wake(&s->bar->doorbell);
    return bell;
}

static int fail_gone(const struct simbar *s, struct td_err *err, const char *how)
{
    td_debug(sim, "%s %s", s->config.path, how);
    return td_fail(err, TD_E_GONE, "the simulated board (%s) %s; start it again", s->config.path, how);
}

static int simbar_alive(struct td_transport *t, struct td_err *err)
{
    struct simbar *s = (struct simbar *)t;
    const int64_t now = td_mono_ns(), passed = now - s->checked_ns;
    if (passed < ALIVE_FRESH_NS)
        return TD_OK;
    uint64_t beat = __atomic_load_n(&s->bar->heartbeat, __ATOMIC_RELAXED);
    if (s->config.ended && s->config.ended(s->config.self))
        return fail_gone(s, err, "has ended");
    if (beat != s->heartbeat) {
        s->heartbeat = beat;
        s->still_ns = 0;
    } else if ((s->still_ns += td_waited_ns(passed, LOOK_NS)) > stuck_ns) {
        return fail_gone(s, err, "does not answer any more");
    }
    s->checked_ns = now;
    return TD_OK;
}

/* Waits for an answer of the simulator: spins, then yields, then checks whether it lives. */
struct patience {
    int64_t last_ns, waited_ns;
    unsigned rounds;
};

static int wait_step(struct simbar *s, struct patience *p, struct td_err *err)
{
    if (++p->rounds % 64) {
        td_cpu_relax();
        return TD_OK;
    }
    const int64_t now = td_mono_ns();
    p->waited_ns += p->last_ns ? td_waited_ns(now - p->last_ns, LOOK_NS) : 0;
    p->last_ns = now;
    if (p->waited_ns < SPIN_NS)
        return TD_OK;
    if (p->waited_ns < YIELD_NS) {
        sched_yield();
        return TD_OK;
    }
    int rc = simbar_alive(&s->base, err);
    if (rc == 0 && p->waited_ns > stuck_ns)
        rc = td_fail(err, TD_E_TIMEOUT, "the simulated board %s runs but does not answer", s->config.path);
    nap(20000);
    return rc;
}

static const struct td_bar_tile *find_tile(const struct simbar *s, struct td_tile_at at)
{
    if (at.chip >= s->chips || at.x >= MAX_COORDINATE || at.y >= MAX_COORDINATE)
        return NULL;
    uint32_t n = s->place[((size_t)at.chip * MAX_COORDINATE + at.y) * MAX_COORDINATE + at.x];
    return n ? &s->tiles[n - 1] : NULL;
}

/* The place of `bytes` at a tile's address in the mapping, or NULL. *is_register: in the register page. */
static char *locate(const struct simbar *s, struct td_tile_at at, uint64_t address, size_t bytes,
                    int *is_register, struct td_err *err)
{
    const struct td_bar_tile *tile = find_tile(s, at);
    *is_register = 0;
    /* A device that was removed reads as ones. */
    if (s->bar->magic != TD_BAR_MAGIC) {
        fail_gone(s, err, "was removed");
        return NULL;
    }
    if (!tile) {
        td_fail(err, TD_E_USAGE, "chip %u has no tile at NoC (%u,%u)", at.chip, at.x, at.y);
        return NULL;
    }
    uint64_t offset = address - tile->mem_base;
    if (address >= tile->mem_base && offset <= tile->mem_bytes && bytes <= tile->mem_bytes - offset)
        return s->map + tile->mem_offset + offset;
    uint64_t page = tile->regs_base;
    if (tile->regs_offset && address >= page && address - page < PAGE_BYTES &&
        bytes <= PAGE_BYTES - (address - page)) {
        *is_register = 1;
        return s->map + tile->regs_offset + (address - page);
    }
    td_fail(err, TD_E_USAGE, "tile (%u,%u) of chip %u has nothing at 0x%llx..0x%llx", at.x, at.y, at.chip,
            (unsigned long long)address, (unsigned long long)(address + bytes));
    return NULL;
}

/* The error when locate() returned NULL. */
static int failed(const struct simbar *s)
{
    return s->bar->magic != TD_BAR_MAGIC ? TD_E_GONE : TD_E_USAGE;
}

/* memcpy that never tears an aligned word of the tile; the other side need not be aligned. */
static void copy_words(void *to, const void *from, size_t bytes, const void *in_tile)
{
    typedef uint32_t __attribute__((may_alias, aligned(1))) word;
    size_t done = 0;
    if (((uintptr_t)in_tile & 3) == 0)
        for (; bytes - done >= 4; done += 4)
            *(volatile word *)((char *)to + done) = *(const volatile word *)((const char *)from + done);
    memcpy((char *)to + done, (const char *)from + done, bytes - done);
}

/* Reads the debug bus's data register, whose value is made here. False: the address is another one. */
static bool read_debug_data(const struct simbar *s, struct td_tile_at at, uint64_t address, void *to,
                            size_t bytes)
{
    const struct td_bar_tile *tile = find_tile(s, at);
    if (!s->bus.cores || address != s->bus.data || bytes != sizeof(uint32_t) || !tile ||
        tile->kind != TD_BAR_TENSIX)
        return false;
    const uint32_t *control = (const void *)(s->map + tile->regs_offset + s->bus.control % PAGE_BYTES);
    const uint32_t *pcs = s->pcs + (size_t)(tile - s->tiles) * TD_BAR_DEBUG_CORES;
    const uint32_t value = td_bar_debug_data(&s->bus, pcs, __atomic_load_n(control, __ATOMIC_RELAXED));
    memcpy(to, &value, sizeof value);
    return true;
}

static int simbar_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                       struct td_err *err)
{
    int is_register;
    if (read_debug_data((struct simbar *)t, at, address, to, bytes))
        return TD_OK;
    const char *from = locate((struct simbar *)t, at, address, bytes, &is_register, err);
    if (!from)
        return failed((struct simbar *)t);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    copy_words(to, from, bytes, from);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return TD_OK;
}

/* Waits until the simulator has seen the present values of the reset registers. */
static int wait_until_seen(struct simbar *s, uint32_t bell, struct td_err *err)
{
    struct patience p = {0};
    int rc = TD_OK;
    while (rc == 0 && (int32_t)(__atomic_load_n(&s->bar->doorbell_seen, __ATOMIC_SEQ_CST) - bell) < 0)
        rc = wait_step(s, &p, err);
    return rc;
}

static int simbar_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                        size_t bytes, struct td_err *err)
{
    struct simbar *s = (struct simbar *)t;
    int is_register;
    char *to = locate(s, at, address, bytes, &is_register, err);
    if (!to)
        return failed(s);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    copy_words(to, from, bytes, to);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    /* The cores need not have seen what the debug bus is to show. */
    is_register = is_register && !(s->bus.cores && address == s->bus.control);
    return is_register ? wait_until_seen(s, ring_doorbell(s), err) : TD_OK;
}

static void *simbar_map(struct td_transport *t, struct td_tile_at at, uint64_t address, size_t bytes)
{
    int is_register;
    char *place = locate((struct simbar *)t, at, address, bytes, &is_register, NULL);
    return is_register ? NULL : place;
}

/* Processes of other machines and PID namespaces count as alive: this process cannot see them. */
static bool is_dead(const struct simbar *s, uint32_t process)
{
    int is_far = (process & TD_BAR_FAR_PROCESS) != 0;
    if (s->apart && !s->config.far)
        return false;
    return process && is_far == (s->config.far != 0) && td_process_gone(process & ~TD_BAR_FAR_PROCESS);
}

/* The simulator cleans up after dead processes of its own machine. After those of another machine, the
 * next process of that machine does. */
static void follow_the_dead(const struct simbar *s)
{
    if (!s->config.far)
        return;
    uint64_t freezing = __atomic_load_n(&s->bar->freezing, __ATOMIC_SEQ_CST);
    uint32_t agent = __atomic_load_n(&s->bar->agent_pid, __ATOMIC_SEQ_CST);
    if (agent && is_dead(s, agent))
        td_debug(sim, "%s: agent %u of this machine is gone; its entry is removed", s->config.path,
                 agent & ~TD_BAR_FAR_PROCESS);
    if (TD_BAR_FREEZES(freezing) && is_dead(s, TD_BAR_FREEZER(freezing)))
        __atomic_compare_exchange_n(&s->bar->freezing, &freezing, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (is_dead(s, agent))
        __atomic_compare_exchange_n(&s->bar->agent_pid, &agent, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static int take_clock_lock(struct simbar *s, struct td_err *err)
{
    struct patience p = {0};
    uint32_t me = td_simbar_process(&s->base), holder = 0;
    while (!__atomic_compare_exchange_n(&s->bar->clock_lock, &holder, me, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
        int rc = wait_step(s, &p, err);
        if (rc)
            return rc;
        /* A process that died or was stopped while it held the lock must not block all others. */
        const int64_t waited_ns = p.rounds % 64 == 0 ? p.waited_ns : 0;
        const int is_lost = waited_ns > LOST_NS || (waited_ns > YIELD_NS && is_dead(s, holder));
        if (is_lost)
            td_debug(sim, "%s: process %u has not released the clock's lock; taking it", s->config.path,
                     holder & ~TD_BAR_FAR_PROCESS);
        if (!is_lost)
            holder = 0;
    }
    return TD_OK;
}

static void give_clock_lock(struct simbar *s)
{
    uint32_t me = td_simbar_process(&s->base);
    __atomic_compare_exchange_n(&s->bar->clock_lock, &me, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static int ask_clock(struct simbar *s, uint32_t tile, struct td_clock_sample *sample, struct td_err *err)
{
    struct td_bar_header *bar = s->bar;
    __atomic_store_n(&bar->clock_tile, tile, __ATOMIC_RELAXED);
    __atomic_store_n(&bar->clock_cpu, (uint32_t)sched_getcpu(), __ATOMIC_RELAXED);
    uint64_t seq = __atomic_load_n(&bar->clock_request_seq, __ATOMIC_RELAXED) + 1;
    sample->host_before = td_host_ticks_ordered();
    __atomic_store_n(&bar->clock_request_seq, seq, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bar->clock_asleep, __ATOMIC_SEQ_CST))
        futex_wake((uint32_t *)&bar->clock_request_seq);
    struct patience p = {0};
    /* The number may be past `seq`, if another process has taken the lock meanwhile. */
    while ((int64_t)(__atomic_load_n(&bar->clock_answer_seq, __ATOMIC_ACQUIRE) - seq) < 0) {
        int rc = wait_step(s, &p, err);
        if (rc)
            return rc;
    }
    sample->host_after = td_host_ticks_ordered();
    sample->ticks = bar->clock_ticks;
    return TD_OK;
}

static int simbar_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                        struct td_err *err)
{
    struct simbar *s = (struct simbar *)t;
    const struct td_bar_tile *tile = find_tile(s, at);
    if (!tile || tile->kind != TD_BAR_TENSIX)
        return td_fail(err, TD_E_USAGE, "chip %u has no clock at NoC (%u,%u)", at.chip, at.x, at.y);
    int rc = take_clock_lock(s, err);
    if (rc)
        return rc;
    /* The first read after a pause only wakes the simulator: it would include the wake-up. */
    if (__atomic_load_n(&s->bar->clock_asleep, __ATOMIC_SEQ_CST))
        rc = ask_clock(s, (uint32_t)(tile - s->tiles), sample, err);
    rc = rc ? rc : ask_clock(s, (uint32_t)(tile - s->tiles), sample, err);
    give_clock_lock(s);
    return rc;
}

static bool inside(const struct simbar *s, uint64_t offset, uint64_t bytes)
{
    return offset <= s->bytes && bytes <= s->bytes - offset;
}

static bool is_sound(const struct simbar *s, const struct td_bar_tile *t)
{
    return inside(s, t->mem_offset, t->mem_bytes) && t->mem_offset % PAGE_BYTES == 0 &&
           t->mem_base % sizeof(uint64_t) == 0 && inside(s, t->regs_offset, PAGE_BYTES) &&
           t->regs_offset % PAGE_BYTES == 0 && t->x < MAX_COORDINATE && t->y < MAX_COORDINATE &&
           t->chip < MAX_COORDINATE;
}

/* Copies the table before checking it, because the simulator may change it. */
static int read_tiles(struct simbar *s, struct td_err *err)
{
    const uint64_t text = s->bar->description_offset, table = s->bar->tiles_offset;
    const uint64_t table_bytes = (uint64_t)s->bar->tile_count * sizeof *s->tiles;
    int sound = inside(s, text, 1) && memchr(s->map + text, 0, s->bytes - text) && table % 8 == 0 &&
                inside(s, table, table_bytes);
    s->tile_count = sound ? (uint32_t)(table_bytes / sizeof *s->tiles) : 0;
    s->tiles = malloc(s->tile_count * sizeof *s->tiles + 1);
    if (!s->tiles)
        return td_fail_no_memory(err, NULL);
    if (sound)
        memcpy(s->tiles, s->map + table, table_bytes);
    for (uint32_t i = 0; i < s->tile_count; i++) {
        sound = sound && is_sound(s, &s->tiles[i]);
        if (s->tiles[i].chip >= s->chips)
            s->chips = s->tiles[i].chip + 1u;
    }
    s->description_offset = text;
    return sound ? TD_OK
                 : td_fail(err, TD_E_FORMAT, "the tables of board %s do not make sense", s->config.path);
}

/* Checks a copy, because the simulator may change the words. */
static int read_debug_bus(struct simbar *s, struct td_err *err)
{
    const uint64_t at = s->bar->debug_bus_offset;
    uint64_t tensix = 0;
    if (at == 0)
        return TD_OK;
    for (uint32_t i = 0; i < s->tile_count; i++)
        tensix = s->tiles[i].kind == TD_BAR_TENSIX ? i + 1u : tensix;
    const uint64_t bytes = tensix * TD_BAR_DEBUG_CORES * sizeof(uint32_t);
    if (at % 8 || !inside(s, at, sizeof s->bus + bytes))
        return td_fail(err, TD_E_FORMAT, "the debug bus of board %s does not make sense", s->config.path);
    memcpy(&s->bus, s->map + at, sizeof s->bus);
    s->pcs = (const void *)(s->map + at + sizeof s->bus);
    if (s->bus.cores > TD_BAR_DEBUG_CORES || s->bus.control % 4)
        return td_fail(err, TD_E_FORMAT, "the debug bus of board %s does not make sense", s->config.path);
    return TD_OK;
}

static int index_tiles(struct simbar *s, struct td_err *err)
{
    s->place = calloc((size_t)s->chips * MAX_COORDINATE * MAX_COORDINATE + 1, sizeof *s->place);
    if (!s->place)
        return td_fail_no_memory(err, NULL);
    for (uint32_t i = 0; i < s->tile_count; i++) {
        const struct td_bar_tile *t = &s->tiles[i];
        s->place[((size_t)t->chip * MAX_COORDINATE + t->y) * MAX_COORDINATE + t->x] = i + 1;
    }
    return TD_OK;
}

static int simbar_describe(struct td_transport *t, const char **text, const char **grid, struct td_err *err)
{
    struct simbar *s = (struct simbar *)t;
    unsigned width = 0, height = 0;
    for (uint32_t i = 0; i < s->tile_count; i++) {
        if (s->tiles[i].kind != TD_BAR_TENSIX || s->tiles[i].logical_x == TD_BAR_NOT_IN_GRID)
            continue;
        width = s->tiles[i].logical_x >= width ? s->tiles[i].logical_x + 1u : width;
        height = s->tiles[i].logical_y >= height ? s->tiles[i].logical_y + 1u : height;
    }
    snprintf(s->grid, sizeof s->grid, "%ux%u", width, height);
    *grid = s->grid;
    *text = s->map + s->description_offset;
    return TD_OK;
}

/* What `freezing` becomes. False: another process has frozen the board. */
static bool next_freezing(const struct simbar *s, uint64_t now, int delta, uint64_t *next)
{
    const uint32_t me = td_simbar_process(&s->base), holder = TD_BAR_FREEZER(now),
                   count = TD_BAR_FREEZES(now);
    if (delta < 0)
        *next = count && holder == me ? TD_BAR_FREEZING(count - 1, count > 1 ? me : 0) : now;
    else if (!count || holder == me || is_dead(s, holder))
        *next = TD_BAR_FREEZING(holder == me ? count + 1 : 1, me);
    else
        return false;
    return true;
}

static int freeze(struct simbar *s, int delta, struct td_err *err)
{
    struct patience p = {0};
    uint64_t now = __atomic_load_n(&s->bar->freezing, __ATOMIC_SEQ_CST), next;
    int rc = TD_OK;
    while (
        !next_freezing(s, now, delta, &next) ||
        !__atomic_compare_exchange_n(&s->bar->freezing, &now, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        if ((rc = wait_step(s, &p, err)) < 0)
            return rc;
        now = __atomic_load_n(&s->bar->freezing, __ATOMIC_SEQ_CST);
    }
    ring_doorbell(s);
    p = (struct patience){0};
    while (rc == 0 && delta > 0 && !__atomic_load_n(&s->bar->frozen, __ATOMIC_SEQ_CST))
        rc = wait_step(s, &p, err);
    return rc;
}

/* Waits until the simulator has disarmed the lanes of a dead agent. */
static int set_agent(struct simbar *s, uint32_t process, struct td_err *err)
{
    struct patience p = {0};
    int rc = TD_OK;
    uint32_t now = __atomic_load_n(&s->bar->agent_pid, __ATOMIC_SEQ_CST);
    while (rc == 0 &&
           (now == TD_BAR_DISARMING || !__atomic_compare_exchange_n(&s->bar->agent_pid, &now, process, 0,
                                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))) {
        rc = wait_step(s, &p, err);
        now = __atomic_load_n(&s->bar->agent_pid, __ATOMIC_SEQ_CST);
    }
    return rc;
}

static int simbar_control(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                          struct td_err *err)
{
    struct simbar *s = (struct simbar *)t;
    uint64_t got = 0;
    switch (what) {
    case TD_CONTROL_CLOCK_MODE:
        got = s->bar->clock_mode;
        break;
    case TD_CONTROL_FREEZE:
        return freeze(s, (int)(int64_t)value, err);
    case TD_CONTROL_EPOCH:
        got = __atomic_load_n(&s->bar->epoch_done, __ATOMIC_ACQUIRE);
        break;
    case TD_CONTROL_DRAINED:
        __atomic_store_n(&s->bar->epoch_drained, value, __ATOMIC_SEQ_CST);
        break;
    case TD_CONTROL_EPOCH_DRAINED:
        got = __atomic_load_n(&s->bar->epoch_drained, __ATOMIC_ACQUIRE);
        break;
    case TD_CONTROL_AGENT:
        return set_agent(s, value ? td_simbar_process(t) : 0, err);
    case TD_CONTROL_STOP:
        __atomic_store_n(&s->bar->stop_request, 1, __ATOMIC_SEQ_CST);
        ring_doorbell(s);
        break;
    default:
        return td_fail(err, TD_E_USAGE, "a simulated board knows no control %d", (int)what);
    }
    if (out)
        *out = got;
    return TD_OK;
}

static int simbar_host_memory(struct td_transport *t, uint16_t chip, void **memory, size_t *bytes,
                              struct td_tile_at *at, uint64_t *address, struct td_err *err)
{
    const struct simbar *s = (const struct simbar *)t;
    for (uint32_t i = 0; i < s->tile_count; i++) {
        const struct td_bar_tile *tile = &s->tiles[i];
        if (tile->kind != TD_BAR_HOST || tile->chip != chip)
            continue;
        *memory = s->map + tile->mem_offset;
        *bytes = tile->mem_bytes;
        *at = (struct td_tile_at){chip, tile->x, tile->y};
        *address = tile->mem_base;
        return TD_OK;
    }
    return td_fail(err, TD_E_NOTFOUND, "chip %u of this board reaches no memory of the host", chip);
}

uint32_t td_simbar_process(const struct td_transport *t)
{
    const struct simbar *s = (const struct simbar *)t;
    return (uint32_t)getpid() | (s->apart ? TD_BAR_FAR_PROCESS : 0);
}

static void simbar_close(struct td_transport *t)
{
    struct simbar *s = (struct simbar *)t;
    if (s->config.close)
        s->config.close(s->config.self);
    free(s->place);
    free(s->tiles);
    free(s);
}

static const struct td_transport_ops simbar_ops = {.name = "shm",
                                                   .read = simbar_read,
                                                   .write = simbar_write,
                                                   .map = simbar_map,
                                                   .clock = simbar_clock,
                                                   .alive = simbar_alive,
                                                   .describe = simbar_describe,
                                                   .control = simbar_control,
                                                   .host_memory = simbar_host_memory,
                                                   .close = simbar_close};

struct td_transport *td_simbar_open(const struct td_simbar_config *config, struct td_err *err)
{
    struct simbar *s = calloc(1, sizeof *s);
    if (!s) {
        td_fail_no_memory(err, NULL);
        if (config->close)
            config->close(config->self);
        return NULL;
    }
    s->config = *config;
    s->ops = simbar_ops;
    s->ops.name = config->name;
    s->base.ops = &s->ops;
    s->map = config->map;
    s->bytes = config->bytes;
    s->bar = config->map;
    if (s->bytes < sizeof *s->bar || s->bar->magic != TD_BAR_MAGIC)
        td_fail(err, TD_E_FORMAT, "%s is not a simulated board", config->path);
    else if (s->bar->version != TD_BAR_VERSION)
        td_fail(err, TD_E_VERSION, "%s is of board version %u, this program knows %u", config->path,
                s->bar->version, TD_BAR_VERSION);
    else if (read_tiles(s, err) == 0 && read_debug_bus(s, err) == 0 && index_tiles(s, err) == 0) {
        s->apart = config->far || s->bar->sim_machine != td_process_machine();
        s->base.cleans_up = !s->apart; /* the simulator cleans up after agents whose processes it sees */
        td_debug(sim, "%s: %u tiles, simulator %s", config->path, s->tile_count,
                 config->far ? "of another machine, behind a PCI device"
                 : s->apart  ? "of another machine or container"
                             : "of this machine");
        follow_the_dead(s);
        return &s->base;
    }
    simbar_close(&s->base);
    return NULL;
}

struct td_bar_header *td_simbar_header(struct td_transport *t)
{
    return ((struct simbar *)t)->bar;
}
