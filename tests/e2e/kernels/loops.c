/* Known loops: of zones, of zones in zones, and with messages and points. The exit code is the number of
 * the clock's ticks that main took: of instructions, in virtual time. With LOOPS_OUTER only the zones
 * "outer" are there. The argument is the number of turns, and in bits 16 to 19 which loop. */
#include "tendril/tendril.h"

#ifdef LOOPS_OUTER
#define INNER(name)
#define SAYS(...)
#define POINT(name, value)
#else
#define INNER(name)        ZoneScopedN(name)
#define SAYS(...)          TD_LOG(__VA_ARGS__)
#define POINT(name, value) TD_PLOT_INT(name, value)
#endif

static volatile uint32_t sink[4];

static void work(uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
        __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void flat(uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++) {
        ZoneScopedN("outer");
        for (uint32_t k = 0; k < 20; k++) {
            INNER("inner");
            work(20);
        }
    }
}

static __attribute__((noinline)) void nested(uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++) {
        ZoneScopedN("outer");
        for (uint32_t k = 0; k < 5; k++) {
            INNER("middle");
            for (uint32_t n = 0; n < 4; n++) {
                INNER("inner");
                work(30);
            }
        }
    }
}

static __attribute__((noinline)) void mixed(uint32_t turns)
{
    for (uint32_t i = 0; i < turns; i++) {
        ZoneScopedN("outer");
        for (uint32_t k = 0; k < 6; k++) {
            INNER("inner");
            work(60);
            sink[1] = k;
            SAYS("turn %u of %u", i, k);
            POINT("turn", (int32_t)k);
        }
    }
}

int main(void)
{
    void (*const loops[])(uint32_t) = {flat, nested, mixed};
    const uint64_t from = td_clock64();
    loops[td_arg() >> 16](td_arg() & 0xffff);
    return (int)(td_clock64() - from);
}
