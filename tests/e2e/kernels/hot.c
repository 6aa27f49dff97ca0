/* A kernel without markers that spends known numbers of instructions in its functions. Its argument is the
 * address of a struct hot_words, where it counts them by the tile's clock: in virtual time, ticks are
 * instructions. */
#include "riscv/clock.h"
#include "tendril/tendril.h"
#include "tests/e2e/hot_words.h"

#define UNKNOWN(x) __asm__ volatile("" : "+r"(x))

/* Inlined into `third`. */
static inline __attribute__((always_inline)) uint32_t mix(uint32_t x)
{
    for (uint32_t i = 0; i < 64; i++) {
        x ^= x << 5; /* mixed */
        UNKNOWN(x);
    }
    return x;
}

static __attribute__((noinline)) uint32_t first(uint32_t x, volatile struct hot_words *words)
{
    const uint64_t began = td_clock64();
    for (uint32_t i = 0; i < 1500; i++) {
        x = x * 33 + i;
        UNKNOWN(x);
    }
    words->first += (uint32_t)(td_clock64() - began);
    return x;
}

static __attribute__((noinline)) uint32_t second(uint32_t x, volatile struct hot_words *words)
{
    const uint64_t began = td_clock64();
    for (uint32_t i = 0; i < 400; i++) {
        x = (x & 1) ? x >> 1 : x + i;
        UNKNOWN(x);
    }
    words->second += (uint32_t)(td_clock64() - began);
    return x;
}

static __attribute__((noinline)) uint32_t third(uint32_t x, volatile struct hot_words *words)
{
    const uint64_t began = td_clock64();
    for (uint32_t i = 0; i < 5; i++)
        x = mix(x + i);
    words->third += (uint32_t)(td_clock64() - began);
    return x;
}

int main(void)
{
    volatile struct hot_words *words = (volatile struct hot_words *)td_arg();
    const uint64_t began = td_clock64();
    uint32_t x = 1;
    for (uint32_t i = 0; i < words->rounds; i++) {
        x = first(x, words);
        x = second(x, words);
        x = third(x, words);
    }
    words->all = (uint32_t)(td_clock64() - began);
    words->value = x;
    return 0;
}
