/* One core: an engine of its own over its tile's L1, stopped at the boundaries of basic blocks.
 *
 * A hook at the start of each block is all that is watched while a core runs: it counts instructions exactly,
 * ends turns, sees that a core has parked, and looks at the instructions of blocks that it has not seen. */
#include "boards/tensix_sim/compute.h"
#include "boards/tensix_sim/niu.h"
#include "boards/tensix_sim/reorder.h"
#include "boards/tensix_sim/sim.h"
#include "riscv/rt_words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_ADDRESS UINT32_MAX

enum {
    MARK_AFTER = 32,     /* blocks into a turn where registers are noted */
    COMPARE_UNTIL = 160, /* last block where they are compared */
    COMPARE_TIMES = 4,
    RENEW_BYTES = 2 << 20, /* guest code translated before the engine is made anew: it never frees any */
    CPU_RV32 = UC_CPU_RISCV32_SIFIVE_E31
};

static void read_registers(uc_engine *uc, uint32_t values[REGISTERS])
{
    int ids[REGISTERS - 1];
    void *to[REGISTERS - 1];
    for (int i = 1; i < REGISTERS; i++) {
        ids[i - 1] = UC_RISCV_REG_X0 + i;
        to[i - 1] = &values[i];
    }
    uc_reg_read_batch(uc, ids, to, REGISTERS - 1);
}

/* Does the core go round a loop that changes nothing? Then its turn is better given to another. */
static void look_for_spin(struct core *core, uint32_t block)
{
    unsigned n = ++core->blocks;
    if (n < MARK_AFTER || n > COMPARE_UNTIL || core->compared == COMPARE_TIMES)
        return;
    if (n == MARK_AFTER) {
        core->mark = block;
        read_registers(core->uc, core->marked);
    } else if (block == core->mark) {
        uint32_t now[REGISTERS];
        read_registers(core->uc, now);
        core->compared++;
        if (memcmp(now + 1, core->marked + 1, sizeof now - sizeof *now) == 0) {
            core->spinning = 1;
            core->stop = 1;
        }
    }
}

/* Looks at a block before it runs for the first time. */
static bool block_is_legal(struct core *core, uint32_t block, uint32_t bytes)
{
    for (uint32_t at = block; at < block + bytes || at == block; at += 4) {
        const uint8_t *code = core_code(core, at);
        if (code && !insn_is_legal(get_word(code))) {
            core->illegal = at;
            return false;
        }
    }
    return true;
}

static bool ends_with_fence_i(const struct core *core, uint32_t block, uint32_t bytes)
{
    const uint8_t *code = bytes >= 4 ? core_code(core, block + bytes - 4) : NULL;
    return code && get_word(code) == INSN_FENCE_I;
}

/* May the block run, or does the turn end in front of it? */
static bool may_run(struct core *core, uint32_t block, uint32_t bytes)
{
    uint32_t *seen = &core->seen[(block >> 2) & (SEEN_BLOCKS - 1)];
    int is_new = *seen != block + 1;
    if (is_new) /* translated already, so it is noted whether it runs now or not */
        code_note(core, block, bytes);
    if (core->stop || core->fetches || core->retired >= core->limit)
        return false;
    if (bytes == 4) {
        const uint8_t *code = core_code(core, block);
        if (code && get_word(code) == INSN_PARK) {
            core->state = CORE_PARKED;
            return false;
        }
    }
    if (is_new) {
        if (!block_is_legal(core, block, bytes))
            return false;
        core->fetches = ends_with_fence_i(core, block, bytes);
        if (!core->fetches) /* such a block is looked at each time */
            *seen = block + 1;
    }
    if (!core->sim->insn_mode)
        look_for_spin(core, block);
    return !core->stop;
}

static void on_block(uc_engine *uc, uint64_t address, uint32_t bytes, void *user)
{
    struct core *core = user;
    uint32_t block = (uint32_t)address;
    core->retired += core->block_insns;
    if (block & 3) /* the jump is the last instruction that ran */
        core_fault_at(core, TD_FAULT_ALIGN, core->block + 4 * core->block_insns - 4, block);
    core->block_insns = 0;
    if (!may_run(core, block, bytes)) {
        core->stop = 1;
        uc_emu_stop(uc);
        return;
    }
    core->block = block;
    core->block_insns = bytes / 4;
    core->walked = 0;
    if (core->until_shown < core->block_insns)
        debug_bus_show_block(core);
    core->until_shown -= core->block_insns;
}

static void on_trap(uc_engine *uc, uint32_t cause, void *user)
{
    static const uint8_t faults[16] = {
        [0] = TD_FAULT_ALIGN, [1] = TD_FAULT_FETCH, [2] = TD_FAULT_ILLEGAL, [4] = TD_FAULT_ALIGN,
        [5] = TD_FAULT_READ,  [6] = TD_FAULT_ALIGN, [7] = TD_FAULT_WRITE,   [12] = TD_FAULT_FETCH,
        [13] = TD_FAULT_READ, [15] = TD_FAULT_WRITE};
    struct core *core = user;
    uint32_t pc = 0;
    uc_reg_read(uc, UC_RISCV_REG_PC, &pc);
    pc -= 4; /* the engine has stepped over the instruction already */
    const uint8_t *code = core_code(core, pc);
    uint32_t address = code ? insn_address(get_word(code), uc) : 0;
    uint32_t fault = cause < 16 && faults[cause] ? faults[cause] : TD_FAULT_OTHER;
    core_fault_at(core, (enum td_fault)fault, pc, address ? address : pc);
    uc_emu_stop(uc);
}

static bool on_bad_access(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value,
                          void *user)
{
    struct core *core = user;
    switch (type) {
    case UC_MEM_WRITE_UNMAPPED:
    case UC_MEM_WRITE_PROT:
        core_fault_here(core, TD_FAULT_WRITE, (uint32_t)address, 1);
        break;
    case UC_MEM_READ_UNMAPPED:
    case UC_MEM_READ_PROT:
        core_fault_here(core, TD_FAULT_READ, (uint32_t)address, 0);
        break;
    default: /* the jump is the last instruction that ran */
        core_fault_at(core, TD_FAULT_FETCH, core->block + 4 * core->block_insns - 4, (uint32_t)address);
        break;
    }
    return false;
}

static void on_access(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *user)
{
    if (address & (uint64_t)(size - 1)) {
        core_fault_here(user, TD_FAULT_ALIGN, (uint32_t)address, type == UC_MEM_WRITE);
        uc_emu_stop(uc);
    }
}

static uc_err add_hook(struct core *core, int type, void *function)
{
    uc_hook hook;
    return uc_hook_add(core->uc, &hook, type, function, core, (uint64_t)1, (uint64_t)0);
}

static uint32_t whole_pages(uint32_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(uint32_t)(PAGE_BYTES - 1);
}

static int set_up_engine(struct core *core)
{
    const struct td_board *board = &core->sim->board;
    const struct td_core_desc *d = core->desc;
    uc_engine *uc = core->uc;
    if (uc_ctl_set_cpu_model(uc, CPU_RV32) ||
        uc_mem_map_ptr(uc, board->l1_base, whole_pages(board->l1_bytes), UC_PROT_ALL, core->tile->memory) ||
        uc_mem_map_ptr(uc, d->local_base, whole_pages(d->local_bytes), UC_PROT_READ | UC_PROT_WRITE,
                       core->local) ||
        regs_map(core))
        return TD_E_NOMEM;
    if (add_hook(core, UC_HOOK_BLOCK, (void *)on_block) || add_hook(core, UC_HOOK_INTR, (void *)on_trap) ||
        add_hook(core, UC_HOOK_MEM_UNMAPPED | UC_HOOK_MEM_PROT, (void *)on_bad_access))
        return TD_E_NOMEM;
    if (core->sim->check_alignment && add_hook(core, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_access))
        return TD_E_NOMEM;
    return 0;
}

static int open_engine(struct core *core)
{
    uint32_t local_bytes = whole_pages(core->desc->local_bytes);
    if (!core->local) {
        core->local = aligned_alloc(PAGE_BYTES, local_bytes);
        if (!core->local)
            return TD_E_NOMEM;
        memset(core->local, 0, local_bytes);
    }
    if (uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &core->uc)) {
        core->uc = NULL;
        return TD_E_NOMEM;
    }
    if (set_up_engine(core) || code_init(core) || reorder_init(core)) {
        uc_close(core->uc);
        core->uc = NULL;
        return TD_E_NOMEM;
    }
    core->translated_bytes = 0;
    memset(core->seen, 0, sizeof core->seen);
    return 0;
}

void core_init(struct core *core, struct tile *tile, uint32_t number, struct sim *sim)
{
    core->sim = sim;
    core->tile = tile;
    core->number = number;
    core->desc = &sim->board.cores[number];
    core->state = CORE_HELD;
}

void core_finish(struct core *core)
{
    if (core->uc)
        uc_close(core->uc);
    native_core_finish(core);
    free(core->local);
    code_finish(core);
    free(core->reorder);
}

/* Writes the fault into the lane's control words, the state last, and stops the core until its next reset. */
static void report_fault(struct core *core)
{
    const struct td_board *board = &core->sim->board;
    uint8_t *lane = core->tile->memory + (td_board_lane_ctrl(board, core->number) - board->l1_base);
    const uint64_t now = core->sim->insn_mode ? core->ticks : clock_now(core->sim, core->tile->entry->chip);
    core->state = CORE_FAULTED;
    put_word(lane + TD_LANE_fault_time, (uint32_t)now);
    put_word(lane + TD_LANE_fault_time_high, (uint32_t)(now >> 32));
    put_word(lane + TD_LANE_fault_cause, core->fault);
    put_word(lane + TD_LANE_fault_pc, core->fault_pc);
    put_word(lane + TD_LANE_fault_address, core->fault_address);
    __atomic_fetch_add(&core->sim->bar->fault_count, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n((uint32_t *)(lane + TD_LANE_state), TD_CORE_FAULT, __ATOMIC_RELEASE);
}

static uint32_t lane_word(const struct core *core, uint32_t offset)
{
    const struct td_board *board = &core->sim->board;
    return get_word(core->tile->memory + (td_board_lane_ctrl(board, core->number) - board->l1_base) + offset);
}

uint32_t core_launch(const struct core *core)
{
    return lane_word(core, TD_LANE_launch);
}

/* The words below the stack, at this address of a memory; NULL: they are not there. */
static const uint8_t *guard_in(uint32_t guard, const uint8_t *memory, uint32_t base, uint32_t bytes)
{
    const bool inside =
        guard >= base && guard % 4 == 0 && (uint64_t)(guard - base) + 4 * TD_GUARD_WORDS <= bytes;
    return inside ? memory + (guard - base) : NULL;
}

/* In the core's private RAM, or in L1; NULL: it has none. */
static const uint8_t *guard_words(const struct core *core)
{
    const struct td_board *b = &core->sim->board;
    const uint8_t *own = guard_in(core->guard, core->local, core->desc->local_base, core->desc->local_bytes);
    if (!core->guard || own)
        return own;
    return guard_in(core->guard, core->tile->memory, b->l1_base, b->l1_bytes);
}

/* At the end of each turn: has the stack grown over these words? The start code writes them before the state. */
static void check_stack(struct core *core)
{
    const uint8_t *words = guard_words(core);
    bool whole = words != NULL;
    for (int i = 0; words && i < TD_GUARD_WORDS; i++)
        whole &= get_word(words + 4 * (size_t)i) == TD_STACK_GUARD;
    if (words && !whole && lane_word(core, TD_LANE_state) == TD_CORE_RUNNING)
        core_fault_at(core, TD_FAULT_STACK, core->pc, core->guard);
}

void core_release(struct core *core)
{
    int failed;
    if (core->uc && core->translated_bytes > RENEW_BYTES) {
        uc_close(core->uc);
        core->uc = NULL;
    }
    core->launch = core_launch(core);
    core->guard = lane_word(core, TD_LANE_guard);
    core->fault = TD_FAULT_NONE;
    core->stop = 0;
    core->pc = core->desc->start;
    core->ticks = core->sim->insn_now;
    core->block = core->pc;
    core->block_insns = 0;
    debug_bus_release(core);
    compute_release(core);
    if (core->tile->is_native)
        failed = native_release(core);
    else
        failed = !core->uc && open_engine(core);
    if (failed) {
        core_fault_at(core, core->tile->is_native ? TD_FAULT_ILLEGAL : TD_FAULT_OTHER, core->pc, 0);
        report_fault(core);
        return;
    }
    core->state = CORE_RUNNING;
    if (core->tile->is_native)
        return;
    code_refresh(core);
    for (int i = 1; i < REGISTERS; i++) {
        uint32_t zero = 0;
        uc_reg_write(core->uc, UC_RISCV_REG_X0 + i, &zero);
    }
}

/* The engine knows more instructions than the core: the block is run up to the one that is none, and stops
 * there. */
static void run_up_to_illegal(struct core *core)
{
    uint32_t at = core->illegal;
    uc_ctl_remove_cache(core->uc, (uint64_t)core->pc, (uint64_t)at + 4);
    core->stop = 0;
    core->limit = UINT64_MAX;
    if (core->pc != at)
        uc_emu_start(core->uc, core->pc, at, 0, 0);
    core->pc = at;
    core_fault_at(core, TD_FAULT_ILLEGAL, at, at);
}

void core_run(struct core *core, uint64_t insns)
{
    if (core->tile->is_native) {
        native_run(core);
        return;
    }
    core->retired = 0;
    core->limit = insns;
    core->block_insns = 0;
    core->stop = 0;
    core->blocks = core->compared = 0;
    core->spinning = 0;
    core->illegal = NO_ADDRESS;
    debug_bus_begin_turn(core);
    reorder_begin_turn(core);
    uc_err failed = uc_emu_start(core->uc, core->pc, UINT32_MAX, 0, 0);
    uc_reg_read(core->uc, UC_RISCV_REG_PC, &core->pc);
    core->ticks += core->retired;
    if (core->fetches)
        code_refresh(core);
    core->fetches = false;
    if (core->spinning || core->state == CORE_PARKED)
        debug_bus_show(core, core->pc);
    if (core->illegal != NO_ADDRESS && !core->fault && !failed)
        run_up_to_illegal(core);
    if (failed && !core->fault)
        core_fault_at(core, failed == UC_ERR_INSN_INVALID ? TD_FAULT_ILLEGAL : TD_FAULT_OTHER, core->pc,
                      core->pc);
    if (!core->fault)
        check_stack(core);
    niu_end_turn(core);
    reorder_end_turn(core);
    if (core->fault)
        report_fault(core);
}
