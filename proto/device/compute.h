/* Registers of a tile's compute engine: how the three TRISC cores have tiles of numbers unpacked, computed and
 * packed. The simulated board has them; cards have an instruction set of their own instead.
 *
 * Each TRISC has a set, TD_COMPUTE_AT bytes after its NoC registers (proto/device/noc.h). TRISC0 commands the
 * unpackers, TRISC1 the matrix and vector unit, TRISC2 the packers. A command is set up by storing its
 * parameters, then started by storing an enum td_compute_command to COMMAND. Commands of one core complete in
 * order, in the background. A command for another core's unit, an address outside of L1, an unknown format, a
 * tile outside of Dst, or a command when COMMAND reads 1, faults the core.
 *
 * A tile has 32 x 32 elements: four faces of 16 x 16, row by row; so have the faces' elements. Unpackers fill
 * SrcA and SrcB, which have two banks each: a unit fills one while the matrix unit reads the other. Dst has two
 * halves: the matrix unit fills one while the packers read the other. A half has 8 tiles, or 4 with
 * TD_COMPUTE_DST32. 32-bit little-endian words; freestanding. */
#ifndef TD_PROTO_DEVICE_COMPUTE_H
#define TD_PROTO_DEVICE_COMPUTE_H

#define TD_COMPUTE_AT    256
#define TD_COMPUTE_BYTES 64

/* clang-format off */
/* X(word index, name, access, what) */
#define TD_COMPUTE_REGS(X)                                                                                \
    X(0, A, RW, "address of a tile in L1: to SrcA, or where PACK writes")                                 \
    X(1, B, RW, "address of a tile in L1: to SrcB")                                                       \
    X(2, FORMATS, RW, "number of TD_TILE_FORMATS of A | of B << 8")                                       \
    X(3, DST, RW, "number of a tile in the half of Dst")                                                  \
    X(4, OPTIONS, RW, "TD_COMPUTE_DST32 and others")                                                      \
    X(5, COMMAND, RW, "write: enum td_compute_command starts it; read: 1 = no room for one more command") \
    X(8, OUTSTANDING, R, "commands of this core that have not completed")                                 \
    X(9, DST_FREE, R, "halves of Dst for the matrix unit: neither committed nor about to be")             \
    X(10, DST_FULL, R, "halves of Dst for the packers: committed, and not about to be released")

/* X(value, NAME, unit, ticks, what). Ticks are for a tile of 1024 elements; MUL and MATMUL take as many for each
 * phase (bits PHASES of OPTIONS). Of UNPACK and PACK, the ticks come before those of the bytes. The rates are those
 * of tt-isa-documentation: 8 x 16 elements or 8 x 16 x 16 products a tick, 64 bytes a tick of one unpacker or all
 * packers, 80 of both unpackers, 32 elements a tick of the vector unit. */
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
    X(11, RELEASE, 2, 1, "this half of Dst goes back, all elements 0")

/* X(value, name of tt-metal's function without _tile) */
#define TD_COMPUTE_UNARY(X)                                                                               \
    X(0, abs) X(1, exp) X(2, log) X(3, negative) X(4, recip) X(5, relu) X(6, rsqrt) X(7, sigmoid)         \
    X(8, sqrt) X(9, square) X(10, tanh)
/* clang-format on */

/* OPTIONS */
#define TD_COMPUTE_DST32          1u /* Dst holds 32 bits an element; without: floats are rounded to 16 (bf16) */
#define TD_COMPUTE_ADD_TO_DST     2u /* ADD, SUB, MUL */
#define TD_COMPUTE_TRANSPOSE      4u /* UNPACK: the tile at B (at A of UNPACK_A) */
#define TD_COMPUTE_PHASES_SHIFT   4u /* 4 bits: passes of the multipliers, 1 to 4; 0: 1 */
#define TD_COMPUTE_FUNCTION_SHIFT 8u /* 8 bits */
#define TD_COMPUTE_QUEUE          8  /* commands of one core; at the limit COMMAND reads 1 */
#define TD_COMPUTE_ELEMENTS       1024

enum td_compute_command {
#define TD_X(value, name, unit, ticks, what) TD_COMPUTE_##name = value,
    TD_COMPUTE_COMMANDS(TD_X)
#undef TD_X
};
enum td_compute_unary {
#define TD_X(value, name) TD_COMPUTE_FUNCTION_##name = value,
    TD_COMPUTE_UNARY(TD_X)
#undef TD_X
        TD_COMPUTE_FUNCTIONS
};
/* Byte offsets from TD_COMPUTE_AT. */
enum {
#define TD_X(index, name, access, what) TD_COMPUTE_REG_##name = 4 * (index),
    TD_COMPUTE_REGS(TD_X)
#undef TD_X
};
#endif
