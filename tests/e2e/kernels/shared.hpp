#ifndef TD_TEST_E2E_SHARED_HPP
#define TD_TEST_E2E_SHARED_HPP
#include "tendril/tendril.h"

/* Every source that includes this has a copy of it; the link keeps one. */
template <int n> __attribute__((noinline)) int shared(int x)
{
    ZoneScopedN("shared template");
    return x + n;
}
#endif
