/* The buffers of tt-metal's own device profiler in a tile's L1 (the one that pushes into DRAM), by release.
 *
 * There are control words, and a buffer for each core: BRISC, NCRISC, TRISC0 to 2. A launch fills the buffers from
 * their begin. At its end BRISC copies them to DRAM, adds to the host's end indices, counts RUN and sets DONE; the
 * buffers stay as they are until the next launch. A marker is two words:
 *     1 << 31 | kind << 28 | id << 12 | bits 43..32 of the clock; bits 31..0 of the clock
 * TS_DATA has two more words (high, low), TS_DATA_16B four. ZONE_TOTAL has cycles in place of a time. */
#pragma once

#define TD_TT_L1_CORES        5
#define TD_TT_L1_BUFFER_WORDS 512
#define TD_TT_L1_VALID        0x80000000u /* a marker; with nothing else: none, or padding */
#define TD_TT_L1_CLOCK_BITS   44

/* Words of a buffer. Each of the four markers of firmware and kernel has a place of its own. */
#define TD_TT_L1_BUFFER_FIELDS(X)                                                                            \
    X(ID_HH, 0) /* 0, or 1 << 31: no data */                                                                 \
    X(ID_HL, 1) /* 0 */                                                                                      \
    X(ID_LH, 2) /* core in the low bits, then the number of the tile, then that of a replay */               \
    X(ID_LL, 3) /* host id of the launch */                                                                  \
    X(FW_START, 4)                                                                                           \
    X(FW_END, 6)                                                                                             \
    X(KERNEL_START, 8) X(KERNEL_END, 10) X(OTHERS, 12)

/* X(NAME, control words, where: 0 before the buffers, 1 after them; then control words: first end index of the
 * device, RUN, NOC_X, NOC_Y, DROPPED, DONE; and the lowest bit of the host id in ID_LL). The host's end indices begin
 * at word 0; those of the device are 0 after a launch until the middle of 2025. */
#define TD_TT_L1_LAYOUTS(X)                                                                                  \
    X(2024A, 32, 1, 6, 15, 16, 17, 19, 20, 16) /* until September 2024 */                                    \
    X(2024B, 32, 0, 5, 13, 14, 15, 18, 19, 16) /* autumn of 2024 */                                          \
    X(2025, 32, 0, 5, 13, 14, 15, 18, 19, 0)   /* 2025, and 2026 until Quasar's cores were added */          \
    X(2026, 64, 0, 24, 51, 52, 53, 56, 57, 0)

enum td_tt_l1_field {
#define TD_X(name, word) TD_TT_L1_##name = word,
    TD_TT_L1_BUFFER_FIELDS(TD_X)
#undef TD_X
};
enum td_tt_l1_year {
#define TD_X(name, words, after, ends, run, x, y, dropped, done, id) TD_TT_L1_##name,
    TD_TT_L1_LAYOUTS(TD_X)
#undef TD_X
        TD_TT_L1_LAYOUT_COUNT
};
