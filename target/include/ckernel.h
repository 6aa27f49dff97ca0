/* By tt-metal's path. Of the layer below its API, kernels may name kinds and wait; its instructions are not on this
 * board. */
#ifndef TENDRIL_CKERNEL_H
#define TENDRIL_CKERNEL_H
#include "api/compute/kinds.h"
#include "api/core_registers.h"
#include "api/mailboxes.h"
#ifdef COMPILE_FOR_TRISC
#include "api/compute/common.h"
#endif

namespace ckernel
{
static inline void wait(uint32_t cycles)
{
    riscv_wait(cycles);
}
} // namespace ckernel
#endif
