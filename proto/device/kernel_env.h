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
    uint32_t core;                 /* its number in the tile */
    uint32_t mailboxes;            /* struct td_kernel_mailbox [from][to] */
};

#define TD_KERNEL_CBS           64
#define TD_KERNEL_SEM_BYTES     16
#define TD_KERNEL_SCRATCH_BYTES 32
#define TD_KERNEL_ARGS_MAX      341 /* of each kind, as in tt-metal */

struct td_kernel_cb {
    uint32_t counters; /* address of its struct td_cb (tendril/cb.h); 0: there is no such buffer */
    uint32_t tile_bytes;
    uint32_t format; /* enum td_tile_format */
    uint32_t remote; /* of a buffer between tiles: TD_KERNEL_REMOTE_BYTES of each core; then counters is 0 */
};

/* Words from one core to another: UNPACK, MATH, PACK, BRISC. Each line of 16 bytes has one writer. */
#define TD_KERNEL_MAILBOX_CORES 4
#define TD_KERNEL_MAILBOX_WORDS 4u
struct td_kernel_mailbox {
    uint32_t words[TD_KERNEL_MAILBOX_WORDS];
    uint32_t sent, unused_sent[3];
    uint32_t received, unused_received[3];
};

/* A buffer from one tile to others, in tt-metal's layout. Each core has the address of the tile's words, where the
 * buffer begins, the end of its last whole page, the bytes of a page and its own place; then, as a receiver, the
 * sender's x and y and the address of what it has acknowledged; as the sender, the addresses of its receivers' x and y
 * and of their counters, and their number. The tile has these words: whether it is the sender, receivers, begin, bytes,
 * place, address of x and y, address of counters. Each receiver has two counters, of lines of 16 bytes, at the same
 * addresses in both tiles: sent, and 16 bytes after it, acknowledged. */
#define TD_KERNEL_REMOTE_BYTES 32
#define TD_KERNEL_REMOTE_SIZE  3
#define TD_KERNEL_REMOTE_PLACE 4

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
    X(4, Tf32, 4096)                                                                                         \
    X(5, Float16_b, 2048)                                                                                    \
    X(6, Bfp8_b, 1088)                                                                                       \
    X(7, Bfp4_b, 576)                                                                                        \
    X(8, Int32, 4096)                                                                                        \
    X(9, UInt16, 2048)                                                                                       \
    X(14, Int8, 1024)                                                                                        \
    X(24, UInt32, 4096)                                                                                      \
    X(30, UInt8, 1024)
#endif
