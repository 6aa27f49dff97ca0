/* The tiles' debug buses: what they show of program counters.
 *
 * The emulator knows the program counter at the beginning of a block only, and cores take turns. So a core
 * does not show where it is, but the address of an instruction that it has executed a moment ago. Steps of
 * at most MOST_STEP instructions, chosen at random, lie between those that are shown. So each instruction
 * that a core executes is shown with the same probability, whatever the length of its blocks and loops,
 * and a look at any time samples them fairly. The first steps of a launch are shorter, so that short
 * launches are seen. Nothing of this takes time of the board. */
#include "boards/tensix_sim/sim.h"

enum { LEAST_STEP = 16, MOST_STEP = 8192 };
#define NEVER (UINT64_MAX / 2)

uint64_t debug_bus_bytes(const struct sim *sim)
{
    if (!sim->board.debug_control)
        return 0;
    return sizeof *sim->debug_bus + (uint64_t)sim->tensix_count * TD_BAR_DEBUG_CORES * sizeof(uint32_t);
}

void debug_bus_init(struct sim *sim, uint64_t offset)
{
    const struct td_board *b = &sim->board;
    if (!debug_bus_bytes(sim))
        return;
    sim->debug_bus = (void *)(sim->map + offset);
    *sim->debug_bus = (struct td_bar_debug_bus){
        .control = b->debug_control, .data = b->debug_data, .mask = b->debug_pc_mask, .cores = b->core_count};
    for (uint32_t c = 0; c < b->core_count; c++)
        sim->debug_bus->select[c] = b->cores[c].pc_select;
    for (uint32_t i = 0; i < sim->tensix_count; i++) {
        struct tile *tile = &sim->tiles[i];
        tile->debug_control = (void *)(sim->map + tile->entry->regs_offset + b->debug_control % PAGE_BYTES);
        tile->shown_pcs = (uint32_t *)(sim->debug_bus + 1) + (size_t)i * TD_BAR_DEBUG_CORES;
    }
}

bool debug_bus_is_on(const struct core *core)
{
    const uint32_t *control = core->tile->debug_control;
    return control && __atomic_load_n(control, __ATOMIC_RELAXED) != 0;
}

uint32_t debug_bus_random(struct core *core, uint32_t below)
{
    /* Numbers of a sequence, mixed; each core has a sequence of its own. */
    const uint64_t tile = (uint64_t)(core->tile - core->sim->tiles);
    uint64_t x = (tile * TD_BAR_DEBUG_CORES + core->number) << 40 | core->random++;
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(((x ^ x >> 31) >> 32) * below >> 32);
}

void debug_bus_show(const struct core *core, uint32_t pc)
{
    if (core->tile->shown_pcs)
        __atomic_store_n(&core->tile->shown_pcs[core->number], pc, __ATOMIC_RELAXED);
}

/* Instructions from the one that was shown to the next one. */
static uint64_t next_step(struct core *core)
{
    const uint64_t most = core->shown_since + LEAST_STEP;
    const uint64_t step = 1 + debug_bus_random(core, most < MOST_STEP ? (uint32_t)most : MOST_STEP);
    core->shown_since += step;
    return step;
}

void debug_bus_release(struct core *core)
{
    core->shown_since = 0;
    core->until_shown = NEVER;
    debug_bus_show(core, core->pc);
}

void debug_bus_begin_turn(struct core *core)
{
    if (!debug_bus_is_on(core))
        core->until_shown = NEVER;
    else if (core->until_shown > MOST_STEP)
        core->until_shown = next_step(core) - 1;
}

void debug_bus_show_block(struct core *core)
{
    do {
        debug_bus_show(core, core->block + 4 * (uint32_t)core->until_shown);
        core->until_shown += next_step(core);
    } while (core->until_shown < core->block_insns);
}
