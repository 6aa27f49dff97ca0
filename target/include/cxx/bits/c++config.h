/* The configuration of libstdc++'s headers: that of the host's compiler of the same version, without what cores lack:
 * threads, futexes, and some functions of C's library. */
#ifndef TENDRIL_CXX_CONFIG_H
#define TENDRIL_CXX_CONFIG_H
#include_next <bits/c++config.h>
#undef _GLIBCXX_HAS_GTHREADS
#undef _GLIBCXX_HAVE_LINUX_FUTEX
#undef _GLIBCXX_HAVE_TIMESPEC_GET
#undef _GLIBCXX_USE_C99_MATH_TR1
#undef _GLIBCXX_USE_C99_STDLIB
#endif
