/* Registers of a tile's NoC interfaces (NIUs), as cards have them: how cores move data between tiles, banks of
 * DRAM and the host. The vendor's pages (tt-isa-documentation, NoC/MemoryMap.md, Counters.md and Atomics.md)
 * explain each field; here is what the kit's kernels and the simulated board use.
 *
 * A tile has two NIUs, one for each NoC: that of NoC 0 at the board's [noc] regs, that of NoC 1
 * TD_NIU_BYTES after it. All cores of the tile share them. An NIU has TD_NIU_INITIATORS request initiators,
 * TD_NIU_STRIDE apart. A request is set up in the registers of an initiator and begins with a 1 stored to
 * CMD_CTRL, which reads as 0 again when the initiator may be used for the next one. Requests complete in the
 * background; counters say how far they are. One counter for each transaction id says how many requests with
 * that id have no response yet: a multicast counts as one when it is sent, but each recipient responds.
 *
 * Offsets differ between the two chips. 32-bit little-endian words; plain C, freestanding. */
#ifndef TD_PROTO_DEVICE_NOC_H
#define TD_PROTO_DEVICE_NOC_H

/* clang-format off */
/* X(name, offset on Wormhole, on Blackhole, what): of each initiator */
#define TD_NIU_INITIATOR_REGS(X)                                                                             \
    X(TARG_LO, 0x00, 0x00, "target's address, low half: where a read or an atomic goes, where a write's data is") \
    X(TARG_MID, 0x04, 0x04, "high half (Wormhole: 4 bits, the place follows)")                               \
    X(TARG_PLACE, 0x04, 0x08, "target's tile: x | y << 6, shifted by TD_NIU_PLACE_SHIFT")                     \
    X(RET_LO, 0x0c, 0x0c, "the other address: where a write goes, and the data of a read or an atomic")      \
    X(RET_MID, 0x10, 0x10, "")                                                                               \
    X(RET_PLACE, 0x10, 0x14, "of a multicast: last tile | first tile << 12")                                  \
    X(PACKET_TAG, 0x18, 0x18, "transaction id, shifted by 10")                                               \
    X(CTRL, 0x1c, 0x1c, "TD_NIU_READ and others")                                                             \
    X(AT_LEN_BE, 0x20, 0x20, "bytes, or the bytes to be written, or the atomic")                              \
    X(AT_DATA, 0x24, 0x28, "data of an inline write or an atomic")                                           \
    X(CMD_CTRL, 0x28, 0x40, "1 starts the request; 0: it has been accepted")

/* X(name, offset on Wormhole, on Blackhole, what): once in an NIU */
#define TD_NIU_REGS(X)                                                                                       \
    X(NODE_ID, 0x2c, 0x44, "own place in this NoC: x | y << 6, width << 12, height << 19")                   \
    X(CLEAR_OUTSTANDING, 0x50, 0x60, "write: sets REQS_OUTSTANDING of the ids of its bits to 0")             \
    X(BUSY, 0x54, 0x64, "bit i: CMD_CTRL of initiator i")                                                    \
    X(NIU_CFG_0, 0x100, 0x100, "bit 14: places are translated")                                              \
    X(ROUTER_CFG_1, 0x108, 0x108, "columns that receive no multicast")                                       \
    X(ROUTER_CFG_3, 0x110, 0x110, "rows that receive no multicast")                                          \
    X(ID_LOGICAL, 0x138, 0x148, "own place, translated: x | y << 6")                                         \
    X(COUNTERS, 0x200, 0x200, "enum td_niu_counter")                                                         \
    X(REQS_OUTSTANDING, 0x240, 0x240, "the 16 counters of requests without a response, by transaction id")   \
    X(WRITES_OUTGOING, 0x280, 0x280, "the 16 counters of writes whose data has not left, by transaction id")

/* X(number, name): words from COUNTERS on */
#define TD_NIU_COUNTERS(X)                                                                                   \
    X(0, ATOMIC_RESP_RECEIVED) X(1, WR_ACK_RECEIVED) X(2, RD_RESP_RECEIVED) X(3, RD_DATA_WORD_RECEIVED)      \
    X(4, CMD_ACCEPTED) X(5, RD_REQ_SENT) X(6, NONPOSTED_ATOMIC_SENT) X(7, POSTED_ATOMIC_SENT)                \
    X(8, NONPOSTED_WR_DATA_WORD_SENT) X(9, POSTED_WR_DATA_WORD_SENT) X(10, NONPOSTED_WR_REQ_SENT)            \
    X(11, POSTED_WR_REQ_SENT) X(12, NONPOSTED_WR_REQ_STARTED) X(13, POSTED_WR_REQ_STARTED)                   \
    X(14, RD_REQ_STARTED) X(15, NONPOSTED_ATOMIC_STARTED)
/* clang-format on */

/* Kinds of NIUs: numbers of `[noc] niu` in descriptions. CORE: Blackhole's registers, but each core has two
 * NIUs of its own (simulated boards whose tiles have more cores than an NIU has initiators). */
#define TD_NIU_WORMHOLE  0u
#define TD_NIU_BLACKHOLE 1u
#define TD_NIU_CORE      2u

/* For which chip an image was linked: in the word `uses` of its table (proto/device/site.h), from this bit on. 0: it is older
 * than that. */
#define TD_IMAGE_CHIP_BIT    8
#define TD_IMAGE_CHIP_NO_NOC 7u /* in place of 1 + the kind of its NIUs, in the low three bits */
#define TD_IMAGE_NO_FENCE    8u /* its fence instruction orders nothing */

#define TD_NIU_BYTES             0x10000u /* from the NIU of NoC 0 to that of NoC 1 */
#define TD_NIU_INITIATORS        4u
#define TD_NIU_STRIDE(kind)      ((kind) == TD_NIU_WORMHOLE ? 0x400u : 0x800u)
#define TD_NIU_PACKET(kind)      ((kind) == TD_NIU_WORMHOLE ? 8192u : 16384u) /* longest one, bytes */
#define TD_NIU_PLACE_SHIFT(kind) ((kind) == TD_NIU_WORMHOLE ? 4u : 0u)
/* What a place in DRAM and one in L1 must have in common for a read; all others: TD_NIU_ALIGN. */
#define TD_NIU_DRAM_ALIGN(kind) ((kind) == TD_NIU_WORMHOLE ? 32u : 64u)
#define TD_NIU_ALIGN            16u
#define TD_NIU_IDS              16u
#define TD_NIU_ID_SHIFT         10u
#define TD_NIU_MOST_OUTSTANDING 255u /* counters by id have 8 bits */

/* CTRL */
#define TD_NIU_READ          0u
#define TD_NIU_ATOMIC        1u
#define TD_NIU_WRITE         2u
#define TD_NIU_KIND          3u
#define TD_NIU_BYTE_MASK     (1u << 2) /* a write: AT_LEN_BE says which of 32 bytes */
#define TD_NIU_INLINE        (1u << 3) /* a write: of AT_DATA to the target */
#define TD_NIU_RESPONSE      (1u << 4)
#define TD_NIU_MULTICAST     (1u << 5)
#define TD_NIU_LINKED        (1u << 6)
#define TD_NIU_STATIC        (1u << 7) /* the virtual channel is that of TD_NIU_CHANNEL */
#define TD_NIU_RESERVE       (1u << 8)
#define TD_NIU_CHANNEL(n)    ((uint32_t)(n) << 13)
#define TD_NIU_Y_FIRST       (1u << 16)
#define TD_NIU_TO_SELF       (1u << 17)                            /* a multicast includes the own tile */
#define TD_NIU_TRANSLATED    (1u << 14)                            /* NIU_CFG_0 */
#define TD_NIU_INCREMENT(at) (0x107cu | ((uint32_t)(at) >> 2 & 3)) /* AT_LEN_BE: 32 bits wide */

/* A tile in arguments, tables and relays: x | y << 8. */
#define TD_NOC_XY(x, y) ((x) | (y) << 8)

#ifndef __ASSEMBLER__
enum td_niu_counter {
#define TD_X(number, name) TD_NIU_##name = number,
    TD_NIU_COUNTERS(TD_X)
#undef TD_X
        TD_NIU_COUNTER_COUNT
};
#endif
#endif
