/* The cases of the benchmark: pairs of functions that differ in one marker. The host counts between the two
 * stores to MARK. */
#include "tendril/tendril.h"

#define MARK    (*(volatile uint32_t *)0xffb12f0c)
#define ADVANCE (*(volatile uint32_t *)0xffb12f08)

#define CASE static __attribute__((noinline, noclone)) void

CASE line_without(uint32_t n)
{
    __asm__ volatile("" ::: "memory");
}

CASE line_with(uint32_t n)
{
    ZoneScopedN("line");
    __asm__ volatile("" ::: "memory");
}

CASE loop_without(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        __asm__ volatile("" ::: "memory");
}

CASE loop_with(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ZoneScopedN("loop");
        __asm__ volatile("" ::: "memory");
    }
}

CASE log_three(uint32_t n)
{
    TD_LOG("%u %u %u", n, n + 1, n + 2);
    __asm__ volatile("" ::: "memory");
}

CASE log_without(uint32_t n)
{
    __asm__ volatile("" : : "r"(n), "r"(n + 1), "r"(n + 2) : "memory");
}

CASE log_plain(uint32_t n)
{
    TD_LOG("here");
    __asm__ volatile("" ::: "memory");
}

CASE log_eight(uint32_t n)
{
    TD_LOG("%u %u %u %u %u %u %u %u", n, n, n, n, n, n, n, n);
    __asm__ volatile("" ::: "memory");
}

CASE plot(uint32_t n)
{
    TD_PLOT_INT("plot", (int)n);
    __asm__ volatile("" ::: "memory");
}

CASE flow(uint32_t n)
{
    TD_FLOW_OUT("flow", n);
    __asm__ volatile("" ::: "memory");
}

CASE value(uint32_t n)
{
    ZoneValue(n);
    __asm__ volatile("" ::: "memory");
}

CASE text(uint32_t n)
{
    ZoneText("%u", n);
    __asm__ volatile("" ::: "memory");
}

CASE long_zone(uint32_t n)
{
    ZoneScopedN("long");
    ADVANCE = 0x10000;
}

CASE long_without(uint32_t n)
{
    ADVANCE = 0x10000;
}

typedef void function(uint32_t n);
static function *const volatile cases[] = {line_without, line_with, loop_without, loop_with, log_without,
                                           log_three,    log_plain, log_eight,    plot,      flow,
                                           value,        text,      long_without, long_zone};

/* arg: bits 31..28 the case, the rest the number of zones. */
int main(void)
{
    function *f = cases[td_arg() >> 28];
    uint32_t n = td_arg() & 0xfffffff;
    MARK = 1;
    f(n);
    MARK = 0;
    return 0;
}
