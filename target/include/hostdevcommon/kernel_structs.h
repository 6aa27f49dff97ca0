/* Indices of circular buffers, by tt-metal's path and names. */
#ifndef TENDRIL_HOSTDEVCOMMON_KERNEL_STRUCTS_H
#define TENDRIL_HOSTDEVCOMMON_KERNEL_STRUCTS_H
#include "api/dataflow/circular_buffers.h"
#endif
