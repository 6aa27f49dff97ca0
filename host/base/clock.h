/* The host's clock: one 64-bit tick count that every process of this machine reads alike.
 *
 * On x86-64 with an invariant time stamp counter it is that counter (what Tracy's clients use too), on AArch64
 * and RISC-V the counter that their architecture has for this, elsewhere CLOCK_MONOTONIC_RAW in ns. The client
 * library, clock sync and the simulator all use it, so no conversion between them is needed; ticks become ns only
 * when they enter a trace. Thread-safe. */
#pragma once
#include "host/base/export.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
#define TD_HOST_COUNTER 1
#else
#define TD_HOST_COUNTER 0
#endif
#if defined(__x86_64__)
#include <cpuid.h> /* not x86intrin.h: its 60,000 lines would be read by most files of the tree */
#endif

static inline int64_t td_mono_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t td_mono_ms(void)
{
    return td_mono_ns() / 1000000;
}

/* Milliseconds until the td_mono_ns() time `until_ns`, rounded up; 0: it has passed. */
static inline int64_t td_ms_until(int64_t until_ns)
{
    int64_t left_ns = until_ns - td_mono_ns();
    return left_ns <= 0 ? 0 : (left_ns + 999999) / 1000000;
}

/* `ns` from now on that clock, for functions that wait until a time. */
static inline struct timespec td_deadline(clockid_t clock, int64_t ns)
{
    struct timespec at;
    clock_gettime(clock, &at);
    ns += at.tv_nsec;
    at.tv_sec += ns / 1000000000;
    at.tv_nsec = ns % 1000000000;
    return at;
}

/* Whether this processor has a counter of constant rate that programs may read. Slow (CPUID): call once. */
static inline bool td_host_has_counter(void)
{
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
#else
    return TD_HOST_COUNTER; /* Linux emulates the ones that have errors */
#endif
}

/* The count, if there is one. */
static inline uint64_t td_host_counter(void)
{
    uint64_t ticks = 0;
#if defined(__x86_64__)
    ticks = __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#elif defined(__riscv)
    __asm__ volatile("rdtime %0" : "=r"(ticks));
#endif
    return ticks;
}

/* A program may link the client and the host library. Each has a clock of its own, and the inline markers read the
 * client's. */
#ifdef TD_CLIENT_PART
#define td_clock_source_ td_client_clock_source_
#endif
extern TD_CLIENT_API int
    td_clock_source_; /* 0 unknown, 1 the processor's counter, 2 monotonic ns; set by td_clock_init() */
/* Chooses the clock. td_host_ticks() calls it at first use; a call at the start of the process keeps that
 * delay out of the first measurement. */
void td_clock_init(void);

static inline int td_clock_source(void)
{
    return __atomic_load_n(&td_clock_source_, __ATOMIC_RELAXED);
}

static inline uint64_t td_host_ticks(void)
{
    if (__builtin_expect(td_clock_source() == 0, 0))
        td_clock_init();
    if (TD_HOST_COUNTER && td_clock_source() == 1)
        return td_host_counter();
    return (uint64_t)td_mono_ns();
}

/* td_host_ticks() after all earlier loads have completed. Without the fence the processor may read the
 * counter before the answer that the caller has waited for. */
static inline uint64_t td_host_ticks_ordered(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
    return td_host_ticks();
}

/* The part of `passed_ns`, the time since the last look at another process, that counts as waiting for it:
 * at most `look_ns`. Longer gaps mean that this process did not run, and then the other one may not have
 * either. */
static inline int64_t td_waited_ns(int64_t passed_ns, int64_t look_ns)
{
    return passed_ns < look_ns ? passed_ns : look_ns;
}

/* For loops that wait for a store of another thread or process. */
static inline void td_cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ns per tick, measured against CLOCK_MONOTONIC_RAW since the first td_clock_init() of this process.
 * Sleeps if that is less than min_ms milliseconds ago. Exactly 1.0 for the ns clock. */
double td_host_ns_per_tick(int min_ms);
