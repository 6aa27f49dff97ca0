/* The tile's wall clock. The linker script says where it is: td_clock_low, td_clock_live_high. */
#ifndef TD_RISCV_CLOCK_H
#define TD_RISCV_CLOCK_H
#include <stdint.h>

#ifdef TD_NATIVE
uint64_t td_clock64(void); /* target/native */
#else
/* 64 bits. The latched high half belongs to the last reader of the whole tile, so the live one is read before
 * and after the low half until both agree. */
static inline uint64_t td_clock64(void)
{
    uint32_t base, before, low, after;
    __asm__("lui %0,%%hi(td_clock_low)" : "=r"(base));
    do {
        __asm__ volatile("lw %0,%%lo(td_clock_live_high)(%3)\n\t"
                         "lw %1,%%lo(td_clock_low)(%3)\n\t"
                         "lw %2,%%lo(td_clock_live_high)(%3)"
                         : "=&r"(before), "=&r"(low), "=&r"(after)
                         : "r"(base)
                         : "memory");
    } while (before != after);
    return (uint64_t)before << 32 | low;
}
#endif

#endif
