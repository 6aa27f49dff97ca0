/* What a host gives a kernel that is written for tt-metal: arguments, circular buffers, semaphores, banks.
 *
 * All of it is in the tile's L1. The argument of the launch (td_arg()) is the address of the core's struct
 * td_kernel_env; the other blocks are at the addresses that it names, and may be shared by the cores of a
 * tile. The host writes them before the launch (host/device/kernel_env.h). Kernels read them through the
 * functions of api/dataflow/dataflow_api.h. 32-bit little-endian words; freestanding. */
#ifndef TD_PROTO_DEVICE_KERNEL_ENV_H
#define TD_PROTO_DEVICE_KERNEL_ENV_H
#include <stdint.h>

#define TD_KERNEL_ENV_MAGIC 0x4556454bu

struct td_kernel_env {
    uint32_t magic;
    uint32_t args, arg_count;      /* words of this core */
    uint32_t common, common_count; /* words of all cores that run this kernel */
    uint32_t cbs;                  /* struct td_kernel_cb [TD_KERNEL_CBS] */
    uint32_t sems, sem_count;      /* semaphore n is the word at sems + n * TD_KERNEL_SEM_BYTES */
    uint32_t banks;                /* struct td_kernel_banks */
    uint32_t scratch;              /* TD_KERNEL_SCRATCH_BYTES for this core alone */
    uint32_t logical_x, logical_y; /* of the tile */
};

#define TD_KERNEL_CBS           64
#define TD_KERNEL_SEM_BYTES     16
#define TD_KERNEL_SCRATCH_BYTES 32
#define TD_KERNEL_ARGS_MAX      341 /* of each kind, as in tt-metal */

struct td_kernel_cb {
    uint32_t counters; /* address of its struct td_cb (tendril/cb.h); 0: there is no such buffer */
    uint32_t tile_bytes;
    uint32_t format; /* enum td_tile_format */
    uint32_t unused;
};

/* Page n of an interleaved buffer is in bank n % count, at base + n / count * (page bytes, rounded up to the
 * alignment). Banks in L1 are the Tensix tiles, row by row. */
struct td_kernel_banks {
    uint32_t dram_count, dram_align;
    uint32_t l1_count, l1_align;
    uint32_t xy[]; /* TD_NOC_XY: dram_count of DRAM, then l1_count of L1 */
};

/* X(value, name, bytes of a tile of 32 x 32 elements): formats of elements, with tt-metal's numbers. */
#define TD_TILE_FORMATS(X)                                                                                   \
    X(0, Float32, 4096)                                                                                      \
    X(1, Float16, 2048)                                                                                      \
    X(5, Float16_b, 2048)                                                                                    \
    X(6, Bfp8_b, 1088)                                                                                       \
    X(7, Bfp4_b, 576)                                                                                        \
    X(8, Int32, 4096)                                                                                        \
    X(9, UInt16, 2048)                                                                                       \
    X(14, Int8, 1024)                                                                                        \
    X(15, Tf32, 4096)                                                                                        \
    X(24, UInt32, 4096)                                                                                      \
    X(30, UInt8, 1024)
#endif
