/* What a core is doing right now: the instruction at hand, its time, its fault.
 *
 * The engine does not know its pc in the middle of a block; where that is needed (faults, virtual time) the
 * block is searched for the access at hand. */
#include "boards/tensix_sim/sim.h"

const uint8_t *core_code(const struct core *core, uint32_t address)
{
    const struct td_board *board = &core->sim->board;
    uint32_t offset = address - board->l1_base;
    if (address < board->l1_base || offset >= board->l1_bytes || (address & 3))
        return NULL;
    return core->tile->memory + offset;
}

void core_fault_at(struct core *core, enum td_fault cause, uint32_t pc, uint32_t address)
{
    if (core->fault == TD_FAULT_NONE) {
        core->fault = cause;
        core->fault_pc = pc;
        core->fault_address = address;
    }
    core->stop = 1;
}

/* Index in the current block of the access that is being made; `walked` where it was found last. */
static uint32_t find_access(struct core *core, int is_store, uint32_t address)
{
    for (uint32_t i = core->walked; i < core->block_insns; i++) {
        const uint8_t *at = core_code(core, core->block + 4 * i);
        if (at && insn_accesses(get_word(at), is_store, address, core->uc)) {
            core->walked = i + 1;
            return i;
        }
    }
    return core->walked ? core->walked - 1 : 0;
}

uint32_t core_access_pc(struct core *core, int is_store, uint32_t address)
{
    core->walked = 0;
    return core->block + 4 * find_access(core, is_store, address);
}

void core_fault_here(struct core *core, enum td_fault cause, uint32_t address, int is_store)
{
    core_fault_at(core, cause, core_access_pc(core, is_store, address), address);
}

uint64_t core_now(struct core *core, int is_store, uint32_t address)
{
    if (!core->sim->insn_mode)
        return clock_now(core->sim, core->tile->entry->chip);
    return core->ticks + core->retired + find_access(core, is_store, address);
}
