/* Calls whose result must be the same on a core and on the host. Each type has the same width on both. */
#pragma once
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#define PRINTF_BYTES 160

/* clang-format off */
#define PRINTF_FLOAT(X, f) X(f, 0.0) X(f, -0.0) X(f, 1.0) X(f, 0.1) X(f, -2.5) X(f, 0.5) X(f, 1.5) X(f, 123456789.125) X(f, 9.9999999)       \
    X(f, 999999.5) X(f, 1e-5) X(f, 0.0001) X(f, 1e22) X(f, 1.0e100) X(f, DBL_MIN) X(f, 4.9e-324) X(f, 3.14159265358979) X(f, -1e-300) \
    X(f, 0.05) X(f, 0.15) X(f, 100000.0) X(f, 1000000.0) X(f, HUGE_VAL) X(f, -HUGE_VAL) X(f, 2.0 / 3)
#define PRINTF_ALL(X)                                                                                                                    \
    PRINTF_FLOAT(X, "%f") PRINTF_FLOAT(X, "%.0f") PRINTF_FLOAT(X, "%e") PRINTF_FLOAT(X, "%.0e") PRINTF_FLOAT(X, "%g")                      \
    PRINTF_FLOAT(X, "%#.3g") PRINTF_FLOAT(X, "%012.4f|") PRINTF_FLOAT(X, "%-14.2e|") PRINTF_FLOAT(X, "%+.17g") PRINTF_FLOAT(X, "%.40f")   \
    PRINTF_FLOAT(X, "%.1f") PRINTF_FLOAT(X, "%G") X("%f", DBL_MAX) X("%.60e", 4.9e-324) X("%a", 1.0) X("%a", 0.1) X("%.3a", 1.99999)  \
    X("%A", -0.75) X("%.0a", 1.0) X("%20.2a|", 3.5)                                                                                      \
    X("%d %i", 0, -7) X("%5d|%-5d|%05d", 42, 42, -42) X("%+d % d", 3, 3) X("%.3d|%8.3d|%.0d|", 5, -5, 0)                                  \
    X("%u %o %x %X", 4000000000u, 8u, 0xbeefu, 0xbeefu) X("%#x %#o %#X %#x", 255u, 8u, 255u, 0u)                                           \
    X("%lld %llu", INT64_MIN + 0ll, UINT64_MAX + 0ull) X("%llx %#llo", 0x123456789abcdefull, 01234567012345670123ull)                     \
    X("%hhd %hd %hhu %hu", 300, 70000, 300, 70000) X("%jd %zu %td", (intmax_t)-1, (size_t)7, (ptrdiff_t)-8)                               \
    X("%s|%10s|%-10s|%.2s|", "text", "text", "text", "text") X("%c%c%5c|%-3c|", 'a', 'b', 'c', 'd') X("%%|%5.1f%%", 99.5)                \
    X("%*d|%-*d|%.*f", 6, 1, 6, 2, 3, 0.5) X("%s", "") X("none") X("%*d", -4, 9) X("%Lf", 1.25L)
/* clang-format on */

enum {
#define TD_X(...) 1 +
    PRINTF_CASES = PRINTF_ALL(TD_X) 0
#undef TD_X
};
