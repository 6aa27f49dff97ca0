/* Performance counters of a Tensix tile, in the page of its debug registers, which is also that of its
 * clock.
 *
 * A bank counts all of its events at once, from start to stop. PERIOD is not used by the modes below. A
 * rising edge of bit 0 of CONTROL clears and starts, one of bit 1 stops. MODE selects the event that COUNT
 * shows: bits 8 to 15 its number, bit 16 for the second signal of that event (a grant). CYCLES are those
 * from start to stop, of all events. The registers are those of Wormhole and Blackhole. 32-bit
 * little-endian words; freestanding. */
#ifndef TD_PROTO_DEVICE_PERF_COUNTERS_H
#define TD_PROTO_DEVICE_PERF_COUNTERS_H
#include <stdint.h>

#define TD_PERF_PAGE_BYTES   4096u
#define TD_PERF_CLOCK_OFFSET 0x1f0u /* of the clock's register in this page */
#define TD_PERF_ALL          0x03cu /* CONTROL of the banks of instructions and of FPU at once */
#define TD_PERF_START        1u
#define TD_PERF_STOP         2u
#define TD_PERF_MODE(select) ((uint32_t)(select) << 8)

/* X(NAME, offset of PERIOD; MODE and CONTROL follow, offset of CYCLES; COUNT follows, bit of tt-metal's
 * PROFILE_PERF_COUNTERS) */
#define TD_PERF_BANKS(X)                                                                                     \
    X(FPU, 0x018, 0x120, 1)                                                                                  \
    X(PACK, 0x0f0, 0x110, 2)                                                                                 \
    X(UNPACK, 0x00c, 0x108, 4)

/* X(bank, select, NAME): the counters that are recorded, with tt-metal's names. */
#define TD_PERF_COUNTERS(X)                                                                                  \
    X(FPU, 0, FPU_COUNTER)                                                                                   \
    X(FPU, 1, SFPU_COUNTER)                                                                                  \
    X(FPU, 257, MATH_COUNTER)                                                                                \
    X(PACK, 18, PACKER_BUSY)                                                                                 \
    X(UNPACK, 5, SRCB_WRITE_REQ)                                                                             \
    X(UNPACK, 6, SRCA_WRITE_REQ)                                                                             \
    X(UNPACK, 7, UNPACK0_BUSY_THREAD0)                                                                       \
    X(UNPACK, 8, UNPACK1_BUSY_THREAD0)

enum td_perf_bank {
#define TD_X(name, at, out, bit) TD_PERF_BANK_##name,
    TD_PERF_BANKS(TD_X)
#undef TD_X
        TD_PERF_BANK_COUNT
};
enum td_perf_counter {
#define TD_X(bank, select, name) TD_PERF_##name,
    TD_PERF_COUNTERS(TD_X)
#undef TD_X
        TD_PERF_COUNTER_COUNT
};
#endif
