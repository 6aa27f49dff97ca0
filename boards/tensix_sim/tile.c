/* Tiles: which one is where, and the registers that its own cores and, over the NoC, others read. */
#include "boards/tensix_sim/sim.h"
#include "proto/device/stamp.h"

struct tile *sim_tile(const struct sim *sim, uint32_t chip, uint32_t x, uint32_t y)
{
    if (x >= MAX_COORDINATE || y >= MAX_COORDINATE)
        return NULL;
    uint32_t n = sim->place[sim_place(chip, x, y)];
    return n ? &sim->tiles[n - 1] : NULL;
}

uint8_t *tile_memory(const struct tile *tile, uint64_t address, uint64_t bytes)
{
    const struct td_bar_tile *e = tile->entry;
    const uint64_t at = address - e->mem_base;
    return address >= e->mem_base && at <= e->mem_bytes && bytes <= e->mem_bytes - at ? tile->memory + at
                                                                                      : NULL;
}

bool tile_has_register(const struct sim *sim, uint64_t address)
{
    const struct td_board *b = &sim->board;
    return address == b->clock_low || address == b->clock_live_high || address == b->clock_latched_high ||
           address == b->soft_reset ||
           (b->debug_control && (address == b->debug_control || address == b->debug_data)) ||
           (b->stamp_register && address >= b->stamp_register &&
            address - b->stamp_register < TD_STAMP_BYTES);
}

int tile_register_post(struct sim *sim, struct tile *tile, uint64_t address, uint32_t value)
{
    const struct td_board *b = &sim->board;
    if (address == b->soft_reset)
        __atomic_store_n(tile->soft_reset, value, __ATOMIC_SEQ_CST);
    else if (tile->debug_control && address == b->debug_control)
        __atomic_store_n(tile->debug_control, value, __ATOMIC_RELAXED);
    else
        return timestamper_post(sim, tile, address, value);
    return 0;
}

int tile_register_read(struct sim *sim, struct tile *tile, uint64_t address, uint64_t now, uint32_t *value)
{
    const struct td_board *b = &sim->board;
    if (address == b->clock_low) {
        __atomic_store_n(&tile->latched_high, (uint32_t)(now >> 32), __ATOMIC_RELAXED);
        *value = (uint32_t)now;
    } else if (address == b->clock_live_high) {
        *value = (uint32_t)(now >> 32);
    } else if (address == b->clock_latched_high) {
        *value = __atomic_load_n(&tile->latched_high, __ATOMIC_RELAXED);
    } else if (address == b->soft_reset) {
        *value = __atomic_load_n(tile->soft_reset, __ATOMIC_ACQUIRE);
    } else if (tile->debug_control && address == b->debug_control) {
        *value = __atomic_load_n(tile->debug_control, __ATOMIC_RELAXED);
    } else if (tile->debug_control && address == b->debug_data) {
        const uint32_t control = __atomic_load_n(tile->debug_control, __ATOMIC_RELAXED);
        *value = td_bar_debug_data(sim->debug_bus, tile->shown_pcs, control);
    } else {
        return timestamper_read(sim, tile, address, value);
    }
    return 0;
}
