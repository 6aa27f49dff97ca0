/* Performance counters of the tile, by tt-metal's names. C++.
 *
 *   StartPerfCounters();      clears and starts, on one core of the tile
 *   StopPerfCounters();
 *   RecordPerfCounters();     writes a message for each counter: "counter FPU_COUNTER: 512 of 4096"
 *
 * PROFILE_PERF_COUNTERS of the build says which: 1 FPU, 2 packers, 4 unpackers. Without it, or without
 * markers, these expand to nothing. `tendril report` makes columns of the messages. */
#ifndef TENDRIL_PERF_COUNTERS_HPP
#define TENDRIL_PERF_COUNTERS_HPP
#include "tendril/tendril.h"

#if defined(PROFILE_PERF_COUNTERS) && defined(TD_PROFILE)
#include "proto/device/perf_counters.h"
#include "riscv/fence.h"

#if PROFILE_PERF_COUNTERS & ~7
#error "PROFILE_PERF_COUNTERS: the groups are 1 (FPU), 2 (packers) and 4 (unpackers)"
#endif

extern const uint32_t td_clock_low[]; /* linker script */

static inline volatile uint32_t *td_perf_reg_(uint32_t offset)
{
    return reinterpret_cast<volatile uint32_t *>(reinterpret_cast<uintptr_t>(td_clock_low) -
                                                 TD_PERF_CLOCK_OFFSET + offset);
}

/* A rising edge of one bit of a bank's CONTROL. */
static inline void td_perf_control_(uint32_t at, uint32_t bit)
{
    *td_perf_reg_(at + 8) = 0;
    *td_perf_reg_(at + 8) = bit;
}

/* The image says that it counts (TD_IMAGE_COUNTS). */
static inline void td_perf_control_all_(uint32_t bit)
{
    __asm__ volatile(".weak td_counts\n.set td_counts, 1");
#define TD_X(name, at, out, group)                                                                           \
    if ((PROFILE_PERF_COUNTERS) & (group))                                                                   \
        td_perf_control_(at, bit);
    TD_PERF_BANKS(TD_X)
#undef TD_X
    td_fence();
}

/* Registers do not overtake each other if the mode is read back. */
static inline uint32_t td_perf_count_(uint32_t at, uint32_t out, uint32_t mode)
{
    *td_perf_reg_(at + 4) = mode;
    while (*td_perf_reg_(at + 4) != mode)
        ;
    return *td_perf_reg_(out + 4);
}

static inline void td_perf_record_()
{
    enum {
#define TD_X(name, at, out, group)                                                                           \
    td_perf_at_##name = (at), td_perf_out_##name = (out), td_perf_group_##name = (group),
        TD_PERF_BANKS(TD_X)
#undef TD_X
    };
#define TD_X(bank, select, name)                                                                             \
    if ((PROFILE_PERF_COUNTERS)&td_perf_group_##bank) {                                                      \
        const uint32_t count = td_perf_count_(td_perf_at_##bank, td_perf_out_##bank, TD_PERF_MODE(select));  \
        TD_LOG("counter " #name ": %u of %u", count, *td_perf_reg_(td_perf_out_##bank));                     \
    }
    TD_PERF_COUNTERS(TD_X)
#undef TD_X
}

#define StartPerfCounters()  td_perf_control_all_(TD_PERF_START)
#define StopPerfCounters()   td_perf_control_all_(TD_PERF_STOP)
#define RecordPerfCounters() td_perf_record_()
#else
#define StartPerfCounters()  ((void)0)
#define StopPerfCounters()   ((void)0)
#define RecordPerfCounters() ((void)0)
#endif

#endif
