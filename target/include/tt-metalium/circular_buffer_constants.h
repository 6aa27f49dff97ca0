/* How many circular buffers a tile has, by tt-metal's path and name. */
#ifndef TENDRIL_TT_METALIUM_CIRCULAR_BUFFER_CONSTANTS_H
#define TENDRIL_TT_METALIUM_CIRCULAR_BUFFER_CONSTANTS_H
#include "proto/device/kernel_env.h"
#include <cstdint>

constexpr static std::uint32_t NUM_CIRCULAR_BUFFERS = TD_KERNEL_CBS;
#endif
