/* NoC registers: how a core moves data between tiles and DRAM banks.
 *
 * Every core has a set of its own, at the board's noc_regs address (description: [noc] regs). A command is
 * set up by storing its parameters, then started by storing an enum td_noc_command to COMMAND; parameters
 * keep their values. Commands complete in the background: data and counters change when a command has
 * completed, after a time that grows with distance and length. Commands of one core to the same target
 * complete in the order in which they were given; to different targets, in any order. A command whose target
 * does not exist, or whose addresses are outside of the target's or the own memory, faults the core that gave
 * it.
 *
 * Coordinates are those of NoC 0. Addresses are the target's own: L1 and clock registers of a Tensix tile,
 * bytes of a DRAM bank. 32-bit little-endian words; plain C, freestanding, also for assembler code.
 */
#ifndef TD_PROTO_DEVICE_NOC_H
#define TD_PROTO_DEVICE_NOC_H

/* clang-format off */
/* X(word index, name, access, what) */
#define TD_NOC_REGS(X)                                                                                    \
    X(0, TARGET, RW, "x | y << 8; multicast: a rectangle, first corner; then x << 16 | y << 24 of the last one") \
    X(1, ADDRESS, RW, "address at the target, low half")                                                  \
    X(2, ADDRESS_HIGH, RW, "high half")                                                                   \
    X(3, LOCAL, RW, "address in the own L1: where reads and old values go to, where writes come from")    \
    X(4, BYTES, RW, "length of a read or write, 1 or more")                                               \
    X(5, VALUE, RW, "what an atomic adds")                                                                \
    X(6, COMMAND, RW, "write: enum td_noc_command starts it; read: 1 = no room for one more command")     \
    X(8, OUTSTANDING, R, "commands given and not completed")                                              \
    X(9, READS_OUTSTANDING, R, "of these: reads")                                                         \
    X(10, WRITES_OUTSTANDING, R, "writes and multicast writes")                                           \
    X(11, ATOMICS_OUTSTANDING, R, "atomics")                                                              \
    X(12, ISSUED, R, "commands given since the board started, modulo 2^32")                               \
    X(13, NODE, R, "the own tile: x | y << 8")                                                            \
    X(14, SIZE, R, "of the NoC: width | height << 8")

/* X(value, NAME, what) */
#define TD_NOC_COMMANDS(X)                                                                                \
    X(1, READ, "BYTES from TARGET's ADDRESS to LOCAL")                                                    \
    X(2, WRITE, "BYTES from LOCAL to TARGET's ADDRESS")                                                   \
    X(3, MULTICAST, "the same to all Tensix tiles of the rectangle but the own one")                      \
    X(4, MULTICAST_SELF, "the same, the own tile included")                                               \
    X(5, ATOMIC_ADD, "adds VALUE to the aligned word at TARGET's ADDRESS; old value to LOCAL unless that is all ones")
/* clang-format on */

#define TD_NOC_MAX_OUTSTANDING 256 /* commands of one core; at the limit COMMAND reads 1 */
#define TD_NOC_NO_LOCAL        0xffffffff

#define TD_NOC_XY(x, y)                  ((x) | (y) << 8)
#define TD_NOC_RECTANGLE(x0, y0, x1, y1) ((x0) | (y0) << 8 | (x1) << 16 | (y1) << 24)

#ifndef __ASSEMBLER__
enum td_noc_command {
#define TD_X(value, name, what) TD_NOC_##name = value,
    TD_NOC_COMMANDS(TD_X)
#undef TD_X
};
/* Byte offsets of the registers. */
enum {
#define TD_X(index, name, access, what) TD_NOC_REG_##name = 4 * (index),
    TD_NOC_REGS(TD_X)
#undef TD_X
};
#endif
#endif
