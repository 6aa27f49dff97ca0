/* The rings of tt-metal's streaming device profiler in a tile's L1 (TT_METAL_STREAMING_PROFILER, Blackhole).
 *
 * There are control words, and right after them a ring of words for each core: BRISC, NCRISC, TRISC0 to 2. A core
 * writes packets, and counts words in its tail; the relay, which runs on a tile of the DRAM, moves words to the host and
 * counts them in the core's head. Both counts go on for ever; a word's place in the ring is its number modulo the ring's
 * size. Heads and tails are always between two packets. A core whose ring is full waits if a relay serves its tile, and
 * writes over old words if none does.
 *
 * The first word of a packet is kind << 27 | value. A zone is one packet, written at its end: so inner zones come first.
 * Ends of ZONE and ZONE_S are the core's cursor; ZONE_S counts its end from the cursor before. Times are the low half
 * of the clock; CLOCK_HIGH has the high half, and comes when that changes, and as a launch's first packet with a time. */
#pragma once

#define TD_TT_RING_LAYOUT        "stream" /* name of the layout, beside those of l1_profiler.h */
#define TD_TT_RING_CONTROL_WORDS 64
#define TD_TT_RING_WORDS         512
#define TD_TT_RING_CORES         24 /* of which the control words have heads and tails; a tile has 5 */

/* Control words. */
#define TD_TT_RING_CONTROL(X)                                                                                \
    X(HEAD, 0)                                                                                               \
    X(TAIL, 24)                                                                                              \
    X(ARMED,                                                                                                 \
      48) /* 1: a relay serves the tile. Before September 2026: 1 if a full ring is no reason to wait */     \
    X(STALLS, 50) /* how often each core has waited */

/* X(NAME, kind, words): the words of a packet; 0 words: one by which the core's ring is never described. DATA has as
 * many words more as bits 31..25 of its third word say. */
#define TD_TT_RING_PACKETS(X)                                                                                \
    X(ZONE, 2, 3)       /* id; low half of its end; duration */                                              \
    X(ZONE_S, 3, 2)     /* id; (its end - cursor) << 16 | duration */                                        \
    X(ZONE_L, 4, 5)     /* id; end, low and high; duration, low and high. Leaves the cursor as it is */      \
    X(HOST_ID, 8, 1)    /* of the launch that begins, in the value */                                        \
    X(CLOCK_HIGH, 9, 1) /* in the value */                                                                   \
    X(DATA, 10, 3)      /* id; low half of its time; count << 25; words of data */                           \
    X(EVENT, 12, 2)     /* id; low half of its time */                                                       \
    X(HOST_ID_L, 14, 2) /* the id in the second word */                                                      \
    X(SYNC, 15, 2)      /* a sample of the clock between chips */

#define TD_TT_RING_VALUE_BITS 27
#define TD_TT_RING_COUNT_BIT  25
/* A core waits for room in its ring: of releases whose ids have 16 bits, and 27 bits. */
#define TD_TT_RING_STALL_16 0xffffu
#define TD_TT_RING_STALL_27 0x7ffc000u
/* How much a core may have written above its tail: the tail follows every 16 words and at the end of a packet. */
#define TD_TT_RING_LAG 146

/* Sections of a kernel's ELF that name zones: records of four words (id, address of the name, address of the file's name,
 * line), and their texts. Releases with ids of 16 bits also have a section of ids, whose address is above those bits until
 * the host has loaded the kernel and given it ids; what it loads is in a copy of the ELF next to it. */
#define TD_TT_ZONE_RECORDS "tt_zone_meta"
#define TD_TT_ZONE_TEXTS   "tt_zone_str"
#define TD_TT_ZONE_IDS     "tt_zone_ids"

enum td_tt_ring_control {
#define TD_X(name, word) TD_TT_RING_##name = word,
    TD_TT_RING_CONTROL(TD_X)
#undef TD_X
};
enum td_tt_ring_packet {
#define TD_X(name, kind, words) TD_TT_RING_##name = kind,
    TD_TT_RING_PACKETS(TD_X)
#undef TD_X
};
