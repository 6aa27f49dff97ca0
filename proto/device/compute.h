/* Registers of a tile's compute engine: how the three TRISC cores have tiles of numbers unpacked, computed
 * and packed. Simulated boards have them; cards have an instruction set of their own instead. They are where no
 * register of a chip is. Images that use them say so (TD_IMAGE_COMPUTES in proto/device/site.h), and are
 * loaded on simulated boards only.
 *
 * Each TRISC has a set, at TD_COMPUTE_BASE. TRISC0 commands
 * the unpackers, TRISC1 the matrix and vector unit, TRISC2 the packers. A command is set up by storing its
 * parameters, then started by storing an enum td_compute_command to COMMAND. Commands of one core complete
 * in order, in the background. A command for another core's unit, an address outside of L1, an unknown
 * format, a tile outside of Dst, or a command when COMMAND reads 1, faults the core.
 *
 * A tile has 32 x 32 elements: four faces of 16 x 16, row by row; so have the faces' elements. Unpackers
 * fill SrcA and SrcB, which have two banks each: a unit fills one while the matrix unit reads the other.
 * Dst has two halves: the matrix unit fills one while the packers read the other. A half has 8 tiles, or 4
 * with TD_COMPUTE_DST32. 32-bit little-endian words; freestanding. */
#ifndef TD_PROTO_DEVICE_COMPUTE_H
#define TD_PROTO_DEVICE_COMPUTE_H

#define TD_COMPUTE_BASE 0xFFA00000

/* clang-format off */
/* X(word index, name, access, what) */
#define TD_COMPUTE_REGS(X)                                                                                \
    X(0, A, RW, "address of a tile in L1: to SrcA, or where PACK writes; parameter of UNARY; tile of Dst of BINARY") \
    X(1, B, RW, "address of a tile in L1: to SrcB; with TD_COMPUTE_ROWS, bytes from one row to the next; tile of Dst; row of a broadcast") \
    X(2, FORMATS, RW, "number of TD_TILE_FORMATS of A | of B << 8")                                       \
    X(3, DST, RW, "number of a tile in the half of Dst")                                                  \
    X(4, OPTIONS, RW, "TD_COMPUTE_DST32 and others")                                                      \
    X(5, COMMAND, RW, "write: enum td_compute_command starts it; read: 1 = no room for one more command") \
    X(8, OUTSTANDING, R, "commands of this core that have not completed")                                 \
    X(9, DST_FREE, R, "halves of Dst for the matrix unit: neither committed nor about to be")             \
    X(10, DST_FULL, R, "halves of Dst for the packers: committed, and not about to be released")

/* X(value, NAME, unit, ticks, what). Ticks are for a tile of 1024 elements; MUL, MATMUL and sums of REDUCE
 * take as many for each phase (bits PHASES of OPTIONS). Of UNPACK and PACK, the ticks come before those of
 * the bytes. The rates are those of tt-isa-documentation: 8 x 16 elements, 8 x 16 x 16 products or a face
 * of REDUCE a tick, 64 bytes a tick of one unpacker or all packers, 80 of both unpackers, 32 elements a
 * tick of the vector unit. */
#define TD_COMPUTE_COMMANDS(X)                                                                            \
    X(1, UNPACK_A, 0, 2, "the tile at A to SrcA")                                                         \
    X(2, UNPACK_AB, 0, 2, "the tiles at A and B to SrcA and SrcB")                                        \
    X(3, COPY, 1, 8, "SrcA to DST")                                                                       \
    X(4, ADD, 1, 8, "SrcA + SrcB to DST, or added to it")                                                 \
    X(5, SUB, 1, 8, "SrcA - SrcB")                                                                        \
    X(6, MUL, 1, 8, "SrcA * SrcB, element by element")                                                    \
    X(7, MATMUL, 1, 16, "the product of the matrices SrcA and SrcB, added to DST")                        \
    X(8, UNARY, 1, 32, "a function of TD_COMPUTE_UNARY (bits FUNCTION of OPTIONS), of each element of DST") \
    X(9, COMMIT, 1, 1, "this half of Dst goes to the packers")                                            \
    X(10, PACK, 2, 2, "DST to the tile at A, in the format of A")                                         \
    X(11, RELEASE, 2, 1, "this half of Dst goes back, all elements 0")                                    \
    X(12, REDUCE, 1, 4, "rows or columns of SrcA to one, times element 0 of SrcB, joined with DST")          \
    X(13, BINARY, 1, 32, "a function of TD_COMPUTE_BINARY of the tiles A and B of Dst to DST")              \
    X(14, TERNARY, 1, 32, "of TD_COMPUTE_TERNARY, of tiles A, B (bits 0 to 7) and B (8 to 15) of Dst, and FORMATS, a float")

/* X(value, name of tt-metal's function without _tile): of floating-point numbers; then those with one or two
 * parameters, which are floats in registers A and B; then those of integers of 32 bits, whose parameters are integers;
 * then those that change the kind of numbers, or the places of elements. */
#define TD_COMPUTE_UNARY(X)                                                                               \
    X(0, abs) X(1, exp) X(2, log) X(3, negative) X(4, recip) X(5, relu) X(6, rsqrt) X(7, sigmoid)         \
    X(8, sqrt) X(9, square) X(10, tanh) X(11, acos) X(12, asin) X(13, atan) X(14, ceil) X(15, cos)        \
    X(16, eqz) X(17, erf) X(18, erfc) X(19, exp2) X(20, expm1) X(21, floor) X(22, gelu) X(23, gez)        \
    X(24, gtz) X(25, identity) X(26, isfinite) X(27, isinf) X(28, isnan) X(29, isneginf) X(30, isposinf)  \
    X(31, lez) X(32, logical_not_unary) X(33, ltz) X(34, nez) X(35, sign) X(36, signbit) X(37, silu)      \
    X(38, sin) X(39, tan) X(40, acosh) X(41, asinh) X(42, atanh) X(43, cosh) X(44, sinh) X(45, cbrt)      \
    X(46, log1p) X(47, hardsigmoid) X(48, softsign) X(49, hardmish) X(50, tanh_derivative)                \
    X(51, gelu_derivative) X(52, trunc) X(53, frac) X(54, i0) X(55, i1) X(56, digamma) X(57, erfinv)
#define TD_COMPUTE_UNARY_WITH_FLOAT(X)                                                                    \
    X(64, add_unary) X(65, div_unary) X(66, elu) X(67, heaviside) X(68, leaky_relu) X(69, mul_unary)      \
    X(70, relu_max) X(71, relu_min) X(72, rsub_unary) X(73, sub_unary) X(74, unary_gt) X(75, unary_lt)    \
    X(76, unary_ne) X(77, fill) X(78, to_power) X(79, unary_eq) X(80, unary_ge) X(81, unary_le)           \
    X(82, clamp) X(83, hardtanh) X(84, celu) X(85, softshrink) X(86, hardshrink) X(87, selu)              \
    X(88, threshold) X(89, fmod) X(90, remainder) X(91, prelu) X(92, rpow) X(93, rdiv) X(94, softplus)    \
    X(95, unary_max) X(128, unary_min) X(129, log_with_base) X(130, round_to)
#define TD_COMPUTE_UNARY_WITH_INTEGER(X)                                                                  \
    X(96, bitwise_and) X(97, bitwise_not) X(98, bitwise_or) X(99, bitwise_xor) X(100, left_shift)         \
    X(101, right_shift) X(102, abs_int32) X(103, negative_int32) X(104, plus_int32) X(105, minus_int32)    \
    X(106, from_int32) X(107, int32_max) X(108, int32_min) X(109, max_uint32) X(110, min_uint32)          \
    X(111, int32_eq) X(112, int32_ne) X(113, int32_lt) X(114, int32_le) X(115, int32_gt) X(116, int32_ge) \
    X(117, clamp_int32) X(118, fill_int)
/* TYPECAST: from the format A to the format B. RAND: floats from A on, B is the width of their range. */
#define TD_COMPUTE_UNARY_OF_KINDS(X) X(160, typecast) X(161, rand) X(162, transpose)
/* Of two tiles of Dst. Two tiles of integers stay integers in add to min, in copy, which takes the first one, and
 * from eq on; those from bitwise_and on are of integers only. */
#define TD_COMPUTE_BINARY(X)                                                                              \
    X(0, add) X(1, sub) X(2, mul) X(3, max) X(4, min) X(5, div) X(6, rsub) X(7, power) X(8, mask) X(9, copy) \
    X(10, mask_posinf) X(11, atan2) X(12, xlogy) X(13, logsigmoid) X(16, eq) X(17, ne) X(18, lt) X(19, le)   \
    X(20, gt) X(21, ge) X(22, fmod) X(23, remainder) X(32, bitwise_and) X(33, bitwise_or) X(34, bitwise_xor) \
    X(35, left_shift) X(36, right_shift) X(37, logical_right_shift) X(38, gcd) X(39, lcm) X(40, div_trunc)   \
    X(41, div_floor) X(42, max_uint32) X(43, min_uint32) X(44, rsub_int)
/* where: b if a is not 0, else c. lerp: a + c * (b - a). addcmul, addcdiv: a + value * b * c, a + value * b / c. */
#define TD_COMPUTE_TERNARY(X) X(0, where) X(1, lerp) X(2, addcmul) X(3, addcdiv)
/* clang-format on */

/* OPTIONS */
#define TD_COMPUTE_DST32          1u /* Dst holds 32 bits an element; without: floats are rounded to 16 (bf16) */
#define TD_COMPUTE_ADD_TO_DST     2u /* ADD, SUB, MUL */
#define TD_COMPUTE_TRANSPOSE      4u /* UNPACK: the tile at B (at A of UNPACK_A) */
#define TD_COMPUTE_PHASES_SHIFT   4u /* 4 bits: passes of the multipliers, 1 to 4; 0: 1 */
#define TD_COMPUTE_FUNCTION_SHIFT 8u /* 8 bits */
/* ADD, SUB, MUL: what of SrcB counts: its first column, its row B, or its first element. COPY: of SrcA. */
#define TD_COMPUTE_BROADCAST_SHIFT  16u
#define TD_COMPUTE_BROADCAST_COLUMN 1u
#define TD_COMPUTE_BROADCAST_ROW    2u
#define TD_COMPUTE_BROADCAST_SCALAR 3u
/* REDUCE: each row to its element in the first column, each column to that in the first row, or both to
 * the first element; sums, which are added to DST, or the greatest element, also of DST if it has been
 * written. A sum of both is multiplied by the element of SrcB twice, as a sum of rows of sums of columns
 * is. All other elements become 0. */
#define TD_COMPUTE_REDUCE_ROWS    (1u << 18)
#define TD_COMPUTE_REDUCE_COLUMNS (1u << 19)
#define TD_COMPUTE_REDUCE_MAX     (1u << 20)
#define TD_COMPUTE_ROWS           (1u << 21) /* UNPACK_A, PACK: the tile in L1 is 32 rows, not four faces */
#define TD_COMPUTE_DST_IS_A       (1u << 22) /* ADD, SUB, MUL: DST is the first operand, SrcA the second one */
#define TD_COMPUTE_DST_IS_B       (1u << 23) /* DST is the second operand */
#define TD_COMPUTE_ADD_TO_L1      (1u << 24) /* PACK: to the tile that is there */
#define TD_COMPUTE_PACK_RELU      (1u << 25) /* PACK: 0 for what is less */
#define TD_COMPUTE_QUEUE          8          /* commands of one core; at the limit COMMAND reads 1 */
#define TD_COMPUTE_ELEMENTS       1024

#ifndef __ASSEMBLER__
enum td_compute_command {
#define TD_X(value, name, unit, ticks, what) TD_COMPUTE_##name = value,
    TD_COMPUTE_COMMANDS(TD_X)
#undef TD_X
};
enum td_compute_unary {
#define TD_X(value, name) TD_COMPUTE_FUNCTION_##name = value,
    TD_COMPUTE_UNARY(TD_X) TD_COMPUTE_UNARY_WITH_FLOAT(TD_X) TD_COMPUTE_UNARY_WITH_INTEGER(TD_X)
        TD_COMPUTE_UNARY_OF_KINDS(TD_X)
#undef TD_X
};
enum td_compute_ternary {
#define TD_X(value, name) TD_COMPUTE_TERNARY_##name = value,
    TD_COMPUTE_TERNARY(TD_X)
#undef TD_X
};
enum td_compute_binary {
#define TD_X(value, name) TD_COMPUTE_BINARY_##name = value,
    TD_COMPUTE_BINARY(TD_X)
#undef TD_X
};
/* Byte offsets from TD_COMPUTE_BASE. */
enum {
#define TD_X(index, name, access, what) TD_COMPUTE_REG_##name = 4 * (index),
    TD_COMPUTE_REGS(TD_X)
#undef TD_X
};
#endif
#endif
