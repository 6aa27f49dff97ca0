/* The cases of the benchmark: pairs of functions that differ in one zone. The host counts between the two
 * stores to MARK. */
#include "tendril/tendril.h"

#define MARK (*(volatile uint32_t *)0xffb12f0c)

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

typedef void function(uint32_t n);
static function *const volatile cases[] = {line_without, line_with, loop_without, loop_with};

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
