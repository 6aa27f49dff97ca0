/* The hardware timestamper of a tile: a store to its register appends an event with the time to a stream in L1.
 * All cores of the tile share the stream. Public documentation describes it as the *debug timestamper*.
 *
 * An image that is built for it (TD_STAMPED) records each zone with two stores, of these words:
 *
 *   begin   the address of the site's symbol in .td_ids, which in such an image has the number of the core in
 *           bits 15..12
 *   end     the write pointer of the core's lane: an address in the ring of that core
 *
 * Both have 0 in their low three bits: TD_STAMP_128. The host pairs begins and ends core by core, and makes
 * STAMPED packets of them (host/device/drain/stamps.h). */
#ifndef TD_PROTO_DEVICE_STAMP_H
#define TD_PROTO_DEVICE_STAMP_H

/* Registers, by their distance from the one that appends events.  X(offset, name, what) */
#define TD_STAMP_REGISTERS(X)                                                                                \
    X(0, APPEND, "write: appends an event, or flushes (TD_STAMP_KINDS); reads as 0")                         \
    X(4, CONTROL, "bits 0, 1: buffer 0, 1 is in use; bit 31: resets the stream while it is set")             \
    X(8, STATUS, "TD_STAMP_FULL ...; a write of 1 clears a sticky bit")                                      \
    X(12, START0, "first place of buffer 0, in units of 16 bytes")                                           \
    X(16, END0, "last place of buffer 0")                                                                    \
    X(20, START1, "first place of buffer 1")                                                                 \
    X(24, END1, "last place of buffer 1")
#define TD_STAMP_BYTES 28

/* The low three bits of what is appended.  X(value, NAME, words of the event, what) */
#define TD_STAMP_KINDS(X)                                                                                    \
    X(0, 128, 4, "the word, low and high half of the clock, 0")                                              \
    X(1, 64, 2, "the word, low half of the clock")                                                           \
    X(2, 32, 1, "bits 15..0 of the word, above them bits 20..5 of the clock")                                \
    X(3, FLUSH_64, 0, "writes out what is accumulated")                                                      \
    X(4, 96, 3, "the word, low and high half of the clock")                                                  \
    X(7, FLUSH_96, 0, "writes out what is accumulated")

#define TD_STAMP_UNIT_BYTES 16 /* events are accumulated and written to L1 in such pieces */
#define TD_STAMP_UNIT_WORDS 4
#define TD_STAMP_RESET      0x80000000u /* in CONTROL */
/* In STATUS, of buffer i. Clearing FULL also makes the buffer begin at its start again. */
#define TD_STAMP_FULL(i)     (1u << (i))
#define TD_STAMP_OVERFLOW(i) (0x10u << (i))
#define TD_STAMP_ACCUM_64    8 /* shifts of fields of STATUS: events accumulated, */
#define TD_STAMP_ACCUM_32    9
#define TD_STAMP_ACCUM_96    11
#define TD_STAMP_POSITION    14 /* pieces in buffer 0 */

#define TD_STAMP_CORE_SHIFT 12 /* of the core's number in a begin */
#define TD_STAMP_MAX_CORES  16

#ifndef __ASSEMBLER__
enum td_stamp_register {
#define TD_X(offset, name, what) TD_STAMP_##name = (offset),
    TD_STAMP_REGISTERS(TD_X)
#undef TD_X
};
enum td_stamp_kind {
#define TD_X(value, name, words, what) TD_STAMP_##name = (value),
    TD_STAMP_KINDS(TD_X)
#undef TD_X
};
#endif
#endif
