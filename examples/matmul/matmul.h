/* What the host program and the five kernels of a tile agree on.
 *
 * C = (A * B) >> shift, 16-bit fixed point, in tiles of 16 x 16 elements, row by row. Tile t of a matrix lies
 * in DRAM bank t % banks at base + t / banks * MM_TILE_BYTES. Each Tensix tile computes the output tiles
 * first, first + stride, ... below mt * nt.
 *
 *   BRISC reader -> in_a, in_b -> TRISC0 unpack -> src_a, src_b -> TRISC1 math -> dst -> TRISC2 pack -> out
 * -> NCRISC writer
 */
#pragma once
#include <stdint.h>

#define MM_SIDE       16
#define MM_ELEMENTS   (MM_SIDE * MM_SIDE)
#define MM_TILE_BYTES (MM_ELEMENTS * 2) /* int16, in DRAM and in in_a, in_b, out */
#define MM_WIDE_BYTES (MM_ELEMENTS * 4) /* int32, between the TRISCs */
#define MM_MAX_BANKS  16

/* Circular buffers: X(name, bytes of a page, pages). */
#define MM_BUFFERS(X)                                                                                        \
    X(in_a, MM_TILE_BYTES, 4)                                                                                \
    X(in_b, MM_TILE_BYTES, 4)                                                                                \
    X(src_a, MM_WIDE_BYTES, 2)                                                                               \
    X(src_b, MM_WIDE_BYTES, 2)                                                                               \
    X(dst, MM_WIDE_BYTES, 2)                                                                                 \
    X(out, MM_TILE_BYTES, 4)

/* Written by the host at the tile's data_base; its address is the kernels' argument. 32-bit words only. */
struct mm_args {
    uint32_t mt, kt, nt; /* tiles in M, K, N */
    uint32_t first, stride;
    uint32_t shift;
    uint32_t banks;
    uint32_t bank_x[MM_MAX_BANKS], bank_y[MM_MAX_BANKS];
    uint32_t a_base, b_base, c_base;                  /* DRAM addresses, the same in each bank */
#define MM_ADDRESS(name, bytes, pages) uint32_t name; /* address of the circular buffer's counters in L1 */
    MM_BUFFERS(MM_ADDRESS)
#undef MM_ADDRESS
};
