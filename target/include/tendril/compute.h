/* Commands of a TRISC core to its tile's compute engine (proto/device/compute.h). C11 and C++.
 *
 *   TRISC0  td_compute_start(TD_COMPUTE_UNPACK_AB, a, b, formats, 0, 0);
 *   TRISC1  td_compute_wait_dst_free(); td_compute_start(TD_COMPUTE_ADD, 0, 0, 0, dst, 0);
 *           td_compute_start(TD_COMPUTE_COMMIT, 0, 0, 0, 0, 0);
 *   TRISC2  td_compute_wait_dst_full(); td_compute_start(TD_COMPUTE_PACK, to, 0, format, dst, 0);
 *           td_compute_start(TD_COMPUTE_RELEASE, 0, 0, 0, 0, 0); td_compute_wait();
 *
 * Tiles that were read may be overwritten, and those that were packed are in L1, after td_compute_wait(). With
 * TD_DATAFLOW_WAITS (tendril/noc.h), a call that really has to wait opens a wait zone. */
#ifndef TENDRIL_COMPUTE_H
#define TENDRIL_COMPUTE_H
#include "proto/device/compute.h"
#include "tendril/noc.h"

#ifdef __cplusplus
extern "C" {
#endif
extern volatile uint32_t td_compute_regs[]; /* in the runtime: an image that has it says so to the loader */
#ifdef __cplusplus
}
#endif

static inline volatile uint32_t *td_compute_reg_(uint32_t offset)
{
    return td_compute_regs + offset / 4;
}

static inline void td_compute_start(uint32_t command, uint32_t a, uint32_t b, uint32_t formats, uint32_t dst,
                                    uint32_t options)
{
    td_l1_is_written_();
    while (*td_compute_reg_(TD_COMPUTE_REG_COMMAND))
        ;
    *td_compute_reg_(TD_COMPUTE_REG_A) = a;
    *td_compute_reg_(TD_COMPUTE_REG_B) = b;
    *td_compute_reg_(TD_COMPUTE_REG_FORMATS) = formats;
    *td_compute_reg_(TD_COMPUTE_REG_DST) = dst;
    *td_compute_reg_(TD_COMPUTE_REG_OPTIONS) = options;
    *td_compute_reg_(TD_COMPUTE_REG_COMMAND) = command;
}

/* Until all commands of this core have completed. */
static inline void td_compute_wait(void)
{
    if (*td_compute_reg_(TD_COMPUTE_REG_OUTSTANDING)) {
        TD_NOC_WAIT("compute");
        while (*td_compute_reg_(TD_COMPUTE_REG_OUTSTANDING))
            ;
    }
    td_fence();
}

static inline void td_compute_wait_dst_free(void)
{
    if (!*td_compute_reg_(TD_COMPUTE_REG_DST_FREE)) {
        TD_NOC_WAIT("dst full");
        while (!*td_compute_reg_(TD_COMPUTE_REG_DST_FREE))
            ;
    }
}

static inline void td_compute_wait_dst_full(void)
{
    if (!*td_compute_reg_(TD_COMPUTE_REG_DST_FULL)) {
        TD_NOC_WAIT("dst empty");
        while (!*td_compute_reg_(TD_COMPUTE_REG_DST_FULL))
            ;
    }
}
#endif
