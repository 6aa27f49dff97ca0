/* Waits until all that this core has stored to L1 is there: before an access to another memory that depends on
 * it, such as the registers of the NoC, and before a load from another address of L1 that must not be done
 * first (riscv/fence.h). C11 and C++. */
#ifndef TENDRIL_L1_ORDER_H
#define TENDRIL_L1_ORDER_H
#include "proto/device/lane.h"
#include "proto/device/packet.h"
#include "riscv/fence.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
extern volatile uint32_t td_lane[]; /* the core's control words; the linker script says where */
#ifdef __cplusplus
}
#endif

/* Stores one of the core's own words again, with the value that it has. */
static inline void td_l1_is_written_(void)
{
    volatile uint32_t *const own = td_lane + TD_LANE_proto_version / 4;
    *own = TD_DEVICE_PROTO_VERSION;
    td_fence_stored(own);
}

#endif
