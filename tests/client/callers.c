/* Spends its time in functions without a frame register, which functions with one call: in the C library, which calls
 * back, and in the kernel's code for programs. Prints the microseconds that each has taken. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tracy/TracyC.h>

static volatile double sink, source = 1.5;
static volatile uint64_t number = 1;

static int64_t spent_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static __attribute__((noinline)) void uses_sin(void)
{
    for (int i = 0; i < 20000; i++)
        sink = sin(source + i);
    sink = 1;
}

#ifdef __clang__
#define WITHOUT_FRAME __attribute__((noinline))
#else
#define WITHOUT_FRAME __attribute__((noinline, optimize("omit-frame-pointer")))
#endif

/* A leaf of this program; its pushes move the stack before it reads. */
static WITHOUT_FRAME uint64_t leaf_without_frame(uint64_t x)
{
    uint64_t a = x, b = x + 1, c = x + 2, d = x + 3;
    for (int i = 0; i < 3000; i++) {
        a = a * 3 + d;
        b = b * 5 + a;
        c = c * 7 + b;
        d = d * 11 + c;
    }
    return a ^ b ^ c ^ d;
}

static __attribute__((noinline)) void uses_leaf(void)
{
    for (int i = 0; i < 100; i++)
        number += leaf_without_frame(number);
    number++;
}

static __attribute__((noinline)) void uses_malloc(void)
{
    static void *volatile piece[64];
    for (int k = 0; k < 100; k++) {
        for (int i = 0; i < 64; i++)
            piece[i] = malloc(40 + 50 * (size_t)i);
        for (int i = 0; i < 64; i++)
            free(piece[i]);
    }
    number++;
}

static __attribute__((noinline)) void uses_clock(void)
{
    struct timespec t;
    for (int i = 0; i < 5000; i++)
        clock_gettime(CLOCK_MONOTONIC, &t);
    number += (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void uses_itself(void)
{
    for (int i = 0; i < 300000; i++)
        sink = i;
    sink = 2;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } uses[] = {{"sin", uses_sin},
                {"leaf", uses_leaf},
                {"malloc", uses_malloc},
                {"clock", uses_clock},
                {"itself", uses_itself}};
    enum { USES = sizeof uses / sizeof *uses };
    int64_t spent[USES] = {0}, last = spent_ns();
    const int64_t until = last + (argc > 1 ? atoi(argv[1]) : 1000) * INT64_C(1000000);
    TracyCZoneN(zone, "the program", 1);
    for (unsigned i = 0; last < until; i++) {
        uses[i % USES].function();
        const int64_t now = spent_ns();
        spent[i % USES] += now - last;
        last = now;
    }
    TracyCZoneEnd(zone);
    for (unsigned i = 0; i < USES; i++)
        printf("uses_%s %d\n", uses[i].name, (int)(spent[i] / 1000));
    return 0;
}
