/* Packets: what a core writes into its lane and what the host reads out of it.
 *
 * A lane is a ring of slots; a slot is two 32-bit words, little-endian, 8-byte aligned. Bit 31 of a
 * slot's first word is its valid flag: the producer writes the second word first and the first word
 * last, the consumer clears both words after it has taken the slot. So nothing needs to be published
 * per packet, and a slot, being inside one aligned 16-byte line of L1, is never seen half written.
 * A packet is one head slot and 0..511 continuation slots; the producer writes the head slot last.
 *
 *   first word of a slot
 *   31 30........16 15........0
 *    1   zone id     duration    short zone: id < TD_SHORT_ID_COUNT, duration < 2^16 ticks;
 *                                second word = end time, low half. The packet is this one slot.
 *   31 30..26 25 24..20 19....0
 *    1  11111  0  type   id/val  head of any other packet (TD_PACKETS)
 *    1  11111  1  left   low16   continuation: `left` (bits 24..16) = continuation slots of this packet
 *                                that follow this one; bits 15..0 and the second word are payload.
 *
 * Times are the low 32 bits of the tile's wall clock; the high half is the value of the last TIME
 * packet of the lane. Packets stand in the order of their (end) times, inner zones before outer ones.
 * This header is plain C, freestanding, and may be included by assembler code too.
 */
#ifndef TD_PROTO_DEVICE_PACKET_H
#define TD_PROTO_DEVICE_PACKET_H

/* Raised by any change that an older host or target would misread. It is in every lane and every ELF. */
#define TD_DEVICE_PROTO_VERSION 3

#define TD_SLOT_BYTES      8
#define TD_SLOT_VALID      0x80000000
#define TD_TAG_MASK        0xfe000000 /* of a slot that is not a short zone */
#define TD_TAG_HEAD        0xfc000000
#define TD_TAG_CONT        0xfe000000
#define TD_SHORT_ID_SHIFT  16
#define TD_SHORT_ID_COUNT  0x7c00 /* ids 0..0x7bff; above that the tags begin */
#define TD_SHORT_DUR_MASK  0xffff
#define TD_HEAD_TYPE_SHIFT 20
#define TD_HEAD_TYPE_MASK  0x1f
#define TD_HEAD_ID_MASK    0xfffff
#define TD_CONT_LEFT_SHIFT 16
#define TD_CONT_LEFT_MASK  0x1ff
#define TD_CONT_LOW_MASK   0xffff

/* A continuation slot carries 48 bits: second word = low 32 bits, low16 = high 16 bits ("v48").
 * Arguments of ZTEXT, LOG, DATA are 32-bit words in groups of three in two slots
 * (slot 1: w1 = a0, low16 = a2 bits 15..0; slot 2: w1 = a1, low16 = a2 bits 31..16); what is left over
 * (one or two words) takes a slot each.  n words => TD_ARG_SLOTS(n) slots. */
#define TD_ARG_SLOTS(n) ((n) / 3 * 2 + (n) % 3)
#define TD_MAX_ARGS     12

/* Fixed number of continuation slots, or: */
#define TD_CONTS_ARGS (-1) /* TD_ARG_SLOTS(argument words of the site) */
#define TD_CONTS_TEXT                                                                                        \
    (-2) /* 1..511 slots of 6 bytes (w1 little-endian, then low16), zero padded at the end */

/* clang-format off */
/* X(type, name, id field, second word of the head, continuation slots, what it is) */
#define TD_PACKETS(X)                                                                                         \
    X(0, ZONE, site, end, 1, "zone too long or with an id too high for the short form: v48 duration in ticks")   \
    X(1, BEGIN, site, time, 0, "a zone that is visible while open (kernel) begins")                           \
    X(2, END, site, time, 0, "the zone of the last open BEGIN ends")                                          \
    X(3, TIME, none, high, 0, "sticky: high half of the clock from here on")                                  \
    X(4, OP, none, op, 0, "sticky: id of the op (program launch) that runs from here on")                     \
    X(5, IMAGE, version, build0, 1,                                                                           \
      "sticky: image that runs from here on: bytes 0..3 and (w1) 4..7 of its build id; id = TD_DEVICE_PROTO_VERSION") \
    X(6, STALL, none, end, 1, "the core waited for room in the lane: v48 duration in ticks")                  \
    X(7, LOST, none, end, 3,                                                                                  \
      "packets were dropped: v48 duration of the gap in ticks; v48 zones lost; v48 other packets lost")       \
    X(8, TEXT, none, time, TD_CONTS_TEXT, "a line the kernel printed")                                        \
    X(9, LOG, site, time, TD_CONTS_ARGS, "message: the site's format with raw arguments")                     \
    X(10, ZTEXT, site, time, TD_CONTS_ARGS, "text for the innermost zone open at that time: format, arguments") \
    X(11, ZVALUE, none, time, 2, "value for that zone: v48 bits 47..0; v48 bits 63..48")                       \
    X(12, PLOT_INT, site, time, 1, "point of a plot: w1 = int32")                                             \
    X(13, PLOT_FLOAT, site, time, 1, "point of a plot: w1 = IEEE float")                                      \
    X(14, FLOW_OUT, site, time, 1, "the zone open at that time produces for flow w1")                         \
    X(15, FLOW_IN, site, time, 1, "the zone open at that time consumes from flow w1")                         \
    X(16, EVENT, event, time, 0, "instant without a name: 16-bit event id given at run time")                 \
    X(17, DATA, site, time, TD_CONTS_ARGS, "instant with a 64-bit value: two argument words, low first")      \
    X(18, SUM, site, time, 2, "total of an accumulated zone: v48 ticks; v48 count")                           \
    X(19, PAD, none, none, 0, "nothing: fills the ring up to its end")                                        \
    X(20, EXIT, none, time, 1, "the kernel returned: w1 = exit code")                                         \
    X(21, WHOLE, site, end, 1, "in `overwrite`, for END: the zone of a BEGIN that may have been overwritten: v48 duration") \
    X(22, OPEN, slot, end, 1,                                                                                 \
      "zone that was open when its launch ended: word of .td_open; v48 = bits 31..0 low half of its begin, 47..32 enum td_core_state, how the launch ended") \
    X(23, LEFT, none, time, 1, "the launch before ended then and not by itself: w1 = enum td_core_state, RUNNING or FAULT")
/* clang-format on */

/* What packets with a type are when a core in `overwrite` gives them up: a zone with a BEGIN counts there. */
#define TD_TYPES_UNCOUNTED                                                                                   \
    (1u << TD_PACKET_END | 1u << TD_PACKET_WHOLE | 1u << TD_PACKET_TIME | 1u << TD_PACKET_OP |               \
     1u << TD_PACKET_IMAGE | 1u << TD_PACKET_PAD)
#define TD_COUNTS_AS_ZONE(type)  ((type) == TD_PACKET_ZONE || (type) == TD_PACKET_BEGIN)
#define TD_COUNTS_AS_OTHER(type) (!TD_COUNTS_AS_ZONE(type) && !(TD_TYPES_UNCOUNTED >> (type)&1))

/* Site of a LOST packet's zones that the host shows: its name in every trace. */
#define TD_NAME_STALL "TENDRIL-STALL"
#define TD_NAME_LOST  "TENDRIL-LOST"

#ifndef __ASSEMBLER__
enum td_packet {
#define TD_PACKET_ENUM(type, name, id, w1, conts, what) TD_PACKET_##name = type,
    TD_PACKETS(TD_PACKET_ENUM)
#undef TD_PACKET_ENUM
        TD_PACKET_COUNT
};
#endif
#endif
