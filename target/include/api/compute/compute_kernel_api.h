/* tt-metal's functions for kernels that compute, by the same path and names, and functions of single tiles of Dst:
 * abs_tile(0), square_tile(0) ... */
#ifndef TENDRIL_COMPUTE_KERNEL_API_H
#define TENDRIL_COMPUTE_KERNEL_API_H
#include "api/compute/common.h"

#ifdef __cplusplus
namespace ckernel
{
ALWI void init_sfpu(uint32_t, uint32_t)
{
}
/* The functions of tt-metal have template parameters of their own; the engine knows one way to compute each. */
#define TD_X(value, name)                                                                                    \
    template <auto... OPTIONS> ALWI void name##_tile_init()                                                  \
    {                                                                                                        \
    }                                                                                                        \
    template <auto... OPTIONS, typename... Others> ALWI void name##_tile(uint32_t dst, Others...)            \
    {                                                                                                        \
        TD_MATH_((td_compute_start(TD_COMPUTE_UNARY, 0, 0, 0, dst,                                           \
                                   td_dst_options_ | (value) << TD_COMPUTE_FUNCTION_SHIFT)));                \
    }
TD_COMPUTE_UNARY(TD_X)
#undef TD_X
} // namespace ckernel
#endif
#endif
