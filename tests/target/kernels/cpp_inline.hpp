#ifndef TD_TEST_CPP_INLINE_HPP
#define TD_TEST_CPP_INLINE_HPP
#include "tendril/tendril.h"

/* Not always inlined: both files have a copy, the linker keeps one. */
__attribute__((noinline)) inline int shared_inline(int x)
{
    ZoneScopedN("shared inline");
    return x + 1;
}

#endif
