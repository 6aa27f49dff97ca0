#ifndef TENDRIL_TRACY_YIELD_HPP
#define TENDRIL_TRACY_YIELD_HPP
#include "TracyForceInline.hpp"
#include <sched.h>

namespace tracy
{
// For loops that wait a moment: lets the other thread of the core run, or other threads of the machine.
static tracy_force_inline void YieldThread()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}
} // namespace tracy
#endif
