/* Fits Unicorn 2.0.1 to many cores that mostly store.
 *
 * That release sends every store of the guest through a check for self-modifying code which allocates memory
 * each time (about 70 ns a store, more than ten times the rest), and does not trap misaligned accesses. Both
 * are decided in functions that the library calls through its own dynamic symbol table, so definitions in the
 * program win:
 *
 * - the check is left out: translated code is dropped explicitly when a core leaves reset, as the hardware's
 * instruction cache behaves, so nothing depends on it;
 * - loads and stores are translated as such that need alignment.
 *
 * With another release, or a library built not to be interposed, everything still works, just slower:
 * engine_traps_misaligned() finds out what the engine does, and hooks do it where the engine does not. */
#include "boards/tensix_sim/sim.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#if UC_API_MAJOR == 2 && UC_API_MINOR == 0 && UC_API_PATCH == 1
#define EXPORT __attribute__((visibility("default")))

/* A reserved name in the library's sense: "must be aligned" of its memory operations. */
static unsigned must_align = 7 << 4;

EXPORT void *page_collection_lock_riscv32(void *uc, uintptr_t start, uintptr_t end);
EXPORT void page_collection_unlock_riscv32(void *set);
EXPORT void tb_invalidate_phys_page_fast_riscv32(void *uc, void *set, uintptr_t start, int length,
                                                 uintptr_t return_address);
EXPORT void tcg_gen_qemu_ld_i32_riscv32(void *context, void *value, void *address, intptr_t index,
                                        unsigned operation);
EXPORT void tcg_gen_qemu_st_i32_riscv32(void *context, void *value, void *address, intptr_t index,
                                        unsigned operation);

void *page_collection_lock_riscv32(void *uc, uintptr_t start, uintptr_t end)
{
    return NULL;
}

void page_collection_unlock_riscv32(void *set)
{
}

void tb_invalidate_phys_page_fast_riscv32(void *uc, void *set, uintptr_t start, int length,
                                          uintptr_t return_address)
{
}

typedef void (*translate_access)(void *context, void *value, void *address, intptr_t index,
                                 unsigned operation);
static translate_access translate_load, translate_store;

static translate_access next_symbol(const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    translate_access function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

__attribute__((constructor)) static void find_translators(void)
{
    translate_load = next_symbol("tcg_gen_qemu_ld_i32_riscv32");
    translate_store = next_symbol("tcg_gen_qemu_st_i32_riscv32");
}

void tcg_gen_qemu_ld_i32_riscv32(void *context, void *value, void *address, intptr_t index,
                                 unsigned operation)
{
    translate_load(context, value, address, index, operation | must_align);
}

void tcg_gen_qemu_st_i32_riscv32(void *context, void *value, void *address, intptr_t index,
                                 unsigned operation)
{
    translate_store(context, value, address, index, operation | must_align);
}
#endif

void engine_let_misaligned_work(void)
{
#if UC_API_MAJOR == 2 && UC_API_MINOR == 0 && UC_API_PATCH == 1
    must_align = 0;
#endif
}

static void on_trap(uc_engine *uc, uint32_t cause, void *seen)
{
    *(int *)seen = 1;
    uc_emu_stop(uc);
}

int engine_traps_misaligned(void)
{
    /* lw a0, 101(zero) at address 0 */
    static const uint32_t code[] = {0x06502503, 0x00000013, INSN_PARK};
    int trapped = 0;
    uc_engine *uc;
    uc_hook hook;
    if (uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &uc))
        return 0;
    if (uc_mem_map(uc, 0, PAGE_BYTES, UC_PROT_ALL) == UC_ERR_OK &&
        uc_mem_write(uc, 0, code, sizeof code) == UC_ERR_OK &&
        uc_hook_add(uc, &hook, UC_HOOK_INTR, (void *)on_trap, &trapped, (uint64_t)1, (uint64_t)0) ==
            UC_ERR_OK)
        uc_emu_start(uc, 0, 8, 0, 0);
    uc_close(uc);
    return trapped;
}
