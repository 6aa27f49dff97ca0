/* Order of memory accesses. Where loads go through a cache that does not see others' stores (Blackhole's L0),
 * the fence drops it too; on Wormhole it is a nop and accesses of one core to L1 stay in order. */
#ifndef TD_RISCV_FENCE_H
#define TD_RISCV_FENCE_H

static inline void td_fence(void)
{
#ifdef TD_NATIVE
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#else
    __asm__ volatile("fence" ::: "memory");
#endif
}

#endif
