/* Ranges of registers as a core reaches them: its tile's own, those of its NIUs and of the compute engine. */
#include "boards/tensix_sim/compute.h"
#include "boards/tensix_sim/niu.h"
#include "boards/tensix_sim/perf_counters.h"
#include "proto/device/compute.h"

#include <stdbool.h>

/* ---- the tile's own */

static uint64_t on_read(uc_engine *uc, uint64_t offset, unsigned bytes, void *user)
{
    const struct core_window *window = user;
    struct core *core = window->core;
    const uint32_t address = window->base + (uint32_t)offset, word = address & ~3u;
    const uint64_t now = core_now(core, 0, address);
    uint32_t value = 0;
    if (tile_register_read(core->sim, core->tile, word, now, &value) &&
        perf_register_read(core, word, now, &value))
        core_fault_here(core, TD_FAULT_READ, address, 0);
    return value >> 8 * (address & 3);
}

static int write_register(struct core *core, uint32_t address, uint64_t now, uint32_t value)
{
    const struct td_board *b = &core->sim->board;
    if (address == b->clock_low) /* latches too */
        __atomic_store_n(&core->tile->latched_high, (uint32_t)(now >> 32), __ATOMIC_RELAXED);
    else if (address == b->soft_reset)
        __atomic_store_n(core->tile->soft_reset, value, __ATOMIC_RELEASE);
    else if (core->tile->debug_control && address == b->debug_control)
        __atomic_store_n(core->tile->debug_control, value, __ATOMIC_RELAXED);
    else if (timestamper_write(core, address, now, value))
        return perf_register_write(core, address, now, value);
    return 0;
}

static void on_write(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *user)
{
    const struct core_window *window = user;
    struct core *core = window->core;
    const uint32_t address = window->base + (uint32_t)offset;
    if (bytes != 4 || write_register(core, address, core_now(core, 1, address), (uint32_t)value))
        core_fault_here(core, TD_FAULT_WRITE, address, 1);
}

/* ---- NIUs */

static uint64_t on_niu_read(uc_engine *uc, uint64_t offset, unsigned bytes, void *user)
{
    const struct core_window *window = user;
    const uint32_t address = window->base + (uint32_t)offset;
    uint32_t value = 0;
    if (niu_read(window->core, address & ~3u, &value))
        core_fault_here(window->core, TD_FAULT_READ, address, 0);
    return value >> 8 * (address & 3);
}

static void on_niu_write(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *user)
{
    const struct core_window *window = user;
    const uint32_t address = window->base + (uint32_t)offset;
    if (bytes != 4 || niu_write(window->core, address, (uint32_t)value))
        core_fault_here(window->core, TD_FAULT_WRITE, address, 1);
}

/* ---- the compute engine */

static uint64_t on_compute_read(uc_engine *uc, uint64_t offset, unsigned bytes, void *user)
{
    const struct core_window *window = user;
    const uint32_t address = window->base + (uint32_t)offset;
    uint32_t value = 0;
    if (compute_register_read(window->core, (uint32_t)offset & ~3u, core_now(window->core, 0, address),
                              &value))
        core_fault_here(window->core, TD_FAULT_READ, address, 0);
    return value >> 8 * (address & 3);
}

static void on_compute_write(uc_engine *uc, uint64_t offset, unsigned bytes, uint64_t value, void *user)
{
    const struct core_window *window = user;
    const uint32_t address = window->base + (uint32_t)offset;
    const uint64_t now = core_now(window->core, 1, address);
    if (bytes != 4 || compute_register_write(window->core, (uint32_t)offset, now, (uint32_t)value))
        core_fault_here(window->core, TD_FAULT_WRITE, address, 1);
}

/* ---- */

static bool is_mapped(const struct core *core, int count, uint32_t base)
{
    for (int i = 0; i < count; i++)
        if (core->windows[i].base == base)
            return true;
    return false;
}

static int map_range(struct core *core, int *count, uint32_t base, uint32_t bytes, uc_cb_mmio_read_t read,
                     uc_cb_mmio_write_t write)
{
    if (is_mapped(core, *count, base))
        return 0;
    struct core_window *window = &core->windows[(*count)++];
    *window = (struct core_window){core, base};
    return uc_mmio_map(core->uc, base, bytes, read, window, write, window) ? -1 : 0;
}

static uint32_t page_of(uint32_t address)
{
    return address & ~(uint32_t)(PAGE_BYTES - 1);
}

int regs_map(struct core *core)
{
    const struct td_board *b = &core->sim->board;
    const uint32_t own[] = {b->clock_low, b->clock_live_high, b->clock_latched_high, b->soft_reset};
    const uint32_t niu_bytes = TD_NIU_INITIATORS * TD_NIU_STRIDE(b->niu);
    int count = 0, failed = 0;
    for (int i = 0; i < (int)(sizeof own / sizeof *own); i++)
        failed |= map_range(core, &count, page_of(own[i]), PAGE_BYTES, on_read, on_write);
    for (uint32_t noc = 0; noc < 2; noc++)
        failed |=
            map_range(core, &count, b->noc_regs + noc * TD_NIU_BYTES, niu_bytes, on_niu_read, on_niu_write);
    failed |= map_range(core, &count, TD_COMPUTE_BASE, PAGE_BYTES, on_compute_read, on_compute_write);
    return failed;
}
