/* Numbers of the compute engine: formats of elements, faces of tiles, and what is done with them. */
#include "boards/tensix_sim/compute.h"
#include "proto/device/compute.h"
#include "proto/device/kernel_env.h"

#include <math.h>
#include <string.h>

enum {
    SIDE = 32,
    FACE = 16,
    FLOAT32 = 0,
    FLOAT16_B = 5,
    INT32 = 8,
    UINT16 = 9,
    INT8 = 14,
    UINT32 = 24,
    UINT8 = 30
};

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The nearest number of 16 bits, the even one of two. */
static uint32_t to_bf16(float value)
{
    const uint32_t bits = bits_of(value);
    if (value != value)
        return bits >> 16 | 0x40;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static float in_dst(float value, int wide)
{
    return wide ? value : float_of(to_bf16(value) << 16);
}

uint32_t compute_format_bytes(uint32_t format)
{
    switch (format) {
    case FLOAT32:
    case INT32:
    case UINT32:
        return 4 * TD_COMPUTE_ELEMENTS;
    case FLOAT16_B:
    case UINT16:
        return 2 * TD_COMPUTE_ELEMENTS;
    case INT8:
    case UINT8:
        return TD_COMPUTE_ELEMENTS;
    }
    return 0;
}

/* Where element `at` of a tile, row by row, is: faces follow each other. */
static uint32_t place_of(uint32_t at)
{
    const uint32_t row = at / SIDE, column = at % SIDE;
    return (row / FACE * 2 + column / FACE) * FACE * FACE + row % FACE * FACE + column % FACE;
}

static int32_t integer_at(const uint8_t *from, uint32_t place, uint32_t format)
{
    uint16_t half;
    uint32_t word;
    switch (format) {
    case INT8:
        return (int8_t)from[place];
    case UINT8:
        return from[place];
    case UINT16:
        memcpy(&half, from + 2 * (size_t)place, sizeof half);
        return half;
    default:
        memcpy(&word, from + 4 * (size_t)place, sizeof word);
        return (int32_t)word;
    }
}

static float real_at(const uint8_t *from, uint32_t place, uint32_t format)
{
    uint16_t half;
    uint32_t word;
    if (format == FLOAT16_B) {
        memcpy(&half, from + 2 * (size_t)place, sizeof half);
        return float_of((uint32_t)half << 16);
    }
    memcpy(&word, from + 4 * (size_t)place, sizeof word);
    return float_of(word);
}

void compute_unpack(struct compute_tile *to, const uint8_t *from, uint32_t format, int transpose)
{
    to->is_integer = format != FLOAT32 && format != FLOAT16_B;
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        const uint32_t place = place_of(transpose ? at % SIDE * SIDE + at / SIDE : at);
        if (to->is_integer)
            to->of.integer[at] = integer_at(from, place, format);
        else
            to->of.real[at] = real_at(from, place, format);
    }
}

static void pack_element(uint8_t *to, const struct compute_tile *from, uint32_t at, uint32_t format)
{
    const float real = from->is_integer ? (float)from->of.integer[at] : from->of.real[at];
    const int32_t integer = from->is_integer ? from->of.integer[at] : 0;
    const uint32_t place = place_of(at);
    const uint32_t word = format == FLOAT32 ? bits_of(real) : (uint32_t)integer;
    const uint16_t half = (uint16_t)(format == FLOAT16_B ? to_bf16(real) : (uint32_t)integer);
    const uint32_t bytes = compute_format_bytes(format) / TD_COMPUTE_ELEMENTS;
    if (bytes == 4)
        memcpy(to + 4 * (size_t)place, &word, 4);
    else if (bytes == 2)
        memcpy(to + 2 * (size_t)place, &half, 2);
    else
        to[place] = (uint8_t)integer;
}

/* Floats become integers where they are whole numbers of 32 bits; all else saturates. */
static int32_t whole_number(float value)
{
    if (value != value)
        return 0;
    return value >= 2147483648.0f ? INT32_MAX : value < -2147483648.0f ? INT32_MIN : (int32_t)rintf(value);
}

void compute_pack(uint8_t *to, const struct compute_tile *from, uint32_t format)
{
    struct compute_tile whole;
    if (!from->is_integer && format != FLOAT32 && format != FLOAT16_B) {
        whole.is_integer = 1;
        for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++)
            whole.of.integer[at] = whole_number(from->of.real[at]);
        from = &whole;
    }
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++)
        pack_element(to, from, at, format);
}

static float real_result(const struct compute_tile *a, const struct compute_tile *b, uint32_t command,
                         uint32_t at)
{
    switch (command) {
    case TD_COMPUTE_ADD:
        return a->of.real[at] + b->of.real[at];
    case TD_COMPUTE_SUB:
        return a->of.real[at] - b->of.real[at];
    case TD_COMPUTE_MUL:
        return a->of.real[at] * b->of.real[at];
    }
    return a->of.real[at];
}

static uint32_t integer_result(const struct compute_tile *a, const struct compute_tile *b, uint32_t command,
                               uint32_t at)
{
    const uint32_t left = (uint32_t)a->of.integer[at], right = b ? (uint32_t)b->of.integer[at] : 0;
    switch (command) {
    case TD_COMPUTE_ADD:
        return left + right;
    case TD_COMPUTE_SUB:
        return left - right;
    case TD_COMPUTE_MUL:
        return left * right;
    }
    return left;
}

/* The sum of the products of row and column, added to `sum` in this order. */
static float real_product(const struct compute_tile *a, const struct compute_tile *b, uint32_t at, float sum)
{
    for (uint32_t k = 0; k < SIDE; k++)
        sum += a->of.real[at / SIDE * SIDE + k] * b->of.real[k * SIDE + at % SIDE];
    return sum;
}

static uint32_t integer_product(const struct compute_tile *a, const struct compute_tile *b, uint32_t at)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < SIDE; k++)
        sum += (uint32_t)a->of.integer[at / SIDE * SIDE + k] * (uint32_t)b->of.integer[k * SIDE + at % SIDE];
    return sum;
}

/* Dst is of the kind of numbers that was written last; zeros are of any kind. */
static void make_kind(struct compute_tile *tile, int is_integer)
{
    for (uint32_t at = 0; tile->is_integer != is_integer && at < TD_COMPUTE_ELEMENTS; at++) {
        if (is_integer)
            tile->of.integer[at] = whole_number(tile->of.real[at]);
        else
            tile->of.real[at] = (float)tile->of.integer[at];
    }
    tile->is_integer = is_integer;
}

void compute_binary(struct compute_tile *to, const struct compute_tile *a, const struct compute_tile *b,
                    uint32_t command, int add, int wide)
{
    make_kind(to, a->is_integer);
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        if (a->is_integer) {
            const uint32_t before = (uint32_t)to->of.integer[at];
            to->of.integer[at] = (int32_t)(command == TD_COMPUTE_MATMUL
                                               ? before + integer_product(a, b, at)
                                               : (add ? before : 0) + integer_result(a, b, command, at));
        } else {
            const float before = to->of.real[at];
            const float now = command == TD_COMPUTE_MATMUL ? real_product(a, b, at, before)
                              : add                        ? before + real_result(a, b, command, at)
                                                           : real_result(a, b, command, at);
            to->of.real[at] = in_dst(now, wide);
        }
    }
}

static float function_of(float x, uint32_t function)
{
    switch (function) {
    case TD_COMPUTE_FUNCTION_abs:
        return fabsf(x);
    case TD_COMPUTE_FUNCTION_exp:
        return expf(x);
    case TD_COMPUTE_FUNCTION_log:
        return logf(x);
    case TD_COMPUTE_FUNCTION_negative:
        return -x;
    case TD_COMPUTE_FUNCTION_recip:
        return 1 / x;
    case TD_COMPUTE_FUNCTION_relu:
        return x > 0 ? x : 0;
    case TD_COMPUTE_FUNCTION_rsqrt:
        return 1 / sqrtf(x);
    case TD_COMPUTE_FUNCTION_sigmoid:
        return 1 / (1 + expf(-x));
    case TD_COMPUTE_FUNCTION_sqrt:
        return sqrtf(x);
    case TD_COMPUTE_FUNCTION_square:
        return x * x;
    default:
        return tanhf(x);
    }
}

void compute_unary(struct compute_tile *tile, uint32_t function, int wide)
{
    make_kind(tile, 0);
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++)
        tile->of.real[at] = in_dst(function_of(tile->of.real[at], function), wide);
}
