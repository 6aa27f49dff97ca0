/* Between a host and a program that serves its simulated chip (tt-umd 0.9.9 of August 2026 and later): a Unix
 * socket of stream type for each chip. Each message is a 32-bit length and a FlatBuffers buffer with one table,
 * little-endian; each request is answered before the next. */
#pragma once

/* X(number, NAME, what) */
#define TD_UMD_COMMANDS(X)                                                                                   \
    X(0, READ, "reads `size` bytes of a tile; the answer's data has them")                                   \
    X(1, WRITE, "writes them")                                                                               \
    X(2, DEVICE_INFO, "answered with a table of its own")                                                    \
    X(3, CLUSTER, "the description of all chips; not used here")                                             \
    X(4, SHUTDOWN, "not used here")                                                                          \
    X(100, ENDS, "libtendril-ttsim.so only: status 1 when the program has ended the simulator and waits")

/* Fields of the tables, in their order: X(number, NAME, type). Vectors and strings hold bytes. */
#define TD_UMD_REQUEST(X)                                                                                    \
    X(0, command, u8)                                                                                        \
    X(1, x, u32) X(2, y, u32) X(3, address, u64) X(4, size, u32) X(5, data, vector)
#define TD_UMD_ANSWER(X)                                                                                     \
    X(0, status, i32) /* 0: done */                                                                          \
    X(1, data, vector)
#define TD_UMD_INFO(X)                                                                                       \
    X(0, status, i32)                                                                                        \
    X(1, arch, i32)       /* TD_UMD_ARCHS */                                                                 \
    X(2, backend, u8)     /* 0 ttsim, 1 RTL */                                                               \
    X(3, layout, vector)  /* a text: where tiles are */                                                      \
    X(4, translation, u8) /* 1: x and y of requests are translated coordinates, 0: those of NoC 0 */         \
    X(5, tensix, u32)     /* what is harvested: bit i is the i-th row (Wormhole) or column (Blackhole) */    \
    X(6, dram, u32) X(7, ethernet, u32) X(8, l2cpu, u32) X(9, pcie, u32)

/* X(number, NAME, PCI device) */
#define TD_UMD_ARCHS(X) X(2, WORMHOLE, 0x401E) X(3, BLACKHOLE, 0xB140)

enum td_umd_arch {
#define TD_X(number, name, device) TD_UMD_##name = number,
    TD_UMD_ARCHS(TD_X)
#undef TD_X
};

enum td_umd_command {
#define TD_X(number, name, what) TD_UMD_##name = number,
    TD_UMD_COMMANDS(TD_X)
#undef TD_X
};
