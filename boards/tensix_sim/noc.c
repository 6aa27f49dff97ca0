/* The NoC: commands of cores, completed after a time that grows with distance and length.
 *
 * The timing, in ticks of the board's clock: a core's port sends WIDTH bytes a tick, one command after the
 * other; a hop (Manhattan distance) takes HOP; entering and leaving takes BASE; reads and atomics with an
 * answer go both ways. */
#include "host/base/grow.h"
#include "proto/device/noc.h"

#include "boards/tensix_sim/sim.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BASE_TICKS = 60, HOP_TICKS = 9, WIDTH_BYTES = 32 };

struct noc_command {
    uint64_t due; /* ticks */
    uint64_t address;
    uint32_t target, local, bytes, value, kind;
};

static uint32_t field(uint32_t target, unsigned shift)
{
    return target >> shift & 0xff;
}

/* [first, last] of a rectangle's side, whichever corner was named first. */
static void side(uint32_t a, uint32_t b, uint32_t *first, uint32_t *last)
{
    *first = a < b ? a : b;
    *last = a < b ? b : a;
}

static bool is_multicast(uint32_t kind)
{
    return kind == TD_NOC_MULTICAST || kind == TD_NOC_MULTICAST_SELF;
}

static bool is_there(uint64_t base, uint64_t size, uint64_t address, uint64_t bytes)
{
    return address >= base && address - base <= size && bytes <= size - (address - base);
}

static uint8_t *memory_at(const struct tile *tile, uint64_t address, uint64_t bytes)
{
    const struct td_bar_tile *e = tile->entry;
    return is_there(e->mem_base, e->mem_bytes, address, bytes) ? tile->memory + (address - e->mem_base)
                                                               : NULL;
}

/* Does `visit` for each Tensix tile of a multicast's rectangle; returns how many there are. */
static unsigned for_each_target(struct core *core, const struct noc_command *c,
                                void (*visit)(struct core *core, struct tile *tile,
                                              const struct noc_command *c, void *user),
                                void *user)
{
    uint32_t x0, x1, y0, y1;
    unsigned found = 0;
    side(field(c->target, 0), field(c->target, 16), &x0, &x1);
    side(field(c->target, 8), field(c->target, 24), &y0, &y1);
    x1 = x1 < core->sim->board.noc_width ? x1 : core->sim->board.noc_width - 1;
    y1 = y1 < core->sim->board.noc_height ? y1 : core->sim->board.noc_height - 1;
    for (uint32_t y = y0; y <= y1; y++)
        for (uint32_t x = x0; x <= x1; x++) {
            struct tile *tile = sim_tile(core->sim, core->tile->entry->chip, x, y);
            if (!tile || tile->entry->kind != TD_BAR_TENSIX || tile->entry->logical_x == TD_BAR_NOT_IN_GRID ||
                (tile == core->tile && c->kind == TD_NOC_MULTICAST))
                continue;
            visit(core, tile, c, user);
            found++;
        }
    return found;
}

static uint64_t hops(const struct core *core, uint32_t x, uint32_t y)
{
    const struct td_bar_tile *me = core->tile->entry;
    return (uint64_t)(abs((int)me->x - (int)x) + abs((int)me->y - (int)y));
}

static void note_farthest(struct core *core, struct tile *tile, const struct noc_command *c, void *user)
{
    uint64_t *farthest = user, h = hops(core, tile->entry->x, tile->entry->y);
    if (h > *farthest)
        *farthest = h;
}

static void check_memory(struct core *core, struct tile *tile, const struct noc_command *c, void *user)
{
    if (!memory_at(tile, c->address, c->bytes))
        *(int *)user = 0;
}

/* Is what the command names there? For reads also registers, word by word. */
static int target_is_there(struct core *core, const struct noc_command *c)
{
    if (is_multicast(c->kind)) {
        int good = 1;
        return for_each_target(core, c, check_memory, &good) > 0 && good;
    }
    struct tile *tile =
        sim_tile(core->sim, core->tile->entry->chip, field(c->target, 0), field(c->target, 8));
    if (!tile)
        return 0;
    if (memory_at(tile, c->address, c->kind == TD_NOC_ATOMIC_ADD ? 4 : c->bytes))
        return c->kind != TD_NOC_ATOMIC_ADD || (c->address & 3) == 0;
    if (c->kind != TD_NOC_READ || tile->entry->kind != TD_BAR_TENSIX || (c->address & 3) || (c->bytes & 3) ||
        c->bytes > 64)
        return 0;
    int good = 1;
    for (uint32_t i = 0; i < c->bytes && good; i += 4)
        good = tile_has_register(core->sim, c->address + i);
    return good;
}

static int local_is_there(const struct core *core, const struct noc_command *c)
{
    if (c->kind == TD_NOC_ATOMIC_ADD)
        return c->local == TD_NOC_NO_LOCAL || ((c->local & 3) == 0 && memory_at(core->tile, c->local, 4));
    return c->bytes > 0 && memory_at(core->tile, c->local, c->bytes);
}

static uint64_t due_time(struct core *core, const struct noc_command *c, uint64_t now)
{
    struct core_noc *noc = &core->noc;
    uint64_t start = now > noc->port_free ? now : noc->port_free;
    uint64_t length = (c->bytes + WIDTH_BYTES - 1) / WIDTH_BYTES, way = 0;
    if (is_multicast(c->kind))
        for_each_target(core, c, note_farthest, &way);
    else
        way = hops(core, field(c->target, 0), field(c->target, 8));
    int both_ways = c->kind == TD_NOC_READ || (c->kind == TD_NOC_ATOMIC_ADD && c->local != TD_NOC_NO_LOCAL);
    noc->port_free = start + length;
    uint64_t due = start + length + (BASE_TICKS + way * HOP_TICKS) * (both_ways ? 2 : 1);
    /* Commands to one target stay in order. */
    for (unsigned i = 0; i < noc->count; i++)
        if (noc->queue[i].target == c->target && noc->queue[i].due > due)
            due = noc->queue[i].due;
    return due;
}

/* memcpy in whole words, as long as both sides are aligned. */
static void copy_words(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0 && to != from)
        for (; bytes >= 4; bytes -= 4, to += 4, from += 4)
            put_word(to, get_word(from));
    memmove(to, from, bytes);
}

static void write_one(struct core *core, struct tile *tile, const struct noc_command *c, void *user)
{
    copy_words(memory_at(tile, c->address, c->bytes), memory_at(core->tile, c->local, c->bytes), c->bytes);
}

static void complete(struct core *core, const struct noc_command *c)
{
    struct sim *sim = core->sim;
    if (is_multicast(c->kind)) {
        for_each_target(core, c, write_one, NULL);
        __atomic_thread_fence(__ATOMIC_RELEASE);
        return;
    }
    struct tile *tile = sim_tile(sim, core->tile->entry->chip, field(c->target, 0), field(c->target, 8));
    uint8_t *there = memory_at(tile, c->address, c->kind == TD_NOC_ATOMIC_ADD ? 4 : c->bytes);
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    if (c->kind == TD_NOC_WRITE) {
        write_one(core, tile, c, NULL);
    } else if (c->kind == TD_NOC_ATOMIC_ADD) {
        uint32_t old = __atomic_fetch_add((uint32_t *)there, c->value, __ATOMIC_ACQ_REL);
        if (c->local != TD_NOC_NO_LOCAL)
            put_word(memory_at(core->tile, c->local, 4), old);
    } else if (there) {
        copy_words(memory_at(core->tile, c->local, c->bytes), there, c->bytes);
    } else {
        uint64_t now = sim->insn_mode ? c->due : clock_now(sim, tile->entry->chip);
        for (uint32_t i = 0; i < c->bytes; i += 4) {
            uint32_t value = 0;
            tile_register_read(sim, tile, c->address + i, now, &value);
            memcpy(memory_at(core->tile, c->local + i, 4), &value, 4);
        }
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void complete_first(struct core *core, unsigned i)
{
    struct core_noc *noc = &core->noc;
    struct noc_command c = noc->queue[i];
    noc->count--;
    memmove(&noc->queue[i], &noc->queue[i + 1], (noc->count - i) * sizeof c);
    complete(core, &c);
}

unsigned noc_run(struct core *core, uint64_t now)
{
    struct core_noc *noc = &core->noc;
    while (noc->count) {
        unsigned first = 0;
        for (unsigned i = 1; i < noc->count; i++)
            if (noc->queue[i].due < noc->queue[first].due)
                first = i;
        if (noc->queue[first].due > now)
            break;
        complete_first(core, first);
    }
    return noc->count;
}

static struct noc_command *new_command(struct core_noc *noc)
{
    if (td_grow(&noc->queue, &noc->room, noc->count + 1, sizeof *noc->queue))
        return NULL;
    return &noc->queue[noc->count];
}

static int start_command(struct core *core, uint32_t kind, uint64_t now)
{
    struct core_noc *noc = &core->noc;
    const uint32_t *r = noc->regs;
    struct noc_command c = {.address =
                                (uint64_t)r[TD_NOC_REG_ADDRESS_HIGH / 4] << 32 | r[TD_NOC_REG_ADDRESS / 4],
                            .target = r[TD_NOC_REG_TARGET / 4],
                            .local = r[TD_NOC_REG_LOCAL / 4],
                            .bytes = r[TD_NOC_REG_BYTES / 4],
                            .value = r[TD_NOC_REG_VALUE / 4],
                            .kind = kind};
    if (kind < TD_NOC_READ || kind > TD_NOC_ATOMIC_ADD)
        return -1;
    if (kind == TD_NOC_ATOMIC_ADD)
        c.bytes = 4;
    if (!is_multicast(kind))
        c.target &= 0xffff;
    enum td_fault cause = kind == TD_NOC_READ ? TD_FAULT_READ : TD_FAULT_WRITE;
    uint32_t command_register = core->sim->board.noc_regs + TD_NOC_REG_COMMAND;
    int local_is_bad = !local_is_there(core, &c);
    if (local_is_bad || !target_is_there(core, &c)) {
        core_fault_at(core, cause, core_access_pc(core, 1, command_register),
                      local_is_bad ? c.local : (uint32_t)c.address);
        return 0;
    }
    /* A core that does not look for room waits in its store until there is some. */
    while (noc->count >= TD_NOC_MAX_OUTSTANDING)
        complete_first(core, 0);
    struct noc_command *slot = new_command(noc);
    if (!slot) {
        core_fault_here(core, TD_FAULT_OTHER, command_register, 1);
        return 0;
    }
    c.due = due_time(core, &c, now);
    *slot = c;
    noc->count++;
    noc->issued++;
    return 0;
}

static uint32_t count_kinds(const struct core_noc *noc, uint32_t first, uint32_t last)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < noc->count; i++)
        n += noc->queue[i].kind >= first && noc->queue[i].kind <= last;
    return n;
}

int noc_register_read(struct core *core, uint32_t offset, uint64_t now, uint32_t *value)
{
    const struct td_board *board = &core->sim->board;
    struct core_noc *noc = &core->noc;
    noc_run(core, now);
    switch (offset) {
    case TD_NOC_REG_COMMAND:
        *value = noc->count >= TD_NOC_MAX_OUTSTANDING;
        return 0;
    case TD_NOC_REG_OUTSTANDING:
        *value = noc->count;
        return 0;
    case TD_NOC_REG_READS_OUTSTANDING:
        *value = count_kinds(noc, TD_NOC_READ, TD_NOC_READ);
        return 0;
    case TD_NOC_REG_WRITES_OUTSTANDING:
        *value = count_kinds(noc, TD_NOC_WRITE, TD_NOC_MULTICAST_SELF);
        return 0;
    case TD_NOC_REG_ATOMICS_OUTSTANDING:
        *value = count_kinds(noc, TD_NOC_ATOMIC_ADD, TD_NOC_ATOMIC_ADD);
        return 0;
    case TD_NOC_REG_ISSUED:
        *value = noc->issued;
        return 0;
    case TD_NOC_REG_NODE:
        *value = TD_NOC_XY((uint32_t)core->tile->entry->x, (uint32_t)core->tile->entry->y);
        return 0;
    case TD_NOC_REG_SIZE:
        *value = TD_NOC_XY(board->noc_width, board->noc_height);
        return 0;
    }
    if (offset > TD_NOC_REG_VALUE)
        return -1;
    *value = noc->regs[offset / 4];
    return 0;
}

int noc_register_write(struct core *core, uint32_t offset, uint64_t now, uint32_t value)
{
    if (offset == TD_NOC_REG_COMMAND) {
        noc_run(core, now);
        return start_command(core, value, now);
    }
    if (offset > TD_NOC_REG_VALUE)
        return -1;
    core->noc.regs[offset / 4] = value;
    return 0;
}

void noc_finish(struct core *core)
{
    free(core->noc.queue);
}
