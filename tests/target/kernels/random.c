/* Markers of all kinds in an order that the argument, a seed, decides. Each that is no zone carries a
 * number, from 0 on; `kinds` says what number i is, for the test, and `totals` how many there were.
 * `finished` counts zones of each kind (MAIN: those that began), `open` is whether one is marked as open:
 * the end of an inner one of a kind clears the mark. Some launches exit within their zones, and some fault
 * there (`faulted`). Some end recording (`muted`); nothing is counted after that, but zones of the hardware
 * timestamper: they go on. Of those, `begun` counts the begins. `unsure` zones of kind MAIN were open when
 * recording ended or at the fault: of those, a full lane may have had no room for the begin. */
#include <stdbool.h>
#include <stdio.h>

#include "tools/profiler/kernel_profiler.hpp"
#include "tests/target/kernels/test_regs.h"

enum kind {
    LOG0,
    LOG1,
    LOG2,
    LOG3,
    LOG5,
    LOG8,
    TEXT1,
    TEXT4,
    VALUE,
    INT,
    FLOAT,
    OUT,
    IN,
    DATA,
    EVENT,
    PRINT,
    KINDS
};

/* With TD_STAMPED those before SUM1 go to the timestamper. */
enum zone { ZONE, LONG, SPAN, IF, WAIT, SUM1, SUM2, MAIN, ZONES };
#ifdef TD_STAMPED
enum { FIRST_IN_LANE = SUM1 };
#else
enum { FIRST_IN_LANE = ZONE };
#endif

#define MOST 2000

/* The linker keeps these names. */
#define KEPT TD_L1 __attribute__((used, externally_visible))
KEPT uint8_t kinds[MOST];
KEPT volatile uint32_t totals, begun[ZONES], finished[ZONES], open[ZONES], faulted, muted, unsure;
static uint32_t state, mains;

static uint32_t below(uint32_t limit)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 8) % limit;
}

static __attribute__((noinline)) void mark(void)
{
    const uint32_t n = totals;
    const enum kind kind = (enum kind)below(KINDS);
    if (n == MOST)
        return;
    if (!muted)
        kinds[totals++] = (uint8_t)kind;
    switch (kind) {
    case LOG0:
        TD_LOG("none");
        break;
    case LOG1:
        TD_LOG("%u", n);
        break;
    case LOG2:
        TD_LOG("%u %u", n, n + 1);
        break;
    case LOG3:
        TD_LOG("%u %u %x", n, n + 1, n * 0x9e3779b9);
        break;
    case LOG5:
        TD_LOG("%u %u %x %u %x", n, n + 1, n * 0x9e3779b9, n + 2, ~n);
        break;
    case LOG8:
        TD_LOG("%u %u %x %u %x %x %u %u", n, n + 1, n * 0x9e3779b9, n + 2, ~n, n << 16, n + 3, n + 4);
        break;
    case TEXT1:
        ZoneText("%u", n);
        break;
    case TEXT4:
        ZoneText("%u %u %x %u", n, n + 1, ~n, n + 2);
        break;
    case VALUE:
        ZoneValue((uint64_t)~n << 32 | n);
        break;
    case INT:
        TD_PLOT_INT("int", (int32_t)n);
        break;
    case FLOAT:
        TD_PLOT_FLOAT("float", (float)n);
        break;
    case OUT:
        TD_FLOW_OUT("flow", n);
        break;
    case IN:
        TD_FLOW_IN("flow", n);
        break;
    case DATA:
        DeviceTimestampedData("data", (uint64_t)n << 32 | ~n);
        break;
    case EVENT:
        DeviceRecordEvent(n);
        break;
    default:
        printf("%lu\n", (unsigned long)n);
    }
}

static void work(uint32_t depth);

static __attribute__((noinline)) void end_early(void)
{
#ifdef TEST_ON_CHIP /* a fault would end the simulator */
    _exit(3);
#endif
    if (td_arg() % 4)
        _exit(3);
    faulted = 1;
    unsure = unsure > mains ? unsure : mains;
    *(volatile uint32_t *)0xA0000000 = 1;
}

static void inner(uint32_t depth, uint32_t ticks, uint32_t ticks64k)
{
    TEST_ADVANCE = ticks;
    TEST_ADVANCE64K = ticks64k;
    if (depth < 6)
        work(depth + 1);
}

static bool is_recorded(enum zone kind)
{
    return !muted || (int)kind < (int)FIRST_IN_LANE;
}

static __attribute__((noinline)) void zone(enum zone kind, uint32_t depth)
{
    const bool on = kind != IF || depth % 2 == 0;
    const bool counts = on && is_recorded(kind);
    open[kind] |= counts;
    begun[kind] += counts;
    if (kind == MAIN) {
        mains++;
        finished[MAIN] += counts;
    }
    if (kind == LONG) {
        ZoneScopedN("long");
        inner(depth, 0, 1 + below(3));
    } else if (kind == SPAN) {
        TD_ZONE_BEGIN(z, "span");
        inner(depth, below(30), 0);
        TD_ZONE_END(z);
    } else if (kind == WAIT) {
        TD_WAIT("wait");
        inner(depth, below(200), 0);
    } else if (kind == SUM1) {
        DeviceZoneScopedSumN1("sum1");
        inner(depth, below(200), 0);
    } else if (kind == SUM2) {
        DeviceZoneScopedSumN2("sum2");
        inner(depth, below(200), 0);
    } else if (kind == MAIN) {
        DeviceZoneScopedMainChildN("main");
        inner(depth, below(200), 0);
    } else if (kind == IF) {
        DeviceZoneScopedNIf("if", depth % 2 == 0);
        inner(depth, below(30), 0);
    } else {
        ZoneScopedN("zone");
        inner(depth, below(300), 0);
    }
    open[kind] &= !on;
    if (kind == MAIN)
        mains--;
    else
        finished[kind] += on && is_recorded(kind);
}

static __attribute__((noinline)) void work(uint32_t depth)
{
    for (uint32_t i = below(6); i > 0; i--) {
        const uint32_t what = below(32);
        if (what < 14)
            mark();
        else if (what < 16)
            zone(LONG, depth);
        else if (what < 17)
            TEST_ADVANCE64K = 0x4000; /* four of these change the clock's high half */
        else if (what < 18)
            td_op(100 + below(3));
        else if (what < 20)
            zone(SPAN, depth);
        else if (what < 22)
            zone(IF, depth);
        else if (what < 26)
            zone((enum zone)(WAIT + what - 22), depth);
        else
            zone(ZONE, depth);
        if (depth >= 3 && td_arg() % 2 == 0 && below(150) == 0)
            end_early();
        if (!muted && td_arg() % 8 == 3 && below(400) == 0) {
            DeviceValidateProfiler(false);
            muted = 1;
            unsure = mains;
        }
    }
}

int main(void)
{
    state = td_arg() | 1;
    totals = faulted = muted = unsure = mains = 0;
    for (int i = 0; i < ZONES; i++)
        begun[i] = finished[i] = open[i] = 0;
    for (int i = 0; i < 60; i++)
        work(0);
    return 0;
}
