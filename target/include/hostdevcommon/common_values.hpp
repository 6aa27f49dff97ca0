/* Values of semaphores that are flags, by tt-metal's path and names. */
#ifndef TENDRIL_HOSTDEVCOMMON_COMMON_VALUES_HPP
#define TENDRIL_HOSTDEVCOMMON_COMMON_VALUES_HPP
#include <stdint.h>

static constexpr uint32_t INVALID = 0;
static constexpr uint32_t VALID = 1;

#endif
