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

/* Modified Bessel functions of the first kind, by their series. */
static float bessel_i(int order, float x)
{
    const double half = (double)x / 2;
    double term = order ? half : 1, sum = term;
    for (int k = 1; k < 200 && fabs(term) > 1e-12 * fabs(sum); k++) {
        term *= half * half / ((double)k * (k + order));
        sum += term;
    }
    return (float)sum;
}

static float digamma_of_real(float x)
{
    double sum = 0, at = x;
    if (x <= 0 && x == floorf(x))
        return NAN;
    if (x < 0) /* by reflection */
        return (float)((double)digamma_of_real(1 - x) - M_PI / tan(M_PI * (double)x));
    for (; at < 10; at++)
        sum -= 1 / at;
    const double r = 1 / (at * at);
    return (float)(sum + log(at) - 0.5 / at - r * (1.0 / 12 - r * (1.0 / 120 - r / 252)));
}

static float inverse_of_erf(float y)
{
    if (!(fabsf(y) < 1))
        return fabsf(y) == 1 ? copysignf(INFINITY, y) : NAN;
    const double l = log1p(-(double)y * (double)y), b = 2 / (M_PI * 0.147) + l / 2;
    double x = copysign(sqrt(sqrt(b * b - l / 0.147) - b), (double)y);
    for (int i = 0; i < 4; i++)
        x -= (erf(x) - (double)y) * sqrt(M_PI) / 2 * exp(x * x);
    return (float)x;
}

static float rounded_to(float x, float digits)
{
    const float scale = powf(10, digits);
    return rintf(x * scale) / scale;
}

/* The result has the divisor's sign. */
static float remainder_by(float x, float p)
{
    const float r = fmodf(x, p);
    return r != 0 && (r < 0) != (p < 0) ? r + p : r;
}

/* F(name, value): of x, and of the parameters p and q. */
#define F(name, value)                                                                                       \
    static float name##_of(float x, float p, float q)                                                        \
    {                                                                                                        \
        (void)p, (void)q;                                                                                    \
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
F(acosh, acoshf(x))
F(asinh, asinhf(x))
F(atanh, atanhf(x))
F(cosh, coshf(x))
F(sinh, sinhf(x))
F(cbrt, cbrtf(x))
F(log1p, log1pf(x))
F(hardsigmoid, fminf(fmaxf(x / 6 + 0.5f, 0), 1))
F(softsign, x / (1 + fabsf(x)))
F(hardmish, x * fminf(fmaxf(x / 2 + 1, 0), 1))
F(tanh_derivative, 1 - tanhf(x) * tanhf(x))
F(gelu_derivative, (1 + erff(x * 0.70710678f)) / 2 + x * 0.39894228f * expf(-x * x / 2))
F(trunc, truncf(x))
F(frac, x - truncf(x))
F(i0, bessel_i(0, x))
F(i1, bessel_i(1, x))
F(digamma, digamma_of_real(x))
F(erfinv, inverse_of_erf(x))
F(unary_eq, x == p)
F(unary_ge, x >= p)
F(unary_le, x <= p)
F(clamp, fminf(fmaxf(x, p), q))
F(hardtanh, fminf(fmaxf(x, p), q))
F(celu, x >= 0 ? x : p * expm1f(x / p))
F(softshrink, x > p ? x - p : x < -p ? x + p : 0)
F(hardshrink, fabsf(x) > p ? x : 0)
F(selu, x >= 0 ? p * x : p * q * expm1f(x))
F(threshold, x <= p ? q : x)
F(fmod, fmodf(x, p))
F(remainder, remainder_by(x, p))
F(prelu, x >= 0 ? x : p * x)
F(rpow, powf(p, x))
F(rdiv, p / x)
F(softplus, x * p > q ? x : log1pf(expf(x * p)) / p)
F(unary_max, fmaxf(x, p))
F(unary_min, fminf(x, p))
F(log_with_base, logf(x) * p)
F(round_to, rounded_to(x, p))
/* clang-format on */
#undef F

static float (*const real_functions[256])(float x, float p, float q) = {
#define TD_X(value, name) [value] = name##_of,
    TD_COMPUTE_UNARY(TD_X) TD_COMPUTE_UNARY_WITH_FLOAT(TD_X)
#undef TD_X
};

static const uint8_t is_integer_function[256] = {
#define TD_X(value, name) [value] = 1,
    TD_COMPUTE_UNARY_WITH_INTEGER(TD_X)
#undef TD_X
};

static uint32_t integer_result(uint32_t function, uint32_t x, uint32_t p, uint32_t q)
{
    const int32_t i = (int32_t)x, n = (int32_t)p;
    switch (function) {
#define CASE(name, value)                                                                                    \
    case TD_COMPUTE_FUNCTION_##name:                                                                         \
        return (uint32_t)(value)
        CASE(bitwise_and, x & p);
        CASE(bitwise_not, ~x);
        CASE(bitwise_or, x | p);
        CASE(bitwise_xor, x ^ p);
        CASE(left_shift, p < 32 ? x << p : 0);
        CASE(abs_int32, i < 0 ? 0 - x : x);
        CASE(negative_int32, 0 - x);
        CASE(plus_int32, x + p);
        CASE(minus_int32, x - p);
        CASE(from_int32, p - x);
        CASE(int32_max, i > n ? i : n);
        CASE(int32_min, i < n ? i : n);
        CASE(max_uint32, x > p ? x : p);
        CASE(min_uint32, x < p ? x : p);
        CASE(int32_eq, x == p);
        CASE(int32_ne, x != p);
        CASE(int32_lt, i < n);
        CASE(int32_le, i <= n);
        CASE(int32_gt, i > n);
        CASE(int32_ge, i >= n);
        CASE(clamp_int32, i < n ? n : i > (int32_t)q ? (int32_t)q : i);
        CASE(fill_int, p);
        CASE(right_shift, i >> (p < 31 ? p : 31)); /* keeps the sign */
#undef CASE
    }
    return x;
}

static const uint8_t is_binary[256] = {
#define TD_X(value, name) [value] = 1,
    TD_COMPUTE_BINARY(TD_X)
#undef TD_X
};

static const uint8_t is_of_kinds[256] = {
#define TD_X(value, name) [value] = 1,
    TD_COMPUTE_UNARY_OF_KINDS(TD_X)
#undef TD_X
};

bool compute_has_function(uint32_t command, uint32_t function)
{
    if (command == TD_COMPUTE_TERNARY)
        return function <= TD_COMPUTE_TERNARY_addcdiv;
    return command == TD_COMPUTE_BINARY
               ? is_binary[function]
               : real_functions[function] || is_integer_function[function] || is_of_kinds[function];
}

static bool is_integer_format(uint32_t format)
{
    switch (format) {
    case COMPUTE_Int32:
    case COMPUTE_UInt16:
    case COMPUTE_Int8:
    case COMPUTE_UInt32:
    case COMPUTE_UInt8:
        return true;
    }
    return false;
}

/* The greatest numbers that the format holds are the results of greater ones. */
static int32_t integer_of_real(float x, uint32_t format)
{
    double least = -2147483648.0, greatest = 2147483647.0;
    if (format == COMPUTE_UInt16 || format == COMPUTE_UInt32 || format == COMPUTE_UInt8) {
        least = 0;
        greatest = format == COMPUTE_UInt16 ? 65535 : format == COMPUTE_UInt8 ? 255 : 4294967295.0;
    } else if (format == COMPUTE_Int8) {
        least = -128;
        greatest = 127;
    }
    if (isnan(x))
        return 0;
    const double whole = trunc((double)x);
    const double held = whole < least ? least : whole > greatest ? greatest : whole;
    return (int32_t)(uint32_t)(int64_t)held;
}

static void change_kind(struct compute_tile *tile, uint32_t from, uint32_t to, uint32_t options)
{
    const int was = is_integer_format(from), is = is_integer_format(to);
    compute_make_kind(tile, was);
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        if (!was && is)
            tile->of.integer[at] = integer_of_real(tile->of.real[at], to);
        else if (was && !is)
            tile->of.real[at] = compute_in_dst(from == COMPUTE_UInt32 ? (float)(uint32_t)tile->of.integer[at]
                                                                      : (float)tile->of.integer[at],
                                               options);
        else if (!was)
            tile->of.real[at] = compute_in_dst(tile->of.real[at], options);
    }
    tile->is_integer = is;
}

static void transpose(struct compute_tile *tile)
{
    const struct compute_tile was = *tile;
    for (uint32_t row = 0; row < 32; row++)
        for (uint32_t column = 0; column < 32; column++)
            tile->of.integer[row * 32 + column] = was.of.integer[column * 32 + row];
}

/* A seed has the same numbers each time. */
static void fill_by_chance(struct compute_tile *tile, uint32_t seed, float from, float width,
                           uint32_t options)
{
    uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    compute_make_kind(tile, 0);
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        tile->of.real[at] = compute_in_dst(from + width * (float)(state >> 40) / 16777216.0f, options);
    }
}

void compute_unary(struct compute_tile *tile, uint32_t function, const uint32_t parameters[3],
                   uint32_t options)
{
    const int is_integer = is_integer_function[function];
    const float p = float_of(parameters[0]), q = float_of(parameters[1]);
    tile->is_written = 1;
    switch (function) {
    case TD_COMPUTE_FUNCTION_typecast:
        change_kind(tile, parameters[0], parameters[1], options);
        return;
    case TD_COMPUTE_FUNCTION_rand:
        fill_by_chance(tile, parameters[2], p, q, options);
        return;
    case TD_COMPUTE_FUNCTION_transpose:
        transpose(tile);
        return;
    }
    compute_make_kind(tile, is_integer);
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        if (is_integer)
            tile->of.integer[at] = (int32_t)integer_result(function, (uint32_t)tile->of.integer[at],
                                                           parameters[0], parameters[1]);
        else
            tile->of.real[at] = compute_in_dst(real_functions[function](tile->of.real[at], p, q), options);
    }
}

static float real_of_two(uint32_t function, float a, float b)
{
    switch (function) {
#define CASE(name, value)                                                                                    \
    case TD_COMPUTE_BINARY_##name:                                                                           \
        return value
        CASE(add, a + b);
        CASE(sub, a - b);
        CASE(mul, a * b);
        CASE(max, fmaxf(a, b));
        CASE(min, fminf(a, b));
        CASE(div, a / b);
        CASE(rsub, b - a);
        CASE(power, powf(a, b));
        CASE(mask, b == 0 ? 0 : a);
        CASE(mask_posinf, b == 0 ? INFINITY : a);
        CASE(atan2, atan2f(a, b));
        CASE(xlogy, a == 0 && !isnan(b) ? 0 : a * logf(b));
        CASE(logsigmoid, a < 0 ? a - log1pf(expf(a)) : -log1pf(expf(-a)));
        CASE(eq, a == b);
        CASE(ne, a != b);
        CASE(lt, a < b);
        CASE(le, a <= b);
        CASE(gt, a > b);
        CASE(ge, a >= b);
        CASE(fmod, fmodf(a, b));
        CASE(remainder, remainder_by(a, b));
    }
    return a; /* copy */
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint32_t size_of(int32_t a)
{
    return a < 0 ? 0 - (uint32_t)a : (uint32_t)a;
}

static int64_t rest_of(int32_t a, int32_t b)
{
    return b ? (int64_t)a % b : 0;
}

/* Does the divisor's sign ask for the next lower quotient? */
static bool is_below(int64_t rest, int32_t b)
{
    return rest && (rest < 0) != (b < 0);
}

static int32_t integer_of_two(uint32_t function, int32_t a, int32_t b)
{
    const uint32_t x = (uint32_t)a, y = (uint32_t)b;
    switch (function) {
        CASE(add, (int32_t)(x + y));
        CASE(sub, (int32_t)(x - y));
        CASE(rsub_int, (int32_t)(y - x));
        CASE(mul, (int32_t)(x * y));
        CASE(max, a > b ? a : b);
        CASE(min, a < b ? a : b);
        CASE(max_uint32, (int32_t)(x > y ? x : y));
        CASE(min_uint32, (int32_t)(x < y ? x : y));
        CASE(eq, a == b);
        CASE(ne, a != b);
        CASE(lt, a < b);
        CASE(le, a <= b);
        CASE(gt, a > b);
        CASE(ge, a >= b);
        CASE(bitwise_and, a & b);
        CASE(bitwise_or, a | b);
        CASE(bitwise_xor, a ^ b);
        CASE(left_shift, y < 32 ? (int32_t)(x << y) : 0);
        CASE(right_shift, a >> (y < 31 ? y : 31));
        CASE(logical_right_shift, y < 32 ? (int32_t)(x >> y) : 0);
        CASE(gcd, (int32_t)greatest_divisor(size_of(a), size_of(b)));
        CASE(lcm, a && b ? (int32_t)(size_of(a) / greatest_divisor(size_of(a), size_of(b)) * size_of(b)) : 0);
        CASE(div_trunc, b ? (int32_t)((int64_t)a / b) : 0);
        CASE(div_floor, b ? (int32_t)((int64_t)a / b - is_below(rest_of(a, b), b)) : 0);
        CASE(fmod, (int32_t)rest_of(a, b));
        CASE(remainder, (int32_t)(rest_of(a, b) + (is_below(rest_of(a, b), b) ? b : 0)));
#undef CASE
    }
    return a; /* copy */
}

void compute_binary_function(struct compute_tile *to, const struct compute_tile *a,
                             const struct compute_tile *b, uint32_t function, uint32_t options)
{
    struct compute_tile left = *a, right = *b; /* `to` may be one of them */
    const int keeps_integers = function <= TD_COMPUTE_BINARY_min || function == TD_COMPUTE_BINARY_copy ||
                               function >= TD_COMPUTE_BINARY_eq;
    const int integers =
        (keeps_integers && a->is_integer && b->is_integer) || function >= TD_COMPUTE_BINARY_bitwise_and;
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

void compute_ternary_function(struct compute_tile *to, const struct compute_tile *a,
                              const struct compute_tile *b, const struct compute_tile *c, uint32_t function,
                              uint32_t value, uint32_t options)
{
    struct compute_tile of[3] = {*a, *b, *c}; /* `to` may be one of them */
    const int integers = function == TD_COMPUTE_TERNARY_where && b->is_integer && c->is_integer;
    const float v = float_of(value);
    compute_make_kind(&of[1], integers);
    compute_make_kind(&of[2], integers);
    if (function != TD_COMPUTE_TERNARY_where)
        compute_make_kind(&of[0], 0);
    to->is_integer = integers;
    to->is_written = 1;
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        const float x = of[0].of.real[at], y = of[1].of.real[at], z = of[2].of.real[at];
        const int is_true = of[0].is_integer ? of[0].of.integer[at] != 0 : x != 0;
        if (integers)
            to->of.integer[at] = of[is_true ? 1 : 2].of.integer[at];
        else if (function == TD_COMPUTE_TERNARY_where)
            to->of.real[at] = is_true ? y : z;
        else
            to->of.real[at] = compute_in_dst(function == TD_COMPUTE_TERNARY_lerp      ? x + z * (y - x)
                                             : function == TD_COMPUTE_TERNARY_addcmul ? x + v * y * z
                                                                                      : x + v * y / z,
                                             options);
    }
}

void compute_relu(struct compute_tile *tile)
{
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        if (tile->is_integer)
            tile->of.integer[at] = tile->of.integer[at] > 0 ? tile->of.integer[at] : 0;
        else
            tile->of.real[at] = tile->of.real[at] > 0 ? tile->of.real[at] : 0;
    }
}
