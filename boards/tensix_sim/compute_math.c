/* Numbers of the compute engine: formats of elements, faces of tiles, and what is done with them. */
#include "boards/tensix_sim/compute_math.h"
#include "proto/device/compute.h"

#include <math.h>
#include <string.h>

enum { SIDE = 32, FACE = 16, BLOCK = 16 /* elements that share an exponent */ };

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

float compute_in_dst(float value, uint32_t options)
{
    return options & TD_COMPUTE_DST32 ? value : float_of(to_bf16(value) << 16);
}

uint32_t compute_format_bytes(uint32_t format)
{
    switch (format) {
    case COMPUTE_Float32:
    case COMPUTE_Int32:
    case COMPUTE_UInt32:
        return 4 * TD_COMPUTE_ELEMENTS;
    case COMPUTE_Float16_b:
    case COMPUTE_UInt16:
        return 2 * TD_COMPUTE_ELEMENTS;
    case COMPUTE_Int8:
    case COMPUTE_UInt8:
        return TD_COMPUTE_ELEMENTS;
    case COMPUTE_Bfp8_b:
        return TD_COMPUTE_ELEMENTS / BLOCK + TD_COMPUTE_ELEMENTS;
    }
    return 0;
}

uint32_t compute_rows_bytes(uint32_t format, uint32_t row_bytes)
{
    const uint32_t bytes = format == COMPUTE_Bfp8_b ? 0 : compute_format_bytes(format) / SIDE; /* of a row */
    return bytes && row_bytes >= bytes ? (SIDE - 1) * row_bytes + bytes : 0;
}

/* Where element `at` of a tile, row by row, is: faces follow each other. */
static uint32_t place_of(uint32_t at)
{
    const uint32_t row = at / SIDE, column = at % SIDE;
    return (row / FACE * 2 + column / FACE) * FACE * FACE + row % FACE * FACE + column % FACE;
}

static bool is_real(uint32_t format)
{
    return format == COMPUTE_Float32 || format == COMPUTE_Float16_b || format == COMPUTE_Bfp8_b;
}

/* Offset of an element in L1. */
static size_t offset_of(uint32_t at, uint32_t format, uint32_t row_bytes)
{
    const uint32_t bytes = compute_format_bytes(format) / TD_COMPUTE_ELEMENTS;
    return row_bytes ? (size_t)(at / SIDE) * row_bytes + at % SIDE * (size_t)bytes
                     : (size_t)place_of(at) * bytes;
}

static int32_t integer_at(const uint8_t *from, uint32_t format)
{
    uint16_t half;
    uint32_t word;
    switch (format) {
    case COMPUTE_Int8:
        return (int8_t)*from;
    case COMPUTE_UInt8:
        return *from;
    case COMPUTE_UInt16:
        memcpy(&half, from, sizeof half);
        return half;
    default:
        memcpy(&word, from, sizeof word);
        return (int32_t)word;
    }
}

static float real_at(const uint8_t *from, uint32_t format)
{
    uint16_t half;
    uint32_t word;
    if (format == COMPUTE_Float16_b) {
        memcpy(&half, from, sizeof half);
        return float_of((uint32_t)half << 16);
    }
    memcpy(&word, from, sizeof word);
    return float_of(word);
}

/* Block floats: first the exponents of all blocks, then for each element its sign and 7 bits of magnitude,
 * in units of 2^(exponent - 127 - 6). */
static float block_float_at(const uint8_t *from, uint32_t place)
{
    const uint8_t exponent = from[place / BLOCK], bits = from[TD_COMPUTE_ELEMENTS / BLOCK + place];
    const float magnitude = ldexpf(bits & 0x7f, exponent - 133);
    return bits & 0x80 ? -magnitude : magnitude;
}

static void pack_block(uint8_t *to, uint32_t first_place, const float values[BLOCK])
{
    float greatest = 0;
    int exponent = 0;
    for (uint32_t i = 0; i < BLOCK; i++)
        greatest = fmaxf(greatest, fabsf(values[i]));
    frexpf(greatest, &exponent);
    exponent += 126; /* as in a float: greatest is 1.x times 2^(exponent - 127) */
    exponent = exponent < 0 || greatest == 0 ? 0 : exponent > 255 ? 255 : exponent;
    to[first_place / BLOCK] = (uint8_t)exponent;
    for (uint32_t i = 0; i < BLOCK; i++) {
        const float magnitude = fminf(rintf(ldexpf(fabsf(values[i]), 133 - exponent)), 127);
        to[TD_COMPUTE_ELEMENTS / BLOCK + first_place + i] =
            (uint8_t)(((uint32_t)magnitude & 0x7f) | (values[i] < 0 ? 0x80 : 0));
    }
}

void compute_unpack(struct compute_tile *to, const uint8_t *from, uint32_t format, uint32_t row_bytes,
                    int transpose)
{
    to->is_integer = !is_real(format);
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        const uint32_t source = transpose ? at % SIDE * SIDE + at / SIDE : at;
        const uint8_t *element = from + offset_of(source, format, row_bytes);
        if (to->is_integer)
            to->of.integer[at] = integer_at(element, format);
        else
            to->of.real[at] =
                format == COMPUTE_Bfp8_b ? block_float_at(from, place_of(source)) : real_at(element, format);
    }
}

static void pack_element(uint8_t *to, const struct compute_tile *from, uint32_t at, uint32_t format, int add)
{
    float real = from->is_integer ? (float)from->of.integer[at] : from->of.real[at];
    uint32_t integer = from->is_integer ? (uint32_t)from->of.integer[at] : 0;
    const uint32_t bytes = compute_format_bytes(format) / TD_COMPUTE_ELEMENTS;
    if (add && is_real(format))
        real += real_at(to, format);
    else if (add)
        integer += (uint32_t)integer_at(to, format);
    const uint32_t word = format == COMPUTE_Float32 ? bits_of(real) : integer;
    const uint16_t half = (uint16_t)(format == COMPUTE_Float16_b ? to_bf16(real) : integer);
    if (bytes == 4)
        memcpy(to, &word, 4);
    else if (bytes == 2)
        memcpy(to, &half, 2);
    else
        *to = (uint8_t)integer;
}

static void pack_blocks(uint8_t *to, const struct compute_tile *from, int add)
{
    float by_place[TD_COMPUTE_ELEMENTS];
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        const uint32_t place = place_of(at);
        by_place[place] = (from->is_integer ? (float)from->of.integer[at] : from->of.real[at]) +
                          (add ? block_float_at(to, place) : 0);
    }
    for (uint32_t place = 0; place < TD_COMPUTE_ELEMENTS; place += BLOCK)
        pack_block(to, place, by_place + place);
}

/* Floats become integers where they are whole numbers of 32 bits; all else saturates. */
static int32_t whole_number(float value)
{
    if (value != value)
        return 0;
    return value >= 2147483648.0f ? INT32_MAX : value < -2147483648.0f ? INT32_MIN : (int32_t)rintf(value);
}

void compute_pack(uint8_t *to, const struct compute_tile *from, uint32_t format, uint32_t row_bytes, int add)
{
    struct compute_tile whole;
    if (format == COMPUTE_Bfp8_b) {
        pack_blocks(to, from, add);
        return;
    }
    if (!from->is_integer && !is_real(format)) {
        whole = *from;
        compute_make_kind(&whole, 1);
        from = &whole;
    }
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++)
        pack_element(to + offset_of(at, format, row_bytes), from, at, format, add);
}

/* Where the element of an operand is that counts for element `at`. */
static uint32_t operand_at(uint32_t at, uint32_t broadcast, uint32_t row)
{
    switch (broadcast) {
    case TD_COMPUTE_BROADCAST_COLUMN:
        return at / SIDE * SIDE;
    case TD_COMPUTE_BROADCAST_ROW:
        return row * SIDE + at % SIDE;
    case TD_COMPUTE_BROADCAST_SCALAR:
        return 0;
    }
    return at;
}

static float real_result(float a, float b, uint32_t command)
{
    switch (command) {
    case TD_COMPUTE_ADD:
        return a + b;
    case TD_COMPUTE_SUB:
        return a - b;
    case TD_COMPUTE_MUL:
        return a * b;
    }
    return a;
}

static uint32_t integer_result(uint32_t a, uint32_t b, uint32_t command)
{
    switch (command) {
    case TD_COMPUTE_ADD:
        return a + b;
    case TD_COMPUTE_SUB:
        return a - b;
    case TD_COMPUTE_MUL:
        return a * b;
    }
    return a;
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

void compute_make_kind(struct compute_tile *tile, int is_integer)
{
    for (uint32_t at = 0; tile->is_integer != is_integer && at < TD_COMPUTE_ELEMENTS; at++) {
        if (is_integer)
            tile->of.integer[at] = whole_number(tile->of.real[at]);
        else
            tile->of.real[at] = (float)tile->of.integer[at];
    }
    tile->is_integer = is_integer;
}

static void multiply_matrices(struct compute_tile *to, const struct compute_tile *a,
                              const struct compute_tile *b, uint32_t options)
{
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        if (a->is_integer)
            to->of.integer[at] = (int32_t)((uint32_t)to->of.integer[at] + integer_product(a, b, at));
        else
            to->of.real[at] = compute_in_dst(real_product(a, b, at, to->of.real[at]), options);
    }
}

void compute_binary(struct compute_tile *to, const struct compute_tile *a, const struct compute_tile *b,
                    uint32_t command, uint32_t options, uint32_t row)
{
    const uint32_t broadcast = options >> TD_COMPUTE_BROADCAST_SHIFT & 3;
    const int add = (options & TD_COMPUTE_ADD_TO_DST) != 0;
    compute_make_kind(to, a->is_integer);
    to->is_written = 1;
    if (command == TD_COMPUTE_MATMUL) {
        multiply_matrices(to, a, b, options);
        return;
    }
    for (uint32_t at = 0; at < TD_COMPUTE_ELEMENTS; at++) {
        const uint32_t b_at = operand_at(at, broadcast, row), a_at = b ? at : b_at;
        if (a->is_integer) {
            const uint32_t now =
                integer_result((uint32_t)a->of.integer[a_at], b ? (uint32_t)b->of.integer[b_at] : 0, command);
            to->of.integer[at] = (int32_t)((add ? (uint32_t)to->of.integer[at] : 0) + now);
        } else {
            const float now = real_result(a->of.real[a_at], b ? b->of.real[b_at] : 0, command);
            to->of.real[at] = compute_in_dst(add ? to->of.real[at] + now : now, options);
        }
    }
}

/* Of `count` elements from `first` on, `step` apart. */
static float reduce_line(const float *from, uint32_t first, uint32_t step, uint32_t count, int is_max)
{
    float result = from[first];
    for (uint32_t i = 1; i < count; i++)
        result = is_max ? fmaxf(result, from[first + i * step]) : result + from[first + i * step];
    return result;
}

void compute_reduce(struct compute_tile *to, const struct compute_tile *a, const struct compute_tile *b,
                    uint32_t options)
{
    const int rows = (options & TD_COMPUTE_REDUCE_ROWS) != 0, is_max = (options & TD_COMPUTE_REDUCE_MAX) != 0;
    const int both = rows && (options & TD_COMPUTE_REDUCE_COLUMNS) != 0, has = to->is_written;
    struct compute_tile from = *a, scale = *b;
    float line[SIDE], before[SIDE];
    compute_make_kind(&from, 0);
    compute_make_kind(&scale, 0);
    compute_make_kind(to, 0);
    const float by = both && !is_max ? scale.of.real[0] * scale.of.real[0] : scale.of.real[0];
    for (uint32_t i = 0; i < SIDE; i++) {
        line[i] = rows && !both ? reduce_line(from.of.real, i * SIDE, 1, SIDE, is_max)
                                : reduce_line(from.of.real, i, SIDE, SIDE, is_max);
        before[i] = to->of.real[rows && !both ? i * SIDE : i];
    }
    if (both)
        line[0] = reduce_line(line, 0, 1, SIDE, is_max);
    memset(to, 0, sizeof *to);
    to->is_written = 1;
    for (uint32_t i = 0; i < (both ? 1 : SIDE); i++) {
        const float now = line[i] * by;
        to->of.real[rows && !both ? i * SIDE : i] = compute_in_dst(!has     ? now
                                                                   : is_max ? fmaxf(before[i], now)
                                                                            : before[i] + now,
                                                                   options);
    }
}
