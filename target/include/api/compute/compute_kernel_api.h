/* tt-metal's functions for kernels that compute, by the same path and names, and functions of tiles of
 * Dst: abs_tile(0), add_unary_tile(0, parameter), add_binary_tile(0, 1, 0) ... A parameter of a function
 * of floating-point numbers has the bits of a float. The functions of tt-metal have template parameters of
 * their own; the engine knows one way to compute each. */
#ifndef TENDRIL_COMPUTE_KERNEL_API_H
#define TENDRIL_COMPUTE_KERNEL_API_H
#include "api/compute/common.h"
#include "tendril/args.h"

#ifdef __cplusplus
namespace ckernel
{
TD_SETTING_(init_sfpu)
ALWI void td_function_(uint32_t command, uint32_t function, uint32_t a, uint32_t b, uint32_t dst)
{
    TD_MATH_(
        (td_compute_start(command, a, b, 0, dst, td_dst_options_ | function << TD_COMPUTE_FUNCTION_SHIFT)));
}

#define TD_X(value, name)                                                                                    \
    TD_SETTING_(name##_tile_init)                                                                            \
    template <auto... OPTIONS, typename... Others> ALWI void name##_tile(uint32_t dst, Others...)            \
    {                                                                                                        \
        td_function_(TD_COMPUTE_UNARY, value, 0, 0, dst);                                                    \
    }
TD_COMPUTE_UNARY(TD_X)
#undef TD_X

#define TD_X(value, name)                                                                                    \
    TD_SETTING_(name##_tile_init)                                                                            \
    template <auto... OPTIONS, typename T, typename U = uint32_t, typename... Others>                        \
    ALWI void name##_tile(uint32_t dst, T parameter, U second = 0, Others...)                                \
    {                                                                                                        \
        td_function_(TD_COMPUTE_UNARY, value, TD_WORD(parameter), TD_WORD(second), dst);                     \
    }
TD_COMPUTE_UNARY_WITH_FLOAT(TD_X)
#undef TD_X
#define TD_X(value, name)                                                                                    \
    TD_SETTING_(name##_tile_init)                                                                            \
    template <auto... OPTIONS>                                                                               \
    ALWI void name##_tile(uint32_t dst, uint32_t parameter = 0, uint32_t second = 0)                         \
    {                                                                                                        \
        td_function_(TD_COMPUTE_UNARY, value, parameter, second, dst);                                       \
    }
TD_COMPUTE_UNARY_WITH_INTEGER(TD_X)
#undef TD_X
/* Of two tiles of Dst; the result replaces the first one unless a third one is named. */
#define TD_X(value, name)                                                                                    \
    TD_SETTING_(name##_binary_tile_init)                                                                     \
    template <auto... OPTIONS>                                                                               \
    ALWI void name##_binary_tile(uint32_t a, uint32_t b, uint32_t dst = UINT32_MAX)                          \
    {                                                                                                        \
        td_function_(TD_COMPUTE_BINARY, value, a, b, dst == UINT32_MAX ? a : dst);                           \
    }
TD_COMPUTE_BINARY(TD_X)
#undef TD_X
/* Of three tiles of Dst, and of a float that comes last. */
#define TD_X(value, name)                                                                                    \
    TD_SETTING_(name##_tile_init)                                                                            \
    template <auto... OPTIONS>                                                                               \
    ALWI void name##_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t dst, uint32_t number = 0x3f800000)    \
    {                                                                                                        \
        TD_MATH_((td_compute_start(TD_COMPUTE_TERNARY, a, b | c << 8, number, dst,                           \
                                   td_dst_options_ | (value) << TD_COMPUTE_FUNCTION_SHIFT)));                \
    }
TD_COMPUTE_TERNARY(TD_X)
#undef TD_X

/* Other names of these. */
TD_SETTING_(binop_with_scalar_tile_init)
TD_SETTING_(power_tile_init)
TD_SETTING_(rsub_tile_init)
TD_SETTING_(max_tile_init)
TD_SETTING_(mask_tile_init)
TD_SETTING_(copy_dest_values_init)
TD_SETTING_(add_int_tile_init)
TD_SETTING_(sub_int_tile_init)
TD_SETTING_(mul_int_tile_init)
TD_SETTING_(binary_max_tile_init)
TD_SETTING_(binary_min_tile_init)
/* The exponent is a whole number (before 2026) or a float. */
ALWI void power_tile(uint32_t dst, uint32_t exponent)
{
    to_power_tile(dst, exponent < 0x10000 ? TD_WORD(static_cast<float>(exponent)) : exponent);
}
ALWI void rsub_tile(uint32_t dst, uint32_t parameter)
{
    rsub_unary_tile(dst, parameter);
}
template <typename... Others> ALWI void max_tile(uint32_t dst, uint32_t other, Others...)
{
    max_binary_tile(dst, other);
}
/* Elements of `dst` whose element of `mask` is 0 become 0. */
template <typename... Others> ALWI void mask_tile(uint32_t dst, uint32_t mask, Others...)
{
    mask_binary_tile(dst, mask);
}
template <auto... OPTIONS> ALWI void copy_dest_values(uint32_t from, uint32_t to)
{
    copy_binary_tile(from, from, to);
}
#define TD_BINARY_NAME_(name, as)                                                                            \
    template <auto... OPTIONS, typename... Others>                                                           \
    ALWI void name(uint32_t a, uint32_t b, uint32_t dst = UINT32_MAX, Others...)                             \
    {                                                                                                        \
        as##_binary_tile(a, b, dst);                                                                         \
    }
TD_BINARY_NAME_(add_int_tile, add)
TD_BINARY_NAME_(add_int32_tile, add)
TD_BINARY_NAME_(add_uint32_tile, add)
TD_BINARY_NAME_(add_uint16_tile, add)
TD_BINARY_NAME_(sub_int_tile, sub)
TD_BINARY_NAME_(sub_int32_tile, sub)
TD_BINARY_NAME_(mul_int_tile, mul)
TD_BINARY_NAME_(mul_int32_tile, mul)
TD_BINARY_NAME_(binary_max_tile, max)
TD_BINARY_NAME_(binary_min_tile, min)
#undef TD_BINARY_NAME_
} // namespace ckernel
#include "api/compute/eltwise_binary.h"
#include "api/compute/more_functions.h"
#endif
#endif
