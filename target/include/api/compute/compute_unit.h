/* UNPACK, MATH and PACK: which of the three cores of a kernel that computes this one is. C++. */
#ifndef TENDRIL_API_COMPUTE_COMPUTE_UNIT_H
#define TENDRIL_API_COMPUTE_COMPUTE_UNIT_H
#include "tendril/tendril.h"
#include "tendril/compute.h"

#ifndef COMPILE_FOR_TRISC
#error "a kernel that computes is compiled for TRISC0, TRISC1 and TRISC2"
#endif
#if COMPILE_FOR_TRISC == 0
#define TRISC_UNPACK 1
#define UCK_CHLKC_UNPACK
#define UNPACK(x) x
#else
#define UNPACK(x)
#endif
#if COMPILE_FOR_TRISC == 1
#define TRISC_MATH 1
#define UCK_CHLKC_MATH
#define MATH(x) x
#else
#define MATH(x)
#endif
#if COMPILE_FOR_TRISC == 2
#define TRISC_PACK 1
#define UCK_CHLKC_PACK
#define PACK(x) x
#else
#define PACK(x)
#endif

/* The same for calls that all cores know. */
#define TD_ON_TRISC_(n, x)                                                                                   \
    do {                                                                                                     \
        if (COMPILE_FOR_TRISC == (n)) {                                                                      \
            x;                                                                                               \
        }                                                                                                    \
    } while (0)
#define TD_UNPACK_(x) TD_ON_TRISC_(0, x)
#define TD_MATH_(x)   TD_ON_TRISC_(1, x)
#define TD_PACK_(x)   TD_ON_TRISC_(2, x)

#endif
