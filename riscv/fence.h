/* Order of memory accesses, as the vendor's pages on memory ordering give it for both chips.
 *
 * A core's accesses to one memory (its tile's L1, its own RAM, a block of registers) arrive there in the order of
 * the program: load after load, store after load, store after store. What may be exchanged, also within L1:
 *
 * - A store and a later load at another address: the load may be first. On Wormhole "another address" means that
 *   they do not begin at the same byte, so a load of a part of what was just stored, or of a word of which bytes
 *   were just stored, may see the old value. So data that is stored and soon loaded is of whole words.
 * - Accesses to two memories, such as a store to L1 and a store that starts a command of the NoC.
 *
 * td_fence() is a compiler barrier. Where loads go through a cache that does not see the stores of others
 * (Blackhole), it also drops that cache, and keeps a store before a later load. On Wormhole it is no instruction
 * at all: there the fence instruction orders nothing, and the vendor's simulator stops at one.
 *
 * td_fence_stored(at): the store to *at, and all of this core's before it to the same memory, have arrived there
 * before any later access begins. It loads *at, which waits for the store, and waits for the value.
 *
 * The linker script of a board says which instruction a fence is: td_fence_word, the instruction itself or a nop.
 * So runtime and kernels are the same for all boards, and fences that the compiler makes (atomics) are treated
 * alike. All kernels are compiled with this file. A guest, which has another linker script, asks at run time. */
#ifndef TD_RISCV_FENCE_H
#define TD_RISCV_FENCE_H

#ifdef __ASSEMBLER__
/* clang-format off */
.macro fence args:vararg
.reloc .,R_RISCV_32,td_fence_word
nop
.endm
/* clang-format on */
#elif defined TD_NATIVE
static inline void td_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#define td_fence_stored(at) ((void)(at), td_fence())
#else
#include <stdint.h>

#ifdef TD_GUEST
#ifdef __cplusplus
extern "C" {
#endif
extern const uint32_t td_guest_has_fence; /* tendril/guest.h defines it */
#ifdef __cplusplus
}
#endif

static inline void td_fence(void)
{
    if (td_guest_has_fence)
        __asm__ volatile("fence" ::: "memory");
    __asm__ volatile("" ::: "memory");
}
#else
/* In every file, and once where link-time optimisation makes one of several. */
__asm__(".ifndef td_has_fence_macro\n\t"
        ".set td_has_fence_macro,1\n\t"
        ".macro fence args:vararg\n\t.reloc .,R_RISCV_32,td_fence_word\n\tnop\n\t.endm\n\t"
        ".endif");

static inline void td_fence(void)
{
    __asm__ volatile("fence" ::: "memory");
}
#endif

/* An instruction that needs the value, and so waits for it. */
#define td_fence_stored(at)                                                                                  \
    (__extension__({                                                                                         \
        __asm__ volatile("add zero,%0,zero" : : "r"((uint32_t) * (at)) : "memory");                          \
        td_fence();                                                                                          \
    }))
#endif

#endif
