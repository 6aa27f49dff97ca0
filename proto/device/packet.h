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
 * packet of the lane. Packets are in the order of their (end) times, inner zones before outer ones.
 * This header is plain C, freestanding, and may be included by assembler code too.
 */
#ifndef TD_PROTO_DEVICE_PACKET_H
#define TD_PROTO_DEVICE_PACKET_H

/* Raised with any change that an older host or target would misread. It is in every lane and every ELF. */
#define TD_DEVICE_PROTO_VERSION 6

#define TD_SLOT_BYTES      8
#define TD_SLOT_VALID      0x80000000
#define TD_TAG_MASK        0xfe000000 /* of a slot that is not a short zone */
#define TD_TAG_HEAD        0xfc000000
#define TD_TAG_CONT        0xfe000000
#define TD_SHORT_ID_SHIFT  16
#define TD_SHORT_ID_COUNT  ((TD_TAG_HEAD - TD_SLOT_VALID) >> TD_SHORT_ID_SHIFT) /* the ids below the tags */
#define TD_SHORT_DUR_MASK  0xffff
#define TD_HEAD_TYPE_SHIFT 20
#define TD_HEAD_TYPE_MASK  0x1f
#define TD_HEAD_ID_MASK    0xfffff
/* Whether a slot with this first word is a short zone. */
#define TD_IS_SHORT_ZONE(w0) ((w0)-TD_SLOT_VALID < TD_TAG_HEAD - TD_SLOT_VALID)
#define TD_CONT_LEFT_SHIFT   16
#define TD_CONT_LEFT_MASK    0x1ff
#define TD_CONT_LOW_MASK     0xffff

/* A continuation slot carries 48 bits: second word = low 32 bits, low16 = high 16 bits ("v48").
 * Arguments of ZTEXT, LOG, DATA are 32-bit words in groups of three in two slots
 * (slot 1: w1 = a0, low16 = a2 bits 15..0; slot 2: w1 = a1, low16 = a2 bits 31..16). One or two words
 * that remain take a slot each. n words take TD_ARG_SLOTS(n) slots. */
#define TD_ARG_SLOTS(n) ((n) / 3 * 2 + (n) % 3)
#define TD_MAX_ARGS     12

/* Fields of packets. X(NAME, member, bits, shift): the low `bits` of a slot's v48 are the bits from `shift`
 * up of that member of the host's struct td_packet_record. */
#define TD_SLOT_FIELDS(X)                                                                                    \
    X(DURATION, duration_ticks, 48, 0)                                                                       \
    X(VALUE, value, 48, 0)                                                                                   \
    X(VALUE2, value2, 48, 0)                                                                                 \
    X(WORD, value, 32, 0)                                                                                    \
    X(WORD_HIGH, value, 32, 32) /* bits 63..32 of a value whose low half came before */                      \
    X(TOP, value, 16, 48)       /* bits 63..48 of it */
/* Three more: NONE, the packet has no such slot; and two for packets whose length varies:
 *   ARGS  0..TD_ARG_SLOTS(TD_MAX_ARGS) slots: the argument words, as many as the site has
 *   TEXT  1..511 slots of 6 bytes (w1 little-endian, then low16), zero padded at the end */

/* The second word of a head:
 *   TIME   low half of the packet's time        END    the same; the packet is a span that ends then
 *   HIGH   high half of the clock               VALUE  bits 31..0 of `value`; the packet has no time
 *   NONE   0 */

/* clang-format off */
/* X(type, NAME, counts as, id field, second word, continuation slots 1, 2, 3, what it is).
 * Counts as: how a core counts a packet that it drops or, in `overwrite`, gives up (ZONE, OTHER, or NOTHING); a zone
 * with a BEGIN counts at its BEGIN. The packet's length, the host's decoder and a test of the packet follow from its row
 * (docs/adding-a-packet.md). */
#define TD_PACKETS(X)                                                                                         \
    X(0, ZONE, ZONE, site, END, DURATION, NONE, NONE, "zone too long or with an id too high for the short form")  \
    X(1, BEGIN, ZONE, site, TIME, NONE, NONE, NONE, "a zone that is visible while open (kernel) begins")      \
    X(2, END, NOTHING, site, TIME, NONE, NONE, NONE, "the zone of the last open BEGIN ends")                  \
    X(3, TIME, NOTHING, none, HIGH, NONE, NONE, NONE, "sticky: high half of the clock from here on")          \
    X(4, OP, NOTHING, none, VALUE, NONE, NONE, NONE, "sticky: id of the op (program launch) that runs from here on") \
    X(5, IMAGE, NOTHING, version, VALUE, WORD_HIGH, NONE, NONE,                                               \
      "sticky: image that runs from here on: bytes 0..3 and 4..7 of its build id; id = TD_DEVICE_PROTO_VERSION, and TD_IMAGE_IS_STAMPED") \
    X(6, STALL, OTHER, none, END, DURATION, NONE, NONE, "the core waited for room in the lane")               \
    X(7, LOST, OTHER, none, END, DURATION, VALUE, VALUE2,                                                     \
      "packets were dropped: length of the gap, zones lost, other packets lost")                              \
    X(8, TEXT, OTHER, none, TIME, TEXT, NONE, NONE, "a line the kernel printed")                              \
    X(9, LOG, OTHER, site, TIME, ARGS, NONE, NONE, "message: the site's format with raw arguments")           \
    X(10, ZTEXT, OTHER, site, TIME, ARGS, NONE, NONE, "text for the innermost zone open at that time: format, arguments") \
    X(11, ZVALUE, OTHER, none, TIME, VALUE, TOP, NONE, "value for that zone, 64 bits")                        \
    X(12, PLOT_INT, OTHER, site, TIME, WORD, NONE, NONE, "point of a plot: int32")                            \
    X(13, PLOT_FLOAT, OTHER, site, TIME, WORD, NONE, NONE, "point of a plot: IEEE float")                     \
    X(14, FLOW_OUT, OTHER, site, TIME, WORD, NONE, NONE, "the zone open at that time produces for this flow") \
    X(15, FLOW_IN, OTHER, site, TIME, WORD, NONE, NONE, "the zone open at that time consumes from this flow") \
    X(16, EVENT, OTHER, event, TIME, NONE, NONE, NONE, "instant without a name: 16-bit event id given at run time") \
    X(17, DATA, OTHER, site, TIME, ARGS, NONE, NONE, "instant with a 64-bit value: two argument words, low first") \
    X(18, SUM, OTHER, site, TIME, VALUE, VALUE2, NONE, "total of an accumulated zone: ticks, count")          \
    X(19, PAD, NOTHING, none, NONE, NONE, NONE, NONE, "nothing: fills the ring up to its end")                \
    X(20, EXIT, OTHER, none, TIME, WORD, NONE, NONE, "the kernel returned: exit code")                        \
    X(21, WHOLE, NOTHING, site, END, DURATION, NONE, NONE,                                                    \
      "in `overwrite`, for END: the zone of a BEGIN that may have been overwritten")                          \
    X(22, OPEN, ZONE, word, END, VALUE, NONE, NONE,                                                          \
      "zone that was open when its launch ended: word of .td_open; bits 31..0 low half of its begin, 47..32 enum td_core_state, how the launch ended") \
    X(23, LEFT, OTHER, none, TIME, WORD, NONE, NONE,                                                          \
      "the launch before ended then and not by itself: enum td_core_state, RUNNING or FAULT")                   \
    X(24, STAMPED, NOTHING, site, END, DURATION, NONE, NONE,                                                  \
      "made by the host of a tile's event stream (proto/device/stamp.h): a zone")                             \
    X(25, STAMPED_OPEN, NOTHING, site, END, DURATION, VALUE, NONE,                                            \
      "made by the host, too: a zone that was open then; enum td_core_state, how its launch ended")           \
    X(26, STAMPED_LOST, NOTHING, none, END, DURATION, VALUE, NONE,                                            \
      "made by the host, too: events were lost in this time, of at least so many zones")
/* clang-format on */

/* In the id of an IMAGE packet: the image's zones are in the tile's event stream (proto/device/stamp.h). */
#define TD_IMAGE_IS_STAMPED 0x80000

/* Names of the zones that the host makes of STALL and LOST packets, in every trace. */
#define TD_NAME_STALL "TENDRIL-STALL"
#define TD_NAME_LOST  "TENDRIL-LOST"

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

enum td_packet {
#define TD_X(type, name, counts, id, w1, s1, s2, s3, what) TD_PACKET_##name = type,
    TD_PACKETS(TD_X)
#undef TD_X
        TD_PACKET_COUNT
};
enum td_slot_field {
    TD_FIELD_NONE,
#define TD_X(name, member, bits, shift) TD_FIELD_##name,
    TD_SLOT_FIELDS(TD_X)
#undef TD_X
        TD_FIELD_ARGS,
    TD_FIELD_TEXT
};
enum td_second_word { TD_SECOND_NONE, TD_SECOND_TIME, TD_SECOND_END, TD_SECOND_HIGH, TD_SECOND_VALUE };
enum td_counts_as { TD_COUNTS_NOTHING, TD_COUNTS_ZONE, TD_COUNTS_OTHER };
static inline bool td_packet_counts_as(uint32_t type, enum td_counts_as what)
{
#define TD_X(t, name, counts, id, w1, s1, s2, s3, is) || (TD_COUNTS_##counts == what && type == (t))
    return 0 TD_PACKETS(TD_X);
#undef TD_X
}
/* Number of words of the packets of fixed length, TD_PACKET_WORDS_ZONE ... */
enum {
#define TD_X(type, name, counts, id, w1, s1, s2, s3, what)                                                   \
    TD_PACKET_WORDS_##name = 2 + 2 * (TD_FIELD_##s1 != TD_FIELD_NONE) +                                      \
                             2 * (TD_FIELD_##s2 != TD_FIELD_NONE) + 2 * (TD_FIELD_##s3 != TD_FIELD_NONE),
    TD_PACKETS(TD_X)
#undef TD_X
};
#endif
#endif
