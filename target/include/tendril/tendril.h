/* Tendril for kernels: zones, messages, plots and flows from a core, in C11 and C++. GCC for RISC-V. The markers are
 * listed in tendril/markers.h, which is included here. Besides them, a kernel has:
 *
 *   td_arg()                           the word that the host passed to this launch
 *   td_arg_at(i), td_arg_count()       the i-th of up to 64 words, and their number
 *
 * A core runs one thread, and markers must not be used in interrupt handlers. `tp` belongs to the runtime:
 * compile with -ffixed-tp.
 */
#ifndef TENDRIL_TENDRIL_H
#define TENDRIL_TENDRIL_H
#include "riscv/clock.h"
#include "riscv/rt_words.h"

#include <stdint.h>

/* Variables in the core's part of L1 instead of its small local RAM: zero at the start, with a value at the
 * start, and of any content (large buffers; the start does not spend time on them). */
#define TD_L1        __attribute__((section(".bss.td_l1")))
#define TD_L1_DATA   __attribute__((section(".td_l1_data")))
#define TD_L1_NOINIT __attribute__((section(".noinit.td_l1")))

/* Argument of this launch (td_device_prepare()). */
#ifdef TD_NATIVE
uint32_t td_arg(void);
#else
static __inline__ uint32_t td_arg(void)
{
    uint32_t arg;
    __asm__("lw %0,12-0x800(gp)" : "=r"(arg));
    return arg;
}
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Their number, then the arguments of this launch (td_device_prepare_args()). */
extern uint32_t td_launch_args[];
static __inline__ uint32_t td_arg_count(void)
{
    return td_launch_args[0];
}
static __inline__ uint32_t td_arg_at(uint32_t i)
{
    return td_launch_args[1 + i];
}
/* Ends the launch with this exit code, from any depth. */
void _exit(int code) __attribute__((noreturn));
#ifdef __cplusplus
}
#endif

#include "tendril/markers.h"

#endif
