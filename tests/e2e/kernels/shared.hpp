#ifndef TD_TEST_E2E_SHARED_HPP
#define TD_TEST_E2E_SHARED_HPP
#include "tendril/tendril.h"

/* Each source that includes this compiles a copy; the linker keeps one. */
template <int n> __attribute__((noinline)) int shared(int x)
{
    ZoneScopedN("shared template");
    return x + n;
}
#endif
