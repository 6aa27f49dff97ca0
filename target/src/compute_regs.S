/* Registers of the compute engine of simulated boards. Linked into images that use it, so that .td_image can say so. */
#include "proto/device/compute.h"

        .globl  td_compute_regs
        .set    td_compute_regs, TD_COMPUTE_BASE
