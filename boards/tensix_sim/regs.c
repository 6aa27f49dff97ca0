/* Pages of registers as a core reaches them: its tile's own, those of its NoC and of the compute engine. */
#include "boards/tensix_sim/compute.h"
#include "boards/tensix_sim/perf_counters.h"
#include "boards/tensix_sim/sim.h"
#include "proto/device/compute.h"

#include <stdbool.h>

enum { NOC_BYTES = 64 }; /* of a core's NoC registers */

static bool in_noc(const struct core *core, uint32_t address)
{
    return address - core->sim->board.noc_regs < NOC_BYTES;
}

static bool in_compute(const struct core *core, uint32_t address)
{
    const uint32_t noc = core->sim->board.noc_regs;
    return noc && address - noc - TD_COMPUTE_AT < TD_COMPUTE_BYTES;
}

static int read_register(struct core *core, uint32_t address, uint64_t now, uint32_t *value)
{
    const uint32_t noc = core->sim->board.noc_regs;
    if (in_noc(core, address))
        return noc_register_read(core, address - noc, now, value);
    if (in_compute(core, address))
        return compute_register_read(core, address - noc - TD_COMPUTE_AT, now, value);
    return tile_register_read(core->sim, core->tile, address, now, value) &&
           perf_register_read(core, address, now, value);
}

static uint64_t on_read(uc_engine *uc, uint64_t offset, unsigned bytes, void *user)
{
    const struct core_window *window = user;
    struct core *core = window->core;
    uint32_t address = window->base + (uint32_t)offset, value = 0;
    uint32_t word = address & ~3u;
    uint64_t now = core_now(core, 0, address);
    if (read_register(core, word, now, &value))
        core_fault_here(core, TD_FAULT_READ, address, 0);
    return value >> 8 * (address & 3);
}

static void on_write(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *user)
{
    const struct core_window *window = user;
    struct core *core = window->core;
    uint32_t address = window->base + (uint32_t)offset;
    const struct td_board *b = &core->sim->board;
    uint64_t now = core_now(core, 1, address);
    int failed = 0;
    if (bytes != 4)
        failed = -1;
    else if (in_noc(core, address))
        failed = noc_register_write(core, address - b->noc_regs, now, (uint32_t)value);
    else if (in_compute(core, address))
        failed = compute_register_write(core, address - b->noc_regs - TD_COMPUTE_AT, now, (uint32_t)value);
    else if (address == b->clock_low) /* latches too */
        __atomic_store_n(&core->tile->latched_high, (uint32_t)(now >> 32), __ATOMIC_RELAXED);
    else if (address == b->soft_reset)
        __atomic_store_n(core->tile->soft_reset, (uint32_t)value, __ATOMIC_RELEASE);
    else if (core->tile->debug_control && address == b->debug_control)
        __atomic_store_n(core->tile->debug_control, (uint32_t)value, __ATOMIC_RELAXED);
    else if (timestamper_write(core, address, now, (uint32_t)value))
        failed = perf_register_write(core, address, now, (uint32_t)value);
    if (failed)
        core_fault_here(core, TD_FAULT_WRITE, address, 1);
}

int regs_map(struct core *core)
{
    const struct td_board *b = &core->sim->board;
    const uint32_t wanted[MAX_WINDOWS] = {b->clock_low, b->clock_live_high, b->clock_latched_high,
                                          b->soft_reset, b->noc_regs};
    int count = 0;
    for (int i = 0; i < MAX_WINDOWS; i++) {
        uint32_t page = wanted[i] & ~(uint32_t)(PAGE_BYTES - 1);
        int known = 0;
        for (int k = 0; k < count; k++)
            known |= core->windows[k].base == page;
        if (known)
            continue;
        struct core_window *window = &core->windows[count++];
        window->core = core;
        window->base = page;
        if (uc_mmio_map(core->uc, page, PAGE_BYTES, on_read, window, on_write, window))
            return -1;
    }
    return 0;
}
