/* The management processor (ARC) of Wormhole and Blackhole, as the host reaches it through a window: what its
 * firmware reports, and the messages that Wormhole's takes.
 *
 * Telemetry: one register has the address of a table, one that of the values. The table is a version, a number
 * of entries, and the entries: tag in the low half, index of its value in the high half.
 */
#pragma once
#include <stdint.h>

/* X(tag, NAME, what) */
#define TD_ARC_TAGS(X)                                                                                       \
    X(1, BOARD_HIGH, "the board's serial number, high half")                                                 \
    X(2, BOARD_LOW, "low half")                                                                              \
    X(14, CLOCK, "the tiles' clock in MHz")                                                                  \
    X(28, BUNDLE, "version of the firmware bundle, a number a byte")                                         \
    X(34, COLUMNS, "Blackhole: columns of tiles that work, a bit each in the order of the fuses")            \
    X(36, DRAM, "DRAM banks that work")

enum td_arc_tag {
#define TD_X(tag, name, what) TD_ARC_TAG_##name = (tag),
    TD_ARC_TAGS(TD_X)
#undef TD_X
};

/* What a board is: X(bits 36 to 55 of its serial number, name). */
#define TD_ARC_BOARDS(X)                                                                                     \
    X(0x18, "n150")                                                                                          \
    X(0x14, "n300")                                                                                          \
    X(0x35, "Wormhole Galaxy")                                                                               \
    X(0x36, "p100")                                                                                          \
    X(0x43, "p100a")                                                                                         \
    X(0x40, "p150a")                                                                                         \
    X(0x41, "p150b")                                                                                         \
    X(0x42, "p150c")                                                                                         \
    X(0x44, "p300b")                                                                                         \
    X(0x45, "p300a")                                                                                         \
    X(0x46, "p300c")                                                                                         \
    X(0x47, "Blackhole Galaxy")

/* Wormhole's messages: an argument, the message, then a bit that makes the firmware look. It answers with the
 * message's low byte in the place of the message, and a result in that of the argument; all ones: it does not
 * know the message. */
enum {
    TD_ARC_MESSAGE_PREFIX = 0xAA00,
    TD_ARC_GET_HARVESTING = 0x57,       /* the result: harvested rows, in the order of the fuses */
    TD_ARC_DEASSERT_RISCV_RESET = 0xBA, /* lets the cores of the tiles leave reset */
    /* offsets from [arc] messages */
    TD_ARC_ARGUMENT = 0x6C,
    TD_ARC_MESSAGE = 0x74,
    TD_ARC_CONTROL = 0x100,
    TD_ARC_CONTROL_LOOK = 1 << 16
};
