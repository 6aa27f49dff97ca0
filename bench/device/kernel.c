/* The cases of the benchmark: pairs of functions that differ in one marker. The host counts between the two
 * stores to MARK. */
#include "bench/device/kernel.h"

#include "tools/profiler/kernel_profiler.hpp"

#if defined TD_PROFILE && !defined TD_GUEST /* a guest has no printf() */
void td_text_write(const char *bytes, uint32_t count);
#else
#define td_text_write(bytes, count) ((void)0)
#endif

#define MARK    (*(volatile uint32_t *)0xffb12f0c)
#define ADVANCE (*(volatile uint32_t *)0xffb12f00)

#define CASE static __attribute__((noinline, noclone)) void

CASE line_without(uint32_t n)
{
    __asm__ volatile("" ::: "memory");
}

/* A function that calls others has to save the return address. */
CASE line_calls(uint32_t n)
{
    __asm__ volatile("" ::: "ra", "memory");
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

CASE log_calls(uint32_t n)
{
    __asm__ volatile("" : : "r"(n), "r"(n + 1), "r"(n + 2) : "ra", "memory");
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

CASE span(uint32_t n)
{
    TD_ZONE_BEGIN(z, "span");
    __asm__ volatile("" ::: "memory");
    TD_ZONE_END(z);
}

CASE sums(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        DeviceZoneScopedSumN1("sum");
        __asm__ volatile("" ::: "memory");
    }
}

CASE data(uint32_t n)
{
    DeviceTimestampedData("data", n);
    __asm__ volatile("" ::: "memory");
}

CASE event(uint32_t n)
{
    DeviceRecordEvent(n);
    __asm__ volatile("" ::: "memory");
}

CASE log_one(uint32_t n)
{
    TD_LOG("%u", n);
    __asm__ volatile("" ::: "memory");
}

CASE log_two(uint32_t n)
{
    TD_LOG("%u %u", n, n);
    __asm__ volatile("" ::: "memory");
}

CASE log_four(uint32_t n)
{
    TD_LOG("%u %u %u %u", n, n, n, n);
    __asm__ volatile("" ::: "memory");
}

CASE log_five(uint32_t n)
{
    TD_LOG("%u %u %u %u %u", n, n, n, n, n);
    __asm__ volatile("" ::: "memory");
}

CASE log_six(uint32_t n)
{
    TD_LOG("%u %u %u %u %u %u", n, n, n, n, n, n);
    __asm__ volatile("" ::: "memory");
}

CASE log_seven(uint32_t n)
{
    TD_LOG("%u %u %u %u %u %u %u", n, n, n, n, n, n, n);
    __asm__ volatile("" ::: "memory");
}

CASE plots(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        TD_PLOT_INT("plots", (int)i);
}

CASE logs(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        TD_LOG("%u %u", i, i);
}

/* Lines that printf() has formatted, of one slot and of seven. */
CASE line_short(uint32_t n)
{
    td_text_write("abcdef\n", 7);
}

CASE line_long(uint32_t n)
{
    td_text_write("abcdefghijklmnopqrstuvwxyzabcdefghijklmnop\n", 43);
}

typedef void function(uint32_t n);
/* In the order of kernel.h. */
static function *const volatile cases[] = {
    line_without, line_with, loop_without, loop_with, log_without,  log_three, log_plain, log_eight,
    plot,         flow,      value,        text,      long_without, long_zone, span,      sums,
    data,         event,     log_one,      log_two,   log_four,     log_five,  log_six,   log_seven,
    line_short,   line_long, plots,        logs,      line_calls,   log_calls};

/* arg: bits 31..24 the case, the rest the number of zones. */
int main(void)
{
    function *f = cases[td_arg() >> BENCH_CASE_SHIFT];
    uint32_t n = td_arg() & ((1u << BENCH_CASE_SHIFT) - 1);
#ifdef TD_GUEST
    TD_LOG("the first marker of a guest finds its lane");
#endif
    MARK = 1;
    f(n);
    MARK = 0;
    return 0;
}
