/* Functions of tiles in Dst, as the vector unit computes them: to the precision of the host's library,
 * rounded to what Dst holds. */
#include "boards/tensix_sim/compute_math.h"
#include "proto/device/compute.h"

#include <math.h>
#include <string.h>

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* F(name, value): of x, and of the parameter p. */
#define F(name, value)                                                                                       \
    static float name##_of(float x, float p)                                                                 \
    {                                                                                                        \
        (void)p;                                                                                             \
        return value;                                                                                        \
    }
/* clang-format off */
F(abs, fabsf(x))
F(exp, expf(x))
F(log, logf(x))
F(negative, -x)
F(recip, 1 / x)
F(relu, x > 0 ? x : 0)
F(rsqrt, 1 / sqrtf(x))
F(sigmoid, 1 / (1 + expf(-x)))
F(sqrt, sqrtf(x))
F(square, x * x)
F(tanh, tanhf(x))
F(acos, acosf(x))
F(asin, asinf(x))
F(atan, atanf(x))
F(ceil, ceilf(x))
F(cos, cosf(x))
F(eqz, x == 0)
F(erf, erff(x))
F(erfc, erfcf(x))
F(exp2, exp2f(x))
F(expm1, expm1f(x))
F(floor, floorf(x))
F(gelu, x / 2 * (1 + erff(x * 0.70710678f)))
F(gez, x >= 0)
F(gtz, x > 0)
F(identity, x)
F(isfinite, isfinite(x) != 0)
F(isinf, isinf(x) != 0)
F(isnan, isnan(x) != 0)
F(isneginf, isinf(x) && x < 0)
F(isposinf, isinf(x) && x > 0)
F(lez, x <= 0)
F(logical_not_unary, x == 0)
F(ltz, x < 0)
F(nez, x != 0)
F(sign, (float)((x > 0) - (x < 0)))
F(signbit, signbit(x) != 0)
F(silu, x / (1 + expf(-x)))
F(sin, sinf(x))
F(tan, tanf(x))
F(add_unary, x + p)
F(div_unary, x * p) /* its caller gives the reciprocal */
F(elu, x >= 0 ? x : p * expm1f(x))
F(heaviside, x < 0 ? 0 : x > 0 ? 1 : p)
F(leaky_relu, x >= 0 ? x : p * x)
F(mul_unary, x * p)
F(relu_max, x > p ? p : x > 0 ? x : 0)
F(relu_min, x > p ? x : p)
F(rsub_unary, p - x)
F(sub_unary, x - p)
F(unary_gt, x > p)
F(unary_lt, x < p)
F(unary_ne, x != p)
F(fill, p)
F(to_power, powf(x, p))
/* clang-format on */
#undef F

static float (*const real_functions[256])(float x, float p) = {
#define TD_X(value, name) [value] = name##_of,
    TD_COMPUTE_UNARY(TD_X) TD_COMPUTE_UNARY_WITH_FLOAT(TD_X)
#undef TD_X
};

static const uint8_t is_integer_function[256] = {
#define TD_X(value, name) [value] = 1,
    TD_COMPUTE_UNARY_WITH_INTEGER(TD_X)
#undef TD_X
};

static uint32_t integer_result(uint32_t function, uint32_t x, uint32_t p)
{
    switch (function) {
    case TD_COMPUTE_FUNCTION_bitwise_and:
        return x & p;
    case TD_COMPUTE_FUNCTION_bitwise_not:
        return ~x;
    case TD_COMPUTE_FUNCTION_bitwise_or:
        return x | p;
    case TD_COMPUTE_FUNCTION_bitwise_xor:
        return x ^ p;
    case TD_COMPUTE_FUNCTION_left_shift:
        return p < 32 ? x << p : 0;
    default: /* right_shift keeps the sign */
        return (uint32_t)((int32_t)x >> (p < 31 ? p : 31));
    }
}

static const uint8_t is_binary[256] = {
#define TD_X(value, name) [value] = 1,
    TD_COMPUTE_BINARY(TD_X)
#undef TD_X
};

int compute_has_function(uint32_t command, uint32_t function)
{
    return command == TD_COMPUTE_BINARY ? is_binary[function]
                                        : real_functions[function] || is_integer_function[function];
}

void compute_unary(struct compute_tile *tile, uint32_t function, uint32_t parameter, uint32_t options)
{
    const int is_integer = is_integer_function[function];
    tile->is_written = 1;
    compute_make_kind(tile, is_integer);
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        if (is_integer)
            tile->of.integer[at] =
                (int32_t)integer_result(function, (uint32_t)tile->of.integer[at], parameter);
        else
            tile->of.real[at] =
                compute_in_dst(real_functions[function](tile->of.real[at], float_of(parameter)), options);
    }
}

static float real_of_two(uint32_t function, float a, float b)
{
    switch (function) {
    case TD_COMPUTE_BINARY_add:
        return a + b;
    case TD_COMPUTE_BINARY_sub:
        return a - b;
    case TD_COMPUTE_BINARY_mul:
        return a * b;
    case TD_COMPUTE_BINARY_max:
        return fmaxf(a, b);
    case TD_COMPUTE_BINARY_min:
        return fminf(a, b);
    case TD_COMPUTE_BINARY_div:
        return a / b;
    case TD_COMPUTE_BINARY_rsub:
        return b - a;
    case TD_COMPUTE_BINARY_power:
        return powf(a, b);
    case TD_COMPUTE_BINARY_copy:
        return a;
    default: /* mask */
        return b == 0 ? 0 : a;
    }
}

static int32_t integer_of_two(uint32_t function, int32_t a, int32_t b)
{
    switch (function) {
    case TD_COMPUTE_BINARY_add:
        return (int32_t)((uint32_t)a + (uint32_t)b);
    case TD_COMPUTE_BINARY_sub:
        return (int32_t)((uint32_t)a - (uint32_t)b);
    case TD_COMPUTE_BINARY_mul:
        return (int32_t)((uint32_t)a * (uint32_t)b);
    case TD_COMPUTE_BINARY_max:
        return a > b ? a : b;
    case TD_COMPUTE_BINARY_copy:
        return a;
    default: /* min */
        return a < b ? a : b;
    }
}

void compute_binary_function(struct compute_tile *to, const struct compute_tile *a,
                             const struct compute_tile *b, uint32_t function, uint32_t options)
{
    struct compute_tile left = *a, right = *b; /* `to` may be one of them */
    const int keeps_integers = function <= TD_COMPUTE_BINARY_min || function == TD_COMPUTE_BINARY_copy;
    const int integers = keeps_integers && a->is_integer && b->is_integer;
    compute_make_kind(&left, integers);
    compute_make_kind(&right, integers);
    to->is_integer = integers;
    to->is_written = 1;
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        if (integers)
            to->of.integer[at] = integer_of_two(function, left.of.integer[at], right.of.integer[at]);
        else
            to->of.real[at] =
                compute_in_dst(real_of_two(function, left.of.real[at], right.of.real[at]), options);
    }
}
